package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"retrace/cmd/native/crosscheck"
	"retrace/cmd/native/encode"
	"retrace/cmd/native/hosts"
	"retrace/core/certificate"
	"retrace/core/dense"
	"retrace/core/kit"
	"retrace/core/show"
)

// crosscheckFlags are what a reader can say about a cross-check.
type crosscheckFlags struct {
	kit, node, chromium, wasm, date, file string
	skip                                  []string
	json                                  bool
	model                                 *encode.Options
	modelNamed                            func() bool // the model or its runtime was named, so it must be there
}

func crosscheckCommand() *cobra.Command {
	var o crosscheckFlags
	c := &cobra.Command{
		Use:   "crosscheck STUDY",
		Short: "Compute a study here, in Node and in Chromium, and with fresh embeddings, and compare",
		Long: `Replays a study from the same files natively, in Node and in Chromium, each that is there, and compares the SHA-256 of
results and observations; where they differ, the first differing path with both values. The native results are compared
with the frozen ones too.

With the model (make model, or --model and --runtime), documents and questions are encoded again. Fresh vectors differ
from the bundled ones in their last bits, so they are compared within budgets: least cosine, share of target ranks that
change, largest change of a metric. They are the protocol's ("budgets" in study.json), else the default ones: cosine
0.9999, 0.01 of the ranks, 0.005. Both encoders do so, ONNX Runtime and this program's own, and their vectors are compared
with each other; --engine names one alone.

--certificate writes what was found as JSON; a page of the study loads it and compares it with what it computed.

Exit codes: 0 all agree, 1 something differs beyond its budget, 2 something went wrong or nothing could be compared.`,
		Example: `  native crosscheck r01
  native crosscheck r01 --skip chromium,encode
  native crosscheck r01 --certificate r01.certificate.json --date 2026-12-01
  native crosscheck study.zip --node /opt/node/bin/node --json
  native crosscheck r01 --model DIR --runtime FILE --allow-other-model`,
		Args: cobra.ExactArgs(1),
	}
	o.model = encode.Flags(c)
	kitFlag(c, &o.kit)
	f := c.Flags()
	f.StringVar(&o.node, "node", "", "Node.js, version 20 or newer, at `FILE` (default: the one that is found as node)")
	f.StringVar(&o.chromium, "chromium", "",
		"Chromium or a browser made from it, at `FILE` (default: $CHROMIUM, else one that is installed)")
	f.StringVar(&o.wasm, "wasm", "", "WebAssembly engine `FILE` (default: the one in dist/, else built from the project)")
	f.StringVar(&o.date, "date", "", "date that the certificate bears, such as 2026-12-01; none by itself")
	f.StringVar(&o.file, "certificate", "", "write the certificate to a new `FILE`")
	f.StringSliceVar(&o.skip, "skip", nil, "leave out parts: node, chromium, encode")
	f.BoolVar(&o.json, "json", false, "print the certificate and nothing else")
	o.modelNamed = func() bool { return f.Changed("model") || f.Changed("runtime") }
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.check(); err != nil {
			return err
		}
		return o.run(c, args[0])
	}
	return c
}

// check refuses flags that can't be followed, before anything takes time.
func (o *crosscheckFlags) check() error {
	for _, s := range o.skip {
		if s != certificate.Node && s != certificate.Chromium && s != "encode" {
			return fmt.Errorf("--skip %s: the parts are node, chromium and encode", s)
		}
	}
	if what := certificate.CheckDate(o.date); what != "" {
		return fmt.Errorf("--date: %s", what)
	}
	if o.file == "" {
		return nil
	}
	if _, err := os.Lstat(o.file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--certificate %s exists: name a new file, nothing is overwritten", o.file)
	}
	if info, err := os.Stat(filepath.Dir(o.file)); err != nil || !info.IsDir() {
		return fmt.Errorf("--certificate %s: there is no folder %s", o.file, filepath.Dir(o.file))
	}
	return nil
}

func (o *crosscheckFlags) run(c *cobra.Command, arg string) error {
	fsys, id, err := open(o.kit, arg)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	draw := newProgress(c.ErrOrStderr())
	defer draw.clear()
	j := crosscheck.Job{Kit: fsys, Study: id, Date: o.date, Progress: draw.step}
	for _, name := range o.skip {
		omit(&j, name, "--skip")
	}
	if err := o.addHosts(ctx, &j); err != nil {
		return err
	}
	if !slices.Contains(o.skip, "encode") {
		j.Encoder = o.encoder
		if o.model.Engine == "" {
			j.Core = o.core
		}
	}
	found, err := crosscheck.Run(ctx, j)
	draw.clear()
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("crosscheck: stopped, nothing was written")
		}
		return err
	}
	return finish(c.OutOrStdout(), found, o.file, o.json)
}

