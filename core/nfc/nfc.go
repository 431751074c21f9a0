// Package nfc puts text into Unicode Normalization Form C (The Unicode Standard, section 3.11; UAX #15).
//
// golang.org/x/text/unicode/norm does so too, but with tables for four forms and fast paths: 38 kB of the page's compressed
// WebAssembly. Here are form C alone and tables that are generated from that package, against which every character is
// tested. It differs in one thing: after 30 marks on one letter, x/text inserts a joiner (Stream-Safe Text Format, UAX #15,
// section 13); form C does not.
package nfc

import (
	"slices"
	"unicode/utf8"

	"retrace/core/order"
)

// A step is one canonical decomposition: a character into one other (b is 0) or two, which may decompose further.
type step struct{ from, a, b rune }

// A class is a range of characters with a canonical combining class other than 0.
type class struct {
	first, last rune
	class       uint8
}

// Hangul syllables decompose and compose by arithmetic (The Unicode Standard, section 3.12).
const (
	sBase, lBase, vBase, tBase     = 0xac00, 0x1100, 0x1161, 0x11a7
	lCount, vCount, tCount, sCount = 19, 21, 28, 19 * 21 * 28
)

// String returns s in Normalization Form C. A byte that is not UTF-8 becomes U+FFFD.
func String(s string) string {
	plain := utf8.ValidString(s)
	for _, r := range s {
		plain = plain && r < 0x300 // below it, nothing combines and what decomposes is composed again
	}
	if plain {
		return s
	}
	var runes []rune
	for _, r := range s {
		runes = decompose(runes, r)
	}
	reorder(runes)
	return string(compose(runes))
}

// decompose appends the full canonical decomposition of r.
func decompose(to []rune, r rune) []rune {
	if r < 0xc0 {
		return append(to, r)
	}
	if i := r - sBase; 0 <= i && i < sCount {
		to = append(to, lBase+i/(vCount*tCount), vBase+i%(vCount*tCount)/tCount)
		if i%tCount != 0 {
			to = append(to, tBase+i%tCount)
		}
		return to
	}
	i, found := slices.BinarySearchFunc(steps[:], r, func(s step, r rune) int { return int(s.from - r) })
	if !found {
		return append(to, r)
	}
	to = decompose(to, steps[i].a)
	if steps[i].b != 0 {
		to = decompose(to, steps[i].b)
	}
	return to
}

// reorder sorts each run of marks by combining class; those of one class keep their order.
func reorder(runes []rune) {
	for i := 0; i < len(runes); i++ {
		from := i
		for i < len(runes) && classOf(runes[i]) != 0 {
			i++
		}
		if i-from > 1 {
			order.Sort(runes[from:i], func(a, b rune) int { return int(classOf(a)) - int(classOf(b)) })
		}
	}
}

// compose joins each character with the last starter before it, unless something between them blocks it, in place.
func compose(runes []rune) []rune {
	out := runes[:0]
	starter, last := -1, uint8(0) // place of the last starter in out; class of what was last kept after it
	for _, r := range runes {
		c := classOf(r)
		if starter >= 0 && (starter == len(out)-1 || last != 0 && last < c) {
			if joined := pair(out[starter], r); joined != 0 {
				out[starter] = joined
				continue
			}
		}
		if c == 0 {
			starter = len(out)
		}
		last = c
		out = append(out, r)
	}
	return out
}

// pair returns the primary composite of two characters, 0 where there is none.
func pair(a, b rune) rune {
	if l, v := a-lBase, b-vBase; 0 <= l && l < lCount && 0 <= v && v < vCount {
		return sBase + (l*vCount+v)*tCount
	}
	if s, t := a-sBase, b-tBase; 0 <= s && s < sCount && s%tCount == 0 && 0 < t && t < tCount {
		return a + t
	}
	i, found := slices.BinarySearchFunc(pairs[:], step{a: a, b: b}, func(place uint16, want step) int {
		if s := steps[place]; s.a != want.a {
			return int(s.a - want.a)
		} else {
			return int(s.b - want.b)
		}
	})
	if !found {
		return 0
	}
	return steps[pairs[i]].from
}

func classOf(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	i, found := slices.BinarySearchFunc(classes[:], r, func(c class, r rune) int {
		switch {
		case c.last < r:
			return -1
		case c.first > r:
			return 1
		}
		return 0
	})
	if !found {
		return 0
	}
	return classes[i].class
}
