package metrics

// Rank-biased precision (Moffat & Zobel 2008, equation 2): (1 − p) Σ gain p^(rank − 1). The gain is 1 for grades of rel at
// least, or grade/max, cut to 0 … 1. RBP(p=0.9,rel=1) is trec_eval's rbp on grades 0 and 1; on other grades trec_eval 10
// scales by a minimum and maximum that it never sets, so its values there mean nothing.
//
// Ties: of two documents the one with the higher gain belongs under the larger weight. Empty ranking: 0. Always defined:
// it is not divided by what could have been reached.
func rbpOf(l *List, m Metric) (value float64, defined bool, err error) {
	sum, weight := 0.0, 1.0
	for _, g := range l.top(m) {
		switch {
		case m.Rel > 0 && g >= Whole(m.Rel):
			sum += weight
		case m.Rel == 0 && g > 0:
			sum += float64(weight * min(g.Float()/float64(m.Max), 1))
		}
		weight = float64(weight * m.P)
	}
	return float64((1 - m.P) * sum), true, nil
}
