package study

import (
	"fmt"
	"strconv"
	"strings"

	"retrace/core/dense"
	"retrace/core/lexical"
	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
)

// A Scoring is one question scored by one method, kept for display: its ranking and what each score is the sum of.
type Scoring struct {
	Question *Question
	Query    Query
	Name     string      // as it was asked for: a method's name or a term
	Term     method.Term // written out
	Scores   *rank.Scores

	study     *Study
	evaluator *Evaluator
}

// Own marks the ID of a question that is not the study's: the rest of the ID is its text.
const Own = "?"

// OwnQuestion returns a question of a reader's own.
func (s *Study) OwnQuestion(text string) *Question {
	return &Question{ID: Own + text, Text: text, Query: s.Index.Query(text), position: -1}
}

// AnyQuestion returns a question of the study, or one's own.
func (s *Study) AnyQuestion(id string) (*Question, error) {
	if text, ok := strings.CutPrefix(id, Own); ok {
		return s.OwnQuestion(text), nil
	}
	if q, ok := s.Question(id); ok {
		return q, nil
	}
	return nil, fmt.Errorf("study: %s has no question %q: the questions are in %s", s.Protocol.ID, id, s.Protocol.Questions.File)
}

// NewScoring scores a question by a method, given by name or as a term. A question of one's own needs its vector for
// dense methods.
func (s *Study) NewScoring(name string, q *Question, vector []float32) (*Scoring, error) {
	t, err := s.ResolveSealed(name)
	if err != nil {
		return nil, err
	}
	x := &Scoring{Question: q, Query: Query{q.Query, vector, s.Weights(q.Text)}, Name: name, Term: t, study: s, evaluator: s.NewEvaluator()}
	if t.Uses("dense") {
		_, asked, err := s.Vectors()
		if err != nil {
			return nil, err
		}
		switch {
		case q.position >= 0:
			x.Query.Vector = asked.Row(q.position)
		case vector == nil:
			return nil, fmt.Errorf("study: %s needs the question's embedding: ask natively with a model (`native search --method %s`), or take one of the study's questions", name, name)
		}
		if err := dense.CheckUnit(x.Query.Vector); err != nil {
			return nil, err
		}
	}
	x.evaluator.Batch([]Query{x.Query})
	scores, err := x.evaluator.Scores(t)
	if err != nil {
		return nil, err
	}
	x.Scores = scores[0]
	return x, nil
}

// ResolveSealed writes a method out under the study's sealed lock, if it has one.
func (s *Study) ResolveSealed(name string) (method.Term, error) {
	if s.knownItem != nil && strings.HasPrefix(name, gridPrefix) {
		return s.knownItem.candidateTerm(name)
	}
	t, err := method.Parse(name)
	if err != nil {
		return t, err
	}
	variables, err := s.sealedVariables()
	if err != nil {
		return t, err
	}
	return method.Scope{Methods: s.Terms, Variables: variables}.Resolve(t)
}

// TermOf returns a method's term written out as far as the seals allow.
func (s *Study) TermOf(name string) string {
	if t, err := s.ResolveSealed(name); err == nil {
		return t.String()
	}
	return s.Terms[name].String()
}

// sub returns the scores of a method inside the scoring's term.
func (x *Scoring) sub(t method.Term) *rank.Scores {
	scores, err := x.evaluator.Scores(t)
	if err != nil {
		return rank.New(x.study.Collection.Len()) // can't be: the whole term was scored
	}
	return scores[0]
}

// inner is the scoring of a method inside the term, under a name that leads to it.
func (x *Scoring) inner(t method.Term) *Scoring {
	y := *x
	y.Name, y.Term, y.Scores = x.study.shortName(t), t, x.sub(t)
	return &y
}

// shortName returns the name under which a study knows a term, else the term itself.
func (s *Study) shortName(t method.Term) string {
	for _, m := range s.Protocol.Methods {
		if r, err := s.ResolveSealed(m.Name); err == nil && r.String() == t.String() {
			return m.Name
		}
	}
	return t.String()
}

// walkMass returns what the walk of a graph or typed method leaves or delivers.
func (x *Scoring) walkMass() *rank.Scores {
	base, err := x.evaluator.Scores(x.Term.Args[0])
	if err == nil {
		walk := x.evaluator.mass
		if x.Term.Name == "typed" {
			walk = x.evaluator.signal
		}
		if mass, err := walk(x.Term, base); err == nil {
			return mass[0]
		}
	}
	return rank.New(x.study.Collection.Len())
}

