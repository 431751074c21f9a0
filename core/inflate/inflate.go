// Package inflate reads the DEFLATE format (RFC 1951), as zip entries and gzip have it, from bytes in memory and with a bound
// on what comes out. Package compress/flate would add six times as much to the page's compressed engine; tests hold this
// package against it.
package inflate

import "errors"

// What may be wrong with compressed data.
var (
	ErrTruncated = errors.New("inflate: the compressed data are cut short")
	ErrCorrupt   = errors.New("inflate: the compressed data are damaged")
	ErrLong      = errors.New("inflate: more bytes than expected")
)

// Bytes decompresses what src begins with and returns it with what follows it in src. It stops with ErrLong once more than
// limit bytes come out, and takes no memory for bytes that don't.
func Bytes(src []byte, limit int) (out, rest []byte, err error) {
	r := reader{src: src}
	for final := false; !final; {
		head, err := r.take(3)
		if err != nil {
			return nil, nil, err
		}
		final = head&1 != 0
		switch head >> 1 {
		case 0:
			out, err = r.stored(out, limit)
		case 1:
			out, err = r.compressed(out, limit, fixedLiterals, fixedDistances)
		case 2:
			var literals, distances *code
			if literals, distances, err = r.codes(); err == nil {
				out, err = r.compressed(out, limit, literals, distances)
			}
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return out, src[r.at-int(r.n/8):], nil
}

// A reader gives bits, the lowest of each byte first.
type reader struct {
	src  []byte
	at   int    // next byte
	bits uint64 // taken from src, not yet used
	n    uint   // how many
}

func (r *reader) fill() {
	for r.n <= 56 && r.at < len(r.src) {
		r.bits |= uint64(r.src[r.at]) << r.n
		r.at++
		r.n += 8
	}
}

// take returns the next k bits, at most 16.
func (r *reader) take(k uint) (int, error) {
	if r.n < k {
		if r.fill(); r.n < k {
			return 0, ErrTruncated
		}
	}
	v := int(r.bits & (1<<k - 1))
	r.bits >>= k
	r.n -= k
	return v, nil
}

// A code is a prefix code. Its table is looked up by as many bits as its longest word has; an entry is a symbol with the
// length of its word below it, 0 where no word begins so.
type code struct {
	table []uint16
	width uint
}

const maxWord = 15

// newCode makes the canonical code with words of the given lengths (RFC 1951, 3.2.2), nil where there is none: the lengths
// claim more words than there are, or fewer, unless that is one word of one bit, or none at all.
func newCode(lengths []uint8) *code {
	var count, next [maxWord + 1]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	left, word, width, words := 1, 0, 0, 0
	for n := 1; n <= maxWord; n++ {
		word = (word + count[n-1]) << 1
		next[n] = word
		if left = left<<1 - count[n]; left < 0 {
			return nil
		}
		if words += count[n]; count[n] > 0 {
			width = n
		}
	}
	if left > 0 && words > 0 && !(words == 1 && width == 1) {
		return nil
	}
	c := &code{make([]uint16, 1<<width), uint(width)}
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		for at := reversed(next[n], int(n)); at < len(c.table); at += 1 << n {
			c.table[at] = uint16(symbol)<<4 | uint16(n)
		}
		next[n]++
	}
	return c
}

// reversed returns n bits in the other order: words stand in the data with their highest bit first.
func reversed(word, n int) int {
	back := 0
	for range n {
		back = back<<1 | word&1
		word >>= 1
	}
	return back
}

func (r *reader) symbol(c *code) (int, error) {
	if r.n < maxWord {
		r.fill()
	}
	entry := c.table[r.bits&(1<<c.width-1)]
	n := uint(entry & 15)
	switch {
	case n == 0 && r.n < c.width:
		return 0, ErrTruncated
	case n == 0:
		return 0, ErrCorrupt
	case n > r.n:
		return 0, ErrTruncated
	}
	r.bits >>= n
	r.n -= n
	return int(entry >> 4), nil
}

// Lengths and distances by symbol (RFC 1951, 3.2.5): the least, and how many bits say how much more.
var (
	lengthBase = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}

	distanceBase = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
		8193, 12289, 16385, 24577}
	distanceBits = [30]uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}

	// The order in which a block gives the lengths of the words of the code of lengths (3.2.7).
	lengthOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

	fixedLiterals, fixedDistances = fixed()
)

