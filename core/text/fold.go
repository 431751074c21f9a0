package text

import (
	"strings"

	"golang.org/x/text/cases"
)

// foldFull is full case folding (CaseFolding.txt, statuses C and F): ß becomes ss, final sigma becomes sigma.
func foldFull(s string) string { return cases.Fold().String(strings.Map(cherokee, s)) }

// cherokee turns capital Cherokee letters into small ones. Cherokee folds to its capitals, which are the older letters;
// cases.Fold folds the small ones so, but the capitals to small ones.
func cherokee(r rune) rune {
	switch {
	case 0x13a0 <= r && r <= 0x13ef:
		return r - 0x13a0 + 0xab70
	case 0x13f0 <= r && r <= 0x13f5:
		return r + 8
	}
	return r
}
