package lexical

import (
	"math"

	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
)

// A TFIDFForm is a weight of a term in a text, from its frequency there and its inverse document frequency:
//
//	form       weight
//	Smooth     tf·(ln((1 + N)/(1 + df)) + 1)          scikit-learn's TfidfVectorizer as it comes
//	Plain      tf·(ln(N/df) + 1)                      with smooth_idf=False
//	Sublinear  (1 + ln tf)·(ln((1 + N)/(1 + df)) + 1) with sublinear_tf=True
//	LTC        (1 + ln tf)·ln(N/df)                   ltc.ltc of the SMART system (Salton and Buckley 1988,
//	                                                  doi:10.1016/0306-4573(88)90021-0)
type TFIDFForm string

const (
	Smooth    TFIDFForm = "smooth"
	Plain     TFIDFForm = "plain"
	Sublinear TFIDFForm = "sublinear"
	LTC       TFIDFForm = "ltc"
)

// IDF is the form's inverse document frequency of a term that df of n documents have.
func (f TFIDFForm) IDF(n, df int) float64 {
	switch f {
	case Plain:
		return exact.Log(float64(n)/float64(df)) + 1
	case LTC:
		return exact.Log(float64(n) / float64(df))
	}
	return SmoothIDF(n, df)
}

// Frequency is what the form makes of a term frequency.
func (f TFIDFForm) Frequency(tf int) float64 {
	if f == Sublinear || f == LTC {
		return 1 + exact.Log(float64(tf))
	}
	return float64(tf)
}

// TFIDF is the cosine between question and document of their vectors of weights over the collection's vocabulary (norm
// "l2"). Both sides are divided by their norm before the products are summed, terms in ascending order.
type TFIDF struct {
	form    TFIDFForm
	index   *index.Index
	idf     []float64
	norm    []float64   // of each document's vector
	weights [][]float64 // by term and place in its posting list: the document's normalised weight
}

// NewTFIDF prepares the weight of every posting, in the form Smooth.
func NewTFIDF(x *index.Index) *TFIDF { return NewTFIDFForm(x, Smooth) }

// NewTFIDFForm prepares the weight of every posting in a form.
func NewTFIDFForm(x *index.Index, form TFIDFForm) *TFIDF {
	m := &TFIDF{form, x, make([]float64, len(x.Terms)), make([]float64, x.N()), nil}
	for t := range x.Terms {
		m.idf[t] = form.IDF(x.N(), x.DF(t))
	}
	for d := range m.norm {
		m.norm[d] = m.length(x.Document(d))
	}
	m.weights = weights(x, m.idf, func(t int, p index.Posting) float64 {
		return float64(form.Frequency(int(p.TF))*m.idf[t]) / m.norm[p.Doc]
	})
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
		w := float64(m.form.Frequency(c.TF) * m.idf[c.Term])
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

// vector is the question's vector, normalised.
func (m *TFIDF) vector(q index.Query) []Weighted {
	norm := m.length(q.Terms)
	var vector []Weighted
	for _, c := range q.Terms {
		if m.idf[c.Term] != 0 {
			vector = append(vector, Weighted{c.Term, float64(m.form.Frequency(c.TF)*m.idf[c.Term]) / norm})
		}
	}
	return vector
}

// Score adds the cosines of a question's documents to s.
func (m *TFIDF) Score(q index.Query, s *rank.Scores) { addWeights(m.index, m.weights, m.vector(q), s) }

// Contributions returns the parts of a document's cosine, in the order in which Score sums them.
func (m *TFIDF) Contributions(q index.Query, doc int) []Contribution {
	parts := contributions(m.index, m.vector(q), doc, func(c *Contribution) float64 {
		t, _ := m.index.Term(c.Term)
		c.IDF = m.idf[t]
		return float64(m.form.Frequency(c.TF)*c.IDF) / m.norm[doc]
	})
	for i := range parts {
		t, _ := m.index.Term(parts[i].Term)
		for _, c := range q.Terms {
			if c.Term == t {
				parts[i].QTF = float64(c.TF)
			}
		}
	}
	return parts
}
