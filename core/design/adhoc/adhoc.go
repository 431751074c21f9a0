// Package adhoc is the design of studies as most of retrieval makes them: topics, graded judgements by any number of
// assessors, systems that are computed here or given as run files, measures, and contrasts of the primary one.
package adhoc

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/design/paired"
	"retrace/core/metrics"
	"retrace/core/study"
	"retrace/core/trec"
)

// Key is where the design's part stands in study.json.
const Key = "adhoc"

// Design is the entry for a table of designs.
var Design = study.Design{Key: Key, Spec: func() study.Spec { return new(Spec) }}

// Spec is the design's part of study.json: topics, graded judgements by any number of assessors, and systems, which are the
// study's methods and the runs that are given.
type Spec struct {
	Judgements []Judgements        `json:"judgements"`         // qrels, one file for each assessor
	Combine    string              `json:"combine,omitempty"`  // of several grades of a document: median (where none is named), min or max
	Runs       []Run               `json:"runs,omitempty"`     // given, not recomputed
	Measures   []study.MeasureSpec `json:"measures"`           // under ir_measures' names: docs/studies.md, Measures under ir_measures' names
	Primary    string              `json:"primary"`            // key of the measure that contrasts are of
	Order      string              `json:"order"`              // of ties: trec_eval, trec_eval-float32, ascending or ascending-bytewise
	Over       string              `json:"over,omitempty"`     // topics: complete (trec_eval -c; where none is named), returned or defined
	JudgedAt   int                 `json:"judgedAt,omitempty"` // of Judged@k; the primary measure's cutoff where none is given, or 10
	Groups     []string            `json:"groups,omitempty"`   // kinds of topics, as the questions' metadata.kind names them
	Baseline   string              `json:"baseline,omitempty"`
	Contrasts  []Contrast          `json:"contrasts,omitempty"` // named pairs, where not every system is compared with a baseline
	Test       *Test               `json:"test,omitempty"`      // needed where something is compared
}

// Judgements are one assessor's: a file of TREC qrels, or of BEIR's under their header.
type Judgements struct {
	Assessor string `json:"assessor"`
	File     string `json:"file"`
}

// A Run is a system that was computed elsewhere: a TREC run file of the kit. Its scores are taken as given.
type Run struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Role  string `json:"role"`
	Label string `json:"label"`
	Note  string `json:"note,omitempty"`
}

// A Contrast compares two systems on the primary measure, topic by topic.
type Contrast struct {
	Name    string `json:"name"`
	System  string `json:"system"`
	Against string `json:"against"`
}

// A Test says how differences are resampled and tested. All contrasts share their draws, so that they resample the same
// topics.
type Test struct {
	Replicates      int    `json:"replicates"`
	BootstrapStream uint64 `json:"bootstrapStream"`
	Draws           int    `json:"draws"`
	FlipStream      uint64 `json:"flipStream"`
	Correction      string `json:"correction"` // of the drawn p-values over all contrasts: holm, bonferroni or bh
}

// Alpha is the level below which a corrected p counts, and Power what the smallest difference that would have been shown is
// computed for.
const Alpha, Power = 0.05, 0.8

// FewTopics is the number below which topics count as few: with less than 25 the same comparison on other topics often
// gives another answer (Buckley and Voorhees 2000, doi:10.1145/345508.345543).
const FewTopics = 25

// maxFiles bounds assessors, and given runs.
const maxFiles = 64

// Check says what is wrong with the design's part of a protocol.
func (a *Spec) Check(p *study.Protocol) error {
	switch {
	case p.Questions.File == "":
		return fmt.Errorf("questions.file: an adhoc study's topics stand in a file of questions")
	case len(a.Judgements) == 0 || len(a.Judgements) > maxFiles:
		return fmt.Errorf("judgements: between 1 and %d assessors", maxFiles)
	case !slices.Contains([]string{"", "median", "min", "max"}, a.Combine):
		return fmt.Errorf("combine %q: use median, min or max", a.Combine)
	case len(a.Runs) > maxFiles:
		return fmt.Errorf("runs: at most %d", maxFiles)
	case a.JudgedAt < 0 || a.JudgedAt > p.Keep:
		return fmt.Errorf("judgedAt %d: between 1 and keep", a.JudgedAt)
	}
	seen := map[string]bool{}
	for _, j := range a.Judgements {
		if !study.Named(j.Assessor) || seen[j.Assessor] || j.File == "" {
			return fmt.Errorf("judgements: assessor %q is malformed or named twice, or has no file", j.Assessor)
		}
		seen[j.Assessor] = true
	}
	for _, r := range a.Runs {
		if !study.Named(r.Name) || p.HasMethod(r.Name) || seen["run "+r.Name] || r.File == "" {
			return fmt.Errorf("runs: name %q is malformed, a method's or used twice, or has no file", r.Name)
		}
		seen["run "+r.Name] = true
		if err := study.CheckRole("runs", r.Name, r.Role); err != nil {
			return err
		}
	}
	for _, m := range p.Methods {
		if err := p.CheckTerm("methods: "+m.Name, termOf(m.Name), nil); err != nil {
			return err
		}
	}
	for _, g := range a.Groups {
		if g == "" || seen["group "+g] {
			return fmt.Errorf("groups: %q is empty or named twice", g)
		}
		seen["group "+g] = true
	}
	if _, err := trec.ParseOrder(a.Order); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	if _, err := metrics.ParseMeanRule(string(a.rule())); err != nil {
		return fmt.Errorf("over: %w", err)
	}
	if err := a.checkMeasures(); err != nil {
		return err
	}
	return a.checkContrasts(p)
}

