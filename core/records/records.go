// Package records reads line-oriented files (JSON Lines, tab-separated values) strictly: unknown fields, duplicate keys,
// invalid UTF-8, NUL characters and over-long lines are errors that name the file and the line.
package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxLine is the longest line, in bytes, that any file of a kit may have.
const MaxLine = 1 << 20

// MaxLines is the largest number of lines that any file of a kit may have.
const MaxLines = 4 << 20

// An Error says what is wrong, where, and what to do about it.
type Error struct {
	File string // path inside the kit
	Line int    // from 1; 0 where the whole file is meant
	What string
	Hint string
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return where + ": " + e.What
}

// mark is U+FEFF, which some editors put before a file's first letter. It is refused wherever a line or a JSON value begins
// with it, and never stripped: it can't be seen, and what is hashed is to be what is read.
const mark = "\ufeff"

func marked(file string, line int) *Error {
	return Errorf(file, line, "save the file as UTF-8 without byte order mark (\"BOM\")", "begins with a byte order mark (U+FEFF), which can't be seen and would belong to the first word")
}

// Errorf returns an Error at the given file and line.
func Errorf(file string, line int, hint, format string, args ...any) *Error {
	return &Error{File: file, Line: line, What: fmt.Sprintf(format, args...), Hint: hint}
}

// Lines calls yield with every line of data (without its line end) and its number from 1. Empty lines are errors, but
// for the one after the last line end.
func Lines(file string, data []byte, yield func(line int, text []byte) error) error {
	for n := 1; len(data) > 0; n++ {
		if n > MaxLines {
			return Errorf(file, n, "split the file", "more than %d lines", MaxLines)
		}
		text, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		text = bytes.TrimSuffix(text, []byte{'\r'})
		switch {
		case len(text) > MaxLine:
			return Errorf(file, n, "break the record up or shorten its text", "the line has %d bytes, more than the %d that are allowed", len(text), MaxLine)
		case len(bytes.TrimSpace(text)) == 0:
			return Errorf(file, n, "remove the empty line", "empty line")
		case bytes.IndexByte(text, 0) >= 0:
			return Errorf(file, n, "the file may be UTF-16 or binary: save it as UTF-8 text", "NUL byte")
		case !utf8.Valid(text):
			return Errorf(file, n, "save the file as UTF-8", "invalid UTF-8")
		case bytes.HasPrefix(text, []byte(mark)):
			return marked(file, n)
		}
		if err := yield(n, text); err != nil {
			return err
		}
	}
	return nil
}

// JSONLines decodes every line of data into a T (see Decode) and yields it with its line number.
func JSONLines[T any](file string, data []byte, yield func(line int, value T) error) error {
	c := newChecker()
	return Lines(file, data, func(line int, text []byte) error {
		var value T
		if err := c.decode(file, line, text, &value); err != nil {
			return err
		}
		return yield(line, value)
	})
}

// TSV yields the fields of every line after the header, which must equal the wanted column names.
func TSV(file string, data []byte, columns []string, yield func(line int, fields []string) error) error {
	seen := false
	err := Lines(file, data, func(line int, text []byte) error {
		fields := strings.Split(string(text), "\t")
		if line == 1 {
			seen = true
			if strings.Join(fields, "\t") != strings.Join(columns, "\t") {
				return Errorf(file, line, "the first line names the columns, parted by tabs, which are written \\t here", "header %q, want %q", text, strings.Join(columns, "\t"))
			}
			return nil
		}
		if len(fields) != len(columns) {
			return Errorf(file, line, "put one tab, not spaces, between two columns", "%d fields, want %d (%s)", len(fields), len(columns), strings.Join(columns, ", "))
		}
		return yield(line, fields)
	})
	if err == nil && !seen {
		return Errorf(file, 0, "the first line names the columns: "+strings.Join(columns, ", "), "the file is empty")
	}
	return err
}

// Decode decodes one JSON value into target, which is a pointer. Beyond encoding/json it refuses unknown fields, keys
// that differ from a field's name in case, duplicate keys, trailing text, nesting deeper than 64 and U+0000 in strings.
// Give line 0 for a file that holds one value: then the error names the line of the fault inside it.
func Decode(file string, line int, text []byte, target any) error {
	return newChecker().decode(file, line, text, target)
}

// A checker knows the fields of the struct types that it met, so that each is looked up once a file.
type checker struct {
	fields map[reflect.Type]map[string]reflect.Type
	known  string // what may stand where an unknown field stood
}

func newChecker() *checker { return &checker{fields: map[reflect.Type]map[string]reflect.Type{}} }

const unknown = "unknown field " // what begins with it is about a field's name

// DecodeParts is Decode for a file that holds one object, some of whose members are decoded into values of their own: parts
// names those members and gives pointers. It returns the members that stand there, by name.
func DecodeParts(file string, text []byte, target any, parts map[string]any) (map[string]json.RawMessage, error) {
	c := newChecker()
	fields := c.fieldsOf(reflect.TypeOf(target).Elem())
	for name, part := range parts {
		fields[name] = reflect.TypeOf(part).Elem()
	}
	if err := c.checked(file, 0, text, target); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, target); err != nil {
		return nil, mismatched(file, 0, text, 0, 0, err)
	}
	there := map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.Token() // the opening bracket
	for d.More() {
		name, _ := d.Token()
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, Errorf(file, 0, "correct the JSON there", "%v", err) // can't be: it was checked
		}
		part, ok := parts[name.(string)]
		if !ok {
			continue
		}
		there[name.(string)] = raw
		if err := json.Unmarshal(raw, part); err != nil {
			start := d.InputOffset() - int64(len(raw))
			return nil, mismatched(file, 0, text, start, start, err)
		}
	}
	return there, nil
}

