package metrics

// Counts are added up over topics. They are always defined.

// numQOf is NumQ: each topic that is looked at is one.
func numQOf(*List, Metric) (value float64, defined bool, err error) { return 1, true, nil }

// numRetOf is NumRet, the documents returned (trec_eval's num_ret); with rel, those of at least that grade (num_rel_ret).
func numRetOf(l *List, m Metric) (value float64, defined bool, err error) {
	top := l.top(m)
	if m.Rel == 0 {
		return float64(len(top)), true, nil
	}
	return float64(relevantOf(top, m.Rel)), true, nil
}

// numRelOf is NumRel, the judged documents of grade rel at least (trec_eval's num_rel).
func numRelOf(l *List, m Metric) (value float64, defined bool, err error) {
	return float64(relevantOf(l.judged, m.Rel)), true, nil
}
