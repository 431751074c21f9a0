package graded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"retrace/core/design/paired"
	"retrace/core/exact"
	"retrace/core/kit"
	"retrace/core/kit/kittest"
	"retrace/core/study"
)

// kitRoot is the bundled kit.
const kitRoot = "../../../kit"

// replayed runs R02 once for all tests of this file.
var replayed = sync.OnceValues(func() (*study.Replay, error) {
	s, err := study.Load(study.Designs{Design}, os.DirFS(kitRoot), "r02")
	if err != nil {
		return nil, err
	}
	return s.RunAll(study.Options{}, nil)
})

func r02(t *testing.T) *study.Replay {
	t.Helper()
	r, err := replayed()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A replay gives the frozen bytes; the figures are those of an implementation in Python written from the protocol
// alone, which wrote them with 17 digits. Its sums run in other orders, so that last places may differ.
func TestR02Replay(t *testing.T) {
	r := r02(t)
	o, err := r.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Files {
		frozen, err := r.Study().Kit.Read(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(frozen, f.Data) {
			t.Errorf("%s differs from what is frozen", f.Path)
		}
	}
	var results any
	if err := json.Unmarshal(o.Results, &results); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]any{
		"agreement/pairs":                           902.,
		"agreement/exact":                           0.9745011086474501,
		"agreement/kappa":                           0.9746910492735236,
		"agreement/matrix/1/2":                      4.,
		"agreement/disagreements":                   23.,
		"agreement/list/0/concept":                  "1113",
		"development/settings/bm25":                 0.24824254218795236,
		"development/settings/hybrid":               0.5038756159208757,
		"development/settings/typed:hybrid:2:0.3":   0.5555899051703692,
		"development/settings/untyped:dense:0.3":    0.46085910253718293,
		"development/settings/reverse:hybrid:2:0.3": 0.5040989077877446,
		"development/settings/permuted:dense:2:0.3": 0.362557309276728,
		"lock/baseline":                             "hybrid",
		"lock/typed":                                "typed:hybrid:2:0.3",
		"lock/untyped":                              "untyped:hybrid:0.3",
		"final/baseline/ndcg5":                      0.381105669237644,
		"final/typed/ndcg5":                         0.35617275393271464,
		"final/untyped/ndcg5":                       0.39126528974966035,
		"final/reverse/coverage5":                   0.2013888888888889,
		"final/permuted/useful5":                    0.13888888888888892,
		"final/empty/ndcg5":                         0.381105669237644,
		"finalByAssessor/a/typed/ndcg5":             0.36362159060481625,
		"finalByAssessor/b/reverse/coverage5":       0.2152777777777778,
		"nByAssessor/a":                             32.,
		"nByAssessor/b":                             30.,
		"undefined/final/3":                         "S20",
		"undefinedByAssessor/b/final/4":             "B08",
		"changed/order/0":                           "A03",
		"changed/membership/1":                      "S01",
		"pathCoverage/finalTasksWithPath":           35.,
		"pathCoverage/paths":                        256.,
		"contrasts/ndcg5/n":                         32.,
		"contrasts/ndcg5/nonzero":                   14.,
		"contrasts/ndcg5/difference":                -0.0249329153049294,
		"contrasts/ndcg5/ci95/0":                    -0.058644836262581164,
		"contrasts/ndcg5/ci95/1":                    0.0073778157884569285,
		"contrasts/ndcg5/ci95Stratified/0":          -0.05442878732357511,
		"contrasts/ndcg5/ci95Stratified/1":          0.003730735857639271,
		"contrasts/ndcg5/p":                         0.1568843115688431,
		"contrasts/ndcg5/pExact":                    0.1580810546875,
		"contrasts/ndcg5/pHolm":                     0.3137686231376862,
		"contrasts/composite/n":                     36.,
		"contrasts/composite/difference":            -0.004629629629629629,
		"contrasts/composite/ci95/0":                -0.013888888888888888,
		"contrasts/composite/ci95Stratified/1":      0.003472222222222222,
		"contrasts/composite/p":                     0.44225577442255776,
		"contrasts/composite/pExact":                0.44,
		"contrasts/composite/pHolm":                 0.44225577442255776,
		"answers/baseline/composite":                0.7256944444444444,
		"answers/baseline/unsupported":              2.,
		"answers/typed/composite":                   0.7210648148148148,
		"answers/typed/obligations":                 0.5868055555555556,
		"answers/typed/role":                        0.9930555555555556,
		"answers/typed/evidence":                    0.9861111111111112,
		"answers/agreement/exact":                   0.9722222222222222,
	} {
		v := results
		for _, key := range strings.Split(at, "/") {
			switch x := v.(type) {
			case map[string]any:
				v = x[key]
			case []any:
				var i int
				fmt.Sscan(key, &i)
				v = x[i]
			default:
				v = nil
			}
		}
		if a, ok := v.(float64); ok {
			if b, ok := want.(float64); ok && math.Abs(a-b) <= 1e-12 {
				continue
			}
		}
		if v != want {
			t.Errorf("%s is %v, want %v", at, v, want)
		}
	}
}

// Without relations a typed method returns its base, scores and all.
func TestEmptyRelationsRankAsTheBase(t *testing.T) {
	r := r02(t)
	compared := 0
	for _, q := range r.Study().Questions {
		for _, base := range []string{"bm25", "dense", "hybrid"} {
			want, err := r.Observation(q.ID, base)
			if err != nil {
				t.Fatal(err)
			}
			for _, setting := range []string{":1:0.1", ":1:0.3", ":2:0.1", ":2:0.3"} {
				got, err := r.Observation(q.ID, "empty:"+base+setting)
				if err != nil {
					t.Fatal(err)
				}
				if compared++; !slices.Equal(got.Best, want.Best) || got.Candidates != want.Candidates {
					t.Errorf("%s: empty:%s%s differs from %s", q.ID, base, setting, base)
				}
			}
		}
	}
	if compared != 48*12 {
		t.Errorf("compared %d rankings, want %d", compared, 48*12)
	}
}

// Cues are whole words and the inflections that the file lists, in any case.
func TestCues(t *testing.T) {
	s := r02(t).Study()
	for text, want := range map[string]string{
		"What is the difference?":                            "contrasts-with",
		"They look different to me.":                         "", // the file lists no such inflection
		"Is it OPPOSED to the other, rather than part of it": "contrasts-with part-of",
		"needless to say":                                    "",
		"what it needs":                                      "depends-on",
		"This relies on heat and leads to growth.":           "depends-on enables",
		"an instance, a typed example":                       "is-a",
		"reasons to believe":                                 "supports",
		"departs":                                            "",
		"part-time":                                          "part-of", // a hyphen is a word boundary
	} {
		var got []string
		for p, w := range s.Weights(text) {
			switch w {
			case 1:
			case 2:
				got = append(got, s.Protocol.Relations.Vocabulary.Predicates[p])
			default:
				t.Errorf("%q: weight %v", text, w)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

// Every path that is shown rests on words that stand in a definition, and what its paths deliver is what a document
// receives.
func TestPathsShowTheirEvidence(t *testing.T) {
	s := r02(t).Study()
	q, _ := s.Question("A01")
	x, err := s.NewScoring("typed:hybrid:2:0.3", q, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := x.Paths(-1)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d paths, %v", len(all), err)
	}
	received := map[string]float64{}
	for _, p := range all {
		received[p.Steps[len(p.Steps)-1].To] += p.Mass
		for _, step := range p.Steps {
			doc, ok := s.Collection.Number(step.EvidenceDoc)
			if !ok || !strings.Contains(s.Collection.Docs[doc].Text, step.Evidence) || step.Evidence == "" {
				t.Errorf("evidence %q does not stand in %s", step.Evidence, step.EvidenceDoc)
			}
			if !strings.HasPrefix(step.Where, "concepts/relations.jsonl:") {
				t.Errorf("a step without its place: %+v", step)
			}
		}
	}
	for doc := range s.Collection.Docs {
		mass, err := x.ExplainMass(doc)
		if err != nil {
			t.Fatal(err)
		}
		if id := s.Collection.Docs[doc].ID; received[id] != *mass.Value {
			t.Errorf("document %s receives %v, its paths deliver %v", id, *mass.Value, received[id])
		}
	}
	if y, err := s.NewScoring("bm25", q, nil); err != nil {
		t.Error(err)
	} else if paths, err := y.Paths(-1); err != nil || len(paths) != 0 {
		t.Errorf("bm25 has %d paths, %v", len(paths), err)
	}
}

func TestCandidatesInTheOrderOfTies(t *testing.T) {
	c := Candidate{Method: "typed:${baseline}:${hops}:${blend}", Grid: []paired.Axis{{Key: "hops", Values: []string{"1", "2"}}, {Key: "blend", Values: []string{"0.1", "0.3"}}}}
	var got []string
	for _, m := range c.methods("bm25") {
		got = append(got, m.name)
	}
	if want := "typed:bm25:1:0.1 typed:bm25:1:0.3 typed:bm25:2:0.1 typed:bm25:2:0.3"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	for pattern, want := range map[string]string{"${a}-${b.c}": "1-2", "${x}": "${x}", "${a": "${a", "$a": "$a", "": ""} {
		if got := expand(pattern, map[string]string{"a": "1", "b.c": "2"}); got != want {
			t.Errorf("expand(%q) = %q, want %q", pattern, got, want)
		}
	}
}

// By protocol, twelve cells of four tasks give one development task each. The IDs are those that an implementation in
// Python written from the protocol alone drew.
func TestSplitIsDrawnInCells(t *testing.T) {
	g := From(r02(t).Study())
	if got := strings.Join(g.ids(g.split(false)), " "); got != "A02 S03 A06 S05 A09 S12 B03 S16 B05 S19 B12 S24" {
		t.Errorf("development tasks %s", got)
	}
	cells := map[string]int{}
	for i, task := range g.tasks {
		cells[task.Domain+" "+task.Origin] += exact.One(g.final[i])
	}
	if len(cells) != 12 {
		t.Errorf("%d cells, want 12", len(cells))
	}
	for cell, n := range cells {
		if n != 3 {
			t.Errorf("%s has %d final tasks, want 3", cell, n)
		}
	}
}

// seal adds a seal to an unsealed study in memory.
func seal(t *testing.T, m kit.Memory, id string, number int, s kit.Seal) {
	t.Helper()
	name := fmt.Sprintf("%s/seals/%d-%s.json", id, number, s.Stage)
	s.Format, s.Study = kit.SealFormat, id
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	m[name] = data
	var manifest kit.Manifest
	if err := json.Unmarshal(m[id+"/manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	manifest.Files = append(manifest.Files, kit.Describe(name, data))
	if m[id+"/manifest.json"], err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
}

// The final tasks are not scored under another lock than the sealed one.
func TestAnotherLockIsRefused(t *testing.T) {
	m := kittest.Draft(t, kitRoot, "r02", []string{"concepts"}, nil)
	seal(t, m, "r02", 1, kit.Seal{Stage: study.SealProtocol})
	seal(t, m, "r02", 2, kit.Seal{Stage: study.SealLock, Previous: kit.Hash(m["r02/seals/1-protocol.json"]),
		Lock: json.RawMessage(`{"baseline":"hybrid","typed":"typed:hybrid:1:0.3","untyped":"untyped:hybrid:0.3"}`)})
	s, err := study.Load(study.Designs{Design}, m, "r02")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.RunAll(study.Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "r02/seals/2-lock.json: the development stage chooses") {
		t.Errorf("replay under another lock gave %v", err)
	}
}

// Key and packets must be those that the protocol's rule gives.
func TestPoolThatWasChangedIsRefused(t *testing.T) {
	swap := func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		lines[0], lines[1] = lines[1], lines[0]
		return strings.Join(lines, "")
	}
	for file, want := range map[string]string{
		"r02/pool/packet-a.jsonl":    "r02/pool/packet-a.jsonl:1: differs from what the rule gives",
		"r02/pool/key.jsonl":         "r02/pool/key.jsonl:2: task A01: concept 13 stands twice or out of order",
		"r02/answers/reader-b.jsonl": "r02/answers/reader-b.jsonl:1: differs from what the rule gives",
		"r02/answers/grader-a.jsonl": "r02/answers/grader-a.jsonl:1: differs from what the rule gives",
	} {
		s, err := study.Load(study.Designs{Design}, kittest.Draft(t, kitRoot, "r02", []string{"concepts"}, map[string]func(string) string{file: swap}), "r02")
		if err == nil {
			_, err = s.RunAll(study.Options{}, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path.Base(file), err, want)
		}
	}
}

func TestNoResultsWithoutVectors(t *testing.T) {
	if _, err := r02(t).Study().NewReplay(study.Options{WithoutVectors: true}); err == nil || !strings.Contains(err.Error(), "no results without vectors") {
		t.Errorf("a replay of R02 without vectors gave %v", err)
	}
}
