// Package trial holds the commands around people or models who judge and answer: pools, packets, and the import of what
// they wrote.
package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/build/author"
	"retrace/core/design"
	"retrace/core/design/graded"
	"retrace/core/study"
)

// maxImport bounds a file that is taken in, in bytes.
const maxImport = 64 << 20

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	var dir, output, who string
	command := func(c *cobra.Command, run func(c *cobra.Command, args []string) error) *cobra.Command {
		c.Flags().StringVar(&dir, "kit", "kit", "the kit's root folder")
		c.RunE = run
		return c
	}
	writing := func(c *cobra.Command, run func(c *cobra.Command, args []string) error) *cobra.Command {
		c.Flags().StringVar(&output, "output", "", "a new folder for the files; without it they go to their places in the kit")
		c.Args = cobra.ExactArgs(1)
		return command(c, run)
	}
	importing := func(c *cobra.Command, flag, what string, run func(c *cobra.Command, args []string) error) *cobra.Command {
		c.Flags().StringVar(&who, flag, "", what)
		if err := c.MarkFlagRequired(flag); err != nil {
			panic(err) // the flag was defined on the line above
		}
		c.Args = cobra.ExactArgs(2)
		return command(c, run)
	}
	pool := writing(&cobra.Command{
		Use:   "pool STUDY",
		Short: "Pool every method's first documents and write the assessors' packets and the key",
		Long: `Scores every method on every task, pools their first documents by the protocol's rule, and writes one packet for each
assessor (opaque codes, an order of its own; method, rank, split, ID and degree withheld) and the key, which assessors
must not see. No judgement is looked at.`,
		Example: "  build pool r02 --output /tmp/pool",
	}, func(c *cobra.Command, args []string) error { return Pool(dir, args[0], output, c.OutOrStdout()) })

	judging := &cobra.Command{
		Use:     "judge",
		Short:   "Take in what assessors wrote",
		Example: "  build judge import r02 --assessor a judgements-a.jsonl\n  build judge import r02 --assessor b judgements-b.jsonl",
	}
	judging.AddCommand(importing(&cobra.Command{
		Use:   "import STUDY FILE",
		Short: "Check an assessor's judgements and put them into the kit",
		Long: `Every pair of the packet needs one judgement with a whole grade in range, the obligations it helps and a reason. Missing,
duplicate, unknown, Boolean, fractional and out-of-range judgements are all listed. The file is taken in unchanged.`,
		Example: "  build judge import r02 --assessor a judgements.jsonl",
	}, "assessor", "the assessor's name in the protocol", func(c *cobra.Command, args []string) error {
		return ImportJudgements(dir, args[0], who, args[1], c.OutOrStdout())
	}))

	answers := &cobra.Command{
		Use:   "answers",
		Short: "Prepare the answer trial and take in what readers and graders wrote",
		Long:  "Prepare the answer trial and take in what readers and graders wrote: packets, import, grading, grades, in this order.",
		Example: `  build answers packets r02
  build answers import r02 --reader a answers-a.jsonl
  build answers grading r02
  build answers grades r02 --grader a grades-a.jsonl`,
	}
	answers.AddCommand(
		writing(&cobra.Command{
			Use:   "packets STUDY",
			Short: "Draw the allocation under the lock and write the readers' packets",
			Long: "Each final task goes to both readers, with the first documents of one method each; the allocation is kept from " +
				"them. Needs a lock.",
			Example: "  build answers packets r02 --output /tmp/answers",
		}, func(c *cobra.Command, args []string) error {
			return ReaderPackets(dir, args[0], output, c.OutOrStdout())
		}),
		importing(&cobra.Command{
			Use:   "import STUDY FILE",
			Short: "Check a reader's answers and put them into the kit",
			Long: `Every task needs one answer. The labels in cited must be those that stand literally in the answer, and must have been
supplied. Whether obligations are counted from 0 or from 1 is recognised from the file and said. The file is taken in
unchanged.`,
			Example: "  build answers import r02 --reader a answers.jsonl",
		}, "reader", "the reader's name in the protocol", func(c *cobra.Command, args []string) error {
			return ImportAnswers(dir, args[0], who, args[1], c.OutOrStdout())
		}),
		writing(&cobra.Command{
			Use:   "grading STUDY",
			Short: "Write the graders' packets from the readers' answers",
			Long: "Each grader sees all answers under opaque codes, in an order of its own; method and reader are withheld. Needs " +
				"both readers' answers.",
			Example: "  build answers grading r02 --output /tmp/grading",
		}, func(c *cobra.Command, args []string) error {
			return GraderPackets(dir, args[0], output, c.OutOrStdout())
		}),
		importing(&cobra.Command{
			Use:   "grades STUDY FILE",
			Short: "Check a grader's grades and put them into the kit",
			Long: "Every answer needs one grade: 0, 1 or 2 for each obligation, for role and conditions, and for evidence, and two " +
				"flags. What is wrong is listed. The file is taken in unchanged.",
			Example: "  build answers grades r02 --grader a grades.jsonl",
		}, "grader", "the grader's name in the protocol", func(c *cobra.Command, args []string) error {
			return ImportGrades(dir, args[0], who, args[1], c.OutOrStdout())
		}),
	)
	return []*cobra.Command{pool, judging, answers}
}

