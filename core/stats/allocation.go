package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"retrace/core/exact"
	"retrace/core/order"
)

// A Trial is a comparison of two methods by two readers, A and B, who answer every task once each: one of them with the
// first method (the baseline), the other with the second (typed). Who has which was drawn at random, block by block.
type Trial struct {
	Blocks []Block
	Den    float64 // the scores' common denominator, 1 where they are plain numbers
}

// A Block is one stratum of a Trial (in R02: a domain); its slices run over its tasks in the order of the draw.
type Block struct {
	A, B  []float64 // score of reader A's and of reader B's answer under the actual allocation, times Den
	Drawn []bool    // reader A has the baseline, reader B the typed method; else the other way round
}

// drawn counts the tasks that give reader A the baseline.
func (b Block) drawn() int {
	k := 0
	for _, d := range b.Drawn {
		if d {
			k++
		}
	}
	return k
}

// check returns the number of tasks.
func (t Trial) check() (tasks int, err error) {
	for d, b := range t.Blocks {
		if len(b.A) != len(b.B) || len(b.A) != len(b.Drawn) {
			return 0, fmt.Errorf("stats: block %d has %d scores of reader A, %d of reader B and %d allocations: "+
				"each task needs one of each", d, len(b.A), len(b.B), len(b.Drawn))
		}
		for i := range b.A {
			if diff := b.B[i] - b.A[i]; math.IsNaN(diff) || math.IsInf(diff, 0) {
				return 0, fmt.Errorf("stats: block %d task %d has the scores %v and %v: scores must be finite", d, i, b.A[i], b.B[i])
			}
		}
		tasks += len(b.A)
	}
	if tasks == 0 {
		return 0, fmt.Errorf("stats: the trial has no tasks: an allocation test needs one at least")
	}
	if !(t.Den > 0) || math.IsInf(t.Den, 0) {
		return 0, fmt.Errorf("stats: the trial's denominator is %v: give a positive number, 1 for plain scores", t.Den)
	}
	return tasks, nil
}

// Differences returns typed − baseline of each task under the actual allocation, blocks and tasks in order.
func (t Trial) Differences() Sample {
	s := Sample{Den: t.Den}
	for _, b := range t.Blocks {
		for i := range b.A {
			s.Values = append(s.Values, b.difference(i, b.Drawn[i]))
		}
	}
	return s
}

// difference returns typed − baseline of task i if drawn says that reader A has the baseline.
func (b Block) difference(i int, drawn bool) float64 {
	if drawn {
		return b.B[i] - b.A[i]
	}
	return b.A[i] - b.B[i]
}

// Allocation tests whether it matters which answer had which method, by redrawing the allocation. Under the sharp null
// each reader's answer to a task keeps its score whatever the allocation, so the statistic, the mean of typed −
// baseline over tasks, only changes its signs (Rosenbaum 2002, Observational Studies, §2.4). In each replicate, blocks
// in order, Draw(k, n) of the block's n tasks give reader A the baseline, k being as many as the actual allocation gave.
func Allocation(t Trial, draws int, src *exact.Stream) (FlipTest, error) {
	if _, err := t.check(); err != nil {
		return FlipTest{}, err
	}
	s := t.Differences()
	observed := exact.Sum(s.Values)
	null := make([]float64, max(draws, 0))
	count := 0
	for r := range null {
		sum := 0.0
		for _, b := range t.Blocks {
			drawn := make([]bool, len(b.A))
			for _, i := range src.Draw(b.drawn(), len(b.A)) {
				drawn[i] = true
			}
			for i := range b.A {
				sum += b.difference(i, drawn[i])
			}
		}
		if atLeastAsExtreme(sum, observed) {
			count++
		}
		null[r] = s.mean(sum)
	}
	return newFlipTest(s.mean(observed), count, null), nil
}

// Limits of the exact allocation test: counts stay exact in float64, lists below 64 MiB.
const (
	maxAllocations = 1 << 53
	maxSums        = 1 << 22
)

