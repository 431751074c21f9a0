package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/exact"
)

// publishedR01 is what the published R01 report says of its primary contrast: of 80 family differences one is
// (1/8 − 1/9)/3, one (1/3 − 1/4)/3, the rest 0. In units of 1/7560: 35 and 210.
func publishedR01() Sample {
	values := make([]float64, 80)
	values[11], values[57] = 35, 210
	return Sample{values, 7560}
}

// publishedR02 is the published R02 co-primary contrast: 36 task differences, one of them −0.1224, the rest 0.
func publishedR02() Sample {
	values := make([]float64, 36)
	values[20] = -1224
	return Sample{values, 10000}
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

func TestPublishedR01(t *testing.T) {
	s := publishedR01()
	if got := decimals(s.Mean(), 6); got != "0.000405" {
		t.Errorf("mean %s, published 0.000405", got)
	}
	ci := Interval(Bootstrap(s, 10_000, exact.NewStream(20261130, 101)), 0.95)
	if lo, hi := decimals(ci[0], 6), decimals(ci[1], 6); lo != "0.000000" || hi != "0.001157" {
		t.Errorf("interval [%s, %s], published [0, 0.001157]", lo, hi)
	}
	// Two nonzero values: the sums are ±245 and ±175, and half of the patterns reach 245.
	if p, err := SignFlipExact(s); p != 0.5 || err != nil {
		t.Errorf("exact p %v, %v; want 0.5", p, err)
	}
	// Of 10,000 draws 5,000 ± 50 (one standard deviation) are as extreme: four of them are 0.02 in p. The published
	// 0.49435 is 1.1 of them away.
	test := SignFlip(s, 10_000, exact.NewStream(20261130, 102))
	if math.Abs(test.P-0.5) > 0.02 {
		t.Errorf("Monte Carlo p %v is more than four standard errors from 0.5", test.P)
	}
	if test.Observed != s.Mean() || test.Draws != 10_000 || len(test.Null) != 10_000 || test.P != float64(1+test.AsExtreme)/10_001 {
		t.Errorf("inconsistent test: %v %v %v", test.Observed, test.Draws, test.P)
	}
}

func TestPublishedR02(t *testing.T) {
	s := publishedR02()
	if got := decimals(s.Mean(), 4); got != "-0.0034" {
		t.Errorf("mean %s, published -0.0034", got)
	}
	ci := Interval(Bootstrap(s, 10_000, exact.NewStream(20261130, 801)), 0.95)
	if lo, hi := decimals(ci[0], 4), decimals(ci[1], 4); lo != "-0.0102" || hi != "0.0000" && hi != "-0.0000" {
		t.Errorf("interval [%s, %s], published [-0.0102, 0]", lo, hi)
	}
	// A single nonzero value: every pattern has the same magnitude, so every tie must count.
	if test := SignFlip(s, 10_000, exact.NewStream(20261130, 802)); test.P != 1 || test.AsExtreme != 10_000 {
		t.Errorf("Monte Carlo p %v, want 1", test.P)
	}
	if p, err := SignFlipExact(s); p != 1 || err != nil {
		t.Errorf("exact p %v, %v; want 1", p, err)
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		p, want []float64
		source  string
	}{
		{[]float64{1.0, 0.1411}, []float64{1.0, 0.2822}, "published R02"},
		{[]float64{0.01, 0.04, 0.03, 0.005, 0.9}, []float64{0.04, 0.09, 0.09, 0.025, 0.9}, "statsmodels 0.15.0 multipletests(method='holm')"},
		{[]float64{0.5, 0.5}, []float64{1, 1}, "by hand: 2·0.5, then no smaller"},
		{[]float64{0.7, 0.6}, []float64{1, 1}, "by hand: capped"},
		{nil, []float64{}, "nothing to adjust"},
	} {
		if got := Holm(c.p); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("Holm(%v) = %v, want %v (%s)", c.p, got, c.want, c.source)
		}
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{-2.5, -1.25, 0.1, 0.3, 0.7, 1.9, 2.2, 7.0, 11.5, 100.25}
	y := []float64{1, 2, 2.5, 4}
	for _, c := range []struct {
		values  []float64
		p, want float64
	}{ // numpy 2.4.6, numpy.quantile(method="linear"); its interpolation may round the last place otherwise
		{x, 0, -2.5}, {x, 0.025, -2.21875}, {x, 0.1, -1.375}, {x, 0.5, 1.2999999999999998}, {x, 0.9, 20.374999999999968},
		{x, 0.975, 80.28125000000003}, {x, 1, 100.25},
		{y, 0.25, 1.75}, {y, 0.5, 2.25}, {y, 0.75, 2.875}, {y, 0.025, 1.075},
	} {
		if got := Quantile(c.values, c.p); math.Abs(got-c.want) > 4e-14 {
			t.Errorf("Quantile(%v, %v) = %v, numpy prints %v", c.values, c.p, got, c.want)
		}
	}
	if got := Quantile([]float64{7}, 0.3); got != 7 {
		t.Errorf("the quantile of a single value is %v, not the value", got)
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the quantile of nothing is %v, not NaN", got)
	}
}

func TestInterval(t *testing.T) {
	// 0 … 40 in falling order: h = 40·0.025 = 1 and 40·0.975 = 39, both exact only if the quantiles are as written.
	values := make([]float64, 41)
	for i := range values {
		values[i] = float64(40 - i)
	}
	if got := Interval(values, 0.95); got != [2]float64{1, 39} {
		t.Errorf("interval %v, want [1 39]", got)
	}
	if values[0] != 40 {
		t.Error("Interval sorted its argument")
	}
	if got := Interval(values, 0.9); got != [2]float64{2, 38} {
		t.Errorf("interval %v, want [2 38]", got)
	}
}

// TestBootstrapDraws holds the number and order of draws against math/rand/v2 itself.
func TestBootstrapDraws(t *testing.T) {
	s := Sample{[]float64{3, 1, 4, 1, 5, 9, 2}, 8}
	random := rand.New(rand.NewPCG(20261130, 101))
	for r, got := range Bootstrap(s, 50, exact.NewStream(20261130, 101)) {
		sum := 0.0
		for range 7 {
			sum += s.Values[random.IntN(7)]
		}
		if want := sum / 56; got != want {
			t.Fatalf("replicate %d: %v, want %v", r, got, want)
		}
	}
	if got := Bootstrap(Sample{nil, 1}, 10, exact.NewStream(1, 1)); got != nil {
		t.Errorf("bootstrap of nothing is %v", got)
	}
}

func TestBootstrapStratifiedDraws(t *testing.T) {
	strata := []Sample{{[]float64{1, 2, 3}, 4}, {nil, 4}, {[]float64{10, 20}, 4}}
	random := rand.New(rand.NewPCG(20261130, 821))
	for r, got := range BootstrapStratified(strata, 50, exact.NewStream(20261130, 821)) {
		sum := 0.0
		for range 3 {
			sum += float64(1 + random.IntN(3))
		}
		for range 2 {
			sum += float64(10 + 10*random.IntN(2))
		}
		if want := sum / 20; got != want {
			t.Fatalf("replicate %d: %v, want %v", r, got, want)
		}
	}
	// Strata without spread leave no spread: (2·3 + 1·9)/3.
	for _, got := range BootstrapStratified([]Sample{{[]float64{3, 3}, 1}, {[]float64{9}, 1}}, 20, exact.NewStream(1, 1)) {
		if got != 5 {
			t.Fatalf("%v, want 5", got)
		}
	}
}

// TestSignFlipDraws holds the use of bits against math/rand/v2's PCG: 65 values take two words a replicate, 64 take one.
func TestSignFlipDraws(t *testing.T) {
	for _, n := range []int{1, 64, 65, 130} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i*i + 1)
		}
		pcg := rand.NewPCG(20261130, 102)
		for r, got := range SignFlip(Sample{values, 4}, 20, exact.NewStream(20261130, 102)).Null {
			words := make([]uint64, (n+63)/64)
			for i := range words {
				words[i] = pcg.Uint64()
			}
			sum := 0.0
			for i, v := range values {
				if words[i/64]&(1<<(i%64)) != 0 {
					sum -= v
				} else {
					sum += v
				}
			}
			if want := sum / float64(4*n); got != want {
				t.Fatalf("n = %d, replicate %d: %v, want %v", n, r, got, want)
			}
		}
	}
}

