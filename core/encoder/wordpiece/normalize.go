package wordpiece

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A normalizer is the reference's BertNormalizer with the switches of a tokenizer.json.
type normalizer struct {
	cleanText          bool // drop control characters, make every kind of space a plain one
	handleChineseChars bool // pad ideographs with spaces, so that each becomes a word
	stripAccents       bool // decompose, then drop nonspacing marks
	lowercase          bool
}

// normalize applies the switches in the reference's order: clean, pad, strip, lower.
func (n normalizer) normalize(text string) string {
	if n.cleanText {
		text = strings.Map(cleanRune, text)
	}
	if n.handleChineseChars {
		text = pad(text)
	}
	if n.stripAccents {
		text = strings.Map(dropMark, decompose(text))
	}
	if n.lowercase {
		text = lower(text)
	}
	return text
}

func cleanRune(r rune) rune {
	switch {
	case ' ' <= r && r < 0x7f:
		return r
	case unicode.Is(removed, r):
		return -1
	case unicode.Is(spaces, r):
		return ' '
	}
	return r
}

func dropMark(r rune) rune {
	if r >= 0x300 && unicode.Is(marks, r) {
		return -1
	}
	return r
}

func pad(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r >= 0x3400 && unicode.Is(ideographs, r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lower lowers each character by itself: the reference has no final sigma, and only U+0130 becomes two characters.
func lower(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == 0x130:
			b.WriteString("i\u0307")
		default:
			b.WriteRune(r + rune(lookup(lowerDeltas, r)))
		}
	}
	return b.String()
}

// A decomposition is a character and its full canonical decomposition.
type decomposition struct {
	from rune
	to   string
}

// A span gives a value to the characters first, first+stride, … last; the others have 0.
type span struct {
	first, last, stride rune
	value               int32
}

func lookup(spans []span, r rune) int32 {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].last >= r })
	if i < len(spans) && spans[i].first <= r && (r-spans[i].first)%spans[i].stride == 0 {
		return spans[i].value
	}
	return 0
}

// decompose returns the canonical decomposition (NFD, Unicode Standard Annex 15) by the reference's tables. It is not
// golang.org/x/text/unicode/norm: that knows characters the reference does not, and breaks up runs of more than 30 marks.
func decompose(text string) string {
	if isASCII(text) {
		return text
	}
	runes := make([]rune, 0, len(text))
	for _, r := range text {
		switch {
		case r < 0xc0:
			runes = append(runes, r)
		case 0xac00 <= r && r <= 0xd7a3: // Hangul syllables, The Unicode Standard 3.12: 21 vowels, 28 trailing consonants
			s := r - 0xac00
			runes = append(runes, 0x1100+s/(21*28), 0x1161+s%(21*28)/28)
			if t := s % 28; t > 0 {
				runes = append(runes, 0x11a7+t)
			}
		default:
			i, found := slices.BinarySearchFunc(decompositions, r, func(d decomposition, r rune) int { return int(d.from - r) })
			if found {
				runes = append(runes, []rune(decompositions[i].to)...)
			} else {
				runes = append(runes, r)
			}
		}
	}
	order(runes)
	return string(runes)
}

// order sorts each run of combining marks by combining class, marks of one class staying in order.
func order(runes []rune) {
	type mark struct {
		r     rune
		class int32
	}
	var run []mark
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && runes[i] >= 0x300 {
			if class := lookup(combiningClasses, runes[i]); class > 0 {
				run = append(run, mark{runes[i], class})
				continue
			}
		}
		if len(run) > 1 {
			slices.SortStableFunc(run, func(a, b mark) int { return int(a.class - b.class) })
			for j, m := range run {
				runes[i-len(run)+j] = m.r
			}
		}
		run = run[:0]
	}
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// split is the reference's BertPreTokenizer: words are parted at spaces, which are dropped, and at punctuation, each mark
// of which is a word of its own. It calls yield for each word until yield says to stop.
func split(text string, yield func(word string) bool) {
	start := 0 // of the word being read
	for i, r := range text {
		var kind int
		switch {
		case 'a' <= r && r <= 'z':
			continue
		case unicode.Is(spaces, r):
			kind = 1
		case unicode.Is(punctuation, r):
			kind = 2
		default:
			continue
		}
		if start < i && !yield(text[start:i]) {
			return
		}
		start = i + utf8.RuneLen(r)
		if kind == 2 && !yield(text[i:start]) {
			return
		}
	}
	if start < len(text) {
		yield(text[start:])
	}
}
