package metrics

// The set measures look at what was returned, in whatever order. Ties matter to them only where a depth cuts through a
// tie group.

// setPOf is SetP = relevant returned / returned (trec_eval's set_P). Undefined where nothing was returned.
func setPOf(l *List, m Metric) (value float64, defined bool, err error) {
	top := l.top(m)
	if len(top) == 0 {
		return 0, false, nil
	}
	return float64(relevantOf(top, m.Rel)) / float64(len(top)), true, nil
}

// setROf is SetR = relevant returned / relevant (trec_eval's set_recall). Undefined where nothing is relevant.
func setROf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	return float64(relevantOf(l.top(m), m.Rel)) / float64(all), true, nil
}

// setFOf is SetF = (x + 1)·P·R / (x·P + R) with x = beta (trec_eval's set_F), 0 where nothing relevant was returned.
// Undefined where nothing is relevant.
func setFOf(l *List, m Metric) (value float64, defined bool, err error) {
	p, _, _ := setPOf(l, m)
	r, defined, _ := setROf(l, m)
	if p == 0 || r == 0 {
		return 0, defined, nil
	}
	return float64(float64((m.Beta+1)*p)*r) / (float64(m.Beta*p) + r), true, nil
}

// setAPOf is SetAP = P·R (trec_eval's set_map). Undefined where nothing is relevant.
func setAPOf(l *List, m Metric) (value float64, defined bool, err error) {
	p, _, _ := setPOf(l, m)
	r, defined, _ := setROf(l, m)
	return float64(p * r), defined, nil
}
