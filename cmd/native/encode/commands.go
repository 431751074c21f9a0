package encode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"retrace/cmd/native/encode/pinned"
	"retrace/cmd/native/encode/texts"
	"retrace/cmd/native/encode/vectors"
	"retrace/core/dense"
	"retrace/internal/terminal"
)

// Commands returns encode, merge and tokenize, for the program to add to its own.
func Commands() []*cobra.Command {
	return []*cobra.Command{encodeCommand(), mergeCommand(), tokenizeCommand()}
}

// Flags adds the flags that choose model and runtime to a command; the options are filled when it is parsed.
func Flags(c *cobra.Command) *Options {
	o := &Options{}
	modelFlags(c, o)
	f := c.Flags()
	f.StringVar(&o.Engine, "engine", "",
		"onnx (ONNX Runtime) or core (this program's own, the same bits on every machine); by itself onnx, or core where that is "+
			"not to be had")
	f.StringVar(&o.Runtime, "runtime", "", "ONNX Runtime's shared library `FILE` (default: what make model fetched)")
	f.IntVar(&o.Threads, "threads", 0, "batches that run side by side, one thread each; 0 is one for each core")
	f.IntVar(&o.Dimension, "dimension", pinned.Dimension, "of the model's vectors")
	return o
}

func modelFlags(c *cobra.Command, o *Options) {
	f := c.Flags()
	f.StringVar(&o.Model, "model", "",
		"`DIR` with tokenizer.json and model.onnx, or model.safetensors and its configuration (default: what make model fetched)")
	f.BoolVar(&o.AllowOther, "allow-other-model", false, "use files whose hashes are not the pinned ones; every output names them")
}

