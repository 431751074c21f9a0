package design_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/design/designtest"
	"retrace/core/proto"
	"retrace/core/study"
	"retrace/core/study/studytest"
	"retrace/core/verdict"
)

// A design that only a test knows loads, replays, explains its numbers, speaks, and answers what a host asks: a design is
// its package and its rows in the tables.
func TestAFourthDesign(t *testing.T) {
	designs := append(slices.Clone(design.All), designtest.Design)
	m := designtest.Tiny()
	s, err := study.Load(designs, m, studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	// "degree" ranks each of the 12 documents for each question, whatever it asks.
	if !strings.Contains(string(o.Results), `"degree":12`) {
		t.Errorf("%s", o.Results)
	}
	numbers, err := s.Numbers(o.Results)
	if err != nil || len(numbers) != 4 {
		t.Fatalf("%v, %v", numbers, err)
	}
	for _, n := range numbers {
		node, err := s.Explain(nil, n.Path)
		if err != nil || node.Text != n.Text || len(node.Inputs) != len(s.Questions) {
			t.Errorf("%s: %+v, %v", n.Path, node, err)
		}
	}
	parts, err := s.Protocol.Spec.Verdict(s.Protocol, o.Results)
	if err != nil || !strings.HasPrefix(verdict.Text(parts), "On average BM25 ranks ") {
		t.Errorf("%v, %v", parts, err)
	}

	session := proto.NewSessionFS(designs, m)
	for _, request := range []string{`{"id":1,"kind":"studies"}`, `{"id":2,"kind":"describe","study":"tiny"}`, `{"id":3,"kind":"figures","study":"tiny"}`,
		`{"id":4,"kind":"question","study":"tiny","question":"F1-part","methods":["bm25"]}`, `{"id":5,"kind":"explain","study":"tiny","path":"means.degree"}`,
		`{"id":6,"kind":"replay","study":"tiny"}`} {
		var reply struct{ Error *proto.Error }
		if err := json.Unmarshal(proto.Handle(session, []byte(request)), &reply); err != nil || reply.Error != nil {
			t.Errorf("%s: %v, %v", request, reply.Error, err)
		}
	}
}

// To an engine that doesn't have it, the design is an unknown field, with those that it has; two designs or none are an error.
func TestUnknownDesign(t *testing.T) {
	m := designtest.Tiny()
	if _, err := design.Load(m, studytest.ID); err == nil || !strings.Contains(err.Error(), `unknown field "breadth"`) {
		t.Error(err)
	}
	text := string(m[studytest.ProtocolFile])
	for name, c := range map[string]struct{ edit, want string }{
		"none": {"", "give exactly one design (knownItem, binary, graded"},
		"two":  {`"knownItem": {}, "binary": {}`, "here are 2"},
	} {
		m[studytest.ProtocolFile] = []byte(strings.Replace(strings.Replace(text, `,
  "breadth": {"most": 3}`, c.edit, 1), `"keep": 10"`, `"keep": 10,"`, 1))
		if c.edit != "" {
			m[studytest.ProtocolFile] = []byte(strings.Replace(text, `"breadth": {"most": 3}`, c.edit, 1))
		}
		studytest.Manifests(m)
		if _, err := design.Load(m, studytest.ID); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
