package exact

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

//go:embed testdata/log.tsv
var logTable string

// Every row of a table that testdata/log.py printed: within one unit in the last place of the true logarithm, and the
// very bits of the formula evaluated without fusing.
func TestLogTable(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(logTable), "\n")[1:]
	if len(lines) < 300 {
		t.Fatalf("%d rows", len(lines))
	}
	for _, line := range lines {
		var f [3]float64
		for i, text := range strings.Fields(line) {
			b, err := strconv.ParseUint(text, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			f[i] = math.Float64frombits(b)
		}
		got := Log(f[0])
		if d := units(got, f[1]); d > 1 {
			t.Errorf("Log(%v) = %v, %d units from %v", f[0], got, d, f[1])
		}
		if math.Float64bits(got) != math.Float64bits(f[2]) {
			t.Errorf("Log(%v) = %x, want the bits %x", f[0], math.Float64bits(got), math.Float64bits(f[2]))
		}
	}
}

// units counts the float64 values from a to b, both of one sign or zero.
func units(a, b float64) uint64 {
	x, y := math.Float64bits(math.Abs(a)), math.Float64bits(math.Abs(b))
	if a != 0 && b != 0 && math.Signbit(a) != math.Signbit(b) {
		return x + y
	}
	return max(x, y) - min(x, y)
}

func TestLogSpecial(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, math.Inf(-1)}, {math.Copysign(0, -1), math.Inf(-1)}, {math.Inf(1), math.Inf(1)}, {1, 0},
		{-1, math.NaN()}, {-5e-324, math.NaN()}, {math.Inf(-1), math.NaN()}, {math.NaN(), math.NaN()},
	} {
		if got := Log(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Log(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if math.Signbit(Log(1)) {
		t.Error("Log(1) is −0")
	}
}

func TestLog2(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		if x := math.Ldexp(1, e); Log2(x) != float64(e) {
			t.Fatalf("Log2(2^%d) = %v", e, Log2(x))
		}
	}
	// log₂ 3 and log₂ 10 to 20 digits, as any table has them.
	for _, c := range []struct{ x, want float64 }{{3, 1.5849625007211561815}, {10, 3.3219280948873623479}} {
		if d := units(Log2(c.x), c.want); d > 2 {
			t.Errorf("Log2(%v) = %v, %d units from %v", c.x, Log2(c.x), d, c.want)
		}
	}
	if !math.IsInf(Log2(0), -1) || !math.IsInf(Log2(math.Inf(1)), 1) || !math.IsNaN(Log2(-2)) || !math.IsNaN(Log2(math.NaN())) {
		t.Error("special cases of Log2")
	}
}

func TestMean(t *testing.T) {
	// The order shows in the rounding: 1 is lost beside 2⁵³ when added to it, but not before it.
	big := math.Ldexp(1, 53)
	if Sum([]float64{big, 1, 1, -big}) != 0 || Sum([]float64{1, 1, big, -big}) != 2 {
		t.Error("Sum does not add from the first to the last")
	}
	if m, ok := Mean([]float64{1, 2, 6}); m != 3 || !ok {
		t.Error(m, ok)
	}
	if _, ok := Mean(nil); ok {
		t.Error("the mean of nothing is defined")
	}
}

// Against the library whose rule a Stream writes out.
func TestStreamIntN(t *testing.T) {
	bounds := []int{1, 2, 3, 5, 7, 10, 80, 1000, 7690, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1 << 32, 1<<32 + 1, 1 << 62, 1<<62 + 1, 3 << 61, math.MaxInt64 - 1, math.MaxInt64}
	for k := range 62 {
		bounds = append(bounds, 1<<k, 1<<k+1)
	}
	ours, theirs := NewStream(20261130, 7), rand.New(rand.NewPCG(20261130, 7))
	for range 50 {
		for _, n := range bounds {
			if got, want := ours.IntN(n), theirs.IntN(n); got != want {
				t.Fatalf("IntN(%d) = %d, math/rand/v2 gives %d", n, got, want)
			}
		}
	}
	if got, want := ours.Uint64(), theirs.Uint64(); got != want {
		t.Error("another number of draws was used") // rejections included
	}
}

func TestStreamIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, stream := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream")
		n := rapid.IntRange(1, math.MaxInt).Draw(t, "n")
		theirs := rand.New(rand.NewPCG(seed, stream))
		if got, want := NewStream(seed, stream).IntN(n), theirs.IntN(n); got != want {
			t.Fatalf("IntN(%d) = %d, want %d", n, got, want)
		}
	})
}

// A partial Fisher–Yates by its definition, on the library's numbers.
func TestStreamDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		theirs := rand.New(rand.NewPCG(seed, 1))
		items := make([]int, n)
		for i := range items {
			items[i] = i
		}
		for i := range k {
			j := i + theirs.IntN(n-i)
			items[i], items[j] = items[j], items[i]
		}
		got := NewStream(seed, 1).Draw(k, n)
		if !slices.Equal(got, items[:k]) {
			t.Fatalf("Draw(%d, %d) = %v, want %v", k, n, got, items[:k])
		}
		sorted := slices.Sorted(slices.Values(got))
		if len(slices.Compact(sorted)) != k {
			t.Fatalf("Draw(%d, %d) = %v repeats", k, n, got)
		}
		if cap(got) != k {
			t.Fatal("appending to a draw would write over what was not drawn")
		}
	})
}

func TestStreamRefuses(t *testing.T) {
	for name, f := range map[string]func(){
		"IntN(0)": func() { NewStream(1, 1).IntN(0) }, "IntN(-1)": func() { NewStream(1, 1).IntN(-1) },
		"Draw(2, 1)": func() { NewStream(1, 1).Draw(2, 1) }, "Draw(-1, 1)": func() { NewStream(1, 1).Draw(-1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}