// interruptible ends the context at Ctrl-C or when asked to terminate.
func interruptible(c *cobra.Command) (context.Context, context.CancelFunc) {
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

func encodeCommand() *cobra.Command {
	var out, shard string
	fields := texts.Default
	c := &cobra.Command{
		Use:   "encode FILE --out VECTORS",
		Short: "Make embeddings of the texts of a JSON-lines file",
		Long: `Make embeddings of the texts of a JSON-lines file in BEIR's layout (corpus.jsonl, queries.jsonl).

The model runs in ONNX Runtime, whose vectors differ from machine to machine in their last bits, or with --engine core in
this program itself, whose vectors are the same everywhere. Where ONNX Runtime is not to be had core is used, and said.

VECTORS gets a vector for each record, in their order: 384 float32 values, little-endian, of length 1. Beside it stands
a sidecar of the same name with the ending .json: what the vectors are, what they were made with, which texts were cut
off at 256 word pieces.

A run that is stopped leaves VECTORS.part; the same command goes on from there. VECTORS itself appears only when it is
whole. Nothing that is there is overwritten.

To spread a large file over machines, run the command there with --shard 1/N … N/N, then put them together with merge.

Exit codes: 0 when the vectors are there, 2 on an error or when stopped.`,
		Example: `  native encode corpus.jsonl --out vectors.f32
  native encode queries.jsonl --out queries.f32 --threads 2
  native encode corpus.jsonl --out vectors.f32 --engine core
  native encode tasks.jsonl --id id --text need --out tasks.f32
  native encode corpus.jsonl --shard 3/8 --out part-3.f32
  native encode corpus.jsonl --out v.f32 --model DIR --runtime FILE --allow-other-model`,
		Args: cobra.ExactArgs(1),
	}
	o := Flags(c)
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "`VECTORS` file to write; its sidecar goes beside it")
	f.StringVar(&shard, "shard", "", "encode only part `I/N` of the texts")
	f.StringVar(&fields.ID, "id", fields.ID, "field with a record's ID")
	f.StringSliceVar(&fields.Text, "text", fields.Text, "fields with its text, joined by single spaces; one may be named twice")
	c.MarkFlagRequired("out")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, stop := interruptible(c)
		defer stop()
		return runEncode(ctx, job{file: args[0], out: out, shard: shard, fields: fields, options: *o}, c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

// A job is what one call of encode is asked to do.
type job struct {
	file, out, shard string
	fields           texts.Fields
	options          Options
	kept             func() // nil, or called after each batch that is kept
}

func runEncode(ctx context.Context, j job, stdout, stderr io.Writer) error {
	file, err := os.ReadFile(j.file)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	set, err := texts.Parse(j.file, file, j.fields)
	if err != nil {
		return err
	}
	first, last := 0, len(set.Texts)
	if j.shard != "" {
		shard, err := vectors.ParseShard(j.shard)
		if err != nil {
			return err
		}
		first, last = shard.Range(len(set.Texts))
	}
	e, err := OpenEncoder(j.options)
	if err != nil {
		return err
	}
	defer e.Close()
	if e.Info.Instead != "" {
		fmt.Fprintf(stderr, "encode: with this program's own engine, because ONNX Runtime is not to be had: %s\n", e.Info.Instead)
	}
	ids, truncated, err := e.tokenize(set.Texts[first:last])
	if err != nil {
		return err
	}
	sidecar := e.Sidecar()
	sidecar.Count, sidecar.Input, sidecar.Shard = last-first, &set.Input, j.shard
	pieces := 0
	for i, cut := range truncated {
		pieces += len(ids[i])
		if cut {
			sidecar.Truncated = append(sidecar.Truncated, set.IDs[first+i])
		}
	}
	batches := plan(lengths(ids), batchPieces)
	w, err := vectors.Begin(ctx, j.out, sidecar, batches)
	switch {
	case errors.Is(err, vectors.ErrComplete):
		fmt.Fprintf(stdout, "%s: already there, %d vectors of the same texts, model and settings\n", j.out, sidecar.Count)
		return nil
	case err != nil:
		return err
	}
	todo := w.Todo()
	kept := sidecar.Count - count(batches, todo)
	if kept > 0 {
		fmt.Fprintf(stderr, "going on with %s.part: %d of %d texts are done\n", j.out, kept, sidecar.Count)
	}
	p := newProgress(stderr, kept, sidecar.Count, piecesOf(batches, todo, ids))
	err = e.run(ctx, ids, batches, todo, func(b int, rows [][]float32) error {
		if err := w.Put(b, rows); err != nil {
			return err
		}
		p.add(len(rows), piecesOf(batches, []int{b}, ids))
		if j.kept != nil {
			j.kept()
		}
		return nil
	})
	p.end()
	if err != nil {
		w.Close()
		if ctx.Err() != nil {
			return fmt.Errorf("encode: stopped with %d of %d texts done: the same command goes on from %s.part: %w", p.done,
				sidecar.Count, j.out, ctx.Err())
		}
		return err
	}
	done, err := w.Finish()
	if err != nil {
		return err
	}
	report(stdout, j.out, done, e.Info)
	fmt.Fprintf(stdout, "%d word pieces; %d texts made in %.1f s, %.0f texts a second, %d threads\n", pieces, done.Count-kept,
		p.elapsed().Seconds(), p.rate(), e.threads)
	return nil
}

// report says what a finished vector file is.
func report(w io.Writer, path string, s dense.Sidecar, info fmt.Stringer) {
	fmt.Fprintf(w, "%s: %d vectors of dimension %d, sha256 %s\n", path, s.Count, s.Dimension, s.SHA256)
	fmt.Fprintf(w, "made with %s\n", info)
	fmt.Fprintf(w, "cut off at %d word pieces: %d texts", s.MaxWordPieces, len(s.Truncated))
	if len(s.Truncated) > 0 {
		fmt.Fprintf(w, ": %s", strings.Join(s.Truncated, " "))
	}
	fmt.Fprintln(w)
}

func count(batches [][]int, some []int) int {
	n := 0
	for _, b := range some {
		n += len(batches[b])
	}
	return n
}

func piecesOf(batches [][]int, some []int, ids [][]int32) int {
	n := 0
	for _, b := range some {
		for _, row := range batches[b] {
			n += len(ids[row])
		}
	}
	return n
}

// progress shows on a terminal how far the work is; the time left goes by word pieces, which cost about the same each.
type progress struct {
	out               io.Writer // nil where it is no terminal
	start, shown      time.Time
	kept, done, total int // texts; those of earlier runs are kept
	pieces, allPieces int // word pieces of this run
}

func newProgress(w io.Writer, kept, total, pieces int) *progress {
	p := &progress{start: time.Now(), kept: kept, done: kept, total: total, allPieces: pieces}
	if terminal.Is(w) {
		p.out = w
	}
	return p
}

func (p *progress) elapsed() time.Duration { return time.Since(p.start) }

// rate is this run's texts a second.
func (p *progress) rate() float64 {
	return float64(p.done-p.kept) / max(p.elapsed().Seconds(), 1e-9)
}

func (p *progress) add(texts, pieces int) {
	p.done += texts
	p.pieces += pieces
	if p.out == nil || time.Since(p.shown) < 200*time.Millisecond {
		return
	}
	p.shown = time.Now()
	left := time.Duration(float64(p.elapsed()) * float64(p.allPieces-p.pieces) / float64(max(p.pieces, 1)))
	fmt.Fprintf(p.out, "\r\x1b[K%d of %d texts, %.0f a second, %s left", p.done, p.total, p.rate(), left.Round(time.Second))
}

// end clears the line.
func (p *progress) end() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func mergeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge SHARD... --out VECTORS",
		Short: "Put the vector files of encode --shard together",
		Long: `Put the vector files of encode --shard together.

The files may be named in any order. Each must be whole, all must come from the same texts, model, runtime and settings,
and every shard must be there; the result then has the same order as the texts.

Exit codes: 0 when the vectors are there, 2 on an error.`,
		Example: `  native merge part-*.f32 --out vectors.f32`,
		Args:    cobra.MinimumNArgs(1),
	}
	c.Flags().StringVarP(&out, "out", "o", "", "`VECTORS` file to write; its sidecar goes beside it")
	c.MarkFlagRequired("out")
	c.RunE = func(c *cobra.Command, args []string) error {
		s, err := vectors.Merge(out, args)
		if err != nil {
			return err
		}
		report(c.OutOrStdout(), out, s, madeWith(s))
		return nil
	}
	return c
}

