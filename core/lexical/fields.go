package lexical

import (
	"retrace/core/index"
	"retrace/core/rank"
)

// A Field is one part of every document, as its title, with what a term there counts.
type Field struct {
	Index  *index.Index
	Weight float64
}

// BM25F is BM25 over several fields (Robertson, Zaragoza and Taylor, Simple BM25 Extension to Multiple Weighted Fields, CIKM
// 2004, with lengths normalised field by field as in Zaragoza et al., Microsoft Cambridge at TREC 13, 2004):
//
//	tf'(t, d) = Σ_f w_f · tf_f/(1 − b + b·dl_f/avgdl_f)
//	score(d, q) = Σ_t qtf · idf(t) · tf'/(k1 + tf'),   idf = ln(1 + (N − df + 0.5)/(df + 0.5))
//
// df counts the documents that have the term in the index of all fields together, whose terms number the question's.
type BM25F struct {
	K1, B   float64
	index   *index.Index
	fields  []Field
	weights [][]float64 // by term and place in its posting list
}

// NewBM25F prepares the weight of every posting of an index of all fields together.
func NewBM25F(x *index.Index, k1, b float64, fields ...Field) *BM25F {
	m := &BM25F{k1, b, x, fields, nil}
	idf := make([]float64, len(x.Terms))
	for t := range idf {
		idf[t] = IDF(x.N(), x.DF(t))
	}
	m.weights = weights(x, idf, func(t int, p index.Posting) float64 { return m.weight(t, int(p.Doc)) })
	return m
}

// Frequency is tf', a term's weighted frequency in a document.
func (m *BM25F) Frequency(term string, doc int) float64 {
	sum := 0.0
	for _, f := range m.fields {
		t, ok := f.Index.Term(term)
		if !ok {
			continue
		}
		if tf := f.Index.TF(t, doc); tf > 0 {
			norm := 1 - m.B + float64(m.B*float64(f.Index.Length[doc]))/f.Index.AvgLength()
			sum += float64(f.Weight * (float64(tf) / norm))
		}
	}
	return sum
}

func (m *BM25F) weight(term, doc int) float64 {
	tf := m.Frequency(m.index.Terms[term], doc)
	if tf == 0 {
		return 0
	}
	return float64(IDF(m.index.N(), m.index.DF(term)) * (tf / (m.K1 + tf)))
}

// ScoreWeighted implements Model.
func (m *BM25F) ScoreWeighted(q []Weighted, s *rank.Scores) {
	for _, c := range q {
		if c.Weight == 0 {
			continue
		}
		for i, p := range m.index.Postings[c.Term] {
			if w := m.weights[c.Term][i]; w != 0 {
				s.Add(p.Doc, float64(c.Weight*w))
			}
		}
	}
}

// Contributions implements Model.
func (m *BM25F) Contributions(q []Weighted, doc int) []Contribution {
	return contributions(m.index, q, doc, func(c *Contribution) float64 {
		t, _ := m.index.Term(c.Term)
		tf := m.Frequency(c.Term, doc)
		c.IDF, c.Saturation = IDF(m.index.N(), c.DF), tf/(m.K1+tf)
		return m.weight(t, doc)
	})
}
