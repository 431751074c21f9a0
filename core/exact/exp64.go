package exact

import "math"

// Exp returns e to the power of x with the same bits on every platform, within one unit in the last place.
//
// Exp32 is faster and enough for float32. This is the reduction and polynomial of FreeBSD's e_exp.c (also Go's portable
// math.exp), with every product that is added rounded first; math.Exp itself is assembly on some processors and fused on
// others. Special cases as in math.Exp.
func Exp(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01 // ln 2 with 21 trailing zero bits, so that k·ln2Hi is exact
		ln2Lo = 1.90821492927058770002e-10 // ln 2 − ln2Hi
		log2e = 1.44269504088896338700e+00

		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case math.IsNaN(x):
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	case -0x1p-28 < x && x < 0x1p-28:
		return 1 + x
	}
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	k := int(float64(log2e*x) + half)
	hi := x - float64(float64(k)*ln2Hi)
	lo := float64(float64(k) * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), k)
}