func omit(j *crosscheck.Job, name, why string) {
	j.Skipped = append(j.Skipped, certificate.Skipped{Name: name, Why: why})
}

// hostKind is a kind of host that can run the engine: where it was said to be, how it is found and started.
type hostKind struct {
	name, path string
	find       func(string) (string, error)
	start      func(context.Context, string, hosts.Engine) (hosts.Host, error)
}

// addHosts adds those of Node and Chromium that are wanted and there. What was named by a flag must be there.
func (o *crosscheckFlags) addHosts(ctx context.Context, j *crosscheck.Job) error {
	wanted := slices.DeleteFunc([]hostKind{
		{certificate.Node, o.node, hosts.FindNode, hosts.StartNode},
		{certificate.Chromium, o.chromium, hosts.FindChromium, hosts.StartChromium},
	}, func(h hostKind) bool { return slices.Contains(o.skip, h.name) })
	if len(wanted) == 0 {
		return nil
	}
	j.Progress("WebAssembly engine", 0, 1)
	engine, err := hosts.FindEngine(ctx, o.wasm)
	if o.wasm == "" && errors.Is(err, hosts.ErrMissing) {
		for _, h := range wanted {
			omit(j, h.name, err.Error())
		}
		return nil
	}
	if err != nil {
		return err
	}
	j.Wasm = kit.Hash(engine.Wasm)
	for _, h := range wanted {
		path, err := h.find(h.path)
		switch {
		case h.path == "" && errors.Is(err, hosts.ErrMissing):
			omit(j, h.name, err.Error())
		case err != nil:
			return err
		default:
			start := func(ctx context.Context) (hosts.Host, error) { return h.start(ctx, path, engine) }
			j.Hosts = append(j.Hosts, crosscheck.Host{Name: h.name, Start: start})
		}
	}
	return nil
}

// encoder opens the model. A model that is not there is no fault unless it was named.
func (o *crosscheckFlags) encoder(context.Context) (*crosscheck.Encoder, error) {
	e, err := encode.OpenEncoder(*o.model)
	if err != nil {
		if o.modelNamed() {
			err = errors.New(err.Error())
		}
		return nil, err
	}
	return &crosscheck.Encoder{Info: e.Info, Sidecar: e.Sidecar(), Encode: e.Encode, Close: e.Close}, nil
}

// core opens the model in this program's own encoder.
func (o *crosscheckFlags) core(context.Context) (*crosscheck.Encoder, error) {
	own := *o.model
	own.Engine = encode.Core
	e, err := encode.OpenEncoder(own)
	if err != nil {
		return nil, err
	}
	return &crosscheck.Encoder{Info: e.Info, Sidecar: e.Sidecar(), Encode: e.Encode, Close: e.Close}, nil
}

// finish writes and prints what a cross-check found.
func finish(w io.Writer, c *certificate.Certificate, file string, asJSON bool) error {
	data, err := c.Bytes()
	if err != nil {
		return err
	}
	if file != "" {
		if err := writeNew(file, data); err != nil {
			return err
		}
	}
	if asJSON {
		if _, err := w.Write(data); err != nil {
			return err
		}
	} else {
		printCertificate(w, c)
		if file != "" {
			fmt.Fprintf(w, "certificate  %s\n", file)
		}
	}
	switch {
	case len(c.Problems()) > 0:
		return errDiffers
	case alone(c):
		return errors.New("crosscheck: there was nothing to compare with: " + reasons(c))
	}
	return nil
}

// alone reports whether nothing was compared but the native results with the frozen ones.
func alone(c *certificate.Certificate) bool { return len(c.Platforms) == 1 && c.Encoding == nil }

