package study

import (
	"retrace/core/dense"
	"retrace/core/method"
)

// env shows the study to its methods.
func (s *Study) env() *method.Env {
	if s.seen == nil {
		s.seen = &method.Env{Kinds: method.Kinds, Collection: s.Collection, Index: s.Index, Graph: s.Graph, GraphKind: s.graphKind,
			NameOf: s.shortName, Spread: s.Spread,
			Vectors: &method.Vectors{DocumentsFile: s.Protocol.Collection.Vectors, QuestionsFile: s.Protocol.Questions.Vectors,
				Documents: func() (*dense.Matrix, error) {
					documents, _, err := s.Vectors()
					return documents, err
				}}}
		if r := s.Protocol.Relations; r != nil {
			s.seen.Overlay = &method.Overlay{File: r.File, Vocabulary: r.Vocabulary, CueWeight: r.CueWeight, Set: s.RelationSet}
		}
	}
	return s.seen
}

// query returns a question as methods see it; one's own has the vector that came with it.
func (s *Study) query(q *Question, vector []float32) method.Query {
	return method.Query{ID: q.ID, Text: q.Text, Lexical: q.Query, Vector: vector, Weights: s.Weights(q.Text)}
}

// Needs returns what a method needs, given by name or as a term, whatever a lock will fix.
func (s *Study) Needs(t method.Term) method.Needs { return method.Scope{Methods: s.Terms}.Needs(t) }

// NeedsVectors reports whether a method uses embeddings, whatever a lock will fix.
func (s *Study) NeedsVectors(name string) bool { return s.Needs(method.Term{Name: name}).Vectors }

// Prepare builds what the study's methods compute from, which is otherwise built when a method first needs it: graphs with
// their rewirings, and the weights of lexical methods.
func (s *Study) Prepare() error {
	for _, g := range s.Protocol.Graphs {
		if _, err := s.env().Walker(g.Name); err != nil {
			return err
		}
	}
	for _, m := range s.Protocol.Methods {
		t, err := s.ResolveSealed(m.Name)
		if err != nil {
			continue // a method that a lock still has to complete
		}
		if err := s.env().Prepare(t); err != nil {
			return err
		}
	}
	return nil
}
