// Package inverted holds an inverted index as one file, made in bounded memory and read where it lies, and finds the best
// documents under BM25 in it without scoring them all.
//
// It is for collections that are too large for core/index, which keeps every posting as a struct. Scores are those of
// core/lexical to the bit. docs/scale.md describes the file.
package inverted

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"sort"

	"retrace/core/collection"
	"retrace/core/digest"
	"retrace/core/records"
	"retrace/core/text"
)

// Magic begins and ends a file. A change of the format changes its number.
const Magic = "retrace-index-1\n"

// Bounds on what is written and read.
const (
	MaxDocuments = 1 << 30
	maxTerms     = 1 << 30
	maxAbout     = 4 << 20 // bytes of JSON, most of them stop words
	maxTerm      = 1 << 16 // bytes
)

// Sections, in the order of the directory. Numbers are little-endian everywhere.
const (
	sectionPostings = iota // blocks (block.go), eight zero bytes after the last
	sectionBlocks          // a record of blockRecord bytes for each block
	sectionLists           // for each term: df uint32, number of its first block uint32, place in postings uint64
	sectionTermEnds        // for each term: end in terms, uint32
	sectionTerms           // bytes of the terms, ascending
	sectionIDEnds          // for each document: end in ids, uint32
	sectionIDs             // bytes of the documents' IDs, ascending by collection.CompareID
	sectionLengths         // for each document: kept tokens, uint16, or uint32 where About.WideLengths says so
	sectionAbout           // About as JSON
	sections
)

const (
	sectionEntry  = 8 + 8 + digest.Size // offset, length, hash
	directorySize = sections * sectionEntry
	trailerSize   = digest.Size + len(Magic) // hash of the directory
	listRecord    = 16
	padding       = 8
	piece         = 1 << 20 // a section's hash is that of the hashes of its pieces
)

// About says what an index was made from.
type About struct {
	Analyzer  string   `json:"analyzer"`  // of package text
	Stopwords []string `json:"stopwords"` // which it drops
	Fields    []string `json:"fields"`    // of a document, joined by single spaces: the text that was indexed

	Documents   int   `json:"documents"`
	Tokens      int64 `json:"tokens"` // kept, of all documents
	WideLengths bool  `json:"wideLengths"`
}

// A File is an index, a view of its bytes. It may be used by several goroutines.
//
// Parse checks all that is needed for no later call to read outside the bytes or to take memory that they don't warrant,
// whoever made them. What costs a look at every posting is Check's.
type File struct {
	About    About
	analyzer *text.Analyzer
	name     string
	hash     [digest.Size]byte // of the directory, which holds those of the sections
	section  [sections][]byte
	hashes   [sections][digest.Size]byte
	terms    int
	longest  int // length of the longest document
}

// Parse reads a file. Its bytes must not change while the File is in use. The name is for errors.
func Parse(name string, data []byte) (*File, error) {
	f := &File{name: name}
	if err := f.directory(data); err != nil {
		return nil, err
	}
	if len(f.section[sectionAbout]) > maxAbout {
		return nil, f.errorf("its description has %d bytes, more than %d", len(f.section[sectionAbout]), maxAbout)
	}
	if err := records.Decode(name, 0, f.section[sectionAbout], &f.About); err != nil {
		return nil, err
	}
	var err error
	if f.analyzer, err = text.New(f.About.Analyzer, f.About.Stopwords); err != nil {
		return nil, f.errorf("%v", err)
	}
	for _, step := range []func() error{f.checkDocuments, f.checkTerms, f.checkBlocks} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *File) errorf(format string, args ...any) error {
	return records.Errorf(f.name, 0, "the file is damaged or no index: build it again", format, args...)
}

