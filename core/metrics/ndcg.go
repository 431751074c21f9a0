package metrics

import (
	"slices"

	"retrace/core/exact"
)

// Normalised discounted cumulative gain: DCG@k of the ranking over DCG@k of the ideal one, the whole pool by falling
// grade; DCG@k = Σ (2^grade − 1)/log2(rank + 1) over the first k, from the first rank on.
//
// Source: Järvelin & Kekäläinen 2002 (doi:10.1145/582415.582418), with the exponential gain of Burges et al. 2005
// (doi:10.1145/1102351.1102363). ir_measures writes it nDCG(dcg='exp-log2')@k and means the linear gain by nDCG@k;
// trec_eval's ndcg_cut has the linear gain too: for grades 0 and 1 all agree. Undefined where no grade is above 0.
func ndcg(t *Topic, _, k int) (value float64, defined bool, err error) {
	top, err := t.top(k)
	if err != nil {
		return 0, false, err
	}
	grades := make([]Grade, len(top))
	for i, j := range top {
		grades[i] = j.Grade
	}
	pool := make([]Grade, len(t.Judged))
	for i, j := range t.Judged {
		pool[i] = j.Grade
	}
	ideal := IdealDCG(pool, k)
	if ideal == 0 {
		return 0, false, nil
	}
	return DCG(grades, k) / ideal, true, nil
}

// DCG returns the discounted cumulative gain of grades in rank order, over the first k.
func DCG(grades []Grade, k int) float64 {
	sum := 0.0
	for i, g := range grades[:min(k, len(grades))] {
		sum += gain(g) / Discount(i+1)
	}
	return sum
}

// IdealDCG returns the DCG@k of the best possible ranking of a pool.
func IdealDCG(pool []Grade, k int) float64 {
	sorted := slices.Clone(pool)
	slices.SortFunc(sorted, func(a, b Grade) int { return int(b - a) })
	return DCG(sorted, k)
}

// Discount is what the gain at a rank is divided by: log2(rank + 1).
func Discount(rank int) float64 { return exact.Log2(float64(rank + 1)) }

// ndcgOf is nDCG, or nDCG@k, with either gain. The ideal ranking is of all judged documents, cut at k, also where fewer
// were returned. trec_eval's ndcg and ndcg_cut have the linear gain, gdeval.pl and most learning-to-rank code the
// exponential one.
//
// Ties: of two documents the one with the higher gain belongs under the smaller discount (rearrangement inequality); the
// ideal does not depend on the order. Empty ranking: 0. Undefined where no grade is above 0.
func ndcgOf(l *List, m Metric) (value float64, defined bool, err error) {
	k := m.Cutoff
	if k == 0 {
		k = max(len(l.ranked), len(l.judged))
	}
	ideal := dcgOf(l.judged, k, m.Gain)
	if ideal == 0 {
		return 0, false, nil
	}
	return dcgOf(l.top(m), k, m.Gain) / ideal, true, nil
}

// dcgOf is Σ gain/log2(rank + 1) over the first k; grades of 0 and below, and documents without one, add nothing.
func dcgOf(grades []Grade, k int, form string) float64 {
	sum := 0.0
	for i, g := range grades[:min(k, len(grades))] {
		switch {
		case g <= 0:
		case form == ExponentialGain:
			sum += gain(g) / Discount(i+1)
		default:
			sum += g.Float() / Discount(i+1)
		}
	}
	return sum
}
