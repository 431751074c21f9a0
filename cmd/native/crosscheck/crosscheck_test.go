package crosscheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retrace/cmd/native/crosscheck"
	"retrace/cmd/native/crosscheck/tinykit"
	"retrace/cmd/native/encode"
	"retrace/cmd/native/encode/pinned"
	"retrace/cmd/native/hosts"
	"retrace/core/certificate"
	"retrace/core/dense"
	"retrace/core/kit"
	"retrace/core/study"
)

const smallTokenizer = "../../../core/encoder/wordpiece/testdata/small.json"

func tinyKit(t testing.TB, o tinykit.Options) kit.Memory {
	t.Helper()
	m, err := tinykit.Kit(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// byHand encodes with tinykit.Vector.
func byHand(context.Context) (*crosscheck.Encoder, error) {
	return &crosscheck.Encoder{
		Info: encode.Info{Model: dense.Model{Name: "hand"}},
		Sidecar: dense.Sidecar{Dimension: 4, DType: dense.DType, Model: dense.Model{Name: "hand", ONNXSHA256: strings.Repeat("0", 64),
			TokenizerSHA256: strings.Repeat("0", 64)}},
		Encode: func(_ context.Context, texts []string) ([][]float32, []bool, error) {
			var rows [][]float32
			for _, text := range texts {
				rows = append(rows, tinykit.Vector(text))
			}
			return rows, make([]bool, len(texts)), nil
		},
		Close: func() error { return nil },
	}, nil
}

// An altered host is the native engine with its replies to requests of one kind changed.
type altered struct {
	hosts.Host
	kind, old, new string
}

func (a altered) Handle(ctx context.Context, request []byte) ([]byte, error) {
	reply, err := a.Host.Handle(ctx, request)
	var head struct{ Kind string }
	json.Unmarshal(request, &head)
	if head.Kind == a.kind {
		reply = bytes.ReplaceAll(reply, []byte(a.old), []byte(a.new))
	}
	return reply, err
}

func host(name string, h hosts.Host) crosscheck.Host {
	return crosscheck.Host{Name: name, Start: func(context.Context) (hosts.Host, error) { return h, nil }}
}

func run(t *testing.T, j crosscheck.Job) *certificate.Certificate {
	t.Helper()
	j.Study = tinykit.ID
	c, err := crosscheck.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := certificate.Parse(data); err != nil {
		t.Errorf("the certificate can't be read again: %v\n%s", err, data)
	}
	return c
}

func TestAllAgree(t *testing.T) {
	m := tinyKit(t, tinykit.Options{Frozen: func(*[]string) {}})
	c := run(t, crosscheck.Job{Kit: m, Date: "2026-12-01", Hosts: []crosscheck.Host{host("node", hosts.NewNative())},
		Wasm: strings.Repeat("1", 64), Encoder: byHand})
	if p := c.Problems(); len(p) > 0 {
		t.Errorf("problems %q", p)
	}
	if len(c.Platforms) != 2 || c.Platforms[0].Results != kit.Hash(m["tiny/frozen/results.json"]) ||
		c.Platforms[1].Results != c.Platforms[0].Results {
		t.Errorf("platforms %+v", c.Platforms)
	}
	e := c.Encoding
	if e.Documents.Texts != 4 || e.Documents.Identical != 4 || e.Documents.Min != 1 || e.Questions.Texts != 2 || e.Declared {
		t.Errorf("encoding %+v", e)
	}
	// Each question is its target's text, so that the target's cosine is 1 and its rank 1.
	if i := slices.Index(e.Metrics.List, certificate.MetricChange{Path: "methods.dense.mrr10", Bundled: "1", Fresh: "1"}); i < 0 {
		t.Errorf("metrics %+v", e.Metrics)
	}
	if e.Ranks.Rankings != 2 || e.Ranks.Targets != 2 || e.Ranks.Changed != 0 || e.Ranks.Places != 0 {
		t.Errorf("ranks %+v", e.Ranks)
	}
}

// TestSwappedVectors bundles the vectors of all documents in the other order: 4 3 2 1.
func TestSwappedVectors(t *testing.T) {
	m := tinyKit(t, tinykit.Options{Documents: func(rows [][]float32) { slices.Reverse(rows) }})
	c := run(t, crosscheck.Job{Kit: m, Encoder: byHand})
	e := c.Encoding
	// By hand: lengths are 3, 3, 3 and √7; (1)·(4) = (2·1 + 1·1 + 2·2 + 0·1)/(3√7) = 7/(3√7) = √7/3 = 0.8819, and
	// (2)·(3) = (0 + 0 + 2·2 + 1·2)/9 = 2/3.
	if math.Abs(e.Documents.Min-2.0/3) > 1e-7 || math.Abs(e.Documents.Mean-(2.0/3+math.Sqrt(7)/3)/2) > 1e-7 {
		t.Errorf("documents %+v", e.Documents)
	}
	if e.Documents.Below != 4 || len(e.Documents.Lowest) != 4 || e.Documents.Lowest[0].ID != "2" || e.Documents.Lowest[3].ID != "4" {
		t.Errorf("lowest %+v", e.Documents.Lowest)
	}
	// A target never has its own vector, and another document has it: no target keeps rank 1.
	if e.Ranks.Changed != 2 || len(e.Ranks.List) != 2 || e.Ranks.List[0].Fresh != 1 || e.Ranks.List[0].Bundled < 2 {
		t.Errorf("ranks %+v", e.Ranks)
	}
	if len(c.Problems()) != 3 {
		t.Errorf("problems %q, want cosine, ranks and a metric", c.Problems())
	}
}

// turned gives the first document's vector (2, 1, 2, 0)/3 some of a dimension that it lacks: the cosine to the old one is
// 1/√(1 + x²).
func turned(x float64) func(rows [][]float32) {
	return func(rows [][]float32) {
		length := math.Sqrt(1 + x*x)
		for i, v := range []float64{2.0 / 3, 1.0 / 3, 2.0 / 3, x} {
			rows[0][i] = float32(v / length)
		}
	}
}

func TestPerturbedVector(t *testing.T) {
	// 1/√(1 + 0.02²) = 0.99980006: below the default budget, within a declared one.
	for _, c := range []struct {
		budgets  *study.Budgets
		problems int
	}{{nil, 1}, {&study.Budgets{MinCosine: 0.9997}, 0}, {&study.Budgets{MinCosine: 0.9999}, 1}} {
		got := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{Documents: turned(0.02), Budgets: c.budgets}), Encoder: byHand})
		e := got.Encoding
		if math.Abs(e.Documents.Min-0.99980006) > 1e-7 || e.Documents.Below != 1 || e.Documents.Lowest[0].ID != "1" ||
			e.Documents.Identical != 3 {
			t.Errorf("documents %+v", e.Documents)
		}
		if len(got.Problems()) != c.problems || e.Declared != (c.budgets != nil) {
			t.Errorf("budgets %+v: problems %q", c.budgets, got.Problems())
		}
	}
}

