package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// problem returns an error's text with its hint behind a bar; every error of this package has a hint.
func problem(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Fatalf("no hint in %#v", err)
	}
	return err.Error()
}

func byMark(line int) string {
	return fmt.Sprintf("f:%d: begins with a byte order mark (U+FEFF), which can't be seen and would belong to the first word", line)
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct{ data, want, fault string }{
		{"", "", ""},
		{"a", "1:a", ""},
		{"a\nb\n", "1:a 2:b", ""},
		{"a\r\nb\r\n", "1:a 2:b", ""}, // as Windows' editors save
		{long, "1:" + long, ""},
		{"a\n\nb\n", "1:a", "f:2: empty line"},
		{"a\n  \t\nb\n", "1:a", "f:2: empty line"},
		{"\n", "", "f:1: empty line"},
		{"a\nb\x00c\n", "1:a", "f:2: NUL byte"},
		{"a\n\xff\n", "1:a", "f:2: invalid UTF-8"},
		{"a\xed\xa0\x80", "", "f:1: invalid UTF-8"}, // a surrogate
		{"h\x00i\x00", "", "f:1: NUL byte"},         // UTF-16
		{"\ufeffa\nb\n", "", byMark(1)},
		{"a\ufeff\n", "1:a\ufeff", ""}, // a zero-width no-break space inside a text is a text's
		{"ok\n" + strings.Repeat("y", 10<<20), "1:ok", "f:2: the line has 10485760 bytes, more than the 1048576 that are allowed"},
	} {
		var got []string
		err := Lines("f", []byte(c.data), func(line int, text []byte) error {
			got = append(got, fmt.Sprintf("%d:%s", line, text))
			return nil
		})
		if strings.Join(got, " ") != c.want || problem(t, err) != c.fault {
			t.Errorf("%.40q: %.60q, %v; want %.60q, %s", c.data, got, err, c.want, c.fault)
		}
	}
	stop := errors.New("enough")
	if err := Lines("f", []byte("a\nb"), func(int, []byte) error { return stop }); err != stop {
		t.Error(err)
	}
}

func TestTSV(t *testing.T) {
	for _, c := range []struct{ data, want, fault string }{
		{"a\tb\n1\t2\n3\t\n", "2:1,2 3:3,", ""},
		{"a\tb\n", "", ""},
		{"", "", "f: the file is empty"},
		{"a b\n1\t2\n", "", `f:1: header "a b", want "a\tb"`},
		{"b\ta\n", "", `f:1: header "b\ta", want "a\tb"`},
		{"a\tb\n1\n", "", "f:2: 1 fields, want 2 (a, b)"},
		{"a\tb\n1\t2\n1\t2\t3\n", "2:1,2", "f:3: 3 fields, want 2 (a, b)"},
		{"\ufeffa\tb\n", "", byMark(1)},
		{"a\tb\n1\t2\n\ufeffa\tb\n", "2:1,2", byMark(3)}, // two files, one after the other
	} {
		var got []string
		err := TSV("f", []byte(c.data), []string{"a", "b"}, func(line int, fields []string) error {
			got = append(got, fmt.Sprintf("%d:%s", line, strings.Join(fields, ",")))
			return nil
		})
		if strings.Join(got, " ") != c.want || problem(t, err) != c.fault {
			t.Errorf("%q: %q, %v; want %q, %s", c.data, got, err, c.want, c.fault)
		}
	}
}

type inner struct {
	N int `json:"n"`
}

