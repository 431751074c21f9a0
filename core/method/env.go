package method

import (
	"fmt"

	"retrace/core/collection"
	"retrace/core/dense"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/walk"
)

// An Env is what methods see of a study. Its functions are called when a method first needs what they return, so that
// nothing is read for methods that nobody asks for. It serves one goroutine at a time.
type Env struct {
	Kinds      Table
	Collection *collection.Collection
	Index      *index.Index
	Graph      func(name string) (*graph.Graph, error)
	GraphKind  func(name string) string // how a graph was made: "undirected", "directed", …
	Overlay    *Overlay                 // nil where the study has no typed relations
	Vectors    *Vectors                 // nil where it has none
	NameOf     func(Term) string        // the name under which the study knows a term, else the term itself

	Spread walk.Spread // one step of a walk over links; nil for plain Go

	kept map[string]any
}

// An Overlay is a study's typed relations.
type Overlay struct {
	File       string // of the kit
	Vocabulary collection.Vocabulary
	CueWeight  float64 // of a predicate that the question names; others weigh 1
	Set        func(name string) ([]collection.Relation, error)
}

// Vectors are the embeddings of a study's documents, in the order of its file.
type Vectors struct {
	DocumentsFile, QuestionsFile string // of the kit
	Documents                    func() (*dense.Matrix, error)
}

// Keep returns what was made under a key, and makes it when it is first asked for.
func Keep[T any](e *Env, key string, make func() (T, error)) (T, error) {
	if kept, ok := e.kept[key].(T); ok {
		return kept, nil
	}
	made, err := make()
	if err != nil {
		return made, err
	}
	if e.kept == nil {
		e.kept = map[string]any{}
	}
	e.kept[key] = made
	return made, nil
}

// Prepare builds what a resolved term computes from, which is otherwise built when it is first scored.
func (e *Env) Prepare(t Term) error {
	for _, a := range t.Args {
		if err := e.Prepare(a); err != nil {
			return err
		}
	}
	kind, err := e.find(t.Name)
	if err != nil || kind.Prepare == nil {
		return err
	}
	return kind.Prepare(e, t)
}

// find returns a kind whose needs are met.
func (e *Env) find(name string) (*Kind, error) {
	kind, err := e.Kinds.Find(name)
	if err != nil {
		return nil, err
	}
	lacks := ""
	switch n := kind.Needs; {
	case n.Index && e.Index == nil:
		lacks = "an index of words"
	case n.Graph && e.Graph == nil:
		lacks = "graphs"
	case n.Relations && e.Overlay == nil:
		lacks = "typed relations"
	case n.Vectors && e.Vectors == nil:
		lacks = "embeddings"
	}
	if lacks != "" {
		return nil, fmt.Errorf("method: %s needs %s, which the study does not have", name, lacks)
	}
	return kind, nil
}

func (e *Env) nameOf(t Term) string {
	if e.NameOf == nil {
		return t.String()
	}
	return e.NameOf(t)
}

func (e *Env) docID(doc int) string { return e.Collection.Docs[doc].ID }

func (e *Env) docLabel(doc int) string {
	d := &e.Collection.Docs[doc]
	return d.Title + " (" + d.ID + ")"
}

// where names the file and line of a document.
func (e *Env) where(doc int) string {
	return fmt.Sprintf("%s:%d", e.Collection.File, e.Collection.Docs[doc].Line)
}
