package exact

import (
	"math/bits"
	"math/rand/v2"
)

// A Stream is one named source of random numbers: PCG (DXSM) of math/rand/v2, seeded by the study's seed and the
// stream's number. The same pair gives the same sequence on every platform; the number of draws is part of a study's
// rule, so a Stream is never shared between two uses.
type Stream struct{ pcg *rand.PCG }

// NewStream returns the stream with the given number under the study's seed.
func NewStream(seed, stream uint64) *Stream {
	return &Stream{rand.NewPCG(seed, stream)}
}

// Uint64 returns the next 64 random bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// IntN returns a uniform integer in [0, n) by the rule of the protocols: the low bits of a Uint64 where n is a power
// of two, else the high word of the product Uint64·n with Lemire's rejection (doi:10.1145/3230636). It equals
// rand.Rand.IntN of math/rand/v2 and is written out because the rule, not the library, is what a study fixes.
// It panics if n < 1.
func (s *Stream) IntN(n int) int {
	if n < 1 {
		panic("exact: IntN of a number below 1")
	}
	m := uint64(n)
	if m&(m-1) == 0 {
		return int(s.Uint64() & (m - 1))
	}
	hi, lo := bits.Mul64(s.Uint64(), m)
	if lo < m {
		for threshold := -m % m; lo < threshold; {
			hi, lo = bits.Mul64(s.Uint64(), m)
		}
	}
	return int(hi)
}

// Draw returns k of the indices 0 … n−1, in the order drawn, by a partial Fisher–Yates shuffle: for i < k, swap i with
// i + IntN(n−i). Draw(n, n) is a permutation. It panics unless 0 ≤ k ≤ n.
func (s *Stream) Draw(k, n int) []int {
	if k < 0 || k > n {
		panic("exact: Draw of more than there is")
	}
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	for i := range k {
		j := i + s.IntN(n-i)
		items[i], items[j] = items[j], items[i]
	}
	return items[:k:k]
}
