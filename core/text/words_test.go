package text

import (
	"errors"
	"os"
	"slices"
	"testing"

	"retrace/core/records"
)

// A word of a list must be one token as the analyzer gives it. What each line becomes follows from the definitions of the
// analyzers (Kinds).
func TestReadWords(t *testing.T) {
	const mark = "begins with a byte order mark (U+FEFF), which can't be seen and would belong to the first word"
	for _, c := range []struct {
		kind, data string
		want       []string
		fault      string
	}{
		{"ascii", "the\nof\r\n2nd\n", []string{"the", "of", "2nd"}, ""},
		{"ascii", "", nil, ""},
		{"unicode", "été\nstrasse\n", []string{"été", "strasse"}, ""},
		{"ascii", "\ufeffthe\nof\n", nil, "f:1: " + mark},
		{"unicode", "\ufeffthe\nof\n", nil, "f:1: " + mark},
		{"ascii", "a\nThe\n", []string{"a"}, `f:2: "The" is not one token of the ascii analyzer, which gives "the"`},
		{"ascii", `"the"`, nil, `f:1: "\"the\"" is not one token of the ascii analyzer, which gives "the"`},
		{"ascii", "a, the\n", nil, `f:1: "a, the" is not one token of the ascii analyzer, which gives "a", "the"`},
		{"ascii", "and by\n", nil, `f:1: "and by" is not one token of the ascii analyzer, which gives "and", "by"`},
		{"ascii", "don't\n", nil, `f:1: "don't" is not one token of the ascii analyzer, which gives "don", "t"`},
		{"ascii", "dog's\n", nil, `f:1: "dog's" is not one token of the ascii analyzer, which gives "dog", "s"`},
		{"ascii", "the \n", nil, `f:1: "the " is not one token of the ascii analyzer, which gives "the"`},
		{"ascii", "# words\n", nil, `f:1: "# words" is not one token of the ascii analyzer, which gives "words"`},
		{"ascii", "--\n", nil, `f:1: "--" is not one token of the ascii analyzer, which gives none`},
		{"ascii", "été\n", nil, `f:1: "été" is not one token of the ascii analyzer, which gives "t"`},
		{"unicode", "Straße\n", nil, `f:1: "Straße" is not one token of the unicode analyzer, which gives "strasse"`},
		{"unicode", "e\u0301t\n", nil, "f:1: \"e\u0301t\" is not one token of the unicode analyzer, which gives \"ét\""}, // decomposed
		{"unicode", "l’eau\n", nil, `f:1: "l’eau" is not one token of the unicode analyzer, which gives "l", "eau"`},
	} {
		got, err := stopping(t, c.kind).ReadWords("f", []byte(c.data))
		if !slices.Equal(got, c.want) || said(t, err) != c.fault {
			t.Errorf("%s %q: %q, %v; want %q, %s", c.kind, c.data, got, err, c.want, c.fault)
		}
	}
}

func TestCheckPhrases(t *testing.T) {
	for _, c := range []struct{ kind, phrase, fault string }{
		{"ascii", "rather than", ""},
		{"ascii", "well-known", ""},
		{"ascii", "dog's", ""},
		{"unicode", "2 dogs", ""},
		{"ascii", "rather  than", `f:3: the phrase "rather  than" is not a sequence of tokens of the ascii analyzer, which gives "rather", "than"`},
		{"ascii", "made of ", `f:3: the phrase "made of " is not a sequence of tokens of the ascii analyzer, which gives "made", "of"`},
		{"unicode", " made", `f:3: the phrase " made" is not a sequence of tokens of the unicode analyzer, which gives "made"`},
		{"ascii", "'s", `f:3: the phrase "'s" is not a sequence of tokens of the ascii analyzer, which gives "s"`},
		{"ascii", "-", `f:3: the phrase "-" is not a sequence of tokens of the ascii analyzer, which gives none`},
	} {
		if got := said(t, stopping(t, c.kind).CheckPhrases("f", 3, []string{"fine", c.phrase})); got != c.fault {
			t.Errorf("%s %q: %s, want %s", c.kind, c.phrase, got, c.fault)
		}
	}
}

// The lists of the bundled studies are what they were: 133 words each, as wc -l counts them.
func TestBundledWords(t *testing.T) {
	for _, file := range []string{"r01", "r02"} {
		data, err := os.ReadFile("../../kit/" + file + "/stopwords.txt")
		if err != nil {
			t.Fatal(err)
		}
		if words, err := stopping(t, "ascii").ReadWords(file, data); err != nil || len(words) != 133 {
			t.Error(len(words), err)
		}
	}
}

// said returns an error's text; each has a way out.
func said(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *records.Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Fatalf("no hint in %#v", err)
	}
	return err.Error()
}

// stopping is an analyzer whose stop words must not matter here.
func stopping(t *testing.T, kind string) *Analyzer {
	t.Helper()
	a, err := New(kind, []string{"the", "of", "than"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
