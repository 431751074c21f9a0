package method

import (
	"fmt"
	"strconv"

	"retrace/core/explain"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
)

// A Scoring is one question scored by one method, kept for display: its ranking and what each score is the sum of.
type Scoring struct {
	Env    *Env
	Query  Query
	Name   string // as it was asked for: a method's name or a term
	Term   Term   // written out
	Scores *rank.Scores

	kind      *Kind
	evaluator *Evaluator
}

// NewScoring scores a question by a resolved term, asked for under a name.
func NewScoring(e *Env, name string, t Term, q Query) (*Scoring, error) {
	x := &Scoring{Env: e, Query: q, Name: name, evaluator: NewEvaluator(e)}
	x.evaluator.Batch([]Query{q})
	return x, x.score(t)
}

func (x *Scoring) score(t Term) (err error) {
	x.Term = t
	if x.kind, err = x.Env.find(t.Name); err != nil {
		return err
	}
	scores, err := x.evaluator.Scores(t)
	if err == nil {
		x.Scores = scores[0]
	}
	return err
}

// Inner is the scoring of a method inside the term, under a name that leads to it.
func (x *Scoring) Inner(t Term) *Scoring {
	y := *x
	y.Name = x.Env.nameOf(t)
	if err := y.score(t); err != nil {
		y.Scores = rank.New(x.Env.Collection.Len()) // can't be: the whole term was scored
	}
	return &y
}

// Base is the scoring of the first method inside the term.
func (x *Scoring) Base() *Scoring { return x.Inner(x.Term.Args[0]) }

// A Part is one summand of a score.
type Part struct {
	Label string
	Score float64
	Path  string
}

// Contributions returns what a document's score is the sum of; none where it has no parts, as with a cosine of embeddings.
func (x *Scoring) Contributions(doc int) []Part {
	if x.kind.Parts == nil {
		return nil
	}
	return x.kind.Parts(x, doc)
}

// Explain explains a document's score.
func (x *Scoring) Explain(doc int) (*explain.Node, error) {
	n, err := x.kind.Explain(x, doc)
	if err != nil {
		return nil, err
	}
	if n.Inputs == nil {
		for _, p := range x.Contributions(doc) {
			n.Inputs = append(n.Inputs, explain.Input{Label: p.Label, Text: show.Score(p.Score), Path: p.Path})
		}
	}
	n.Inputs = append(n.Inputs,
		explain.Input{Label: "question", Text: x.Query.Text, Path: numpath.Of("question", x.Query.ID)},
		explain.Input{Label: "document", Text: x.Env.docLabel(doc), Path: numpath.Of("document", x.Env.docID(doc)), Where: x.Env.where(doc)})
	return n, nil
}

// ExplainTerm explains what one word of the question adds to a document's score.
func (x *Scoring) ExplainTerm(doc int, word string) (*explain.Node, error) {
	if x.kind.Term == nil {
		return nil, fmt.Errorf("method: no word adds to a score by %s by itself", x.Name)
	}
	return x.kind.Term(x, doc, word)
}

// ExplainMass explains what the walk of the method leaves on a document.
func (x *Scoring) ExplainMass(doc int) (*explain.Node, error) {
	if x.kind.Mass == nil {
		return nil, fmt.Errorf("method: %s has no walk", x.Name)
	}
	return x.kind.Mass(x, doc)
}

// Paths returns the paths of a typed walk that end at a document, or all where doc is negative; none for other methods.
func (x *Scoring) Paths(doc int) ([]Path, error) {
	if x.kind.Paths == nil {
		return []Path{}, nil
	}
	return x.kind.Paths(x, doc)
}

func nothingAdded(word string) error {
	return fmt.Errorf("method: %q adds nothing to this score", word)
}

// RankPath leads to the explanation of the question's rank, ScorePath to that of a document's score.
func (x *Scoring) RankPath() string { return numpath.Of("rank", x.Query.ID, x.Name) }
func (x *Scoring) ScorePath(doc int) string {
	return numpath.Of("score", x.Query.ID, x.Name, x.Env.docID(doc))
}

// BasePath leads to the explanation of a document's score by the base method of a walk, by the method itself for others.
func (x *Scoring) BasePath(doc int) string {
	if x.kind.Mass != nil {
		return numpath.Of("score", x.Query.ID, x.Env.nameOf(x.Term.Args[0]), x.Env.docID(doc))
	}
	return x.ScorePath(doc)
}

func (x *Scoring) massPath(doc int) string {
	return numpath.Of("mass", x.Query.ID, x.Name, x.Env.docID(doc))
}

func (x *Scoring) termPath(doc int, word string) string {
	return numpath.Of("term", x.Query.ID, x.Name, x.Env.docID(doc), word)
}

// node makes an explanation of a score or of a part of one.
func node(title string, value float64, sentence, formula string, source any) *explain.Node {
	return &explain.Node{Title: title, Text: show.Score(value), Value: &value, Sentence: sentence, Formula: formula,
		Source: explain.SourceOf(source)}
}

// text is a document's score as lists show it.
func (x *Scoring) text(doc int) string { return show.Score(x.Scores.Value[doc]) }

// scientific writes small masses so that they can be told apart.
func scientific(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