func (f *File) directory(data []byte) error {
	end := len(data) - trailerSize - directorySize
	if end < len(Magic) || string(data[:len(Magic)]) != Magic || string(data[len(data)-len(Magic):]) != Magic {
		return f.errorf("not an index of format %q, or cut off", Magic[:len(Magic)-1])
	}
	directory := data[end : end+directorySize]
	f.hash = digest.Sum(directory)
	if string(f.hash[:]) != string(data[end+directorySize:end+directorySize+digest.Size]) {
		return f.errorf("the directory of its sections has another SHA-256 than it says")
	}
	next := uint64(len(Magic))
	for i := range f.section {
		entry := directory[i*sectionEntry:]
		offset, length := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if offset != next || length > uint64(end)-offset {
			return f.errorf("section %d is said to be at %d with %d bytes", i, offset, length)
		}
		next = offset + length
		f.section[i] = data[offset:next:next]
		copy(f.hashes[i][:], entry[16:])
	}
	if next != uint64(end) {
		return f.errorf("%d bytes belong to no section", uint64(end)-next)
	}
	return nil
}

func (f *File) checkDocuments() error {
	n, width := f.About.Documents, 2
	if f.About.WideLengths {
		width = 4
	}
	if n < 1 || n > MaxDocuments || len(f.section[sectionLengths]) != n*width || len(f.section[sectionIDEnds]) != 4*n {
		return f.errorf("%d documents don't fit its sections", n)
	}
	total := int64(0)
	for d := range n {
		length := f.Length(d)
		f.longest = max(f.longest, length)
		total += int64(length)
	}
	if total != f.About.Tokens {
		return f.errorf("%d tokens are said, documents have %d", f.About.Tokens, total)
	}
	return f.checkEnds(sectionIDEnds, sectionIDs, collection.MaxID)
}

// checkEnds checks that ends ascend to the end of the text that they cut, in parts of 1 to longest bytes.
func (f *File) checkEnds(ends, text, longest int) error {
	last := uint32(0)
	for b := f.section[ends]; len(b) > 0; b = b[4:] {
		end := binary.LittleEndian.Uint32(b)
		if end <= last || end-last > uint32(longest) {
			return f.errorf("section %d: %d after %d", ends, end, last)
		}
		last = end
	}
	if uint64(last) != uint64(len(f.section[text])) {
		return f.errorf("section %d has %d bytes, want %d", text, len(f.section[text]), last)
	}
	return nil
}

func (f *File) checkTerms() error {
	ends := len(f.section[sectionTermEnds])
	f.terms = ends / 4
	if ends%4 != 0 || f.terms > maxTerms || len(f.section[sectionLists]) != f.terms*listRecord {
		return f.errorf("%d bytes of lists don't fit %d terms", len(f.section[sectionLists]), f.terms)
	}
	if err := f.checkEnds(sectionTermEnds, sectionTerms, maxTerm); err != nil {
		return err
	}
	for t := 1; t < f.terms; t++ {
		if string(f.term(t-1)) >= string(f.term(t)) {
			return f.errorf("term %d does not come after the one before it", t)
		}
	}
	return nil
}

// slice returns part i of a text that is cut at ends.
func (f *File) slice(ends, text, i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = binary.LittleEndian.Uint32(f.section[ends][4*i-4:])
	}
	return f.section[text][start:binary.LittleEndian.Uint32(f.section[ends][4*i:])]
}

// Hash returns the SHA-256 that names the file, in hexadecimal: that of its directory, which holds every section's.
func (f *File) Hash() string { return hex.EncodeToString(f.hash[:]) }

// N returns the number of documents.
func (f *File) N() int { return f.About.Documents }

// Terms returns the number of terms.
func (f *File) Terms() int { return f.terms }

// AvgLength returns the mean length of a document in kept tokens (avgdl).
func (f *File) AvgLength() float64 { return float64(f.About.Tokens) / float64(f.About.Documents) }

// Analyzer returns the analyzer that documents went through.
func (f *File) Analyzer() *text.Analyzer { return f.analyzer }

// ID returns the identifier of a document.
func (f *File) ID(doc int) string { return string(f.slice(sectionIDEnds, sectionIDs, doc)) }

