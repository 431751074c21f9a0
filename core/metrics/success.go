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
