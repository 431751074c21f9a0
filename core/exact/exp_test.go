package exact

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/exp.tsv
var expTable string

// Every row of a table that testdata/exp.py printed: within the stated error of the true value, which mpmath gives to 20
// digits, and the very bits of the formula evaluated without fusing.
func TestExpErfGELUTable(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(expTable), "\n")[1:]
	rows := map[string]int{}
	for _, line := range lines {
		f := strings.Split(line, "\t")
		want, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		var got, allowed float64
		var bits string
		switch f[0] {
		case "exp":
			y := Exp32(float32Of(t, f[1]))
			got, bits = float64(y), hex(uint64(math.Float32bits(y)), 8)
			allowed = 0.51 * unit32(want)
		case "erf":
			got = Erf(math.Float64frombits(parseHex(t, f[1])))
			bits, allowed = hex(math.Float64bits(got), 16), 3e-10
		case "gelu":
			x := float32Of(t, f[1])
			y := GELU32(x)
			got, bits = float64(y), hex(uint64(math.Float32bits(y)), 8)
			allowed = 1.5e-10*math.Abs(float64(x)) + 0.5*unit32(want)
		}
		rows[f[0]]++
		if e := math.Abs(got - want); !(e <= allowed) {
			t.Errorf("%s(%s) = %v: %v from %s, at most %v is allowed", f[0], f[1], got, e, f[2], allowed)
		}
		if bits != f[3] {
			t.Errorf("%s(%s) has the bits %s, want %s", f[0], f[1], bits, f[3])
		}
	}
	for _, name := range []string{"exp", "erf", "gelu"} {
		if rows[name] < 200 {
			t.Errorf("%d rows of %s", rows[name], name)
		}
	}
}

func parseHex(t *testing.T, s string) uint64 {
	t.Helper()
	b, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func float32Of(t *testing.T, s string) float32 { return math.Float32frombits(uint32(parseHex(t, s))) }

func hex(b uint64, digits int) string {
	s := strconv.FormatUint(b, 16)
	return strings.Repeat("0", digits-len(s)) + s
}

// unit32 is the distance of the float32 values around x.
func unit32(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

func TestExp32Special(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ x, want float32 }{{-inf, 0}, {inf, inf}, {-105, 0}, {88.73, inf}, {200, inf}, {0, 1}} {
		if got := Exp32(c.x); got != c.want {
			t.Errorf("Exp32(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if nan := float32(math.NaN()); Exp32(nan) == Exp32(nan) || GELU32(nan) == GELU32(nan) {
		t.Error("not a number becomes one")
	}
}

// Erf is odd, to the bit.
func TestErfIsOdd(t *testing.T) {
	for x := 0.0; x < 6; x += 0.0137 {
		if Erf(-x) != -Erf(x) {
			t.Fatalf("Erf(%v) = %v, Erf(−%v) = %v", x, Erf(x), x, Erf(-x))
		}
	}
}

// each runs f on values that are in memory, as an encoder does: one result doesn't wait for the one before.
func each(b *testing.B, f func(float32) float32, at func(i int) float32) {
	var in, out [1024]float32
	for i := range in {
		in[i] = at(i)
	}
	for range b.N {
		for i, x := range in {
			out[i] = f(x)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(in)), "ns/value")
}

func BenchmarkExp32(b *testing.B) { each(b, Exp32, func(i int) float32 { return -float32(i) / 64 }) }

func BenchmarkGELU32(b *testing.B) {
	each(b, GELU32, func(i int) float32 { return float32(i)/128 - 4 })
}
