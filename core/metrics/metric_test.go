package metrics

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const un = Unjudged

// list makes a List of whole grades; judged documents that were not returned stand in rest.
func list(t interface{ Fatal(...any) }, ranked []int, ties []int, depth int, rest ...int) *List {
	var r, judged []Grade
	for _, g := range ranked {
		if g == int(un) {
			r = append(r, un)
			continue
		}
		r, judged = append(r, Whole(g)), append(judged, Whole(g))
	}
	for _, g := range rest {
		judged = append(judged, Whole(g))
	}
	l, err := NewList(r, ties, judged, depth)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustParse(t interface{ Fatal(...any) }, name string) Metric {
	m, err := ParseMetric(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMetricsByHand: every expected value is worked out from the formula beside it.
func TestMetricsByHand(t *testing.T) {
	u := int(un)
	// Ranks 1…8: grade 0, 2, unjudged, 1, −1, 0, 3, 1; of the judged, 1, 0 and 2 were not returned. Relevant: 2, 1, 3, 1, 1, 2.
	mixed := list(t, []int{0, 2, u, 1, -1, 0, 3, 1}, nil, 0, 1, 0, 2)
	nothing := list(t, []int{0, u}, nil, 0, 0)
	empty := list(t, nil, nil, 0, 2, 0)
	log2 := math.Log2
	for _, c := range []struct {
		name    string
		list    *List
		want    float64
		defined bool
	}{
		{"AP", mixed, (1./2 + 2./4 + 3./7 + 4./8) / 6, true},
		{"AP@4", mixed, (1./2 + 2./4) / 6, true},
		{"AP(rel=2)", mixed, (1./2 + 2./7) / 3, true},
		{"AP(rel=2)@5", mixed, (1. / 2) / 3, true},
		{"AP(judged_only=True)", mixed, (1./2 + 2./3 + 3./5 + 4./6) / 6, true}, // without ranks 3 and 5
		{"AP", nothing, 0, false},
		{"AP", empty, 0, true},
		{"P@5", mixed, 2. / 5, true},
		{"P@10", mixed, 4. / 10, true},
		{"P@5", nothing, 0, true},
		{"P@5", empty, 0, true},
		{"R@4", mixed, 2. / 6, true},
		{"R@4", nothing, 0, false},
		{"RR", mixed, 1. / 2, true},
		{"RR(rel=3)", mixed, 1. / 7, true},
		{"RR(rel=3)@5", mixed, 0, true},
		{"Success@1", mixed, 0, true},
		{"Success@2", mixed, 1, true},
		{"Rprec", mixed, 2. / 6, true},
		{"Rprec(rel=2)", mixed, 1. / 3, true},
		// Six relevant, three judged not relevant (0, 0, 0): above the relevant at rank 2 and 4 stands one, at 7 and 8 two.
		{"Bpref", mixed, (2*(1-1./3) + 2*(1-2./3)) / 6, true},
		{"Bpref", nothing, 0, false},
		// rel=3: one relevant, seven judged and not relevant with grades 0 … 2; the bound is 1, and four stand above.
		{"Bpref(rel=3)", mixed, 0, true},
		{"RBP(p=0.5,rel=1)", mixed, 0.5 * (1./2 + 1./8 + 1./64 + 1./128), true},
		{"RBP(p=0.5,max=4)", mixed, 0.5 * (0.5/2 + 0.25/8 + 0.75/64 + 0.25/128), true},
		{"RBP(p=0.5,rel=1)@4", mixed, 0.5 * (1./2 + 1./8), true},
		{"RBP(rel=1)", empty, 0, true},
		// r = 3/16 at rank 2, 1/16 at 4, 7/16 at 7, 1/16 at 8.
		{"ERR@8", mixed, 3./16/2 + 13./16*1/16/4 + 13./16*15/16*7/16/7 + 13./16*15/16*9/16*1/16/8, true},
		{"ERR(max=3)@4", mixed, 3./8/2 + 5./8*1/8/4, true},
		{"nDCG@4", mixed, (2/log2(3) + 1/log2(5)) / (3 + 2/log2(3) + 2/log2(4) + 1/log2(5)), true},
		{"nDCG", mixed, (2/log2(3) + 1/log2(5) + 3/log2(8) + 1/log2(9)) / (3 + 2/log2(3) + 2/log2(4) + 1/log2(5) + 1/log2(6) + 1/log2(7)), true},
		{"nDCG(dcg='exp-log2')@4", mixed, (3/log2(3) + 1/log2(5)) / (7 + 3/log2(3) + 3/log2(4) + 1/log2(5)), true},
		{"nDCG", nothing, 0, false},
		{"nDCG@3", empty, 0, true},
		{"IPrec@0.0", mixed, 1. / 2, true}, // P at the relevant ranks: 1/2, 2/4, 3/7, 4/8
		{"IPrec@0.5", mixed, 1. / 2, true}, // the third of six, at rank 7: max(3/7, 4/8)
		{"IPrec@0.75", mixed, 0, true},     // 4.5 is rounded up to 5, and four were returned
		{"IPrec@0.74", mixed, 1. / 2, true},
		{"IPrec@1.0", mixed, 0, true},
		{"IPrec@0.0", nothing, 0, false},
		{"Judged@3", mixed, 2. / 3, true},
		{"Judged@5", mixed, 4. / 5, true}, // −1 is a judgement
		{"Judged@10", nothing, 1. / 2, true},
		{"Judged@10", empty, 0, false},
		{"SetP", mixed, 4. / 8, true},
		{"SetP", empty, 0, false},
		{"SetR", mixed, 4. / 6, true},
		{"SetR(rel=2)", mixed, 2. / 3, true},
		{"SetF", mixed, 2 * (1. / 2) * (2. / 3) / (1./2 + 2./3), true},
		{"SetF(beta=2.0)", mixed, 3 * (1. / 2) * (2. / 3) / (2*(1./2) + 2./3), true},
		{"SetF", empty, 0, true},
		{"SetAP", mixed, (1. / 2) * (2. / 3), true},
		{"NumQ", mixed, 1, true},
		{"NumRet", mixed, 8, true},
		{"NumRet(rel=2)", mixed, 2, true},
		{"NumRelRet", mixed, 4, true},
		{"NumRel", mixed, 6, true},
		{"NumRel(rel=2)", mixed, 3, true},
	} {
		got, defined, err := mustParse(t, c.name).Compute(c.list)
		if math.Abs(got-c.want) > 1e-15 || defined != c.defined || err != nil {
			t.Errorf("%s = %v, %v, %v; want %v, %v", c.name, got, defined, err, c.want, c.defined)
		}
	}
	if _, _, err := mustParse(t, "ERR(max=2)").Compute(mixed); err == nil || !strings.Contains(err.Error(), "grade 3 is above") {
		t.Errorf("ERR of a grade above the scale: %v", err)
	}
}

// TestRBPPaper: Moffat & Zobel 2008 say that p^(r−1) of all readers reach rank r, so that 20 relevant documents in a row
// leave a residual of p^20.
func TestRBPPaper(t *testing.T) {
	ones := make([]int, 20)
	for i := range ones {
		ones[i] = 1
	}
	for p, name := range map[float64]string{0.5: "RBP(p=0.5,rel=1)", 0.8: "RBP(rel=1)", 0.95: "RBP(p=0.95,rel=1)"} {
		if got, _, _ := mustParse(t, name).Compute(list(t, ones, nil, 0)); math.Abs(got-(1-math.Pow(p, 20))) > 1e-14 {
			t.Errorf("%s of 20 relevant documents = %v, want 1 − %v^20", name, got, p)
		}
	}
}

// TestDepth: trec_eval's -M cuts the ranking for every measure, the set measures and counts too.
func TestDepth(t *testing.T) {
	l := list(t, []int{0, 1, 1, 1}, nil, 2, 1)
	for name, want := range map[string]float64{"AP": (1. / 2) / 4, "SetP": 1. / 2, "SetR": 1. / 4, "NumRet": 2, "NumRel": 4, "P@10": 1. / 10} {
		if got, _, err := mustParse(t, name).Compute(l); got != want || err != nil {
			t.Errorf("%s at depth 2 = %v, %v, want %v", name, got, err, want)
		}
	}
}

// TestRenamedTies: two documents of equal score, one relevant. trec_eval orders them by name, so renaming them moves its
// nDCG from 1 to 1/log2(3) = 0.6309 (usnistgov/trec_eval issue 22). The band says both.
func TestRenamedTies(t *testing.T) {
	m := mustParse(t, "nDCG")
	for _, ranked := range [][]int{{1, 0}, {0, 1}} {
		low, high, err := m.Band(list(t, ranked, []int{2}, 0))
		if strconv.FormatFloat(low, 'f', 4, 64) != "0.6309" || high != 1 || err != nil {
			t.Errorf("band [%v, %v], %v", low, high, err)
		}
	}
}

var allNames = []string{
	"AP", "AP@3", "AP(rel=2)", "AP(judged_only=True)", "nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@4", "nDCG(judged_only=True)@2", "P@1",
	"P(rel=2)@3", "R@2", "RR", "RR@2",
	"Rprec", "Bpref", "Bpref(rel=2)", "RBP(rel=1)", "RBP(p=0.95,max=3)", "RBP(p=0.3,rel=2)@3", "ERR", "ERR@2", "ERR(max=3)@4",
	"Success@1", "Success(rel=2)@3", "Judged", "Judged@2", "SetP", "SetR", "SetF", "SetF(beta=3.0)", "SetAP", "IPrec@0.0", "IPrec@0.3",
	"IPrec(rel=2)@1.0", "NumQ", "NumRet", "NumRet(rel=2)", "NumRel",
}

// TestBandIsExact: the band is the lowest and highest value over every order of tied documents, by trying them all.
func TestBandIsExact(t *testing.T) {
	var all []Metric
	for _, name := range allNames {
		all = append(all, mustParse(t, name))
	}
	for _, d := range Definitions() { // none is left out
		found := false
		for _, m := range all {
			found = found || m.Name == d.Name
		}
		if !found {
			t.Errorf("%s is not tried", d.Name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		grade := rapid.SampledFrom([]int{int(un), -2, -1, 0, 0, 1, 1, 2, 3})
		ranked := rapid.SliceOfN(grade, 1, 7).Draw(t, "ranked")
		var rest, ties []int
		for _, g := range rapid.SliceOfN(grade, 0, 4).Draw(t, "rest") {
			if g != int(un) {
				rest = append(rest, g)
			}
		}
		for left := len(ranked); left > 0; left -= ties[len(ties)-1] {
			ties = append(ties, rapid.IntRange(1, min(left, 5)).Draw(t, "group"))
		}
		depth := rapid.IntRange(0, 7).Draw(t, "depth")
		low, high := make([]float64, len(all)), make([]float64, len(all))
		for i := range all {
			low[i], high[i] = math.Inf(1), math.Inf(-1)
		}
		orders(ranked, ties, func(order []int) {
			l := list(t, order, nil, depth, rest...)
			for i, m := range all {
				x, _, err := m.Compute(l)
				if err != nil {
					t.Fatal(err)
				}
				low[i], high[i] = min(low[i], x), max(high[i], x)
			}
		})
		l := list(t, ranked, ties, depth, rest...)
		for i, m := range all {
			gotLow, gotHigh, err := m.Band(l)
			if math.Abs(gotLow-low[i]) > 1e-15 || math.Abs(gotHigh-high[i]) > 1e-15 || err != nil {
				t.Errorf("%s: band [%v, %v], %v; over all orders [%v, %v]", m, gotLow, gotHigh, err, low[i], high[i])
			}
		}
	})
}

// orders calls do with every order of the documents within their tie groups.
func orders(ranked, ties []int, do func([]int)) {
	order := append([]int(nil), ranked...)
	var place func(group, from, at int)
	place = func(group, from, at int) {
		if group == len(ties) {
			do(order)
			return
		}
		end := from + ties[group]
		if at == end {
			place(group+1, end, end)
			return
		}
		for i := at; i < end; i++ {
			order[at], order[i] = order[i], order[at]
			place(group, from, at+1)
			order[at], order[i] = order[i], order[at]
		}
	}
	place(0, 0, 0)
}

func TestMetricNames(t *testing.T) {
	for name, want := range map[string]string{
		"AP": "AP", "MAP": "AP", "AP(rel=2)@100": "AP(rel=2)@100", "AP(rel=1)": "AP", "nDCG@10": "nDCG@10", "NDCG@10": "nDCG@10",
		"nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2')@10", `nDCG(dcg="log2")@10`: "nDCG@10", "P( rel = 2 ) @ 5": "P(rel=2)@5",
		"RBP(rel=1,p=0.9)": "RBP(p=0.9,rel=1)", "RBP(p=0.8,rel=1)": "RBP(rel=1)", "RBP(max=3)@10": "RBP(max=3)@10", "IPrec@0.1": "IPrec@0.1",
		"IPrec@0": "IPrec@0.0", "IPrec(rel=2)@1.0": "IPrec(rel=2)@1.0", "MRR@10": "RR@10", "NumRelRet": "NumRet(rel=1)", "NumRet": "NumRet",
		"SetF(beta=1.0)": "SetF", "SetF(beta=2)": "SetF(beta=2.0)", "Judged": "Judged", "Judged@10": "Judged@10", "BPref": "Bpref",
		"ERR@20":                 "ERR@20",
		"AP(judged_only=True)@5": "AP(judged_only=True)@5", "Precision@5": "P@5", "RPrec": "Rprec",
		"nDCG(judged_only=True,dcg='exp-log2')": "nDCG(dcg='exp-log2',judged_only=True)",
	} {
		m, err := ParseMetric(name)
		if err != nil || m.String() != want {
			t.Errorf("%q prints as %q, %v; want %q", name, m, err, want)
		}
		if again, err := ParseMetric(m.String()); again != m || err != nil {
			t.Errorf("%q: %v, %v", m, again, err)
		}
	}
	for name, want := range map[string]string{
		"ndgc@10": "near it: nDCG", "map@10": "near it: AP", "Sucess@5": "near it: Success", "bpref": "near it: Bpref",
		"ZZZZ": "known are nDCG, AP, P, R, RR",
		"P":    "needs a cutoff, as in P@10", "R": "needs a cutoff", "Success": "needs a cutoff", "Rprec@5": "takes no cutoff",
		"SetP@5": "takes no cutoff", "NumQ(rel=1)": "takes no parameter",
		"P@0": "whole number from 1", "P@05": "whole number from 1", "P@1e2": "whole number", "P@-1": "whole number",
		"P@1000001": "whole number", "P@": "whole number",
		"AP(rel=0)": "rel is a whole number", "AP(rel=1.5)": "rel is a whole number", "AP(rel=128)": "rel is a whole number",
		"AP(rel=2": "closing bracket", "AP(rel=2)x": "closing bracket", "AP()": "no parameter",
		"AP(p=0.5)": "AP has no parameter \"p\", its parameters are rel", "AP(rel=1,rel=2)": "twice", "nDCG(dcg='ln')@5": "dcg is 'log2'",
		"nDCG(rel=2)@5": "no parameter",
		"RBP":           "say rel=1", "RBP(p=0.5)": "say rel=1", "RBP(rel=1,max=3)": "give one of them", "RBP(p=1,rel=1)": "between 0 and 1",
		"RBP(p=0,rel=1)": "between 0 and 1", "RBP(p=NaN,rel=1)": "between",
		"IPrec": "a recall from 0 to 1", "IPrec@1.1": "a recall", "IPrec@-0.1": "a recall", "SetF(beta=0)": "beta",
		"AP(judged_only=true)": "True or False", "": "known are", "AP@10@20": "whole number",
		strings.Repeat("x", 5000): "known are",
	} {
		m, err := ParseMetric(name)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("ParseMetric(%.40q) = %v, %v; want an error with %q", name, m, err, want)
		}
	}
}

func FuzzParseMetric(f *testing.F) {
	for _, name := range append(allNames, "RBP(p=.5,rel=1)", "P(rel=2", "@", "IPrec@0.10") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := ParseMetric(name)
		if err != nil {
			return
		}
		if again, err := ParseMetric(m.String()); again != m || err != nil {
			t.Errorf("%q prints as %q, which reads as %+v, %v", name, m, again, err)
		}
	})
}

func TestTrecEvalNames(t *testing.T) {
	for name, want := range map[string]string{
		"map": "AP", "map_cut_10": "AP@10", "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "P_5": "P@5", "recall_100": "R@100", "recip_rank": "RR",
		"Rprec": "Rprec", "bpref": "Bpref", "success_1": "Success@1", "iprec_at_recall_0.10": "IPrec@0.1", "iprec_at_recall_0.00": "IPrec@0.0",
		"set_P": "SetP", "set_recall": "SetR", "set_F": "SetF", "set_map": "SetAP", "num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel",
		"num_rel_ret": "NumRet(rel=1)", "rbp": "RBP(p=0.9,rel=1)",
	} {
		m, ok := ParseTrecEval(name, 1)
		if !ok || m.String() != want {
			t.Errorf("%s is %q, %v; want %s", name, m, ok, want)
		}
		if back, ok := m.TrecEvalName(1); back != name || !ok {
			t.Errorf("%s comes back as %q, %v", name, back, ok)
		}
	}
	for _, name := range []string{"", "P", "P_", "P_0", "map_5", "ndcg_10", "recip_rank_10", "iprec_at_recall_0.125", "num", "set",
		"rbp_resid", "AP"} {
		if m, ok := ParseTrecEval(name, 1); ok {
			t.Errorf("%q is read as %s", name, m)
		}
	}
	for _, name := range []string{"RR@10", "AP(rel=2)", "nDCG(dcg='exp-log2')@10", "RBP(rel=1)", "ERR@20", "Judged@10", "SetF(beta=2.0)",
		"IPrec@0.125"} {
		if got, ok := mustParse(t, name).TrecEvalName(1); ok {
			t.Errorf("%s has trec_eval's name %s", name, got)
		}
	}
	if m, ok := ParseTrecEval("map", 2); !ok || m.String() != "AP(rel=2)" {
		t.Errorf("map at level 2 is %s", m)
	}
}

// TestMetricTable: every row explains itself, and its names are its own.
func TestMetricTable(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Definitions() {
		if d.Title == "" || d.Text == "" || d.Formula == "" || d.Undefined == "" || d.Citation == "" || d.compute == nil {
			t.Errorf("%q is incomplete", d.Name)
		}
		for _, name := range append([]Alias{{Name: d.Name}}, d.Aliases...) {
			if seen[name.Name] {
				t.Errorf("%s stands there twice", name.Name)
			}
			seen[name.Name] = true
		}
	}
}

// TestOlderNames: what a bundled study calls a measure is, bit for bit, the metric that Measure.Metric says.
func TestOlderNames(t *testing.T) {
	for name, want := range map[string]string{
		"nDCG@5": "nDCG(dcg='exp-log2')@5", "RR@10": "RR@10", "P(rel=2)@5": "P(rel=2)@5", "R@3": "R@3", "Success(rel=2)@1": "Success(rel=2)@1",
	} {
		old, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := old.Metric(); !ok || m.String() != want {
			t.Errorf("%s is %s, %v; want %s", name, m, ok, want)
		}
	}
	if m, ok := (Measure{"Coverage", 0, 5}).Metric(); ok {
		t.Errorf("Coverage is %s", m)
	}
	rapid.Check(t, func(t *rapid.T) {
		halves := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(t, "grades")
		n := rapid.IntRange(0, len(halves)).Draw(t, "returned")
		grades := make([]Grade, len(halves))
		for i, g := range halves {
			grades[i] = Grade(g)
		}
		topic := topicOf(grades[:n], grades[n:]...)
		l, err := NewList(grades[:n], nil, grades, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range Families() {
			old := Measure{f.Name, 0, rapid.IntRange(1, 12).Draw(t, "k")}
			if f.Rel {
				old.Rel = rapid.IntRange(1, 3).Draw(t, "rel")
			}
			m, ok := old.Metric()
			if !ok {
				continue
			}
			a, definedA, _ := old.Compute(topic)
			if b, definedB, err := m.Compute(l); a != b || definedA != definedB || err != nil {
				t.Fatalf("%s %v %v, %s %v %v, %v", old, a, definedA, m, b, definedB, err)
			}
		}
	})
}

func TestMeanRules(t *testing.T) {
	values := []Value{{0.5, true, true}, {0, false, true}, {0, true, false}, {1, true, true}}
	ap, count := mustParse(t, "AP"), mustParse(t, "NumRel")
	for _, c := range []struct {
		m      Metric
		rule   MeanRule
		want   float64
		topics int
	}{
		{ap, Complete, 1.5 / 4, 4}, {ap, Returned, 1.5 / 3, 3}, {ap, Defined, 1.5 / 3, 3}, {count, Complete, 1.5, 4}, {count, Returned, 1.5, 3},
	} {
		if got, topics := c.m.Over(values, c.rule); got != c.want || topics != c.topics {
			t.Errorf("%s, %s: %v over %d, want %v over %d", c.m, c.rule, got, topics, c.want, c.topics)
		}
	}
	// The cube root of 0.5 · 10⁻⁵ · 1 over the topics that were returned.
	if got := GeometricMean(values, Returned); math.Abs(got-math.Cbrt(0.5e-5)) > 1e-16 {
		t.Errorf("geometric mean %v", got)
	}
	if _, err := ParseMeanRule("all"); err == nil {
		t.Error("a mean rule of another name is no error")
	}
}

func TestNewListRefuses(t *testing.T) {
	for what, f := range map[string]func() (*List, error){
		"hold 3 documents": func() (*List, error) { return NewList(make([]Grade, 2), []int{1, 2}, nil, 0) },
		"has 0 documents":  func() (*List, error) { return NewList(make([]Grade, 2), []int{0, 2}, nil, 0) },
		"depth -1":         func() (*List, error) { return NewList(nil, nil, nil, -1) },
		"without a grade":  func() (*List, error) { return NewList(nil, nil, []Grade{Unjudged}, 0) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want an error with %q", err, what)
		}
	}
	if _, _, err := (Metric{Name: "XY"}).Compute(list(t, nil, nil, 0)); err == nil {
		t.Error("an unknown metric computes")
	}
}