func TestOtherTextsCutOff(t *testing.T) {
	cutting := func(ctx context.Context) (*crosscheck.Encoder, error) {
		e, err := byHand(ctx)
		inner := e.Encode
		e.Encode = func(ctx context.Context, texts []string) ([][]float32, []bool, error) {
			rows, cut, err := inner(ctx, texts)
			cut[0] = true
			return rows, cut, err
		}
		return e, err
	}
	c := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{}), Encoder: cutting})
	if p := c.Problems(); len(p) != 2 || !strings.Contains(p[0], "documents: other texts were cut off") {
		t.Errorf("problems %q", p)
	}
}

// TestOtherResults has an engine that sees the dense method's targets in second place.
func TestOtherResults(t *testing.T) {
	m := tinyKit(t, tinykit.Options{})
	c := run(t, crosscheck.Job{Kit: m,
		Hosts: []crosscheck.Host{host("node", altered{hosts.NewNative(), "unit", `"method":"dense","question":"F1-q","rank":1`,
			`"method":"dense","question":"F1-q","rank":2`}),
			host("chromium", altered{hosts.NewNative(), "unit", `"method":"dense","question":"F2-q","rank":1`,
				`"method":"dense","question":"F2-q","rank":2`})}})
	// One of the two families is the test's: there hits at 1 fall from 1 to 0, which stands before mrr10.
	want := certificate.Difference{File: "tiny/frozen/results.json", Path: "methods.dense.hits1", Other: "1", Here: "0"}
	found := 0
	for _, p := range c.Platforms[1:] {
		if p.Difference == nil {
			continue
		}
		found++
		want.Total = p.Difference.Total
		if *p.Difference != want || want.Total < 4 {
			t.Errorf("%s: %+v, want %+v and the same of kind q, with mrr10", p.Name, *p.Difference, want)
		}
	}
	if p := c.Problems(); found != 1 || len(p) != 1 || !strings.Contains(p[0], "at methods.dense.hits1") {
		t.Errorf("%d platforms differ: %q", found, p)
	}
}

