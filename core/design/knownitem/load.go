package knownitem

import (
	"fmt"
	"slices"
	"strconv"

	"retrace/core/collection"
	"retrace/core/metrics"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/study"
)

// A Loaded is a known-item study with its families.
type Loaded struct {
	study    *study.Study
	spec     *Spec
	families []family // ascending ID
	of       []int    // question's place -> family
	parts    int64    // reciprocal ranks are multiples of 1/parts: the least common multiple of 1 … cutoff
	sample   SampleResult
}

// From returns the design of a loaded study, nil in a study of another design.
func From(s *study.Study) *Loaded {
	k, _ := s.Design.(*Loaded)
	return k
}

type family struct {
	ID, Split string
	Band      int
	Target    int   // document
	Questions []int // places, in the order of the protocol's kinds
	Line      int   // in the targets' file
}

const development, test = "dev", "test"

// targetColumns head the targets' file.
var targetColumns = []string{"family", "target", "band", "split"}

// Load reads questions and targets, and draws the sample again.
func (k *Spec) Load(s *study.Study) (study.Loaded, error) {
	if err := s.LoadQuestions(); err != nil {
		return nil, err
	}
	d := &Loaded{study: s, spec: k, of: make([]int, len(s.Questions))}
	d.parts, _ = metrics.ReciprocalUnit(k.Cutoff) // checked before
	byID, err := d.loadTargets()
	if err != nil {
		return nil, err
	}
	if err := d.assign(byID); err != nil {
		return nil, err
	}
	d.sample, err = d.drawSample()
	return d, err
}

// loadTargets reads the families, and returns their places by ID.
func (k *Loaded) loadTargets() (map[string]int, error) {
	data, err := k.study.Kit.Read(k.spec.Targets)
	if err != nil {
		return nil, err
	}
	byID := map[string]int{}
	err = records.TSV(k.spec.Targets, data, targetColumns, func(line int, f []string) error {
		fail := func(hint, format string, args ...any) error {
			return records.Errorf(k.spec.Targets, line, hint, format, args...)
		}
		if what := collection.CheckID(f[0]); what != "" {
			return fail("name the family", "%s: %q", what, f[0])
		}
		if _, ok := byID[f[0]]; ok {
			return fail("list every family once", "duplicate family %q", f[0])
		}
		target, ok := k.study.Collection.Number(f[1])
		if !ok {
			return fail("a target is a document of "+k.study.Collection.File, "%s", k.study.Collection.Unknown(f[1]))
		}
		band, err := strconv.Atoi(f[2])
		if err != nil || band < 1 || band > len(k.spec.Sample.BandStreams) {
			return fail(fmt.Sprintf("bands are numbered 1 to %d", len(k.spec.Sample.BandStreams)), "band %q", f[2])
		}
		if f[3] != development && f[3] != test {
			return fail("the splits are dev and test", "split %q", f[3])
		}
		if !k.spec.eligible(k.study.Collection, target) {
			return fail(fmt.Sprintf("a target's text has at least %d words", k.spec.Sample.MinWords), "target %q is not eligible: its text has %d words", f[1], collection.Words(k.study.Collection.Docs[target].Text))
		}
		byID[f[0]] = len(k.families)
		k.families = append(k.families, family{ID: f[0], Target: target, Band: band, Split: f[3], Line: line})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(k.families) != k.spec.Families {
		return nil, records.Errorf(k.spec.Targets, 0, "the protocol says how many families there are", "%d families, want %d", len(k.families), k.spec.Families)
	}
	order.Sort(k.families, func(a, b family) int { return collection.CompareID(a.ID, b.ID) })
	for i, f := range k.families {
		byID[f.ID] = i
	}
	return byID, nil
}

// assign gives every family its question of each kind, and every question its family's target and split.
func (k *Loaded) assign(byID map[string]int) error {
	for i := range k.families {
		k.families[i].Questions = slices.Repeat([]int{-1}, len(k.spec.Kinds))
	}
	for i := range k.study.Questions {
		q := &k.study.Questions[i]
		fail := func(hint, format string, args ...any) error {
			return records.Errorf(q.File, q.Line, hint, format, args...)
		}
		f, ok := byID[q.Family]
		if !ok {
			return fail("every question names a family of "+k.spec.Targets+" in metadata.family", "question %q has no family: %q", q.ID, q.Family)
		}
		kind := slices.Index(k.spec.Kinds, q.Kind)
		if kind < 0 {
			return fail(fmt.Sprintf("the kinds are %v", k.spec.Kinds), "question %q has the unknown kind %q", q.ID, q.Kind)
		}
		if k.families[f].Questions[kind] >= 0 {
			return fail("a family has one question of each kind", "family %s has a second question of kind %s", q.Family, q.Kind)
		}
		k.families[f].Questions[kind] = i
		k.of[i] = f
		q.Target, q.Split = k.families[f].Target, k.families[f].Split
	}
	for _, f := range k.families {
		if i := slices.Index(f.Questions, -1); i >= 0 {
			return records.Errorf(k.study.Protocol.Questions.File, 0, "a family has one question of each kind",
				"family %s lacks its question of kind %s", f.ID, k.spec.Kinds[i])
		}
	}
	return nil
}

func (k *Loaded) split(split string) []family {
	var list []family
	for _, f := range k.families {
		if f.Split == split {
			list = append(list, f)
		}
	}
	return list
}

// questions returns the places of a split's questions, in file order.
func (k *Loaded) questions(split string) []int {
	var list []int
	for i := range k.study.Questions {
		if k.families[k.of[i]].Split == split {
			list = append(list, i)
		}
	}
	return list
}

// family returns a family by its ID.
func (k *Loaded) family(id string) (family, bool) {
	for _, f := range k.families {
		if f.ID == id {
			return f, true
		}
	}
	return family{}, false
}

// Qrels returns each question's target as its one relevant document.
func (k *Loaded) Qrels(assessor string) ([]study.Qrel, error) {
	if assessor != "" {
		return nil, fmt.Errorf("study: %s has no assessors: each question has the target that it was written for", k.study.Protocol.ID)
	}
	var list []study.Qrel
	for _, q := range k.study.Questions {
		list = append(list, study.Qrel{Question: q.ID, Document: k.study.Collection.Docs[q.Target].ID, Grade: 1})
	}
	return list, nil
}
