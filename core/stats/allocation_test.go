package stats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/exact"
)

// trialOf makes a block of differences reader B − reader A.
func trialOf(drawn []bool, differences ...float64) Trial {
	return Trial{Blocks: []Block{{A: make([]float64, len(differences)), B: differences, Drawn: drawn}}, Den: 1}
}

func TestAllocationExact(t *testing.T) {
	// By hand: differences 1, 2, 3, 4, two of four drawn. The six sums (drawn plus, others minus) are
	// {1,2} −4, {1,3} −2, {1,4} 0, {2,3} 0, {2,4} 2, {3,4} 4.
	for _, c := range []struct {
		drawn []bool
		want  float64
	}{
		{[]bool{false, false, true, true}, 2. / 6},
		{[]bool{false, true, false, true}, 4. / 6},
		{[]bool{true, false, true, false}, 4. / 6},
		{[]bool{true, false, false, true}, 1},
	} {
		if p, err := AllocationExact(trialOf(c.drawn, 1, 2, 3, 4)); p != c.want || err != nil {
			t.Errorf("drawn %v: p = %v, %v, want %v", c.drawn, p, err, c.want)
		}
	}
	// One of three drawn: the null is not symmetric. Differences 1, 2, 6: sums −7, −5, 3; observed 3: all reach it;
	// observed −5: two do; observed −7: one does.
	for i, want := range []float64{1. / 3, 2. / 3, 1} {
		drawn := make([]bool, 3)
		drawn[i] = true
		if p, err := AllocationExact(trialOf(drawn, 1, 2, 6)); p != want || err != nil {
			t.Errorf("drawn %d: p = %v, %v, want %v", i, p, err, want)
		}
	}
	// Equal differences of 1: every block of 3 in 6 adds up to 0 whatever is drawn.
	block := Block{A: make([]float64, 6), B: []float64{1, 1, 1, 1, 1, 1}, Drawn: []bool{true, true, true, false, false, false}}
	if p, err := AllocationExact(Trial{[]Block{block, block, block}, 24}); p != 1 || err != nil {
		t.Errorf("p = %v, %v, want 1", p, err)
	}
	// One answer stands out in each of six blocks: each block adds ±1, all six +1 as observed: 2 of 2^6.
	block.B = []float64{1, 0, 0, 0, 0, 0}
	if p, err := AllocationExact(Trial{[]Block{block, block, block, block, block, block}, 24}); p != 1./32 || err != nil {
		t.Errorf("p = %v, %v, want 1/32", p, err)
	}
}

// randomTrial draws up to four blocks with 4 tasks each.
func randomTrial(t *rapid.T) Trial {
	trial := Trial{Den: rapid.SampledFrom([]float64{1, 24}).Draw(t, "den")}
	step := rapid.SampledFrom([]float64{1, 0.1}).Draw(t, "step")
	score := rapid.IntRange(0, 9)
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		var b Block
		for range rapid.IntRange(1, 4).Draw(t, "tasks") {
			b.A = append(b.A, float64(score.Draw(t, "a"))*step)
			b.B = append(b.B, float64(score.Draw(t, "b"))*step)
			b.Drawn = append(b.Drawn, rapid.Bool().Draw(t, "drawn"))
		}
		trial.Blocks = append(trial.Blocks, b)
	}
	return trial
}

func TestAllocationExactIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trial := randomTrial(t)
		observed := exact.Sum(trial.Differences().Values)
		count, total := 0, 0
		var visit func(block int, sum float64)
		visit = func(block int, sum float64) {
			if block == len(trial.Blocks) {
				total++
				// Sums of multiples of 0.1 that should be 0 are below 1e-13: they tie with everything of their kind.
				if atLeastAsExtreme(sum, observed) || observed < 1e-13 && observed > -1e-13 {
					count++
				}
				return
			}
			b := trial.Blocks[block]
			k := 0
			for _, d := range b.Drawn {
				if d {
					k++
				}
			}
			for mask := range 1 << len(b.A) {
				drawn, s := 0, sum
				for i := range b.A {
					if mask>>i&1 == 1 {
						drawn++
						s += b.B[i] - b.A[i]
					} else {
						s += b.A[i] - b.B[i]
					}
				}
				if drawn == k {
					visit(block+1, s)
				}
			}
		}
		visit(0, 0)
		if p, err := AllocationExact(trial); err != nil || p != float64(count)/float64(total) {
			t.Fatalf("p = %v, %v, brute force %d of %d", p, err, count, total)
		}
	})
}

