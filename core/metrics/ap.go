package metrics

// Average precision, AP@k: Σ P@i over the ranks i ≤ k of relevant documents, divided by the number of all relevant
// documents, also where that is more than k (as trec_eval's map and map_cut, and ir_measures' AP).
//
// Ties: exchanging a relevant document with the neighbour above it that is not relevant raises one precision and leaves
// the others. Empty ranking: 0. Undefined where nothing is relevant.
func apOf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	sum, found := 0.0, 0
	for i, g := range l.top(m) {
		if g >= Whole(m.Rel) {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(all), true, nil
}
