package lexical

import (
	"math"

	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
)

// TFIDF is the cosine between question and document of the vectors tf · (ln((1+N)/(1+df)) + 1), over the collection's
// vocabulary (scikit-learn's TfidfVectorizer with smooth_idf, without sublinear_tf, norm "l2"). Both sides are divided
// by their norm before the products are summed, terms in ascending order.
type TFIDF struct {
	index   *index.Index
	idf     []float64
	norm    []float64   // of each document's vector
	weights [][]float64 // by term and place in its posting list: the document's normalised weight
}

// NewTFIDF prepares the weight of every posting.
func NewTFIDF(x *index.Index) *TFIDF {
	m := &TFIDF{x, make([]float64, len(x.Terms)), make([]float64, x.N()), make([][]float64, len(x.Terms))}
	for t := range x.Terms {
		m.idf[t] = SmoothIDF(x.N(), x.DF(t))
	}
	for d := range m.norm {
		m.norm[d] = m.length(x.Document(d))
	}
	all := make([]float64, 0, totalPostings(x))
	for t, postings := range x.Postings {
		start := len(all)
		for _, p := range postings {
			all = append(all, float64(float64(p.TF)*m.idf[t])/m.norm[p.Doc])
		}
		m.weights[t] = all[start:len(all):len(all)]
	}
	return m
}

// SmoothIDF is ln((1 + N)/(1 + df)) + 1.
func SmoothIDF(n, df int) float64 {
	return exact.Log((1+float64(n))/(1+float64(df))) + 1
}

// length is the Euclidean norm of a text's vector: √Σ (tf·idf)², terms in ascending order.
func (m *TFIDF) length(terms []index.TermCount) float64 {
	sum := 0.0
	for _, c := range terms {
		w := float64(float64(c.TF) * m.idf[c.Term])
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

// Score adds the cosines of a question's documents to s.
func (m *TFIDF) Score(q index.Query, s *rank.Scores) {
	norm := m.length(q.Terms)
	for _, c := range q.Terms {
		weights, qw := m.weights[c.Term], float64(float64(c.TF)*m.idf[c.Term])/norm
		for i, p := range m.index.Postings[c.Term] {
			s.Add(p.Doc, float64(qw*weights[i]))
		}
	}
}

// Contributions returns the parts of a document's cosine, in the order in which Score sums them.
func (m *TFIDF) Contributions(q index.Query, doc int) []Contribution {
	var parts []Contribution
	norm := m.length(q.Terms)
	for _, c := range q.Terms {
		tf := m.index.TF(c.Term, doc)
		if tf == 0 {
			continue
		}
		qw := float64(float64(c.TF)*m.idf[c.Term]) / norm
		weight := float64(float64(tf)*m.idf[c.Term]) / m.norm[doc]
		parts = append(parts, Contribution{Term: m.index.Terms[c.Term], QTF: c.TF, TF: tf, DF: m.index.DF(c.Term), IDF: m.idf[c.Term],
			Weight: weight, QueryWeight: qw, Score: float64(qw * weight), Length: int(m.index.Length[doc]), AverageLength: m.index.AvgLength()})
	}
	return parts
}
