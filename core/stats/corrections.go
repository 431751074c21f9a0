package stats

import (
	"cmp"

	"retrace/core/order"
)

// Bonferroni returns the p-values adjusted by m·p, at most 1, in the order given: the chance of any false claim stays
// below the level (Dunn 1961, doi:10.1080/01621459.1961.10482090).
func Bonferroni(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	for i, x := range p {
		adjusted[i] = min(float64(float64(len(p))*x), 1)
	}
	return adjusted
}

// BenjaminiHochberg returns the p-values adjusted so that those below a level have that false discovery rate at most, for
// independent or positively dependent tests (Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x), in the
// order given: with p ascending, the i-th (from 1) of m becomes the smallest of m·p_j/j over j ≥ i, at most 1.
func BenjaminiHochberg(p []float64) []float64 {
	places := make([]int, len(p))
	for i := range places {
		places[i] = i
	}
	order.Sort(places, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	smallest := 1.0
	for rank := len(p); rank > 0; rank-- {
		i := places[rank-1]
		smallest = min(smallest, float64(float64(len(p))*p[i])/float64(rank))
		adjusted[i] = smallest
	}
	return adjusted
}
