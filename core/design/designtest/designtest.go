// Package designtest holds a design of three dozen lines, to show what one needs: it counts how many documents each method
// ranks for the questions of a study.
package designtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/kit"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/study/studytest"
	"retrace/core/verdict"
)

// Design is the entry for a table of designs.
var Design = study.Design{Key: "breadth", Spec: func() study.Spec { return new(Spec) }}

// Spec is the design's part of study.json.
type Spec struct {
	Most int `json:"most"` // how many documents count as many
}

// Check, Seals and Verdict need no data.
func (b *Spec) Check(*study.Protocol) error {
	if b.Most < 1 {
		return fmt.Errorf("breadth.most %d: at least 1", b.Most)
	}
	return nil
}

func (b *Spec) Seals() []string { return []string{study.SealProtocol, study.SealFrozen} }

func (b *Spec) Verdict(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	var r outcome
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, err
	}
	s := verdict.Sentence{}
	s.Words("On average " + p.Methods[0].Label + " ranks ")
	s.Number(numpath.Of("means", p.Methods[0].Name), show.Measure, r.Means[p.Methods[0].Name])
	s.Words(" documents.")
	return s.Parts, nil
}

// Load reads the questions.
func (b *Spec) Load(s *study.Study) (study.Loaded, error) { return &loaded{s}, s.LoadQuestions() }

type loaded struct{ study *study.Study }

type outcome struct {
	Means map[string]float64 `json:"means"`
}

func (d *loaded) Stages() []study.Stage {
	names := d.study.Protocol.AllMethods()
	return []study.Stage{{Name: "all", Plan: func(*study.Replay) ([]study.Unit, error) {
		terms, err := d.study.NamedTerms(names, nil)
		var places []int
		for i := range d.study.Questions {
			places = append(places, i)
		}
		return d.study.Units("all", terms, places), err
	}, Close: func(r *study.Replay) error {
		out := outcome{map[string]float64{}}
		for _, name := range names {
			mean, _, err := d.mean(r, name)
			if err != nil {
				return err
			}
			out.Means[name] = mean
		}
		r.Finish(out)
		return nil
	}}}
}

// mean returns how many documents a method ranks on average, and for each question.
func (d *loaded) mean(r *study.Replay, name string) (mean float64, counts []float64, err error) {
	for _, q := range d.study.Questions {
		o, err := r.Observation(q.ID, name)
		if err != nil {
			return 0, nil, err
		}
		counts = append(counts, float64(o.Candidates))
	}
	mean, _ = exact.Mean(counts)
	return mean, counts, nil
}

func (d *loaded) Rows() []study.Row {
	return []study.Row{{Shape: "means.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
		if !d.study.Protocol.HasMethod(x.Key(1)) {
			return nil, nil
		}
		mean, counts, err := d.mean(x.Replay, x.Key(1))
		if err != nil {
			return nil, err
		}
		node := x.Number("documents ranked by "+x.Key(1), mean, "How many documents the method ranks, averaged over the questions.", "Σ documents / n", (*loaded).mean)
		for i, q := range d.study.Questions {
			node.Inputs = append(node.Inputs, explain.Input{Label: q.ID, Text: show.Count(int64(counts[i])), Path: numpath.Of("question", q.ID)})
		}
		return node, nil
	}}}
}

// Tiny is the small known-item study turned into one of this design: the same documents, questions and lexical methods.
func Tiny() kit.Memory {
	m := studytest.Tiny()
	text := string(m[studytest.ProtocolFile])
	text = text[:strings.Index(text, `  "knownItem": {`)] + `  "breadth": {"most": 3}` + "\n}\n"
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.Contains(line, "${") { // methods that a lock completes
			kept = append(kept, line)
		}
	}
	text = strings.Replace(strings.Join(kept, "\n"), `"role": "control", "label": "Degree"},`, `"role": "control", "label": "Degree"}`, 1)
	m[studytest.ProtocolFile] = []byte(text)
	delete(m, studytest.TargetsFile)
	studytest.Manifests(m)
	return m
}