// TestOtherObservations has an engine whose results agree, but not the scores behind them.
func TestOtherObservations(t *testing.T) {
	m := tinyKit(t, tinykit.Options{})
	c := run(t, crosscheck.Job{Kit: m,
		Hosts: []crosscheck.Host{host("node", altered{hosts.NewNative(), "unit", `"score":1}`, `"score":1.5}`}),
			host("chromium", altered{altered{hosts.NewNative(), "unit", `"score":1}`, `"score":1.5}`}, "outcomeFile", `"result"`,
				`"error":{"message":"old"},"result"`})}})
	d := c.Platforms[1].Difference
	if d == nil || d.File != "tiny/frozen/observations-vectors.jsonl" && d.File != "tiny/frozen/observations.jsonl" ||
		!strings.Contains(d.Path, "best.0.score") || d.Here != "1.5" {
		t.Errorf("difference %+v", d)
	}
	// An engine that refuses to hand over its files is known by its hashes.
	if d := c.Platforms[2].Difference; d == nil || d.Path != "" || d.Here == d.Other || len(d.Here) != 64 {
		t.Errorf("difference %+v", d)
	}
}

func TestDiffersFromFrozen(t *testing.T) {
	m := tinyKit(t, tinykit.Options{Frozen: func(lines *[]string) {
		(*lines)[0] = strings.Replace((*lines)[0], `"eligible":4`, `"eligible":5`, 1)
	}})
	c := run(t, crosscheck.Job{Kit: m, Hosts: []crosscheck.Host{host("node", hosts.NewNative())}})
	want := certificate.Difference{File: "tiny/frozen/results.json", Path: "sample.bands.0.eligible", Other: "5", Here: "4", Total: 1}
	if d := c.Platforms[0].Difference; d == nil || *d != want {
		t.Errorf("difference %+v, want %+v", d, want)
	}
	if c.Platforms[1].Difference != nil || len(c.Problems()) != 1 {
		t.Errorf("problems %q", c.Problems())
	}
}

// TestTwoEncoders: the project's own encoder is compared with the bundled vectors and with the other encoder's.
// 1/√(1 + x²) is 0.99980006 for x = 0.02 and 1 − 1.25e-7 for 0.0005: below and above what two runtimes may differ by.
func TestTwoEncoders(t *testing.T) {
	for _, c := range []struct {
		x        float64
		least    float64
		problems int
	}{{0.0005, 1 - 1.25e-7, 0}, {0.02, 0.99980006, 2}} {
		own := func(ctx context.Context) (*crosscheck.Encoder, error) {
			e, err := byHand(ctx)
			plain := e.Encode
			e.Info.Engine = encode.Core
			e.Encode = func(ctx context.Context, texts []string) ([][]float32, []bool, error) {
				rows, cut, err := plain(ctx, texts)
				if len(rows) > 0 && rows[0][0] == float32(2.0/3) && rows[0][1] == float32(1.0/3) {
					turned(c.x)(rows[:1])
				}
				return rows, cut, err
			}
			return e, err
		}
		got := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{}), Encoder: byHand, Core: own})
		if got.Core == nil || got.Core.Runtimes == nil || got.Encoding.Runtimes != nil {
			t.Fatalf("%+v", got.Core)
		}
		if min := min(got.Core.Runtimes.Documents.Min, got.Core.Runtimes.Questions.Min); math.Abs(min-c.least) > 1e-8 ||
			len(got.Problems()) != c.problems {
			t.Errorf("least cosine %v, problems %q", min, got.Problems())
		}
		// Where the project's own encoder is the only one, it is not asked twice.
		if got := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{}), Encoder: own, Core: own}); got.Core != nil {
			t.Error("the same encoder twice")
		}
	}
}

