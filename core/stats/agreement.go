package stats

import (
	"fmt"
	"slices"
)

// A Scale says how far apart two grades are for Krippendorff's α.
type Scale string

// The scales.
const (
	Nominal       Scale = "nominal"  // δ² = 1 for different grades
	Ordinal       Scale = "ordinal"  // δ² = (n_c/2 + n_between + n_k/2)², the ranks between them
	IntervalScale Scale = "interval" // δ² = (c − k)²
)

// Krippendorff returns Krippendorff's α of any number of assessors over the same items: 1 − observed/expected disagreement
// (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability). Each unit holds the grades that one item got, in any
// order; items with fewer than two grades take no part. It is computed in one pass over the grades' coincidences.
//
// defined is false where fewer than two items were graded twice, or all grades are the same: nothing but agreement could be
// expected.
func Krippendorff(units [][]int, scale Scale) (alpha float64, defined bool, err error) {
	var grades []int
	items := 0
	for _, u := range units {
		if len(u) > 1 {
			grades = append(grades, u...)
			items++
		}
	}
	slices.Sort(grades)
	n := len(grades)
	values := slices.Compact(slices.Clone(grades))
	if items < 2 || len(values) < 2 {
		return 0, false, nil
	}
	counts := make([]float64, len(values))
	for _, g := range grades {
		counts[place(values, g)]++
	}
	distance, err := distances(values, counts, scale)
	if err != nil {
		return 0, false, err
	}
	observed, expected := 0.0, 0.0
	for _, u := range units {
		if len(u) < 2 {
			continue
		}
		sum := 0.0
		for i, a := range u {
			for _, b := range u[i+1:] {
				sum += distance[place(values, a)][place(values, b)]
			}
		}
		observed += float64(2*sum) / float64(len(u)-1)
	}
	for c := range values {
		for k := range values {
			expected += float64(float64(counts[c]*counts[k]) * distance[c][k])
		}
	}
	return 1 - float64(float64(n-1)*observed)/expected, true, nil
}

func place(values []int, g int) int {
	at, _ := slices.BinarySearch(values, g)
	return at
}

// distances returns δ² between the values.
func distances(values []int, counts []float64, scale Scale) ([][]float64, error) {
	list := make([][]float64, len(values))
	for c := range values {
		list[c] = make([]float64, len(values))
		for k := range values {
			if c == k {
				continue
			}
			d := 1.0
			switch scale {
			case Nominal:
			case Ordinal:
				d = -float64((counts[c] + counts[k]) / 2)
				for _, n := range counts[min(c, k) : max(c, k)+1] {
					d += n
				}
			case IntervalScale:
				d = float64(values[c] - values[k])
			default:
				return nil, fmt.Errorf("stats: scale %.40q: it is %s, %s or %s", scale, Nominal, Ordinal, IntervalScale)
			}
			list[c][k] = float64(d * d)
		}
	}
	return list, nil
}

// Fleiss returns Fleiss' κ of assessors who each gave every item one grade (Fleiss 1971, doi:10.1037/h0031619): the share of
// agreeing pairs beyond chance, grades nominal. Each unit holds the same number of grades, two at least. defined is false
// where there are no items or all grades are the same.
func Fleiss(units [][]int) (kappa float64, defined bool, err error) {
	var grades []int
	for i, u := range units {
		if len(u) != len(units[0]) || len(u) < 2 {
			return 0, false, fmt.Errorf("stats: item %d has %d grades, the first %d: Fleiss' κ needs the same number, two at least, "+
				"for every item; Krippendorff's α does not", i, len(u), len(units[0]))
		}
		grades = append(grades, u...)
	}
	slices.Sort(grades)
	values := slices.Compact(slices.Clone(grades))
	if len(values) < 2 {
		return 0, false, nil
	}
	total := make([]int, len(values))
	agreeing := 0
	for _, u := range units {
		counts := make([]int, len(values))
		for _, g := range u {
			counts[place(values, g)]++
		}
		for c, n := range counts {
			agreeing += n * (n - 1)
			total[c] += n
		}
	}
	raters := len(units[0])
	observed := float64(agreeing) / float64(len(units)*raters*(raters-1))
	squares := 0
	for _, n := range total {
		squares += n * n
	}
	expected := float64(squares) / float64(len(grades)*len(grades))
	return (observed - expected) / (1 - expected), true, nil
}
