// Package collection holds documents in a total order of their IDs, and the links between them.
package collection

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"retrace/core/nfc"
	"retrace/core/order"
	"retrace/core/records"
)

// MaxDocuments bounds a collection.
const MaxDocuments = 1 << 20

// A Document is one unit that can be returned.
type Document struct {
	ID       string
	Title    string
	Text     string
	Metadata map[string]json.RawMessage

	Reference *Reference // of a passage; nil for plain documents
	Line      int        // in the file that it came from
}

// Metadatum returns a metadata field as text: strings without quotes, anything else as JSON, "" where there is none.
func (d *Document) Metadatum(key string) string {
	raw, ok := d.Metadata[key]
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// A Collection is a list of documents. A document's number (its ordinal) is its place in ascending order of ID
// (CompareID), so that comparing numbers breaks ties as the protocols say.
type Collection struct {
	File  string
	Docs  []Document
	Order []int // file order: Order[i] is the number of the i-th record of the file
	byID  map[string]int
}

// New returns a collection of documents given in file order. Duplicate and malformed IDs are errors.
func New(file string, docs []Document) (*Collection, error) {
	if len(docs) == 0 {
		return nil, records.Errorf(file, 0, "a collection needs at least one document", "no documents")
	}
	if len(docs) > MaxDocuments {
		return nil, records.Errorf(file, 0, "split the collection", "%d documents, more than the %d that are allowed", len(docs), MaxDocuments)
	}
	places := make([]int, len(docs)) // place in sorted order -> place in the file
	for i := range places {
		places[i] = i
	}
	order.Sort(places, func(a, b int) int { return CompareID(docs[a].ID, docs[b].ID) })
	c := &Collection{File: file, Docs: make([]Document, len(docs)), Order: make([]int, len(docs)), byID: make(map[string]int, len(docs))}
	for n, i := range places {
		d := docs[i]
		if what := CheckID(d.ID); what != "" {
			return nil, records.Errorf(file, d.Line, "give every record an _id without spaces", "%s: %q", what, d.ID)
		}
		if first, ok := c.byID[d.ID]; ok {
			return nil, records.Errorf(file, d.Line, "give every record an ID of its own", "duplicate ID %q, first on line %d", d.ID, c.Docs[first].Line)
		}
		c.byID[d.ID] = n
		c.Docs[n] = d
		c.Order[i] = n
	}
	return c, nil
}

// Number returns the number of the document with the given ID.
func (c *Collection) Number(id string) (number int, ok bool) {
	number, ok = c.byID[id]
	return number, ok
}

// Unknown says that no document has an ID, and whether one has it but for its normal form.
func (c *Collection) Unknown(id string) string {
	return fmt.Sprintf("unknown document %q", id) + nfc.Near(id, maps.Keys(c.byID))
}

// Len returns the number of documents.
func (c *Collection) Len() int { return len(c.Docs) }

// beirDocument is one line of corpus.jsonl in the BEIR layout.
type beirDocument struct {
	ID       string                     `json:"_id"`
	Title    string                     `json:"title"`
	Text     string                     `json:"text"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// ParseBEIR reads corpus.jsonl of the BEIR layout: one object a line with _id, title, text and optional metadata.
func ParseBEIR(file string, data []byte) (*Collection, error) {
	var docs []Document
	err := records.JSONLines(file, data, func(line int, d beirDocument) error {
		docs = append(docs, Document{ID: d.ID, Title: d.Title, Text: d.Text, Metadata: d.Metadata, Line: line})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return New(file, docs)
}

// Fields joins the named fields of a document ("title", "text"), which may repeat, by single spaces: the text that is
// indexed.
func (d *Document) Fields(fields []string) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		if f == "title" {
			parts[i] = d.Title
		} else {
			parts[i] = d.Text
		}
	}
	return strings.Join(parts, " ")
}

// Words returns the number of whitespace-separated words of a text.
func Words(s string) int { return len(strings.Fields(s)) }