// TestAllocationDraws holds the draws against math/rand/v2: blocks in order, a partial Fisher–Yates of 3 in 6 each.
func TestAllocationDraws(t *testing.T) {
	trial := Trial{Den: 24}
	for d := range 6 {
		b := Block{Drawn: []bool{true, false, true, false, true, false}}
		for i := range 6 {
			b.A = append(b.A, float64((d*7+i*5)%11))
			b.B = append(b.B, float64((d*3+i*i)%13))
		}
		trial.Blocks = append(trial.Blocks, b)
	}
	test, err := Allocation(trial, 200, exact.NewStream(20261130, 812))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(20261130, 812))
	asExtreme := 0
	for r, got := range test.Null {
		sum := 0
		for _, b := range trial.Blocks {
			tasks := []int{0, 1, 2, 3, 4, 5}
			for i := range 3 {
				j := i + random.IntN(6-i)
				tasks[i], tasks[j] = tasks[j], tasks[i]
			}
			for i, task := range tasks {
				typedMinusBaseline := int(b.B[task] - b.A[task])
				if i >= 3 {
					typedMinusBaseline = -typedMinusBaseline
				}
				sum += typedMinusBaseline
			}
		}
		if want := float64(sum) / (36 * 24); got != want {
			t.Fatalf("replicate %d: %v, want %v", r, got, want)
		}
		if max(got, -got) >= max(test.Observed, -test.Observed) {
			asExtreme++
		}
	}
	if test.AsExtreme != asExtreme || test.P != float64(1+asExtreme)/201 || test.Observed != trial.Differences().Mean() {
		t.Errorf("test %v %v %v, counted %d", test.AsExtreme, test.P, test.Observed, asExtreme)
	}
	// Drawn and exact p agree within four standard errors of the 200 draws.
	p, err := AllocationExact(trial)
	if err != nil || test.P < p-0.15 || test.P > p+0.15 {
		t.Errorf("exact p %v (%v), drawn %v", p, err, test.P)
	}
}

func TestAllocationErrors(t *testing.T) {
	big := Trial{Den: 1}
	for range 13 {
		big.Blocks = append(big.Blocks, Block{A: make([]float64, 6), B: make([]float64, 6), Drawn: []bool{true, true, true, false, false, false}})
	}
	wide := Block{Drawn: make([]bool, 26)}
	for i := range 26 {
		wide.A, wide.B = append(wide.A, 0), append(wide.B, float64(int(1)<<i))
		wide.Drawn[i] = i < 13
	}
	nan := trialOf([]bool{true, false}, 1, 2)
	nan.Blocks[0].A[1] = nan.Blocks[0].A[1] / nan.Blocks[0].A[1]
	for _, c := range []struct {
		name  string
		trial Trial
		want  string
	}{
		{"none", Trial{Den: 1}, "no tasks"},
		{"lengths", Trial{[]Block{{A: []float64{1}, B: []float64{1, 2}, Drawn: []bool{true}}}, 1}, "block 0 has 1 scores of reader A, 2 of reader B"},
		{"NaN", nan, "block 0 task 1 has the scores NaN and 2"},
		{"denominator", Trial{trialOf([]bool{true}, 1).Blocks, 0}, "denominator is 0"},
		{"20^13", big, "more than 2^53 allocations"},
		{"26 choose 13", Trial{[]Block{wide}, 1}, "Monte Carlo"},
	} {
		if _, err := AllocationExact(c.trial); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	if _, err := Allocation(Trial{Den: 1}, 10, exact.NewStream(1, 1)); err == nil {
		t.Error("a trial without tasks is no error")
	}
}
