package stats

import (
	"math"
	"slices"

	"retrace/core/exact"
)

// Bootstrap returns the means of bootstrap replicates in the order drawn (Efron 1979, doi:10.1214/aos/1176344552).
// For each replicate it draws n × IntN(n), adds the values drawn in that order and divides once by n·Den.
// It returns nil for an empty sample, from which nothing can be drawn.
func Bootstrap(s Sample, replicates int, src *exact.Stream) []float64 {
	return BootstrapStratified([]Sample{s}, replicates, src)
}

// BootstrapStratified returns the means of replicates that keep each stratum's size: for each replicate, strata in
// order, n_d × IntN(n_d); the mean is taken over all draws together. All strata share the first one's Den.
// An empty stratum takes part in no draw; if all are empty the result is nil.
func BootstrapStratified(strata []Sample, replicates int, src *exact.Stream) []float64 {
	n := 0
	for _, s := range strata {
		n += len(s.Values)
	}
	if n == 0 || replicates < 1 {
		return nil
	}
	divisor := float64(float64(n) * strata[0].Den)
	means := make([]float64, replicates)
	for r := range means {
		sum := 0.0
		for _, s := range strata {
			for range s.Values {
				sum += s.Values[src.IntN(len(s.Values))]
			}
		}
		means[r] = sum / divisor
	}
	return means
}

// Quantile returns the quantile p of ascending values by linear interpolation between order statistics, type 7 of
// Hyndman & Fan (1996, doi:10.1080/00031305.1996.10473566): with h = (n−1)·p, x[⌊h⌋] + (h−⌊h⌋)·(x[⌊h⌋+1] − x[⌊h⌋]).
// p is cut to [0, 1]. It is NaN for an empty list.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 || math.IsNaN(p) {
		return math.NaN()
	}
	last := len(sorted) - 1
	h := float64(float64(last) * min(max(p, 0), 1))
	low := int(math.Floor(h))
	if low >= last {
		return sorted[last]
	}
	fraction := h - float64(low)
	return sorted[low] + float64(fraction*(sorted[low+1]-sorted[low]))
}

// Interval returns the percentile interval of the replicates: their quantiles (1−level)/2 and (1+level)/2.
// The level is taken to a millionth, so that 0.95 means the quantiles 0.025 and 0.975 as written, not 1−0.95 with its
// rounding error. It is NaN, NaN for no replicates.
func Interval(replicates []float64, level float64) [2]float64 {
	sorted := slices.Clone(replicates)
	slices.Sort(sorted)
	millionths := math.Round(level * 1e6)
	return [2]float64{
		Quantile(sorted, (1e6-millionths)/2e6),
		Quantile(sorted, (1e6+millionths)/2e6),
	}
}
