package lab

import (
	"fmt"
	"slices"

	"retrace/core/dense"
	"retrace/core/exact"
	"retrace/core/graph"
	"retrace/core/method"
	"retrace/core/rank"
	"retrace/core/records"
	"retrace/core/study"
	"retrace/core/walk"
)

func (l *Lab) needWalk() error {
	if l.walk != nil {
		return nil
	}
	w, ok := l.study.Design.(Walker)
	if !ok {
		return notFor(l.study, Rewire)
	}
	var err error
	if l.walk, err = w.Walk(l.replay); err == nil && l.walk == nil {
		err = notFor(l.study, Rewire)
	}
	return err
}

// rewire walks over rewired links. The graphs of a unit share the scores that the walk starts from.
func (l *Lab) rewire(u Unit) ([]Case, error) {
	real, err := l.study.Graph(l.walk.Graph)
	if err != nil {
		return nil, err
	}
	graphs := map[string]*graph.Graph{}
	var methods []study.NamedTerm
	var list []Case
	for i := u.From; i < u.To; i++ {
		stream := RewireStream + uint64(i)
		r, ok := graph.Rewire(real, exact.NewStream(l.study.Protocol.Seed, stream), l.walk.Swaps, 1000*(1+l.walk.Swaps)*(1+len(l.study.Links)))
		if !ok {
			return nil, records.Errorf(l.study.Protocol.Collection.Links, 0, "a graph this dense or this small can't be rewired",
				"only %d swaps succeeded in %d attempts", r.Swaps, r.Attempts)
		}
		name := fmt.Sprintf("rewired:%d", stream)
		graphs[name] = r.Graph
		methods = append(methods, study.NamedTerm{Name: name, Term: over(l.walk.Term, l.walk.Graph, name)})
		list = append(list, Case{Place: i, Name: fmt.Sprint(i + 1), Stream: stream})
	}
	look, err := l.observe(graphs, methods)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Value, err = l.walk.Value(func(question, _ string) (study.Observation, error) { return look(question, methods[i].Name) })
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// over returns a term that walks over another graph.
func over(t method.Term, graph, other string) method.Term {
	out := method.Term{Name: t.Name, Params: slices.Clone(t.Params)}
	for i, p := range out.Params {
		if p.Key == "edges" && p.Value == graph {
			out.Params[i].Value = other
		}
	}
	for _, a := range t.Args {
		out.Args = append(out.Args, over(a, graph, other))
	}
	return out
}

// observe is study.Observe with graphs that the study does not have.
func (l *Lab) observe(graphs map[string]*graph.Graph, methods []study.NamedTerm) (study.Look, error) {
	e := method.NewEvaluator(l.env(graphs))
	seen := map[[2]string]study.Observation{}
	for from := 0; from < len(l.walk.Questions); from += walk.Lanes {
		batch := l.walk.Questions[from:min(from+walk.Lanes, len(l.walk.Questions))]
		if err := l.ask(e, batch, methods[0].Term); err != nil {
			return nil, err
		}
		for _, m := range methods {
			scores, err := e.Scores(m.Term)
			if err != nil {
				return nil, err
			}
			for i, q := range batch {
				seen[[2]string{l.study.Questions[q].ID, m.Name}] = l.observation(q, scores[i], l.walk.Best)
			}
		}
	}
	return func(question, name string) (study.Observation, error) { return seen[[2]string{question, name}], nil }, nil
}

func (l *Lab) observation(q int, scores *rank.Scores, best int) study.Observation {
	o := study.Observation{Question: l.study.Questions[q].ID, Candidates: scores.Count()}
	if target := l.study.Questions[q].Target; target >= 0 {
		if r := scores.Rank(target); r > 0 {
			o.Rank = &r
		}
	}
	for _, h := range scores.Best(best) {
		o.Best = append(o.Best, study.Hit{ID: l.study.Collection.Docs[h.Doc].ID, Score: h.Score})
	}
	return o
}

// ask gives an evaluator a batch of the study's questions.
func (l *Lab) ask(e *method.Evaluator, places []int, t method.Term) error {
	vectors := method.Kinds.Needs(t).Vectors
	queries := make([]method.Query, len(places))
	for i, q := range places {
		asked := &l.study.Questions[q]
		queries[i] = method.Query{ID: asked.ID, Text: asked.Text, Lexical: asked.Query, Weights: l.study.Weights(asked.Text)}
		if vectors {
			_, of, err := l.study.Vectors()
			if err != nil {
				return err
			}
			queries[i].Vector = of.Row(q)
		}
	}
	e.Batch(queries)
	return nil
}

// env shows the study to methods, with graphs that it does not have.
func (l *Lab) env(graphs map[string]*graph.Graph) *method.Env {
	s := l.study
	e := &method.Env{Kinds: method.Kinds, Collection: s.Collection, Index: s.Index, Graph: func(name string) (*graph.Graph, error) {
		if g, ok := graphs[name]; ok {
			return g, nil
		}
		return s.Graph(name)
	}}
	e.Vectors = &method.Vectors{DocumentsFile: s.Protocol.Collection.Vectors, QuestionsFile: s.Protocol.Questions.Vectors,
		Documents: func() (*dense.Matrix, error) {
			documents, _, err := s.Vectors()
			return documents, err
		}}
	if r := s.Protocol.Relations; r != nil {
		e.Overlay = &method.Overlay{File: r.File, Vocabulary: r.Vocabulary, CueWeight: r.CueWeight, Set: s.RelationSet}
	}
	return e
}
