// Package canonical holds canonical JSON (RFC 8785, the JSON Canonicalization Scheme): one sequence of bytes for each
// value, so that any language can compute the same hash.
//
// github.com/gowebpki/jcs does the same, and tests hold this package against it; it rests on package regexp, whose Unicode
// tables are 90 kB of the page's compressed engine.
package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"retrace/core/order"
)

// Marshal returns the canonical JSON of a value, as encoding/json sees it.
func Marshal(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Transform(data)
}

// Transform returns the canonical form of a JSON text.
func Transform(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("canonical: invalid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	out, err := appendValue(make([]byte, 0, len(text)), d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("canonical: text after the JSON value")
	}
	return out, nil
}

const maxDepth = 1000

func appendValue(out []byte, d *json.Decoder, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("canonical: nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("canonical: broken JSON: %w", err)
	}
	switch t := token.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, t), nil
	case string:
		return appendString(out, t), nil
	case json.Number:
		x, err := strconv.ParseFloat(string(t), 64)
		if err != nil {
			return nil, fmt.Errorf("canonical: number %s: %w", t, err)
		}
		return AppendNumber(out, x), nil
	}
	if token == json.Delim('[') {
		out = append(out, '[')
		for i := 0; d.More(); i++ {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendValue(out, d, depth+1); err != nil {
				return nil, err
			}
		}
		out = append(out, ']')
	} else if out, err = appendObject(out, d, depth); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != nil { // the closing bracket
		return nil, fmt.Errorf("canonical: broken JSON: %w", err)
	}
	return out, nil
}

// appendObject writes an object with its keys in ascending order of their UTF-16 code units.
func appendObject(out []byte, d *json.Decoder, depth int) ([]byte, error) {
	type member struct {
		key   []uint16
		value []byte // "key":value
	}
	var members []member
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("canonical: broken JSON: %w", err)
		}
		key := token.(string)
		value, err := appendValue(append(appendString(nil, key), ':'), d, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{utf16.Encode([]rune(key)), value})
	}
	order.Sort(members, func(a, b member) int { return slices.Compare(a.key, b.key) })
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			if slices.Equal(m.key, members[i-1].key) {
				return nil, fmt.Errorf("canonical: duplicate key %q", string(utf16.Decode(m.key)))
			}
			out = append(out, ',')
		}
		out = append(out, m.value...)
	}
	return append(out, '}'), nil
}

// appendString writes a string with the escapes of RFC 8785, section 3.2.2.2: only what must be escaped is.
func appendString(out []byte, s string) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case c == '\b':
			out = append(out, `\b`...)
		case c == '\f':
			out = append(out, `\f`...)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		default:
			out = append(out, `\u00`...)
			out = append(out, digits[c>>4], digits[c&15])
		}
	}
	return append(out, '"')
}

// AppendNumber writes a finite number as ECMAScript does (RFC 8785, section 3.2.2.3): the shortest digits that read back
// to the same bits, as a decimal from 1e-6 up to below 1e21, with an exponent otherwise.
func AppendNumber(out []byte, x float64) []byte {
	if x == 0 { // also −0
		return append(out, '0')
	}
	if a := math.Abs(x); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(out, x, 'f', -1, 64)
	}
	start := len(out)
	out = strconv.AppendFloat(out, x, 'e', -1, 64)
	// Go writes two digits of exponent at least, ECMAScript no leading zero.
	if n := len(out); out[n-2] == '0' && n-start > 3 && (out[n-3] == '-' || out[n-3] == '+') {
		out[n-2] = out[n-1]
		out = out[:n-1]
	}
	return out
}
