package lexical

import (
	"retrace/core/index"
	"retrace/core/rank"
)

// Overlap adds 1 to a document's score for each distinct term that it shares with the question, through postings.
func Overlap(x *index.Index, q index.Query, s *rank.Scores) {
	for _, c := range q.Terms {
		for _, p := range x.Postings[c.Term] {
			s.Add(p.Doc, 1)
		}
	}
}

// Scan gives the same score as Overlap by reading every document: the plain method that the index must agree with.
func Scan(x *index.Index, q index.Query, s *rank.Scores) {
	for d := range x.N() {
		shared := 0
		terms := x.Document(d)
		for _, c := range q.Terms {
			for _, t := range terms {
				if t.Term == c.Term {
					shared++
					break
				}
			}
		}
		if shared > 0 {
			s.Add(int32(d), float64(shared))
		}
	}
}
