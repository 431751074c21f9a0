package indexfile

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"retrace/core/collection"
	"retrace/core/records"
)

// eachLine yields the documents of a corpus with their lines, from 1, and places.
func eachLine(path string, data []byte, yield func(line, at int, d *collection.Document) error) error {
	for n, at := 1, 0; at < len(data); n++ {
		text, length := cutLine(data[at:])
		d, err := parseDocument(path, n, text)
		if err == nil {
			err = yield(n, at, &d)
		}
		if err != nil {
			return err
		}
		at += length
	}
	return nil
}

// cutLine returns the first line, without its end, and the bytes to the next.
func cutLine(data []byte) (text []byte, length int) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return data, len(data)
	}
	return data[:end], end + 1
}

// parseDocument reads one line of corpus.jsonl as collection.ParseBEIR does, which it leaves everything to but lines of
// the usual form; there it takes a tenth of the time.
func parseDocument(path string, line int, text []byte) (collection.Document, error) {
	if d, ok := parsePlain(text); ok {
		return d, nil
	}
	if len(text) == 0 {
		return collection.Document{}, records.Errorf(path, line, "remove the empty line", "empty line")
	}
	c, err := collection.ParseBEIR(path, text)
	if err != nil {
		var at *records.Error
		if errors.As(err, &at) {
			moved := *at
			moved.Line = line
			return collection.Document{}, &moved
		}
		return collection.Document{}, err
	}
	return c.Docs[0], nil
}

// parsePlain reads an object of _id, title and text, each at most once, with an empty metadata object or none, whose
// strings have no escapes.
func parsePlain(b []byte) (d collection.Document, ok bool) {
	if len(b) > records.MaxLine || !utf8.Valid(b) {
		return d, false
	}
	if b, ok = after(b, '{'); !ok {
		return d, false
	}
	seen := 0
	for {
		var key, value string
		if key, b, ok = plainString(b); !ok {
			return d, false
		}
		if b, ok = after(b, ':'); !ok {
			return d, false
		}
		bit := 0
		if key == "metadata" {
			bit = 8
			if b, ok = after(b, '{'); ok {
				b, ok = after(b, '}')
			}
		} else if value, b, ok = plainString(b); ok {
			switch key {
			case "_id":
				bit, d.ID = 1, value
			case "title":
				bit, d.Title = 2, value
			case "text":
				bit, d.Text = 4, value
			}
		}
		if !ok || bit == 0 || seen&bit != 0 {
			return d, false
		}
		seen |= bit
		rest, more := after(b, ',')
		if !more {
			break
		}
		b = rest
	}
	if b, ok = after(b, '}'); !ok || collection.CheckID(d.ID) != "" {
		return d, false
	}
	return d, len(bytes.TrimLeft(b, " \t\r")) == 0
}

// after returns what is behind a character that may have spaces before it.
func after(b []byte, c byte) ([]byte, bool) {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	if len(b) == 0 || b[0] != c {
		return b, false
	}
	return b[1:], true
}

// plainString reads a JSON string without escapes.
func plainString(b []byte) (s string, rest []byte, ok bool) {
	if b, ok = after(b, '"'); !ok {
		return "", b, false
	}
	for i, c := range b {
		switch {
		case c == '"':
			return string(b[:i]), b[i+1:], true
		case c < ' ' || c == '\\':
			return "", b, false
		}
	}
	return "", b, false
}
