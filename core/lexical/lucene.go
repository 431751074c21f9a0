package lexical

import (
	"math/bits"

	"retrace/core/index"
	"retrace/core/rank"
)

// LuceneBM25 is BM25 as Lucene 9.12.1's BM25Similarity computes it from an index: with lengths in one byte, in float32,
// over the documents that have a token.
//
//	idf = float32(ln(1 + (N − df + 0.5)/(df + 0.5))),  avgdl = float32(tokens/N)
//	w = qtf·idf,  score(t) = w − w/(1 + tf·(1/(k1·((1 − b) + b·dl/avgdl)))),  each operation rounded to float32
//	score(d, q) = float32(Σ_t score(t)), t over the distinct terms of q in ascending order, summed in float64
type LuceneBM25 struct {
	index   *index.Index
	idf     []float32 // by term
	inverse []float32 // by document: 1/norm
}

// NewLuceneBM25 prepares what depends on terms and documents alone.
func NewLuceneBM25(x *index.Index, k1, b float64) *LuceneBM25 {
	m := &LuceneBM25{x, make([]float32, len(x.Terms)), make([]float32, x.N())}
	n := 0
	for _, dl := range x.Length {
		if dl > 0 {
			n++
		}
	}
	for t := range x.Terms {
		m.idf[t] = float32(IDF(n, x.DF(t)))
	}
	k, c, avgdl := float32(k1), float32(b), float32(float64(x.Total)/float64(n))
	for d, dl := range x.Length {
		if dl > 0 {
			m.inverse[d] = 1 / float32(k*((1-c)+float32(c*float32(LossyLength(int(dl))))/avgdl))
		}
	}
	return m
}

// LossyLength is a length that went through one byte, as Lucene's SmallFloat writes (intToByte4) and reads it
// (byte4ToInt): exact below 40, and from 24 on the excess with its four leading bits.
func LossyLength(n int) int {
	const exactly = 24
	if n < exactly {
		return n
	}
	excess := uint(n - exactly)
	shift := max(0, bits.Len(excess)-4)
	return exactly + int(excess>>shift<<shift)
}

func (m *LuceneBM25) weight(boost float64, term, tf, doc int) float32 {
	w := float32(float32(boost) * m.idf[term])
	return w - w/(1+float32(float32(tf)*m.inverse[doc]))
}

// ScoreWeighted implements Model.
func (m *LuceneBM25) ScoreWeighted(q []Weighted, s *rank.Scores) {
	for _, c := range q {
		for _, p := range m.index.Postings[c.Term] {
			if w := m.weight(c.Weight, c.Term, int(p.TF), int(p.Doc)); w != 0 {
				s.Add(p.Doc, float64(w))
			}
		}
	}
	for _, d := range s.Touched {
		s.Value[d] = float64(float32(s.Value[d]))
	}
}

// Contributions implements Model. Its parts sum to the score before it is rounded to float32.
func (m *LuceneBM25) Contributions(q []Weighted, doc int) []Contribution {
	parts := contributions(m.index, q, doc, func(c *Contribution) float64 {
		t, _ := m.index.Term(c.Term)
		c.IDF, c.Length = float64(m.idf[t]), LossyLength(c.Length)
		return 1
	})
	for i := range parts {
		c := &parts[i]
		t, _ := m.index.Term(c.Term)
		c.Score = float64(m.weight(c.QueryWeight, t, c.TF, doc))
		c.Weight = float64(m.weight(1, t, c.TF, doc))
		c.Saturation = c.Weight / c.IDF
	}
	return parts
}