// Paths returns the paths of a typed method's walk that end at a document, or all where doc is negative; none for other
// methods.
func (x *Scoring) Paths(doc int) ([]TypedPath, error) {
	if x.Term.Name != "typed" {
		return []TypedPath{}, nil
	}
	return x.evaluator.typedPaths(x.Term, 0, doc)
}

// BasePath leads to the explanation of a document's score by the base method of a walk, by the method itself for others.
func (x *Scoring) BasePath(doc int) string {
	if t := x.Term; t.Name == "graph" || t.Name == "typed" {
		return x.inner(t.Args[0]).ScorePath(doc)
	}
	return x.ScorePath(doc)
}

func pathTo(kind string, keys ...string) string {
	for _, k := range keys {
		kind = numpath.Join(kind, k)
	}
	return kind
}

func (x *Scoring) docID(doc int) string { return x.study.Collection.Docs[doc].ID }

// RankPath, ScorePath and MassPath lead to explanations.
func (x *Scoring) RankPath() string { return pathTo("rank", x.Question.ID, x.Name) }
func (x *Scoring) ScorePath(doc int) string {
	return pathTo("score", x.Question.ID, x.Name, x.docID(doc))
}
func (x *Scoring) massPath(doc int) string {
	return pathTo("mass", x.Question.ID, x.Name, x.docID(doc))
}
func (x *Scoring) termPath(doc int, term string) string {
	return pathTo("term", x.Question.ID, x.Name, x.docID(doc), term)
}

// A Part is one summand of a score.
type Part struct {
	Label string
	Score float64
	Path  string
}

// Contributions returns what a document's score is the sum of; a cosine of embeddings has no parts.
func (x *Scoring) Contributions(doc int) []Part {
	var parts []Part
	switch x.Term.Name {
	case "bm25", "tfidf":
		for _, c := range x.lexical(doc) {
			parts = append(parts, Part{c.Term, c.Score, x.termPath(doc, c.Term)})
		}
	case "overlap", "scan":
		for _, c := range x.Query.Lexical.Terms {
			if x.study.Index.TF(c.Term, doc) > 0 {
				term := x.study.Index.Terms[c.Term]
				parts = append(parts, Part{term, 1, pathTo("posting", term, x.docID(doc))})
			}
		}
	case "rrf":
		for _, arg := range x.Term.Args {
			y := x.inner(arg)
			if r := y.Scores.Rank(doc); r > 0 {
				parts = append(parts, Part{y.Name + " rank " + strconv.Itoa(r), rank.ReciprocalRank(x.Term.Number("k"), r), y.ScorePath(doc)})
			}
		}
	case "graph", "typed":
		y, mass, weight := x.inner(x.Term.Args[0]), x.walkMass(), x.Term.Number("blend")
		if b, m := y.Scores.Max(), mass.Max(); b > 0 && m > 0 {
			parts = append(parts,
				Part{y.Name, rank.Blended(y.Scores.Value[doc], b, 0, m, weight), y.ScorePath(doc)},
				Part{"walk", rank.Blended(0, b, mass.Value[doc], m, weight), x.massPath(doc)})
		}
	}
	return parts
}

func (x *Scoring) lexical(doc int) []lexical.Contribution {
	if x.Term.Name == "bm25" {
		return x.study.BM25(x.Term).Contributions(x.Query.Lexical, doc)
	}
	return x.study.TFIDF().Contributions(x.Query.Lexical, doc)
}

func (x *Scoring) text(doc int) string { return show.Score(x.Scores.Value[doc]) }

// Target returns the document that a question was written for, where the design has one.
func (s *Study) Target(q *Question) (doc int, ok bool) {
	if q.position < 0 {
		return 0, false
	}
	return s.target(q.position)
}

// Split returns a question's split, "" where there is none.
func (s *Study) Split(q *Question) string {
	switch {
	case q.position < 0:
		return ""
	case s.binary != nil:
		return s.binary.needs[q.position].split
	case s.graded != nil:
		return splitName(s.graded.final[q.position])
	}
	return s.knownItem.families[s.knownItem.of[q.position]].Split
}

// sealedVariables returns what the sealed lock fixes, by name; nothing where there is no lock yet.
func (s *Study) sealedVariables() (map[string]string, error) {
	if s.variables != nil {
		return s.variables, nil
	}
	variables := map[string]string{}
	var lock map[string]any
	if _, _, err := s.SealedLock(&lock); err != nil {
		return nil, err
	}
	for key, value := range lock {
		switch v := value.(type) {
		case string:
			variables[key] = v
		case float64:
			variables[key] = method.FormatNumber(v)
		}
	}
	s.variables = variables
	return variables, nil
}
