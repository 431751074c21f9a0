package text

import (
	"slices"
	"strings"
	"unicode"
)

// foldFull is full case folding (CaseFolding.txt, statuses C and F): ß becomes ss, final sigma becomes sigma. Most
// characters fold to their lower case; folds has the others.
func foldFull(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		i, found := slices.BinarySearchFunc(folds[:], r, func(f struct {
			from rune
			to   string
		}, r rune) int {
			return int(f.from - r)
		})
		if found {
			b.WriteString(folds[i].to)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
