package numpath

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for path, want := range map[string][]string{
		"methods.bm25.mrr10":                         {"methods", "bm25", "mrr10"},
		"misses.0.ranks.graph":                       {"misses", "0", "ranks", "graph"},
		`development.settings["typed:hybrid:2:0.3"]`: {"development", "settings", "typed:hybrid:2:0.3"},
		`score["a \"b\" \\ c."].x`:                   {"score", `a "b" \ c.`, "x"},
		"":                                           nil, ".": nil, "a..b": nil, "a.": nil, "a[0]": nil, `a["b`: nil, `a["b"`: nil,
		`a["b"]c`: nil, `a["b"].`: nil, `["a"]["b"]`: {"a", "b"}, `a["b"].c`: {"a", "b", "c"},
	} {
		got, err := Split(path)
		if (err == nil) != (want != nil) || !cmp.Equal(got, want) {
			t.Errorf("Split(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestJoinSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.String(), 1, 6).Draw(t, "keys")
		path := ""
		for _, k := range keys {
			path = Join(path, k)
		}
		got, err := Split(path)
		if err != nil || !cmp.Equal(got, keys) {
			t.Fatalf("Split(%q) = %q, %v; want %q", path, got, err, keys)
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(`a.b["c.d"].e`)
	f.Fuzz(func(t *testing.T, path string) {
		keys, err := Split(path)
		if err != nil {
			return
		}
		again := ""
		for _, k := range keys {
			again = Join(again, k)
		}
		if back, err := Split(again); err != nil || !cmp.Equal(back, keys) {
			t.Fatalf("%q → %q → %q: %v", path, keys, again, err)
		}
	})
}
