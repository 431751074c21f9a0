package certificate_test

import (
	"strings"
	"testing"

	"retrace/core/certificate"
	"retrace/core/dense"
	"retrace/core/kit"
	"retrace/core/study"
)

const (
	hashA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	hashC = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
)

// good is a certificate in which everything agrees.
func good() *certificate.Certificate {
	files := []kit.File{{Path: "s/frozen/results.json", Bytes: 2, SHA256: hashA}}
	return &certificate.Certificate{
		Format: certificate.Format, Study: "s", Version: "1", Date: "2026-12-01",
		Kit:    certificate.Kit{SHA256: hashC, Manifests: []kit.File{}, Seals: []certificate.Seal{{Stage: "protocol", SHA256: hashB}}},
		Engine: certificate.Engine{Version: "v1", Go: "go1.26", Wasm: hashB},
		Platforms: []certificate.Platform{
			{Name: "native", Runtime: "go1.26", Results: hashA, Files: files},
			{Name: "node", Runtime: "Node.js 20", Results: hashA, Files: files},
		},
		Skipped: []certificate.Skipped{{Name: "chromium", Why: "not found"}},
		Encoding: &certificate.Encoding{
			Model: dense.Model{Name: "m", ONNXSHA256: hashA, TokenizerSHA256: hashB}, Bundled: dense.Model{Name: "m", ONNXSHA256: hashA, TokenizerSHA256: hashB}, NotPinned: []string{},
			Documents: certificate.Cosines{Texts: 3, Min: 0.99995, Mean: 1, SameCut: true, Lowest: []certificate.Cosine{}},
			Questions: certificate.Cosines{Texts: 2, Min: 1, Mean: 1, SameCut: true, Lowest: []certificate.Cosine{}},
			Budgets:   study.Budgets{MinCosine: 0.9999, RanksChanged: 0.01, MetricChange: 0.005},
			Ranks:     certificate.Ranks{Rankings: 200, Targets: 200, Changed: 2}, // 2 of 200 are 0.01, which is allowed
			Metrics:   certificate.Metrics{Compared: 9, Changed: 1, Largest: 0.005},
		},
	}
}

func here() certificate.Here {
	return certificate.Here{Study: "s", Version: "1", Replay: true, Kit: good().Kit, Files: []kit.File{{Path: "s/frozen/results.json", SHA256: hashA}}, Model: &dense.Model{ONNXSHA256: hashA}}
}

func TestRoundTrip(t *testing.T) {
	data, err := good().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Bytes()
	if err != nil || string(again) != string(data) {
		t.Errorf("%s\nread and written again: %s, %v", data, again, err)
	}
	if p := c.Problems(); len(p) > 0 {
		t.Errorf("problems %q", p)
	}
}

