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
	"retrace/core/kit"
	"retrace/core/show"
)

func crosscheckCommand() *cobra.Command {
	var dir, node, chromium, wasm, date, file string
	var skip []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "crosscheck STUDY",
		Short: "Compute a study here, in Node and in Chromium, and with fresh embeddings, and compare",
		Long: `Replays a study from the same files natively, in Node and in Chromium, each that is there, and compares the SHA-256 of
results and observations; where they differ, the first differing path with both values. The native results are compared
with the frozen ones too.

With the model (make model, or --model and --runtime), documents and questions are encoded again. Fresh vectors differ
from the bundled ones in their last bits, so they are compared within budgets: least cosine, share of target ranks that
change, largest change of a metric. They are the protocol's ("budgets" in study.json), else the default ones: cosine
0.9999, 0.01 of the ranks, 0.005.

--certificate writes what was found as JSON; a page of the study loads it and compares it with what it computed.

Exit codes: 0 all agree, 1 something differs beyond its budget, 2 something went wrong or nothing could be compared.`,
		Example: `  native crosscheck r01
  native crosscheck r01 --skip chromium,encode
  native crosscheck r01 --certificate r01.certificate.json --date 2026-12-01
  native crosscheck study.zip --node /opt/node/bin/node --json
  native crosscheck r01 --model DIR --runtime FILE --allow-other-model`,
		Args: cobra.ExactArgs(1),
	}
	model := encode.Flags(c)
	kitFlag(c, &dir)
	f := c.Flags()
	f.StringVar(&node, "node", "", "Node.js, version 20 or newer, at `FILE` (default: the one that is found as node)")
	f.StringVar(&chromium, "chromium", "", "Chromium or a browser made from it, at `FILE` (default: $CHROMIUM, else one that is installed)")
	f.StringVar(&wasm, "wasm", "", "WebAssembly engine `FILE` (default: the one in dist/, else built from the project)")
	f.StringVar(&date, "date", "", "date that the certificate bears, such as 2026-12-01; none by itself")
	f.StringVar(&file, "certificate", "", "write the certificate to a new `FILE`")
	f.StringSliceVar(&skip, "skip", nil, "leave out parts: node, chromium, encode")
	f.BoolVar(&asJSON, "json", false, "print the certificate and nothing else")
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, s := range skip {
			if s != certificate.Node && s != certificate.Chromium && s != "encode" {
				return fmt.Errorf("--skip %s: the parts are node, chromium and encode", s)
			}
		}
		if what := certificate.CheckDate(date); what != "" {
			return fmt.Errorf("--date: %s", what)
		}
		if file != "" {
			if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("--certificate %s exists: name a new file, nothing is overwritten", file)
			}
			if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
				return fmt.Errorf("--certificate %s: there is no folder %s", file, filepath.Dir(file))
			}
		}
		fsys, id, err := open(dir, args[0])
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		draw := newProgress(c.ErrOrStderr())
		defer draw.clear()
		j := crosscheck.Job{Kit: fsys, Study: id, Date: date, Progress: draw.step}
		skipped := func(name string) bool { return slices.Contains(skip, name) }
		omit := func(name, why string) {
			j.Skipped = append(j.Skipped, certificate.Skipped{Name: name, Why: why})
		}
		for _, name := range skip {
			omit(name, "--skip")
		}
		if !skipped(certificate.Node) || !skipped(certificate.Chromium) {
			j.Progress("WebAssembly engine", 0, 1)
			engine, err := hosts.FindEngine(ctx, wasm)
			switch {
			case wasm == "" && errors.Is(err, hosts.ErrMissing):
				for _, name := range []string{certificate.Node, certificate.Chromium} {
					if !skipped(name) {
						omit(name, err.Error())
					}
				}
				skip = append(skip, certificate.Node, certificate.Chromium)
			case err != nil:
				return err
			}
			j.Wasm = kit.Hash(engine.Wasm)
			for _, h := range []struct {
				name, path string
				find       func(string) (string, error)
				start      func(context.Context, string, hosts.Engine) (hosts.Host, error)
			}{{certificate.Node, node, hosts.FindNode, hosts.StartNode}, {certificate.Chromium, chromium, hosts.FindChromium, hosts.StartChromium}} {
				if skipped(h.name) {
					continue
				}
				path, err := h.find(h.path)
				switch {
				case h.path == "" && errors.Is(err, hosts.ErrMissing):
					omit(h.name, err.Error())
				case err != nil:
					return err
				default:
					j.Hosts = append(j.Hosts, crosscheck.Host{Name: h.name, Start: func(ctx context.Context) (hosts.Host, error) { return h.start(ctx, path, engine) }})
				}
			}
		}
		if !skipped("encode") {
			j.Encoder = func(context.Context) (*crosscheck.Encoder, error) {
				e, err := encode.OpenEncoder(*model)
				if err != nil {
					if f.Changed("model") || f.Changed("runtime") {
						err = errors.New(err.Error()) // what was named must be there
					}
					return nil, err
				}
				return &crosscheck.Encoder{Info: e.Info, Sidecar: e.Sidecar(), Encode: e.Encode, Close: e.Close}, nil
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
		return finish(c.OutOrStdout(), found, file, asJSON)
	}
	return c
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
	fmt.Fprintf(w, "%s  version %s\nkit      %s\nmachine  %s/%s, %s, %d cores\n", c.Study, c.Version, c.Kit.SHA256, c.Machine.OS, c.Machine.Arch, c.Machine.Processor, c.Machine.Cores)
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
			fmt.Fprintf(w, "\n%s differs from %s in %s, %d in all; the first: %s\n    %-8s  %s\n    %-8s  %s\n", p.Name, other, d.File, d.Total, orRoot(d.Path), other, orNothing(d.Other), p.Name, orNothing(d.Here))
		}
	}
	if c.Encoding != nil {
		printEncoding(w, c.Encoding)
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
	fmt.Fprintf(w, "\nFresh embeddings\n  made with  %s (onnx %.12s, tokenizer %.12s), %s (%.12s)\n", e.Model.Name, e.Model.ONNXSHA256, e.Model.TokenizerSHA256, e.Runtime, e.RuntimeSHA256)
	if len(e.NotPinned) > 0 {
		fmt.Fprintf(w, "  not the pinned %s\n", strings.Join(e.NotPinned, ", "))
	}
	if e.Model != e.Bundled {
		fmt.Fprintf(w, "  the bundled ones were made with %s (onnx %.12s, tokenizer %.12s)\n", e.Bundled.Name, e.Bundled.ONNXSHA256, e.Bundled.TokenizerSHA256)
	}
	from := "default budgets, the protocol declares none"
	if e.Declared {
		from = "budgets of the protocol"
	}
	fmt.Fprintf(w, "  %s: cosine at least %v, ranks changed at most %v, metrics by at most %v\n", from, e.Budgets.MinCosine, e.Budgets.RanksChanged, e.Budgets.MetricChange)
	t := table{title: "Cosine to the bundled vectors", head: []string{"texts", "", "min", "mean", "same to the bit", "below 0.9999"}}
	for _, part := range []struct {
		name string
		c    certificate.Cosines
	}{{"documents", e.Documents}, {"questions", e.Questions}} {
		t.rows = append(t.rows, []string{part.name, count(part.c.Texts), certificate.CosineText(part.c.Min), certificate.CosineText(part.c.Mean), count(part.c.Identical), count(part.c.Below)})
	}
	t.print(w)
	for _, low := range append(slices.Clone(e.Documents.Lowest), e.Questions.Lowest...) {
		fmt.Fprintf(w, "  %s  %s\n", visible(low.ID), certificate.CosineText(low.Cosine))
	}
	r := e.Ranks
	fmt.Fprintf(w, "\n%s rankings by %d methods: %s of %s target ranks changed; in %s the first documents are others or in another order\n", count(r.Rankings), len(r.Methods), count(r.Changed), count(r.Targets), count(r.Places))
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
