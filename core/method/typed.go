package method

import (
	"fmt"
	"strings"

	"retrace/core/explain"
	"retrace/core/rank"
	"retrace/core/walk"
)

var kindTyped = Kind{
	Name:    "typed",
	MinArgs: 1, MaxArgs: 1,
	Params: []ParamKind{
		{Key: "hops", Default: "1", Min: 1, Max: 2, Integer: true, Meaning: "how many edges a path may follow"},
		{Key: "blend", Default: "0.1", Min: 0, Max: 1, Meaning: "higher: the walk counts for more against the base score"},
		{Key: "edges", Default: "overlay", Of: OfRelations},
		{Key: "seeds", Default: "20", Min: 1, Max: 10000, Integer: true, Meaning: "how many of the best documents the walk starts from"},
	},
	Needs:    Needs{Relations: true},
	Sentence: "another method's scores blended with a walk over typed relations",
	About: "takes the {seeds} best documents of its base method, lets their scores spread over paths of at most {hops} typed relations, " +
		"and blends the outcome with the base score",
	Prepare: func(e *Env, t Term) error {
		_, err := typedWalk(e, t)
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error { return blend(e, t, typedMass, into) },
	Parts: func(x *Scoring, doc int) []Part { return blendParts(x, doc, typedMass) },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("blended score", x.Scores.Value[doc],
			"The base method's score and what typed relations deliver, each divided by its maximum, blended. "+
				"Where no path is reached it is the base's score.",
			"(1−β)·base/max(base) + β·signal/max(signal)", rank.Blend)
		n.Inputs = blendInputs(x, doc, typedMass, "signal from typed relations", "max(signal)")
		return n, nil
	},
	Mass:  explainTypedMass,
	Paths: typedPaths,
}

func typedWalk(e *Env, t Term) (*walk.Typed, error) {
	return Keep(e, "typed walk over "+t.Param("edges"), func() (*walk.Typed, error) {
		relations, err := e.Overlay.Set(t.Param("edges"))
		if err != nil {
			return nil, err
		}
		return walk.NewTyped(e.Collection.Len(), relations, e.Overlay.Vocabulary.SymmetricAt()), nil
	})
}

// typedMass returns what typed relations deliver from the best documents of the base method. Terms that differ in their
// blend share it.
func typedMass(e *Evaluator, t Term) ([]*rank.Scores, error) {
	base, err := e.Scores(t.Args[0])
	if err != nil {
		return nil, err
	}
	w, err := typedWalk(e.Env, t)
	if err != nil {
		return nil, err
	}
	return e.Shared(t.without("blend"), func(into []*rank.Scores) error {
		for i := range base {
			w.Run(base[i].Seeds(t.Integer("seeds")), e.Queries[i].Weights, t.Integer("hops"), into[i])
		}
		return nil
	})
}

// explainTypedMass explains what typed relations deliver at a document by its paths, each with the words it rests on.
func explainTypedMass(x *Scoring, doc int) (*explain.Node, error) {
	n := node("signal from typed relations", x.mass(typedMass).Value[doc],
		"What the paths that end at the document deliver there, added seed by seed. "+
			"A path is a suggestion for retrieval, never an entailed assertion.",
		"Σ over paths: share of the seed · w/Σw, times ½ · w/Σw for a second hop; w is "+times(x.Env.Overlay.CueWeight)+
			" for predicates that the question names", (*walk.Typed).Run)
	n.Text = scientific(*n.Value)
	paths, err := x.Paths(doc)
	if err != nil {
		return nil, err
	}
	base := x.Base()
	for _, p := range paths {
		seed, _ := x.Env.Collection.Number(p.Seed)
		label := x.Env.docLabel(seed)
		var evidence []string
		for _, step := range p.Steps {
			to, _ := x.Env.Collection.Number(step.To)
			arrow := " → "
			if step.Backward {
				arrow = " ← "
			}
			label += arrow + step.Predicate + arrow + x.Env.docLabel(to)
			words := "“" + step.Evidence + "”"
			if step.Qualification != "" {
				words += " (" + step.Qualification + ")"
			}
			evidence = append(evidence, words)
		}
		n.Inputs = append(n.Inputs, explain.Input{Label: label, Text: scientific(p.Mass) + ": " + strings.Join(evidence, "; "),
			Path: base.ScorePath(seed), Where: p.Steps[len(p.Steps)-1].Where})
	}
	return n, nil
}

func times(weight float64) string {
	if weight == 2 {
		return "doubled"
	}
	return "multiplied by " + FormatNumber(weight)
}

// A Path is one path of a typed walk, for display. It suggests a document; it asserts nothing.
type Path struct {
	Seed  string  `json:"seed"`
	Share float64 `json:"share"` // of the seeds' mass that starts here
	Steps []Step  `json:"steps"` // one or two
	Mass  float64 `json:"mass"`  // delivered at its end
}

// A Step is one relation of a path, with what it rests on.
type Step struct {
	To            string `json:"to"`
	Predicate     string `json:"predicate"`
	Backward      bool   `json:"backward"` // a symmetric relation, followed from its target
	Cued          bool   `json:"cued"`     // a word of the question names the predicate
	Evidence      string `json:"evidence"` // literal words of EvidenceDoc's text
	EvidenceDoc   string `json:"evidenceDoc"`
	Facet         string `json:"facet"`
	Modality      string `json:"modality"`
	Qualification string `json:"qualification"`
	Where         string `json:"where"` // file and line of the relation
}

// typedPaths returns paths in the order in which their masses are added.
func typedPaths(x *Scoring, doc int) ([]Path, error) {
	w, err := typedWalk(x.Env, x.Term)
	if err != nil {
		return nil, err
	}
	overlay, docs := x.Env.Overlay, x.Env.Collection.Docs
	relations, err := overlay.Set(x.Term.Param("edges"))
	if err != nil {
		return nil, err
	}
	weights, list := x.Query.Weights, []Path{}
	w.Paths(x.Base().Scores.Seeds(x.Term.Integer("seeds")), weights, x.Term.Integer("hops"), func(p walk.Path) {
		if doc >= 0 && p.End() != doc {
			return
		}
		path := Path{Seed: docs[p.Seed.Doc].ID, Share: p.Seed.Score, Mass: p.Mass}
		for _, a := range p.Arcs[:p.Hops] {
			r := relations[a.Relation]
			path.Steps = append(path.Steps, Step{To: docs[a.To].ID, Predicate: overlay.Vocabulary.Predicates[a.Predicate],
				Backward: a.Backward, Cued: weights[a.Predicate] != 1, Evidence: r.Evidence.Text, EvidenceDoc: docs[r.Evidence.Doc].ID, Facet: r.Facet,
				Modality: r.Modality, Qualification: r.Qualification, Where: fmt.Sprintf("%s:%d", overlay.File, r.Line)})
		}
		list = append(list, path)
	})
	return list, nil
}
