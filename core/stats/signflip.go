package stats

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"retrace/core/exact"
)

// tieTolerance is the relative difference below which two statistics count as equal, and so as at least as extreme.
// It absorbs rounding where equal magnitudes were added in another order.
const tieTolerance = 1e-12

// A FlipTest is the outcome of a Monte Carlo randomisation test, two-sided.
type FlipTest struct {
	Observed  float64   // the statistic as observed, a mean
	P         float64   // (1 + AsExtreme)/(Draws + 1): Phipson & Smyth 2010, doi:10.2202/1544-6115.1585
	AsExtreme int       // replicates with |statistic| ≥ |observed|, ties within 1e-12 relative included
	Draws     int       // replicates drawn
	Null      []float64 // the statistic of every replicate, in the order drawn
}

// SignFlip tests whether the paired differences of s are symmetric about 0, by random sign flips (Fisher 1935, The
// Design of Experiments, §21). Each replicate starts a fresh Uint64 and uses its bits from the lowest up, a new Uint64
// after 64; one bit a value in order, zeros included; 1 flips the sign.
func SignFlip(s Sample, draws int, src *exact.Stream) FlipTest {
	observed := exact.Sum(s.Values)
	null := make([]float64, max(draws, 0))
	count := 0
	for r := range null {
		sum, word := 0.0, uint64(0)
		for i, v := range s.Values {
			if i%64 == 0 {
				word = src.Uint64()
			}
			if word&1 == 1 {
				v = -v
			}
			word >>= 1
			sum += v
		}
		if atLeastAsExtreme(sum, observed) {
			count++
		}
		null[r] = s.mean(sum)
	}
	return newFlipTest(s.mean(observed), count, null)
}

func newFlipTest(observed float64, asExtreme int, null []float64) FlipTest {
	p := float64(1+asExtreme) / float64(1+len(null))
	return FlipTest{Observed: observed, P: p, AsExtreme: asExtreme, Draws: len(null), Null: null}
}

// atLeastAsExtreme reports |x| ≥ |observed|, a tie within the tolerance included.
func atLeastAsExtreme(x, observed float64) bool {
	x, observed = math.Abs(x), math.Abs(observed)
	return x >= observed || observed-x <= float64(tieTolerance*observed)
}

// Limits of the exact tests: they keep memory below about 64 MiB and time to a few seconds.
const (
	maxEnumerated   = 44      // nonzero values that are enumerated, as two halves of 2^22 sums
	maxLatticeWords = 1 << 23 // 64-bit words of the lattice's counts
	maxLatticeSteps = 1 << 31 // additions of such words
)

// SignFlipExact returns the exact two-sided p of the sign-flip test: the share of all 2^n sign patterns whose sum is at
// least as extreme as the observed one, without plus-one.
//
// With integer values the sums are counted on their lattice (Pagano & Tritchler 1983, doi:10.1080/01621459.1983.10477990)
// and the result is the correctly rounded share. Other values are enumerated as two sorted halves (Horowitz & Sahni
// 1974, doi:10.1145/321812.321823), a tie within 1e-12 relative counting as at least as extreme, for up to 44 nonzero
// values. Beyond these limits it returns an error.
func SignFlipExact(s Sample) (p float64, err error) {
	// Values of 0 double the patterns of both kinds, and the sign of a value does not change the set of patterns: so
	// the magnitudes of the nonzero values suffice. With T their sum and S the sum of those that count negative,
	// |T − 2S| ≥ |observed| means S ≤ K = (T − |observed|)/2 or, by the mirrored pattern, S ≥ T − K.
	var magnitudes []float64
	integers := true
	for i, v := range s.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("stats: value %d is %v: exact p needs finite values", i, v)
		}
		if v != 0 {
			magnitudes = append(magnitudes, math.Abs(v))
			integers = integers && v == math.Trunc(v)
		}
	}
	slices.Sort(magnitudes)
	total, observed := exact.Sum(magnitudes), math.Abs(exact.Sum(s.Values))
	if math.IsInf(total, 0) {
		return 0, fmt.Errorf("stats: the %d values add up to infinity: rescale them", len(magnitudes))
	}
	if observed == 0 {
		return 1, nil
	}
	integers = integers && total < 1<<53 // sums are exact
	if integers {
		if p, ok := flipOnLattice(magnitudes, (total-observed)/2); ok {
			return p, nil
		}
	}
	if len(magnitudes) > maxEnumerated {
		kind := "that are not integers"
		if integers {
			kind = "on a lattice too wide to count"
		}
		return 0, fmt.Errorf("stats: exact p of %d nonzero values %s: enumeration stops at %d: "+
			"give small integers over a common denominator, or report the Monte Carlo p", len(magnitudes), kind, maxEnumerated)
	}
	slack := 0.0
	if !integers {
		// Sums of n values carry up to n roundings each of the total: allowed for, so that a true tie is never lost.
		slack = float64(tieTolerance*observed) + float64(float64(len(magnitudes))*0x1p-53*total)
	}
	return flipByHalves(magnitudes, (total-observed+slack)/2), nil
}

