package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"retrace/core/study"
	"retrace/internal/terminal"
)

func replayCommand() *cobra.Command {
	var dir, output, given string
	var asJSON, asHash, without bool
	c := &cobra.Command{
		Use:   "replay STUDY",
		Short: "Compute every number of a study again and compare it with the frozen ones",
		Long: `Runs the study's protocol on its data, prints the tables, the SHA-256 of the results (canonical JSON, RFC 8785) and
whether they are identical to the frozen ones; if not, every path that differs with both values.

Of a study that withholds files, which belong to others and can't be handed on, the report says how to get them and what can be
said without them; with them (--collection) it is replayed as any other.

Exit codes: 0 identical, or nothing is frozen yet (the report says so), 1 different, 2 something went wrong, or files are missing.`,
		Example: `  native replay r01
  native replay r01 --without-vectors
  native replay r01 --json | jq .contrasts.primary
  native replay study.zip
  native replay mystudy --kit kits --collection corpus.tar.gz
  native replay r01 --output results/`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := loadGiven(dir, args[0], given)
			if missing := (*withheldError)(nil); errors.As(err, &missing) && !asJSON && !asHash && output == "" {
				return missing.report(c.OutOrStdout())
			}
			if err != nil {
				return err
			}
			if output != "" {
				if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("--output %s exists: name a new folder, nothing is overwritten", output)
				}
				if info, err := os.Stat(filepath.Dir(filepath.Clean(output))); err != nil || !info.IsDir() {
					return fmt.Errorf("--output %s: there is no folder %s to make it in", output, filepath.Dir(filepath.Clean(output)))
				}
			}
			show := newProgress(c.ErrOrStderr())
			r, err := s.RunAll(study.Options{WithoutVectors: without}, show.step)
			show.clear()
			if err != nil {
				return err
			}
			o, err := r.Outcome()
			if err != nil {
				return err
			}
			if output != "" {
				if err := writeFolder(output, o.Files); err != nil {
					return err
				}
			}
			return report(c.OutOrStdout(), s, o, asJSON, asHash)
		},
	}
	kitFlag(c, &dir)
	c.Flags().StringVar(&given, "collection", "", "a `FILE` that the study withholds, or a folder that holds such files; hashes are checked")
	c.Flags().BoolVar(&asJSON, "json", false, "print the canonical JSON of the results and nothing else")
	c.Flags().BoolVar(&asHash, "hash", false, "print the results' SHA-256 and nothing else")
	c.Flags().BoolVar(&without, "without-vectors", false, "leave out methods that need embeddings")
	c.Flags().StringVar(&output, "output", "", "write results and observations to a new `FOLDER`")
	c.MarkFlagsMutuallyExclusive("json", "hash")
	return c
}

// writeFolder writes a replay's files into a new folder, in one step.
func writeFolder(dir string, files []study.OutcomeFile) error {
	part, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(part, path.Base(f.Path)), f.Data, 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// report prints what a replay gave; errDiffers where it is not what was frozen.
func report(w io.Writer, s *study.Study, o *study.Outcome, asJSON, asHash bool) error {
	var differences []study.Difference
	total, frozen := 0, false
	for _, f := range o.Files {
		if !s.Kit.Has(f.Path) {
			continue
		}
		frozen = true
		held, err := s.Kit.Read(f.Path) // the file, not its hash in the manifest: it may have been changed since
		if err != nil {
			return err
		}
		list, n, err := study.CompareFiles(f.Path, held, f.Data)
		if err != nil {
			return err
		}
		differences, total = append(differences, list...), total+n
	}
	var end error
	if total > 0 {
		end = errDiffers
	}
	switch {
	case asJSON:
		_, err := w.Write(append(o.Results, '\n'))
		return errors.Join(err, end)
	case asHash:
		fmt.Fprintln(w, o.SHA256)
		return end
	}
	printTables(w, s, o.Results)
	fmt.Fprintf(w, "\nresults  %s\n", o.SHA256)
	switch {
	case !frozen:
		fmt.Fprintln(w, "nothing is frozen yet: `build freeze` does that")
	case total == 0:
		fmt.Fprintln(w, "identical to frozen")
	default:
		fmt.Fprintf(w, "differs from frozen at %d paths:\n", total)
		for _, d := range differences {
			fmt.Fprintf(w, "  %s\n    frozen  %s\n    here    %s\n", visible(orRoot(d.Path)), visible(orNothing(d.Frozen)),
				visible(orNothing(d.Here)))
		}
		if more := total - len(differences); more > 0 {
			fmt.Fprintf(w, "  … and %d more\n", more)
		}
	}
	return end
}

func orRoot(path string) string {
	if path == "" {
		return "(everything)"
	}
	return path
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return text
}

// progress draws one line on a terminal for what takes longer than a second; nothing where the output is piped.
type progress struct {
	w     io.Writer
	start time.Time
	drawn bool
}

func newProgress(w io.Writer) *progress {
	if !terminal.Is(w) {
		return &progress{}
	}
	return &progress{w: w, start: time.Now()}
}

func (p *progress) step(stage string, done, total int) {
	if p.w == nil || time.Since(p.start) < time.Second {
		return
	}
	p.drawn = true
	fmt.Fprintf(p.w, "\r\x1b[K%s  %d/%d", stage, done, total)
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
