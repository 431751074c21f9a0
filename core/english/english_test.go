package english

import (
	"bufio"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func tokens(a *Analyzer, s string) []string {
	var list []string
	a.Each(s, func(token string, _, _ int) { list = append(list, token) })
	return list
}

// Each by a rule: WB is UAX #29's number of it, the others are named.
func TestEnglish(t *testing.T) {
	a := New()
	for text, want := range map[string]string{
		"cat's CAT\u2019S dog\uff07s dogs'":             "cat cat dog dog", // possessives off; after dogs no letter follows the ' (WB6)
		"it's its'":                                     "it",              // the stop word it falls when the 's is off; its loses its s only to the stemmer
		"don't can\u2019t 'tis rock\u2019":              "don't can\u2019t ti rock",
		"a_b __ _x_ 1_a":                                "a_b _x_ 1_a",                                 // WB13a, WB13b: connectors join, alone they are no word
		"3.14 1,000.50 3. .5 3..4 1.x x.1":              "3.14 1,000.50 3 5 3 4 1 x x 1",               // WB11, WB12 ask for digits on both sides, WB6 for letters
		"x:y x::y e.g. U.S.":                            "x:y x y e.g u.",                              // WB6, WB7; e.g keeps its g, u.s loses the plural s
		"カタカナ漢字ひら가나":                                    "カタカナ 漢 字 ひ ら 가나",                             // WB13; WB999; Hangul syllables are letters, WB5
		"カx x1カ 1カ":                                     "カ x x1 カ 1 カ",                                // Katakana joins Katakana only
		"\u05d0'\u05d1 \u05d0' \u05d0\"\u05d1 \u05d0\"": "\u05d0'\u05d1 \u05d0' \u05d0\"\u05d1 \u05d0", // WB7a to WB7c
		"so\u00adft a\u0301 \u0301b a\u200db":           "so\u00adft a\u0301 b a\u200db",               // WB4: formats and marks join what is before
		"\U0001F1EB\U0001F1F7\U0001F1E9":                "\U0001F1EB\U0001F1F7",                        // two regional indicators are a flag, one is nothing
		"1\ufe0f\u20e3 #\u20e3 # \u00a9":                "1\ufe0f\u20e3 #\u20e3 \u00a9",                // keys; # alone is no emoji
		"\u261d\U0001F3FB\u200d\u2764\ufe0f!":           "\u261d\U0001F3FB\u200d\u2764\ufe0f",          // skin tone, joiner, coloured heart
		"ภาษาไทย":                                       "ภาษาไทย",
		"\xffcat\xfe":                                   "cat",
		"":                                              "",
		"of the and":                                    "",
		"ΟΔΟΣ İx":                                       "οδοσ ix",         // character by character: no final sigma, dotted İ is i
		"ea\u0301ing bcéing":                            "ea\u0301 bcéing", // a vowel before ing; é is none for Porter
	} {
		if got := strings.Join(tokens(a, text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if n := len(strings.Fields(StopWords)); n != 33 {
		t.Errorf("%d stop words, Lucene has 33", n)
	}
	long := strings.Repeat("b", 254) + "\U0001d4d0b" // 254 + 2 code units do not fit into 255
	if got := tokens(a, long); len(got) != 2 || got[0] != strings.Repeat("b", 254) || got[1] != "\U0001d4d0b" {
		t.Errorf("a long word: %q", got)
	}
}

// The examples of Porter's paper (Program 14(3), 1980), section 2, by step, of whole words as the steps together leave them,
// each worked through by hand; bli and logi are those of his program.
func TestPorter(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat", // 1a
		"feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", // 1b
		"conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall",
		"hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
		"happy": "happi", "sky": "sky", // 1c
		"relational": "relat", "conditional": "condit", "rational": "ration", "valenci": "valenc", "hesitanci": "hesit", // 2
		"digitizer": "digit", "conformabli": "conform", "radicalli": "radic", "differentli": "differ", "vileli": "vile",
		"analogousli": "analog", "vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal",
		"decisiveness": "decis", "hopefulness": "hope", "callousness": "callous", "formaliti": "formal", "sensitiviti": "sensit",
		"sensibiliti": "sensibl", "possibli": "possibl", "archaeologi": "archaeolog", "geologi": "geologi",
		"triplicate": "triplic", "formative": "form", "formalize": "formal", "electriciti": "electr", "electrical": "electr", // 3
		"hopeful": "hope", "goodness": "good",
		"revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin", "gyroscopic": "gyroscop", // 4
		"adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac", "adjustment": "adjust",
		"dependent": "depend", "adoption": "adopt", "homologou": "homolog", "communism": "commun", "activate": "activ",
		"angulariti": "angular", "homologous": "homolog", "effective": "effect", "bowdlerize": "bowdler", "element": "element",
		"probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll", // 5
		"is": "is", "ion": "ion", "ing": "ing", "sses": "ss", "aed": "a", "yes": "ye", "syzygy": "syzygi",
	} {
		if got := stemOf(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// stemOf is the stem that the analyzer gives to one lower-case word, which must be no stop word.
func stemOf(word string) string {
	a := New()
	a.stop = nil
	return strings.Join(tokens(a, word), " ")
}

//go:embed testdata/english.tsv
var luceneTokens string

// Against Lucene 9.12.1: testdata/English.java printed the fixture. The same comparison with 603,000 texts so drawn, and with
// every character up to U+1FFFF in nine surroundings, found no difference.
func TestEnglishLucene(t *testing.T) {
	a := New()
	lines := strings.Split(strings.TrimSuffix(luceneTokens, "\n"), "\n")
	if len(lines) != 444 {
		t.Fatal(len(lines), "lines")
	}
	for n, line := range lines {
		quotedText, quotedTokens, _ := strings.Cut(line, "\t")
		text, err := strconv.Unquote(quotedText)
		want, err2 := strconv.Unquote(quotedTokens)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(n+1, err)
		}
		if got := strings.Join(tokens(a, text), " "); got != want {
			t.Errorf("line %d: %+q gives %+q, Lucene %+q", n+1, text, got, want)
		}
	}
}

// The words of plain scripts must be those that rivo/uniseg finds by UAX #29 (there Unicode 15). Emoji, Hebrew quotation
// marks, ideographs and South East Asian letters are apart: Lucene has rules of its own for them.
func TestWordsAgainstUniseg(t *testing.T) {
	var w splitter
	w.unpack()
	alphabet := rapid.StringOf(rapid.RuneFrom([]rune("aéZяא٣09カ_‿'’.,;·\u0301\u00ad\u200d -\n!")))
	rapid.Check(t, func(t *rapid.T) {
		s := alphabet.Draw(t, "text")
		if strings.ContainsRune(s, 'א') && strings.ContainsRune(s, '\'') {
			return
		}
		var want, got []string
		for rest, state := s, -1; rest != ""; {
			var word string
			word, rest, state = uniseg.FirstWordInString(rest, state)
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				want = append(want, word)
			}
		}
		w.each(s, func(start, end int) { got = append(got, s[start:end]) })
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%+q: %+q, uniseg has %+q", s, got, want)
		}
	})
}

// Lucene 9.12.1's own tokens of the shared definitions, questions and hard strings: each must be equal.
func TestEnglishPeers(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared", "data")
	peers := filepath.Join(shared, "peers", "lucene")
	if _, err := os.Stat(peers); errors.Is(err, fs.ErrNotExist) {
		t.Skip("no ../shared/data/peers/lucene beside the project: nothing to compare with")
	}
	a := New()
	compared := func(name string, texts map[string]string) {
		n := 0
		for _, line := range readLines(t, filepath.Join(peers, name)) {
			id, want, _ := strings.Cut(line, "\t")
			text, ok := texts[id]
			if !ok {
				t.Fatalf("%s: no text %q", name, id)
			}
			if got := strings.Join(tokens(a, text), " "); got != want {
				t.Errorf("%s, %s: %q gives\n%q, Lucene\n%q", name, id, text, got, want)
			}
			n++
		}
		if n != len(texts) {
			t.Errorf("%s: %d texts compared of %d", name, n, len(texts))
		}
	}
	cases := map[string]string{}
	for _, line := range readLines(t, filepath.Join(peers, "cases.tsv")) {
		id, text, _ := strings.Cut(line, "\t")
		cases[id] = text
	}
	compared("cases.tokens.tsv", cases)
	concepts := map[string]string{}
	for _, line := range readLines(t, filepath.Join("..", "..", "kit", "concepts", "corpus.jsonl")) {
		var d struct{ ID, Title, Text string }
		decode(t, line, &d)
		concepts[d.ID] = d.Title + " " + d.Text
	}
	compared("concepts.tokens.tsv.gz", concepts)
	questions := map[string]string{}
	for _, line := range readLines(t, filepath.Join("..", "..", "kit", "r01", "questions.jsonl")) {
		var d struct{ ID, Text string }
		decode(t, line, &d)
		questions[d.ID] = d.Text
	}
	compared("r01-questions.tokens.tsv.gz", questions)
}

func decode(t *testing.T, line string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(strings.Replace(line, `"_id"`, `"id"`, 1)), into); err != nil {
		t.Fatal(err)
	}
}

// readLines reads a text file, packed or not, without its last line's end.
func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		scanner = bufio.NewScanner(z)
	}
	scanner.Buffer(nil, 1<<24)
	var lines []string
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if scanner.Err() != nil {
		t.Fatal(scanner.Err())
	}
	return lines
}

func FuzzEnglish(f *testing.F) {
	f.Add("The runner's shoes weren't John\u2019s")
	f.Add("\U0001F469\u200d\U0001F467 1\ufe0f\u20e3")
	f.Fuzz(func(t *testing.T, s string) {
		a := New()
		last := 0
		a.Each(s, func(token string, start, end int) {
			if start < last || end <= start || end > len(s) || token == "" || !utf8.ValidString(token) {
				t.Fatalf("%q: %q at %d–%d", s, token, start, end)
			}
			last = end
		})
	})
}
