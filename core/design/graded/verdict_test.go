package graded

import (
	"retrace/core/study"
	"testing"
)

func TestGradedSentenceFollowsFromCorrectedP(t *testing.T) {
	p := &study.Protocol{Spec: &Spec{
		Measures: []study.MeasureSpec{{Key: "ndcg5", Measure: "nDCG@5"}},
		Rows:     []Row{{Name: "typed", Label: "Typed relations"}},
		Contrasts: []Contrast{{Name: "ndcg5", Measure: "ndcg5", Row: "typed", Against: "baseline"},
			{Name: "composite", Measure: Composite, Row: "typed", Against: "baseline"}},
	}}
	for _, test := range []struct{ first, second, want string }{
		{`{"difference":0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.04}`, "Typed relations helped: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":-0.1,"pHolm":0.04}`, "Typed relations hurt: "},
		{`{"difference":0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.05}`, "Typed relations helped in one respect and made no measurable difference in another: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.5}`, "Typed relations hurt in one respect and made no measurable difference in another: "},
		{`{"difference":-0.1,"pHolm":0.01}`, `{"difference":0.1,"pHolm":0.01}`, "Typed relations helped in one respect and hurt in another: "},
		{`{"difference":0.4,"pHolm":0.06}`, `{"difference":0.4,"pHolm":0.06}`, "Typed relations made no measurable difference: "},
	} {
		parts, err := p.Spec.Verdict(p, []byte(`{"contrasts":{"ndcg5":`+test.first+`,"composite":`+test.second+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		if parts[0].Text != test.want {
			t.Errorf("%s, %s: got %q", test.first, test.second, parts[0].Text)
		}
	}
	if _, err := p.Spec.Verdict(p, []byte(`{"contrasts":{}}`)); err == nil {
		t.Error("results without the contrasts gave a sentence")
	}
}
