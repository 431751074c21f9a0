// Package english turns English text into tokens as Lucene 9.12.1's EnglishAnalyzer does.
package english

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// StopWords are Lucene's default for English, which the analyzer drops.
const StopWords = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to " +
	"was will with"

// An Analyzer may be used by several goroutines at once.
type Analyzer struct {
	words splitter
	stop  map[string]bool
}

// New returns the analyzer with its tables unpacked.
func New() *Analyzer {
	a := &Analyzer{stop: map[string]bool{}}
	a.words.unpack()
	for _, w := range strings.Fields(StopWords) {
		a.stop[w] = true
	}
	return a
}

// Each yields the tokens of s with their places in it, in bytes: words, without a possessive 's, in lower case, stop words
// dropped, stemmed, in this order (StandardTokenizer, EnglishPossessiveFilter, LowerCaseFilter, StopFilter,
// PorterStemFilter).
func (a *Analyzer) Each(s string, yield func(token string, start, end int)) {
	var buffer [maxToken]uint16
	a.words.each(s, func(start, end int) {
		if token := lower(withoutPossessive(s[start:end])); !a.stop[token] {
			yield(stem(token, buffer[:0]), start, end)
		}
	})
}

// stem returns the stem of a lower-case word, working in a buffer.
func stem(word string, buffer []uint16) string {
	for _, r := range word {
		buffer = utf16.AppendRune(buffer, r)
	}
	p := stemmer{}
	stem := p.of(buffer)
	if len(stem) == len(word) && sameASCII(stem, word) {
		return word
	}
	return string(utf16.Decode(stem))
}

func sameASCII(units []uint16, s string) bool {
	for i, u := range units {
		if u != uint16(s[i]) || u >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// withoutPossessive takes 's or 'S off the end, with the apostrophes of U+0027, U+2019 and U+FF07.
func withoutPossessive(word string) string {
	head, found := strings.CutSuffix(word, "s")
	if !found {
		if head, found = strings.CutSuffix(word, "S"); !found {
			return word
		}
	}
	for _, apostrophe := range [...]string{"'", "\u2019", "\uff07"} {
		if rest, ok := strings.CutSuffix(head, apostrophe); ok {
			return rest
		}
	}
	return word
}

// lower is simple lower case, character by character.
func lower(word string) string { return strings.Map(unicode.ToLower, word) }
