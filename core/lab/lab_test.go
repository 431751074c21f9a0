package lab_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/design/knownitem"
	"retrace/core/kit"
	"retrace/core/lab"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// replayed loads a study and replays it by its own rules.
func replayed(t *testing.T, m kit.Memory) (*study.Study, *study.Replay, knownitem.Results) {
	t.Helper()
	s, err := design.Load(m, studytest.ID)
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
	var results knownitem.Results
	if err := json.Unmarshal(o.Results, &results); err != nil {
		t.Fatal(err)
	}
	return s, r, results
}

func tiny(t *testing.T) (*lab.Lab, knownitem.Results) {
	t.Helper()
	return labOf(t, studytest.Tiny())
}

func labOf(t *testing.T, m kit.Memory) (*lab.Lab, knownitem.Results) {
	t.Helper()
	s, r, results := replayed(t, m)
	l, err := lab.New(s, r)
	if err != nil {
		t.Fatal(err)
	}
	return l, results
}

// tried runs a whole trial, its units from last to first.
func tried(t *testing.T, l *lab.Lab, kind string, count int) *lab.Report {
	t.Helper()
	units, err := l.Plan(kind, count)
	if err != nil {
		t.Fatal(err)
	}
	var cases []lab.Case
	for _, u := range slices.Backward(units) {
		list, err := l.Run(u)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, list...)
	}
	r, err := l.Report(kind, count, cases)
	if err != nil {
		t.Fatal(err)
	}
	if r.Done != r.Asked || !r.Exploratory {
		t.Fatalf("%s: %d of %d cases", kind, r.Done, r.Asked)
	}
	return r
}

// The tiny study has a control of its own on a rewired graph: with its stream set to a case's, the study's own replay has
// to give the case's value.
func TestRewire(t *testing.T) {
	l, results := tiny(t)
	r := tried(t, l, lab.Rewire, 7)
	if r.Observed.Value != results.Methods["graph"].MRR {
		t.Errorf("observed %v, the study says %v", r.Observed.Value, results.Methods["graph"].MRR)
	}
	atLeast := 0
	for i, c := range r.Cases {
		m := studytest.Tiny()
		studytest.Edit(m, studytest.ProtocolFile, `"stream": 21`, fmt.Sprintf(`"stream": %d`, c.Stream))
		_, _, own := replayed(t, m)
		if want := own.Methods["rewired-1"].MRR; c.Value != want || c.Stream != lab.RewireStream+uint64(i) {
			t.Errorf("graph %d, stream %d: %v, the study's replay gives %v", i, c.Stream, c.Value, want)
		}
		if c.Value >= r.Observed.Value {
			atLeast++
		}
	}
	if r.AtLeast != atLeast || r.Share != float64(1+atLeast)/8 {
		t.Errorf("%d at least as high, share %v; want %d", r.AtLeast, r.Share, atLeast)
	}
}

// A study whose protocol draws its split from a case's stream has to lock and find what the case says.
func TestSplit(t *testing.T) {
	// A heavy blend first and baselines that differ, so that the choice depends on the split.
	start := func() kit.Memory {
		m := studytest.Tiny()
		studytest.Edit(m, studytest.ProtocolFile, `"values": ["0.1", "0.3"]`, `"values": ["1", "0.3"]`)
		studytest.Edit(m, studytest.ProtocolFile, `"term": "bm25"`, `"term": "degree"`)
		return m
	}
	l, results := labOf(t, start())
	r := tried(t, l, lab.Split, 12)
	if c := results.Contrasts["primary"]; r.Observed.Value != c.Difference || r.Observed.CI95 != c.CI95 || r.Observed.P != c.PExact {
		t.Errorf("observed %+v, the study says %+v", r.Observed, c)
	}
	chosen := map[string]bool{}
	for _, c := range r.Cases {
		m := start()
		studytest.Edit(m, studytest.ProtocolFile, `"developmentStream": 4`, fmt.Sprintf(`"developmentStream": %d`, c.Stream))
		file, data, err := knownitem.Targets(design.All, m, studytest.ID)
		if err != nil {
			t.Fatal(err)
		}
		m[file] = data
		studytest.Manifests(m)
		_, _, own := replayed(t, m)
		lock, contrast := own.Development.Lock, own.Contrasts["primary"]
		choice := fmt.Sprintf("%s, teleport = %s, blend = %s", lock["baseline"], lock["teleport"], lock["blend"])
		if c.Choice != choice || c.Value != contrast.Difference ||
			c.CI95 != contrast.CI95 || c.P != contrast.PExact || c.Verdict != knownitem.Effect(contrast) {
			t.Errorf("%+v, the study's replay chooses %s and gives %+v", c, choice, contrast)
		}
		chosen[c.Choice] = true
	}
	if len(chosen) < 2 {
		t.Errorf("every split chooses %v: the test shows nothing", chosen)
	}
}

