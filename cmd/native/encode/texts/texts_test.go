package texts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const file = `{"_id": "2", "title": "momentum", "text": "Mass times velocity."}
{"_id": "q1", "text": "na\u00efve \ud83d\ude42"}
{"_id": "3", "title": "", "text": "No title.", "metadata": {"wave": 1}}
`
	s, err := Parse("corpus.jsonl", []byte(file), Default)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"momentum momentum Mass times velocity.", "naïve 🙂", "No title."}
	if !slices.Equal(s.Texts, want) || !slices.Equal(s.IDs, []string{"2", "q1", "3"}) {
		t.Errorf("got %q, %q", s.IDs, s.Texts)
	}
	if s.Input.Text != "title, title, text, joined by single spaces" {
		t.Error(s.Input.Text)
	}
	// printf '2\nq1\n3\n' | sha256sum (GNU coreutils)
	if want := "ab46209f87c58dc465c8c8e1a9ed14f729623e23d6bf57cc8eb7c37f8b09e849"; s.Input.IDsSHA256 != want {
		t.Errorf("hash of IDs %s, want %s", s.Input.IDsSHA256, want)
	}
	s, err = Parse("tasks.jsonl", []byte(`{"id":"A01","need":"What?"}`), Fields{"id", []string{"need"}})
	if err != nil || s.Texts[0] != "What?" {
		t.Errorf("%v, %v", s, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "no records"},
		{"[]", "f.jsonl:1: "},
		{`{"_id":"1","text":"a"}` + "\n" + `{"_id":"1","text":"b"}`, `f.jsonl:2: duplicate ID "1", first on line 1`},
		{`{"_id":1,"text":"a"}`, `field "_id": not a JSON string`},
		{`{"id":"1","text":"a"}`, "empty ID"},
		{`{"_id":"1","text":["a"]}`, `field "text": not a JSON string`},
		{`{"_id":"1","body":"a"}`, `record "1" has no text in title, title, text`},
		{`{"_id":"1","text":"a\ud83d"}`, `\ud83d is half a character`},
		{"{\"_id\":\"1\",\"text\":\"\xff\"}", "invalid UTF-8"},
	} {
		_, err := Parse("f.jsonl", []byte(c.file), Default)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.file, err, c.want)
		}
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct{ raw, text, what string }{
		{`"a\\ud83d"`, `a\ud83d`, ""}, // an escaped backslash, then letters
		{` "\ud83d\ude42" `, "🙂", ""},
		{`"\ude42\ud83d"`, "", `half of a surrogate pair: \ude42`},
		{`"\ud83dx"`, "", `half of a surrogate pair: \ud83d`},
		{`"\ud83d\ud83d\ude42"`, "", `half of a surrogate pair: \ud83d`},
		{`"\uD83D"`, "", `half of a surrogate pair: \uD83D`},
		{`"\ufffd"`, "\ufffd", ""},
		{`"\n\"\u0000"`, "\n\"\x00", ""},
		{`1`, "", "not a JSON string"},
		{``, "", "not a JSON string"},
		{`null`, "", "not a JSON string"},
		{"\"\xff\"", "", "not valid UTF-8"},
	} {
		if text, what := String([]byte(c.raw)); text != c.text || what != c.what {
			t.Errorf("String(%s) = %q, %q, want %q, %q", c.raw, text, what, c.text, c.what)
		}
	}
}

// FuzzString: what is accepted is what encoding/json reads, and writing it again loses nothing.
func FuzzString(f *testing.F) {
	f.Add([]byte(`"a\ud83d\ude42\\\"\u00e9"`))
	f.Add([]byte(`"\ud800"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, what := String(raw)
		if what != "" {
			return
		}
		again, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if back, what := String(again); what != "" || back != text {
			t.Fatalf("%q becomes %q, %s", text, back, what)
		}
	})
}
