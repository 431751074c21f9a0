package exact

import "math"

// Log returns the natural logarithm of x with the same bits on every platform, within one unit in the last place.
//
// It is the reduction and polynomial of FreeBSD's e_log.c (also Go's portable math.log), with every product that is
// added rounded first. math.Log itself is assembly on amd64 and s390x, and on arm64 the compiler fuses its sums.
// Special cases as in math.Log: Log(+Inf) = +Inf, Log(0) = -Inf, Log(x < 0) = NaN, Log(NaN) = NaN.
func Log(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01 // 3fe62e42 fee00000: ln 2 with 21 trailing zero bits, so that k·ln2Hi is exact
		ln2Lo = 1.90821492927058770002e-10 // 3dea39ef 35793c76: ln 2 − ln2Hi
		l1    = 6.666666666666735130e-01   // 3FE55555 55555593
		l2    = 3.999999999940941908e-01   // 3FD99999 9997FA04
		l3    = 2.857142874366239149e-01   // 3FD24924 94229359
		l4    = 2.222219843214978396e-01   // 3FCC71C5 1D8E78AF
		l5    = 1.818357216161805012e-01   // 3FC74664 96CB03DE
		l6    = 1.531383769920937332e-01   // 3FC39A09 D078C69F
		l7    = 1.479819860511658591e-01   // 3FC2F112 DF3E5244
	)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	f1, ki := math.Frexp(x)
	if f1 < math.Sqrt2/2 {
		f1 *= 2
		ki--
	}
	f := f1 - 1
	k := float64(ki)

	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	t2 := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	r := t1 + t2
	hfsq := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((hfsq - (float64(s*(hfsq+r)) + float64(k*ln2Lo))) - f)
}

// Log2 returns the binary logarithm of x, as Log(x)/Log(2): exact for powers of two up to the division's rounding,
// and the same bits everywhere. nDCG's discount uses it.
func Log2(x float64) float64 {
	f, e := math.Frexp(x)
	if f == 0.5 { // a power of two: the quotient below could be off by one unit
		return float64(e - 1)
	}
	return Log(x) / math.Ln2
}