// lineAt returns the line of an offset in a text that starts on a line, or the line itself where it holds one record.
func lineAt(line int, text []byte, offset int64) int {
	if line > 0 {
		return line
	}
	offset = min(max(offset, 0), int64(len(text)))
	return 1 + bytes.Count(text[:offset], []byte{'\n'})
}

func (c *checker) decode(file string, line int, text []byte, target any) error {
	if err := c.checked(file, line, text, target); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		return mismatched(file, line, text, 0, decoder.InputOffset(), err)
	}
	return nil
}

// mismatched says which value of a text is not of its type. The decoder counted offsets of such values from start; any other
// fault stands at end.
func mismatched(file string, line int, text []byte, start, end int64, err error) error {
	offset, what, hint := end, strings.TrimPrefix(err.Error(), "json: "), "correct the value"
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		offset = start + mismatch.Offset
		hint = "write " + wanted(mismatch.Type) + " there"
		if what = mismatch.Value + " where " + wanted(mismatch.Type) + " belongs"; mismatch.Field != "" {
			what = mismatch.Field + ": " + what
		}
	}
	return Errorf(file, lineAt(line, text, offset), hint, "%s", what)
}

// checked checks a text before it is decoded.
func (c *checker) checked(file string, line int, text []byte, target any) error {
	at := func(offset int64) int { return lineAt(line, text, offset) }
	if !utf8.Valid(text) {
		return Errorf(file, line, "save the file as UTF-8", "invalid UTF-8")
	}
	if bytes.HasPrefix(text, []byte(mark)) {
		return marked(file, max(line, 1))
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	if what := c.check(tokens, reflect.TypeOf(target).Elem(), 0); what != "" {
		hint := "correct the JSON there"
		if strings.HasPrefix(what, unknown) {
			hint = "remove it or correct its name; here may stand: " + c.known
		}
		return Errorf(file, at(tokens.InputOffset()), hint, "%s", what)
	}
	if _, err := tokens.Token(); err != io.EOF {
		return Errorf(file, at(tokens.InputOffset()), "put one JSON value on each line", "text after the JSON value")
	}
	if offset := loneSurrogate(text); offset >= 0 {
		return Errorf(file, at(int64(offset)), "write the character itself, or both halves of its escape, as in \\ud83d\\ude00",
			"%s is half a character (a lone surrogate)", text[offset:offset+6])
	}
	return nil
}

// loneSurrogate returns where valid JSON escapes a surrogate without its other half, -1 where it doesn't. The decoder would
// put U+FFFD in its place.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' { // stands in strings only
			continue
		}
		unit, ok := escaped(text[i:])
		next, paired := rune(0), false
		if ok {
			next, paired = escaped(text[i+6:])
		}
		switch {
		case !ok:
			i++ // what is escaped may be a backslash
		case !utf16.IsSurrogate(unit):
			i += 5
		case !paired || utf16.DecodeRune(unit, next) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// escaped reads the four hexadecimal digits of an escape \uXXXX at the beginning of text.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}

// wanted says in words what JSON a Go type is read from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number of " + t.String()
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "an integer of " + t.String()
}

const maxDepth, maxKeys = 64, 4096

// check walks one JSON value against the Go type it will be decoded into and says what is wrong with its keys.
func (c *checker) check(d *json.Decoder, t reflect.Type, depth int) string {
	if depth > maxDepth {
		return "nested too deeply"
	}
	token, err := d.Token()
	if err != nil {
		return "broken JSON: " + err.Error()
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch token := token.(type) {
	case string:
		if strings.IndexByte(token, 0) >= 0 {
			return "NUL character in a string"
		}
	case json.Delim:
		if token == '[' {
			var element reflect.Type
			if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
				element = t.Elem()
			}
			for d.More() {
				if what := c.check(d, element, depth+1); what != "" {
					return what
				}
			}
		} else {
			fields := c.fieldsOf(t)
			var keys []string // few: a list is faster than a map
			for d.More() {
				token, err := d.Token()
				if err != nil {
					return "broken JSON: " + err.Error()
				}
				key := token.(string)
				if strings.IndexByte(key, 0) >= 0 {
					return "NUL character in a key"
				}
				if slices.Contains(keys, key) {
					return fmt.Sprintf("duplicate key %q", key)
				}
				if keys = append(keys, key); len(keys) > maxKeys {
					return fmt.Sprintf("more than %d keys in one object", maxKeys)
				}
				var value reflect.Type
				if fields != nil {
					known := false
					if value, known = fields[key]; !known {
						c.known = strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
						return unknown + strconv.Quote(key)
					}
				} else if t != nil && t.Kind() == reflect.Map {
					value = t.Elem()
				}
				if what := c.check(d, value, depth+1); what != "" {
					return what
				}
			}
		}
		if _, err := d.Token(); err != nil { // the closing bracket
			return "broken JSON: " + err.Error()
		}
	}
	return ""
}

// fieldsOf returns the JSON names of a struct's fields with their types, nil for any other type.
func (c *checker) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	if fields, ok := c.fields[t]; ok {
		return fields
	}
	fields := make(map[string]reflect.Type, t.NumField())
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			fields[name] = f.Type
		}
	}
	c.fields[t] = fields
	return fields
}

// Beside decodes an object's own keys and returns what stands beside them.
func Beside(data []byte, own any, keys ...string) (map[string]json.RawMessage, error) {
	if err := json.Unmarshal(data, own); err != nil {
		return nil, err
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	for _, key := range keys {
		delete(rest, key)
	}
	return rest, nil
}
