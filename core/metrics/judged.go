package metrics

// Judged@k: the share of the first k returned documents that the topic's judgements hold, negative grades included; where
// fewer were returned, of those (ir_measures). trec_eval's unj_k counts negative grades as unjudged and always divides by k.
//
// Ties: only the number of judged documents within the cutoff counts. Undefined where nothing was returned.
func judgedOf(l *List, m Metric) (value float64, defined bool, err error) {
	top := l.top(m)
	if len(top) == 0 {
		return 0, false, nil
	}
	n := 0
	for _, g := range top {
		if g != Unjudged {
			n++
		}
	}
	return float64(n) / float64(len(top)), true, nil
}

// worthJudged prefers judged documents.
func worthJudged(g Grade, _ Metric) int {
	if g != Unjudged {
		return 1
	}
	return 0
}