// TestSignFlipTies: equal magnitudes added in another order round to other sums; they must count all the same.
func TestSignFlipTies(t *testing.T) {
	s := Sample{[]float64{0.1, 0.2, 0.3}, 1}    // the sum is 0.6000000000000001, the all-flipped one its negative
	tied := Sample{[]float64{0.3, 0.2, 0.1}, 1} // 0.6
	if exact.Sum(s.Values) == exact.Sum(tied.Values) {
		t.Fatal("the example has no rounding difference")
	}
	if !atLeastAsExtreme(exact.Sum(tied.Values), exact.Sum(s.Values)) || !atLeastAsExtreme(-0.6, 0.6000000000000001) {
		t.Error("a tie within rounding does not count")
	}
	if atLeastAsExtreme(0.6, 0.6000001) {
		t.Error("a real difference counts as a tie")
	}
	// 0.1 + 0.2 − 0.3 is 5.6e-17, not 0: as observed, every pattern is at least as extreme.
	if p, err := SignFlipExact(Sample{[]float64{0.1, 0.2, -0.3}, 1}); p != 1 || err != nil {
		t.Errorf("p = %v, %v, want 1", p, err)
	}
	// All zero: every pattern ties with the observed 0.
	zeros := Sample{make([]float64, 5), 1}
	if p, err := SignFlipExact(zeros); p != 1 || err != nil {
		t.Errorf("p = %v, %v, want 1", p, err)
	}
	if test := SignFlip(zeros, 99, exact.NewStream(1, 1)); test.P != 1 {
		t.Errorf("p = %v, want 1", test.P)
	}
}

