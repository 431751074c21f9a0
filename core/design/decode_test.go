package design_test

import (
	"encoding/json"
	"retrace/core/design/binary"
	"retrace/core/design/graded"
	"testing"
)

// The results whose keys are partly the protocol's read back into their Go types without loss.
func TestResultsReadBack(t *testing.T) {
	var method binary.MethodResult
	const bm25 = `{"defined":7,"mrr3":0.6428571428571429,"recall1":null,"undefined":[{"need":"h6","candidates":5}]}`
	var answers graded.AnswersResult
	const both = `{"agreement":{"pairs":72,"exact":0.5},"readers":["a: from 0"],"reproduced":true,"typed":{"composite":0.25,"obligations":0.5,"role":1,"evidence":0.75,"unsupported":2,"falseCitation":1,"marks":72}}`
	for _, x := range []struct {
		text string
		into any
	}{{bm25, &method}, {both, &answers}} {
		if err := json.Unmarshal([]byte(x.text), x.into); err != nil {
			t.Fatal(err)
		}
		if data, err := json.Marshal(x.into); err != nil || string(data) != x.text {
			t.Errorf("%s, %v; want %s", data, err, x.text)
		}
	}
	if m := method.Means["mrr3"]; len(method.Means) != 2 || m == nil || *m != 4.5/7 || method.Defined != 7 || method.Undefined[0].Candidates != 5 {
		t.Errorf("%+v", method)
	}
	if r := answers.Rows["typed"]; len(answers.Rows) != 1 || r.Composite != 0.25 || r.FalseCitation != 1 || answers.Agreement.Pairs != 72 {
		t.Errorf("%+v", answers)
	}
	for _, broken := range []string{`[]`, `{"defined":"7"}`, `{"mrr3":"high"}`} {
		if json.Unmarshal([]byte(broken), &method) == nil {
			t.Errorf("%s was read", broken)
		}
	}
}
