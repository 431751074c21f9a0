package lexical

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/text"
)

// The index must find what reading every document finds, with the same scores and in the same order.
func TestOverlapEqualsScan(t *testing.T) {
	analyzer, err := text.New("unicode", nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"cache", "reset", "Größe", "grösse", "naïve", "R17", "lamp", "-", "a", "b"}), 0, 12)
		texts := rapid.SliceOfN(rapid.Map(words, func(w []string) string { return strings.Join(w, " ") }), 1, 20).Draw(t, "texts")
		query := strings.Join(words.Draw(t, "query"), " ")
		x := index.Build(analyzer, texts)
		scanned, looked := rank.New(len(texts)), rank.New(len(texts))
		Scan(x, x.Query(query), scanned)
		Overlap(x, x.Query(query), looked)
		a, b := scanned.Sorted(), looked.Sorted()
		if len(a) != len(b) {
			t.Fatalf("scan finds %v, overlap %v", a, b)
		}
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("place %d: scan has %v, overlap %v", i+1, a[i], b[i])
			}
		}
		// Second opinion on the score: distinct shared words, from the texts alone.
		for _, h := range a {
			shared := map[string]bool{}
			for _, w := range analyzer.Tokens(query) {
				for _, v := range analyzer.Tokens(texts[h.Doc]) {
					if v == w {
						shared[w] = true
					}
				}
			}
			if h.Score != float64(len(shared)) {
				t.Fatalf("document %d: score %v, %d distinct shared words", h.Doc, h.Score, len(shared))
			}
		}
	})
}
