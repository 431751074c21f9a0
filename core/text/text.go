// Package text turns text into tokens.
package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"retrace/core/english"
	"retrace/core/nfc"
)

// An Analyzer turns a text into the tokens that are indexed and searched; documents and questions go through the same one.
// It may be used by several goroutines at once.
type Analyzer struct {
	kind    *Kind
	stop    map[string]bool
	english *english.Analyzer // of that kind only
}

// A Kind is an analyzer that a study may name. What a name yields never changes: another version gets another name.
type Kind struct {
	Name     string
	Source   string // what fixes it, with its version
	Sentence string // what it does, for people
	each     func(a *Analyzer, s string, yield func(token string, start, end int))
}

// Table lists every analyzer.
var Table = []Kind{
	{"ascii", "this project, version 1",
		"ASCII letters are lowercased, tokens are maximal runs of a-z and 0-9, any other byte separates", eachASCII},
	{"unicode", "this project, version 1; Unicode 15.0.0 (normal form C, full case folding, categories)",
		"normal form C, full case folding, normal form C; tokens are maximal runs of letters, marks and decimal digits", eachFolded},
	{"whitespace", "this project, version 1; Unicode 15.0.0 (White_Space)",
		"tokens are maximal runs of anything but white space, as they stand", eachField},
	{"english", "Lucene 9.12.1, EnglishAnalyzer; Unicode 12.1.0 (Word_Break), Emoji 12.1, case of Unicode 15.0.0",
		"words by UAX #29, possessive 's off, lower case, 33 stop words dropped, Porter's stems", eachEnglish},
}

// Names returns the analyzers' names, in the order of the table.
func Names() []string {
	names := make([]string, len(Table))
	for i, k := range Table {
		names[i] = k.Name
	}
	return names
}

// New returns the analyzer of the given name that drops the given stop words, in addition to those that english drops by
// itself; tokens are compared with them after processing, so they are to be given as tokens.
func New(name string, stopwords []string) (*Analyzer, error) {
	i := slices.IndexFunc(Table, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("text: unknown analyzer %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	a := &Analyzer{kind: &Table[i], stop: make(map[string]bool, len(stopwords))}
	for _, w := range stopwords {
		a.stop[w] = true
	}
	if name == "english" {
		a.english = english.New()
	}
	return a, nil
}

// Kind returns the table's line of the analyzer.
func (a *Analyzer) Kind() Kind { return *a.kind }

// A Span is one token with the place in the text that it came from, in bytes.
type Span struct {
	Token      string
	Start, End int
}

// Tokens returns the tokens of s in order, stop words dropped.
func (a *Analyzer) Tokens(s string) []string { return a.tokens(s, a.stop) }

// Token returns what a word becomes before the analyzer's given stop words are dropped: nothing, one token or several. So a
// stop word or any other word that is compared with tokens can have an effect only where Token returns that very word alone.
func (a *Analyzer) Token(word string) []string { return a.tokens(word, nil) }

func (a *Analyzer) tokens(s string, stop map[string]bool) []string {
	var tokens []string
	keep := func(token string, _, _ int) {
		if !stop[token] {
			tokens = append(tokens, token)
		}
	}
	if a.kind.Name == "unicode" { // the whole text is folded before it is cut
		s = Fold(s)
		eachRun(s, func(start, end int) { keep(s[start:end], start, end) })
		return tokens
	}
	a.kind.each(a, s, keep)
	return tokens
}

// Spans returns the tokens of s with their places in s, for marking matches. Under the unicode analyzer each run of the
// original text is folded by itself; that gives the tokens of Tokens, unless composition joins a combining mark with
// a symbol before it, as the stroke of ≠, or parts the two.
func (a *Analyzer) Spans(s string) []Span {
	var spans []Span
	a.kind.each(a, s, func(token string, start, end int) {
		if !a.stop[token] {
			spans = append(spans, Span{token, start, end})
		}
	})
	return spans
}

// eachFolded yields the maximal runs of letters, marks and decimal digits, each folded.
func eachFolded(_ *Analyzer, s string, yield func(token string, start, end int)) {
	eachRun(s, func(start, end int) { yield(Fold(s[start:end]), start, end) })
}

func eachEnglish(a *Analyzer, s string, yield func(token string, start, end int)) {
	a.english.Each(s, yield)
}

// eachField yields what white space separates.
func eachField(_ *Analyzer, s string, yield func(token string, start, end int)) {
	start := -1
	for i, r := range s + " " {
		if white := unicode.IsSpace(r); !white && start < 0 {
			start = i
		} else if white && start >= 0 {
			yield(s[start:i], start, i)
			start = -1
		}
	}
}

// eachRun yields the maximal runs of letters, marks and decimal digits.
func eachRun(s string, yield func(start, end int)) {
	start := -1
	for i, r := range s {
		inside := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r)
		if inside && start < 0 {
			start = i
		} else if !inside && start >= 0 {
			yield(start, i)
			start = -1
		}
	}
	if start >= 0 {
		yield(start, len(s))
	}
}

func eachASCII(_ *Analyzer, s string, yield func(token string, start, end int)) {
	var buffer [64]byte
	for i := 0; i < len(s); {
		if lowerASCII(s[i]) == 0 {
			i++
			continue
		}
		start, upper := i, false
		word := buffer[:0]
		for ; i < len(s); i++ {
			c := lowerASCII(s[i])
			if c == 0 {
				break
			}
			upper = upper || c != s[i]
			word = append(word, c)
		}
		token := s[start:i]
		if upper {
			token = string(word)
		}
		yield(token, start, i)
	}
}

// lowerASCII returns the lower-case letter or digit, 0 for a byte that separates tokens.
func lowerASCII(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return c
	case 'A' <= c && c <= 'Z':
		return c + ('a' - 'A')
	}
	return 0
}

// Fold returns NFC(full case folding(NFC(s))), The Unicode Standard, section 3.13, with the version of Unicode of
// golang.org/x/text; a byte that is not UTF-8 becomes U+FFFD.
func Fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	return nfc.String(foldFull(nfc.String(s)))
}
