package collection

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/core/records"
)

func fault(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *records.Error
	if !errors.As(err, &e) || e.Hint == "" || e.File == "" {
		t.Fatalf("no file or hint in %#v", err)
	}
	return err.Error()
}

func TestParseBEIR(t *testing.T) {
	c, err := ParseBEIR("c.jsonl", []byte(`{"_id":"10","title":"Ten","text":"t10","metadata":{"domain":"x","n":3}}
{"_id":"9","title":"Nine <b>\u202e","text":"t9"}
{"_id":"a","title":"","text":"one  two\tthree"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range c.Docs {
		ids = append(ids, fmt.Sprintf("%s:%d", d.ID, d.Line))
	}
	if !cmp.Equal(ids, []string{"9:2", "10:1", "a:3"}) || !cmp.Equal(c.Order, []int{1, 0, 2}) || c.Len() != 3 {
		t.Error(ids, c.Order)
	}
	if n, ok := c.Number("10"); n != 1 || !ok {
		t.Error(n, ok)
	}
	if _, ok := c.Number("11"); ok {
		t.Error("11 was found")
	}
	d := &c.Docs[1]
	if d.Metadatum("domain") != "x" || d.Metadatum("n") != "3" || d.Metadatum("none") != "" {
		t.Error("metadata")
	}
	if got := d.Fields([]string{"title", "title", "text"}); got != "Ten Ten t10" {
		t.Error(got)
	}
	if c.Docs[0].Title != "Nine <b>\u202e" {
		t.Error("a title is not text as it was given")
	}
	if Words(c.Docs[2].Text) != 3 || Words(" ") != 0 {
		t.Error("words")
	}
}

func TestParseBEIRRefuses(t *testing.T) {
	line := func(id string) string { return `{"_id":"` + id + `","title":"","text":""}` + "\n" }
	for data, want := range map[string]string{
		"":                                "c.jsonl: no documents",
		line("1") + line("2") + line("1"): `c.jsonl:3: duplicate ID "1", first on line 1`,
		line("1") + line(""):              `c.jsonl:2: empty ID: ""`,
		line("a b"):                       `c.jsonl:1: ID with a space, control or format character: "a b"`,
		line(`a\u202eb`):                  `c.jsonl:1: ID with a space, control or format character: "a\u202eb"`,
		line(`a\nb`):                      `c.jsonl:1: ID with a space`,
		line(strings.Repeat("x", 257)):    `c.jsonl:1: ID longer than 256 bytes`,
		line("1") + `{"_id":"2","title":"x","text":`:                           "c.jsonl:2: broken JSON",
		line("1") + `{"_id":"2","titel":"x"}`:                                  `c.jsonl:2: unknown field "titel"`,
		line("1") + `{"_id":"2","Text":"x"}`:                                   `c.jsonl:2: unknown field "Text"`,
		line("1") + `{"_id":"2","text":"x","text":"y"}`:                        `c.jsonl:2: duplicate key "text"`,
		line("1") + `{"_id":2}`:                                                "c.jsonl:2: _id: number where a string belongs",
		line("1") + "\n" + line("2"):                                           "c.jsonl:2: empty line",
		line("1") + "{\"_id\":\"\xff\"}":                                       "c.jsonl:2: invalid UTF-8",
		line("1") + `{"_id":"2","text":"a\u0000"}`:                             "c.jsonl:2: NUL character",
		line("1") + "\x00":                                                     "c.jsonl:2: NUL byte",
		line("1") + `{"_id":"2","text":"` + strings.Repeat("y", 10<<20) + `"}`: "c.jsonl:2: the line has 10485781 bytes",
	} {
		if _, err := ParseBEIR("c.jsonl", []byte(data)); !strings.HasPrefix(fault(t, err), want) {
			t.Errorf("%.60q: %v, want %s", data, err, want)
		}
	}
}

func TestParseLinks(t *testing.T) {
	c, err := New("c.jsonl", []Document{{ID: "5"}, {ID: "30"}, {ID: "x"}, {ID: "z\u00e9"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ParseLinks("l.tsv", []byte("source\ttarget\n30\t5\nx\tx\n30\t5\n"))
	if err != nil || !cmp.Equal(got, []Link{{1, 0, 2}, {2, 2, 3}, {1, 0, 4}}) {
		t.Error(got, err)
	}
	for data, want := range map[string]string{
		"source\ttarget\n30\t5\n5\t6\n":  `l.tsv:3: unknown document "6"`,
		"source\ttarget\n30\tze\u0301\n": "l.tsv:2: unknown document \"ze\u0301\": " + `it differs from "z\u00e9" by Unicode normalization only (it is "ze\u0301")`,
		"source\ttarget\n30\t5\t1\n":     "l.tsv:2: 3 fields, want 2 (source, target)",
		"source\ttarget\n30 5\n":         "l.tsv:2: 1 fields",
		"from\tto\n30\t5\n":              `l.tsv:1: header "from\tto", want "source\ttarget"`,
		"":                               "l.tsv: the file is empty",
	} {
		if _, err := c.ParseLinks("l.tsv", []byte(data)); !strings.HasPrefix(fault(t, err), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

func TestCompareID(t *testing.T) {
	want := []string{"0", "2", "9", "10", "100", "123456789012345678901234567890", "", "-1", "00", "01", "1a", "A", "a", "é"}
	for i := range want {
		for j := range want {
			if got := CompareID(want[i], want[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q, %q: %d", want[i], want[j], got)
			}
		}
	}
}

func TestCompareIDIsATotalOrder(t *testing.T) {
	id := rapid.OneOf(rapid.StringMatching(`[0-9]{0,4}`), rapid.StringMatching(`[0-9a]{0,3}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := id.Draw(t, "a"), id.Draw(t, "b"), id.Draw(t, "c")
		if (CompareID(a, b) < 0) != (CompareID(b, a) > 0) || (CompareID(a, b) == 0) != (a == b) {
			t.Fatalf("%q, %q", a, b)
		}
		list := []string{a, b, c}
		slices.SortFunc(list, CompareID)
		if CompareID(list[0], list[2]) > 0 {
			t.Fatalf("%q does not sort", list)
		}
	})
}

func FuzzParseBEIR(f *testing.F) {
	f.Add([]byte(`{"_id":"10","title":"Ten","text":"t10","metadata":{"n":3}}` + "\n" + `{"_id":"9"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseBEIR("c.jsonl", data)
		if err != nil {
			return
		}
		for i := range c.Docs {
			if n, ok := c.Number(c.Docs[i].ID); n != i || !ok || CheckID(c.Docs[i].ID) != "" {
				t.Fatalf("document %d: %q", i, c.Docs[i].ID)
			}
			if i > 0 && CompareID(c.Docs[i-1].ID, c.Docs[i].ID) >= 0 {
				t.Fatal("documents don't ascend")
			}
		}
	})
}
