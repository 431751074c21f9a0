package trec

import (
	"fmt"
	"strings"

	"retrace/core/collection"
	"retrace/core/order"
)

// An Order says how a run's documents stand: always by score, descending; the rule says which scores are equal and which
// of two documents with equal scores comes first.
type Order string

// The orders.
const (
	// TrecEval is trec_eval's since version 10: scores as float64, equal ones by document ID descending, bytewise.
	TrecEval Order = "trec_eval"
	// TrecEvalFloat32 is trec_eval's before version 10: scores as float32, equal ones by document ID descending, bytewise.
	TrecEvalFloat32 Order = "trec_eval-float32"
	// Ascending is this project's: scores as float64, equal ones by document ID ascending, numbers by value and before all
	// others (collection.CompareID).
	Ascending Order = "ascending"
	// AscendingBytewise is that of ir_measures where it computes itself (RR@k, Judged): scores as float64, equal ones by
	// document ID ascending, bytewise.
	AscendingBytewise Order = "ascending-bytewise"
)

// ParseOrder reads an order's name.
func ParseOrder(name string) (Order, error) {
	switch o := Order(name); o {
	case TrecEval, TrecEvalFloat32, Ascending, AscendingBytewise:
		return o, nil
	}
	return "", fmt.Errorf("trec: order %.40q: it is %s, %s, %s or %s", name, TrecEval, TrecEvalFloat32, Ascending, AscendingBytewise)
}

// Tied reports whether the order takes two scores for equal.
func (o Order) Tied(a, b float64) bool {
	if o == TrecEvalFloat32 {
		return float32(a) == float32(b)
	}
	return a == b
}

// Compare returns a negative number where a stands before b.
func (o Order) Compare(a, b Hit) int {
	switch {
	case o.Tied(a.Score, b.Score):
	case a.Score > b.Score:
		return -1
	default:
		return 1
	}
	switch o {
	case Ascending:
		return collection.CompareID(a.Doc, b.Doc)
	case AscendingBytewise:
		return strings.Compare(a.Doc, b.Doc)
	}
	return strings.Compare(b.Doc, a.Doc)
}

// Sort puts hits in order. Most runs are written in order, which is looked for first.
func (o Order) Sort(hits []Hit) {
	for i := 1; i < len(hits); i++ {
		if o.Compare(hits[i-1], hits[i]) > 0 {
			order.Sort(hits, o.Compare)
			return
		}
	}
}

// Ties returns the sizes of the groups of equal score among ordered hits, in order, and whether any has more than one.
func (o Order) Ties(hits []Hit) (sizes []int, any bool) {
	for i := range hits {
		if i > 0 && o.Tied(hits[i-1].Score, hits[i].Score) {
			sizes[len(sizes)-1]++
			any = true
		} else {
			sizes = append(sizes, 1)
		}
	}
	return sizes, any
}
