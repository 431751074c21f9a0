// Package exact holds arithmetic that gives the same bits on every platform: logarithm, exponential and error function,
// ordered sums and named random streams.
//
// Everything else in core relies on three rules that are kept here and checked by tests: a product that is added is
// rounded first (float64(x*y) + z, so that no compiler may fuse it), logarithms come from Log, and sums run in a stated
// order.
package exact

// Sum adds xs from the first to the last, one rounding each: the order that every mean in a study uses.
func Sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// Mean is Sum(xs) divided by their number; ok is false where there is nothing to average, which is undefined, not 0.
func Mean(xs []float64) (mean float64, ok bool) {
	if len(xs) == 0 {
		return 0, false
	}
	return Sum(xs) / float64(len(xs)), true
}

// One is 1 where a condition holds, else 0: for counting.
func One(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