// flipOnLattice counts the subsets of integer magnitudes, ascending, whose sum is at most limit, and returns twice their
// share; limit is below half of the total, so that a subset and its mirror are never both counted.
// ok is false where memory or time would go beyond the package's limits.
func flipOnLattice(magnitudes []float64, limit float64) (p float64, ok bool) {
	step := uint64(0)
	for _, m := range magnitudes {
		step = gcd(step, uint64(m))
	}
	cells := uint64(limit)/step + 1
	words := uint64(len(magnitudes))/64 + 1 // a count is at most 2^n
	if cells > maxLatticeWords/words || cells*words > maxLatticeSteps/uint64(len(magnitudes)) {
		return 0, false
	}
	counts := make([]uint64, cells*words) // cell s holds the number of subsets with sum s·step, lowest word first
	counts[0] = 1
	reached := uint64(0)
	for _, m := range magnitudes {
		m := uint64(m) / step
		reached = min(reached+m, cells-1)
		for s := reached; s >= m; s-- {
			addTo(counts[s*words:(s+1)*words], counts[(s-m)*words:(s-m+1)*words])
		}
	}
	sum := make([]uint64, words)
	for s := range cells {
		addTo(sum, counts[s*words:(s+1)*words])
	}
	return math.Ldexp(roundWords(sum), 1-len(magnitudes)), true
}

// addTo adds b to a, both little-endian in words of 64 bits.
func addTo(a, b []uint64) {
	carry := uint64(0)
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

// roundWords returns the float64 nearest to a little-endian integer, ties to even; +Inf above the range.
func roundWords(words []uint64) float64 {
	top := len(words) - 1
	for top > 0 && words[top] == 0 {
		top--
	}
	if top == 0 {
		return float64(words[0])
	}
	// The leading 64 bits, the last of them set where anything below is: float64 then rounds as from the whole.
	shift := bits.LeadingZeros64(words[top])
	lead := words[top] << shift
	rest := words[top-1]
	if shift > 0 {
		lead |= rest >> (64 - shift)
		rest <<= shift
	}
	for _, w := range words[:top-1] {
		rest |= w
	}
	if rest != 0 {
		lead |= 1
	}
	return math.Ldexp(float64(lead), 64*top-shift)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// flipByHalves returns twice the share of subsets of the magnitudes whose sum is at most limit, by splitting them into
// two halves, listing the sums of each in order, and pairing the lists from opposite ends.
func flipByHalves(magnitudes []float64, limit float64) float64 {
	n := len(magnitudes)
	a, b := subsetSums(magnitudes[:n/2]), subsetSums(magnitudes[n/2:])
	count, j := uint64(0), len(b)
	for _, x := range a {
		for j > 0 && x+b[j-1] > limit {
			j--
		}
		count += uint64(j)
	}
	// Where the slack lifts limit to half of the total, a subset and its mirror are both counted: the observed sum is
	// then a tie with 0, and so is every other.
	return min(math.Ldexp(float64(count), 1-n), 1)
}

// subsetSums returns the sums of all subsets of the values, ascending.
func subsetSums(values []float64) []float64 {
	sums, spare := make([]float64, 1, 1<<len(values)), make([]float64, 0, 1<<len(values))
	for _, v := range values {
		spare = spare[:0]
		i, j := 0, 0 // merge the sums without v (i) and those with it (j)
		for j < len(sums) {
			if i < len(sums) && sums[i] <= sums[j]+v {
				spare = append(spare, sums[i])
				i++
			} else {
				spare = append(spare, sums[j]+v)
				j++
			}
		}
		sums, spare = spare, sums
	}
	return sums
}
