package text

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func analyzer(t *testing.T, kind string, stop ...string) *Analyzer {
	t.Helper()
	a, err := New(kind, stop)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		"The Second LAW":               "second law",
		"don't stop-words":             "don t stop words",
		"x7 7x 007":                    "x7 7x 007",
		"café naïve":                   "caf na ve",     // é and ï separate
		"\u212aelvin \u0130stanbul":    "elvin stanbul", // Kelvin sign and dotted İ are not ASCII letters
		"a\u2019b\u00a0c\u200bd":       "a b c d",
		"snake_case; a\tb\nc":          "snake case a b c",
		"":                             "",
		"the THE The":                  "",
		"\xff\xfebytes\x00that\x80are": "bytes that are",
		strings.Repeat("Ab", 100):      strings.Repeat("ab", 100), // longer than the buffer
	} {
		if got := strings.Join(analyzer(t, "ascii", "the").Tokens(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Full case folding is that of CaseFolding.txt, statuses C and F; composition that of NFC.
func TestUnicode(t *testing.T) {
	for text, want := range map[string]string{
		"Straße STRASSE ẞ":            "strasse strasse ss",
		"Σίσυφος ΣΊΣΥΦΟΣ":             "σίσυφοσ σίσυφοσ", // final sigma folds to sigma
		"\u0130":                      "i\u0307",         // İ is i with a dot above, which NFC does not join
		"I":                           "i",               // not Turkic
		"cafe\u0301 CAFÉ":             "café café",       // composed
		"q\u0323\u0307 q\u0307\u0323": "q\u0323\u0307 q\u0323\u0307",
		"\u212b \u212a":               "å k",              // Ångström and Kelvin signs
		"naïve—idea: R17, x²":         "naïve idea r17 x", // ² is no decimal digit
		"١٢٣ ७८":                      "١٢٣ ७८",
		"ﬁne ﬀ":                       "fine ff", // ligatures fold to letters
		"a≠b a=\u0338b":               "a b a b", // the stroke joins with =, which separates
		"ⅷ a_b":                       "a b",     // letter numbers and connectors separate
		"हिन्दी":                      "हिन्दी",  // marks belong to the word
		"The tHE":                     "",
		"\xffa\xc3":                   "a", // invalid UTF-8 separates
	} {
		if got := strings.Join(analyzer(t, "unicode", "the").Tokens(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestUnknownAnalyzer(t *testing.T) {
	if _, err := New("porter", nil); err == nil || !strings.Contains(err.Error(), `"porter"`) || !strings.Contains(err.Error(), "ascii") {
		t.Error(err)
	}
}

// texts draws texts with every kind of trouble that the analyzers know of.
var texts = rapid.StringOf(rapid.OneOf(
	rapid.RuneFrom([]rune("abzABZ019 .,-_'éÉßẞςΣİıﬁ≠²५\u00a0\u200b\u202e\u2028")),
	rapid.RuneFrom(nil, unicode.L, unicode.M, unicode.Nd, unicode.P, unicode.S)))

func TestSpansAreTokensInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _ := New(rapid.SampledFrom(Names()).Draw(t, "kind"), []string{"a", "b", "ss"})
		s := texts.Draw(t, "text")
		tokens, end := a.Tokens(s), 0
		var fromSpans []string
		for _, span := range a.Spans(s) {
			if span.Start < end || span.End <= span.Start || span.End > len(s) || !utf8.ValidString(s[span.Start:span.End]) {
				t.Fatalf("%q: span %+v", s, span)
			}
			again := a.Tokens(s[span.Start:span.End])
			if len(again) != 1 || again[0] != span.Token {
				t.Fatalf("%q: %q at %d–%d gives the tokens %q, the span says %q", s, s[span.Start:span.End], span.Start, span.End, again, span.Token)
			}
			end = span.End
			fromSpans = append(fromSpans, span.Token)
		}
		if joins(s) || joins(norm.NFC.String(s)) {
			return
		}
		if !cmp.Equal(fromSpans, tokens) {
			t.Fatalf("%q: spans %q, tokens %q", s, fromSpans, tokens)
		}
	})
}

// joins reports whether a mark stands after something that is no letter, mark or digit: the case that Spans excepts.
func joins(s string) bool {
	inside := true
	for _, r := range s {
		if unicode.IsMark(r) && !inside {
			return true
		}
		inside = unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r)
	}
	return false
}

//go:embed testdata/fold.tsv
var foldTable string

// Every code point, against Python's str.casefold (testdata/fold.py).
func TestFoldTable(t *testing.T) {
	want := map[rune]string{}
	for line := range strings.Lines(foldTable) {
		var runes []rune
		for _, field := range strings.Fields(line) {
			r, err := strconv.ParseInt(field, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			runes = append(runes, rune(r))
		}
		want[runes[0]] = string(runes[1:])
	}
	if len(want) != 1530 {
		t.Fatalf("%d lines", len(want))
	}
	for r := rune(0); r < 0x20000; r++ { // the planes with letters that have case
		if !utf8.ValidRune(r) {
			continue
		}
		folded, ok := want[r]
		if !ok {
			folded = string(r)
		}
		if got := foldFull(string(r)); got != folded {
			t.Errorf("%U folds to %+q, want %+q", r, got, folded)
		}
	}
}

func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "text")
		once := Fold(s)
		if Fold(norm.NFD.String(s)) != once || Fold(norm.NFC.String(s)) != once {
			t.Fatalf("%q folds by its composition", s)
		}
		if !norm.NFC.IsNormalString(once) {
			t.Fatalf("%q folds to %q, which is not NFC", s, once)
		}
		if Fold(once) != once {
			t.Fatalf("%q folds to %q, that to %q", s, once, Fold(once))
		}
	})
	for s, want := range map[string]string{"": "", "ABC z": "abc z", "Ä": "ä", "A\u0308": "ä"} {
		if got := Fold(s); got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestToken(t *testing.T) {
	for _, c := range []struct{ name, word, want string }{
		{"ascii", "the", "the"}, {"ascii", "don't", "don t"}, {"ascii", "The", "the"}, {"ascii", "–", ""},
		{"unicode", "Straße", "strasse"}, {"unicode", "a b", "a b"},
		{"whitespace", "don't", "don't"}, {"whitespace", " a\u00a0B\n", "a B"},
		{"english", "don't", "don't"}, {"english", "running", "run"}, {"english", "the", ""}, {"english", "what", "what"},
	} {
		if got := strings.Join(analyzer(t, c.name, "the", "run", "what").Token(c.word), " "); got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.name, c.word, got, c.want)
		}
	}
	// Given stop words fall after stemming, in addition to the analyzer's own.
	if got := strings.Join(analyzer(t, "english", "run").Tokens("The running of what runs"), " "); got != "what" {
		t.Errorf("%q", got)
	}
	if _, err := New("englisch", nil); err == nil || !strings.Contains(err.Error(), "ascii, unicode, whitespace, english") {
		t.Error(err)
	}
}
