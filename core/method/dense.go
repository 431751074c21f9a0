package method

import (
	"fmt"

	"retrace/core/dense"
	"retrace/core/explain"
	"retrace/core/rank"
)

var kindDense = Kind{
	Name:     "dense",
	Needs:    Needs{Vectors: true},
	Sentence: "cosine of the embeddings of question and document; every document is ranked",
	About:    "takes the cosine between sentence embeddings of question and document",
	Score: func(e *Evaluator, _ Term, into []*rank.Scores) error {
		documents, err := e.Env.Vectors.Documents()
		if err != nil {
			return err
		}
		cosines, err := Keep(e.Env, "cosines", func() ([]float64, error) {
			return make([]float64, e.Env.Collection.Len()), nil
		})
		if err != nil {
			return err
		}
		for i, q := range e.Queries {
			if len(q.Vector) != documents.Dimension() {
				return fmt.Errorf("method: a question has %d embedding values, the documents have %d: encode the question with the same model",
					len(q.Vector), documents.Dimension())
			}
			documents.ScoresInto(cosines, q.Vector)
			for row, x := range cosines {
				into[i].Value[e.Env.Collection.Order[row]] = x
			}
			into[i].All = true
		}
		return nil
	},
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		documents, err := x.Env.Vectors.Documents()
		if err != nil {
			return nil, err
		}
		n := node("cosine", x.Scores.Value[doc],
			"Dot product of the embeddings of question and document, both of length 1, in ascending order of dimension in float64.",
			"Σ qᵢ·dᵢ", dense.Dot)
		n.Citation = documents.Sidecar().Model.Name + "; cosines of sentence embeddings: Reimers and Gurevych 2019, arXiv:1908.10084"
		n.Inputs = []explain.Input{{Label: "documents' vectors", Where: x.Env.Vectors.DocumentsFile},
			{Label: "questions' vectors", Where: x.Env.Vectors.QuestionsFile}}
		return n, nil
	},
}
