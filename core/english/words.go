package english

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A splitter cuts text into words as Lucene 9.12.1's StandardTokenizer does: by the word boundaries of UAX #29 (Unicode 12.1),
// emoji sequences of UTS #51 (Emoji 12.1) as words, a run of South East Asian letters as one word, each Han and Hiragana
// character as its own; what holds no letter, digit or emoji is no word.
//
// The rules are regular expressions of which the longest match from a place counts. They are run as one nondeterministic
// automaton: a set of states, each reached by what was read so far.
type splitter struct {
	ascii [utf8.RuneSelf]uint32 // properties of the first characters
	runs  []propertyRun
}

type propertyRun struct {
	first, last rune
	properties  uint32
}

// unpack reads the table of properties.
func (w *splitter) unpack() {
	end := rune(0)
	for i := 0; i < len(propertyRuns); {
		gap, n := binary.Uvarint([]byte(propertyRuns[i:min(i+binary.MaxVarintLen32, len(propertyRuns))]))
		i += n
		length, n := binary.Uvarint([]byte(propertyRuns[i:min(i+binary.MaxVarintLen32, len(propertyRuns))]))
		i += n
		run := propertyRun{end + rune(gap), end + rune(gap) + rune(length), propertySets[propertyRuns[i]]}
		i++
		w.runs = append(w.runs, run)
		end = run.last + 1
		for r := run.first; r <= run.last && r < utf8.RuneSelf; r++ {
			w.ascii[r] = run.properties
		}
	}
}

func (w *splitter) properties(r rune) uint32 {
	if r < utf8.RuneSelf {
		return w.ascii[r]
	}
	i, _ := slices.BinarySearchFunc(w.runs, r, func(run propertyRun, r rune) int { return int(run.last - r) })
	if i < len(w.runs) && w.runs[i].first <= r {
		return w.runs[i].properties
	}
	return 0
}

// maxToken is the longest token, in UTF-16 code units, as Lucene counts; what is longer is cut into several.
const maxToken = 255

