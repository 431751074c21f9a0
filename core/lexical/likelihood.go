package lexical

import (
	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
)

// Likelihood ranks by query likelihood: how probable a document's language model, smoothed by the collection's, makes the
// question (Zhai and Lafferty, A Study of Smoothing Methods for Language Models Applied to Ad Hoc Information Retrieval,
// SIGIR 2001, equation 6 and table 1). The score is ln p(q|d) − ln p(q|∅): how much likelier the document makes the question
// than an empty document does, of which the smoothing leaves p(t|C) (Dirichlet) or λ·p(t|C) (Jelinek-Mercer) a term. That
// orders documents as p(q|d) does, needs no document without a term of the question, and leaves those without a rank that
// make it no likelier. With p(t|C) = cf/tokens:
//
//	Dirichlet       Σ_t qtf·ln(1 + tf/(μ·p(t|C))) + |q|·ln(μ/(dl + μ))
//	Jelinek-Mercer  Σ_t qtf·ln(1 + (1 − λ)·(tf/dl)/(λ·p(t|C)))
//
// t over the distinct terms of q that the collection has, in ascending order, and |q| the number of their tokens.
type Likelihood struct {
	index   *index.Index
	weights [][]float64 // by term and place in its posting list
	length  []float64   // by document: ln(μ/(dl + μ)); nil for Jelinek-Mercer
}

// NewDirichlet prepares the weight of every posting; mu is above 0.
func NewDirichlet(x *index.Index, mu float64) *Likelihood {
	m := newLikelihood(x, func(p index.Posting, share float64) float64 { return float64(p.TF) / float64(mu*share) })
	m.length = make([]float64, x.N())
	for d, dl := range x.Length {
		m.length[d] = exact.Log(mu / (float64(dl) + mu))
	}
	return m
}

// NewJelinekMercer prepares the weight of every posting; lambda, the collection's share, is between 0 and 1.
func NewJelinekMercer(x *index.Index, lambda float64) *Likelihood {
	return newLikelihood(x, func(p index.Posting, share float64) float64 {
		return float64((1-lambda)*(float64(p.TF)/float64(x.Length[p.Doc]))) / float64(lambda*share)
	})
}

// newLikelihood weighs each posting by ln(1 + odds), the odds from the posting and the term's share of all tokens.
func newLikelihood(x *index.Index, odds func(p index.Posting, share float64) float64) *Likelihood {
	shares := make([]float64, len(x.Terms))
	for t := range shares {
		shares[t] = Share(x, t)
	}
	return &Likelihood{index: x, weights: weights(x, shares, func(t int, p index.Posting) float64 { return exact.Log(1 + odds(p, shares[t])) })}
}

// Share is p(t|C): a term's share of all tokens of a collection.
func Share(x *index.Index, term int) float64 {
	cf := int64(0)
	for _, p := range x.Postings[term] {
		cf += int64(p.TF)
	}
	return float64(cf) / float64(x.Total)
}

// ScoreWeighted implements Model.
func (m *Likelihood) ScoreWeighted(q []Weighted, s *rank.Scores) {
	addWeights(m.index, m.weights, q, s)
	if m.length == nil {
		return
	}
	size := totalWeight(q)
	for _, d := range s.Touched {
		s.Value[d] += float64(size * m.length[d])
	}
}

// LengthTerm names the part of a Dirichlet score that is the document's length; no token has a space.
const LengthTerm = "document length"

// Contributions implements Model; the last part of a Dirichlet score is that of the document's length, under LengthTerm.
func (m *Likelihood) Contributions(q []Weighted, doc int) []Contribution {
	parts := contributions(m.index, q, doc, func(c *Contribution) float64 {
		t, _ := m.index.Term(c.Term)
		return m.weights[t][m.index.Place(t, doc)]
	})
	if m.length != nil && len(parts) > 0 {
		size := totalWeight(q)
		parts = append(parts, Contribution{Term: LengthTerm, QueryWeight: size, Weight: m.length[doc], Score: float64(size * m.length[doc]),
			Length: int(m.index.Length[doc]), AverageLength: m.index.AvgLength()})
	}
	return parts
}
