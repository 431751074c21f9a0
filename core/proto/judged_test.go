package proto

import (
	"encoding/json"
	"os"
	"retrace/core/design"
	"strings"
	"testing"
)

// ask sends one request to a session over the project's kit.
func askKit(t *testing.T, body string, out any) {
	t.Helper()
	var reply struct {
		Result json.RawMessage
		Error  *Error
	}
	if err := json.Unmarshal(Handle(NewSessionFS(design.All, os.DirFS("../../kit")), []byte(body)), &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error != nil {
		t.Fatal(reply.Error.Message)
	}
	if err := json.Unmarshal(reply.Result, out); err != nil {
		t.Fatal(err)
	}
}

func TestQuestionOfABinaryStudy(t *testing.T) {
	var q QuestionResult
	askKit(t, `{"id":1,"kind":"question","study":"first-baseline","question":"h6","methods":["overlap","bm25"]}`, &q)
	if !strings.HasPrefix(q.Need, "The person wants steps for exchanging") {
		t.Errorf("need %q", q.Need)
	}
	// Protocol and data: 13 permitted passages, none relevant for h6; the first result is P09, which says that there is no
	// procedure.
	if len(q.Judged) != 13 {
		t.Fatalf("%d judged passages, want 13", len(q.Judged))
	}
	for _, j := range q.Judged {
		if j.Judgement.Useful || j.Document.Reference == nil {
			t.Errorf("%s: %+v", j.Document.ID, j)
		}
	}
	for _, r := range q.Rankings {
		if len(r.Hits) != 5 || r.Hits[0].Document.ID != "P09" || r.Hits[0].Judgement.Text != "not relevant" {
			t.Errorf("%s: %d hits, first %+v", r.Method, len(r.Hits), r.Hits[0])
		}
		for _, m := range r.Measures {
			if m.Text != "undefined" || m.Path != "" {
				t.Errorf("%s: %+v: nothing is relevant, so no measure has a value", r.Method, m)
			}
		}
	}
}

func TestQuestionOfAGradedStudy(t *testing.T) {
	var q QuestionResult
	askKit(t, `{"id":1,"kind":"question","study":"r02","question":"A03","methods":["hybrid","typed:hybrid:2:0.3"],"k":5}`, &q)
	if q.Task == nil || q.Task.Domain != "mathematics" || q.Task.Origin != "public" || len(q.Task.Obligations) != 4 || len(q.Task.Reserved) != 3 {
		t.Fatalf("task %+v", q.Task)
	}
	// answers/allocation.json gives A03's methods; answers-a.jsonl, line 2, is reader a's answer.
	data, err := os.ReadFile("../../kit/r02/answers/allocation.json")
	if err != nil {
		t.Fatal(err)
	}
	var allocation []struct{ Task, A, B string }
	if err := json.Unmarshal(data, &allocation); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, a := range allocation {
		if a.Task != "A03" {
			continue
		}
		found = true
		if len(q.Task.Answers) != 2 || q.Task.Answers[0].Method != a.A || q.Task.Answers[1].Method != a.B {
			t.Errorf("answers %+v, allocated %+v", q.Task.Answers, a)
		}
	}
	if !found {
		t.Error("A03 is not allocated")
	}
	first := q.Task.Answers[0]
	if !strings.HasPrefix(first.Text, "The supplied definitions do not cover homology.") || first.Where != "r02/answers/answers-a.jsonl:2" || len(first.Grades) != 2 || len(first.Supplied) != 5 {
		t.Errorf("answer %+v", first)
	}
	for _, r := range q.Rankings {
		if len(r.Hits) != 5 || len(r.Measures) != 3 {
			t.Fatalf("%s: %d hits, %d measures", r.Method, len(r.Hits), len(r.Measures))
		}
		for _, h := range r.Hits {
			if h.Judgement == nil || len(h.Judgement.Grades) != 2 {
				t.Errorf("%s: %s has no judgements: every first five was judged", r.Method, h.Document.ID)
			}
			if r.Method == "hybrid" && len(h.Paths) > 0 {
				t.Errorf("hybrid walks no path, %s has %+v", h.Document.ID, h.Paths)
			}
			for _, p := range h.Paths {
				last := p.Steps[len(p.Steps)-1]
				if title := join(h.Document.Title); last.To != title || last.Evidence == "" {
					t.Errorf("path %+v ends at %q, want %q with evidence", p, last.To, title)
				}
			}
		}
	}
	// A task whose pool holds no grade above 0 has no nDCG; the others measures have values (PROTOCOL.md).
	askKit(t, `{"id":1,"kind":"question","study":"r02","question":"S02","methods":["hybrid"],"k":5}`, &q)
	if m := q.Rankings[0].Measures; !q.Task.Undefined || m[0].Text != "undefined" || m[1].Text != "0.0000" || m[2].Text != "0.0000" {
		t.Errorf("S02: undefined %v, measures %+v", q.Task.Undefined, m)
	}
}

func join(pieces []Piece) string {
	text := ""
	for _, p := range pieces {
		text += p.Text
	}
	return text
}
