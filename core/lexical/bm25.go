// Package lexical scores documents by the terms that they share with a question: BM25 in its forms, TF-IDF cosines, query
// likelihood, feedback, and overlap.
package lexical

import (
	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
)

// A BM25Form is one of the formulas that are called BM25. With norm = k1·(1 − b + b·dl/avgdl), a term of a document adds its
// frequency in the question times idf times saturation:
//
//	form       idf                                   saturation
//	Scaled     ln(1 + (N − df + 0.5)/(df + 0.5))     tf·(k1 + 1)/(tf + norm)
//	Lucene     the same                              tf/(tf + norm)
//	Robertson  ln((N − df + 0.5)/(df + 0.5)) or 0    tf/(tf + norm)
//	ATIRE      ln(N/df)                              tf·(k1 + 1)/(tf + norm)
//	L          ln((N + 1)/(df + 0.5))                (c + δ)·(k1 + 1)/(k1 + c + δ),  c = tf/(1 − b + b·dl/avgdl)
//	Plus       ln((N + 1)/df)                        tf·(k1 + 1)/(tf + norm) + δ
//
// as Kamphuis et al. list them (Which BM25 Do You Mean?, ECIR 2020, doi:10.1007/978-3-030-45442-5_4, table 1), after
// Robertson et al. (Okapi at TREC-3, 1994), Trotman, Jia and Crane (Towards an Efficient and Effective Search Engine, SIGIR
// 2012 workshop: ATIRE), Lv and Zhai (When Documents Are Very Long, BM25 Fails!, SIGIR 2011: BM25L; Lower-Bounding Term
// Frequency Normalization, CIKM 2011: BM25+). Scaled is Lucene's with the factor k1 + 1 that it had up to version 7.
// Robertson's idf is negative for a term of more than half of the documents; here it is then 0, as in bm25s, since a
// document is not to fall for having a word of the question.
type BM25Form string

const (
	Scaled    BM25Form = "scaled"
	Lucene    BM25Form = "lucene"
	Robertson BM25Form = "robertson"
	ATIRE     BM25Form = "atire"
	L         BM25Form = "bm25l"
	Plus      BM25Form = "bm25+"
)

// IDF is the form's inverse document frequency of a term that df of n documents have.
func (f BM25Form) IDF(n, df int) float64 {
	switch f {
	case Robertson:
		return max(0, exact.Log((float64(n)-float64(df)+0.5)/(float64(df)+0.5)))
	case ATIRE:
		return exact.Log(float64(n) / float64(df))
	case L:
		return exact.Log((float64(n) + 1) / (float64(df) + 0.5))
	case Plus:
		return exact.Log((float64(n) + 1) / float64(df))
	}
	return IDF(n, df)
}

// BM25 is one form of Okapi BM25 (Robertson and Zaragoza, 2009, doi:10.1561/1500000019):
//
//	score(d, q) = Σ_t qtf · (idf(t) · saturation(tf, dl)),  t over the distinct terms of q in ascending order
type BM25 struct {
	K1, B, Delta float64
	form         BM25Form
	index        *index.Index
	weights      [][]float64 // by term and place in its posting list: idf · saturation
}

// NewBM25 prepares the weight of every posting, in the form Scaled.
func NewBM25(x *index.Index, k1, b float64) *BM25 { return NewBM25Form(x, Scaled, k1, b, 0) }

// NewBM25Form prepares the weight of every posting in a form; delta is of L and Plus only.
func NewBM25Form(x *index.Index, form BM25Form, k1, b, delta float64) *BM25 {
	m := &BM25{k1, b, delta, form, x, nil}
	avgdl := x.AvgLength()
	norm := make([]float64, x.N())
	for d, dl := range x.Length {
		norm[d] = m.lengthNorm(int(dl), avgdl)
	}
	idf := make([]float64, len(x.Terms))
	for t := range idf {
		idf[t] = form.IDF(x.N(), x.DF(t))
	}
	m.weights = weights(x, idf, func(t int, p index.Posting) float64 { return float64(idf[t] * m.saturation(int(p.TF), norm[p.Doc])) })
	return m
}

// IDF is BM25's inverse document frequency: ln(1 + (N − df + 0.5)/(df + 0.5)).
func IDF(n, df int) float64 {
	return exact.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// lengthNorm is k1·(1 − b + b·dl/avgdl), the length-dependent part of BM25's denominator, for L without k1; as if dl were
// 0 where no document has a token.
func (m *BM25) lengthNorm(dl int, avgdl float64) float64 {
	k1 := m.K1
	if m.form == L {
		k1 = 1
	}
	if avgdl == 0 {
		return float64(k1 * (1 - m.B))
	}
	return float64(k1 * (1 - m.B + float64(m.B*float64(dl))/avgdl))
}

// saturation is what the term frequency adds, with diminishing returns.
func (m *BM25) saturation(tf int, norm float64) float64 {
	f := float64(tf)
	switch m.form {
	case Lucene, Robertson:
		return f / (f + norm)
	case L:
		f = f/norm + m.Delta
		return float64(f*(m.K1+1)) / (m.K1 + f)
	case Plus:
		return float64(f*(m.K1+1))/(f+norm) + m.Delta
	}
	return float64(f*(m.K1+1)) / (f + norm)
}

// Score adds the scores of a question's documents to s.
func (m *BM25) Score(q index.Query, s *rank.Scores) { m.ScoreWeighted(Weigh(q), s) }

// ScoreWeighted adds the scores of a weighted question's documents to s.
func (m *BM25) ScoreWeighted(q []Weighted, s *rank.Scores) { addWeights(m.index, m.weights, q, s) }

// Contributions returns the parts of a document's score, in the order in which they are summed.
func (m *BM25) Contributions(q []Weighted, doc int) []Contribution {
	avgdl, dl := m.index.AvgLength(), int(m.index.Length[doc])
	return contributions(m.index, q, doc, func(c *Contribution) float64 {
		c.IDF = m.form.IDF(m.index.N(), c.DF)
		c.Saturation = m.saturation(c.TF, m.lengthNorm(dl, avgdl))
		return float64(c.IDF * c.Saturation)
	})
}
