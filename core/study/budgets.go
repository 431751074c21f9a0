package study

import (
	"fmt"

	"retrace/core/dense"
	"retrace/core/records"
)

// Budgets say how far a study's embeddings may move when they are made again on another machine, and what depends on
// them. Fresh embeddings vary in the last bits by processor and batch; a difference beyond these is not rounding.
type Budgets struct {
	MinCosine    float64 `json:"minCosine"`    // least cosine of a fresh vector to the bundled one of the same text
	RanksChanged float64 `json:"ranksChanged"` // largest share of rankings whose target takes another rank, 0 to 1
	MetricChange float64 `json:"metricChange"` // largest change of a share, mean or difference in results, absolute
}

// DefaultBudgets stand where a protocol declares none. They are conservative, but far from rounding: with other batches on
// the processor at hand the least cosine was 1 − 2e-13, and no rank changed. One target in a hundred may take another
// rank, and no metric may change in its second decimal.
func DefaultBudgets() Budgets {
	return Budgets{MinCosine: 0.9999, RanksChanged: 0.01, MetricChange: 0.005}
}

// EmbeddingBudgets returns the protocol's budgets, or the default ones with declared false.
func (p *Protocol) EmbeddingBudgets() (b Budgets, declared bool) {
	if p.Budgets != nil {
		return *p.Budgets, true
	}
	return DefaultBudgets(), false
}

// Check says what is wrong with budgets.
func (b Budgets) Check() error {
	switch {
	case !(b.MinCosine > 0 && b.MinCosine <= 1):
		return fmt.Errorf("budgets.minCosine %v: above 0, at most 1", b.MinCosine)
	case !(b.RanksChanged >= 0 && b.RanksChanged <= 1):
		return fmt.Errorf("budgets.ranksChanged %v: a share, between 0 and 1", b.RanksChanged)
	case !(b.MetricChange >= 0 && b.MetricChange <= 1):
		return fmt.Errorf("budgets.metricChange %v: between 0 and 1", b.MetricChange)
	}
	return nil
}

// HasVectors reports whether a study names embeddings.
func (s *Study) HasVectors() bool {
	return s.Protocol.Collection.Vectors != "" && s.Protocol.Questions.Vectors != ""
}

// EmbeddedTexts returns what a study's embeddings were made of, in the order of the vectors: the documents' indexed
// fields joined by single spaces, and the questions as they stand.
func (s *Study) EmbeddedTexts() (documents, questions []string) {
	for _, d := range s.Collection.Order {
		documents = append(documents, s.Collection.Docs[d].Fields(s.Protocol.Collection.Indexed))
	}
	for _, q := range s.Questions {
		questions = append(questions, q.Text)
	}
	return documents, questions
}

// EmbeddedIDs returns the IDs of the same texts in the same order.
func (s *Study) EmbeddedIDs() (documents, questions []string) {
	for _, d := range s.Collection.Order {
		documents = append(documents, s.Collection.Docs[d].ID)
	}
	for _, q := range s.Questions {
		questions = append(questions, q.ID)
	}
	return documents, questions
}

// UseVectors puts other embeddings of the same texts in the place of the bundled ones, before anything is scored. What
// the study gives then is no longer its result, but what it would be with these.
func (s *Study) UseVectors(documents, questions *dense.Matrix) error {
	fail := func(file string, err error) error {
		return records.Errorf(file, 0, "encode the study's own texts with one model", "%v", err)
	}
	ids, asked := s.EmbeddedIDs()
	if err := documents.CheckOrder(ids); err != nil {
		return fail(s.Protocol.Collection.Vectors, err)
	}
	if err := questions.CheckOrder(asked); err != nil {
		return fail(s.Protocol.Questions.Vectors, err)
	}
	if err := dense.CheckComparable(questions, documents); err != nil {
		return fail(s.Protocol.Questions.Vectors, err)
	}
	s.vectors, s.asked = documents, questions
	return nil
}
