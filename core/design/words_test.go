package design_test

import (
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/numpath"
	"retrace/core/study/studytest"
)

// A study under the english analyzer, with models of words inside each other, is frozen and replayed as any other; a number of
// it leads down to a posting.
func TestEnglishStudy(t *testing.T) {
	m := studytest.Tiny()
	studytest.Edit(m, "tiny/study.json", `"analyzer": "ascii",`, `"analyzer": "english"`)
	studytest.Edit(m, "tiny/study.json", "\n    \"stopwords\": \"tiny/stopwords.txt\"", "")
	studytest.Edit(m, "tiny/study.json", `"degree", "term": "degree"`,
		`"degree", "term": "combsum(rm3(bm25(form=lucene1),docs=2),bm25f,ql,norm=zscore)"`)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	s, err := design.Load(m, studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.TermOf("degree"), "combsum(rm3(bm25(k1=1.2,b=0.75,form=lucene1),docs=2,terms=10,original=0.5),"+
		"bm25f(k1=1.2,b=0.75,title=2,text=1),ql(mu=1000),norm=zscore)"; got != want {
		t.Errorf("written out as %s, want %s", got, want)
	}
	for _, term := range s.Index.Terms {
		if tokens := s.Index.Analyzer().Token(term); term == "for" || term == "boils" || len(tokens) > 1 {
			t.Errorf("%q is indexed", term)
		}
	}
	// From the fused score of the best document by one method inside to what a word adds, and on to its posting.
	at, seen := "", ""
	for d := range s.Collection.Docs {
		at = numpath.Join(numpath.Join(numpath.Join("score", s.Questions[0].ID), "degree"), s.Collection.Docs[d].ID)
		if node, err := s.Explain(nil, at); err == nil && len(node.Inputs) > 2 && node.Inputs[0].Path != "" {
			break
		}
	}
	for range 6 {
		node, err := s.Explain(nil, at)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		kind, _, _ := strings.Cut(at, ".")
		seen += kind + " "
		at = ""
		for _, in := range node.Inputs {
			if strings.HasPrefix(in.Path, "score.") || strings.HasPrefix(in.Path, "term.") || strings.HasPrefix(in.Path, "posting.") {
				at = in.Path
				break
			}
		}
		if at == "" {
			break
		}
	}
	if !strings.Contains(seen, "score score term ") || !strings.Contains(seen, "posting") {
		t.Errorf("the way down was %s", seen)
	}
}
