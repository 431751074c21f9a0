// Package texts reads the texts to encode from a JSON-lines file, such as BEIR's corpus.jsonl and queries.jsonl
// (arXiv:2104.08663).
package texts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"retrace/core/collection"
	"retrace/core/dense"
	"retrace/core/records"
)

// A Set is the texts of a file in its order.
type Set struct {
	IDs, Texts []string
	Input      dense.Input // what a sidecar says of them
}

// Fields says where a record's ID and text are. The text is Text's fields joined by single spaces; one may be named
// twice, and one that a record lacks or that is empty is left out of it.
type Fields struct {
	ID   string
	Text []string
}

// Default is BEIR's layout with the text of this project's studies: a document's title twice, then its text. The text
// of a question, which has no title, is its text.
var Default = Fields{ID: "_id", Text: []string{"title", "title", "text"}}

// Parse reads the records of a file; name stands in errors.
func Parse(name string, file []byte, fields Fields) (*Set, error) {
	s := &Set{}
	seen := map[string]int{}
	err := records.Lines(name, file, func(line int, text []byte) error {
		var record map[string]json.RawMessage
		if err := records.Decode(name, line, text, &record); err != nil {
			return err
		}
		id, err := field(name, line, record, fields.ID)
		if err != nil {
			return err
		}
		if what := collection.CheckID(id); what != "" {
			return records.Errorf(name, line, "give every record an ID in "+fields.ID+", or name another field with --id", "%s", what)
		}
		if first, twice := seen[id]; twice {
			return records.Errorf(name, line, "give every record an ID of its own", "duplicate ID %q, first on line %d", id, first)
		}
		seen[id] = line
		var parts []string
		for _, f := range fields.Text {
			part, err := field(name, line, record, f)
			if err != nil {
				return err
			}
			if part != "" {
				parts = append(parts, part)
			}
		}
		if len(parts) == 0 {
			return records.Errorf(name, line, "name the fields that hold the text with --text", "record %q has no text in %s", id,
				strings.Join(fields.Text, ", "))
		}
		s.IDs = append(s.IDs, id)
		s.Texts = append(s.Texts, strings.Join(parts, " "))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.IDs) == 0 {
		return nil, records.Errorf(name, 0, "give one JSON object a line", "no records")
	}
	sum := sha256.Sum256(file)
	s.Input = dense.Input{
		SHA256:    hex.EncodeToString(sum[:]),
		IDsSHA256: dense.HashIDs(s.IDs),
		Text:      strings.Join(fields.Text, ", ") + ", joined by single spaces",
	}
	return s, nil
}

// field returns a field that holds a string, "" where there is none.
func field(name string, line int, record map[string]json.RawMessage, key string) (string, error) {
	raw, ok := record[key]
	if !ok {
		return "", nil
	}
	text, what := String(raw)
	if what != "" {
		return "", records.Errorf(name, line, "write it as a JSON string of Unicode text", "field %q: %s", key, what)
	}
	return text, nil
}

// String returns the text of a JSON string, or says what is wrong with it. Escaped halves of a surrogate pair without
// the other half, which encoding/json would quietly replace, are not text.
func String(raw []byte) (text, what string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '"' {
		return "", "not a JSON string"
	}
	if !utf8.Valid(raw) {
		return "", "not valid UTF-8"
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", "not a JSON string: " + err.Error()
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // the character after the backslash
		if raw[i] != 'u' {
			continue
		}
		unit := hex16(raw[i+1:])
		i += 4
		switch {
		case 0xd800 <= unit && unit < 0xdc00 && bytes.HasPrefix(raw[i+1:], []byte(`\u`)):
			if low := hex16(raw[i+3:]); 0xdc00 <= low && low < 0xe000 {
				i += 6
				continue
			}
			fallthrough
		case 0xd800 <= unit && unit < 0xe000:
			return "", "half of a surrogate pair: " + string(raw[i-5:i+1])
		}
	}
	return text, ""
}

// hex16 reads the four digits of an escape; the string was valid JSON, so that they are there.
func hex16(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}
