// Package binary is the design of studies in which every document of a view is judged relevant or not for every need, and
// needs stand in splits that are evaluated one after the other.
package binary

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/kit"
	"retrace/core/metrics"
	"retrace/core/records"
	"retrace/core/study"
)

// Key is where the design's part stands in study.json.
const Key = "binary"

// Design is the entry for a table of designs.
var Design = study.Design{Key: Key, Spec: func() study.Spec { return new(Spec) }}

// Spec is the design's part of study.json: the design of studies in which every document of a view is judged relevant or not for every need, and needs
// stand in splits that are evaluated one after the other.
type Spec struct {
	Splits   []Split             `json:"splits"`   // in the order of evaluation
	Measures []study.MeasureSpec `json:"measures"` // docs/studies.md, Measures
	Same     [][]string          `json:"same"`     // methods that must return the same documents with the same scores
	Slices   []Slice             `json:"slices"`   // what each slice's name claims
	Negation []string            `json:"negation"` // words that mark a text as saying that there is nothing
}

// A Split is a file of needs.
type Split struct {
	Name  string `json:"name"`
	Label string `json:"label,omitempty"` // as people say it, where that isn't the name: held-out
	File  string `json:"file"`
}

// Spoken names a split, given by its name, as people do.
func (b *Spec) Spoken(split string) string {
	for _, s := range b.Splits {
		if s.Name == split {
			return s.Spoken()
		}
	}
	return split
}

// Spoken names the split as people do.
func (s Split) Spoken() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Name
}

// A Slice says what the name of a group of needs claims of the trace: one of the claims of docs/studies.md.
type Slice struct {
	Name  string `json:"name"`
	Claim string `json:"claim"`
}

// Claims lists what a slice may claim, ascending.
func Claims() []string { return slices.Sorted(maps.Keys(claims)) }

// Check says what is wrong with the design's part of a protocol.
func (b *Spec) Check(p *study.Protocol) error {
	switch {
	case p.Questions.File != "":
		return fmt.Errorf("questions.file: a binary design's splits name files of needs: leave it out")
	case p.Collection.View == nil:
		return fmt.Errorf("collection.view: a binary design judges the documents of a view")
	case len(b.Splits) == 0 || len(b.Splits) > 16:
		return fmt.Errorf("splits: between 1 and 16")
	}
	seen := map[string]bool{}
	for _, s := range b.Splits {
		if !study.Named(s.Name) || seen[s.Name] || s.File == "" {
			return fmt.Errorf("splits: name %q is malformed or used twice, or has no file", s.Name)
		}
		seen[s.Name] = true
	}
	if _, err := p.ParseMeasures(b.Measures, reservedKeys...); err != nil {
		return err
	}
	for _, same := range b.Same {
		for _, m := range same {
			if !p.HasMethod(m) {
				return fmt.Errorf("same: unknown method %q: define it under methods", m)
			}
		}
	}
	for _, s := range b.Slices {
		if _, ok := claims[s.Claim]; !ok {
			return fmt.Errorf("slices: %s: unknown claim %q: use one of %v", s.Name, s.Claim, Claims())
		}
	}
	return nil
}

// Seals lists the stages of the study's seals.
func (b *Spec) Seals() []string {
	return []string{study.SealProtocol, study.SealEngine, study.SealFrozen}
}

// reservedKeys stand beside measures in results.
var reservedKeys = []string{"defined", "undefined"}

// A Loaded is a binary study with its needs.
type Loaded struct {
	study    *study.Study
	spec     *Spec
	view     judge.View
	measures []metrics.Measure
	needs    []need // by place among the study's questions: splits in order, needs in file order
}

// Of returns the design's part of a protocol, nil in a study of another design.
func Of(p *study.Protocol) *Spec {
	b, _ := p.Spec.(*Spec)
	return b
}

// From returns the design of a loaded study, nil in a study of another design.
func From(s *study.Study) *Loaded {
	b, _ := s.Design.(*Loaded)
	return b
}

type need struct {
	judge.Need
	split string
}

// Load reads the needs of every split.
func (b *Spec) Load(s *study.Study) (study.Loaded, error) {
	d := &Loaded{study: s, spec: b, view: judge.View{Name: s.Protocol.Collection.View.Name, Others: s.Outside}}
	d.measures, _ = s.Protocol.ParseMeasures(b.Measures, reservedKeys...) // checked before
	for _, doc := range s.Collection.Docs {
		d.view.Permitted = append(d.view.Permitted, doc.ID)
	}
	for _, split := range b.Splits {
		data, err := s.Kit.Read(split.File)
		if err != nil {
			return nil, err
		}
		needs, err := judge.ParseNeeds(split.File, data, split.Name, d.view)
		if err != nil {
			return nil, err
		}
		for _, n := range needs {
			err := s.AddQuestion(study.Question{ID: n.ID, Text: n.Query, Kind: n.Slice, Split: split.Name, Target: -1, File: split.File, Line: n.Line})
			if err != nil {
				return nil, err
			}
			d.needs = append(d.needs, need{n, split.Name})
		}
	}
	return d, nil
}