// AllocationExact returns the share of all allowed allocations whose statistic is at least as extreme as the observed
// one, two-sided, a tie within 1e-12 relative included, without plus-one.
//
// The blocks' sums are convolved in two halves, equal sums merged, and the halves paired from opposite ends: 20^6
// allocations of six blocks of 3 in 6 become two lists of at most 8,000 sums. Too many allocations are an error.
func AllocationExact(t Trial) (p float64, err error) {
	tasks, err := t.check()
	if err != nil {
		return 0, err
	}
	total, width := 1.0, 0.0
	for d, b := range t.Blocks {
		total *= choose(len(b.A), b.drawn())
		if total > maxAllocations {
			return 0, fmt.Errorf("stats: more than 2^53 allocations by block %d: report the Monte Carlo p", d)
		}
		for i := range b.A {
			width += math.Abs(b.A[i] - b.B[i])
		}
	}
	half := len(t.Blocks) / 2
	low, err := convolve(t.Blocks[:half])
	if err != nil {
		return 0, err
	}
	high, err := convolve(t.Blocks[half:])
	if err != nil {
		return 0, err
	}
	observed := math.Abs(exact.Sum(t.Differences().Values))
	// As in flipByHalves: room for the roundings of a sum of so many terms.
	bound := observed - float64(tieTolerance*observed) - float64(float64(tasks)*0x1p-53*width)
	if bound <= 0 {
		return 1, nil
	}
	count := countAtMost(low, high, -bound)
	for i := range low { // the upper tail is the lower tail of the negated sums
		low[i].value = -low[i].value
	}
	for i := range high {
		high[i].value = -high[i].value
	}
	slices.Reverse(low)
	slices.Reverse(high)
	count += countAtMost(low, high, -bound)
	return float64(count) / total, nil
}

// A sum is a value that some number of allocations reach.
type sum struct {
	value float64
	count uint64
}

// convolve returns the sums over the blocks' allocations, ascending, equal ones merged.
func convolve(blocks []Block) ([]sum, error) {
	sums := []sum{{0, 1}}
	for _, b := range blocks {
		own := b.sums()
		if len(own) == 0 || len(sums) > maxSums/len(own) {
			return nil, fmt.Errorf("stats: more than %d different sums: give scores as small integers over a common "+
				"denominator, or report the Monte Carlo p", maxSums)
		}
		next := make([]sum, 0, len(sums)*len(own))
		for _, x := range sums {
			for _, y := range own {
				next = append(next, sum{x.value + y.value, x.count * y.count})
			}
		}
		sums = merge(next)
	}
	return sums, nil
}

// sums lists the block's sum under each of its allocations; nil if there are more than maxSums.
func (b Block) sums() []sum {
	n, k := len(b.A), b.drawn()
	size := choose(n, k)
	if size > maxSums {
		return nil
	}
	sums := make([]sum, 0, int(size))
	// Depth-first over the tasks, each sum added in task order.
	var visit func(i, left int, value float64)
	visit = func(i, left int, value float64) {
		if i == n {
			sums = append(sums, sum{value, 1})
			return
		}
		if left > 0 {
			visit(i+1, left-1, value+b.difference(i, true))
		}
		if n-i > left {
			visit(i+1, left, value+b.difference(i, false))
		}
	}
	visit(0, k, 0)
	return merge(sums)
}

// merge sorts the sums and adds up the counts of equal ones.
func merge(sums []sum) []sum {
	order.Sort(sums, func(a, b sum) int { return cmp.Compare(a.value, b.value) })
	kept := sums[:0]
	for _, s := range sums {
		if n := len(kept); n > 0 && kept[n-1].value == s.value {
			kept[n-1].count += s.count
		} else {
			kept = append(kept, s)
		}
	}
	return kept
}

// countAtMost counts the allocations, one of each list, that add up to limit at most.
func countAtMost(a, b []sum, limit float64) uint64 {
	below := uint64(0) // allocations in b[:j]
	for _, s := range b {
		below += s.count
	}
	count, j := uint64(0), len(b)
	for _, s := range a {
		for j > 0 && s.value+b[j-1].value > limit {
			j--
			below -= b[j].count
		}
		count += s.count * below
	}
	return count
}

// choose returns the binomial coefficient, +Inf where it is beyond float64; exact below 2^53.
func choose(n, k int) float64 {
	k = min(k, n-k)
	c := 1.0
	for i := range k {
		c = float64(c*float64(n-i)) / float64(i+1)
	}
	return c
}
