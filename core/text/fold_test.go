package text

import (
	"testing"
	"unicode"

	"golang.org/x/text/cases"
)

// TestFoldFull compares every character with golang.org/x/text/cases. Cherokee is apart: CaseFolding.txt folds its small
// letters to capitals and leaves the capitals, which cases.Fold turns into small ones.
func TestFoldFull(t *testing.T) {
	fold := cases.Fold()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := fold.String(string(r))
		if 0x13a0 <= r && r <= 0x13f5 {
			want = string(r)
		}
		if got := foldFull(string(r)); got != want && !(0xd800 <= r && r < 0xe000) {
			t.Errorf("foldFull(%U) = %q, want %q", r, got, want)
		}
	}
	for s, want := range map[string]string{"Straße ΣΊΣΥΦΟΣ ﬁn": "strasse σίσυφοσ fin", "İI": "i̇i", "": ""} {
		if got := foldFull(s); got != want {
			t.Errorf("foldFull(%q) = %q, want %q", s, got, want)
		}
	}
}
