// Package knownitem is the design of studies in which each question was written for one target document, and questions
// come in families that share a target: reciprocal ranks, a choice on development families, contrasts on test families.
package knownitem

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/design/paired"
	"retrace/core/method"
	"retrace/core/metrics"
	"retrace/core/study"
)

// Key is where the design's part stands in study.json.
const Key = "knownItem"

// Design is the entry for a table of designs.
var Design = study.Design{Key: Key, Spec: func() study.Spec { return new(Spec) }}

// Of returns the design's part of a protocol, nil in a study of another design.
func Of(p *study.Protocol) *Spec {
	k, _ := p.Spec.(*Spec)
	return k
}

// Spec is the design's part of study.json.
type Spec struct {
	Targets     string       `json:"targets"`  // family, target, band, split
	Kinds       []string     `json:"kinds"`    // one question of each kind in a family
	Cutoff      int          `json:"cutoff"`   // of the reciprocal rank, 1 to 20: results call its mean mrr10 where it is 10
	HitsAt      []int        `json:"hitsAt"`   // cutoffs of hits, ascending: results call them hits1, hits10, …
	Families    int          `json:"families"` // how many there must be
	Sample      Sample       `json:"sample"`
	Development Development  `json:"development"`
	Test        []string     `json:"test"` // methods that are scored on the test families, in the order of the tables
	Contrasts   []Contrast   `json:"contrasts"`
	Misses      MissesMethod `json:"misses"`
	KindNotes   string       `json:"kindNotes,omitempty"` // what must stand beside the results by kind
	Reader      *Reader      `json:"reader,omitempty"`
}

// A Sample is the rule by which targets were drawn and families split, so that it can be run again.
type Sample struct {
	MinWords          int      `json:"minWords"` // whitespace-separated words of an eligible document's text
	BandWidth         int      `json:"bandWidth"`
	PerBand           int      `json:"perBand"`
	BandStreams       []uint64 `json:"bandStreams"` // one a band
	FamilyStream      uint64   `json:"familyStream"`
	DevelopmentStream uint64   `json:"developmentStream"`
	Development       int      `json:"development"` // families of the development split
}

// Development is the choice that is made on the development families: the best baseline, then the best candidate over
// it. Ties go to what stands first: baselines in their order, then the grid's settings, the last key moving fastest.
type Development struct {
	Baselines []string      `json:"baselines"`
	Candidate string        `json:"candidate"` // a term with ${baseline} and the grid's keys, such as ${blend}
	Grid      []paired.Axis `json:"grid,omitempty"`

	// Format 1 has two lists in the place of the grid.
	Teleport []float64 `json:"teleport,omitempty"`
	Blend    []float64 `json:"blend,omitempty"`
}

// A Contrast compares two methods, paired by family.
type Contrast struct {
	Name            string `json:"name"`
	Method          string `json:"method"`
	Against         string `json:"against"` // a method's name, or ${baseline}
	Replicates      int    `json:"replicates"`
	BootstrapStream uint64 `json:"bootstrapStream"`
	Draws           int    `json:"draws"`
	FlipStream      uint64 `json:"flipStream"`
}

func (c Contrast) plan(seed uint64) paired.Plan {
	return paired.Plan{Seed: seed, Replicates: c.Replicates, BootstrapStream: c.BootstrapStream, Draws: c.Draws, TestStream: c.FlipStream}
}

// MissesMethod names the two methods whose misses are listed.
type MissesMethod struct {
	Baseline string `json:"baseline"`
	Graph    string `json:"graph"`
}

// Seals lists the stages of the study's seals.
func (k *Spec) Seals() []string {
	return []string{study.SealProtocol, study.SealLock, study.SealFrozen}
}

// PartsWithoutVectors: what needs no embeddings has results of its own.
func (k *Spec) PartsWithoutVectors() bool { return true }

