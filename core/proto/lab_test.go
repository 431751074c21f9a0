package proto

import (
	"fmt"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/lab"
)

// Sessions share a trial: the units of one are run by another, and the first sums up. Nothing of it enters a replay.
func TestLab(t *testing.T) {
	m := frozen(t)
	here, there := NewSessionFS(design.All, m), NewSessionFS(design.All, m)
	for _, trial := range lab.Kinds {
		plan := ask[LabPlanResult](t, here, fmt.Sprintf(`{"id":1,"kind":"labPlan","study":"tiny","trial":%q,"count":20}`, trial))
		var cases []lab.Case
		for i, u := range plan.Units {
			r := ask[LabUnitResult](t, []*Session{here, there}[i%2], fmt.Sprintf(`{"id":2,"kind":"labUnit","study":"tiny","unit":%s}`, marshal(u)))
			cases = append(cases, r.Cases...)
		}
		r := ask[LabReportResult](t, here, fmt.Sprintf(`{"id":3,"kind":"labReport","study":"tiny","trial":%q,"count":20,"cases":%s}`, trial, marshal(cases)))
		if r.Done != r.Asked || r.Done == 0 || !r.Exploratory || r.Seed != 5 || r.Sentence == "" || len(r.Table.Rows) == 0 {
			t.Errorf("%s: %+v", trial, r)
		}
	}
	if here.replay != nil {
		t.Error("the laboratory started a replay")
	}
	knobs := ask[LabKnobsResult](t, here, `{"id":1,"kind":"labKnobs","study":"tiny","method":"graph"}`)
	if len(knobs.Knobs) == 0 || !strings.HasPrefix(knobs.Term, "graph(") {
		t.Errorf("%+v", knobs)
	}
	try := func(set string) LabTryResult {
		return ask[LabTryResult](t, here, `{"id":1,"kind":"labTry","study":"tiny","method":"graph","set":`+set+`,"cutoff":0,"test":false}`)
	}
	if r := try(`{}`); !r.Protocol || r.Settings != 0 || !r.Exploratory || r.Difference.Text != "0.0000" {
		t.Errorf("%+v", r)
	}
	if r := try(`{"graph.blend":"0.9"}`); r.Protocol || r.Settings != 1 {
		t.Errorf("%+v", r)
	}
	for request, want := range map[string]string{
		`{"id":1,"kind":"labPlan","study":"tiny","trial":"mix","count":1}`:                                               "unknown kind",
		`{"id":1,"kind":"labUnit","study":"tiny","unit":{"kind":"split","count":5,"from":4,"to":9}}`:                     "cases 4 to 9 of 5",
		`{"id":1,"kind":"labTry","study":"tiny","method":"graph","set":{"graph.blend":"7"},"cutoff":0,"test":false}`:     "outside 0 to 1",
		`{"id":1,"kind":"labReport","study":"tiny","trial":"split","count":2,"cases":[{"place":2,"value":0}]}`:           "place 2 of 2",
		`{"id":1,"kind":"labTry","study":"tiny","method":"graph","set":{"graph.edges":"empty"},"cutoff":0,"test":false}`: "not all of the settings",
		`{"id":1,"kind":"labTry","study":"tiny","method":"graph","set":{},"cutoff":-1,"test":false}`:                     "cutoff of -1",
		`{"id":1,"kind":"labUnit","study":"tiny","unit":{"kind":"rewire","count":999999999,"from":0,"to":999999999}}`:    "between 1 and 10000",
		`{"id":1,"kind":"labUnit","study":"tiny","unit":{"kind":"resample","count":9999999999,"from":0,"to":1}}`:         "between 1 and 200000",
	} {
		if _, problem := answerTo(t, here, request); problem == nil || !strings.Contains(problem.Message, want) {
			t.Errorf("%s: %+v, want %s", request, problem, want)
		}
	}
}
