package evaluate_test

import (
	"math"
	"strings"
	"testing"

	"retrace/core/evaluate"
	"retrace/core/metrics"
	"retrace/core/trec"
)

// evaluated evaluates texts.
func evaluated(t *testing.T, qrels, run string, o evaluate.Options, names ...string) (*evaluate.Result, error) {
	t.Helper()
	q, err := trec.ReadQrels("q", strings.NewReader(qrels))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		m, err := metrics.ParseMetric(name)
		if err != nil {
			t.Fatal(err)
		}
		o.Metrics = append(o.Metrics, m)
	}
	e, err := evaluate.New(q, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trec.ReadRun("r", strings.NewReader(run), trec.Options{Order: o.Order}, e.Topic); err != nil {
		return nil, err
	}
	return e.Finish("r")
}

// TestByHand: topic 1 finds its one relevant document second, behind an unjudged one; topic 2 is missing; topic 3 has
// nothing relevant; topic 4 ties a relevant document with one that is not.
func TestByHand(t *testing.T) {
	const qrels = "1 0 a 1\n2 0 a 1\n3 0 a 0\n4 0 a 1\n4 0 b 0\n"
	const run = "1 Q0 x 1 3 t\n1 Q0 a 2 2 t\n3 Q0 a 1 1 t\n4 Q0 a 1 1 t\n4 Q0 b 2 1 t\n5 Q0 a 1 1 t\n"
	log3 := 1 / math.Log2(3)
	for _, c := range []struct {
		mean       metrics.MeanRule
		order      trec.Order
		ap         float64 // AP and its band
		low, high  float64
		ndcg, sum  float64
		topics     int
		topics4    float64 // AP of topic 4
		numRelSums int
	}{
		{metrics.Complete, trec.TrecEval, 1. / 4, 1. / 4, 1.5 / 4, 2 * log3 / 4, 3, 4, 0.5, 3},
		{metrics.Returned, trec.TrecEval, 1. / 3, 1. / 3, 1.5 / 3, 2 * log3 / 3, 2, 3, 0.5, 2},
		{metrics.Defined, trec.TrecEval, 1. / 3, 1. / 3, 1.5 / 3, 2 * log3 / 3, 3, 3, 0.5, 3},
		{metrics.Complete, trec.Ascending, 1.5 / 4, 1. / 4, 1.5 / 4, (1 + log3) / 4, 3, 4, 1, 3},
	} {
		r, err := evaluated(t, qrels, run, evaluate.Options{Mean: c.mean, Order: c.order, Bands: true}, "AP", "nDCG", "NumRel", "Judged@2")
		if err != nil {
			t.Fatal(err)
		}
		ap, ndcg, rel, judged := r.Figure(0), r.Figure(1), r.Figure(2), r.Figure(3)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }
		if !near(ap.Value, c.ap) || !near(ap.Band.Low, c.low) || !near(ap.Band.High, c.high) || ap.Topics != c.topics || !near(ndcg.Value,
			c.ndcg) ||
			rel.Value != float64(c.numRelSums) || r.Values[0][3].Value != c.topics4 {
			t.Errorf("%s %s: AP %+v, nDCG %+v, NumRel %+v", c.mean, c.order, ap, ndcg, rel)
		}
		if c.mean == metrics.Complete && judged.Value != (0.5+0+1+1)/4 {
			t.Errorf("Judged@2 %+v", judged)
		}
		if strings.Join(r.Missing, " ") != "2" || strings.Join(r.Extra, " ") != "5" || strings.Join(r.NoRelevant, " ") != "3" ||
			r.TiedTopics != 1 || r.Tied != 2 || r.Conflicting != 2 || r.Unjudged != 1 || r.Returned != 5 {
			t.Errorf("%+v", r)
		}
	}
}

