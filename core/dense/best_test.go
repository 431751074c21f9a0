package dense

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/exact"
	"retrace/core/rank"
)

// Small whole numbers, so that many scores tie.
func smallMatrix(t *rapid.T) (*Matrix, [][]float32) {
	dimension := rapid.IntRange(1, 9).Draw(t, "dimension")
	src := exact.NewStream(rapid.Uint64().Draw(t, "seed"), 0)
	row := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(src.IntN(5) - 2)
		}
		return v
	}
	m, err := FromRows(dimension, row(dimension*rapid.SampledFrom([]int{1, 7, 255, 256, 300, 600}).Draw(t, "rows")))
	if err != nil {
		t.Fatal(err)
	}
	return m, [][]float32{row(dimension), row(dimension)}
}

// Best against rank's order of all scores, whole and in parts.
func TestBestEqualsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, queries := smallMatrix(t)
		k := rapid.IntRange(1, 20).Draw(t, "k")
		cut := rapid.IntRange(0, m.Count()).Draw(t, "cut")
		whole := m.Best(queries, 0, m.Count(), k)
		a, b := m.Best(queries, 0, cut, k), m.Best(queries, cut, m.Count(), k)
		for q, query := range queries {
			s := rank.New(m.Count())
			m.ScoresInto(s.Value, query)
			s.All = true
			want := s.Best(k)
			if !slices.Equal(whole[q], want) {
				t.Fatalf("%v, want %v", whole[q], want)
			}
			if got := Merge([][]rank.Hit{b[q], a[q]}, k); !slices.Equal(got, want) {
				t.Fatalf("in parts %v, want %v", got, want)
			}
			if got := m.Rescore(query, whole[q], k); !slices.Equal(got, want) {
				t.Fatalf("scored again %v, want %v", got, want)
			}
		}
	})
}

// By hand: 1, −0.5, 0.25 with scale 1/127 are 127, −63.5, 31.75, so 127, −64, 32 (halves to even). A code's product with
// itself is 127² + 64² + 32² = 21249, over 127².
func TestCodes(t *testing.T) {
	m, _ := FromRows(3, []float32{1, -0.5, 0.25, 0, 0, 0})
	c := m.Encode()
	if !slices.Equal(c.codes, []int8{127, -64, 32, 0, 0, 0}) {
		t.Error(c.codes)
	}
	got := c.Candidates([][]float32{{1, -0.5, 0.25}}, 0, 2, 5)[0]
	if len(got) != 2 || got[0].Doc != 0 || math.Abs(got[0].Score-21249.0/16129) > 1e-6 || got[1].Score != 0 {
		t.Error(got)
	}
}

// An error of at most half a scale a value: the approximate score is off by no more than Σ|q|·scale/2, and as much for the
// query's own codes.
func TestCodesError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := exact.NewStream(rapid.Uint64().Draw(t, "seed"), 0)
		n := rapid.IntRange(1, 40).Draw(t, "dimension")
		row := func() []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(src.IntN(2001)-1000) / 1000
			}
			return v
		}
		a, b := row(), row()
		m, _ := FromRows(n, a)
		got := m.Encode().Candidates([][]float32{b}, 0, 1, 1)[0][0].Score
		bound := 0.0
		for i := range a { // |ab − a'b'| ≤ |a|·|b − b'| + |b'|·|a − a'|
			bound += math.Abs(float64(a[i]))/254 + (math.Abs(float64(b[i]))+1.0/254)/254
		}
		if math.Abs(got-Dot(a, b)) > bound*1.0001 {
			t.Fatalf("%v, exactly %v, off by more than %v", got, Dot(a, b), bound)
		}
	})
}

func TestFromRowsRefuses(t *testing.T) {
	if _, err := FromRows(3, make([]float32, 4)); err == nil {
		t.Error("4 values are rows of 3")
	}
	if _, err := FromRows(0, nil); err == nil {
		t.Error("dimension 0")
	}
}
