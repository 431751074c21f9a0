package stats

import "math"

// Deviation returns the sample's standard deviation, Σ(x − mean)² divided by n − 1; ok is false below two values.
func (s Sample) Deviation() (sd float64, ok bool) {
	if len(s.Values) < 2 {
		return 0, false
	}
	mean, sum := s.Mean(), 0.0
	for _, v := range s.Values {
		d := v/s.Den - mean
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(s.Values)-1)), true
}

// EffectSize returns Cohen's d_z of paired differences, their mean over their standard deviation (Cohen 1988, Statistical
// Power Analysis, section 2.3.5; the name is Lakens 2013, doi:10.3389/fpsyg.2013.00863, equation 6). ok is false where the
// differences do not vary, or there are fewer than two.
func EffectSize(s Sample) (d float64, ok bool) {
	sd, ok := s.Deviation()
	if !ok || sd == 0 {
		return 0, false
	}
	return s.Mean() / sd, true
}

// Detectable returns the smallest true mean difference that a two-sided test at level alpha would have found with the given
// power among as many paired differences, with the deviation seen: (Φ⁻¹(1 − alpha/2) + Φ⁻¹(power))·sd/√n, the normal
// approximation (Cohen 1988, chapter 2; Sakai 2016, doi:10.1007/s10791-015-9273-z, uses t's). ok as in Deviation.
func Detectable(s Sample, alpha, power float64) (difference float64, ok bool) {
	sd, ok := s.Deviation()
	if !ok {
		return 0, false
	}
	z := NormalQuantile(1-float64(alpha/2)) + NormalQuantile(power)
	return float64(z*sd) / math.Sqrt(float64(len(s.Values))), true
}

// SmallestP returns the smallest two-sided p that a sign-flip test can give: two of the 2^n patterns of the n values that
// are not 0 are as extreme as all of one sign; 1 where all are 0.
func SmallestP(s Sample) float64 {
	n := 0
	for _, v := range s.Values {
		if v != 0 {
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return math.Ldexp(1, 1-n)
}
