package metrics

import "math"

// Interpolated precision at a recall: with R relevant documents and c = r·R rounded to the nearest, halves up, the highest
// precision at any rank from that of the c-th relevant document on; 0 where fewer than c were returned. trec_eval rounds so
// since version 10; before, it added 0.9 and cut.
//
// Ties: moving a relevant document up raises the precision at its rank and lowers none at another relevant document's.
// Empty ranking: 0 (trec_eval divides 0 by 0). Undefined where nothing is relevant.
func iprecOf(l *List, m Metric) (value float64, defined bool, err error) {
	all := relevantOf(l.judged, m.Rel)
	if all == 0 {
		return 0, false, nil
	}
	wanted := int(math.Round(float64(m.Recall * float64(all))))
	highest, found := 0.0, 0
	for i, g := range l.top(m) {
		if g < Whole(m.Rel) {
			continue
		}
		if found++; found >= wanted {
			highest = max(highest, float64(found)/float64(i+1))
		}
	}
	return highest, true, nil
}
