package metrics

// Recall, R@k = |R ∩ S_k| / |R|, with R the judged documents of grade ≥ rel and S_k the first k returned.
//
// Source: Cleverdon, Mills & Keen 1966 (Factors Determining the Performance of Indexing Systems); trec_eval's recall.
// Undefined where R is empty; trec_eval averages a 0 instead.
func recall(t *Topic, rel, k int) (value float64, defined bool, err error) {
	top, err := t.top(k)
	all := t.relevant(rel)
	if err != nil || all == 0 {
		return 0, false, err
	}
	return float64(countRelevant(top, rel)) / float64(all), true, nil
}

func countRelevant(top []Judgement, rel int) int {
	n := 0
	for _, j := range top {
		if j.Grade >= Whole(rel) {
			n++
		}
	}
	return n
}

// recallOf is R@k: relevant documents among the first k, divided by all relevant ones (trec_eval's recall).
//
// Ties: only the number of relevant documents within the cutoff counts. Empty ranking: 0. Undefined where nothing is relevant.
func recallOf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	return float64(relevantOf(l.top(m), m.Rel)) / float64(all), true, nil
}
