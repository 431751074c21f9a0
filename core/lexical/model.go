package lexical

import (
	"retrace/core/index"
	"retrace/core/rank"
)

// A Model scores documents by weighted terms: a question, or a question that feedback has changed.
type Model interface {
	// ScoreWeighted adds the scores of the documents to s, which must hold none.
	ScoreWeighted(q []Weighted, s *rank.Scores)
	// Contributions returns the parts of a document's score, in the order in which they are summed.
	Contributions(q []Weighted, doc int) []Contribution
}

// Weighted is a term of a question, by its number, with its weight there.
type Weighted struct {
	Term   int
	Weight float64
}

// Weigh gives a question's terms their frequencies as weights, in ascending order of the term.
func Weigh(q index.Query) []Weighted {
	terms := make([]Weighted, len(q.Terms))
	for i, c := range q.Terms {
		terms[i] = Weighted{c.Term, float64(c.TF)}
	}
	return terms
}

// A Contribution is one term's part of a document's score, with what it was computed from.
type Contribution struct {
	Term          string
	QTF           float64 // in the question, or the weight that feedback gave the term
	TF, DF        int
	IDF           float64 // where the model has one
	Saturation    float64 // BM25 only
	Weight        float64 // of the term in the document
	QueryWeight   float64 // of the term in the question
	Score         float64 // what is summed
	Length        int     // of the document, in kept tokens
	AverageLength float64
}

// addWeights adds question's weight times document's weight, term by term. A term without weights adds nothing.
//
// It and the functions below stand once in the page's engine instead of in each model: their loops are what takes time.
//
//go:noinline
func addWeights(x *index.Index, weights [][]float64, q []Weighted, s *rank.Scores) {
	for _, c := range q {
		w := weights[c.Term]
		if len(w) == 0 || c.Weight == 0 {
			continue
		}
		for i, p := range x.Postings[c.Term] {
			s.Add(p.Doc, float64(c.Weight*w[i]))
		}
	}
}

// totalWeight is the sum of a question's weights.
//
//go:noinline
func totalWeight(q []Weighted) (sum float64) {
	for _, c := range q {
		sum += c.Weight
	}
	return sum
}

// weights makes the weight of every posting, by term and place in its posting list; none for terms of factor 0, which add
// nothing to any document.
//
//go:noinline
func weights(x *index.Index, factors []float64, weight func(term int, p index.Posting) float64) [][]float64 {
	n := 0
	for _, postings := range x.Postings {
		n += len(postings)
	}
	all, lists := make([]float64, 0, n), make([][]float64, len(x.Terms))
	for t, postings := range x.Postings {
		if factors[t] == 0 {
			continue
		}
		start := len(all)
		for _, p := range postings {
			all = append(all, weight(t, p))
		}
		lists[t] = all[start:len(all):len(all)]
	}
	return lists
}

// contributions lists the parts of a sum of question's weight times document's weight, as addWeights adds them.
func contributions(x *index.Index, q []Weighted, doc int, weight func(c *Contribution) float64) []Contribution {
	var parts []Contribution
	for _, t := range q {
		c := Contribution{Term: x.Terms[t.Term], QTF: t.Weight, TF: x.TF(t.Term, doc), DF: x.DF(t.Term), QueryWeight: t.Weight,
			Length: int(x.Length[doc]), AverageLength: x.AvgLength()}
		if c.TF == 0 {
			continue
		}
		c.Weight = weight(&c)
		if c.Score = float64(t.Weight * c.Weight); c.Score != 0 {
			parts = append(parts, c)
		}
	}
	return parts
}
