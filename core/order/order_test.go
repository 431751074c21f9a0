package order

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The standard library's stable sort is the second opinion; few keys make many ties.
func TestSort(t *testing.T) {
	type item struct{ key, place int }
	rapid.Check(t, func(t *rapid.T) {
		var list []item
		for i, key := range rapid.SliceOf(rapid.IntRange(0, 4)).Draw(t, "keys") {
			list = append(list, item{key, i})
		}
		byKey := func(a, b item) int { return cmp.Compare(a.key, b.key) }
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		Sort(list, byKey)
		if !slices.Equal(list, want) {
			t.Errorf("%v, want %v", list, want)
		}
	})
}
