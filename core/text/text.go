// Package text turns text into tokens.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"retrace/core/nfc"
)

// An Analyzer turns a text into the tokens that are indexed and searched; documents and questions go through the same one.
type Analyzer struct {
	kind string
	stop map[string]bool
}

// Kinds are the analyzers that a study may name.
//
//   - "ascii": ASCII letters lowercased, tokens are maximal runs of [a-z0-9], any other byte separates.
//   - "unicode": NFC, full case folding, NFC again; tokens are maximal runs of the categories L*, M* and Nd.
var Kinds = []string{"ascii", "unicode"}

// New returns the analyzer of the given kind that drops the given stop words; tokens are compared with them after
// processing, so they are to be given as tokens.
func New(kind string, stopwords []string) (*Analyzer, error) {
	if kind != "ascii" && kind != "unicode" {
		return nil, fmt.Errorf("text: unknown analyzer %q: use one of %s", kind, strings.Join(Kinds, ", "))
	}
	stop := make(map[string]bool, len(stopwords))
	for _, w := range stopwords {
		stop[w] = true
	}
	return &Analyzer{kind, stop}, nil
}

// A Span is one token with the place in the text that it came from, in bytes.
type Span struct {
	Token      string
	Start, End int
}

// Tokens returns the tokens of s in order, stop words dropped.
func (a *Analyzer) Tokens(s string) []string {
	var tokens []string
	if a.kind == "ascii" {
		a.eachASCII(s, func(token string, _, _ int) { tokens = append(tokens, token) })
		return tokens
	}
	s = Fold(s)
	eachRun(s, func(start, end int) {
		if token := s[start:end]; !a.stop[token] {
			tokens = append(tokens, token)
		}
	})
	return tokens
}

// Spans returns the tokens of s with their places in s, for marking matches. Under the unicode analyzer each run of the
// original text is folded by itself; that gives the tokens of Tokens, unless composition joins a combining mark with
// a symbol before it, as the stroke of ≠, or parts the two.
func (a *Analyzer) Spans(s string) []Span {
	var spans []Span
	if a.kind == "ascii" {
		a.eachASCII(s, func(token string, start, end int) { spans = append(spans, Span{token, start, end}) })
		return spans
	}
	eachRun(s, func(start, end int) {
		if token := Fold(s[start:end]); !a.stop[token] {
			spans = append(spans, Span{token, start, end})
		}
	})
	return spans
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

func (a *Analyzer) eachASCII(s string, yield func(token string, start, end int)) {
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
		if !a.stop[token] {
			yield(token, start, i)
		}
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
