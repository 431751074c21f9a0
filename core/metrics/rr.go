package metrics

// Reciprocal rank, RR@k = 1/rank of the first document with grade ≥ rel if that rank is at most k, else 0.
//
// Source: Kantor & Voorhees, The TREC-5 Confusion Track (doi:10.1023/A:1009902609570). Undefined where the pool holds no
// such document; trec_eval, whose recip_rank has no cutoff, averages a 0 instead.
func reciprocalRank(t *Topic, rel, k int) (value float64, defined bool, err error) {
	rank, defined, err := t.firstRelevant(rel, k)
	return ReciprocalRank(rank, k), defined, err
}

// ReciprocalRank is RR@k of a question whose first relevant document has the given rank, 0 for none.
func ReciprocalRank(rank, k int) float64 {
	if rank < 1 || rank > k {
		return 0
	}
	return 1 / float64(rank)
}

// ReciprocalUnit returns the least common multiple of 1 … k: every RR@k is a whole number of such parts (2520 for
// k = 10), so that sums and ties of them can be exact. ok is false above 40, where it leaves the exact range of float64.
func ReciprocalUnit(k int) (unit int64, ok bool) {
	if k < 1 || k > 40 {
		return 0, false
	}
	unit = 1
	for i := int64(2); i <= int64(k); i++ {
		a, b := unit, i
		for b != 0 {
			a, b = b, a%b
		}
		unit = unit / a * i
	}
	return unit, true
}

// ReciprocalParts is RR@k as a whole number of parts of ReciprocalUnit(k): unit/rank, or 0. ok as there.
func ReciprocalParts(rank, k int) (parts int64, ok bool) {
	unit, ok := ReciprocalUnit(k)
	if !ok || rank < 1 || rank > k {
		return 0, ok
	}
	return unit / int64(rank), true
}

// firstRelevant returns the rank of the first document with grade ≥ rel within k, 0 for none; defined is false where the
// pool holds no such document.
func (t *Topic) firstRelevant(rel, k int) (rank int, defined bool, err error) {
	top, err := t.top(k)
	if err != nil || t.relevant(rel) == 0 {
		return 0, false, err
	}
	for i, j := range top {
		if j.Grade >= Whole(rel) {
			return i + 1, true, nil
		}
	}
	return 0, true, nil
}

// rrOf is RR, or RR@k: one over the rank of the first relevant document (trec_eval's recip_rank, which has no cutoff).
//
// Ties: only the first relevant rank counts. Empty ranking: 0. Undefined where nothing is relevant.
func rrOf(l *List, m Metric) (value float64, defined bool, err error) {
	if relevantOf(l.judged, m.Rel) == 0 {
		return 0, false, nil
	}
	for i, g := range l.top(m) {
		if g >= Whole(m.Rel) {
			return 1 / float64(i+1), true, nil
		}
	}
	return 0, true, nil
}
