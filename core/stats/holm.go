package stats

import (
	"cmp"

	"retrace/core/order"
)

// Holm returns the p-values adjusted for multiple tests by Holm's step-down rule (Holm 1979, jstor.org/stable/4615733),
// in the order given: with p ascending, the i-th (from 0) of m becomes the largest of (m−j)·p_j over j ≤ i, at most 1.
func Holm(p []float64) []float64 {
	places := make([]int, len(p))
	for i := range places {
		places[i] = i
	}
	order.Sort(places, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range places {
		largest = max(largest, min(float64(float64(len(p)-rank)*p[i]), 1))
		adjusted[i] = largest
	}
	return adjusted
}
