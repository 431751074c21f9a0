package metrics

// Success, or hit: 1 if a document with grade ≥ rel stands within the first k, else 0.
//
// Source: Tomlinson's "success" in trec_eval (m_success.c). Undefined where the pool holds no such document; trec_eval
// averages a 0 instead.
func success(t *Topic, rel, k int) (value float64, defined bool, err error) {
	rank, defined, err := t.firstRelevant(rel, k)
	if rank > 0 {
		value = 1
	}
	return value, defined, err
}

// successOf is Success@k (trec_eval's success).
//
// Ties: only the first relevant rank counts. Empty ranking: 0. Undefined where nothing is relevant.
func successOf(l *List, m Metric) (value float64, defined bool, err error) {
	value, defined, err = rrOf(l, m)
	if value > 0 {
		value = 1
	}
	return value, defined, err
}