// Length returns the kept tokens of a document.
func (f *File) Length(doc int) int {
	if f.About.WideLengths {
		return int(binary.LittleEndian.Uint32(f.section[sectionLengths][4*doc:]))
	}
	return int(binary.LittleEndian.Uint16(f.section[sectionLengths][2*doc:]))
}

func (f *File) term(t int) []byte { return f.slice(sectionTermEnds, sectionTerms, t) }

// Term returns a term by its number; terms are in ascending (bytewise) order.
func (f *File) Term(t int) string { return string(f.term(t)) }

// Lookup returns the number of a term.
func (f *File) Lookup(term string) (number int, ok bool) {
	t := sort.Search(f.terms, func(i int) bool { return string(f.term(i)) >= term })
	return t, t < f.terms && string(f.term(t)) == term
}

// DF returns the document frequency of a term.
func (f *File) DF(t int) int { return int(f.list(t).df) }

// Postings yields the documents of a term with its frequency in each, ascending, until yield returns false.
func (f *File) Postings(t int, yield func(doc, tf int) bool) {
	l := f.list(t)
	var docs [BlockSize]uint32
	for b := range l.blocks() {
		view := f.block(l, b)
		for i := range view.decode(&docs) {
			if !yield(int(docs[i]), int(view.tf(i))) {
				return
			}
		}
	}
}

// hashSection returns the SHA-256 of the SHA-256s of a section's pieces of 1 MiB, so that parts can be checked by
// themselves.
func hashSection(data []byte) [digest.Size]byte {
	h := hasher{}
	h.write(data)
	return h.sum()
}

// A hasher hashes a section that comes in parts.
type hasher struct{ rest, sums []byte }

func (h *hasher) write(data []byte) {
	for len(h.rest)+len(data) >= piece {
		var sum [digest.Size]byte
		if len(h.rest) == 0 {
			sum, data = digest.Sum(data[:piece]), data[piece:]
		} else {
			n := piece - len(h.rest)
			sum = digest.Sum(append(h.rest, data[:n]...))
			h.rest, data = h.rest[:0], data[n:]
		}
		h.sums = append(h.sums, sum[:]...)
	}
	h.rest = append(h.rest, data...)
}

func (h *hasher) sum() [digest.Size]byte {
	if len(h.rest) > 0 {
		sum := digest.Sum(h.rest)
		h.sums = append(h.sums, sum[:]...)
	}
	return digest.Sum(h.sums)
}

// Check reads everything: that each section has its hash, and that the postings are what they should be: ascending
// documents, frequencies that add up to the documents' lengths, and bounds that hold.
func (f *File) Check() error {
	for i, s := range f.section {
		if hashSection(s) != f.hashes[i] {
			return f.errorf("section %d has another SHA-256 than the directory says", i)
		}
	}
	for d := 1; d < f.N(); d++ {
		if collection.CompareID(f.ID(d-1), f.ID(d)) >= 0 {
			return f.errorf("document %d: %q does not come after %q", d, f.ID(d), f.ID(d-1))
		}
	}
	tokens := make([]int64, f.N())
	var docs [BlockSize]uint32
	for t := range f.terms {
		l := f.list(t)
		for b := range l.blocks() {
			view := f.block(l, b)
			if view.decode(&docs) != view.n {
				return f.errorf("term %q, block %d: its documents don't ascend to its last", f.Term(t), b)
			}
			for i := range view.n {
				tf := view.tf(i)
				tokens[docs[i]] += int64(tf)
				if !view.covers(tf, uint32(f.Length(int(docs[i])))) {
					return f.errorf("term %q, document %d: beyond the bounds of its block", f.Term(t), docs[i])
				}
			}
		}
	}
	for d, n := range tokens {
		if n != int64(f.Length(d)) {
			return f.errorf("document %d has postings of %d tokens, its length is %d", d, n, f.Length(d))
		}
	}
	return nil
}

// marshal returns the JSON of About.
func (a About) marshal() []byte {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings and numbers
	}
	return b
}
