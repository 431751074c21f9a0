package method

import (
	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
)

var kindDegree = Kind{
	Name:     "degree",
	Params:   []ParamKind{{Key: "edges", Default: "links", Of: OfGraph}},
	Needs:    Needs{Graph: true},
	Sentence: "every document by its number of neighbours, whatever the question",
	About:    "ranks all documents by how many links they have",
	Prepare: func(e *Env, t Term) error {
		_, err := e.Graph(t.Param("edges"))
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		g, err := e.Env.Graph(t.Param("edges"))
		if err != nil {
			return err
		}
		for i := range e.Queries {
			for v := range into[i].Value {
				into[i].Value[v] = float64(g.Degree(v))
			}
			into[i].All = true
		}
		return nil
	},
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		edges, value := x.Term.Param("edges"), x.Scores.Value[doc]
		n := node("degree", value,
			"How many neighbours the document has in the "+x.Env.GraphKind(edges)+" graph; the question plays no part.",
			"#neighbours", (*graph.Graph).Degree)
		n.Inputs = []explain.Input{{Label: "neighbours",
			Text: show.Count(int64(value)), Path: numpath.Of("neighbours", edges, x.Env.docID(doc))}}
		return n, nil
	},
}
