package lexical

import (
	"retrace/core/index"
	"retrace/core/order"
	"retrace/core/rank"
)

// RM3 mixes a question with a relevance model of the documents that were found first (Lavrenko and Croft, Relevance-Based
// Language Models, SIGIR 2001; mixed as in Abdul-Jaleel et al., UMass at TREC 2004: Novelty and HARD):
//
//	p(t|R) = Σ_d s(d) · tf/dl,   s(d) the documents' shares of their scores, as rank.Scores.Seeds gives them
//	weight(t) = original · qtf/|q| + (1 − original) · p(t|R)/Σ p(·|R),   over the n terms of highest p(t|R)
//
// Ties go to the smaller term; the sum over d is in the order of the ranking. (With scores of BM25 there is no p(q|d): their
// shares stand for it, as is usual.) Terms are returned in ascending order, those of weight 0 left out; without found
// documents the question stays alone.
func RM3(x *index.Index, q index.Query, found []rank.Hit, n int, original float64) []Weighted {
	model, seen := make([]float64, len(x.Terms)), []int{}
	for _, h := range found {
		for _, c := range x.Document(h.Doc) {
			if model[c.Term] == 0 {
				seen = append(seen, c.Term)
			}
			model[c.Term] += float64(h.Score * (float64(c.TF) / float64(x.Length[h.Doc])))
		}
	}
	best := make([]Weighted, len(seen))
	for i, t := range seen {
		best[i] = Weighted{t, model[t]}
	}
	order.Sort(best, func(a, b Weighted) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return a.Term - b.Term
	})
	best = best[:min(n, len(best))]
	order.Sort(best, func(a, b Weighted) int { return a.Term - b.Term })
	question := Weigh(q)
	size, mass := totalWeight(question), totalWeight(best)
	if mass == 0 {
		original, best = 1, nil
	}
	var mixed []Weighted
	for i, j := 0, 0; i < len(question) || j < len(best); {
		w := Weighted{}
		inQuestion := i < len(question) && (j == len(best) || question[i].Term <= best[j].Term)
		inModel := j < len(best) && (i == len(question) || best[j].Term <= question[i].Term)
		if inQuestion {
			w = Weighted{question[i].Term, float64(original * (question[i].Weight / size))}
			i++
		}
		if inModel {
			w.Term = best[j].Term
			w.Weight += float64((1 - original) * (best[j].Weight / mass))
			j++
		}
		if w.Weight > 0 {
			mixed = append(mixed, w)
		}
	}
	return mixed
}
