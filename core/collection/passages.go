package collection

import (
	"slices"

	"retrace/core/records"
)

// A Reference says exactly where a passage stands.
type Reference struct {
	Source   string `json:"source"`
	Document string `json:"document"`
	Version  int    `json:"version"`
	Passage  string `json:"passage"`
}

// A Passage is a piece of a document version, with its state and who may see it.
type Passage struct {
	Reference
	Status string // such as current, superseded, withdrawn
	Access string // such as public, restricted
	Text   string
	Line   int
}

// A View is what a search may see: the passages with one of the states and one of the access classes that it lists.
type View struct {
	Name   string   `json:"name"`
	Status []string `json:"status"`
	Access []string `json:"access"`
}

// Admits reports whether a passage belongs to the view.
func (v View) Admits(p Passage) bool {
	return slices.Contains(v.Status, p.Status) && slices.Contains(v.Access, p.Access)
}

type passageLine struct {
	Passage  string `json:"passage"`
	Source   string `json:"source"`
	Document string `json:"document"`
	Version  int    `json:"version"`
	Status   string `json:"status"`
	Access   string `json:"access"`
	Text     string `json:"text"`
}

// ParsePassages reads JSON Lines of passage, source, document, version, status, access and text, in file order. Every
// field is needed; versions count from 1; passage IDs are unique in the whole file.
func ParsePassages(file string, data []byte) ([]Passage, error) {
	var list []Passage
	first := map[string]int{}
	err := records.JSONLines(file, data, func(line int, p passageLine) error {
		for _, id := range []struct{ field, value string }{{"passage", p.Passage}, {"source", p.Source}, {"document", p.Document}, {"status", p.Status}, {"access", p.Access}} {
			if what := CheckID(id.value); what != "" {
				return records.Errorf(file, line, "give every passage passage, source, document, status and access without spaces", "%s: %s %q", id.field, what, id.value)
			}
		}
		switch {
		case p.Version < 1:
			return records.Errorf(file, line, "versions count from 1", "passage %q has version %d", p.Passage, p.Version)
		case p.Text == "":
			return records.Errorf(file, line, "give every passage its text", "passage %q has no text", p.Passage)
		case first[p.Passage] > 0:
			return records.Errorf(file, line, "give every passage an ID of its own", "duplicate passage %q, first on line %d", p.Passage, first[p.Passage])
		}
		first[p.Passage] = line
		list = append(list, Passage{Reference{p.Source, p.Document, p.Version, p.Passage}, p.Status, p.Access, p.Text, line})
		return nil
	})
	return list, err
}

// Select returns the collection of the passages that a view admits, and the IDs of the others in file order. Nothing of
// the others is in the collection, so that whatever is computed from it can't depend on them.
func (v View) Select(file string, passages []Passage) (admitted *Collection, others []string, err error) {
	var docs []Document
	for _, p := range passages {
		if v.Admits(p) {
			reference := p.Reference
			docs = append(docs, Document{ID: p.Passage, Text: p.Text, Reference: &reference, Line: p.Line})
		} else {
			others = append(others, p.Passage)
		}
	}
	admitted, err = New(file, docs)
	return admitted, others, err
}
