package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/exact"
)

// The rules of Table's draws once more, as plainly as they are stated.
func plainBootstrap(systems int, values []float64, den float64, r int, seed, stream uint64) []float64 {
	n := len(values) / systems
	src := exact.NewStream(seed, stream<<32+uint64(r))
	var halves []uint64
	sums := make([]float64, systems)
	for drawn := 0; drawn < n; {
		if len(halves) == 0 {
			x := src.Uint64()
			halves = []uint64{x % (1 << 32), x >> 32}
		}
		x := halves[0]
		halves = halves[1:]
		if x*uint64(n)%(1<<32) < (1<<32)%uint64(n) {
			continue
		}
		topic := int(x * uint64(n) / (1 << 32))
		for s := range sums {
			sums[s] += values[topic*systems+s]
		}
		drawn++
	}
	for s := range sums {
		sums[s] /= float64(n) * den
	}
	return sums
}

func plainFlip(systems int, values []float64, den float64, r int, seed, stream uint64) []float64 {
	n := len(values) / systems
	src := exact.NewStream(seed, stream<<32+uint64(r))
	sums, word := make([]float64, systems), uint64(0)
	for topic := range n {
		if topic%64 == 0 {
			word = src.Uint64()
		}
		for s := range sums {
			if v := values[topic*systems+s]; word>>(topic%64)&1 == 1 {
				sums[s] -= v
			} else {
				sums[s] += v
			}
		}
	}
	for s := range sums {
		sums[s] /= float64(n) * den
	}
	return sums
}

func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems := rapid.IntRange(1, 19).Draw(t, "systems")
		topics := rapid.SampledFrom([]int{1, 2, 3, 64, 65, 255, 256, 257, 700}).Draw(t, "topics")
		src := exact.NewStream(rapid.Uint64().Draw(t, "values"), 0)
		values := make([]float64, systems*topics)
		for i := range values {
			values[i] = float64(src.IntN(2000001)-1000000) / 7
		}
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64Range(1, 1<<20).Draw(t, "stream")
		den := rapid.SampledFrom([]float64{1, 2520}).Draw(t, "den")
		table, err := NewTable(systems, values, den)
		if err != nil {
			t.Fatal(err)
		}
		first := rapid.IntRange(0, 5).Draw(t, "first")
		boot, flips := table.Bootstrap(first, first+3, seed, stream), table.SignFlip(first, first+3, seed, stream)
		for i := range 3 {
			if want := plainBootstrap(systems, values, den, first+i, seed, stream); !slices.Equal(boot[i*systems:(i+1)*systems], want) {
				t.Fatalf("replicate %d: %v, want %v", first+i, boot[i*systems:(i+1)*systems], want)
			}
			if want := plainFlip(systems, values, den, first+i, seed, stream); !slices.Equal(flips[i*systems:(i+1)*systems], want) {
				t.Fatalf("flipped replicate %d: %v, want %v", first+i, flips[i*systems:(i+1)*systems], want)
			}
		}
		for s, got := range table.Observed() {
			column := Sample{Den: den}
			for topic := range topics {
				column.Values = append(column.Values, values[topic*systems+s])
			}
			if got != column.Mean() {
				t.Fatalf("system %d: mean %v, want %v", s, got, column.Mean())
			}
		}
	})
}

// The mean of bootstrap means is the mean, and their standard deviation the standard error, √(p(1−p)/n): 0.05 for 100 topics
// half of which are 1. Of sign flips of ±1 differences with mean 0.3, P(|mean| ≥ 0.3) is that of |heads − 50| ≥ 15, 0.0035
// (binomial tables). Within five standard errors of the 20,000 replicates.
func TestTableDistribution(t *testing.T) {
	values, ones := make([]float64, 100), make([]float64, 100)
	for i := range values {
		values[i], ones[i] = float64(i%2), 1
		if i < 35 {
			ones[i] = -1
		}
	}
	table, _ := NewTable(1, values, 1)
	const replicates = 20000
	sum, squares := 0.0, 0.0
	for _, m := range table.Bootstrap(0, replicates, 5, 1) {
		sum += m
		squares += (m - 0.5) * (m - 0.5)
	}
	if m := sum / replicates; math.Abs(m-0.5) > 5*0.05/math.Sqrt(replicates) {
		t.Error("mean of means", m)
	}
	if sd := math.Sqrt(squares / replicates); math.Abs(sd-0.05) > 5*0.05/math.Sqrt(2*replicates) {
		t.Error("standard deviation of means", sd)
	}
	table, _ = NewTable(1, ones, 1)
	observed := table.Observed()
	count := table.AsExtreme(observed, table.SignFlip(0, replicates, 5, 2))[0]
	if p := float64(count) / replicates; observed[0] != 0.3 || math.Abs(p-0.003518) > 5*math.Sqrt(0.003518/replicates) {
		t.Error("observed", observed, "p", p)
	}
}

func TestTableRefuses(t *testing.T) {
	for name, f := range map[string]func() (*Table, error){
		"no systems": func() (*Table, error) { return NewTable(0, []float64{1}, 1) }, "no topics": func() (*Table, error) { return NewTable(2, nil, 1) },
		"ragged": func() (*Table, error) { return NewTable(2, []float64{1, 2, 3}, 1) }, "NaN": func() (*Table, error) { return NewTable(1, []float64{math.NaN()}, 1) },
		"den": func() (*Table, error) { return NewTable(1, []float64{1}, 0) },
	} {
		if _, err := f(); err == nil {
			t.Error(name, "is taken")
		}
	}
}
