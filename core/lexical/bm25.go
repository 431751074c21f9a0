// Package lexical scores documents by the terms that they share with a question: BM25, TF-IDF cosine and overlap.
package lexical

import (
	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
)

// BM25 is Okapi BM25 with the non-negative inverse document frequency of Lucene (Robertson and Zaragoza, 2009,
// doi:10.1561/1500000019; the variant "Lucene (accurate)" of Kamphuis et al., ECIR 2020):
//
//	score(d, q) = Σ_t qtf · (idf(t) · saturation(tf, dl)),  t over the distinct terms of q in ascending order
type BM25 struct {
	K1, B   float64
	index   *index.Index
	weights [][]float64 // by term and place in its posting list: idf · saturation
}

// NewBM25 prepares the weight of every posting.
func NewBM25(x *index.Index, k1, b float64) *BM25 {
	m := &BM25{k1, b, x, make([][]float64, len(x.Terms))}
	avgdl := x.AvgLength()
	norm := make([]float64, x.N())
	for d, dl := range x.Length {
		norm[d] = m.lengthNorm(int(dl), avgdl)
	}
	all := make([]float64, 0, totalPostings(x))
	for t, postings := range x.Postings {
		idf := IDF(x.N(), len(postings))
		start := len(all)
		for _, p := range postings {
			all = append(all, float64(idf*m.saturation(int(p.TF), norm[p.Doc])))
		}
		m.weights[t] = all[start:len(all):len(all)]
	}
	return m
}

func totalPostings(x *index.Index) int {
	n := 0
	for _, p := range x.Postings {
		n += len(p)
	}
	return n
}

// IDF is BM25's inverse document frequency: ln(1 + (N − df + 0.5)/(df + 0.5)).
func IDF(n, df int) float64 {
	return exact.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// lengthNorm is k1·(1 − b + b·dl/avgdl), the length-dependent part of BM25's denominator; k1·(1 − b) where no document
// has a token.
func (m *BM25) lengthNorm(dl int, avgdl float64) float64 {
	if avgdl == 0 {
		return float64(m.K1 * (1 - m.B))
	}
	return float64(m.K1 * (1 - m.B + float64(m.B*float64(dl))/avgdl))
}

// saturation is tf·(k1 + 1)/(tf + norm).
func (m *BM25) saturation(tf int, norm float64) float64 {
	return float64(float64(tf)*(m.K1+1)) / (float64(tf) + norm)
}

// Score adds the scores of a question's documents to s.
func (m *BM25) Score(q index.Query, s *rank.Scores) {
	for _, c := range q.Terms {
		weights, qtf := m.weights[c.Term], float64(c.TF)
		for i, p := range m.index.Postings[c.Term] {
			s.Add(p.Doc, float64(qtf*weights[i]))
		}
	}
}

// A Contribution is one term's part of a document's score, with what it was computed from.
type Contribution struct {
	Term          string
	QTF, TF, DF   int
	IDF           float64
	Saturation    float64 // BM25 only
	Weight        float64 // of the term in the document
	QueryWeight   float64 // of the term in the question
	Score         float64 // what is summed
	Length        int     // of the document, in kept tokens
	AverageLength float64
}

// Contributions returns the parts of a document's score, in the order in which Score sums them.
func (m *BM25) Contributions(q index.Query, doc int) []Contribution {
	var parts []Contribution
	avgdl := m.index.AvgLength()
	for _, c := range q.Terms {
		tf := m.index.TF(c.Term, doc)
		if tf == 0 {
			continue
		}
		idf := IDF(m.index.N(), m.index.DF(c.Term))
		dl := int(m.index.Length[doc])
		saturation := m.saturation(tf, m.lengthNorm(dl, avgdl))
		weight := float64(idf * saturation)
		parts = append(parts, Contribution{m.index.Terms[c.Term], c.TF, tf, m.index.DF(c.Term), idf, saturation, weight, float64(c.TF), float64(float64(c.TF) * weight), dl, avgdl})
	}
	return parts
}
