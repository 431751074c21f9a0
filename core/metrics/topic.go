package metrics

import (
	"fmt"
	"math"
	"slices"
)

// A Grade is a relevance grade in halves, because the mean of two assessors' whole grades is a multiple of one half:
// grade 3 is Grade(6), the mean of 1 and 2 is Grade(3).
type Grade int

// Whole returns the Grade of a whole number.
func Whole(grade int) Grade { return Grade(2 * grade) }

// Float returns the grade as a number, exactly.
func (g Grade) Float() float64 { return float64(g) / 2 }

// MaxGrade is the highest grade: gains of 2^grade − 1 stay far inside the range of exact integers.
const MaxGrade Grade = 2 * 32

// A Topic is what a measure looks at: one question's ranking and the judgements of its pool.
type Topic struct {
	ID          string      // names the topic in errors
	Ranked      []string    // IDs of the returned documents, best first
	Judged      []Judgement // the pool, each document once, in any order
	Obligations int         // how many obligations the question has; 0 where the study has none

	// UnjudgedIrrelevant makes a document without a judgement irrelevant, as trec_eval does. Without it such a document
	// inside the cutoff is an error.
	UnjudgedIrrelevant bool
}

// A Judgement says how relevant a document is to the topic.
type Judgement struct {
	Doc   string
	Grade Grade
	Helps []int // obligations, from 0, that the document helps
}

// top returns the judgements of the first k documents of the ranking, fewer where fewer were returned.
func (t *Topic) top(k int) ([]Judgement, error) {
	if k < 1 {
		return nil, fmt.Errorf("metrics: topic %q: cutoff %d: a cutoff is 1 at least", t.ID, k)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	ranked := t.Ranked[:min(k, len(t.Ranked))]
	judgements := make([]Judgement, len(ranked))
	rank := make(map[string]int, len(ranked))
	for i, doc := range ranked {
		if first, twice := rank[doc]; twice {
			return nil, fmt.Errorf("metrics: topic %q: document %q is returned at ranks %d and %d: return each document once",
				t.ID, doc, first, i+1)
		}
		rank[doc] = i + 1
		judgements[i] = Judgement{Doc: doc}
		at := slices.IndexFunc(t.Judged, func(j Judgement) bool { return j.Doc == doc })
		switch {
		case at >= 0:
			judgements[i] = t.Judged[at]
		case !t.UnjudgedIrrelevant:
			return nil, fmt.Errorf("metrics: topic %q: document %q at rank %d is not judged: judge it, or declare that unjudged "+
				"documents are irrelevant", t.ID, doc, i+1)
		}
	}
	return judgements, nil
}

// check refuses judgements that no measure can be computed from.
func (t *Topic) check() error {
	for _, j := range t.Judged {
		if j.Grade < 0 || j.Grade > MaxGrade {
			return fmt.Errorf("metrics: topic %q: document %q has grade %v: grades run from 0 to %v",
				t.ID, j.Doc, j.Grade.Float(), MaxGrade.Float())
		}
		for _, o := range j.Helps {
			if o < 0 || o >= t.Obligations {
				return fmt.Errorf("metrics: topic %q: document %q helps obligation %d: the topic has %d, counted from 0",
					t.ID, j.Doc, o, t.Obligations)
			}
		}
	}
	return nil
}

// relevant counts the judged documents with at least the given whole grade.
func (t *Topic) relevant(rel int) int {
	n := 0
	for _, j := range t.Judged {
		if j.Grade >= Whole(rel) {
			n++
		}
	}
	return n
}

// gain is 2^grade − 1. The power is exact for whole grades and correctly rounded for halves (2^½ is a constant), so no
// platform's Pow is involved.
func gain(g Grade) float64 {
	power := 1.0
	if g%2 == 1 {
		power = math.Sqrt2
	}
	return math.Ldexp(power, int(g/2)) - 1
}
