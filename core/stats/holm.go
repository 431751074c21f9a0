package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p-values adjusted for multiple tests by Holm's step-down rule (Holm 1979, jstor.org/stable/4615733),
// in the order given: with p ascending, the i-th (from 0) of m becomes the largest of (m−j)·p_j over j ≤ i, at most 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(float64(float64(len(p)-rank)*p[i]), 1))
		adjusted[i] = largest
	}
	return adjusted
}
