package metrics

// Precision, P@k: the share of the first k places that hold a document of grade ≥ rel. Places that were not filled count
// as misses, so the divisor is always k (as in trec_eval's P).
//
// Source: Cleverdon, Mills & Keen 1966. Always defined: where the pool holds nothing relevant it is 0, because it says
// how much of what was shown is of use.
func precision(t *Topic, rel, k int) (value float64, defined bool, err error) {
	top, err := t.top(k)
	if err != nil {
		return 0, false, err
	}
	return float64(countRelevant(top, rel)) / float64(k), true, nil
}

// precisionOf is P@k: relevant documents among the first k, divided by k (trec_eval's P).
//
// Ties: only the number of relevant documents within the cutoff counts. Empty ranking: 0.
func precisionOf(l *List, m Metric) (value float64, defined bool, err error) {
	return float64(relevantOf(l.top(m), m.Rel)) / float64(m.Cutoff), true, nil
}
