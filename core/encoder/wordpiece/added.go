package wordpiece

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An addedToken is found in the text as it stands, before the text is broken into words.
type addedToken struct {
	id         int
	content    string
	singleWord bool // only where it is not part of a longer word
	lstrip     bool // takes the spaces before it with it
	rstrip     bool // takes the spaces after it with it
}

// A part is a stretch of text, or one added token.
type part struct {
	text  string
	token *addedToken // nil for text
}

// A matcher finds added tokens by their first byte.
type matcher map[byte][]*addedToken

func newMatcher(tokens []*addedToken) matcher {
	m := matcher{}
	for _, t := range tokens {
		if t.content != "" {
			m[t.content[0]] = append(m[t.content[0]], t)
		}
	}
	return m
}

// parts splits text at the added tokens: from left to right, the longest that begins at a place. An occurrence that
// singleWord rules out is passed over whole, as in the reference.
func (m matcher) parts(text string) []part {
	var out []part
	done := 0 // bytes of text already in out
	for i := 0; i < len(text); {
		t := m.longest(text[i:])
		if t == nil {
			i++
			continue
		}
		start, stop := i, i+len(t.content)
		i = stop
		if t.singleWord && (endsWithWord(text[:start]) || startsWithWord(text[stop:])) {
			continue
		}
		if t.lstrip {
			start = max(len(strings.TrimRightFunc(text[:start], isSpace)), done)
		}
		if t.rstrip {
			stop = len(text) - len(strings.TrimLeftFunc(text[stop:], isSpace))
		}
		if done < start {
			out = append(out, part{text: text[done:start]})
		}
		out = append(out, part{token: t})
		done = stop
	}
	if done < len(text) {
		out = append(out, part{text: text[done:]})
	}
	return out
}

func (m matcher) longest(text string) *addedToken {
	var best *addedToken
	for _, t := range m[text[0]] {
		if strings.HasPrefix(text, t.content) && (best == nil || len(t.content) > len(best.content)) {
			best = t
		}
	}
	return best
}

func isSpace(r rune) bool { return unicode.Is(spaces, r) }

func startsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && unicode.Is(wordChars, r)
}

func endsWithWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && unicode.Is(wordChars, r)
}
