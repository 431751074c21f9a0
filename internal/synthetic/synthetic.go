// Package synthetic makes collections and questions of any size whose words follow Zipf's law, for measuring: the same
// texts on every machine, and a smaller collection is the beginning of a larger one.
//
// A word's weight is ⌊2³²/(rank + 2)⌋ with ranks from 1 (Zipf's law with Mandelbrot's shift, 1953), over 2¹⁹ words, all in
// integers. The most frequent word is one of 38 tokens. A document has 30 to 90 words, 60 on average, so that length
// normalisation has something to do; a question has 2 to 5, drawn from the same weights, frequent words included.
package synthetic

import (
	"sort"

	"retrace/core/exact"
)

// Vocabulary is the number of different words.
const Vocabulary = 1 << 19

// questionStream is where the streams of questions begin; documents have those from 0.
const questionStream = 1 << 40

// A Source makes documents and questions. It may be used by several goroutines.
type Source struct {
	seed       uint64
	cumulative []uint64 // by rank: weights up to and with it
	guide      []int32  // by the high bits of a draw: the first rank that it may be
	words      []string
}

const guideShift = 20

// New returns the source with the given seed.
func New(seed uint64) *Source {
	s := &Source{seed: seed, cumulative: make([]uint64, Vocabulary), words: make([]string, Vocabulary)}
	total := uint64(0)
	for r := range s.cumulative {
		total += (1 << 32) / uint64(r+3)
		s.cumulative[r] = total
		s.words[r] = word(r)
	}
	r := 0
	for high := uint64(0); high<<guideShift < total; high++ {
		for s.cumulative[r] <= high<<guideShift {
			r++
		}
		s.guide = append(s.guide, int32(r))
	}
	return s
}

// word writes a rank from 0 in bijective base 26: a, b, …, z, aa, ab, ….
func word(rank int) string {
	var letters [8]byte
	i := len(letters)
	for n := rank + 1; n > 0; n = (n - 1) / 26 {
		i--
		letters[i] = byte('a' + (n-1)%26)
	}
	return string(letters[i:])
}

// rank draws the rank of a word, from 0, with one IntN of the sum of weights.
func (s *Source) rank(stream *exact.Stream) int {
	x := uint64(stream.IntN(int(s.cumulative[Vocabulary-1])))
	high := x >> guideShift
	low, end := int(s.guide[high]), Vocabulary
	if high+1 < uint64(len(s.guide)) {
		end = int(s.guide[high+1]) + 1
	}
	return low + sort.Search(end-low, func(i int) bool { return s.cumulative[low+i] > x })
}

// AppendDocument appends the text of document n, from 0: one IntN for its length, then one a word, of stream n.
func (s *Source) AppendDocument(text []byte, n int) []byte {
	stream := exact.NewStream(s.seed, uint64(n))
	return s.appendWords(text, stream, 30+stream.IntN(61))
}

// Question returns the text of question n, from 0.
func (s *Source) Question(n int) string {
	stream := exact.NewStream(s.seed, questionStream+uint64(n))
	return string(s.appendWords(nil, stream, 2+stream.IntN(4)))
}

func (s *Source) appendWords(text []byte, stream *exact.Stream, n int) []byte {
	for i := range n {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, s.words[s.rank(stream)]...)
	}
	return text
}
