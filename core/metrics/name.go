package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxCutoff is the largest cutoff of a measure, trec_eval's deepest.
const MaxCutoff = 1000

// A Measure is a family with its parameters. Its canonical name, as in ir_measures, parses and prints: RR@10,
// P(rel=2)@5, nDCG@5.
type Measure struct {
	Family string
	Rel    int // lowest grade that is relevant, from 1; 0 where the family takes none
	Cutoff int // ranks looked at, from 1
}

// String returns the canonical name; rel is printed where it isn't 1.
func (m Measure) String() string {
	rel := ""
	if m.Rel > 1 {
		rel = "(rel=" + strconv.Itoa(m.Rel) + ")"
	}
	return m.Family + rel + "@" + strconv.Itoa(m.Cutoff)
}

// Table returns the measure's entry in the table; ok is false for a measure that Parse didn't make.
func (m Measure) Table() (f Family, ok bool) {
	for _, f := range families {
		if f.Name == m.Family {
			return f, true
		}
	}
	return Family{}, false
}

// Compute returns the measure's value for a topic; defined is false where it has none, and the value is then 0.
func (m Measure) Compute(t *Topic) (value float64, defined bool, err error) {
	f, ok := m.Table()
	if !ok {
		return 0, false, fmt.Errorf("metrics: unknown measure %q: known are %s", m.Family, familyNames())
	}
	return f.Function(t, m.Rel, m.Cutoff)
}

// Parse reads a canonical name. What it prints again is what was read: forms that say the same otherwise ("P@05",
// "P(rel=1)@5") are errors, so that a measure has one name.
func Parse(name string) (Measure, error) {
	fail := func(what string) (Measure, error) {
		return Measure{}, fmt.Errorf("metrics: measure %.40q: %s: write it as RR@10, P(rel=2)@5 or nDCG@5", name, what)
	}
	head, cutoff, found := strings.Cut(name, "@")
	if !found {
		return fail("no cutoff")
	}
	m := Measure{Family: head}
	var ok bool
	if m.Cutoff, ok = number(cutoff); !ok || m.Cutoff < 1 || m.Cutoff > MaxCutoff {
		return fail(fmt.Sprintf("the cutoff is a whole number from 1 to %d", MaxCutoff))
	}
	family, parameters, withRel := strings.Cut(head, "(")
	m.Family = family
	f, known := m.Table()
	switch {
	case !known:
		return fail("unknown; known are " + familyNames())
	case withRel && !f.Rel:
		return fail(f.Name + " takes no parameter")
	case withRel:
		rel, closed := strings.CutSuffix(parameters, ")")
		rel, named := strings.CutPrefix(rel, "rel=")
		if m.Rel, ok = number(rel); !closed || !named || !ok || m.Rel < 2 || Whole(m.Rel) > MaxGrade {
			return fail(fmt.Sprintf("the parameter is rel=2 to rel=%d; 1 is left out", MaxGrade/2))
		}
	case f.Rel:
		m.Rel = 1
	}
	return m, nil
}

// number reads a decimal number of at most four digits without sign or leading zero.
func number(s string) (n int, ok bool) {
	if len(s) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && strconv.Itoa(n) == s
}

func familyNames() string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