type record struct {
	Name string                     `json:"name"`
	List []inner                    `json:"list"`
	Map  map[string]inner           `json:"map"`
	Ptr  *inner                     `json:"ptr"`
	Raw  json.RawMessage            `json:"raw"`
	Any  map[string]json.RawMessage `json:"any"`
	inner
	hidden int
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, fault string }{
		{`{"name":"a","list":[{"n":1}],"map":{"x":{"n":2}},"ptr":null,"raw":{"X":[1,{"y":2}]},"any":{"A":1,"a":2}}`, ""},
		{`{}`, ""},
		{" {} \n", ""},
		{`{"name":"a","name":"b"}`, `duplicate key "name"`},
		{`{"any":{"x":{"y":1,"y":2}}}`, `duplicate key "y"`},
		{`{"raw":[{"y":1,"y":2}]}`, `duplicate key "y"`},
		{`{"na\u006de":"a","name":"b"}`, `duplicate key "name"`},
		{`{"Name":"a"}`, `unknown field "Name"`},
		{`{"list":[{"N":1}]}`, `unknown field "N"`},
		{`{"map":{"x":{"m":1}}}`, `unknown field "m"`},
		{`{"ptr":{"m":1}}`, `unknown field "m"`},
		{`{"hidden":1}`, `unknown field "hidden"`},
		{`{"name":"a\u0000"}`, "NUL character in a string"},
		{`{"any":{"a\u0000":1}}`, "NUL character in a key"},
		{`{"raw":["\u0000"]}`, "NUL character in a string"},
		{"{\"name\":\"\xff\"}", "invalid UTF-8"},
		{`{"name":"a"} {}`, "text after the JSON value"},
		{`{"name":"a"}}`, "text after the JSON value"},
		{`{"name":"a"},`, "text after the JSON value"},
		{`{"name":"a"} x`, "text after the JSON value"},
		{`{"name":`, "broken JSON"},
		{`{"name":"a"`, "broken JSON"},
		{`{"name":"a",}`, "broken JSON"},
		{`{"name":'a'}`, "broken JSON"},
		{`{name:"a"}`, "broken JSON"},
		{``, "broken JSON"},
		{`{"name":1}`, "name: number where a string belongs"},
		{`{"list":[{"n":1.5}]}`, "list.n: number 1.5 where an integer of int belongs"},
		{`{"list":[{"n":1e400}]}`, "list.n: number 1e400 where an integer of int belongs"},
		{`{"list":[{"n":99999999999999999999}]}`, "list.n: number 99999999999999999999 where an integer"},
		{`{"list":[{"n":NaN}]}`, "broken JSON"},
		{`[]`, "array where an object belongs"},
		{`{"raw":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, "nested too deeply"},
		{`{"raw":` + strings.Repeat(`{"a":`, 1e5) + "1" + strings.Repeat("}", 1e5) + `}`, "nested too deeply"},
	} {
		var r record
		got := problem(t, Decode("f", 7, []byte(c.text), &r))
		if (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) || got != "" && !strings.HasPrefix(got, "f:7: ") {
			t.Errorf("%.80q: %q, want f:7: … %q", c.text, got, c.fault)
		}
	}
	var r record
	if err := Decode("f", 1, []byte(`{"name":"é","list":[{"n":3}],"map":{"k":{"n":4}},"any":{"x":"y"}}`), &r); err != nil {
		t.Fatal(err)
	}
	if r.Name != "é" || r.List[0].N != 3 || r.Map["k"].N != 4 || string(r.Any["x"]) != `"y"` {
		t.Errorf("%+v", r)
	}
	_ = r.hidden
}

// A half of a character is refused where encoding/json would put U+FFFD; both halves are one character.
func TestLoneSurrogates(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"\ud83d"}`:             `\ud83d`,
		`{"name":"\udE00 x"}`:           `\udE00`,
		`{"name":"\ud83d\ud83d\ude00"}`: `\ud83d`,
		`{"name":"\ud83dx"}`:            `\ud83d`,
		`{"any":{"\ud83d":1}}`:          `\ud83d`,
		`{"raw":"\\\ud83d"}`:            `\ud83d`, // a backslash, then half a character
		`{"name":"\ud83d\ude00"}`:       "",
		`{"name":"\\ud83d"}`:            "", // a backslash and letters
		`{"name":"\n\"\u00e9"}`:         "",
	} {
		var r record
		got := problem(t, Decode("f", 0, []byte("{\n\"ptr\":null,\n"+text[1:]), &r))
		if want != "" {
			want = "f:3: " + want + " is half a character (a lone surrogate)"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if got == "" && strings.ContainsRune(r.Name, '\ufffd') {
			t.Errorf("%s: %q", text, r.Name)
		}
	}
}

// The way out of an unknown field is the list of those that may stand there; of a wrong value, what belongs there.
func TestDecodeHints(t *testing.T) {
	for text, want := range map[string]string{
		`{"list":[{"N":1}]}`: "remove it or correct its name; here may stand: n",
		`{"nmae":1}`:         "remove it or correct its name; here may stand: any, list, map, n, name, ptr, raw",
		`{"name":1}`:         "write a string there",
		"\ufeff{}":           `save the file as UTF-8 without byte order mark ("BOM")`,
	} {
		var r record
		var e *Error
		if err := Decode("f", 0, []byte(text), &r); !errors.As(err, &e) || e.Hint != want {
			t.Errorf("%s: %v, hint %q; want %q", text, err, e.Hint, want)
		}
	}
}

// In a file that holds one value, the error names the line of the fault.
func TestDecodeNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"{\n \"name\": \"a\",\n \"nmae\": 1\n}":          `f:3: unknown field "nmae"`,
		"{\n \"name\": \"a\",\n\n \"name\": \"b\"}":      `f:4: duplicate key "name"`,
		"{\n \"list\": [\n  {\"n\": 1},\n  {\"n\": x}]}": "f:4: broken JSON: ",
		"{\n \"name\":\n 5\n}":                           "f:3: ",
		"{\n}\n{\n}":                                     "f:3: text after the JSON value",
	} {
		var r record
		if got := problem(t, Decode("f", 0, []byte(text), &r)); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestJSONLines(t *testing.T) {
	var got []int
	err := JSONLines("f", []byte("{\"n\":1}\n{\"n\":2}\n{\"n\":\n{\"n\":4}\n"), func(_ int, v inner) error {
		got = append(got, v.N)
		return nil
	})
	if !cmp.Equal(got, []int{1, 2}) || !strings.HasPrefix(problem(t, err), "f:3: broken JSON") {
		t.Error(got, err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\tb\n1\t2\n"))
	f.Add([]byte("{\"n\":1}\r\n\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var back []byte
		err := Lines("f", data, func(line int, text []byte) error {
			if bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, 0) >= 0 || line < 1 {
				t.Fatalf("line %d: %q", line, text)
			}
			back = append(append(back, text...), '\n')
			return nil
		})
		if err == nil && !bytes.Equal(bytes.TrimSuffix(back, []byte{'\n'}), bytes.TrimSuffix(bytes.TrimSuffix(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte{'\n'}), []byte{'\r'})) {
			t.Fatalf("%q was read as %q", data, back)
		}
		_ = problemOf(err)
		_ = problemOf(TSV("f", data, []string{"a", "b"}, func(_ int, fields []string) error {
			if len(fields) != 2 {
				t.Fatalf("%d fields", len(fields))
			}
			return nil
		}))
	})
}

func problemOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What Decode takes, encoding/json takes, and what it gives comes back the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a","list":[{"n":1}],"map":{"x":{"n":2}},"ptr":null,"raw":{"X":[1]},"any":{"A":1}}`))
	f.Add([]byte(`{"raw":[[[[]]]],"raw":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again record
		if err := Decode("f", 0, data, &r); err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q was taken", data)
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := Decode("f", 0, out, &again); err != nil {
			t.Fatalf("%q gave %q: %v", data, out, err)
		}
	})
}
