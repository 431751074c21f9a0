package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/core/text"
)

func build(t interface{ Fatal(...any) }, kind string, stop []string, texts ...string) *Index {
	a, err := text.New(kind, stop)
	if err != nil {
		t.Fatal(err)
	}
	return Build(a, texts)
}

func TestBuild(t *testing.T) {
	x := build(t, "ascii", []string{"the"}, "the cat the cat sat", "", "A cat; a dog")
	if !cmp.Equal(x.Terms, []string{"a", "cat", "dog", "sat"}) || x.Total != 7 || !cmp.Equal(x.Length, []int32{3, 0, 4}) || x.N() != 3 || x.AvgLength() != 7.0/3 {
		t.Errorf("%q, %d, %v", x.Terms, x.Total, x.Length)
	}
	want := [][]Posting{{{2, 2}}, {{0, 2}, {2, 1}}, {{2, 1}}, {{0, 1}}}
	if !cmp.Equal(x.Postings, want) {
		t.Errorf("%v", x.Postings)
	}
	if !cmp.Equal(x.Document(2), []TermCount{{0, 2}, {1, 1}, {2, 1}}) {
		t.Errorf("%v", x.Document(2))
	}
	q := x.Query("Dog dog, the unknown bird. CAT dog bird")
	if !cmp.Equal(q.Terms, []TermCount{{1, 1}, {2, 3}}) || !cmp.Equal(q.Unknown, []string{"unknown", "bird", "bird"}) {
		t.Errorf("%+v", q)
	}
	if !q.Has(2) || q.Has(0) {
		t.Error("Has")
	}
	if n, ok := x.Term("sat"); n != 3 || !ok {
		t.Error("Term", n, ok)
	}
	if _, ok := x.Term("the"); ok {
		t.Error("a stop word was indexed")
	}
}

func TestAgainstTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(text.Names()).Draw(t, "kind")
		word := rapid.SampledFrom([]string{"a", "b", "B", "the", "é", "E\u0301", "ß", "ss", "x1", "-", "≠"})
		texts := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(word, 0, 10), func(w []string) string { return strings.Join(w, " ") }), 1, 8).Draw(t, "texts")
		x := build(t, kind, []string{"the"}, texts...)
		if !slices.IsSorted(x.Terms) || len(slices.Compact(slices.Clone(x.Terms))) != len(x.Terms) {
			t.Fatalf("terms don't ascend: %q", x.Terms)
		}
		total := int64(0)
		for d, s := range texts {
			tokens := x.Analyzer().Tokens(s)
			total += int64(len(tokens))
			if int(x.Length[d]) != len(tokens) {
				t.Fatalf("document %d has %d tokens, not %d", d, len(tokens), x.Length[d])
			}
			for _, w := range tokens {
				if _, ok := x.Term(w); !ok {
					t.Fatalf("%q is not indexed", w)
				}
			}
			for n, term := range x.Terms {
				count := 0
				for _, w := range tokens {
					if w == term {
						count++
					}
				}
				if x.TF(n, d) != count {
					t.Fatalf("%q stands %d times in %q, not %d", term, count, s, x.TF(n, d))
				}
			}
		}
		if x.Total != total {
			t.Fatalf("total %d, want %d", x.Total, total)
		}
		for n := range x.Terms {
			if x.DF(n) == 0 || !slices.IsSortedFunc(x.Postings[n], func(a, b Posting) int { return int(a.Doc - b.Doc) }) {
				t.Fatalf("postings of %q: %v", x.Terms[n], x.Postings[n])
			}
		}
	})
}