func TestSignFlipExact(t *testing.T) {
	ranks := func(n, every int) []float64 { // 1 … n, each every-th negative
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
			if (i+1)%every == 0 {
				values[i] = -values[i]
			}
		}
		return values
	}
	for _, c := range []struct {
		values []float64
		want   float64
		source string
	}{
		{[]float64{1, 1, 1}, 2. / 8, "by hand: +++ and −−−"},
		{[]float64{3, -1}, 1, "by hand: ±2 and ±4 all reach 2"},
		{[]float64{5}, 1, "by hand"},
		{[]float64{2, 0, 2, 0}, 0.5, "by hand: zeros only double"},
		{[]float64{3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5}, 362. / 2048, "scipy 1.17.1 permutation_test(permutation_type='samples', n_resamples=inf)"},
		{[]float64{1.2, -0.4, 2.2, 0.7, -0.1, 1.5, 0.3, -0.9, 1.1, 0.6, 0, 1.4}, 148. / 4096, "the same"},
		{[]float64{0.1, 0.2, -0.3, 0.4, 0.1, 0.2, 0.3, -0.1}, 64. / 256, "the same"},
		// The signed-rank test is the sign-flip test of ranks. 100 ranks need counts of two words.
		{ranks(45, 5), 0.0006849665251706938, "scipy 1.17.1 wilcoxon(method='exact')"},
		{ranks(100, 3), 0.003526003801650468, "scipy 1.17.1 wilcoxon(method='exact')"},
	} {
		p, err := SignFlipExact(Sample{c.values, 1})
		if err != nil || math.Abs(p-c.want) > 1e-13*c.want {
			t.Errorf("SignFlipExact(%v) = %v, %v, want %v (%s)", c.values, p, err, c.want, c.source)
		}
	}
}

