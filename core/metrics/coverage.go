package metrics

// Obligation coverage, Coverage@k: the share of the question's obligations that at least one of the first k documents
// helps. Where the judgements' Helps hold what both assessors name for one same document, it is R02's agreed coverage.
//
// Source: subtopic recall (Zhai, Cohen & Lafferty 2003, doi:10.1145/860435.860440), with obligations as subtopics.
// Undefined where the question has no obligations.
func coverage(t *Topic, _, k int) (value float64, defined bool, err error) {
	top, err := t.top(k)
	if err != nil || t.Obligations == 0 {
		return 0, false, err
	}
	met := make([]bool, t.Obligations)
	n := 0
	for _, j := range top {
		for _, o := range j.Helps {
			if !met[o] {
				met[o] = true
				n++
			}
		}
	}
	return float64(n) / float64(t.Obligations), true, nil
}