// The mean without a family is the sum without it over one less.
func TestInfluence(t *testing.T) {
	l, results := tiny(t)
	r := tried(t, l, lab.Influence, 0)
	sum := 0.0
	for _, f := range results.Families {
		sum += f.Difference
	}
	n := len(results.Families)
	if len(r.Cases) != n || n != 4 {
		t.Fatalf("%d cases, %d families", len(r.Cases), n)
	}
	for i, c := range r.Cases {
		f := results.Families[i]
		if want := (sum - f.Difference) / float64(n-1); c.Name != f.Family || math.Abs(c.Value-want) > 1e-12 {
			t.Errorf("without %s: %v, want %v", c.Name, c.Value, want)
		}
	}
}

// At the protocol's own numbers, interval and p are the study's.
func TestResample(t *testing.T) {
	l, results := tiny(t)
	r := tried(t, l, lab.Resample, 300)
	want := results.Contrasts["primary"]
	var names []string
	for _, c := range r.Cases {
		names = append(names, c.Name)
		if c.Name == "50" && (c.CI95 != want.CI95 || c.P != want.P) {
			t.Errorf("%+v, the study says %+v", c, want)
		}
	}
	if got := strings.Join(names, " "); got != "50 100 200 300" {
		t.Errorf("resamples %s", got)
	}
}

// Cases don't depend on what ran before them, and a report stands on those that are done.
func TestUnits(t *testing.T) {
	for _, kind := range []string{lab.Rewire, lab.Split} {
		l, _ := tiny(t)
		whole := tried(t, l, kind, 12)
		fresh, _ := tiny(t)
		list, err := fresh.Run(lab.Unit{Kind: kind, Count: 12, From: 8, To: 10})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(list, whole.Cases[8:10]) {
			t.Errorf("%s: alone %+v, in the whole %+v", kind, list, whole.Cases[8:10])
		}
		r, err := fresh.Report(kind, 12, append(list, list...))
		if err != nil || r.Done != 2 || r.Asked != 12 {
			t.Errorf("%s: %d of %d, %v", kind, r.Done, r.Asked, err)
		}
		if sum := count(r.Values.Counts); sum != 2 {
			t.Errorf("%s: the histogram counts %d", kind, sum)
		}
	}
}

func count(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return sum
}

func TestRefuses(t *testing.T) {
	l, _ := tiny(t)
	for _, u := range []lab.Unit{
		{Kind: "mix", Count: 1, To: 1}, {Kind: lab.Rewire, Count: 0, To: 1}, {Kind: lab.Rewire, Count: lab.MaxCount + 1, To: 1},
		{Kind: lab.Split, Count: 5, From: 5, To: 6}, {Kind: lab.Split, Count: 5, From: -1, To: 2}, {Kind: lab.Split, Count: 5, From: 2, To: 2},
	} {
		if _, err := l.Run(u); err == nil {
			t.Errorf("%+v passes", u)
		}
	}
	for _, c := range []lab.Case{{Place: 3}, {Place: -1}, {Value: math.NaN()}} {
		if _, err := l.Report(lab.Split, 3, []lab.Case{c}); err == nil {
			t.Errorf("%+v passes", c)
		}
	}
}

