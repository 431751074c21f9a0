package design_test

import (
	"os"
	"testing"

	"retrace/core/design"
	"retrace/core/verdict"
)

func TestSentenceOfEveryStudyFromItsFrozenResults(t *testing.T) {
	for id, want := range map[string]string{
		"r02": "Typed relations made no measurable difference: −0.0249 in nDCG@5 (95\u202f% interval −0.0586 to +0.0074, exact p\u00a0=\u00a00.1581, corrected p = 0.3138, n = 32 of 36 tasks); " +
			"−0.0046 in the answers’ score (95\u202f% interval −0.0139 to +0.0046, exact p\u00a0=\u00a00.4400, corrected p = 0.4423, n = 36 tasks).",
		"first-baseline": "Overlap returned exactly what the scan does for all 16 needs. On the 7 held-out needs that have a relevant passage, " +
			"Overlap has Recall@1 0.5357, Recall@3 0.6786 and MRR@3 0.7143; BM25 has Recall@1 0.4643, Recall@3 0.6786 and MRR@3 0.6429. Where nothing is relevant, Overlap returns 5 passages all the same and BM25 returns 5.",
	} {
		st, err := design.Load(os.DirFS("../../kit"), id)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile("../../kit/" + id + "/frozen/results.json")
		if err != nil {
			t.Fatal(err)
		}
		parts, err := st.Protocol.Spec.Verdict(st.Protocol, data)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict.Text(parts); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", id, got, want)
		}
	}
}
