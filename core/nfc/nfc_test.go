package nfc

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// Examples of UAX #15 (tables 1 to 5 and figures 3 to 6), with escapes for what an editor would change.
func TestExamples(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		"plain":                      "plain",
		"A\u030a":                    "\u00c5",
		"\u212b":                     "\u00c5", // ångström sign
		"\u2126":                     "\u03a9", // ohm sign
		"s\u0323\u0307":              "\u1e69",
		"s\u0307\u0323":              "\u1e69",       // marks in another order
		"\u1e0b\u0323":               "\u1e0d\u0307", // ḋ with a dot below
		"q\u0307\u0323":              "q\u0323\u0307",
		"\ufb01":                     "\ufb01",       // fi stays: its decomposition is not canonical
		"\u0958":                     "\u0915\u093c", // excluded from composition
		"\u1112\u1161\u11ab":         "\ud55c",
		"\ud558\u11ab":               "\ud55c",
		"\u0344":                     "\u0308\u0301",
		"\u0cc6\u0cc2\u0cd5":         "\u0ccb",
		"a\u0315\u0300\u05ae\u0300b": "\u00e0\u05ae\u0300\u0315b", // of NormalizationTest.txt, part 1
		"a\xffb":                     "a\ufffdb",
	} {
		if got := String(s); got != want {
			t.Errorf("String(%+q) = %+q, want %+q", s, got, want)
		}
	}
}

// Every character as golang.org/x/text has it; those that change or combine also decomposed, and beside others.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		texts := []string{string(r)}
		if parts := norm.NFD.String(string(r)); parts != string(r) || classOf(r) != 0 || r < 0x2000 {
			texts = append(texts, parts, "a"+string(r), string(r)+"\u0301", string(r)+"\u0323\u0301")
		}
		for _, s := range texts {
			if got, want := String(s), norm.NFC.String(s); got != want {
				t.Fatalf("String(%+q) = %+q, x/text %+q", s, got, want)
			}
		}
	}
}

// Texts of what takes part in composition, with fewer marks in a row than x/text interrupts.
func TestTexts(t *testing.T) {
	var parts []rune
	for _, s := range steps {
		parts = append(parts, s.from, s.a)
		if s.b != 0 {
			parts = append(parts, s.b)
		}
	}
	for _, c := range classes {
		parts = append(parts, c.first)
	}
	parts = append(parts, 'a', 'e', ' ', lBase, lBase+lCount-1, vBase, vBase+vCount-1, tBase, tBase+1, tBase+tCount-1, sBase, sBase+tCount, sBase+sCount-1)
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "text"))
		got := String(s)
		if want := norm.NFC.String(s); got != want {
			t.Fatalf("String(%+q) = %+q, x/text %+q", s, got, want)
		}
		if String(got) != got {
			t.Fatalf("%+q is not stable", got)
		}
	})
}

// Many marks on one letter take no time to speak of, and no joiner is put between them.
func TestManyMarks(t *testing.T) {
	marks := ""
	for range 10_000 {
		marks += "\u0301\u0323"
	}
	got := []rune(String("a" + marks))
	if len(got) != 20_000 || got[0] != 0x1ea1 || got[9_999] != 0x323 || got[10_000] != 0x301 { // ạ, 9,999 dots below, the acutes
		t.Errorf("%d characters, %U, %U", len(got), got[0], got[10_000])
	}
}
