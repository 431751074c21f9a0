package study

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/dense"
	"retrace/core/method"
)

// A Scoring is one of the study's questions, or one's own, scored by one method.
type Scoring struct {
	*method.Scoring
	Question *Question
}

// Own marks the ID of a question that is not the study's: the rest of the ID is its text.
const Own = "?"

// OwnQuestion returns a question of a reader's own.
func (s *Study) OwnQuestion(text string) *Question {
	return &Question{ID: Own + text, Text: text, Target: -1, Query: s.Index.Query(text), position: -1}
}

// AnyQuestion returns a question of the study, or one's own.
func (s *Study) AnyQuestion(id string) (*Question, error) {
	if text, ok := strings.CutPrefix(id, Own); ok {
		return s.OwnQuestion(text), nil
	}
	if q, ok := s.Question(id); ok {
		return q, nil
	}
	return nil, fmt.Errorf("study: %s has no question %q: the questions are in %s", s.Protocol.ID, id, s.Protocol.Questions.File)
}

// NewScoring scores a question by a method, given by name or as a term. A question of one's own needs its vector for
// dense methods.
func (s *Study) NewScoring(name string, q *Question, vector []float32) (*Scoring, error) {
	t, err := s.ResolveSealed(name)
	if err != nil {
		return nil, err
	}
	return s.scoring(name, t, q, vector)
}

// Scoring is NewScoring under what the replay's development stage fixed, which in a draft no seal holds yet.
func (r *Replay) Scoring(name string, q *Question) (*Scoring, error) {
	if r.lock == nil {
		return r.study.NewScoring(name, q, nil)
	}
	t, err := r.study.Resolve(method.Term{Name: name}, r.lock)
	if err != nil { // a term, or a name that only seals know
		return r.study.NewScoring(name, q, nil)
	}
	return r.study.scoring(name, t, q, nil)
}

func (s *Study) scoring(name string, t method.Term, q *Question, vector []float32) (*Scoring, error) {
	query := s.query(q, vector)
	if s.env().Kinds.Needs(t).Vectors {
		_, asked, err := s.Vectors()
		if err != nil {
			return nil, err
		}
		switch {
		case q.position >= 0:
			query.Vector = asked.Row(q.position)
		case vector == nil:
			return nil, fmt.Errorf("study: %s needs the question's embedding: ask natively with a model "+
				"(`native search --method %s`), or take one of the study's questions", name, name)
		}
		if err := dense.CheckUnit(query.Vector); err != nil {
			return nil, err
		}
	}
	x, err := method.NewScoring(s.env(), name, t, query)
	if err != nil {
		return nil, err
	}
	return &Scoring{x, q}, nil
}

// ResolveSealed writes a method out under the study's sealed lock, if it has one.
func (s *Study) ResolveSealed(name string) (method.Term, error) {
	if n, ok := s.Design.(Namer); ok {
		if t, ok, err := n.Named(name); err != nil || ok {
			return t, err
		}
	}
	t, err := method.Parse(name)
	if err != nil {
		return t, err
	}
	variables, err := s.sealedVariables()
	if err != nil {
		return t, err
	}
	return method.Scope{Methods: s.Terms, Variables: variables}.Resolve(t)
}

// WrittenOut returns a method's term written out as far as the seals allow.
func (s *Study) WrittenOut(name string) method.Term {
	if t, err := s.ResolveSealed(name); err == nil {
		return t
	}
	return s.Terms[name]
}

// TermOf returns a method's term as text, written out as far as the seals allow.
func (s *Study) TermOf(name string) string { return s.WrittenOut(name).String() }

// shortName returns the name under which a study knows a term, else the term itself.
func (s *Study) shortName(t method.Term) string {
	if s.names == nil {
		s.names = map[string]string{}
		for _, m := range slices.Backward(s.Protocol.Methods) { // of two names for one term, the first
			if r, err := s.ResolveSealed(m.Name); err == nil {
				s.names[r.String()] = m.Name
			}
		}
	}
	text := t.String()
	if name, ok := s.names[text]; ok {
		return name
	}
	return text
}