func reasons(c *certificate.Certificate) string {
	var list []string
	for _, s := range c.Skipped {
		list = append(list, s.Name+": "+s.Why)
	}
	return strings.Join(list, "; ")
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// printCertificate prints a certificate for people.
func printCertificate(w io.Writer, c *certificate.Certificate) {
	m := c.Machine
	fmt.Fprintf(w, "%s  version %s\nkit      %s\n", c.Study, c.Version, c.Kit.SHA256)
	fmt.Fprintf(w, "machine  %s/%s, %s, %d cores\n", m.OS, m.Arch, m.Processor, m.Cores)
	if c.Engine.Wasm != "" {
		fmt.Fprintf(w, "wasm     %s\n", c.Engine.Wasm)
	}
	t := table{title: "Platforms", head: []string{"platform", "runtime", "results", "files", ""}}
	for i, p := range c.Platforms {
		state := "same"
		if p.Difference != nil {
			state = "differs"
		}
		if i == 0 {
			state += " (frozen)"
		}
		t.rows = append(t.rows, []string{p.Name, p.Runtime, p.Results[:16] + "…", fmt.Sprint(len(p.Files)), state})
	}
	t.print(w)
	for i, p := range c.Platforms {
		if d := p.Difference; d != nil {
			other := certificate.Native
			if i == 0 {
				other = "frozen"
			}
			fmt.Fprintf(w, "\n%s differs from %s in %s, %d in all; the first: %s\n", p.Name, other, d.File, d.Total, orRoot(d.Path))
			fmt.Fprintf(w, "    %-8s  %s\n    %-8s  %s\n", other, orNothing(d.Other), p.Name, orNothing(d.Here))
		}
	}
	if c.Encoding != nil {
		printEncoding(w, c.Encoding)
	}
	if c.Core != nil {
		printEncoding(w, c.Core)
		r := c.Core.Runtimes
		fmt.Fprintf(w, "\nbeside ONNX Runtime's vectors made here: cosine at least %s for documents, %s for questions\n",
			certificate.CosineText(r.Documents.Min), certificate.CosineText(r.Questions.Min))
	}
	fmt.Fprintln(w)
	for _, s := range c.Skipped {
		fmt.Fprintf(w, "not run  %s: %s\n", s.Name, s.Why)
	}
	problems := c.Problems()
	switch {
	case len(problems) > 0:
	case alone(c):
		fmt.Fprintln(w, "identical to frozen here; nothing else was run")
	default:
		fmt.Fprintln(w, "all agree")
	}
	for _, p := range problems {
		fmt.Fprintf(w, "differs  %s\n", p)
	}
}

func printEncoding(w io.Writer, e *certificate.Encoding) {
	count := func(n int) string { return show.Count(int64(n)) }
	named := func(m dense.Model) string {
		return fmt.Sprintf("%s (onnx %.12s, tokenizer %.12s)", m.Name, m.ONNXSHA256, m.TokenizerSHA256)
	}
	fmt.Fprintf(w, "\nFresh embeddings\n  made with  %s, %s", named(e.Model), e.Runtime)
	if e.RuntimeSHA256 != "" {
		fmt.Fprintf(w, " (%.12s)", e.RuntimeSHA256)
	}
	fmt.Fprintln(w)
	if len(e.NotPinned) > 0 {
		fmt.Fprintf(w, "  not the pinned %s\n", strings.Join(e.NotPinned, ", "))
	}
	if e.Model != e.Bundled {
		fmt.Fprintf(w, "  the bundled ones were made with %s\n", named(e.Bundled))
	}
	from := "default budgets, the protocol declares none"
	if e.Declared {
		from = "budgets of the protocol"
	}
	b := e.Budgets
	fmt.Fprintf(w, "  %s: cosine at least %v, ranks changed at most %v, metrics by at most %v\n",
		from, b.MinCosine, b.RanksChanged, b.MetricChange)
	t := table{title: "Cosine to the bundled vectors", head: []string{"texts", "", "min", "mean", "same to the bit", "below 0.9999"}}
	for _, part := range []struct {
		name string
		c    certificate.Cosines
	}{{"documents", e.Documents}, {"questions", e.Questions}} {
		low, mean := certificate.CosineText(part.c.Min), certificate.CosineText(part.c.Mean)
		t.rows = append(t.rows, []string{part.name, count(part.c.Texts), low, mean, count(part.c.Identical), count(part.c.Below)})
	}
	t.print(w)
	for _, low := range append(slices.Clone(e.Documents.Lowest), e.Questions.Lowest...) {
		fmt.Fprintf(w, "  %s  %s\n", visible(low.ID), certificate.CosineText(low.Cosine))
	}
	r := e.Ranks
	fmt.Fprintf(w, "\n%s rankings by %d methods: %s of %s target ranks changed; ",
		count(r.Rankings), len(r.Methods), count(r.Changed), count(r.Targets))
	fmt.Fprintf(w, "in %s the first documents are others or in another order\n", count(r.Places))
	for _, x := range r.List {
		fmt.Fprintf(w, "  %s  %s  %d → %d\n", visible(x.Question), x.Method, x.Bundled, x.Fresh)
	}
	m := e.Metrics
	if m.Failed != "" {
		fmt.Fprintf(w, "the replay with fresh embeddings gives no results: %s\n", visible(m.Failed))
		return
	}
	fmt.Fprintf(w, "%s of %s numbers of the results changed, the largest metric by %.6f\n", count(m.Changed), count(m.Compared), m.Largest)
	t = table{title: "Metrics of methods that need embeddings, and what changed", head: []string{"path", "bundled", "fresh"}}
	for _, x := range m.List {
		t.rows = append(t.rows, []string{x.Path, orNothing(x.Bundled), orNothing(x.Fresh)})
	}
	t.print(w)
}
