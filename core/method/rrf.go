package method

import (
	"strconv"

	"retrace/core/explain"
	"retrace/core/rank"
)

var kindRRF = Kind{
	Name:    "rrf",
	MinArgs: 2, MaxArgs: 16,
	Params:   []ParamKind{{Key: "k", Default: "60", Min: 0, Max: 1e6, Meaning: "higher: the first places count for less"}},
	Sentence: "reciprocal rank fusion of other methods",
	About:    "adds up 1 ÷ ({k} + rank) over the rankings that it fuses",
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		for _, arg := range t.Args {
			rankings, err := e.Rankings(arg)
			if err != nil {
				return err
			}
			for i := range e.Queries {
				rank.RRF(into[i], t.Number("k"), rankings[i])
			}
		}
		return nil
	},
	Parts: func(x *Scoring, doc int) []Part {
		var parts []Part
		for _, arg := range x.Term.Args {
			y := x.Inner(arg)
			if r := y.Scores.Rank(doc); r > 0 {
				share := rank.ReciprocalRank(x.Term.Number("k"), r)
				parts = append(parts, Part{y.Name + " rank " + strconv.Itoa(r), share, y.ScorePath(doc)})
			}
		}
		return parts
	},
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("fused score", x.Scores.Value[doc],
			"Sum of the reciprocal ranks that the fused rankings give the document.", "Σ 1/(k + rank)", rank.RRF)
		n.Citation = "Cormack, Clarke and Büttcher 2009, doi:10.1145/1571941.1572114"
		return n, nil
	},
}
