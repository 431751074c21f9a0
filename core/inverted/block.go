package inverted

import (
	"encoding/binary"
	"math/bits"
)

// BlockSize is the number of postings of a block; a list's last block may have fewer.
const BlockSize = 128

// A block's documents, less the first that it could hold (base: one more than the last of the block before it), are
// written in Elias and Fano's code (Vigna, WSDM 2013, doi:10.1145/2433396.2433409): of each number the low l bits as they
// are, the rest in unary, l = ⌊log₂(range/n)⌋. That takes about 2 + l bits a document and lets one be found without
// decoding the others. Where the range is at most dense times n, they are the bits of a map of the range instead. Then come the frequencies less 1, each in as many bits as the block's largest needs.
//
// Its record: last document uint32, place after the list's uint32, bits of a frequency uint8, and up to maxPairs bounds
// (tf uint8, dl uint16): every posting of the block has a frequency not above, and a length not below, those of one of
// the pairs, whatever BM25's parameters (Ding and Suel, SIGIR 2011, doi:10.1145/2009916.2010048; the pairs are those
// that Lucene calls impacts). A frequency of 255 stands for any.
const (
	blockRecord = 4 + 4 + 1 + maxPairs*3
	maxPairs    = 5
	anyTF       = 255
	maxPairDL   = 1<<16 - 1
	dense       = 8
)

// list is a term's entry.
type list struct {
	df, first uint32 // number of documents; of its first block
	at        uint64 // in postings
}

func (f *File) list(t int) list {
	r := f.section[sectionLists][t*listRecord:]
	return list{binary.LittleEndian.Uint32(r), binary.LittleEndian.Uint32(r[4:]), binary.LittleEndian.Uint64(r[8:])}
}

func (l list) blocks() int { return (int(l.df) + BlockSize - 1) / BlockSize }

// view is one block.
type view struct {
	data       []byte // from the block on, to read words of 8 bytes beyond its end
	base, last uint32
	n          int
	dense      bool   // documents are bits of a map
	low        uint   // bits of a document that stand as they are
	lowAt      int    // in data
	tfAt       int    // in data
	tfBits     uint   // of a frequency
	pairs      []byte // of the record
}

// record returns the record of block b of a list.
func (f *File) record(l list, b int) []byte {
	at := (int(l.first) + b) * blockRecord
	return f.section[sectionBlocks][at : at+blockRecord]
}

func (f *File) block(l list, b int) view {
	r := f.record(l, b)
	v := view{last: binary.LittleEndian.Uint32(r), n: min(BlockSize, int(l.df)-b*BlockSize), tfBits: uint(r[8]), pairs: r[9:]}
	if b > 0 {
		v.base = binary.LittleEndian.Uint32(f.record(l, b-1)) + 1
	}
	v.data = f.section[sectionPostings][l.at+uint64(binary.LittleEndian.Uint32(r[4:])):]
	v.layout()
	return v
}

// lowBits is l for n numbers from 0 to top.
func lowBits(top uint32, n int) uint {
	return uint(max(bits.Len32(uint32((uint64(top)+1)/uint64(n)))-1, 0))
}

func (v *view) layout() {
	top := v.last - v.base
	if v.dense = uint64(top) < dense*uint64(v.n); v.dense {
		v.lowAt = bytesOf(int(top) + 1)
		v.tfAt = v.lowAt
		return
	}
	v.low = lowBits(top, v.n)
	v.lowAt = bytesOf(int(top>>v.low) + v.n)
	v.tfAt = v.lowAt + bytesOf(v.n*int(v.low))
}

// size is the bytes that a block takes.
func (v *view) size() int { return v.tfAt + bytesOf(v.n*int(v.tfBits)) }

func bytesOf(n int) int { return (n + 7) / 8 }

// field returns number i of a row of numbers of the same width, up to 32 bits.
func field(data []byte, width uint, i int) uint32 {
	at := uint(i) * width
	return uint32(binary.LittleEndian.Uint64(data[at>>3:])>>(at&7)) & (1<<width - 1)
}

// tf returns the frequency of posting i.
func (v *view) tf(i int) uint32 {
	if v.tfBits == 0 {
		return 1
	}
	return field(v.data[v.tfAt:], v.tfBits, i) + 1
}

// decode writes the block's documents and returns their number; 0 where they don't ascend to the last, which happens
// only in a file that Check refuses.
func (v *view) decode(docs *[BlockSize]uint32) int {
	if v.dense {
		return v.decodeMap(docs)
	}
	low, high, n := v.data[v.lowAt:], v.data, v.n
	width, mask := v.low, uint64(1)<<v.low-1
	i, place, before, wrong := 0, 0, v.base-1, uint32(0)
	for at := 0; i < n && at < v.lowAt; at += 8 {
		for word := binary.LittleEndian.Uint64(high[at:]); word != 0 && i < n; word &= word - 1 {
			place = at*8 + bits.TrailingZeros64(word)
			bit := uint(i) * width
			doc := v.base + (uint32(place-i)<<width | uint32(binary.LittleEndian.Uint64(low[bit>>3:])>>(bit&7)&mask))
			wrong |= doc - before - 1 // its top bit is set where doc is not after before
			docs[i&(BlockSize-1)] = doc
			before = doc
			i++
		}
	}
	if i != n || place >= int((v.last-v.base)>>width)+n || wrong>>31 != 0 || before != v.last {
		return 0
	}
	return n
}