// A contrast without links has nothing to rewire, and says so.
func TestNotForThis(t *testing.T) {
	m := studytest.Tiny()
	studytest.Edit(m, studytest.ProtocolFile, `"method": "graph", "against"`, `"method": "degree", "against"`)
	studytest.Edit(m, studytest.ProtocolFile, `"term": "degree"`, `"term": "tfidf"`)
	s, r, _ := replayed(t, m)
	l, err := lab.New(s, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Plan(lab.Rewire, 5); err == nil || !strings.Contains(err.Error(), "rewire is not for this study") {
		t.Errorf("%v", err)
	}
	if _, err := l.Plan(lab.Split, 5); err != nil {
		t.Error(err)
	}
}

// A setting of the grid has on the development families what the study's development found for it; the locked one is the
// protocol's own. The counts of units add up, and their changes to the difference.
func TestWhatIf(t *testing.T) {
	m := studytest.Tiny()
	studytest.Edit(m, studytest.ProtocolFile, `"values": ["0.1", "0.3"]`, `"values": ["0.1", "1"]`)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	l, results := labOf(t, m)
	_, knobs, err := l.Knobs("graph")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, k := range knobs {
		keys = append(keys, k.Key+"="+k.Value)
	}
	if got := strings.Join(keys, " "); got != "graph.teleport=0.15 graph.blend=0.1 graph.seeds=3 graph.steps=20 bm25.k1=1.2 bm25.b=0.75" {
		t.Errorf("knobs %s", got)
	}
	for _, g := range results.Development.Grid {
		w := lab.WhatIf{Method: "graph", Set: map[string]string{"graph.teleport": g["teleport"], "graph.blend": g["blend"]}}
		got, err := l.Try(w)
		if err != nil {
			t.Fatal(err)
		}
		locked := g["teleport"] == results.Development.Lock["teleport"] && g["blend"] == results.Development.Lock["blend"]
		if want, _ := g.Number("mrr10"); got.Value.Value != want || got.Protocol != locked || got.Up+got.Down+got.Tied != got.Count || got.Count != 2 {
			t.Errorf("%v: %+v", g, got)
		}
	}
	got, err := l.Try(lab.WhatIf{Method: "graph", Test: true})
	if err != nil || got.Value.Value != results.Methods["graph"].MRR || got.Baseline.Value != results.Methods["bm25"].MRR || !got.Protocol || got.Settings != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	// Within one place, the reciprocal rank is the hit: hits at 1 over questions.
	if got, err = l.Try(lab.WhatIf{Method: "graph", Test: true, Cutoff: 1}); err != nil || got.Protocol ||
		got.Value.Value != float64(results.Methods["graph"].Hits[1])/float64(results.Methods["graph"].Questions) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, w := range []lab.WhatIf{
		{Method: "graph", Set: map[string]string{"graph.blend": "2"}}, {Method: "graph", Set: map[string]string{"graph.blend": "x"}},
		{Method: "graph", Set: map[string]string{"tfidf.k": "2"}}, {Method: "nothing"}, {Method: "graph", Cutoff: 21},
	} {
		if _, err := l.Try(w); err == nil {
			t.Errorf("%+v passes", w)
		}
	}
}

// A study whose grid has one setting finds with it on the test families what that setting is tried to give elsewhere. The
// base ranks by degree alone, so that settings matter.
func TestWhatIfMoves(t *testing.T) {
	start := func() kit.Memory {
		m := studytest.Tiny()
		studytest.Edit(m, studytest.ProtocolFile, `"baselines": ["bm25", "tfidf", "rrf"]`, `"baselines": ["bm25"]`)
		studytest.Edit(m, studytest.ProtocolFile, `"term": "bm25"`, `"term": "degree"`)
		return m
	}
	m := start()
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	l, _ := labOf(t, m)
	other := start()
	studytest.Edit(other, studytest.ProtocolFile, `"values": ["0.1", "0.3"]`, `"values": ["0"]`)
	studytest.Edit(other, studytest.ProtocolFile, `"values": ["0.15", "0.5"]`, `"values": ["0.9"]`)
	_, _, own := replayed(t, other)
	got, err := l.Try(lab.WhatIf{Method: "graph", Set: map[string]string{"graph.blend": "0", "graph.teleport": "0.9"}, Test: true})
	if err != nil || got.Value.Value != own.Methods["graph"].MRR || got.Value == got.Before || got.Up+got.Down == 0 || len(got.Moved) != got.Up+got.Down {
		t.Errorf("%+v, %v, want %v", got, err, own.Methods["graph"].MRR)
	}
}
