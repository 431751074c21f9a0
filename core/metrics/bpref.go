package metrics

// Binary preference (Buckley & Voorhees 2004), as in trec_eval since version 8: with R relevant documents and N judged
// ones that are not, each returned relevant document adds 1 − min(n, R)/min(N, R), where n of the N stand above it, and 1
// where none does; the sum is divided by R. Documents without a judgement and with a negative grade are passed over.
//
// Ties: a relevant document gains by moving up past one that is not, and those passed over change nothing. Where the
// depth cuts through a tie group, the most comes of relevant ones first and the least of them last, behind those passed
// over too. Empty ranking: 0. Undefined where nothing is relevant.
func bprefOf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	not := 0
	for _, g := range l.judged {
		if g >= 0 && g < Whole(m.Rel) {
			not++
		}
	}
	sum, above := 0.0, 0
	for _, g := range l.top(m) {
		switch {
		case g < 0: // negative, or Unjudged
		case g < Whole(m.Rel):
			above++
		case above == 0:
			sum++
		default:
			sum += 1 - float64(min(above, all))/float64(min(not, all))
		}
	}
	return sum / float64(all), true, nil
}

// worthBpref prefers relevant documents, then those that are passed over.
func worthBpref(g Grade, m Metric) int {
	switch {
	case g >= Whole(m.Rel):
		return 2
	case g < 0:
		return 1
	}
	return 0
}
