package exact

import "math"

// Exp32 returns eˣ for float32, the same bits on every platform, within 0.51 units in the last place of the true value:
// computed in float64 (relative error below 2.2e-10), rounded to float32 once.
//
// x is parted into k·ln 2 + r with |r| ≤ ln 2/2 (Cody and Waite, Software Manual for the Elementary Functions, 1980,
// chapter 6); e^r comes from the polynomial of degree 7 that interpolates (e^r − 1 − r)/r² at Chebyshev's points.
// Exp32(NaN) = NaN; below −104 it is 0, above 88.73 it is +Inf.
func Exp32(x float32) float32 {
	const (
		ln2Hi = 6.93147180369123816490e-01 // as in Log: k·ln2Hi is exact
		ln2Lo = 1.90821492927058770002e-10
		// round shifts an integer k to the low bits of a float64's mantissa: 1.5 · 2⁵².
		round = 0x1.8p52
		c2    = 0.50000000135387298866
		c3    = 0.16666666681704215043
		c4    = 0.041666464197405692315
		c5    = 0.0083333108446478625642
		c6    = 0.0013933730715792082492
		c7    = 0.00019891080463998842028
	)
	switch {
	case x < -104:
		return 0
	case x > 89:
		return float32(math.Inf(1))
	case x != x:
		return x
	}
	d := float64(x)
	shifted := float64(d*math.Log2E) + round
	k := shifted - round
	r := (d - float64(k*ln2Hi)) - float64(k*ln2Lo)
	r2 := float64(r * r)
	p := c2 + float64(r*(c3+float64(r*(c4+float64(r*(c5+float64(r*(c6+float64(r*c7)))))))))
	p = 1 + (r + float64(r2*p))
	exponent := math.Float64bits(shifted) - math.Float64bits(round) // k, as an integer's bits
	return float32(p * math.Float64frombits((exponent+1023)<<52))
}

// Coefficients of Erf.
const (
	p0, p1 = 1.1283791664461036481, 0.22859195988637075192
	p2, p3 = 0.062761175821261483312, 0.0063370483180773353222
	p4, p5 = 0.00061147191392040857894, 0.000031974144883880227454
	p6, p7 = 9.0438546199892053437e-7, 2.7604593847698515507e-9
	q1, q2 = 0.5359176721482190094, 0.13425992862130527794
	q3, q4 = 0.020586974229719984382, 0.0021087734680713042347
	q5, q6 = 0.00014549715097239109351, 6.308001783142612679e-6
	q7     = 7.6110493854605514531e-8
)

// Erf returns the error function 2/√π · ∫₀ˣ e^(−t²) dt within 3e-10 of the true value, the same bits everywhere: enough
// for what is rounded to float32, in one expression without branches.
//
// It is x · P(x²)/Q(x²), both of degree 7, fitted to the least greatest error on [0, 4.5]; beyond, where erf is within
// 2e-10 of ±1, it stays as it is at 4.5. Erf(NaN) = NaN.
func Erf(x float64) float64 {
	if x > 4.5 {
		x = 4.5
	} else if x < -4.5 {
		x = -4.5
	}
	t := float64(x * x)
	p := p0 + float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*(p5+float64(t*(p6+float64(t*p7)))))))))))))
	q := 1 + float64(t*(q1+float64(t*(q2+float64(t*(q3+float64(t*(q4+float64(t*(q5+float64(t*(q6+float64(t*q7)))))))))))))
	return float64(x*p) / q
}

// ErfCoefficients returns what Erf computes with, from the lowest power: for code that does the same side by side.
func ErfCoefficients() (p, q [8]float64) {
	return [8]float64{p0, p1, p2, p3, p4, p5, p6, p7}, [8]float64{1, q1, q2, q3, q4, q5, q6, q7}
}

// GELU32 returns x·Φ(x), Φ being the normal distribution: the Gaussian error linear unit (Hendrycks and Gimpel 2016,
// arXiv:1606.08415) in its exact form x/2 · (1 + erf(x/√2)), as BERT uses it. Computed in float64 and rounded to float32
// once: within 1.5e-10·|x| and half a unit in the last place of the true value.
func GELU32(x float32) float32 {
	d := float64(x)
	return float32(float64(0.5*d) * (1 + Erf(float64(d*(math.Sqrt2/2)))))
}
