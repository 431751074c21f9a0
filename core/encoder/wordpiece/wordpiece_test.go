package wordpiece

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// small returns testdata/small.json with some fields of some sections changed and some added tokens appended.
func small(t testing.TB, set map[string]map[string]any, added []any) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	if err := json.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	for section, fields := range set {
		maps.Copy(f[section].(map[string]any), fields)
	}
	f["added_tokens"] = append(f["added_tokens"].([]any), added...)
	file, err = json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func ids(pieces []Piece) []int {
	out := make([]int, len(pieces))
	for i, p := range pieces {
		out[i] = p.ID
	}
	return out
}

// TestReference compares with what tokenizers 0.23.3 printed (testdata/reference.py).
func TestReference(t *testing.T) {
	f, err := os.Open("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	cases := 0
	for lines.Scan() {
		var line struct {
			Set   map[string]map[string]any
			Added []any
			Limit int
			Cases []struct {
				Text      string
				IDs       []int
				Truncated bool
			}
			Words string // instead of cases: the hash of every character's words
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		tokenizer, err := Parse(small(t, line.Set, line.Added))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range line.Cases {
			pieces, truncated, err := tokenizer.Encode(c.Text, line.Limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.IDs, ids(pieces)); diff != "" || truncated != c.Truncated {
				t.Errorf("%v %v %+q: got %v, truncated %v (-want +got):\n%s", line.Set, line.Added, c.Text, pieces, truncated, diff)
			}
			cases++
		}
		if line.Words != "" {
			if got := hashOfEveryCharacter(tokenizer.normalizer); got != line.Words {
				t.Errorf("%v: words of all characters have hash %s, want %s", line.Set, got, line.Words)
			}
			cases++
		}
	}
	if cases < 400 {
		t.Errorf("%d cases read: the file is not whole", cases)
	}
}

func hashOfEveryCharacter(n normalizer) string {
	h := sha256.New()
	out := bufio.NewWriter(h)
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		first := true
		split(n.normalize("A"+string(r)+"b"), func(word string) bool {
			if !first {
				out.WriteByte('\t')
			}
			first = false
			out.WriteString(word)
			return true
		})
		out.WriteByte('\n')
	}
	out.Flush()
	return hex.EncodeToString(h.Sum(nil))
}

// TestOrder has runs of marks that canonical ordering must sort, by the classes of UnicodeData.txt: U+0334 has 1,
// U+0327 202, U+0323 220, U+0301 and U+0302 230, U+0345 240.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\u0301\u0323", "a\u0323\u0301"},
		{"a\u0345\u0301\u0327\u0334b\u0302\u0301", "a\u0334\u0327\u0301\u0345b\u0302\u0301"},
		{"\u1e69", "s\u0323\u0307"},            // ṩ decomposes in canonical order
		{"\u1e9b\u0323", "\u017f\u0323\u0307"}, // the example of Unicode Standard Annex 15, table 8
		{"각", "\u1100\u1161\u11a8"},
		{"가", "\u1100\u1161"},
	} {
		if got := decompose(c.in); got != c.want {
			t.Errorf("decompose(%+q) = %+q, want %+q", c.in, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	tokenizer, err := Parse(small(t, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit, pieces int
		truncated     bool
	}{{0, 7, false}, {7, 7, false}, {6, 6, true}, {3, 3, true}, {2, 2, true}} {
		pieces, truncated, err := tokenizer.Encode("hello world the naive cafe", c.limit)
		if err != nil || len(pieces) != c.pieces || truncated != c.truncated || pieces[0].Text != "[CLS]" || pieces[len(pieces)-1].Text != "[SEP]" {
			t.Errorf("limit %d: %v, truncated %v, %v", c.limit, pieces, truncated, err)
		}
	}
	if _, _, err := tokenizer.Encode("hello", 1); err == nil || !strings.Contains(err.Error(), "at least 2") {
		t.Errorf("a limit of 1: %v", err)
	}
	if _, _, err := tokenizer.Encode("a\xffb", 0); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("text that is not UTF-8: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	type sections = map[string]map[string]any
	token := map[string]any{"id": 0, "special": true, "content": "new", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}
	with := func(key string, value any) []any {
		changed := maps.Clone(token)
		changed[key] = value
		return []any{changed}
	}
	for _, c := range []struct {
		name  string
		set   sections
		added []any
		want  string
	}{
		{"another model", sections{"model": {"type": "BPE"}}, nil, `model is "BPE": only WordPiece`},
		{"another normalizer", sections{"normalizer": {"type": "Sequence"}}, nil, `normalizer is "Sequence"`},
		{"another pre-tokenizer", sections{"pre_tokenizer": {"type": "Whitespace"}}, nil, `pre_tokenizer is "Whitespace"`},
		{"an unknown switch", sections{"normalizer": {"fold_case": true}}, nil, "fold_case"},
		{"a missing switch", sections{"normalizer": {"lowercase": nil}}, nil, "lowercase"},
		{"no vocabulary", sections{"model": {"vocab": map[string]int{}}}, nil, `"[UNK]" is not in vocab`},
		{"an id twice", sections{"model": {"vocab": map[string]int{"[UNK]": 1, "a": 1}}}, nil, "id 1 twice"},
		{"no room for characters", sections{"model": {"max_input_chars_per_word": 0}}, nil, "must be 1 to 1000"},
		{"an added token with another id", nil, with("content", "hello"), `"hello" has id 0 here`},
		{"an added token twice", nil, with("content", "[PAD]"), "there twice"},
		{"an added token without content", nil, with("content", nil), "must be there"},
		{"an added token with an unknown flag", nil, with("fuzzy", true), "fuzzy"},
		{"a text of another type", sections{"post_processor": {"single": []any{map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 1}}}}}, nil, "all of type 0"},
		{"no text", sections{"post_processor": {"single": []any{}}}, nil, "sequence A 0 times"},
		{"another special token", sections{"post_processor": {"special_tokens": map[string]any{}}}, nil, `"[CLS]" is not declared`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(small(t, c.set, c.added))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	for _, file := range []string{"", "{", "[]", "null", "{}", `{"model":null}`, `{"model":{"type":"WordPiece","vocab":[]}}`} {
		if _, err := Parse([]byte(file)); err == nil || !strings.HasPrefix(err.Error(), "wordpiece: ") {
			t.Errorf("Parse(%q): %v", file, err)
		}
	}
}

// FuzzEncode looks for a panic, an id that is not in the vocabulary, and a limit that changes more than the end.
func FuzzEncode(f *testing.F) {
	tokenizer, err := Parse(small(f, nil, nil))
	if err != nil {
		f.Fatal(err)
	}
	vocab := tokenizer.vocabulary.whole
	f.Add("naïve [CLS] 日本\u0301", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		all, truncated, err := tokenizer.Encode(text, 0)
		if utf8.ValidString(text) != (err == nil) || truncated {
			t.Fatalf("no limit: truncated %v, %v", truncated, err)
		}
		if err != nil {
			return
		}
		for _, p := range all {
			if id, ok := vocab[p.Text]; !ok || id != p.ID {
				t.Fatalf("%v is not in the vocabulary", p)
			}
		}
		limit = 2 + (limit&0xff+0x100)&0xff
		some, truncated, err := tokenizer.Encode(text, limit)
		if err != nil || truncated != (len(all) > limit) || len(some) != min(limit, len(all)) {
			t.Fatalf("limit %d: %d of %d pieces, truncated %v, %v", limit, len(some), len(all), truncated, err)
		}
		if n := len(some) - 1; !slices.Equal(some[:n], all[:n]) {
			t.Fatalf("limit %d changes more than the end: %v, without limit %v", limit, some, all)
		}
	})
}

// FuzzParse looks for a panic in files that are not what they should be.
func FuzzParse(f *testing.F) {
	f.Add(small(f, nil, nil))
	f.Add([]byte(`{"model":{"type":"WordPiece"}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		tokenizer, err := Parse(file)
		if err != nil {
			return
		}
		if _, _, err := tokenizer.Encode("Hello [CLS] naïve", 0); err != nil {
			t.Fatal(err)
		}
	})
}
