package stats

import (
	"math"
	"slices"
)

// BCa returns the bias-corrected and accelerated interval of a sample's mean from its bootstrap replicates (Efron 1987,
// doi:10.1080/01621459.1987.10478410; Efron & Tibshirani 1993, equations 14.9 to 14.15). It takes the quantiles
// Φ(z0 + (z0 ± z)/(1 − a(z0 ± z))) of the replicates, with z = Φ⁻¹((1+level)/2), z0 = Φ⁻¹ of the share of replicates below
// the mean, those equal to it counting half, and the acceleration a = Σd³/(6(Σd²)^1.5), d the deviations of the values from
// their mean, which is the jackknife's for a mean.
//
// ok is false where it has no value: no replicates, all values equal, or every replicate on one side of the mean.
func BCa(s Sample, replicates []float64, level float64) (interval [2]float64, ok bool) {
	mean := s.Mean()
	below, equal := 0, 0
	for _, r := range replicates {
		switch {
		case r < mean:
			below++
		case r == mean:
			equal++
		}
	}
	square, cube := 0.0, 0.0
	for _, v := range s.Values {
		d := v/s.Den - mean
		square += float64(d * d)
		cube += float64(float64(d*d) * d)
	}
	z0 := NormalQuantile(float64(2*below+equal) / float64(2*len(replicates)))
	if len(replicates) == 0 || square == 0 || math.IsInf(z0, 0) || math.IsNaN(z0) {
		return interval, false
	}
	a := cube / float64(6*float64(square*math.Sqrt(square)))
	sorted := slices.Clone(replicates)
	slices.Sort(sorted)
	z := NormalQuantile((1e6 + math.Round(level*1e6)) / 2e6) // the level to a millionth, as in Interval
	for i, z := range [2]float64{-z, z} {
		w := z0 + z
		interval[i] = Quantile(sorted, Normal(z0+w/(1-float64(a*w))))
	}
	return interval, true
}
