package dense

import (
	"fmt"
	"math"
	"slices"

	"retrace/core/rank"
)

// FromRows returns a matrix over rows of one dimension each, which are taken as they are: not copied, not checked to be of
// length 1. Its sidecar says dimension and count alone. It is for vectors that are mapped into memory or made on the spot.
func FromRows(dimension int, rows []float32) (*Matrix, error) {
	if dimension < 1 || dimension > maxDimension || len(rows)%dimension != 0 || len(rows)/dimension > maxCount {
		return nil, fmt.Errorf("dense: %d values are not rows of dimension %d", len(rows), dimension)
	}
	return &Matrix{Sidecar{Dimension: dimension, Count: len(rows) / dimension, DType: DType}, dimension, rows}, nil
}

// blockRows is how many rows are scored at a time: with 384 dimensions they stay in the second cache while several queries
// go over them.
const blockRows = 256

// Best returns, for each query, the k best of the rows from first to last−1 by dot product (Dot, to the bit), ties by row.
// Any split of the rows gives the same after Merge, so that parts may be searched side by side.
func (m *Matrix) Best(queries [][]float32, first, last, k int) [][]rank.Hit {
	best := make([][]rank.Hit, len(queries))
	if k < 1 {
		return best
	}
	scores := make([]float64, blockRows)
	for ; first < last; first += blockRows {
		end := min(first+blockRows, last)
		block := &Matrix{Sidecar{Count: end - first}, m.dimension, m.rows[first*m.dimension : end*m.dimension]}
		for q, query := range queries {
			block.ScoresInto(scores[:end-first], query)
			for i, x := range scores[:end-first] {
				if len(best[q]) < k || x > best[q][k-1].Score {
					best[q] = insert(best[q], k, rank.Hit{Doc: first + i, Score: x})
				}
			}
		}
	}
	return best
}

// insert puts a hit into an ordered list of at most k; rows come in ascending order, so that it goes behind its equals.
func insert(list []rank.Hit, k int, h rank.Hit) []rank.Hit {
	i := len(list)
	for i > 0 && list[i-1].Score < h.Score {
		i--
	}
	if len(list) == k {
		list = list[:k-1]
	}
	return slices.Insert(list, i, h)
}

// Merge returns the k best of lists over different rows.
func Merge(lists [][]rank.Hit, k int) []rank.Hit {
	all := slices.Concat(lists...)
	slices.SortFunc(all, compareHits)
	return all[:min(k, len(all)):min(k, len(all))]
}

func compareHits(a, b rank.Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return a.Doc - b.Doc
}

// Codes are the rows of a matrix in 8 bits a value: round(x/scale) with the row's own scale, the largest magnitude divided
// by 127. They take a quarter of the memory and find candidates, which are then scored exactly; what they miss is missed,
// so results must say that they were used, how many candidates were scored, and the recall measured.
type Codes struct {
	dimension int
	codes     []int8
	scales    []float32
}

// Encode returns the codes of a matrix.
func (m *Matrix) Encode() *Codes {
	c := &Codes{m.dimension, make([]int8, len(m.rows)), make([]float32, m.Count())}
	for i := range c.scales {
		c.scales[i] = encodeRow(c.codes[i*m.dimension:(i+1)*m.dimension], m.rows[i*m.dimension:(i+1)*m.dimension])
	}
	return c
}

func encodeRow(codes []int8, row []float32) (scale float32) {
	largest := float32(0)
	for _, x := range row {
		largest = max(largest, float32(math.Abs(float64(x))))
	}
	if largest == 0 {
		return 0
	}
	scale = largest / 127
	for j, x := range row {
		codes[j] = int8(math.RoundToEven(float64(min(max(x/scale, -127), 127))))
	}
	return scale
}

// Candidates returns, for each query, the k rows from first to last−1 that the codes put highest. Their scores are
// approximate; Rescore makes them exact.
func (c *Codes) Candidates(queries [][]float32, first, last, k int) [][]rank.Hit {
	best := make([][]rank.Hit, len(queries))
	if k < 1 {
		return best
	}
	coded, scales := make([][]int8, len(queries)), make([]float32, len(queries))
	for q, query := range queries {
		if len(query) != c.dimension {
			panic(fmt.Sprintf("dense: query of %d values for codes of dimension %d", len(query), c.dimension))
		}
		coded[q] = make([]int8, c.dimension)
		scales[q] = encodeRow(coded[q], query)
	}
	for ; first < last; first += blockRows {
		for q := range queries {
			for i := first; i < min(first+blockRows, last); i++ {
				sum := dotCodes(c.codes[i*c.dimension:(i+1)*c.dimension], coded[q])
				x := float64(sum) * float64(c.scales[i]) * float64(scales[q])
				if len(best[q]) < k || x > best[q][k-1].Score {
					best[q] = insert(best[q], k, rank.Hit{Doc: i, Score: x})
				}
			}
		}
	}
	return best
}

// dotCodes is exact: 127² · 65536 fits 31 bits.
func dotCodes(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	j := 0
	for ; j+4 <= len(a); j += 4 {
		x, y := a[j:j+4:j+4], b[j:j+4:j+4]
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; j < len(a); j++ {
		s0 += int32(a[j]) * int32(b[j])
	}
	return s0 + s1 + s2 + s3
}

// Rescore returns the k best of candidates by exact dot product.
func (m *Matrix) Rescore(query []float32, candidates []rank.Hit, k int) []rank.Hit {
	exact := make([]rank.Hit, len(candidates))
	for i, h := range candidates {
		exact[i] = rank.Hit{Doc: h.Doc, Score: Dot(m.Row(h.Doc), query)}
	}
	return Merge([][]rank.Hit{exact}, k)
}
