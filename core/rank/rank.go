// Package rank holds what a ranking is: scores over documents, their order, ties, ranks and the best k.
//
// Documents are numbers in ascending order of ID; the order of a ranking is score descending, then number ascending.
package rank

import "slices"

// Scores are the scores of one question over a collection. Reuse one value for many questions with Reset.
type Scores struct {
	Value   []float64 // by document
	Touched []int32   // documents whose value may differ from 0, in no stated order; unused if All
	All     bool      // every document is ranked, whatever its score; otherwise only positive scores are
}

// New returns scores of zero over n documents.
func New(n int) *Scores { return &Scores{Value: make([]float64, n)} }

// Add adds x, which must not make a touched value zero, to the score of a document.
func (s *Scores) Add(doc int32, x float64) {
	if s.Value[doc] == 0 {
		s.Touched = append(s.Touched, doc)
	}
	s.Value[doc] += x
}

// Reset sets every score to zero again.
func (s *Scores) Reset() {
	if s.All {
		clear(s.Value)
	} else {
		for _, d := range s.Touched {
			s.Value[d] = 0
		}
	}
	s.Touched, s.All = s.Touched[:0], false
}

// Ranked reports whether a document has a rank.
func (s *Scores) Ranked(doc int) bool { return s.All || s.Value[doc] > 0 }

// A Hit is one place of a ranking.
type Hit struct {
	Doc   int
	Score float64
}

// before reports whether document a with score x stands before document b with score y.
func before(x float64, a int, y float64, b int) bool { return x > y || x == y && a < b }

// each yields the documents that have a rank.
func (s *Scores) each(yield func(doc int, score float64)) {
	if s.All {
		for d, x := range s.Value {
			yield(d, x)
		}
		return
	}
	for _, d := range s.Touched {
		if x := s.Value[d]; x > 0 {
			yield(int(d), x)
		}
	}
}

// Count returns how many documents have a rank.
func (s *Scores) Count() int {
	if s.All {
		return len(s.Value)
	}
	n := 0
	for _, d := range s.Touched {
		if s.Value[d] > 0 {
			n++
		}
	}
	return n
}

// Rank returns the rank of a document, from 1, by counting those before it; 0 where it has none.
func (s *Scores) Rank(doc int) int {
	if !s.Ranked(doc) {
		return 0
	}
	own, rank := s.Value[doc], 1
	if s.All {
		for d, x := range s.Value {
			if before(x, d, own, doc) {
				rank++
			}
		}
		return rank
	}
	for _, d := range s.Touched {
		if x := s.Value[d]; x > 0 && before(x, int(d), own, doc) {
			rank++
		}
	}
	return rank
}

// Best returns the first k of the ranking, fewer where fewer have a rank.
func (s *Scores) Best(k int) []Hit {
	if k <= 0 {
		return nil
	}
	best := make([]Hit, 0, min(k, 64))
	// Insertion into a short sorted list beats a heap for the k of a result page; a long list is sorted instead.
	if k > 64 {
		best = s.Sorted()
		return best[:min(k, len(best)):min(k, len(best))]
	}
	insert := func(d int, x float64) {
		if len(best) == k {
			if last := best[k-1]; !before(x, d, last.Score, last.Doc) {
				return
			}
			best = best[:k-1]
		}
		i := len(best)
		best = append(best, Hit{})
		for i > 0 && before(x, d, best[i-1].Score, best[i-1].Doc) {
			best[i] = best[i-1]
			i--
		}
		best[i] = Hit{d, x}
	}
	if s.All {
		for d, x := range s.Value {
			insert(d, x)
		}
		return best
	}
	floor := 0.0 // no score below the k-th best so far can enter
	for _, d := range s.Touched {
		x := s.Value[d]
		if x <= 0 || x < floor {
			continue
		}
		insert(int(d), x)
		if len(best) == k {
			floor = best[k-1].Score
		}
	}
	return best
}

// Sorted returns the whole ranking.
func (s *Scores) Sorted() []Hit {
	n := len(s.Touched)
	if s.All {
		n = len(s.Value)
	}
	hits := make([]Hit, 0, n)
	s.each(func(d int, x float64) { hits = append(hits, Hit{d, x}) })
	slices.SortFunc(hits, compareHits)
	return hits
}

func compareHits(a, b Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return a.Doc - b.Doc
}
