package binary

import (
	"retrace/core/collection"
	"retrace/core/kit"
)

// The two files that a binary study freezes beside its results. Both are canonical JSON, so that a replay can be
// compared byte for byte.

// IndexFormat and ObservationsFormat name the versions of their layouts.
const (
	IndexFormat        = "retrace-index/1"
	ObservationsFormat = "retrace-observations/1"
)

// An IndexFile is index.json: everything that lexical methods read of the collection.
type IndexFile struct {
	Format   string         `json:"format"`
	View     string         `json:"view"`
	Analyzer string         `json:"analyzer"`
	Tokens   int64          `json:"tokens"`
	Passages []IndexPassage `json:"passages"` // ascending ID
	Terms    []IndexTerm    `json:"terms"`    // ascending
}

// An IndexPassage is a passage with its length in tokens.
type IndexPassage struct {
	collection.Reference
	Length int `json:"length"`
}

// An IndexTerm lists the passages that hold a term.
type IndexTerm struct {
	Term     string         `json:"term"`
	Postings []IndexPosting `json:"postings"` // ascending ID
}

// An IndexPosting says how often a passage holds the term.
type IndexPosting struct {
	Passage string `json:"passage"`
	TF      int    `json:"tf"`
}

func (b *Loaded) indexFile() ([]byte, error) {
	s := b.study
	f := IndexFile{Format: IndexFormat, View: b.view.Name, Analyzer: s.Protocol.Collection.Analyzer, Tokens: s.Index.Total}
	for d := range s.Collection.Docs {
		f.Passages = append(f.Passages, IndexPassage{b.reference(d), int(s.Index.Length[d])})
	}
	for t, term := range s.Index.Terms {
		entry := IndexTerm{Term: term}
		for _, p := range s.Index.Postings[t] {
			entry.Postings = append(entry.Postings, IndexPosting{s.Collection.Docs[p.Doc].ID, int(p.TF)})
		}
		f.Terms = append(f.Terms, entry)
	}
	return kit.Canonical(f)
}

// reference returns where a document of the view stands.
func (b *Loaded) reference(doc int) collection.Reference {
	return *b.study.Collection.Docs[doc].Reference
}

// A ObservationsFile is observations.json: per need and method what was returned, with exact references, and the
// measures.
type ObservationsFile struct {
	Format       string              `json:"format"`
	Study        string              `json:"study"`
	View         string              `json:"view"`
	Observations []ObservationResult `json:"observations"` // splits in order, needs in file order, methods in the protocol's order
}

// A ObservationResult is one method on one need.
type ObservationResult struct {
	Split      string              `json:"split"`
	Need       string              `json:"need"`
	Method     string              `json:"method"`
	Candidates int                 `json:"candidates"`
	Ranked     []RankedPassage     `json:"ranked"`
	Measures   map[string]*float64 `json:"measures"` // null where undefined
}

// A RankedPassage is one place of a ranking.
type RankedPassage struct {
	collection.Reference
	Score float64 `json:"score"`
}

func (b *Loaded) observationsFile(evaluations [][]evaluation) ([]byte, error) {
	f := ObservationsFile{Format: ObservationsFormat, Study: b.study.Protocol.ID, View: b.view.Name}
	for q, list := range evaluations {
		for _, e := range list {
			o := ObservationResult{Split: b.needs[q].split, Need: e.Question, Method: e.Method, Candidates: e.Candidates, Ranked: []RankedPassage{}, Measures: e.values}
			for _, p := range e.Best {
				doc, _ := b.study.Collection.Number(p.ID)
				o.Ranked = append(o.Ranked, RankedPassage{b.reference(doc), p.Score})
			}
			f.Observations = append(f.Observations, o)
		}
	}
	return kit.Canonical(f)
}
