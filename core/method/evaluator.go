package method

import (
	"fmt"

	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/walk"
)

// A Query is a question as methods see it.
type Query struct {
	ID, Text string
	Lexical  index.Query
	Vector   []float32 // nil where there is none
	Weights  []float64 // of the relations' predicates; nil where there are none
}

// An Evaluator scores a batch of at most walk.Lanes questions by resolved terms. A term that occurs in several others is
// computed once for the batch. Results hold until the next call of Batch.
type Evaluator struct {
	Env     *Env
	Queries []Query

	memo map[string][]*rank.Scores // by term, printed
	pool []*rank.Scores
	used []*rank.Scores
}

// NewEvaluator returns an evaluator over what a study has.
func NewEvaluator(e *Env) *Evaluator { return &Evaluator{Env: e, memo: map[string][]*rank.Scores{}} }

// Batch starts on new questions.
func (e *Evaluator) Batch(queries []Query) {
	if len(queries) > walk.Lanes {
		panic(fmt.Sprintf("method: batch of %d questions: at most %d", len(queries), walk.Lanes))
	}
	e.Queries = queries
	for _, s := range e.used {
		s.Reset()
		e.pool = append(e.pool, s)
	}
	e.used = e.used[:0]
	clear(e.memo)
}

func (e *Evaluator) fresh() *rank.Scores {
	var s *rank.Scores
	if n := len(e.pool); n > 0 {
		s, e.pool = e.pool[n-1], e.pool[:n-1]
	} else {
		s = rank.New(e.Env.Collection.Len())
	}
	e.used = append(e.used, s)
	return s
}

// Scores returns the scores of the batch's questions by a resolved term.
func (e *Evaluator) Scores(t Term) ([]*rank.Scores, error) {
	return e.Shared(t.String(), func(into []*rank.Scores) error {
		kind, err := e.Env.find(t.Name)
		if err != nil {
			return err
		}
		return kind.Score(e, t, into)
	})
}

// Shared returns what score fills in, one value for each question of the batch, computed once under its key.
func (e *Evaluator) Shared(key string, score func(into []*rank.Scores) error) ([]*rank.Scores, error) {
	if scores, ok := e.memo[key]; ok {
		return scores, nil
	}
	scores := make([]*rank.Scores, len(e.Queries))
	for i := range scores {
		scores[i] = e.fresh()
	}
	if err := score(scores); err != nil {
		return nil, err
	}
	e.memo[key] = scores
	return scores, nil
}
