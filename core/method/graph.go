package method

import (
	"fmt"

	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
	"retrace/core/walk"
)

var kindGraph = Kind{
	Name:    "graph",
	MinArgs: 1, MaxArgs: 1,
	Params: []ParamKind{
		{Key: "teleport", Default: "0.5", Min: 0, Max: 1, Meaning: "higher: mass stays closer to the seeds"},
		{Key: "blend", Default: "0.1", Min: 0, Max: 1, Meaning: "higher: the walk counts for more against the base score"},
		{Key: "edges", Default: "links", Of: OfGraph},
		{Key: "seeds", Default: "20", Min: 1, Max: 10000, Integer: true, Meaning: "how many of the best documents the walk starts from"},
		{Key: "steps", Default: "20", Min: 1, Max: 1000, Integer: true, Meaning: "how often mass is spread"},
	},
	Needs:    Needs{Graph: true},
	Sentence: "another method's scores blended with a personalised-PageRank walk from its best documents",
	About: "takes the {seeds} best documents of its base method, lets their scores spread over links in {steps} steps that keep " +
		"returning to them (personalised PageRank), and blends the outcome with the base score",
	Prepare: func(e *Env, t Term) error {
		_, err := e.Walker(t.Param("edges"))
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error { return blend(e, t, graphMass, into) },
	Parts: func(x *Scoring, doc int) []Part { return blendParts(x, doc, graphMass) },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("blended score", x.Scores.Value[doc],
			"The base method's score and the walk's mass, each divided by its maximum, blended. "+
				"Where no document has a positive base score there is no walk, and it is the base's score.", "(1−β)·base/max(base) + β·x/max(x)", rank.Blend)
		n.Inputs = blendInputs(x, doc, graphMass, "walk's mass x", "max(x)")
		return n, nil
	},
	Mass: explainGraphMass,
}

// Walker returns the walk over a graph.
func (e *Env) Walker(edges string) (*walk.PageRank, error) {
	return Keep(e, "walk over "+edges, func() (*walk.PageRank, error) {
		g, err := e.Graph(edges)
		if err != nil {
			return nil, err
		}
		w := walk.NewPageRank(g)
		w.Spread = e.Spread
		return w, nil
	})
}

// graphMass returns what the walk from the best documents of the base method leaves. Terms that differ in their blend
// share it.
func graphMass(e *Evaluator, t Term) ([]*rank.Scores, error) {
	base, err := e.Scores(t.Args[0])
	if err != nil {
		return nil, err
	}
	w, err := e.Env.Walker(t.Param("edges"))
	if err != nil {
		return nil, err
	}
	return e.Shared(t.without("blend"), func(into []*rank.Scores) error {
		seeds := make([][]rank.Hit, len(base))
		for i := range base {
			seeds[i] = base[i].Seeds(t.Integer("seeds"))
		}
		w.Run(seeds, t.Number("teleport"), t.Integer("steps"), into)
		return nil
	})
}

// explainGraphMass explains one step of the walk: what came from the neighbours, what was returned, what was teleported.
func explainGraphMass(x *Scoring, doc int) (*explain.Node, error) {
	edges, steps, alpha := x.Term.Param("edges"), x.Term.Integer("steps"), x.Term.Number("teleport")
	n := node("walk's mass", x.mass(graphMass).Value[doc],
		fmt.Sprintf("What the walk left on the document after %d steps from the seeds: mass from its neighbours, and, for a seed, "+
			"mass returned and teleported.", steps),
		"x ← (1−α)·(Σ x(v)/degree(v) + d·s) + α·s", (*walk.PageRank).Run)
	n.Text = scientific(*n.Value)
	n.Citation = "personalised PageRank: Haveliwala 2002, doi:10.1145/511446.511513"
	w, err := x.Env.Walker(edges)
	if err != nil {
		return nil, err
	}
	g, err := x.Env.Graph(edges)
	if err != nil {
		return nil, err
	}
	base := x.Base()
	seeds := base.Scores.Seeds(x.Term.Integer("seeds"))
	before := rank.New(g.N())
	w.Run([][]rank.Hit{seeds}, alpha, steps-1, []*rank.Scores{before})
	n.Inputs = append(n.Inputs, explain.Input{Label: "α, the teleport probability", Text: x.Term.Param("teleport")})
	for i, h := range seeds {
		if h.Doc == doc {
			n.Inputs = append(n.Inputs,
				explain.Input{Label: fmt.Sprintf("s, its share as seed %d of %d", i+1, len(seeds)), Text: scientific(h.Score),
					Path: base.ScorePath(doc)},
				explain.Input{Label: "d, mass on documents without neighbours", Text: scientific(lost(g, before))})
		}
	}
	for _, v := range graph.Transpose(g).Neighbours(doc) {
		from := int(v)
		n.Inputs = append(n.Inputs, explain.Input{Label: fmt.Sprintf("from %s, degree %d", x.Env.docLabel(from), g.Degree(from)),
			Text: scientific(before.Value[from] / float64(g.Degree(from))), Path: numpath.Of("neighbours", edges, x.Env.docID(from))})
	}
	return n, nil
}

// lost is the mass on documents without neighbours.
func lost(g *graph.Graph, mass *rank.Scores) (sum float64) {
	for v := range g.N() {
		if g.Degree(v) == 0 {
			sum += mass.Value[v]
		}
	}
	return sum
}

// A massOf says what a walk from the base method of a term leaves.
type massOf func(e *Evaluator, t Term) ([]*rank.Scores, error)

// mass is what the walk of the scoring's term leaves.
func (x *Scoring) mass(of massOf) *rank.Scores {
	mass, err := of(x.evaluator, x.Term)
	if err != nil {
		return rank.New(x.Env.Collection.Len()) // can't be: the whole term was scored
	}
	return mass[0]
}

// blend scores by the base method of a term and a walk from it.
func blend(e *Evaluator, t Term, of massOf, into []*rank.Scores) error {
	base, err := e.Scores(t.Args[0])
	if err != nil {
		return err
	}
	mass, err := of(e, t)
	if err != nil {
		return err
	}
	for i := range e.Queries {
		rank.Blend(into[i], base[i], mass[i], t.Number("blend"))
	}
	return nil
}

func blendParts(x *Scoring, doc int, of massOf) []Part {
	base, mass, weight := x.Base(), x.mass(of), x.Term.Number("blend")
	b, m := base.Scores.Max(), mass.Max()
	if b <= 0 || m <= 0 {
		return nil
	}
	return []Part{
		{base.Name, rank.Blended(base.Scores.Value[doc], b, 0, m, weight), base.ScorePath(doc)},
		{"walk", rank.Blended(0, b, mass.Value[doc], m, weight), x.massPath(doc)},
	}
}

func blendInputs(x *Scoring, doc int, of massOf, label, top string) []explain.Input {
	base, mass := x.Base(), x.mass(of)
	return []explain.Input{
		{Label: "base score by " + base.Name, Text: base.text(doc), Path: base.ScorePath(doc)},
		{Label: "max(base)", Text: show.Score(max(base.Scores.Max(), 0))},
		{Label: label, Text: scientific(mass.Value[doc]), Path: x.massPath(doc)},
		{Label: top, Text: scientific(max(mass.Max(), 0))},
		{Label: "β, the blend", Text: x.Term.Param("blend")},
	}
}
