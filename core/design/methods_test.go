package design_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/explain"
	"retrace/core/index"
	"retrace/core/method"
	"retrace/core/rank"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// A kind that only a test's table has goes through a whole study: its protocol names it, its lock and results are sealed, a unit
// of work with it travels as text, and its scores are explained.
func TestAKindOfOnesOwn(t *testing.T) {
	kinds := method.Kinds
	t.Cleanup(func() { method.Kinds = kinds })
	method.Kinds = append(slices.Clone(kinds), method.Kind{
		Name: "length", Needs: method.Needs{Index: true}, Sentence: "documents by their length", About: "counts a document’s tokens",
		Score: func(e *method.Evaluator, _ method.Term, into []*rank.Scores) error {
			for i := range e.Queries {
				for d, n := range e.Env.Index.Length {
					into[i].Add(int32(d), float64(n))
				}
			}
			return nil
		},
		Explain: func(x *method.Scoring, doc int) (*explain.Node, error) {
			value := x.Scores.Value[doc]
			return &explain.Node{Title: "length", Sentence: "How long the document is.", Value: &value,
				Source: explain.SourceOf((*index.Index).N)}, nil
		},
	})
	m := studytest.Tiny()
	studytest.Edit(m, "tiny/study.json", `"degree", "term": "degree"`, `"degree", "term": "rrf(bm25, length)"`)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	s, err := design.Load(m, studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.TermOf("degree"), "rrf(bm25(k1=1.2,b=0.75),length,k=60)"; got != want {
		t.Errorf("written out as %s, want %s", got, want)
	}
	for d := range s.Collection.Docs {
		at := "score." + s.Questions[0].ID + ".length." + s.Collection.Docs[d].ID
		if got, want := value(t, s, at), float64(s.Index.Length[d]); got != want {
			t.Errorf("%s is %v, the document has %v tokens", at, got, want)
		}
	}
	if node, err := s.Explain(nil, "methods.degree.mrr10"); err != nil || len(node.Inputs) == 0 {
		t.Errorf("%+v, %v", node, err)
	}

	// The same work from a unit as it comes over the wire.
	unit := study.Unit{Methods: []study.NamedTerm{{Name: "own", Term: s.WrittenOut("degree")}}, Questions: []int{0, 1}, Best: 3}
	data, err := json.Marshal(unit)
	if err != nil || !strings.Contains(string(data), `"term":"rrf(bm25(k1=1.2,b=0.75),length,k=60)"`) {
		t.Errorf("%s, %v", data, err)
	}
	var arrived study.Unit
	if err := json.Unmarshal(data, &arrived); err != nil {
		t.Fatal(err)
	}
	here, err := s.Run(unit)
	if err != nil {
		t.Fatal(err)
	}
	there, err := s.Run(arrived)
	same := func(a, b study.Observation) bool { return slices.Equal(a.Best, b.Best) && len(a.Best) == 3 }
	if err != nil || !slices.EqualFunc(here, there, same) {
		t.Errorf("%+v and %+v, %v", here, there, err)
	}

	// Without the kind, the study says what it lacks.
	method.Kinds = kinds
	if _, err := design.Load(m, studytest.ID); err == nil || !strings.Contains(err.Error(), `unknown method "length": use one of bm25, bm25l,`) {
		t.Error(err)
	}
	if err := json.Unmarshal([]byte(`{"methods":[{"name":"x","term":"rrf(bm25"}]}`), &arrived); err == nil || !strings.Contains(err.Error(), "closing bracket") {
		t.Error(err)
	}
}
