package wordpiece

import "unicode/utf8"

// A vocabulary cuts words into pieces.
type vocabulary struct {
	whole    map[string]int // id of a piece that begins a word, or of any piece as it is written
	rest     map[string]int // id of a piece that goes on, without the prefix that marks it
	prefix   string
	unknown  Piece
	maxChars int // characters of a word; a longer one is unknown
	longest  int // bytes of the longest piece
}

func newVocabulary(ids map[string]int, unknown, prefix string, maxChars int) vocabulary {
	v := vocabulary{whole: ids, rest: map[string]int{}, prefix: prefix, unknown: Piece{ids[unknown], unknown}, maxChars: maxChars}
	for piece, id := range ids {
		v.longest = max(v.longest, len(piece))
		if len(piece) >= len(prefix) && piece[:len(prefix)] == prefix {
			v.rest[piece[len(prefix):]] = id
		}
	}
	return v
}

// cut appends a word's pieces: from the left, the longest that the vocabulary has. A word that cannot be cut to its end,
// or that is too long, is unknown as a whole.
func (v vocabulary) cut(word string, to []Piece) []Piece {
	if utf8.RuneCountInString(word) > v.maxChars {
		return append(to, v.unknown)
	}
	first := len(to)
	ids, prefix := v.whole, ""
	for len(word) > 0 {
		end := min(len(word), v.longest)
		for end > 0 {
			if end == len(word) || utf8.RuneStart(word[end]) {
				if id, ok := ids[word[:end]]; ok {
					to = append(to, Piece{id, prefix + word[:end]})
					break
				}
			}
			end--
		}
		if end == 0 {
			return append(to[:first], v.unknown)
		}
		word, ids, prefix = word[end:], v.rest, v.prefix
	}
	return to
}