func (a *Spec) checkMeasures() error {
	list, err := a.metrics()
	if err != nil {
		return err
	}
	at := a.primary()
	if at < 0 {
		return fmt.Errorf("primary %q: name the key of one of the measures", a.Primary)
	}
	if d, _ := list[at].Definition(); d.Sum {
		return fmt.Errorf("primary %s: a count is no measure of quality: take one that has a mean", list[at])
	}
	return nil
}

func (a *Spec) checkContrasts(p *study.Protocol) error {
	if a.Baseline != "" && len(a.Contrasts) > 0 {
		return fmt.Errorf("baseline and contrasts: name a baseline, with which every other system is compared, or pairs")
	}
	if a.Baseline != "" && !slices.Contains(a.Systems(p), a.Baseline) {
		return fmt.Errorf("baseline: unknown system %q: define it under methods or adhoc.runs", a.Baseline)
	}
	contrasts := a.contrasts(p)
	var names []string
	for _, c := range contrasts {
		names = append(names, c.Name)
		for _, name := range []string{c.System, c.Against} {
			if !slices.Contains(a.Systems(p), name) {
				return fmt.Errorf("contrasts: %s: unknown system %q: define it under methods or adhoc.runs", c.Name, name)
			}
		}
	}
	switch {
	case len(contrasts) > study.MaxMethods:
		return fmt.Errorf("contrasts: at most %d", study.MaxMethods)
	case a.Test == nil && len(contrasts) > 0:
		return fmt.Errorf("test: say how contrasts are resampled and tested")
	case a.Test == nil:
		return nil
	case !slices.Contains([]string{"holm", "bonferroni", "bh"}, a.Test.Correction):
		return fmt.Errorf("test: correction %q: use holm, bonferroni or bh", a.Test.Correction)
	}
	if err := a.Plan(p).Check("test"); err != nil {
		return err
	}
	return paired.Names(names)
}

// Plan is how every contrast is resampled and tested.
func (a *Spec) Plan(p *study.Protocol) paired.Plan {
	return paired.Plan{Seed: p.Seed, Replicates: a.Test.Replicates, BootstrapStream: a.Test.BootstrapStream, Draws: a.Test.Draws,
		TestStream: a.Test.FlipStream}
}

// Systems lists the names of all systems: the protocol's methods, then the given runs.
func (a *Spec) Systems(p *study.Protocol) []string {
	names := p.AllMethods()
	for _, r := range a.Runs {
		names = append(names, r.Name)
	}
	return names
}

// contrasts returns the named pairs, or each system against the baseline, under the system's name.
func (a *Spec) contrasts(p *study.Protocol) []Contrast {
	if a.Baseline == "" {
		return a.Contrasts
	}
	var list []Contrast
	for _, name := range a.Systems(p) {
		if name != a.Baseline {
			list = append(list, Contrast{name, name, a.Baseline})
		}
	}
	return list
}

// AllContrasts returns what a protocol's contrasts compare.
func (a *Spec) AllContrasts(p *study.Protocol) []Contrast { return a.contrasts(p) }

// Label is a system's name for people.
func (a *Spec) Label(p *study.Protocol, name string) string {
	if m, ok := p.Method(name); ok {
		return m.Label
	}
	for _, r := range a.Runs {
		if r.Name == name {
			return r.Label
		}
	}
	return name
}

// Spoken names a measure, given by its key, for people.
func (a *Spec) Spoken(key string) string {
	for _, m := range a.Measures {
		if m.Key == key {
			if m.Label != "" {
				return m.Label
			}
			return m.Measure
		}
	}
	return key
}

func (a *Spec) rule() metrics.MeanRule {
	if a.Over == "" {
		return metrics.Complete
	}
	return metrics.MeanRule(a.Over)
}

// primary is the place of the primary measure, -1 where there is none.
func (a *Spec) primary() int {
	return slices.IndexFunc(a.Measures, func(m study.MeasureSpec) bool { return m.Key == a.Primary })
}

// metrics reads the measures' names.
func (a *Spec) metrics() ([]metrics.Metric, error) {
	if len(a.Measures) == 0 || len(a.Measures) > study.MaxMeasures {
		return nil, fmt.Errorf("measures: between 1 and %d", study.MaxMeasures)
	}
	list := make([]metrics.Metric, len(a.Measures))
	seen := map[string]bool{}
	for i, s := range a.Measures {
		if !study.Named(s.Key) || strings.Contains(s.Key, ".") || seen[s.Key] {
			return nil, fmt.Errorf("measures: key %q is malformed, holds a point or is used twice", s.Key)
		}
		seen[s.Key] = true
		var err error
		if list[i], err = metrics.ParseMetric(s.Measure); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Seals lists the stages of the study's seals.
func (a *Spec) Seals() []string { return []string{study.SealProtocol, study.SealFrozen} }

// Of returns the design's part of a protocol, nil in a study of another design.
func Of(p *study.Protocol) *Spec {
	a, _ := p.Spec.(*Spec)
	return a
}

// From returns the design of a loaded study, nil in a study of another design.
func From(s *study.Study) *Loaded {
	a, _ := s.Design.(*Loaded)
	return a
}
