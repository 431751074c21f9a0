package method

import (
	"math"
	"strings"
	"testing"

	"retrace/core/explain"
)

func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-14*max(1, math.Abs(b)) }

// By hand, over the texts of small: 8 tokens, wax three times in two of three documents, of 2, 4 and 2 tokens, mean 8/3.
func TestModels(t *testing.T) {
	e := small(t, Kinds)
	for term, want := range map[string][]float64{
		// idf ln(1 + 1.5/2.5) = ln 1.6; norm 1·(1/2 + 1/2·2·3/8) = 7/8, 1·(1/2 + 1/2·4·3/8) = 5/4
		"bm25(k1=1,b=0.5)":                  {math.Log(1.6) * 2 / (1 + 7.0/8), math.Log(1.6) * 4 / (2 + 5.0/4), 0},
		"bm25(k1=1,b=0.5,form=lucene)":      {math.Log(1.6) / (1 + 7.0/8), math.Log(1.6) * 2 / (2 + 5.0/4), 0},
		"bm25(k1=1,b=0.5,form=robertson)":   {0, 0, 0},
		"bm25(k1=1,b=0.5,form=atire)":       {math.Log(1.5) * 2 / (1 + 7.0/8), math.Log(1.5) * 4 / (2 + 5.0/4), 0},
		"bm25l(k1=1,b=0.5,delta=1)":         {math.Log(1.6) * 2 * (15.0 / 7) / (22.0 / 7), math.Log(1.6) * 2 * (13.0 / 5) / (18.0 / 5), 0},
		"bm25+(k1=1,b=0.5,delta=2)":         {math.Ln2 * (2/(1+7.0/8) + 2), math.Ln2 * (4/(2+5.0/4) + 2), 0},
		"ql(mu=8)":                          {math.Log(1+1.0/3) + math.Log(8.0/10), math.Log(1+2.0/3) + math.Log(8.0/12), 0},
		"ql-jm(lambda=0.5)":                 {math.Log(1 + (1.0/2)/(3.0/8)), math.Log(1 + (2.0/4)/(3.0/8)), 0},
		"bm25f(k1=1,b=0.5,title=0,text=1)":  {math.Log(1.6) / (1 + 7.0/8), math.Log(1.6) * 2 / (2 + 5.0/4), 0},
		"combsum(overlap,bm25(k1=1,b=0.5))": {1 + 0, 1 + 1, 0}, // minmax: overlap is equal, so 1; bm25 has d2 above d1
		"combmnz(overlap,degree,norm=none)": {2 * (1 + 1), 2 * (1 + 1), 0},
		"combsum(overlap,degree,norm=none)": {1 + 1, 1 + 1, 0},
		"combsum(degree,dense,norm=minmax)": {1 + 1, 1 + 0, float64(float32(0.6))},
		"rm3(bm25(k1=1,b=0.5),original=1)":  {math.Log(1.6) * 2 / (1 + 7.0/8), math.Log(1.6) * 4 / (2 + 5.0/4), 0},
		"rm3(ql-jm(lambda=0.5),original=1)": {math.Log(1 + (1.0/2)/(3.0/8)), math.Log(1 + (2.0/4)/(3.0/8)), 0},
		"tfidf(form=ltc)":                   {math.Log(1.5) / math.Hypot(math.Log(1.5), math.Log(3)), ltcWax, 0},
		"bm25(k1=1,b=0.5,form=lucene1)":     {float64(float32(math.Log(1.6))) / (1 + 7.0/8), float64(float32(math.Log(1.6))) * 2 / (2 + 5.0/4), 0},
	} {
		tolerance := closeTo
		if strings.Contains(term, "lucene1") {
			tolerance = func(a, b float64) bool { return math.Abs(a-b) <= 1e-7 } // float32
		}
		x := score(t, e, term, "wax")
		for d, w := range want {
			if !tolerance(x.Scores.Value[d], w) {
				t.Errorf("%s, document %d: %v, want %v", term, d, x.Scores.Value[d], w)
			}
		}
	}
}

// wax in d2 by ltc: (1 + ln 2)·ln 1.5 beside candle and flame, ln 3 each.
var ltcWax = (1 + math.Ln2) * math.Log(1.5) / math.Sqrt(math.Pow((1+math.Ln2)*math.Log(1.5), 2)+2*math.Log(3)*math.Log(3))

