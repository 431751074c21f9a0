package stats

import (
	"math"

	"retrace/core/exact"
)

// Coefficients of FreeBSD's s_erf.c (also Go's math.Erfc), lowest power first; the license of both is BSD's.
var (
	erfcP = []float64{
		1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
		-2.37630166566501626084e-05,
	}
	erfcQ = []float64{
		1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04,
		-3.96022827877536812320e-06,
	}
	erfcPA = []float64{
		-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
		-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03,
	}
	erfcQA = []float64{
		1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01,
		1.36370839120290507362e-02, 1.19844998467991074170e-02,
	}
	erfcRA = []float64{
		-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
		-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00,
	}
	erfcSA = []float64{
		1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02,
		4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02,
	}
	erfcRB = []float64{
		-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
		-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02,
	}
	erfcSB = []float64{
		1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03,
		2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01,
	}
)

// polynomial evaluates Σ c[i]·x^i by Horner's rule, each product rounded before it is added.
func polynomial(x float64, c []float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = c[i] + float64(x*y)
	}
	return y
}

// erfc is the complementary error function of x ≥ 0, with the same bits on every platform.
func erfc(x float64) float64 {
	const erx = 8.45062911510467529297e-01
	switch {
	case math.IsNaN(x):
		return x
	case x >= 28:
		return 0
	case x < 0.84375:
		z := float64(x * x)
		y := polynomial(z, erfcP) / polynomial(z, erfcQ)
		if x < 0.25 {
			return 1 - (x + float64(x*y))
		}
		return 1 - (0.5 + (float64(x*y) + (x - 0.5)))
	case x < 1.25:
		return 1 - erx - polynomial(x-1, erfcPA)/polynomial(x-1, erfcQA)
	}
	s := 1 / float64(x*x)
	var quotient float64
	if x < 1/0.35 {
		quotient = polynomial(s, erfcRA) / polynomial(s, erfcSA)
	} else {
		quotient = polynomial(s, erfcRB) / polynomial(s, erfcSB)
	}
	z := math.Float64frombits(math.Float64bits(x) &^ 0xffffffff) // the leading bits, whose square is exact
	return float64(exact.Exp(float64(-z*z)-0.5625)*exact.Exp(float64((z-x)*(z+x))+quotient)) / x
}

// Normal is the standard normal distribution function Φ(x), with the same bits on every platform.
func Normal(x float64) float64 {
	y := float64(erfc(math.Abs(x)/math.Sqrt2) / 2) // rounded: halving is a product, which would be fused into 1 − y
	if x > 0 {
		return 1 - y
	}
	return y
}

// NormalQuantile returns the smallest x with Φ(x) ≥ p, found by halving: −Inf for p ≤ 0, +Inf for p ≥ 1.
func NormalQuantile(p float64) float64 {
	switch {
	case math.IsNaN(p):
		return p
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	case p > 0.5: // by symmetry, where Φ has more digits
		return -NormalQuantile(1 - p)
	}
	low, high := -40.0, 0.0 // Φ(−40) is 0
	for {
		middle := (low + high) / 2
		switch {
		case middle <= low || middle >= high:
			return high
		case Normal(middle) >= p:
			high = middle
		default:
			low = middle
		}
	}
}
