package exact

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestExp64 compares with the series of e^x in 200 bits: x/2^16 is summed up and squared 16 times.
func TestExp64(t *testing.T) {
	truth := func(x float64) float64 {
		const prec = 200
		y := new(big.Float).SetPrec(prec).SetFloat64(math.Ldexp(x, -16))
		sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
		for n := 1; n < 40; n++ {
			term.Mul(term, y).Quo(term, big.NewFloat(float64(n)))
			sum.Add(sum, term)
		}
		for range 16 {
			sum.Mul(sum, sum)
		}
		f, _ := sum.Float64()
		return f
	}
	if got := truth(1); got != math.E {
		t.Fatalf("the series gives %v for e", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-700, 700).Draw(t, "x")
		if got, want := Exp(x), truth(x); units(got, want) > 1 {
			t.Fatalf("Exp(%v) = %v, %d units from %v", x, got, units(got, want), want)
		}
	})
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {1000, math.Inf(1)}, {-1000, 0}, {math.NaN(), math.NaN()}, {0x1p-40, 1 + 0x1p-40},
	} {
		if got := Exp(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Exp(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}