// With feedback from d1 alone (the best by overlap of "red"), "red" brings "wax": p(red|R) = p(wax|R) = 1/2, mixed with the
// question 0.5·1 + 0.5·1/2 = 3/4 and 1/4. So d2, which lacks red, is found.
func TestFeedbackFindsMore(t *testing.T) {
	e := small(t, Kinds)
	x := score(t, e, "rm3(ql-jm(lambda=0.5),docs=1)", "red")
	red, wax := math.Log(1+(1.0/2)/(1.0/8)), math.Log(1+(1.0/2)/(3.0/8))
	if got, want := x.Scores.Value[0], 0.75*red+0.25*wax; !closeTo(got, want) {
		t.Errorf("d1: %v, want %v", got, want)
	}
	if got := x.Scores.Value[1]; !closeTo(got, 0.25*wax) {
		t.Errorf("d2: %v, want %v", got, 0.25*wax)
	}
	n, err := x.ExplainTerm(1, "wax")
	if err != nil {
		t.Fatal(err)
	}
	from := n.Inputs[2]
	if n.Inputs[1].Path != "" { // "wax" is no word of the question, so the base method has nothing to say of it
		t.Errorf("%+v", n.Inputs[1])
	}
	if own, err := x.ExplainTerm(0, "red"); err != nil || own.Inputs[1].Path == "" {
		t.Errorf("%+v, %v", own, err)
	}
	if n.Inputs[0].Text != "0.25" || !strings.HasPrefix(from.Label, "place 1, share 1 of the scores: 1 of 2 tokens") || from.Path != "posting.wax.d1" {
		t.Errorf("%+v", n.Inputs)
	}
}

// Each word's part leads to its posting, and each kind's formula is that of its form.
func TestModelsExplained(t *testing.T) {
	e := small(t, Kinds)
	for term, want := range map[string][2]string{ // of the score, of a word
		"bm25": {"Σ qtf · (idf(t) · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)))",
			"qtf · idf · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)),  idf = ln(1 + (N − df + 0.5)/(df + 0.5))"},
		"bm25(form=lucene1)": {"Σ qtf · (idf(t) · tf/(tf + k1·(1 − b + b·dl/avgdl)))", "qtf · idf · tf/(tf + k1"},
		"bm25(form=atire)":   {"Σ qtf · (idf(t) · tf·(k1+1)", "idf = ln(N/df)"},
		"bm25l":              {"(c + δ)·(k1+1)/(k1 + c + δ)", "idf = ln((N + 1)/(df + 0.5))"},
		"bm25+":              {"+ δ)", "idf = ln((N + 1)/df)"},
		"bm25f":              {"idf(t) · tf′/(k1 + tf′)", "tf′ = Σ w·tf"},
		"ql":                 {"Σ qtf · (ln(1 + tf/(μ·p(t|C)))) + |q|·ln(μ/(dl + μ))", "qtf · ln(1 + tf/(μ·p(t|C)))"},
		"ql-jm":              {"(1 − λ)·(tf/dl)/(λ·p(t|C))", "qtf · ln(1 + (1 − λ)"},
		"tfidf":              {"Σ (qtf·idf/‖q‖) · (tf·idf/‖d‖)", "(qtf·idf/‖q‖)·(tf·idf/‖d‖),  idf = ln((1+N)/(1+df)) + 1"},
		"tfidf(form=ltc)":    {"((1 + ln qtf)·idf/‖q‖) · ((1 + ln tf)·idf/‖d‖)", "idf = ln(N/df)"},
	} {
		x := score(t, e, term, "wax candle")
		n, err := x.Explain(1)
		if err != nil || !strings.Contains(n.Formula, want[0]) || n.Citation == "" || n.Source.Line == 0 {
			t.Errorf("%s: %+v, %v", term, n, err)
		}
		w, err := x.ExplainTerm(1, "wax")
		if err != nil || !strings.Contains(w.Formula, want[1]) || w.Source.Line == 0 {
			t.Errorf("%s: %+v, %v", term, w, err)
			continue
		}
		paths := ""
		for _, i := range w.Inputs {
			paths += " " + i.Path
		}
		if !strings.Contains(paths, "posting.wax.d2") {
			t.Errorf("%s: no way from a word to its posting: %+v", term, w.Inputs)
		}
		if _, err := x.ExplainTerm(1, "north"); err == nil {
			t.Errorf("%s: a word that adds nothing", term)
		}
	}
	length, err := score(t, e, "ql(mu=8)", "wax candle").ExplainTerm(1, "document length")
	if err != nil || !closeTo(*length.Value, 2*math.Log(8.0/12)) {
		t.Errorf("%+v, %v", length, err)
	}
	fused := score(t, e, "combmnz(overlap,degree,norm=none)", "wax")
	n, err := fused.Explain(1)
	if err != nil || n.Inputs[0] != (explain.Input{Label: "overlap, none, times 2", Text: "2.0000", Path: "score.q.overlap.d2"}) {
		t.Errorf("%+v, %v", n, err)
	}
}
