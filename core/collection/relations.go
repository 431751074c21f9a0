package collection

import (
	"slices"
	"unicode/utf8"

	"retrace/core/records"
)

// A Vocabulary says which words an overlay of typed relations may use.
type Vocabulary struct {
	Predicates []string `json:"predicates"` // in use
	Symmetric  []string `json:"symmetric"`  // those among them that go both ways
	Reserved   []string `json:"reserved"`   // known, but no relation may have them yet
	Facets     []string `json:"facets"`
	Modalities []string `json:"modalities"`
}

// SymmetricAt returns for each predicate in use whether it goes both ways.
func (v Vocabulary) SymmetricAt() []bool {
	list := make([]bool, len(v.Predicates))
	for i, p := range v.Predicates {
		list[i] = slices.Contains(v.Symmetric, p)
	}
	return list
}

// Evidence is the literal piece of a document's text that a relation rests on.
type Evidence struct {
	Doc        int
	Start, End int // in Unicode code points; End is after the last one
	Text       string
}

// A Relation is one typed relation between two documents, by number. It is a suggestion for retrieval, never an entailed
// assertion.
type Relation struct {
	Source, Target int
	Predicate      int // place in the vocabulary's list of predicates in use
	Evidence       Evidence
	Facet          string
	Modality       string
	Qualification  string // a word or two that limit the relation; may be empty
	Line           int
}

// MaxRelations bounds an overlay, MaxRelationsOf the relations of one document: two hops visit the square of it.
const (
	MaxRelations   = 1 << 20
	MaxRelationsOf = 4096
)

type relationLine struct {
	Source    string `json:"source"`
	Target    string `json:"target"`
	Predicate string `json:"predicate"`
	Evidence  struct {
		Doc   string `json:"doc"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		Text  string `json:"text"`
	} `json:"evidence"`
	Facet         string `json:"facet"`
	Modality      string `json:"modality"`
	Qualification string `json:"qualification"`
}

// ParseRelations reads an overlay: JSON Lines of source, target, predicate, evidence {doc, start, end, text}, facet,
// modality and qualification. The evidence must stand literally at its offsets in the text of the source or the target.
func (c *Collection) ParseRelations(file string, data []byte, v Vocabulary) ([]Relation, error) {
	var list []Relation
	degree := make([]int, c.Len())
	err := records.JSONLines(file, data, func(line int, l relationLine) error {
		fail := func(hint, format string, args ...any) error { return records.Errorf(file, line, hint, format, args...) }
		if len(list) == MaxRelations {
			return fail("split the overlay", "more than %d relations", MaxRelations)
		}
		var ends [3]int
		for i, id := range []string{l.Source, l.Target, l.Evidence.Doc} {
			n, ok := c.Number(id)
			if !ok {
				return fail("relations join documents of "+c.File, "%s", c.Unknown(id))
			}
			ends[i] = n
		}
		r := Relation{Source: ends[0], Target: ends[1], Predicate: slices.Index(v.Predicates, l.Predicate), Facet: l.Facet, Modality: l.Modality,
			Qualification: l.Qualification, Line: line, Evidence: Evidence{ends[2], l.Evidence.Start, l.Evidence.End, l.Evidence.Text}}
		switch {
		case slices.Contains(v.Reserved, l.Predicate):
			return fail("reserved predicates stay empty", "predicate %q is reserved", l.Predicate)
		case r.Predicate < 0:
			return fail("the protocol lists the predicates", "unknown predicate %q", l.Predicate)
		case r.Source == r.Target:
			return fail("a relation joins two documents", "document %q is related to itself", l.Source)
		case !slices.Contains(v.Facets, l.Facet):
			return fail("the protocol lists the facets", "unknown facet %q", l.Facet)
		case !slices.Contains(v.Modalities, l.Modality):
			return fail("the protocol lists the modalities", "unknown modality %q", l.Modality)
		case r.Evidence.Doc != r.Source && r.Evidence.Doc != r.Target:
			return fail("quote the definition of the source or the target", "the evidence stands in %q, which is neither source nor target", l.Evidence.Doc)
		case l.Evidence.Text == "":
			return fail("quote the words that the relation rests on", "the evidence is empty")
		}
		if got, ok := slicePoints(c.Docs[r.Evidence.Doc].Text, l.Evidence.Start, l.Evidence.End); !ok || got != l.Evidence.Text {
			return fail("offsets count Unicode code points from 0 into the text of evidence.doc",
				"the text of %q has %.80q from %d to %d, the evidence is %.80q", l.Evidence.Doc, got, l.Evidence.Start, l.Evidence.End, l.Evidence.Text)
		}
		for _, end := range ends[:2] {
			if degree[end]++; degree[end] > MaxRelationsOf {
				return fail("an overlay is sparse", "more than %d relations of document %q", MaxRelationsOf, c.Docs[end].ID)
			}
		}
		list = append(list, r)
		return nil
	})
	return list, err
}

// slicePoints returns the code points of s from start up to end; ok is false where s has no such piece.
func slicePoints(s string, start, end int) (piece string, ok bool) {
	if start < 0 || end < start || end > len(s) {
		return "", false
	}
	from := -1
	n := 0
	for i := 0; ; n++ {
		if n == start {
			from = i
		}
		if n == end {
			return s[from:i], true
		}
		if i == len(s) {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
}

// Reversed returns the relations with source and target of every asymmetric one exchanged.
func Reversed(relations []Relation, symmetric []bool) []Relation {
	list := slices.Clone(relations)
	for i, r := range list {
		if !symmetric[r.Predicate] {
			list[i].Source, list[i].Target = r.Target, r.Source
		}
	}
	return list
}

// Relabelled returns the relations with relation i under the predicate of relation order[i].
func Relabelled(relations []Relation, order []int) []Relation {
	list := slices.Clone(relations)
	for i, j := range order {
		list[i].Predicate = relations[j].Predicate
	}
	return list
}