// open loads a study that has a pool and a trial.
func open(dir, id string) (*study.Study, *graded.Spec, error) {
	s, err := design.Load(os.DirFS(dir), id)
	if err != nil {
		return nil, nil, err
	}
	if graded.From(s) == nil {
		return nil, nil, fmt.Errorf("%s has no pool and no answer trial: its protocol has another design", id)
	}
	return s, graded.Of(s.Protocol), nil
}

// A file is to be written: its place in the kit, and its content.
type file struct {
	place string
	data  []byte
}

// lines writes one JSON value a line.
func lines[T any](place string, values []T) (file, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return file{}, err
		}
	}
	return file{place, b.Bytes()}, nil
}

// write writes files to a new folder, or to their places in the kit.
func write(dir, id, output string, files []file, out io.Writer) error {
	if output != "" {
		if err := os.MkdirAll(filepath.Dir(filepath.Clean(output)), 0o755); err != nil {
			return err
		}
		if err := os.Mkdir(output, 0o755); err != nil {
			return fmt.Errorf("%w: name a folder that does not exist yet", err)
		}
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.place))
		if output != "" {
			name = filepath.Join(output, path.Base(f.place))
		}
		if err := create(name, f.data); err != nil {
			return err
		}
		fmt.Fprintf(out, "wrote %s\n", name)
	}
	if output != "" {
		return nil
	}
	return author.WriteManifest(dir, id, author.Listing{}, out)
}

