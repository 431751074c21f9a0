package indexfile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/inverted"
	"retrace/internal/synthetic"
)

// The short way and collection.ParseBEIR agree on what they both take, and the short way takes nothing that the other
// refuses.
func TestParsePlain(t *testing.T) {
	piece := rapid.SampledFrom([]string{`"_id"`, `"title"`, `"text"`, `"metadata"`, `"x"`, `"1"`, `"é"`, `"a b"`, `"\n"`, "\"\x01\"",
		"\"\xff\"", `""`, `{}`, `{`, `}`, `,`, `:`, ` `, "\t", "\r", "1", "null"})
	usual := rapid.Custom(func(t *rapid.T) string {
		id := rapid.SampledFrom([]string{`"_id": "7"`, `"_id":"x y"`, `"_id" : "é"`, `"_id": 7`}).Draw(t, "id")
		rest := rapid.SliceOfN(rapid.SampledFrom([]string{`"title": ""`, `"title":"T"`, `"text": "some text"`, `"text": "a\"b"`,
			`"metadata": {}`, `"metadata": { }`, `"metadata": {"a": 1}`}), 0, 4).Draw(t, "rest")
		return "{" + strings.Join(append([]string{id}, rest...), ", ") + "}"
	})
	rapid.Check(t, func(t *rapid.T) {
		line := usual.Draw(t, "usual")
		if rapid.Bool().Draw(t, "any") {
			line = strings.Join(rapid.SliceOfN(piece, 0, 16).Draw(t, "pieces"), "")
		}
		d, ok := parsePlain([]byte(line))
		if !ok {
			return
		}
		c, err := collection.ParseBEIR("corpus.jsonl", []byte(line))
		if err != nil {
			t.Fatalf("%q was taken, the strict reader says: %v", line, err)
		}
		want := c.Docs[0]
		if d.ID != want.ID || d.Title != want.Title || d.Text != want.Text || len(want.Metadata) > 0 {
			t.Fatalf("%q: %+v, want %+v", line, d, want)
		}
	})
	if _, ok := parsePlain([]byte(`{"_id": "1", "title": "", "text": "x"}`)); !ok {
		t.Error("the usual form is not read the short way")
	}
}

func jsonl(from, to int) string {
	s, out := synthetic.New(1), []byte{}
	for d := from; d < to; d++ {
		out = append(out, `{"_id": "`+name(d)+`", "text": "`...)
		out = append(s.AppendDocument(out, d), "\"}\n"...)
	}
	return string(out)
}

func name(d int) string {
	return "d" + string(rune('a'+d/26/26)) + string(rune('a'+d/26%26)) + string(rune('a'+d%26))
}

// The same file comes of a corpus whole, in segments and in the opposite order, and of two parts merged.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	lines := strings.SplitAfter(jsonl(0, 500), "\n")
	reversed := ""
	for _, l := range lines {
		reversed = l + reversed
	}
	for name, text := range map[string]string{"all": strings.Join(lines, ""), "reversed": reversed, "first": jsonl(0, 200),
		"second": jsonl(200, 500)} {
		if err := os.WriteFile(file(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := func(corpus, output string, memory int) {
		t.Helper()
		source, done, err := Corpus(file(corpus), []string{"title", "text"})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		err = Build(context.Background(), file(output), source,
			Options{About: inverted.About{Analyzer: "ascii", Fields: []string{"title", "text"}}, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
	}
	build("all", "1.index", 0)
	build("all", "2.index", 100_000) // seven segments or so
	build("reversed", "3.index", 0)
	build("first", "a.index", 0)
	build("second", "b.index", 0)
	if err := Merge(file("4.index"), []string{file("a.index"), file("b.index")}); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(file("1.index"))
	for _, name := range []string{"2.index", "3.index", "4.index"} {
		if got, _ := os.ReadFile(file(name)); !bytes.Equal(got, want) {
			t.Errorf("%s differs", name)
		}
	}
	x, err := Map(file("2.index"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Check(); err != nil || x.N() != 500 || !cmp.Equal(x.About.Fields, []string{"title", "text"}) {
		t.Error(err, x.About)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4+6 {
		t.Errorf("%v: something was left behind", entries)
	}
	err = Build(context.Background(), file("1.index"), nil, Options{About: inverted.About{Analyzer: "ascii"}})
	if err == nil || !strings.Contains(err.Error(), "overwritten") {
		t.Error("an index was overwritten:", err)
	}
}

func TestBuildStops(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Build(ctx, filepath.Join(dir, "x.index"), func(yield func(id, text string) error) error {
		for d := range 2000 {
			if err := yield(name(d), "x"); err != nil {
				return err
			}
		}
		return nil
	}, Options{About: inverted.About{Analyzer: "ascii"}})
	if entries, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(entries) > 0 {
		t.Error(err, entries)
	}
}

func TestCorpusRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{\"_id\": \"1\"}\n{\"_id\": \"1\"}\n":               "duplicate",
		"{\"_id\": \"2\"}\n{\"_id\": \"1\"}\n{\"_id\": 3}\n": ":3",
		"{\"_id\": \"1\"}\n\n":                               ":2",
		"":                                                   "",
	} {
		path := filepath.Join(t.TempDir(), "corpus.jsonl")
		os.WriteFile(path, []byte(text), 0o666)
		source, done, err := Corpus(path, []string{"text"})
		if err == nil {
			err = source(func(id, text string) error { return nil })
			done()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
