package method

import (
	"retrace/core/explain"
	"retrace/core/rank"
)

var kindTop = Kind{
	Name:    topName,
	MinArgs: 1, MaxArgs: 1,
	Params:   []ParamKind{{Key: "n", Default: "100", Min: 1, Max: 1 << 20, Integer: true, Meaning: "how many of the best are kept"}},
	Sentence: "the best documents of another method",
	About:    "keeps the {n} best documents of its base method",
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		base, err := e.Scores(t.Args[0])
		if err != nil {
			return err
		}
		for i := range e.Queries {
			for _, h := range base[i].Best(t.Integer("n")) {
				into[i].Add(int32(h.Doc), h.Score)
			}
		}
		return nil
	},
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("score", x.Scores.Value[doc],
			"The score of the method that this one cuts.", "score if among the best n, else none", (*rank.Scores).Best)
		base := x.Base()
		n.Inputs = []explain.Input{{Label: base.Name, Text: base.text(doc), Path: base.ScorePath(doc)}}
		return n, nil
	},
}

// Rankings returns the rankings by a term, one for each question of the batch. A cut list is taken as it stands: its last
// places may hold scores that would not rank by themselves.
func (e *Evaluator) Rankings(t Term) ([][]rank.Hit, error) {
	cut := e.Env.Collection.Len()
	if t.Name == topName {
		t, cut = t.Args[0], t.Integer("n")
	}
	scores, err := e.Scores(t)
	if err != nil {
		return nil, err
	}
	rankings := make([][]rank.Hit, len(scores))
	for i, s := range scores {
		rankings[i] = s.Best(cut)
	}
	return rankings, nil
}

const topName = "top"
