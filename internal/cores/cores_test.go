package cores

import (
	"slices"
	"sync/atomic"
	"testing"

	"retrace/core/exact"
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
	for name, resample := range map[string]func(first, last int, seed, stream uint64) []float64{"bootstrap": table.Bootstrap, "signs": table.SignFlip} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Gather(10_000, 16, 0, func(first, last int) []float64 { return resample(first, last, 1, 1) })
			}
		})
	}
}
