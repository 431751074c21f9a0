package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Unjudged stands in a List for a returned document that the topic's judgements don't hold. It is told apart from
// grade 0 and from negative grades: Bpref and Judged tell them apart, all other measures take them as not relevant.
const Unjudged Grade = math.MinInt32

// A List is one topic as the measures see it: what was returned, best first, and what was judged.
type List struct {
	ranked []Grade
	ties   []int
	judged []Grade // descending
	depth  int
}

// NewList makes a List of the grades of the returned documents, best first, with Unjudged for those without a
// judgement, and of the grades of all judged documents of the topic, in any order.
//
// ties says which of the returned documents stand in no stated order, because their scores are equal: the sizes of the
// groups of equal score, in order, adding up to the number of documents; nil means that there are none. Only Band looks
// at it. depth, where it isn't 0, cuts the ranking (trec_eval's -M).
func NewList(ranked []Grade, ties []int, judged []Grade, depth int) (*List, error) {
	if ties != nil {
		n := 0
		for i, size := range ties {
			if size < 1 {
				return nil, fmt.Errorf("metrics: tie group %d has %d documents: a group has one at least", i, size)
			}
			n += size
		}
		if n != len(ranked) {
			return nil, fmt.Errorf("metrics: the tie groups hold %d documents, the ranking %d", n, len(ranked))
		}
	}
	if depth < 0 {
		return nil, fmt.Errorf("metrics: depth %d: it is 1 at least, or 0 for the whole ranking", depth)
	}
	if slices.Contains(judged, Unjudged) {
		return nil, fmt.Errorf("metrics: a judged document without a grade")
	}
	sorted := make([]int, len(judged))
	for i, g := range judged {
		sorted[i] = int(g)
	}
	slices.Sort(sorted)
	l := &List{ranked: ranked, ties: ties, depth: depth, judged: make([]Grade, len(judged))}
	for i, g := range sorted {
		l.judged[len(sorted)-1-i] = Grade(g)
	}
	return l, nil
}

// top returns the ranking as a metric sees it: cut at the depth, then without unjudged documents where it looks at
// judged ones only (negative grades count as unjudged there, as in trec_eval's -J), then cut at its cutoff.
func (l *List) top(m Metric) []Grade {
	ranked := l.all(m)
	if m.Cutoff > 0 {
		ranked = ranked[:min(m.Cutoff, len(ranked))]
	}
	return ranked
}

// all is top without the metric's own cutoff.
func (l *List) all(m Metric) []Grade {
	ranked := l.ranked
	if l.depth > 0 {
		ranked = ranked[:min(l.depth, len(ranked))]
	}
	if m.JudgedOnly {
		judged := make([]Grade, 0, len(ranked))
		for _, g := range ranked {
			if g >= 0 {
				judged = append(judged, g)
			}
		}
		ranked = judged
	}
	return ranked
}

// relevantOf counts the grades that are rel at least.
func relevantOf(grades []Grade, rel int) int {
	n := 0
	for _, g := range grades {
		if g >= Whole(rel) {
			n++
		}
	}
	return n
}

// Compute returns the metric's value for a topic. defined is false where the topic gives it nothing to measure (the
// table says when); the value is then 0, which is what trec_eval averages.
func (m Metric) Compute(l *List) (value float64, defined bool, err error) {
	d, ok := m.Definition()
	if !ok {
		return 0, false, fmt.Errorf("metrics: measure %.60q: %s", m.Name, near(m.Name))
	}
	return d.compute(l, m)
}

// Band returns the lowest and highest value of the metric over all orders of tied documents.
//
// Of two neighbours in a ranking, every measure of the table prefers one to stand first, whatever stands elsewhere (its
// worth is higher; the row's comment says why), so exchanging two neighbours that are the wrong way round never lowers
// the value. The highest value is therefore reached by sorting each tie group by falling worth, the lowest by rising
// worth. A test compares both with every permutation of small lists.
func (m Metric) Band(l *List) (low, high float64, err error) {
	d, ok := m.Definition()
	if !ok {
		return 0, 0, fmt.Errorf("metrics: measure %.60q: %s", m.Name, near(m.Name))
	}
	value, _, err := d.compute(l, m)
	if err != nil || len(l.ties) == len(l.ranked) || l.ties == nil || d.worth == nil {
		return value, value, err
	}
	best, worst := *l, *l
	best.ranked, worst.ranked = slices.Clone(l.ranked), slices.Clone(l.ranked)
	start := 0
	for _, size := range l.ties {
		if size > 1 {
			arrange(best.ranked[start:start+size], func(g Grade) int { return -d.worth(g, m) })
			arrange(worst.ranked[start:start+size], func(g Grade) int { return d.worth(g, m) })
		}
		start += size
	}
	if high, _, err = d.compute(&best, m); err != nil {
		return 0, 0, err
	}
	if low, _, err = d.compute(&worst, m); err != nil {
		return 0, 0, err
	}
	// Where arrangements are worth the same but for rounding, the band still holds the value.
	return min(low, value), max(high, value), nil
}

// arrange sorts a tie group by rising key, leaving equals as they stand; keys are few, so that each is gathered in turn.
func arrange(group []Grade, key func(Grade) int) {
	before := slices.Clone(group)
	keys := make([]int, len(group))
	for i, g := range before {
		keys[i] = key(g)
	}
	distinct := slices.Clone(keys)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	n := 0
	for _, k := range distinct {
		for i, g := range before {
			if keys[i] == k {
				group[n] = g
				n++
			}
		}
	}
}

// Worths by which Band arranges tied documents.

// worthRelevant prefers relevant documents.
func worthRelevant(g Grade, m Metric) int {
	if g >= Whole(m.Rel) {
		return 1
	}
	return 0
}

// worthGrade prefers higher grades; below 1 all are alike, because none adds a gain.
func worthGrade(g Grade, m Metric) int {
	if m.Rel > 0 {
		return worthRelevant(g, m)
	}
	return int(max(g, 0))
}
