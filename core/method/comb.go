package method

import (
	"slices"
	"strconv"

	"retrace/core/explain"
	"retrace/core/rank"
)

var kindCombSUM = combKind("combsum", rank.CombSUM, false, "sum of the normalised scores of other methods (CombSUM)",
	"brings the scores of the rankings that it fuses to one scale ({norm}) and adds them up", "Σ share")

var kindCombMNZ = combKind("combmnz", rank.CombMNZ, true,
	"sum of the normalised scores of other methods, times how many of them found the document (CombMNZ)",
	"brings the scores of the rankings that it fuses to one scale ({norm}), adds them up and multiplies the sum by how many of the rankings "+
		"have the document", "Σ n·share,  n rankings have the document")

func combKind(name string, fuse func(rank.Normalization, ...[]rank.Hit) []rank.Hit, multiply bool, sentence, about, formula string) Kind {
	var norms []string
	for _, n := range rank.Normalizations {
		norms = append(norms, string(n))
	}
	return Kind{
		Name:    name,
		MinArgs: 2, MaxArgs: 16,
		Params: []ParamKind{{Key: "norm", Default: string(rank.MinMax), Options: norms,
			Meaning: "minmax: lowest 0, highest 1; zscore: standard deviations above the lowest; none: as they are"}},
		Sentence: sentence,
		About:    about,
		Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
			lists := make([][][]rank.Hit, len(t.Args))
			for a, arg := range t.Args {
				var err error
				if lists[a], err = e.Rankings(arg); err != nil {
					return err
				}
			}
			for i := range e.Queries {
				var rankings [][]rank.Hit
				for a := range lists {
					rankings = append(rankings, lists[a][i])
				}
				for _, h := range fuse(rank.Normalization(t.Param("norm")), rankings...) {
					if h.Score > 0 {
						into[i].Add(int32(h.Doc), h.Score)
					}
				}
			}
			return nil
		},
		Parts: func(x *Scoring, doc int) []Part {
			if !x.Scores.Ranked(doc) {
				return nil
			}
			var parts []Part
			for _, arg := range x.Term.Args {
				rankings, err := x.evaluator.Rankings(arg)
				if err != nil {
					return nil
				}
				shares := rank.Normalization(x.Term.Param("norm")).Shares(rankings[0])
				if i := slices.IndexFunc(shares, func(h rank.Hit) bool { return h.Doc == doc }); i >= 0 {
					y := x.Inner(arg)
					parts = append(parts, Part{y.Name + ", " + x.Term.Param("norm"), shares[i].Score, y.ScorePath(doc)})
				}
			}
			for i := range parts {
				if multiply {
					parts[i].Label += ", times " + strconv.Itoa(len(parts))
					parts[i].Score = float64(float64(len(parts)) * parts[i].Score)
				}
			}
			return parts
		},
		Explain: func(x *Scoring, doc int) (*explain.Node, error) {
			n := node("fused score", x.Scores.Value[doc], "Sum of what the fused rankings give the document, above what each gives to "+
				"documents that it lacks. A document whose sum is 0 has no rank.", formula, fuse)
			switch rank.Normalization(x.Term.Param("norm")) {
			case rank.MinMax:
				n.Formula += ",  share = (x − lowest)/(highest − lowest), 1 where all are equal"
			case rank.ZScore:
				n.Formula += ",  share = (x − lowest)/σ, 0 where all are equal"
			}
			n.Citation = "Fox and Shaw 1994, TREC-2; normalised as in Lee 1997, doi:10.1145/258525.258587 (minmax), Montague and Aslam 2001, " +
				"doi:10.1145/502585.502657 (zscore)"
			return n, nil
		},
	}
}
