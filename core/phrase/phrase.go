// Package phrase finds phrases in text by patterns in the part of RE2's syntax that names a finite set of phrases.
//
// A pattern holds letters, spaces, hyphens and apostrophes, alternatives (a|b), groups (?:…) and what may be left out (x?,
// (?:…)?). It is matched without regard to case and between word boundaries, as `(?i)\b(?:pattern)\b` is by package regexp,
// which tests hold it against. That package itself would bring 90 kB of Unicode tables to the page's compressed engine.
package phrase

import (
	"fmt"
	"slices"
	"strings"
)

// A Pattern is a finite set of phrases.
type Pattern struct{ phrases []string }

// maxPhrases bounds what a pattern may name.
const maxPhrases = 4096

// Compile reads a pattern.
func Compile(pattern string) (*Pattern, error) {
	p := parser{s: pattern}
	set, err := p.alternatives(0)
	if err == nil && p.i < len(pattern) {
		err = p.fail("a closing bracket without its group")
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if set[0] == "" {
		return nil, fmt.Errorf("phrase: %q also names the empty phrase: give every alternative a letter", pattern)
	}
	return &Pattern{set}, nil
}

// Phrases returns the phrases that a pattern names, in lower case and ascending order.
func (p *Pattern) Phrases() []string { return slices.Clone(p.phrases) }

type parser struct {
	s string
	i int
}

func (p *parser) fail(what string) error {
	return fmt.Errorf("phrase: %s at place %d of %q: use letters, spaces, |, (?:…) and ?", what, p.i+1, p.s)
}

// alternatives reads a|b|c up to the end or a closing bracket.
func (p *parser) alternatives(depth int) ([]string, error) {
	if depth > 8 {
		return nil, p.fail("groups nested too deeply")
	}
	var all []string
	for {
		set, err := p.sequence(depth)
		if err != nil {
			return nil, err
		}
		if all = append(all, set...); len(all) > maxPhrases {
			return nil, p.fail("too many phrases")
		}
		if p.i == len(p.s) || p.s[p.i] != '|' {
			return all, nil
		}
		p.i++
	}
}

// sequence reads what stands between two bars.
func (p *parser) sequence(depth int) ([]string, error) {
	all := []string{""}
	for p.i < len(p.s) && p.s[p.i] != '|' && p.s[p.i] != ')' {
		var set []string
		switch c := p.s[p.i]; {
		case strings.HasPrefix(p.s[p.i:], "(?:"):
			p.i += 3
			var err error
			if set, err = p.alternatives(depth + 1); err != nil {
				return nil, err
			}
			if p.i == len(p.s) {
				return nil, p.fail("a closing bracket is missing")
			}
			p.i++
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == ' ' || c == '-' || c == '\'':
			set = []string{string(lower(c))}
			p.i++
		default:
			return nil, p.fail(fmt.Sprintf("%q can't stand here", c))
		}
		if p.i < len(p.s) && p.s[p.i] == '?' {
			p.i++
			set = append(set, "")
		}
		if len(all)*len(set) > maxPhrases {
			return nil, p.fail("too many phrases")
		}
		joined := make([]string, 0, len(all)*len(set))
		for _, a := range all {
			for _, b := range set {
				joined = append(joined, a+b)
			}
		}
		all = joined
	}
	return all, nil
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// word reports whether a byte belongs to a word, as \b sees it.
func word(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// Match reports whether a text holds one of the phrases between word boundaries.
func (p *Pattern) Match(text string) bool {
	for start := range len(text) {
		for _, phrase := range p.phrases {
			if end, ok := at(text, start, phrase); ok && boundary(text, start) && boundary(text, end) {
				return true
			}
		}
	}
	return false
}

func boundary(text string, i int) bool {
	return (i > 0 && word(text[i-1])) != (i < len(text) && word(text[i]))
}

// at reports whether a phrase stands at a place of a text, and where it ends. Without regard to case, s is also the long s
// (U+017F) and k the Kelvin sign (U+212A).
func at(text string, i int, phrase string) (end int, ok bool) {
	for j := range len(phrase) {
		c := phrase[j]
		switch {
		case i < len(text) && lower(text[i]) == c:
			i++
		case c == 's' && strings.HasPrefix(text[i:], "\u017f"):
			i += len("\u017f")
		case c == 'k' && strings.HasPrefix(text[i:], "\u212a"):
			i += len("\u212a")
		default:
			return 0, false
		}
	}
	return i, true
}
