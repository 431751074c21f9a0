package study

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
)

// Binary is the design of studies in which every document of a view is judged relevant or not for every need, and needs
// stand in splits that are evaluated one after the other.
type Binary struct {
	Splits   []Split       `json:"splits"`   // in the order of evaluation
	Measures []MeasureSpec `json:"measures"` // docs/studies.md, Measures
	Same     [][]string    `json:"same"`     // methods that must return the same documents with the same scores
	Slices   []Slice       `json:"slices"`   // what each slice's name claims
	Negation []string      `json:"negation"` // words that mark a text as saying that there is nothing
}

// A Split is a file of needs.
type Split struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// A MeasureSpec gives a measure its key in results.
type MeasureSpec struct {
	Key     string `json:"key"`
	Measure string `json:"measure"` // canonical name, such as RR@3
}

// A Slice says what the name of a group of needs claims of the trace: one of the claims of docs/studies.md.
type Slice struct {
	Name  string `json:"name"`
	Claim string `json:"claim"`
}

// Claims lists what a slice may claim, ascending.
func Claims() []string { return slices.Sorted(maps.Keys(claims)) }

func (b *Binary) check(p *Protocol, methods map[string]bool) error {
	switch {
	case p.Collection.View == nil:
		return fmt.Errorf("collection.view: a binary design judges the documents of a view")
	case len(b.Splits) == 0 || len(b.Splits) > 16:
		return fmt.Errorf("splits: between 1 and 16")
	case len(b.Measures) == 0 || len(b.Measures) > 32:
		return fmt.Errorf("measures: between 1 and 32")
	}
	seen := map[string]bool{}
	for _, s := range b.Splits {
		if !named(s.Name) || seen[s.Name] || s.File == "" {
			return fmt.Errorf("splits: name %q is malformed or used twice, or has no file", s.Name)
		}
		seen[s.Name] = true
	}
	if _, err := parseMeasures(b.Measures); err != nil {
		return err
	}
	for _, same := range b.Same {
		for _, m := range same {
			if !methods[m] {
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

// reservedKeys stand beside measures in results.
var reservedKeys = []string{"defined", "undefined"}

func parseMeasures(specs []MeasureSpec) ([]metrics.Measure, error) {
	list := make([]metrics.Measure, len(specs))
	seen := map[string]bool{}
	for i, s := range specs {
		if !named(s.Key) || seen[s.Key] || slices.Contains(reservedKeys, s.Key) {
			return nil, fmt.Errorf("measures: key %q is malformed, reserved or used twice", s.Key)
		}
		seen[s.Key] = true
		var err error
		if list[i], err = metrics.Parse(s.Measure); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// binary is the loaded design of a Binary study.
type binary struct {
	study    *Study
	spec     *Binary
	view     judge.View
	measures []metrics.Measure
	needs    []binaryNeed // by place among the study's questions: splits in order, needs in file order
}

type binaryNeed struct {
	judge.Need
	split string
}

func loadBinary(s *Study) (*binary, error) {
	b := &binary{study: s, spec: s.Protocol.Binary, view: judge.View{Name: s.Protocol.Collection.View.Name, Others: s.outside}}
	b.measures, _ = parseMeasures(b.spec.Measures) // checked before
	for _, d := range s.Collection.Docs {
		b.view.Permitted = append(b.view.Permitted, d.ID)
	}
	for _, split := range b.spec.Splits {
		data, err := s.Kit.Read(split.File)
		if err != nil {
			return nil, err
		}
		needs, err := judge.ParseNeeds(split.File, data, split.Name, b.view)
		if err != nil {
			return nil, err
		}
		for _, n := range needs {
			if _, ok := s.byQuestion[n.ID]; ok {
				return nil, records.Errorf(split.File, n.Line, "give every need an ID of its own, in all splits", "duplicate need %q", n.ID)
			}
			s.byQuestion[n.ID] = len(s.Questions)
			s.Questions = append(s.Questions, Question{ID: n.ID, Text: n.Query, Kind: n.Slice, Line: n.Line, Query: s.Index.Query(n.Query), position: len(s.Questions)})
			b.needs = append(b.needs, binaryNeed{n, split.Name})
		}
	}
	return b, nil
}

// stages are the splits, in order.
func (b *binary) stages() []stage {
	var list []stage
	for i, split := range b.spec.Splits {
		list = append(list, stage{split.Name, func(r *Replay) ([]Unit, error) {
			if i > 0 {
				if err := b.checkEngine(); err != nil {
					return nil, err
				}
			}
			var questions []int
			for q, n := range b.needs {
				if n.split == split.Name {
					questions = append(questions, q)
				}
			}
			var methods []NamedTerm
			for _, m := range b.study.Protocol.Methods {
				t, err := b.study.Resolve(b.study.Terms[m.Name], nil)
				if err != nil {
					return nil, err
				}
				methods = append(methods, NamedTerm{m.Name, t})
			}
			return units(split.Name, methods, questions, b.study.Protocol.Keep, unitSize), nil
		}, func(r *Replay) (err error) {
			if i == len(b.spec.Splits)-1 {
				r.results, r.files, err = b.results(r)
			}
			return err
		}})
	}
	return list
}

// checkEngine refuses to go beyond the first split of a sealed study whose engine is not sealed.
func (b *binary) checkEngine() error {
	seals, err := b.study.Kit.Seals(b.study.Protocol.ID)
	if err != nil {
		return err
	}
	if len(seals) > 0 && !slices.ContainsFunc(seals, func(s kit.Seal) bool { return s.Stage == SealEngine }) {
		return records.Errorf(b.study.Protocol.ID, 0, fmt.Sprintf("run `build engine %s` first", b.study.Protocol.ID),
			"only the first split may be evaluated before the engine is sealed")
	}
	return nil
}

// evaluation is one method on one need.
type evaluation struct {
	Observation
	values map[string]*float64 // by a measure's key; null where undefined
}

// evaluate computes the measures of one observation. Every passage of the view is judged, so nothing is assumed.
func (b *binary) evaluate(place int, o Observation) (evaluation, error) {
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

// BinaryResults are the results of a Binary study. Nothing in them depends on passages outside the view.
type BinaryResults struct {
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
	Methods map[string]BinaryMethod `json:"methods"`
}

// BinaryMethod is a method on a split: each measure's mean over the needs for which it is defined, under the measure's
// key, null where there are none.
type BinaryMethod struct {
	Means     map[string]*float64
	Defined   int         // needs with relevant passages
	Undefined []Undefined // needs without, in file order
}

// MarshalJSON puts the means beside the counts.
func (m BinaryMethod) MarshalJSON() ([]byte, error) {
	out := map[string]any{"defined": m.Defined, "undefined": m.Undefined}
	for key, mean := range m.Means {
		out[key] = mean
	}
	return json.Marshal(out)
}

// Undefined is a need without a relevant passage, and how many a method returned all the same.
type Undefined struct {
	Need       string `json:"need"`
	Candidates int    `json:"candidates"`
}

func (b *binary) results(r *Replay) (*BinaryResults, []OutcomeFile, error) {
	s := b.study
	evaluations := make([][]evaluation, len(b.needs)) // by need, then by method in the protocol's order
	for q := range b.needs {
		for _, m := range s.Protocol.Methods {
			o, err := r.observation(s.Questions[q].ID, m.Name)
			if err != nil {
				return nil, nil, err
			}
			if o.Candidates > len(o.Best) {
				return nil, nil, fmt.Errorf("study: %s by %s: %d documents have a rank, %d were kept: raise keep in study.json", o.Question, m.Name, o.Candidates, len(o.Best))
			}
			e, err := b.evaluate(q, o)
			if err != nil {
				return nil, nil, err
			}
			evaluations[q] = append(evaluations[q], e)
		}
	}
	index, err := b.indexFile()
	if err != nil {
		return nil, nil, err
	}
	observations, err := b.observationsFile(evaluations)
	if err != nil {
		return nil, nil, err
	}
	out := &BinaryResults{Format: ResultsFormat, Study: s.Protocol.ID, View: ViewResult{b.view.Name, s.Collection.Len()}, Same: []SameResult{},
		Splits: map[string]SplitResult{}, Audit: []NeedAudit{}, Notebook: []Note{}}
	out.Index = IndexResult{Bytes: len(index), SHA256: kit.Hash(index), Passages: s.Collection.Len(), Terms: len(s.Index.Terms), Tokens: s.Index.Total}
	for _, postings := range s.Index.Postings {
		out.Index.Postings += len(postings)
	}
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
	return out, []OutcomeFile{{folder + "index.json", index}, {folder + "observations.json", observations}}, nil
}

// checkSame compares what methods returned, document by document and score by score.
func (b *binary) checkSame(names []string, evaluations [][]evaluation) error {
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
func (b *binary) splitResult(split string, evaluations [][]evaluation) SplitResult {
	out := SplitResult{Methods: map[string]BinaryMethod{}}
	for i, m := range b.study.Protocol.Methods {
		method := BinaryMethod{Means: map[string]*float64{}, Undefined: []Undefined{}}
		values := map[string][]float64{}
		out.Needs = 0
		for q, n := range b.needs {
			if n.split != split {
				continue
			}
			out.Needs++
			e := evaluations[q][i]
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