const endOfBlock = 256

// fixed are the codes of 3.2.6.
func fixed() (literals, distances *code) {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	five := make([]uint8, 32)
	for i := range five {
		five[i] = 5
	}
	return newCode(lengths[:]), newCode(five)
}

// stored reads a block that is not compressed (3.2.4).
func (r *reader) stored(out []byte, limit int) ([]byte, error) {
	r.bits >>= r.n % 8 // the rest of the byte is skipped
	r.n -= r.n % 8
	size, err := r.take(16)
	if err != nil {
		return nil, err
	}
	check, err := r.take(16)
	switch {
	case err != nil:
		return nil, err
	case size^check != 0xffff:
		return nil, ErrCorrupt
	}
	r.at -= int(r.n / 8)
	r.bits, r.n = 0, 0
	switch {
	case len(r.src)-r.at < size:
		return nil, ErrTruncated
	case len(out)+size > limit:
		return nil, ErrLong
	}
	out = append(out, r.src[r.at:r.at+size]...)
	r.at += size
	return out, nil
}

// codes reads the two codes of a block (3.2.7).
func (r *reader) codes() (literals, distances *code, err error) {
	head, err := r.take(14)
	if err != nil {
		return nil, nil, err
	}
	nLiterals, nDistances, nLengths := head&31+257, head>>5&31+1, head>>10+4
	if nLiterals > 286 || nDistances > 30 {
		return nil, nil, ErrCorrupt
	}
	var short [19]uint8
	for _, place := range lengthOrder[:nLengths] {
		n, err := r.take(3)
		if err != nil {
			return nil, nil, err
		}
		short[place] = uint8(n)
	}
	of := newCode(short[:])
	if of == nil {
		return nil, nil, ErrCorrupt
	}
	lengths := make([]uint8, 0, nLiterals+nDistances)
	for len(lengths) < nLiterals+nDistances {
		symbol, err := r.symbol(of)
		if err != nil {
			return nil, nil, err
		}
		repeat, extra, least, value := 1, uint(0), 1, uint8(symbol)
		switch symbol {
		case 16:
			if len(lengths) == 0 {
				return nil, nil, ErrCorrupt
			}
			extra, least, value = 2, 3, lengths[len(lengths)-1]
		case 17:
			extra, least, value = 3, 3, 0
		case 18:
			extra, least, value = 7, 11, 0
		}
		more, err := r.take(extra)
		if err != nil {
			return nil, nil, err
		}
		if repeat = least + more; repeat > nLiterals+nDistances-len(lengths) {
			return nil, nil, ErrCorrupt
		}
		for range repeat {
			lengths = append(lengths, value)
		}
	}
	literals, distances = newCode(lengths[:nLiterals]), newCode(lengths[nLiterals:])
	if literals == nil || distances == nil || lengths[endOfBlock] == 0 {
		return nil, nil, ErrCorrupt
	}
	return literals, distances, nil
}

// compressed reads a block's literals and copies (3.2.3).
func (r *reader) compressed(out []byte, limit int, literals, distances *code) ([]byte, error) {
	for {
		symbol, err := r.symbol(literals)
		switch {
		case err != nil:
			return nil, err
		case symbol < endOfBlock:
			if len(out) == limit {
				return nil, ErrLong
			}
			out = append(out, byte(symbol))
			continue
		case symbol == endOfBlock:
			return out, nil
		}
		length, err := r.more(symbol-endOfBlock-1, lengthBase[:], lengthBits[:])
		if err != nil {
			return nil, err
		}
		if symbol, err = r.symbol(distances); err != nil {
			return nil, err
		}
		distance, err := r.more(symbol, distanceBase[:], distanceBits[:])
		switch {
		case err != nil:
			return nil, err
		case distance > len(out):
			return nil, ErrCorrupt
		case len(out)+length > limit:
			return nil, ErrLong
		}
		for range length { // one by one: the copy may overlap what it gives
			out = append(out, out[len(out)-distance])
		}
	}
}

// more reads a length or a distance after its symbol.
func (r *reader) more(symbol int, base []int, bits []uint) (int, error) {
	if symbol >= len(base) {
		return 0, ErrCorrupt
	}
	more, err := r.take(bits[symbol])
	return base[symbol] + more, err
}