// Check says what is wrong with the design's part of a protocol.
func (k *Spec) Check(p *study.Protocol) error {
	if err := k.Development.moveGrid(p.Format); err != nil {
		return err
	}
	for _, check := range []func(*study.Protocol) error{k.checkFamilies, k.checkDevelopment, k.checkNames, k.checkContrasts, k.checkReader, k.checkTerms} {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

// moveGrid reads format 1's two lists as a grid.
func (d *Development) moveGrid(format string) error {
	if format != study.Format1 {
		if len(d.Teleport)+len(d.Blend) > 0 {
			return fmt.Errorf(`development: teleport and blend are lists of format 1: write them as "grid": [{"key": "teleport", "values": ["0.5"]}, …]`)
		}
		return nil
	}
	if len(d.Teleport) == 0 || len(d.Blend) == 0 {
		return fmt.Errorf("development: teleport and blend need at least one value each")
	}
	d.Grid = []paired.Axis{{Key: "teleport"}, {Key: "blend"}}
	for i, list := range [][]float64{d.Teleport, d.Blend} {
		for j, x := range list {
			if !(x >= 0 && x <= 1) || j > 0 && x <= list[j-1] {
				return fmt.Errorf("development: grid values lie between 0 and 1 and ascend, %v", list)
			}
			d.Grid[i].Values = append(d.Grid[i].Values, method.FormatNumber(x))
		}
	}
	d.Teleport, d.Blend = nil, nil
	return nil
}

func (k *Spec) checkFamilies(p *study.Protocol) error {
	s := k.Sample
	_, bounded := metrics.ReciprocalUnit(k.Cutoff)
	switch {
	case p.Questions.File == "":
		return fmt.Errorf("questions.file is needed")
	case len(k.Kinds) == 0 || len(k.Kinds) > 32:
		return fmt.Errorf("kinds: between 1 and 32")
	case k.Cutoff < 1 || k.Cutoff > 20 || !bounded:
		return fmt.Errorf("cutoff %d: between 1 and 20, so that sums of reciprocal ranks are exact", k.Cutoff)
	case len(k.HitsAt) == 0 || len(k.HitsAt) > 8:
		return fmt.Errorf("hitsAt: 1 to 8 cutoffs")
	case s.BandWidth < 1 || s.BandWidth > collection.MaxDocuments || s.PerBand < 1 || s.PerBand > s.BandWidth ||
		len(s.BandStreams) == 0 || len(s.BandStreams) > 1000:
		return fmt.Errorf("sample: bandWidth %d, perBand %d, %d bandStreams: 1 to 1000 bands of 1 to %d documents, of which perBand are drawn",
			s.BandWidth, s.PerBand, len(s.BandStreams), collection.MaxDocuments)
	case k.Families != s.PerBand*len(s.BandStreams):
		return fmt.Errorf("families %d: the sample draws %d", k.Families, s.PerBand*len(s.BandStreams))
	case s.Development < 1 || s.Development >= k.Families:
		return fmt.Errorf("sample.development %d: between 1 and %d", s.Development, k.Families-1)
	}
	for i, at := range k.HitsAt {
		if at < 1 || at > metrics.MaxCutoff || i > 0 && at <= k.HitsAt[i-1] {
			return fmt.Errorf("hitsAt %v: cutoffs from 1 to %d, ascending", k.HitsAt, metrics.MaxCutoff)
		}
	}
	return study.DistinctStreams("sample", append(slices.Clone(s.BandStreams), s.FamilyStream, s.DevelopmentStream)...)
}

func (k *Spec) checkDevelopment(p *study.Protocol) error {
	d := k.Development
	if len(d.Baselines) == 0 {
		return fmt.Errorf("development: name at least one baseline")
	}
	if n := paired.Size(d.Grid, study.MaxMethods); n == 0 || n > study.MaxMethods {
		return fmt.Errorf("development: a grid of 1 to %d candidates", study.MaxMethods)
	}
	for i, axis := range d.Grid {
		if !study.Named(axis.Key) || axis.Key == "baseline" || strings.HasPrefix(axis.Key, "mrr") ||
			slices.ContainsFunc(d.Grid[:i], func(o paired.Axis) bool { return o.Key == axis.Key }) {
			return fmt.Errorf("development.grid: key %q is malformed, reserved or used twice", axis.Key)
		}
		for j, v := range axis.Values {
			if !study.Named(v) || slices.Contains(axis.Values[:j], v) {
				return fmt.Errorf("development.grid: %s: value %q is malformed or stands there twice", axis.Key, v)
			}
		}
	}
	for _, m := range p.Methods {
		if strings.HasPrefix(m.Name, gridPrefix) {
			return fmt.Errorf("methods: name %q: names that begin with %s are the grid's candidates", m.Name, gridPrefix)
		}
	}
	return nil
}

func (k *Spec) checkNames(p *study.Protocol) error {
	for _, list := range []struct {
		field string
		names []string
	}{{"kinds", k.Kinds}, {"development.baselines", k.Development.Baselines}, {"test", k.Test}} {
		for i, name := range list.names {
			if !study.Named(name) || slices.Contains(list.names[:i], name) {
				return fmt.Errorf("%s: name %q is malformed or stands there twice", list.field, name)
			}
			if list.field != "kinds" && !p.HasMethod(name) {
				return fmt.Errorf("%s: unknown method %q: define it under methods", list.field, name)
			}
		}
	}
	return nil
}

// baseline stands in contrasts for whichever baseline is locked.
const baseline = "${baseline}"

// stands reports whether a name stands for the locked baseline; format 1 writes it without braces.
func stands(name string) bool { return name == baseline || name == "$baseline" }

// tested checks that methods are scored on the test families.
func (k *Spec) tested(field string, names ...string) error {
	for _, name := range names {
		wanted := []string{name}
		if stands(name) {
			wanted = k.Development.Baselines // whichever is locked
		}
		for _, m := range wanted {
			if !slices.Contains(k.Test, m) {
				return fmt.Errorf("%s: method %q is not among the methods under test", field, m)
			}
		}
	}
	return nil
}

func (k *Spec) checkContrasts(p *study.Protocol) error {
	var names []string
	for _, c := range k.Contrasts {
		names = append(names, c.Name)
		if err := c.plan(p.Seed).Check(c.Name); err != nil {
			return err
		}
		if err := k.tested("contrasts: "+c.Name, c.Method, c.Against); err != nil {
			return err
		}
	}
	if err := paired.Names(names); err != nil {
		return err
	}
	return k.tested("misses", k.Misses.Baseline, k.Misses.Graph)
}

// checkTerms writes every method out as if the first settings of the grid had been chosen, for each baseline: parameters
// out of bounds, unknown names and graphs, and circles are found before anything is scored.
func (k *Spec) checkTerms(p *study.Protocol) error {
	candidate, err := method.Parse(k.Development.Candidate)
	if err != nil {
		return fmt.Errorf("development.candidate: %w", err)
	}
	first := paired.Points(k.Development.Grid)[0]
	for _, b := range k.Development.Baselines {
		if err := p.CheckTerm("development.baselines: "+b, method.Term{Name: b}, nil); err != nil {
			return err
		}
		lock := newLock(b, first)
		for _, m := range p.Methods {
			if err := p.CheckTerm("methods: "+m.Name, method.Term{Name: m.Name}, lock); err != nil {
				return err
			}
		}
		if err := p.CheckTerm("development.candidate", candidate, lock); err != nil {
			return err
		}
	}
	return nil
}

// SomeLock is the first that the development stage could fix.
func (k *Spec) SomeLock() study.Lock {
	return newLock(k.Development.Baselines[0], paired.Points(k.Development.Grid)[0])
}

// newLock is what the development stage fixes: the baseline, and a setting of the grid.
func newLock(b string, setting map[string]string) study.Lock {
	lock := study.Lock{"baseline": b}
	for key, value := range setting {
		lock[key] = value
	}
	return lock
}