// TestProblems changes one thing at a time; what is just inside a budget in good is just outside here.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*certificate.Certificate)
		want   string
	}{
		{"frozen", func(c *certificate.Certificate) {
			c.Platforms[0].Difference = &certificate.Difference{File: "s/frozen/results.json", Path: "a.b"}
		}, "native differs from the frozen s/frozen/results.json at a.b"},
		{"host", func(c *certificate.Certificate) {
			c.Platforms[1].Difference = &certificate.Difference{File: "f", Path: "x"}
		}, "node differs from native in f at x"},
		{"hash without a stated difference", func(c *certificate.Certificate) { c.Platforms[1].Results = hashB }, "node gives other hashes than native"},
		{"file", func(c *certificate.Certificate) { c.Platforms[1].Files = nil }, "node gives other hashes than native"},
		{"cosine", func(c *certificate.Certificate) { c.Encoding.Documents.Min = 0.99989 }, "documents: the least cosine is 0.999890, the budget is 0.9999"},
		{"cut", func(c *certificate.Certificate) { c.Encoding.Questions.SameCut = false }, "questions: other texts were cut off"},
		{"ranks", func(c *certificate.Certificate) { c.Encoding.Ranks.Changed = 3 }, "3 of 200 target ranks changed"},
		{"metric", func(c *certificate.Certificate) { c.Encoding.Metrics.Largest = 0.0050001 }, "a metric changed by 0.005000, the budget is 0.005"},
		{"no results", func(c *certificate.Certificate) { c.Encoding.Metrics.Failed = "pool" }, "no results with fresh embeddings: pool"},
	} {
		x := good()
		c.change(x)
		p := x.Problems()
		if len(p) != 1 || !strings.HasPrefix(p[0], c.want) {
			t.Errorf("%s: problems %q, want %q", c.name, p, c.want)
		}
		if _, state, _ := certificate.Compare(x, here()); state != certificate.Differs {
			t.Errorf("%s: state %s", c.name, state)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*certificate.Here)
		state  string
		row    certificate.Comparison
	}{
		{"same", func(*certificate.Here) {}, certificate.Same, certificate.Comparison{Group: "results", Label: "node: s/frozen/results.json", Certificate: hashA, Here: hashA, State: certificate.Same}},
		{"other results", func(h *certificate.Here) { h.Files[0].SHA256 = hashB }, certificate.Differs, certificate.Comparison{Group: "results", Label: "native: s/frozen/results.json", Certificate: hashA, Here: hashB, State: certificate.Differs}},
		{"nothing computed", func(h *certificate.Here) { h.Files = nil }, certificate.Open, certificate.Comparison{Group: "results", Label: "native: s/frozen/results.json", Certificate: hashA, State: certificate.Open}},
		{"other kit", func(h *certificate.Here) { h.Kit.SHA256 = hashA }, certificate.Differs, certificate.Comparison{Group: "kit", Label: "kit", Certificate: hashC, Here: hashA, State: certificate.Differs}},
		{"other seal", func(h *certificate.Here) { h.Kit.Seals = []certificate.Seal{{Stage: "protocol", SHA256: hashA}} }, certificate.Differs, certificate.Comparison{Group: "kit", Label: "seal: protocol", Certificate: hashB, Here: hashA, State: certificate.Differs}},
		{"other study", func(h *certificate.Here) { h.Study = "t" }, certificate.Differs, certificate.Comparison{Group: "kit", Label: "study", Certificate: "s", Here: "t", State: certificate.Differs}},
		{"other model", func(h *certificate.Here) { h.Model.ONNXSHA256 = hashB }, certificate.Differs, certificate.Comparison{Group: "embeddings", Label: "bundled model", Certificate: hashA, Here: hashB, State: certificate.Differs}},
		{"vectors not loaded", func(h *certificate.Here) { h.Model = nil }, certificate.Same, certificate.Comparison{Group: "embeddings", Label: "bundled model", Certificate: hashA, State: certificate.Open}},
	} {
		h := here()
		c.change(&h)
		rows, state, sentence := certificate.Compare(good(), h)
		if state != c.state || sentence == "" {
			t.Errorf("%s: state %s (%s), want %s", c.name, state, sentence, c.state)
		}
		found := false
		for _, r := range rows {
			found = found || r == c.row
		}
		if !found {
			t.Errorf("%s: no row %+v in %+v", c.name, c.row, rows)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	whole, err := good().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"other format", certificate.Format, "retrace-certificate/2", "this version reads"},
		{"short hash", hashC, "cc", "64 lower-case hexadecimal digits"},
		{"upper case", hashC, strings.ToUpper(hashC), "64 lower-case hexadecimal digits"},
		{"unknown field", `"cores"`, `"kernels"`, "unknown field"},
		{"date", "2026-12-01", "1 December", "not a date"},
		{"month", "2026-12-01", "2026-13-01", "not a date"},
		{"budget", `"minCosine":0.9999`, `"minCosine":0`, "budgets.minCosine"},
		{"order", `"name":"native"`, `"name":"deno"`, "native comes first"},
		{"text after it", `"version":"1"}`, `"version":"1"} {}`, "text after"},
	} {
		text := strings.Replace(string(whole), c.old, c.new, 1)
		if text == string(whole) {
			t.Fatalf("%s: %q is not in %s", c.name, c.old, whole)
		}
		if _, err := certificate.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := certificate.Parse(make([]byte, certificate.MaxSize+1)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too long: %v", err)
	}
}

// TestPlain has an escape sequence, a right-to-left override and a plain accent.
func TestPlain(t *testing.T) {
	if got, want := certificate.Plain("a\x1b[2J\u202eé\n"), "a\ufffd[2J\ufffdé\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	x := good()
	x.Skipped[0].Why = "\x1b]0;title\a"
	rows, _, _ := certificate.Compare(x, here())
	for _, r := range rows {
		if strings.ContainsAny(r.Label+r.Certificate+r.Here, "\x1b\a") {
			t.Errorf("row %+v holds control characters", r)
		}
	}
}

func TestCosineText(t *testing.T) {
	for x, want := range map[float64]string{1: "1", 0.99995: "1 − 5.0e-05", 0.5: "0.500000", 0.9998: "0.999800", -1: "-1.000000"} {
		if got := certificate.CosineText(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, err := good().Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := certificate.Parse(data)
		if err != nil {
			return
		}
		certificate.Compare(c, here()) // must not panic
		if _, err := c.Bytes(); err != nil {
			t.Fatal(err)
		}
	})
}
