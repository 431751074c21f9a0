package metrics

// R-precision: with R relevant documents in all, those among the first R, divided by R (trec_eval's Rprec).
//
// Ties: only the number of relevant documents within rank R counts. Empty ranking: 0. Undefined where nothing is relevant.
func rprecOf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	ranked := l.top(m)
	return float64(relevantOf(ranked[:min(all, len(ranked))], m.Rel)) / float64(all), true, nil
}
