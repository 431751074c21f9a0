// Package method is the table of methods. A method is a term, such as graph(bm25,teleport=0.5,blend=0.1): parsed once,
// printable, usable as a TREC run tag. Each kind of term has one file, which holds all that is known of it.
//
// To add a kind:
//
//  1. Write the scoring as a function of its own, without studies or terms: words in lexical, fusion in rank, walks in walk.
//  2. Add a file named like the kind with one Kind: its name, how many methods it builds on, its parameters with default,
//     bounds and what raising them does, what it needs, and two texts: Sentence for lists, About for a page.
//  3. Score fills the scores of a batch of questions. Scores of methods inside come from Evaluator.Scores; what is costly and
//     the same for every question is kept with Keep (and built ahead by Prepare); what several terms share within a batch
//     comes from Evaluator.Shared.
//  4. Parts returns what a document's score is the sum of, each with the path that explains it; nil if it has no parts.
//  5. Explain gives a score's title, sentence, formula, citation and the function that computed it; inputs that it leaves nil
//     are the parts. Term and Mass explain what one word adds and what a walk leaves, where a score has such.
//     A model of weighted words leaves all this to wordsKind.
//  6. Add it to Kinds below, and a row to docs/studies.md. Nothing else names kinds; the tests say what is missing.
package method

import (
	"fmt"
	"strings"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
)

// Kinds lists every method that the engine knows.
var Kinds = Table{kindBM25, kindBM25L, kindBM25Plus, kindBM25F, kindTFIDF, kindQL, kindJelinekMercer, kindRM3, kindOverlap, kindScan,
	kindDense, kindDegree, kindTop, kindRRF, kindCombSUM, kindCombMNZ, kindGraph, kindTyped}

// A Kind is what the engine knows of one kind of term. Functions that may be nil say so.
type Kind struct {
	Name             string
	MinArgs, MaxArgs int // how many methods it builds on
	Params           []ParamKind
	Needs            Needs  // beside what methods inside need
	Sentence         string // what it is, as in a list of methods
	About            string // what it does, going on from its name; {key} stands for a parameter

	Check   func(kinds Table, t Term) error             // what else a resolved term must fulfil; nil: nothing
	Words   func(e *Env, t Term) (lexical.Model, error) // its model of weighted words, for feedback; nil: it has none
	Prepare func(e *Env, t Term) error                  // builds what scoring needs; nil: nothing costs anything
	Score   func(e *Evaluator, t Term, into []*rank.Scores) error
	Parts   func(x *Scoring, doc int) []Part // nil: a score has no parts
	Explain func(x *Scoring, doc int) (*explain.Node, error)
	Term    func(x *Scoring, doc int, word string) (*explain.Node, error) // what one word adds; nil: words add nothing
	Mass    func(x *Scoring, doc int) (*explain.Node, error)              // what a walk from the base method leaves; nil: no walk
	Paths   func(x *Scoring, doc int) ([]Path, error)                     // paths of a typed walk; nil: none
}

// A ParamKind declares one parameter: a number within bounds, one of some options, or a name of something in the study.
type ParamKind struct {
	Key      string
	Default  string
	Min, Max float64
	Integer  bool
	Options  []string
	Of       Named  // what a name is one of; "" for numbers and options
	Quiet    bool   // not written out where it has its default: added to a kind that terms without it already name
	Meaning  string // what raising it does
}

// Named is what a parameter may name.
type Named string

const (
	OfGraph     Named = "graph"
	OfRelations Named = "set of relations"
)

// Needs says what a method computes from, beside the documents' IDs.
type Needs struct {
	Index     bool // the documents' words
	Graph     bool
	Relations bool // typed
	Vectors   bool // embeddings of documents and question
}

func (n Needs) and(m Needs) Needs {
	return Needs{n.Index || m.Index, n.Graph || m.Graph, n.Relations || m.Relations, n.Vectors || m.Vectors}
}

// A Table lists kinds of terms.
type Table []Kind

// Find returns a kind by name.
func (t Table) Find(name string) (*Kind, error) {
	names := make([]string, len(t))
	for i := range t {
		if t[i].Name == name {
			return &t[i], nil
		}
		names[i] = t[i].Name
	}
	return nil, fmt.Errorf("method: unknown method %q: use one of %s", name, strings.Join(names, ", "))
}

// Needs returns what a resolved term needs with everything inside it.
func (t Table) Needs(term Term) Needs { return Scope{Kinds: t}.Needs(term) }

// Names returns the names of one sort that the parameters of a resolved term hold, methods inside left out.
func (t Table) Names(term Term, of Named) []string {
	var names []string
	if kind, err := t.Find(term.Name); err == nil {
		for _, p := range kind.Params {
			if p.Of == of {
				names = append(names, term.Param(p.Key))
			}
		}
	}
	return names
}

// About says what a method does, with its parameters' values; "" for a name that is no kind's.
func (t Table) About(term Term) string {
	kind, err := t.Find(term.Name)
	if err != nil {
		return ""
	}
	text := kind.About
	for _, p := range kind.Params {
		value := term.Param(p.Key)
		if value == "" {
			value = p.Default
		}
		text = strings.ReplaceAll(text, "{"+p.Key+"}", value)
	}
	return text
}