func TestMissingIsNamed(t *testing.T) {
	missing := crosscheck.Host{Name: "node", Start: func(context.Context) (hosts.Host, error) {
		return nil, fmt.Errorf("node: %w: install it", hosts.ErrMissing)
	}}
	c := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{}), Hosts: []crosscheck.Host{missing},
		Encoder: func(context.Context) (*crosscheck.Encoder, error) {
			return nil, fmt.Errorf("%w: run make model", encode.ErrMissing)
		}})
	if len(c.Skipped) != 2 || c.Skipped[0].Name != "node" || !strings.Contains(c.Skipped[0].Why, "install it") ||
		c.Skipped[1].Name != "encode" || c.Encoding != nil {
		t.Errorf("skipped %+v", c.Skipped)
	}
}

func TestErrors(t *testing.T) {
	m := tinyKit(t, tinykit.Options{})
	ctx, stop := context.WithCancel(t.Context())
	for _, c := range []struct {
		name string
		job  crosscheck.Job
		want string
	}{
		{"a host fails", crosscheck.Job{Kit: m,
			Hosts: []crosscheck.Host{host("node", altered{hosts.NewNative(), "unit", `"observations"`, `"old"`})}}, "node"},
		{"a host doesn't start", crosscheck.Job{Kit: m,
			Hosts: []crosscheck.Host{{Name: "node", Start: func(context.Context) (hosts.Host, error) {
				return nil, errors.New("broken")
			}}}}, "broken"},
		{"dimension", crosscheck.Job{Kit: m, Encoder: func(ctx context.Context) (*crosscheck.Encoder, error) {
			e, err := byHand(ctx)
			e.Sidecar.Dimension = 5
			return e, err
		}}, "dimension 5"},
		{"stopped", crosscheck.Job{Kit: m, Encoder: func(ctx context.Context) (*crosscheck.Encoder, error) {
			stop()
			return nil, ctx.Err()
		}}, "canceled"},
	} {
		c.job.Study = tinykit.ID
		if _, err := crosscheck.Run(ctx, c.job); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestThroughRuntime makes the tiny model's vectors with ONNX Runtime and compares them with those worked out by hand.
func TestThroughRuntime(t *testing.T) {
	dir, err := pinned.Dir()
	if err != nil {
		t.Skip(err)
	}
	library := pinned.RuntimeFile(dir)
	if _, err := os.Stat(library); err != nil {
		t.Skip("ONNX Runtime is not there: run make model: ", err)
	}
	folder := filepath.Join(t.TempDir(), "model")
	model, err := tinykit.Model(folder, smallTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context) (*crosscheck.Encoder, error) {
		e, err := encode.OpenEncoder(encode.Options{Model: folder, Runtime: library, AllowOther: true, Dimension: 4, Threads: 1})
		if err != nil {
			return nil, err
		}
		return &crosscheck.Encoder{Info: e.Info, Sidecar: e.Sidecar(), Encode: e.Encode, Close: e.Close}, nil
	}
	c := run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{Model: model}), Encoder: open})
	e := c.Encoding
	if e == nil {
		t.Skipf("not run: %+v", c.Skipped) // a program without cgo
	}
	if p := c.Problems(); len(p) > 0 || e.Documents.Min < 1-1e-7 || e.Model != model ||
		!slices.Equal(e.NotPinned, []string{"model", "tokenizer"}) {
		t.Errorf("problems %q, encoding %+v", p, e)
	}
	c = run(t, crosscheck.Job{Kit: tinyKit(t, tinykit.Options{Model: model, Documents: turned(0.02)}), Encoder: open})
	if p := c.Problems(); len(p) != 1 || !strings.Contains(p[0], "documents: the least cosine is 0.999800") {
		t.Errorf("problems %q", p)
	}
}
