package knownitem

import (
	"encoding/json"
	"testing"

	"retrace/core/study"
	"retrace/core/verdict"
)

func known() *study.Protocol {
	return &study.Protocol{
		Methods: []study.MethodSpec{{Name: "bm25", Role: "baseline", Label: "BM25"}, {Name: "graph", Role: "graph", Label: "Graph", Adds: "The links"}, {Name: "dense", Role: "dense", Label: "Dense"}},
		Spec:    &Spec{Cutoff: 10, Contrasts: []Contrast{{Name: "primary", Method: "graph", Against: "$baseline"}}},
	}
}

func TestSentenceFollowsFromTheNumbers(t *testing.T) {
	contrast := func(d, low, high float64, up, down int) ContrastResult {
		return ContrastResult{Method: "graph", Against: "bm25", Difference: d, CI95: [2]float64{low, high}, PExact: 0.5, Families: 80, Up: up, Down: down, Tied: 80 - up - down}
	}
	few := func(n int, d, low, high float64) ContrastResult {
		c := contrast(d, low, high, n, 0)
		c.Families, c.Tied = n, 0
		return c
	}
	for _, test := range []struct {
		name     string
		contrast ContrastResult
		graph    float64
		rewired  []float64
		want     string
	}{
		{"null", contrast(0.0009, -0.0073, 0.0085, 10, 4), 0.3221, []float64{0.3223, 0.3187},
			"The links changed little: +0.0009 MRR@10 (95\u202f% interval −0.0073 to +0.0085, exact p\u00a0=\u00a00.5000), and rewired links did as well (0.3187 to 0.3223 against 0.3221)."},
		{"helped", contrast(0.05, 0.01, 0.09, 30, 10), 0.37, []float64{0.32},
			"The links helped: +0.0500 MRR@10 (95\u202f% interval +0.0100 to +0.0900, exact p\u00a0=\u00a00.5000), and rewired links did less well (0.3200 against 0.3700)."},
		{"helped, but any links would have", contrast(0.05, 0.01, 0.09, 30, 10), 0.37, []float64{0.38, 0.36},
			"The links helped: +0.0500 MRR@10 (95\u202f% interval +0.0100 to +0.0900, exact p\u00a0=\u00a00.5000), but rewired links did as well (0.3600 to 0.3800 against 0.3700)."},
		{"hurt, no controls", contrast(-0.05, -0.09, -0.01, 10, 30), 0.27, nil,
			"The links hurt: −0.0500 MRR@10 (95\u202f% interval −0.0900 to −0.0100, exact p\u00a0=\u00a00.5000)."},
		{"too wide to say", contrast(0.01, -0.05, 0.07, 20, 18), 0.33, nil,
			"The links may have helped or hurt; this study can’t tell: +0.0100 MRR@10 (95\u202f% interval −0.0500 to +0.0700, exact p\u00a0=\u00a00.5000)."},
		// Three families can all move one way by chance in 2 of 8 sign patterns: no p is below 1/4.
		{"three families", few(3, 0.01, -0.1, 0.1), 0.33, nil,
			"The links may have helped or hurt: too few families to tell: +0.0100 MRR@10 (95\u202f% interval −0.1000 to +0.1000, exact p\u00a0=\u00a00.5000; 3 families can give no p below 0.2500)."},
		{"five that agree", few(5, 0.1, 0.05, 0.2), 0.33, nil,
			"The links may have helped or hurt: too few families to tell: +0.1000 MRR@10 (95\u202f% interval +0.0500 to +0.2000, exact p\u00a0=\u00a00.5000; 5 families can give no p below 0.0625)."},
		{"one family", few(1, 0.1, 0.1, 0.1), 0.33, nil,
			"The links may have helped or hurt: too few families to tell: +0.1000 MRR@10 (95\u202f% interval +0.1000 to +0.1000, exact p\u00a0=\u00a00.5000; one family can give no p below 1.0000)."},
		{"rewired the same", contrast(0.05, 0.01, 0.09, 30, 10), 0.37, []float64{0.37, 0.37},
			"The links helped: +0.0500 MRR@10 (95\u202f% interval +0.0100 to +0.0900, exact p\u00a0=\u00a00.5000), but rewired links gave exactly the same (0.3700 against 0.3700)."},
		{"nothing moved", contrast(0, 0, 0, 0, 0), 0.32, nil,
			"The links changed nothing: 0.0000 MRR@10 (95\u202f% interval 0.0000 to 0.0000, exact p\u00a0=\u00a00.5000)."},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Results{Methods: map[string]MethodResult{"graph": {Scores: Scores{Cutoff: 10, MRR: test.graph}}}, Contrasts: map[string]ContrastResult{"primary": test.contrast}}
			for i, mrr := range test.rewired {
				name := string(rune('a' + i))
				r.Rewired = append(r.Rewired, RewiredResult{Name: name})
				r.Methods[name] = MethodResult{Scores: Scores{Cutoff: 10, MRR: mrr}}
			}
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := verdictOf(known(), data)
			if err != nil {
				t.Fatal(err)
			}
			if got := verdict.Text(parts); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestNumbersCarryTheirPaths(t *testing.T) {
	parts, err := verdictOf(known(), []byte(`{"contrasts":{"primary":{"method":"graph","against":"bm25","difference":0.5,"ci95":[0.25,0.75],"pExact":0.125,"up":1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range parts {
		if p.Path != "" {
			paths = append(paths, p.Path+"="+p.Text)
		}
	}
	want := []string{"contrasts.primary.difference=+0.5000", "contrasts.primary.ci95.0=+0.2500", "contrasts.primary.ci95.1=+0.7500", "contrasts.primary.pExact=0.1250"}
	if len(paths) != len(want) {
		t.Fatalf("got %q, want %q", paths, want)
	}
	for i := range want {
		if paths[i] != want[i] {
			t.Errorf("got %q, want %q", paths[i], want[i])
		}
	}
}

func TestResultsWithoutThePrimaryContrastAreAnError(t *testing.T) {
	if _, err := verdictOf(known(), []byte(`{"contrasts":{}}`)); err == nil {
		t.Error("no error")
	}
}

func verdictOf(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	return p.Spec.Verdict(p, results)
}
