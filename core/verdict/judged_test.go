package verdict

import (
	"os"
	"testing"

	"retrace/core/study"
)

func TestSentenceOfEveryStudyFromItsFrozenResults(t *testing.T) {
	for id, want := range map[string]string{
		"r02": "Typed relations made no measurable difference: −0.0249 in nDCG@5 (95\u202f% interval −0.0586 to +0.0074, exact p\u00a0=\u00a00.1581, corrected p = 0.3138, n = 32 of 36 tasks); " +
			"−0.0046 in the answers’ score (95\u202f% interval −0.0139 to +0.0046, exact p\u00a0=\u00a00.4400, corrected p = 0.4423, n = 36 tasks).",
		"first-baseline": "Overlap returned exactly what the scan does for all 16 needs. On the 7 held-out needs that have a relevant passage, " +
			"Overlap has Recall@1 0.5357, Recall@3 0.6786 and MRR@3 0.7143; BM25 has Recall@1 0.4643, Recall@3 0.6786 and MRR@3 0.6429. Where nothing is relevant, Overlap returns 5 passages all the same and BM25 returns 5.",
	} {
		st, err := study.Load(os.DirFS("../../kit"), id)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile("../../kit/" + id + "/frozen/results.json")
		if err != nil {
			t.Fatal(err)
		}
		parts, err := Of(st.Protocol, data)
		if err != nil {
			t.Fatal(err)
		}
		if got := Text(parts); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", id, got, want)
		}
	}
}

func TestGradedSentenceFollowsFromCorrectedP(t *testing.T) {
	p := &study.Protocol{Graded: &study.Graded{
		Measures: []study.MeasureSpec{{Key: "ndcg5", Measure: "nDCG@5"}},
		Rows:     []study.Row{{Name: "typed", Label: "Typed relations"}},
		Contrasts: []study.GradedContrast{{Name: "ndcg5", Measure: "ndcg5", Row: "typed", Against: "baseline"},
			{Name: "composite", Measure: study.Composite, Row: "typed", Against: "baseline"}},
	}}
	for _, test := range []struct{ first, second, want string }{
		{`{"difference":0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.04}`, "Typed relations helped: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":-0.1,"pHolm":0.04}`, "Typed relations hurt: "},
		{`{"difference":0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.05}`, "Typed relations helped in one respect and made no measurable difference in another: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.5}`, "Typed relations hurt in one respect and made no measurable difference in another: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.01}`, "Typed relations helped in one respect and hurt in another: "},
		{`{"difference":0.4,"pHolm":0.06}`, `{"difference":0.4,"pHolm":0.06}`, "Typed relations made no measurable difference: "},
	} {
		parts, err := Of(p, []byte(`{"contrasts":{"ndcg5":`+test.first+`,"composite":`+test.second+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		if parts[0].Text != test.want {
			t.Errorf("%s, %s: got %q", test.first, test.second, parts[0].Text)
		}
	}
	if _, err := Of(p, []byte(`{"contrasts":{}}`)); err == nil {
		t.Error("results without the contrasts gave a sentence")
	}
}