func (v *view) decodeMap(docs *[BlockSize]uint32) int {
	i, doc := 0, v.base
	for at := 0; at < v.lowAt; at += 8 {
		word := binary.LittleEndian.Uint64(v.data[at:])
		if left := v.lowAt - at; left < 8 {
			word &= 1<<(8*left) - 1
		}
		for ; word != 0; word &= word - 1 {
			doc = v.base + uint32(at*8+bits.TrailingZeros64(word))
			if i == v.n {
				return 0
			}
			docs[i&(BlockSize-1)] = doc
			i++
		}
	}
	if i != v.n || doc != v.last {
		return 0
	}
	return i
}

// findInMap is find where documents are bits of a map.
func (v *view) findInMap(place uint32) int {
	if v.data[place>>3]>>(place&7)&1 == 0 {
		return -1
	}
	i, at := 0, 0
	for ; at+64 <= int(place); at += 64 {
		i += bits.OnesCount64(binary.LittleEndian.Uint64(v.data[at/8:]))
	}
	i += bits.OnesCount64(binary.LittleEndian.Uint64(v.data[at/8:]) & (1<<(int(place)-at) - 1))
	return min(i, v.n-1)
}

// find returns the place of a document in the block, -1 where it is not there. doc is not below base and not above last.
func (v *view) find(doc uint32) int {
	target := doc - v.base
	if v.dense {
		return v.findInMap(target)
	}
	bucket := int(target >> v.low)
	// Behind the bucket-th zero begin the documents of this bucket.
	at, zeros := 0, bucket
	word := binary.LittleEndian.Uint64(v.data)
	for {
		z := 64 - bits.OnesCount64(word)
		if zeros <= z {
			break
		}
		zeros -= z
		at += 8
		if at >= v.lowAt {
			return -1
		}
		word = binary.LittleEndian.Uint64(v.data[at:])
	}
	place := at * 8
	if zeros > 0 {
		rest := ^word
		for range zeros - 1 {
			rest &= rest - 1
		}
		place += bits.TrailingZeros64(rest) + 1
	}
	low := target & (1<<v.low - 1)
	for i := place - bucket; i >= 0 && i < v.n; i++ {
		if v.data[place>>3]>>(place&7)&1 == 0 {
			return -1
		}
		if x := field(v.data[v.lowAt:], v.low, i); x >= low {
			if x == low {
				return i
			}
			return -1
		}
		place++
	}
	return -1
}

// covers reports whether a posting is within the block's bounds.
func (v *view) covers(tf, dl uint32) bool {
	for p := v.pairs; len(p) > 0; p = p[3:] {
		if (p[0] == anyTF || uint32(p[0]) >= tf) && uint32(binary.LittleEndian.Uint16(p[1:])) <= dl {
			return true
		}
	}
	return false
}

// most returns the highest frequency that the block's bounds allow a document of a length, 0 where they allow none.
func (v *view) most(dl uint32) uint32 {
	for p := v.pairs; len(p) > 0; p = p[3:] {
		if uint32(binary.LittleEndian.Uint16(p[1:])) <= dl {
			return uint32(p[0])
		}
	}
	return 0
}

// checkBlocks checks that lists and blocks lie one after the other, each within what is there.
func (f *File) checkBlocks() error {
	blocks, postings := len(f.section[sectionBlocks])/blockRecord, uint64(len(f.section[sectionPostings]))
	if len(f.section[sectionBlocks])%blockRecord != 0 || postings < padding {
		return f.errorf("%d bytes of blocks, %d of postings", len(f.section[sectionBlocks]), postings)
	}
	postings -= padding
	first, at := 0, uint64(0)
	for t := range f.terms {
		l := f.list(t)
		if l.df < 1 || int(l.df) > f.N() || int(l.first) != first || l.blocks() > blocks-first || l.at != at {
			return f.errorf("list %d: %d documents from block %d", t, l.df, l.first)
		}
		for b := range l.blocks() {
			v := view{n: min(BlockSize, int(l.df)-b*BlockSize)}
			r := f.record(l, b)
			if b > 0 {
				v.base = binary.LittleEndian.Uint32(f.record(l, b-1)) + 1
			}
			v.last, v.tfBits = binary.LittleEndian.Uint32(r), uint(r[8])
			if v.tfBits > 32 || v.last >= uint32(f.N()) || uint64(v.base)+uint64(v.n) > uint64(v.last)+1 || l.at+uint64(binary.LittleEndian.Uint32(r[4:])) != at {
				return f.errorf("list %d: block %d ends at document %d", t, b, v.last)
			}
			v.layout()
			if uint64(v.size()) > postings-at {
				return f.errorf("list %d: block %d is cut off", t, b)
			}
			at += uint64(v.size())
		}
		first += l.blocks()
	}
	if first != blocks || at != postings {
		return f.errorf("%d blocks and %d bytes of postings belong to no term", blocks-first, postings-at)
	}
	return nil
}