// places returns the places of a split's needs.
func (b *Loaded) places(split string) []int {
	var list []int
	for q, n := range b.needs {
		if n.split == split {
			list = append(list, q)
		}
	}
	return list
}

// Stages are the splits, in order.
func (b *Loaded) Stages() []study.Stage {
	var list []study.Stage
	for i, split := range b.spec.Splits {
		list = append(list, study.Stage{Name: split.Name, Plan: func(*study.Replay) ([]study.Unit, error) {
			if i > 0 {
				if err := b.checkEngine(); err != nil {
					return nil, err
				}
			}
			methods, err := b.study.NamedTerms(b.study.Protocol.AllMethods(), nil)
			return b.study.Units(split.Name, methods, b.places(split.Name)), err
		}, Close: func(r *study.Replay) error {
			if i < len(b.spec.Splits)-1 {
				return nil
			}
			results, files, err := b.results(r)
			if err == nil {
				r.Finish(results, files...)
			}
			return err
		}})
	}
	return list
}

// checkEngine refuses to go beyond the first split of a sealed study whose engine is not sealed.
func (b *Loaded) checkEngine() error {
	seals, err := b.study.Kit.Seals(b.study.Protocol.ID)
	if err != nil {
		return err
	}
	if len(seals) > 0 && !slices.ContainsFunc(seals, func(s kit.Seal) bool { return s.Stage == study.SealEngine }) {
		return records.Errorf(b.study.Protocol.ID, 0, fmt.Sprintf("run `build engine %s` first", b.study.Protocol.ID),
			"only the first split may be evaluated before the engine is sealed")
	}
	return nil
}

// evaluation is one method on one need.
type evaluation struct {
	study.Observation
	values map[string]*float64 // by a measure's key; null where undefined
}

// evaluate computes the measures of one observation. Every passage of the view is judged, so nothing is assumed.
func (b *Loaded) evaluate(place int, o study.Observation) (evaluation, error) {
	n := b.needs[place]
	topic := &metrics.Topic{ID: n.ID}
	for _, p := range o.Best {
		topic.Ranked = append(topic.Ranked, p.ID)
	}
	if err := b.view.CheckReturned(n.ID, topic.Ranked); err != nil {
		return evaluation{}, err
	}
	for d, label := range n.Labels {
		topic.Judged = append(topic.Judged, metrics.Judgement{Doc: b.view.Permitted[d], Grade: metrics.Whole(label)})
	}
	e := evaluation{o, map[string]*float64{}}
	for i, m := range b.measures {
		value, defined, err := m.Compute(topic)
		if err != nil {
			return e, err
		}
		e.values[b.spec.Measures[i].Key] = nil
		if defined {
			e.values[b.spec.Measures[i].Key] = &value
		}
	}
	return e, nil
}

// Results are the results of a Binary study. Nothing in them depends on passages outside the view.
type Results struct {
	Format   string                 `json:"format"`
	Study    string                 `json:"study"`
	View     ViewResult             `json:"view"`
	Index    IndexResult            `json:"index"`
	Same     []SameResult           `json:"same"`
	Splits   map[string]SplitResult `json:"splits"`
	Audit    []NeedAudit            `json:"audit"`    // splits in order, needs in file order
	Notebook []Note                 `json:"notebook"` // likewise
}

// ViewResult is the view that was searched.
type ViewResult struct {
	Name     string `json:"name"`
	Passages int    `json:"passages"`
}

// IndexResult describes index.json.
type IndexResult struct {
	Bytes    int    `json:"bytes"`
	SHA256   string `json:"sha256"`
	Passages int    `json:"passages"`
	Terms    int    `json:"terms"`
	Postings int    `json:"postings"`
	Tokens   int64  `json:"tokens"`
}

// SameResult says that methods were found to return the same documents with the same scores.
type SameResult struct {
	Methods []string `json:"methods"`
	Needs   int      `json:"needs"`
}

// SplitResult is one split.
type SplitResult struct {
	Needs   int                     `json:"needs"`
	Methods map[string]MethodResult `json:"methods"`
}

// MethodResult is a method on a split: each measure's mean over the needs for which it is defined, under the measure's
// key, null where there are none.
type MethodResult struct {
	Means     map[string]*float64
	Defined   int         // needs with relevant passages
	Undefined []Undefined // needs without, in file order
}

