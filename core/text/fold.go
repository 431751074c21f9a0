package text

import "golang.org/x/text/cases"

// foldFull is full case folding (CaseFolding.txt, statuses C and F): ß becomes ss, final sigma becomes sigma.
func foldFull(s string) string { return cases.Fold().String(s) }