// madeWith is what a sidecar says of model and runtime.
func madeWith(s dense.Sidecar) Info {
	if s.Runtime == coreRuntime {
		return Info{Engine: Core, Model: s.Model, WeightsSHA256: weightsOf(s.Model), NotPinned: s.NotPinned}
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(s.Runtime, "onnxruntime "), ",")
	return Info{Engine: ONNX, Model: s.Model, RuntimeVersion: version, RuntimeSHA256: s.RuntimeSHA256, NotPinned: s.NotPinned}
}

// weightsOf is the hash of the weights of a model that core ran.
func weightsOf(m dense.Model) string {
	if m.ONNXSHA256 == pinned.ONNXSHA256 {
		return pinned.WeightsSHA256
	}
	return m.ONNXSHA256
}

func tokenizeCommand() *cobra.Command {
	o := &Options{Runtime: "not needed"}
	var pieces bool
	var limit int
	c := &cobra.Command{
		Use:   "tokenize",
		Short: "Show the model's token ids of texts",
		Long: `Show the model's token ids of texts, the same as tokenizers 0.23.3 gives.

Standard input has one JSON string a line, standard output gets one JSON array of ids a line, with [CLS] and [SEP] and
cut off at --limit word pieces. ONNX Runtime is not needed.

Exit codes: 0, or 2 on an error; lines before it have been answered.`,
		Example: `  echo '"Schr\u00f6dinger'"'"'s cat"' | native tokenize
  echo '"Schr\u00f6dinger'"'"'s cat"' | native tokenize --pieces
  jq .text corpus.jsonl | native tokenize --limit 0`,
		Args: cobra.NoArgs,
	}
	modelFlags(c, o)
	c.Flags().BoolVar(&pieces, "pieces", false, "show the word pieces, not their ids")
	c.Flags().IntVar(&limit, "limit", MaxWordPieces, "most word pieces of a text, with [CLS] and [SEP]; 0 is no limit")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return runTokenize(*o, pieces, limit, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

// maxLine bounds a line of tokenize's input.
const maxLine = 64 << 20

func runTokenize(o Options, pieces bool, limit int, stdin io.Reader, stdout, stderr io.Writer) error {
	if limit < 0 {
		return fmt.Errorf("tokenize: --limit %d: give 0 for no limit, or a number of word pieces", limit)
	}
	if err := o.fill(); err != nil {
		return err
	}
	t, sum, err := openTokenizer(o)
	if err != nil {
		return err
	}
	if sum != pinned.TokenizerSHA256 {
		fmt.Fprintf(stderr, "tokenizer %s: not the pinned one\n", sum)
	}
	lines := bufio.NewScanner(stdin)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	out := bufio.NewWriter(stdout)
	n := 0
	for lines.Scan() {
		n++
		text, what := texts.String(lines.Bytes())
		if what != "" {
			return fmt.Errorf("tokenize: line %d: %s: give one JSON string a line", n, what)
		}
		encoded, _, err := t.Encode(text, limit)
		if err != nil {
			return fmt.Errorf("tokenize: line %d: %w", n, err)
		}
		ids, names := make([]int, len(encoded)), make([]string, len(encoded))
		for i, p := range encoded {
			ids[i], names[i] = p.ID, p.Text
		}
		var line any = ids
		if pieces {
			line = names
		}
		answer := json.NewEncoder(out)
		answer.SetEscapeHTML(false)
		if err := errors.Join(answer.Encode(line), out.Flush()); err != nil { // a program may wait for each answer
			return fmt.Errorf("tokenize: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("tokenize: line %d: %w", n+1, err)
	}
	return nil
}
