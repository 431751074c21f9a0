package phrase

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/kit"
)

func TestCompile(t *testing.T) {
	for pattern, want := range map[string][]string{
		"differ(?:s|ed|ing)?|versus": {"differ", "differed", "differing", "differs", "versus"},
		"le(?:ad|ads|d|ading) to":    {"lead to", "leading to", "leads to", "led to"},
		"assumptions?":               {"assumption", "assumptions"},
		"A(?:b(?:c|d)?)?":            {"a", "ab", "abc", "abd"},
		"":                           nil, "a|": nil, "a?": nil, "(?:a": nil, "a)": nil, "a*": nil, "[ab]": nil, "(a)": nil, `\d`: nil, "a.b": nil, "??": nil,
		strings.Repeat("(?:a|b)", 13):                             nil, // 8,192 phrases
		strings.Repeat("(?:", 10) + "a" + strings.Repeat(")", 10): nil,
	} {
		p, err := Compile(pattern)
		if (err == nil) != (want != nil) {
			t.Errorf("Compile(%q): %v", pattern, err)
			continue
		}
		if want != nil && !cmp.Equal(p.Phrases(), want) {
			t.Errorf("Compile(%q) = %q, want %q", pattern, p.Phrases(), want)
		}
	}
}

// TestAgainstRegexp compares every pattern of the bundled cues with package regexp, on random texts out of the phrases'
// own pieces and on every need and definition of the kit.
func TestAgainstRegexp(t *testing.T) {
	data, err := kit.FS.ReadFile("r02/cues.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := kit.FS.ReadFile("r02/tasks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		_, pattern, _ := strings.Cut(strings.TrimSpace(line), "\t")
		mine, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		theirs := regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`)
		compare := func(text string) string {
			if mine.Match(text) != theirs.MatchString(text) {
				return text
			}
			return ""
		}
		for _, need := range strings.Split(string(tasks), "\n") {
			if s := compare(need); s != "" {
				t.Errorf("%q differs on %q", pattern, s)
			}
		}
		pieces := append(mine.Phrases(), " ", "-", "_", "s", "ed", "é", "ſ", "\u212a", "1", "x", "A", "\xff", "to", "\n")
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
			if rapid.Bool().Draw(t, "upper") {
				text = strings.ToUpper(text)
			}
			if compare(text) != "" {
				t.Fatalf("%q: package regexp says %v", text, theirs.MatchString(text))
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	f.Add("differ(?:s|ed|ing)?|versus", "It differs.")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := Compile(pattern)
		if err != nil {
			return
		}
		want := regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`).MatchString(text)
		if got := p.Match(text); got != want {
			t.Fatalf("%q in %q: %v, package regexp says %v", pattern, text, got, want)
		}
	})
}