// each yields the words of s.
func (w *splitter) each(s string, yield func(start, end int)) {
	for i := 0; i < len(s); {
		if end := w.match(s, i); end > i {
			yield(i, end)
			i = end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
}

// match returns the end of the longest word that starts at a place, the place itself where none does.
func (w *splitter) match(s string, start int) int {
	end, states, units := start, uint64(atStart), 0
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if units++; r > 0xffff {
			units++
		}
		if units > maxToken {
			break
		}
		p := w.properties(r)
		states = stepWord(states, p) | stepEmoji(states, p, r)
		if states == 0 {
			break
		}
		if i += size; states&isWord != 0 {
			end = i
		}
	}
	return end
}

// States of the automaton, each named by what was read last.
const (
	atStart uint64 = 1 << iota

	leading      // connectors only, as _
	afterExtend  // a connector after a word's part
	afterLetter  // a letter, which another may follow
	afterNumber  // a digit
	afterKana    // a Katakana character
	inLetters    // a sign between letters, as the ' of don't
	inNumber     // a sign between digits, as the . of 3.14
	hebrewLetter // a Hebrew letter that a quotation mark may follow
	hebrewDouble // a double quotation mark after it
	hebrewDone   // a single quotation mark after it, or a letter after a double one
	inComplex    // a South East Asian letter
	alone        // an ideograph, which nothing joins

	firstJoiners // emoji: joiners before the first
	firstEmoji
	firstColour // U+FE0F, which asks for a coloured picture, after the first
	nextJoiner  // the joiner before a further emoji
	nextJoiners // and more of them
	nextEmoji
	nextColour
	baseEmoji // one that a skin tone may follow
	toned     // a skin tone
	inTags    // tags after the first, which spell a region's flag
	tagged    // and their end
	keyBase   // a digit, # or *
	keyColour
	keyCap // the key around it
	oneRegional
	twoRegionals

	partEnd = afterExtend | afterLetter | afterNumber | hebrewDone // a word's part may end here, and another begin
	isWord  = partEnd | afterKana | inComplex | alone | firstEmoji | firstColour | nextEmoji | nextColour | toned | tagged |
		keyCap | twoRegionals
)

// stepWord moves the states of words by a character (UAX #29, rules WB4 to WB13b, WB999).
func stepWord(from uint64, p uint32) uint64 {
	const words = leading | partEnd | afterKana | inLetters | inNumber | hebrewLetter | hebrewDouble | inComplex | alone
	var to uint64
	if p&extend != 0 { // WB4: joins what stands before it
		to = from & words
	}
	if p&complexContext != 0 && from&(atStart|inComplex) != 0 {
		to |= inComplex
	}
	if p&ideograph != 0 && from&atStart != 0 {
		to |= alone
	}
	switch {
	case p&(letter|hebrew) != 0:
		if from&(atStart|leading|partEnd|inLetters) != 0 {
			to |= afterLetter
		}
		if p&hebrew != 0 && from&(atStart|leading|partEnd) != 0 {
			to |= hebrewLetter
		}
		if p&hebrew != 0 && from&hebrewDouble != 0 {
			to |= hebrewDone
		}
	case p&numeric != 0 && from&(atStart|leading|partEnd|inNumber) != 0:
		to |= afterNumber
	case p&katakana != 0 && from&(atStart|leading|afterExtend|afterKana) != 0:
		to |= afterKana
	case p&extendNumLet != 0:
		if from&(atStart|leading) != 0 {
			to |= leading
		}
		if from&(partEnd|afterKana) != 0 {
			to |= afterExtend
		}
	case p&doubleQuote != 0 && from&hebrewLetter != 0:
		to |= hebrewDouble
	case p&(midLetter|midNumber) != 0:
		if p&midLetter != 0 && from&afterLetter != 0 {
			to |= inLetters
		}
		if p&midNumber != 0 && from&afterNumber != 0 {
			to |= inNumber
		}
		if p&singleQuote != 0 && from&hebrewLetter != 0 {
			to |= hebrewDone
		}
	}
	return to
}

// A move leads from any of some states to others by a character with any of some properties, or of a range.
type move struct {
	properties  uint32
	first, last rune
	from, to    uint64
}

const colour, key = '\ufe0f', '\u20e3'

// emojiMoves are those of UTS #51's emoji_sequence; a digit, # or * needs no U+FE0F before the key around it.
var emojiMoves = [...]move{
	{joiner, 1, 0, atStart | firstJoiners, firstJoiners},
	{joiner, 1, 0, firstEmoji | firstColour | nextEmoji | nextColour | toned, nextJoiner},
	{joiner, 1, 0, nextJoiner | nextJoiners, nextJoiners},
	{pictograph, 1, 0, atStart | firstJoiners, firstEmoji},
	{pictograph, 1, 0, nextJoiner | nextJoiners, nextEmoji},
	{modifierBase, 1, 0, atStart | firstJoiners | nextJoiner | nextJoiners, baseEmoji},
	{modifier, 1, 0, atStart | nextJoiner | baseEmoji, toned},
	{0, colour, colour, firstEmoji, firstColour},
	{0, colour, colour, nextEmoji, nextColour},
	{0, 0xe0020, 0xe007e, firstColour | inTags, inTags},
	{0, 0xe007f, 0xe007f, inTags, tagged},
	{0, '0', '9', atStart, keyBase},
	{0, '#', '#', atStart, keyBase},
	{0, '*', '*', atStart, keyBase},
	{0, colour, colour, keyBase, keyColour},
	{0, key, key, keyBase | keyColour, keyCap},
	{regional, 1, 0, atStart, oneRegional},
	{regional, 1, 0, oneRegional, twoRegionals},
}

// stepEmoji moves the states of emoji by a character.
func stepEmoji(from uint64, p uint32, r rune) uint64 {
	const emoji = ^(firstJoiners - 1) | atStart
	if from &= emoji; from == 0 {
		return 0
	}
	var to uint64
	if p&extend != 0 {
		to = from & (oneRegional | twoRegionals)
		if r != colour && r != colour-1 {
			to |= from & (firstEmoji | nextEmoji | baseEmoji | toned | keyBase | keyCap)
		}
	}
	for _, m := range emojiMoves {
		if from&m.from != 0 && (p&m.properties != 0 || m.first <= r && r <= m.last) {
			to |= m.to
		}
	}
	return to
}