// MarshalJSON puts the means beside the counts.
func (m MethodResult) MarshalJSON() ([]byte, error) {
	out := map[string]any{"defined": m.Defined, "undefined": m.Undefined}
	for key, mean := range m.Means {
		out[key] = mean
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *MethodResult) UnmarshalJSON(data []byte) error {
	var own struct {
		Defined   int         `json:"defined"`
		Undefined []Undefined `json:"undefined"`
	}
	rest, err := records.Beside(data, &own, reservedKeys...)
	if err != nil {
		return err
	}
	*m = MethodResult{Means: map[string]*float64{}, Defined: own.Defined, Undefined: own.Undefined}
	for key, value := range rest {
		var mean *float64
		if err := json.Unmarshal(value, &mean); err != nil {
			return err
		}
		m.Means[key] = mean
	}
	return nil
}

// Undefined is a need without a relevant passage, and how many a method returned all the same.
type Undefined struct {
	Need       string `json:"need"`
	Candidates int    `json:"candidates"`
}

// Accept wants whole rankings, which the measures and the audit rest on.
func (b *Loaded) Accept(o study.Observation) error {
	if o.Candidates <= len(o.Best) {
		return nil
	}
	hint := fmt.Sprintf("raise keep to the collection's %d passages, or cut the method off: top(%s,n=%d)", b.study.Collection.Len(), o.Method, len(o.Best))
	if b.study.Collection.Len() > study.MaxKeep {
		hint = fmt.Sprintf("keep is at most %d: cut the method off: top(%s,n=%d)", study.MaxKeep, o.Method, len(o.Best))
	}
	return records.Errorf(b.study.Protocol.ID+"/study.json", 0, hint, "%s by %s: %d documents have a rank, and keep is %d", o.Question, o.Method, o.Candidates, len(o.Best))
}

func (b *Loaded) results(r *study.Replay) (*Results, []study.OutcomeFile, error) {
	s := b.study
	evaluations := make([][]evaluation, len(b.needs)) // by need, then by method in the protocol's order
	for q := range b.needs {
		for _, m := range s.Protocol.Methods {
			o, err := r.Observation(s.Questions[q].ID, m.Name)
			if err != nil {
				return nil, nil, err
			}
			if err := b.Accept(o); err != nil {
				return nil, nil, err
			}
			e, err := b.evaluate(q, o)
			if err != nil {
				return nil, nil, err
			}
			evaluations[q] = append(evaluations[q], e)
		}
	}
	described, index, err := b.indexResult()
	if err != nil {
		return nil, nil, err
	}
	observations, err := b.observationsFile(evaluations)
	if err != nil {
		return nil, nil, err
	}
	out := &Results{Format: study.ResultsFormat, Study: s.Protocol.ID, View: ViewResult{b.view.Name, s.Collection.Len()}, Same: []SameResult{},
		Splits: map[string]SplitResult{}, Audit: []NeedAudit{}, Notebook: []Note{}}
	out.Index = described
	for _, names := range b.spec.Same {
		if err := b.checkSame(names, evaluations); err != nil {
			return nil, nil, err
		}
		out.Same = append(out.Same, SameResult{names, len(b.needs)})
	}
	for _, split := range b.spec.Splits {
		out.Splits[split.Name] = b.splitResult(split.Name, evaluations)
	}
	for q := range b.needs {
		out.Audit = append(out.Audit, b.audit(q, evaluations[q]))
		out.Notebook = append(out.Notebook, b.notes(q, evaluations[q])...)
	}
	folder := s.Protocol.ID + "/frozen/"
	return out, []study.OutcomeFile{{Path: folder + "index.json", Data: index}, {Path: folder + "observations.json", Data: observations}}, nil
}

// indexResult describes the index, and returns it as a file.
func (b *Loaded) indexResult() (IndexResult, []byte, error) {
	data, err := b.indexFile()
	x := b.study.Index
	r := IndexResult{Bytes: len(data), SHA256: kit.Hash(data), Passages: b.study.Collection.Len(), Terms: len(x.Terms), Tokens: x.Total}
	for _, postings := range x.Postings {
		r.Postings += len(postings)
	}
	return r, data, err
}

// checkSame compares what methods returned, document by document and score by score.
func (b *Loaded) checkSame(names []string, evaluations [][]evaluation) error {
	for _, list := range evaluations {
		var first *evaluation
		for i := range list {
			switch e := &list[i]; {
			case !slices.Contains(names, e.Method):
			case first == nil:
				first = e
			case !slices.Equal(first.Best, e.Best):
				return fmt.Errorf("study: need %s: %s and %s must return the same documents with the same scores: %v and %v", e.Question, first.Method, e.Method, first.Best, e.Best)
			}
		}
	}
	return nil
}

// splitResult averages over a split's needs, in file order.
func (b *Loaded) splitResult(split string, evaluations [][]evaluation) SplitResult {
	out := SplitResult{Methods: map[string]MethodResult{}}
	for i, m := range b.study.Protocol.Methods {
		method := MethodResult{Means: map[string]*float64{}, Undefined: []Undefined{}}
		values := map[string][]float64{}
		places := b.places(split)
		out.Needs = len(places)
		for _, q := range places {
			n, e := b.needs[q], evaluations[q][i]
			if n.Relevant() == 0 {
				method.Undefined = append(method.Undefined, Undefined{n.ID, e.Candidates})
			} else {
				method.Defined++
			}
			for _, spec := range b.spec.Measures {
				if v := e.values[spec.Key]; v != nil {
					values[spec.Key] = append(values[spec.Key], *v)
				}
			}
		}
		for _, spec := range b.spec.Measures {
			method.Means[spec.Key] = nil
			if mean, ok := exact.Mean(values[spec.Key]); ok {
				method.Means[spec.Key] = &mean
			}
		}
		out.Methods[m.Name] = method
	}
	return out
}
