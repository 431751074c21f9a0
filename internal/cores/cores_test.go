package cores

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrace/core/dense"
	"retrace/core/exact"
	"retrace/core/rank"
	"retrace/core/stats"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 9, 10, 11} {
			seen := make([]atomic.Int32, n)
			Each(n, 5, workers, func(_, first, last int) {
				for i := first; i < last; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Errorf("%d workers: %d of %d was done %d times", workers, i, n, seen[i].Load())
				}
			}
		}
	}
}

// Resamplings have the same bits whatever the number of goroutines and the size of their parts.
func TestResamplings(t *testing.T) {
	src := exact.NewStream(3, 0)
	values := make([]float64, 3*500)
	for i := range values {
		values[i] = float64(src.IntN(1000)) / 3
	}
	table, err := stats.NewTable(3, values, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := table.Bootstrap(0, 100, 9, 4)
	for _, workers := range []int{1, 2, 7} {
		for _, size := range []int{1, 16, 1000} {
			got := Gather(100, size, workers, func(first, last int) []float64 { return table.Bootstrap(first, last, 9, 4) })
			if !slices.Equal(got, want) {
				t.Errorf("%d workers, parts of %d: other bits", workers, size)
			}
		}
	}
}

// BenchmarkResamplings is 10,000 resamplings of 8 systems on 100,000 topics, on all cores.
func BenchmarkResamplings(b *testing.B) {
	src := exact.NewStream(3, 0)
	values := make([]float64, 8*100_000)
	for i := range values {
		values[i] = float64(src.IntN(2521))
	}
	table, err := stats.NewTable(8, values, 2520)
	if err != nil {
		b.Fatal(err)
	}
	for name, resample := range map[string]func(first, last int, seed, stream uint64) []float64{"bootstrap": table.Bootstrap,
		"signs": table.SignFlip} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Gather(10_000, 16, 0, func(first, last int) []float64 { return resample(first, last, 1, 1) })
			}
		})
	}
}

// vectors returns rows with values about evenly from −1 to 1, of length 1 but for rounding.
func vectors(rows, dimension int) []float32 {
	values := make([]float32, rows*dimension)
	Each(rows, 1000, 0, func(_, first, last int) {
		for i := first; i < last; i++ {
			src, row, sum := exact.NewStream(11, uint64(i)), values[i*dimension:(i+1)*dimension], 0.0
			for j := range row {
				x := float64(int64(src.Uint64())) / (1 << 63)
				row[j] = float32(x)
				sum += x * x
			}
			for j := range row {
				row[j] /= float32(math.Sqrt(sum))
			}
		}
	})
	return values
}

// best is the exact search on any number of goroutines.
func best(m *dense.Matrix, queries [][]float32, k, size, workers int) [][]rank.Hit {
	parts := Gather(m.Count(), size, workers,
		func(first, last int) [][][]rank.Hit { return [][][]rank.Hit{m.Best(queries, first, last, k)} })
	merged := make([][]rank.Hit, len(queries))
	for q := range queries {
		var lists [][]rank.Hit
		for _, p := range parts {
			lists = append(lists, p[q])
		}
		merged[q] = dense.Merge(lists, k)
	}
	return merged
}

func TestDense(t *testing.T) {
	m, err := dense.FromRows(16, vectors(5000, 16))
	if err != nil {
		t.Fatal(err)
	}
	queries := [][]float32{m.Row(7), m.Row(4999)}
	want := m.Best(queries, 0, m.Count(), 10)
	for _, workers := range []int{1, 2, 7} {
		if got := best(m, queries, 10, 999, workers); !cmp.Equal(got, want) {
			t.Errorf("%d workers: other results", workers)
		}
	}
}
