// Package order sorts lists of any type with one compiled sort.
//
// Go compiles slices.SortFunc anew for every type of element, some 20 kB each, which a page would load. Sort costs a few
// hundred bytes a type, and memory for a second list, so it is for lists that are short or sorted once; where a replay
// spends its time, slices.SortFunc stays.
package order

import "slices"

// Sort sorts a list by compare, which returns a negative number where a comes before b, a positive one where it comes
// after it, and 0 where either may; those keep their order.
func Sort[T any](list []T, compare func(a, b T) int) {
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		if c := compare(list[i], list[j]); c != 0 {
			return c
		}
		return i - j
	})
	before := slices.Clone(list)
	for i, p := range places {
		list[i] = before[p]
	}
}