// TestRenamedTies: renaming two tied documents moves trec_eval's nDCG from 1.0 to 0.6309 (usnistgov/trec_eval issue 22);
// the band is the same for both names.
func TestRenamedTies(t *testing.T) {
	for doc, want := range map[string]float64{"z": 1, "a": 1 / math.Log2(3)} { // the other one is m
		r, err := evaluated(t, "1 0 "+doc+" 1\n", "1 Q0 "+doc+" 1 1 t\n1 Q0 m 2 1 t\n", evaluate.Options{Bands: true}, "nDCG")
		if err != nil {
			t.Fatal(err)
		}
		f := r.Figure(0)
		if math.Abs(f.Value-want) > 1e-15 || math.Abs(f.Band.Low-0.6309297535714575) > 1e-15 || f.Band.High != 1 {
			t.Errorf("%s: %+v, want %v in [0.6309, 1]", doc, f, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct{ qrels, run, want, hint string }{
		"zeros in topics": {"1 0 a 1\n7 0 a 1\n", "1 Q0 a 1 1 t\n007 Q0 a 1 1 t\n", `the run lacks 1 of 2 topics of the judgements ("7")`,
			`"007" in the run looks like "7"`},
		"ordinals":         {"1 0 a 1\n2 0 a 1\n3 0 a 1\n", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n8 Q0 a 1 1 t\n", `lacks 1 of 3`, "numbers 1 to 3"},
		"never judged":     {"1 0 a 1\n", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n", "1 topics of the run are not judged", "nobody judged them"},
		"nothing returned": {"1 0 a 1\n2 0 a 1\n", "1 Q0 a 1 1 t\n", "lacks 1 of 2", "returned nothing"},
		"zeros in documents": {"1 0 0042 1\n", "1 Q0 42 1 1 t\n",
			`r:1: 1 documents without a judgement look like judged ones: "42" here, "0042" in q`, "byte for byte"},
		"normal forms": {"1 0 caf\u00e9 1\n", "1 Q0 x 1 2 t\n1 Q0 cafe\u0301 2 1 t\n",
			"r:2: 1 documents without a judgement look like judged ones", "Unicode form"},
		"case": {"1 0 FT911-1 1\n", "1 Q0 ft911-1 1 1 t\n", `"ft911-1" here, "FT911-1" in q`, "case"},
	} {
		r, err := evaluated(t, c.qrels, c.run, evaluate.Options{}, "AP")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := false
		for _, w := range r.Warnings {
			found = found || strings.Contains(w.Error(), c.want) && strings.Contains(w.Hint, c.hint)
		}
		if !found {
			t.Errorf("%s: %v", name, r.Warnings)
		}
	}
	// Documents whose IDs differ in truth are no warning: both forms are judged.
	r, err := evaluated(t, "1 0 042 1\n1 0 42 0\n", "1 Q0 42 1 1 t\n1 Q0 43 1 0 t\n", evaluate.Options{}, "AP")
	if err != nil || len(r.Warnings) > 0 {
		t.Errorf("%v, %v", r.Warnings, err)
	}
	if _, err := evaluated(t, "1 0 a 1\n", "q1 Q0 a 1 1 t\n", evaluate.Options{}, "AP"); err == nil || !strings.Contains(err.Error(),
		`no topic of the run ("q1") is among those of q ("1")`) {
		t.Errorf("%v", err)
	}
	if _, err := evaluated(t, "1 0 a 5\n", "1 Q0 a 1 1 t\n", evaluate.Options{}, "ERR@5"); err == nil || !strings.Contains(err.Error(),
		`topic "1"`) {
		t.Errorf("%v", err)
	}
}

// TestCompare: five topics with one relevant document each, which the base finds at rank 2 and the other run at rank 1
// four times and at rank 4 once: differences of RR ½, ½, ½, ½, −¼, mean 0.35. Of the 32 sign patterns the sums at least as
// far from 0 as 1.75 are ±2.25 and ±1.75: p = 4/32.
func TestCompare(t *testing.T) {
	var qrels, base, other strings.Builder
	for i, rank := range []int{1, 1, 1, 1, 4} {
		topic := string(rune('1' + i))
		qrels.WriteString(topic + " 0 hit 1\n")
		for k, doc := range []string{"a", "b", "c", "d", "e"} {
			a, b := doc, doc
			if k+1 == 2 {
				a = "hit"
			}
			if k+1 == rank {
				b = "hit"
			}
			score := string(rune('9' - k))
			base.WriteString(topic + " Q0 " + a + " 1 " + score + " t\n")
			other.WriteString(topic + " Q0 " + b + " 1 " + score + " t\n")
		}
	}
	a, err := evaluated(t, qrels.String(), base.String(), evaluate.Options{Bands: true}, "RR")
	if err != nil {
		t.Fatal(err)
	}
	b, err := evaluated(t, qrels.String(), other.String(), evaluate.Options{Bands: true}, "RR")
	if err != nil {
		t.Fatal(err)
	}
	c, err := evaluate.Compare(a, b, 0, evaluate.CompareOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Difference-0.35) > 1e-15 || c.P != 4./32 || !c.Exact || c.SmallestP != 2./32 || c.Up != 4 || c.Down != 1 || c.Tied != 0 ||
		c.Base != 0.5 || c.Other != 0.85 || c.HangsOnTies() || c.Method != "percentile" {
		t.Errorf("%+v", c)
	}
	// d_z: deviations 0.15 four times and −0.6: variance (4·0.0225 + 0.36)/4 = 0.1125.
	if !c.HasEffect || math.Abs(c.EffectSize-0.35/math.Sqrt(0.1125)) > 1e-13 ||
		math.Abs(c.Detectable-(1.959963984540054+0.8416212335729143)*math.Sqrt(0.1125/5)) > 1e-12 {
		t.Errorf("%+v", c)
	}
	// Means of five draws from ½ and −¼ are (5·½ − ¾·k)/5 for k of the lower value; P(k = 0) = .328 and P(k ≥ 4) = .0067,
	// P(k ≥ 3) = .058: the 2.5 % quantile is that of k = 3, the 97.5 % quantile that of k = 0.
	if math.Abs(c.Interval[0]-0.05) > 1e-15 || math.Abs(c.Interval[1]-0.5) > 1e-15 {
		t.Errorf("interval %v", c.Interval)
	}
	list := []evaluate.Comparison{{P: .01}, {P: .04}, {P: .03}}
	for correction, want := range map[string][3]float64{"holm": {.03, .06, .06}, "bonferroni": {.03, .12, .09}, "bh": {.03, .04, .04},
		"none": {.01, .04, .03}} {
		if err := evaluate.Correct(list, correction); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(list[i].Adjusted-want[i]) > 1e-15 {
				t.Errorf("%s: %v, want %v", correction, list[i].Adjusted, want[i])
			}
		}
	}
	if err := evaluate.Correct(list, "fdr"); err == nil {
		t.Error("a correction of another name is no error")
	}
}

// TestHangsOnTies: both runs return the relevant document and another; the other run's scores tie, so that by name alone
// it is as good as the base or worse.
func TestHangsOnTies(t *testing.T) {
	const qrels = "1 0 m 1\n"
	a, err := evaluated(t, qrels, "1 Q0 x 1 2 t\n1 Q0 m 2 1 t\n", evaluate.Options{Bands: true}, "RR")
	if err != nil {
		t.Fatal(err)
	}
	b, err := evaluated(t, qrels, "1 Q0 a 1 1 t\n1 Q0 m 2 1 t\n", evaluate.Options{Bands: true}, "RR")
	if err != nil {
		t.Fatal(err)
	}
	c, err := evaluate.Compare(a, b, 0, evaluate.CompareOptions{})
	if err != nil || c.Difference != 0.5 || c.Band != (evaluate.Band{Low: 0, High: 0.5}) || !c.HangsOnTies() {
		t.Errorf("%+v, %v", c, err)
	}
}