// create writes a file that must not exist yet.
func create(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is never overwritten: move it away if it is not what you want", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Pool writes the pool's key and packets.
func Pool(dir, id, output string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	pool, err := graded.From(s).MakePool(nil)
	if err != nil {
		return err
	}
	key, err := lines(g.Pool.Key, pool.Key)
	if err != nil {
		return err
	}
	files := []file{key}
	for i, a := range g.Pool.Assessors {
		packet, err := lines(a.Packet, pool.Packets[i])
		if err != nil {
			return err
		}
		files = append(files, packet)
	}
	fmt.Fprintf(out, "%d pairs for %d tasks\n", len(pool.Key), len(s.Questions))
	return write(dir, id, output, files, out)
}

// ReaderPackets writes the allocation and the readers' packets.
func ReaderPackets(dir, id, output string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	packets, err := graded.From(s).MakeTrial()
	if err != nil {
		return err
	}
	allocation, err := json.MarshalIndent(packets.Allocation, "", "  ")
	if err != nil {
		return err
	}
	files := []file{{g.Trial.Allocation, append(allocation, '\n')}}
	for i, r := range g.Trial.Readers {
		packet, err := lines(r.Packet, packets.Readers[i])
		if err != nil {
			return err
		}
		files = append(files, packet)
	}
	return write(dir, id, output, files, out)
}

// GraderPackets writes the graders' packets.
func GraderPackets(dir, id, output string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	packets, err := graded.From(s).MakeGrading()
	if err != nil {
		return err
	}
	var files []file
	for i, r := range g.Trial.Graders {
		packet, err := lines(r.Packet, packets[i])
		if err != nil {
			return err
		}
		files = append(files, packet)
	}
	return write(dir, id, output, files, out)
}

// take reads a file that is to be taken in, checks it, and puts it unchanged at its place in the kit.
func take(dir, id, place, name string, out io.Writer, check func(data []byte) error) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxImport {
		return fmt.Errorf("%s: a plain file of at most %d bytes is needed", name, maxImport)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := check(data); err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(place))
	if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, data) {
		fmt.Fprintf(out, "%s holds the same already\n", target)
		return nil
	}
	if err := create(target, data); err != nil {
		return err
	}
	fmt.Fprintf(out, "took in %s as %s\n", name, target)
	return author.WriteManifest(dir, id, author.Listing{}, out)
}

// unknown says that a name is none of the protocol's.
func unknown(what, name string, names []string) error {
	return fmt.Errorf("unknown %s %q: the protocol names %s", what, name, strings.Join(names, ", "))
}

// ImportJudgements checks an assessor's judgements and puts them into the kit.
func ImportJudgements(dir, id, assessor, name string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Pool.Assessors, func(a graded.Assessor) bool { return a.Name == assessor })
	if i < 0 {
		return unknown("assessor", assessor, names(g.Pool.Assessors, func(a graded.Assessor) string { return a.Name }))
	}
	err = take(dir, id, g.Pool.Assessors[i].Judgements, name, out,
		func(data []byte) error { return graded.From(s).CheckJudgements(name, data) })
	if err != nil {
		return err
	}
	if s, _, err = open(dir, id); err != nil {
		return err
	}
	if a, ok := graded.From(s).Agreement(); ok {
		fmt.Fprintf(out, "both assessors: %d pairs, the same grade for %.4f of them, ", a.Pairs, a.Exact)
		if a.Kappa != nil {
			fmt.Fprintf(out, "quadratic κ %.4f, ", *a.Kappa)
		}
		fmt.Fprintf(out, "%d disagreements\n", a.Disagreements)
		for _, d := range a.List {
			fmt.Fprintf(out, "  task %s concept %s: %d and %d\n", d.Task, d.Concept, d.A, d.B)
		}
	}
	return nil
}

// ImportAnswers checks a reader's answers and puts them into the kit.
func ImportAnswers(dir, id, reader, name string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Trial.Readers, func(a graded.Answerer) bool { return a.Name == reader })
	if i < 0 {
		return unknown("reader", reader, names(g.Trial.Readers, func(a graded.Answerer) string { return a.Name }))
	}
	return take(dir, id, g.Trial.Readers[i].Answers, name, out, func(data []byte) error {
		rebase, err := graded.From(s).CheckAnswers(i, name, data)
		if err == nil {
			fmt.Fprintln(out, rebase)
		}
		return err
	})
}

// ImportGrades checks a grader's grades and puts them into the kit.
func ImportGrades(dir, id, grader, name string, out io.Writer) error {
	s, g, err := open(dir, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.Trial.Graders, func(a graded.Grader) bool { return a.Name == grader })
	if i < 0 {
		return unknown("grader", grader, names(g.Trial.Graders, func(a graded.Grader) string { return a.Name }))
	}
	return take(dir, id, g.Trial.Graders[i].Grades, name, out, func(data []byte) error { return graded.From(s).CheckGrades(name, data) })
}

func names[T any](list []T, name func(T) string) []string {
	var out []string
	for _, x := range list {
		out = append(out, name(x))
	}
	return out
}