// bruteForce goes through all sign patterns, by the words of the protocol.
func bruteForce(values []float64) float64 {
	observed := exact.Sum(values)
	count := 0
	for pattern := range 1 << len(values) {
		sum := 0.0
		for i, v := range values {
			if pattern>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		if atLeastAsExtreme(sum, observed) {
			count++
		}
	}
	return float64(count) / float64(int(1)<<len(values))
}

func TestSignFlipExactIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integers := rapid.SliceOfN(rapid.IntRange(-12, 12), 1, 10).Draw(t, "values")
		step := rapid.SampledFrom([]float64{1, 6, 35, 0.1, 1. / 3}).Draw(t, "step")
		values := make([]float64, len(integers))
		for i, v := range integers {
			values[i] = float64(v) * step
		}
		p, err := SignFlipExact(Sample{values, 7560})
		if want := bruteForce(values); err != nil || p != want {
			// Where the multiples of 0.1 or 1/3 cancel, the observed sum is rounding noise and the brute force's own sums
			// are too; then only the exact integers can decide.
			zero := 0
			for _, v := range integers {
				zero += v
			}
			if zero != 0 || p != 1 {
				t.Fatalf("p = %v, %v, brute force %v", p, err, want)
			}
		}
	})
}

// TestSignFlipExactHalves: the enumeration agrees with the lattice where both apply.
func TestSignFlipExactHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integers := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 18).Draw(t, "magnitudes")
		limit := 0.0
		magnitudes := make([]float64, len(integers))
		for i, v := range integers {
			magnitudes[i] = float64(v)
		}
		slices.Sort(magnitudes)
		limit = math.Floor(exact.Sum(magnitudes)/2 - 0.5)
		lattice, ok := flipOnLattice(magnitudes, limit)
		if halves := flipByHalves(magnitudes, limit); !ok || halves != lattice {
			t.Fatalf("halves %v, lattice %v, %v", halves, lattice, ok)
		}
	})
}

func TestSignFlipExactLimits(t *testing.T) {
	fractions := make([]float64, 45)
	for i := range fractions {
		fractions[i] = 0.1 * float64(i+1)
	}
	if _, err := SignFlipExact(Sample{fractions, 1}); err == nil || !strings.Contains(err.Error(), "stops at 44") {
		t.Errorf("45 fractions: %v", err)
	}
	wide := make([]float64, 60) // integers, but so far apart that no lattice holds them
	for i := range wide {
		wide[i] = 1e12 + float64(i*i*i)
	}
	wide[3] = -wide[3]
	wide[9] = -wide[9]
	for i := range 20 {
		wide[20+i] = -wide[20+i]
	}
	if _, err := SignFlipExact(Sample{wide, 1}); err == nil || !strings.Contains(err.Error(), "Monte Carlo") {
		t.Errorf("a wide lattice: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := SignFlipExact(Sample{[]float64{1, bad}, 1}); err == nil || !strings.Contains(err.Error(), "value 1 is") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := SignFlipExact(Sample{[]float64{math.MaxFloat64, math.MaxFloat64}, 1}); err == nil {
		t.Error("an infinite sum is no error")
	}
}

func TestRoundWords(t *testing.T) {
	for _, c := range []struct {
		words []uint64
		want  float64
	}{
		{[]uint64{0}, 0},
		{[]uint64{7, 0}, 7},
		{[]uint64{0, 1}, 0x1p64},
		{[]uint64{1 << 11, 1}, 0x1p64},            // a tie: to the even neighbour, which is below
		{[]uint64{1<<11 + 1, 1}, 0x1p64 + 0x1p12}, // just above the tie
		{[]uint64{3 << 11, 1}, 0x1p64 + 0x1p13},   // a tie: to the even neighbour above
		{[]uint64{1, 1 << 11, 1}, 0x1p128 + 0x1p76},
		{[]uint64{math.MaxUint64, math.MaxUint64}, 0x1p128},
	} {
		if got := roundWords(c.words); got != c.want {
			t.Errorf("roundWords(%x) = %x, want %x", c.words, got, c.want)
		}
	}
}

func BenchmarkR01Contrast(b *testing.B) {
	s := publishedR01()
	for i := range s.Values {
		s.Values[i] += float64(i % 7 * 420) // far more differences than a study of this kind shows
	}
	for b.Loop() {
		Interval(Bootstrap(s, 10_000, exact.NewStream(1, 1)), 0.95)
		SignFlip(s, 10_000, exact.NewStream(1, 2))
		if _, err := SignFlipExact(s); err != nil {
			b.Fatal(err)
		}
	}
}
