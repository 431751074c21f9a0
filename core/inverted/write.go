package inverted

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/digest"
	"retrace/core/text"
)

// A Builder takes documents in ascending order of their IDs (collection.CompareID) and makes segments of them: indexes of
// some documents each, which Merge puts together.
type Builder struct {
	about    About
	analyzer *text.Analyzer
	terms    map[string]uint32 // number in order of appearance
	seen     []place           // by term: where it stands last
	entries  []entry           // of all documents, one after the other
	ends     []int             // of each document in entries
	lengths  []uint32
	ids      []byte
	idEnds   []uint32
	lastID   string
}

type place struct{ doc, entry uint32 } // document's number from 1

type entry struct{ term, tf uint32 }

// NewBuilder returns a builder of an index over texts that are what about.Fields says, analysed as about says.
func NewBuilder(about About) (*Builder, error) {
	a, err := text.New(about.Analyzer, about.Stopwords)
	if err != nil {
		return nil, err
	}
	if about.Stopwords == nil {
		about.Stopwords = []string{}
	}
	if about.Fields == nil {
		about.Fields = []string{}
	}
	return &Builder{about: about, analyzer: a, terms: map[string]uint32{}}, nil
}

// Add adds one document.
func (b *Builder) Add(id, text string) error {
	if what := collection.CheckID(id); what != "" {
		return fmt.Errorf("%s: %q", what, id)
	}
	if len(b.lengths) > 0 && collection.CompareID(b.lastID, id) >= 0 {
		return fmt.Errorf("document %q comes after %q: documents are added in ascending order of ID, each once", id, b.lastID)
	}
	if len(b.lengths) >= MaxDocuments {
		return fmt.Errorf("more than %d documents: make several indexes", MaxDocuments)
	}
	b.lastID = strings.Clone(id)
	tokens := b.analyzer.Tokens(text)
	doc := uint32(len(b.lengths) + 1)
	for _, token := range tokens {
		if len(token) > maxTerm {
			return fmt.Errorf("document %q has a token of %d bytes, more than %d", id, len(token), maxTerm)
		}
		t, ok := b.terms[token]
		if !ok {
			t = uint32(len(b.seen))
			b.terms[strings.Clone(token)] = t
			b.seen = append(b.seen, place{})
		}
		if p := &b.seen[t]; p.doc == doc {
			b.entries[p.entry].tf++
		} else {
			*p = place{doc, uint32(len(b.entries))}
			b.entries = append(b.entries, entry{t, 1})
		}
	}
	b.lengths = append(b.lengths, uint32(len(tokens)))
	b.ends = append(b.ends, len(b.entries))
	b.ids = append(b.ids, id...)
	b.idEnds = append(b.idEnds, uint32(len(b.ids)))
	b.about.Tokens += int64(len(tokens))
	return nil
}

// Size estimates the bytes that the builder holds and that Segment will take beside them.
func (b *Builder) Size() int {
	return len(b.entries)*(8+8+2) + len(b.terms)*80 + len(b.lengths)*24 + len(b.ids)
}

// Documents returns how many documents were added since the last Segment.
func (b *Builder) Documents() int { return len(b.lengths) }

// Segment writes an index of the documents added since the last one, and forgets them.
func (b *Builder) Segment(w io.Writer) error {
	if len(b.lengths) == 0 {
		return fmt.Errorf("an index needs at least one document")
	}
	names := make([]string, len(b.seen))
	for name, t := range b.terms {
		names[t] = name
	}
	order := make([]uint32, len(names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(names[x], names[y]) })
	starts, postings := b.byTerm()
	b.about.Documents = len(b.lengths)
	out := newWriter(w, b.about, b.lengths)
	for _, t := range order {
		for _, p := range postings[starts[t]:starts[t+1]] {
			if err := out.posting(p.doc, p.tf); err != nil {
				return err
			}
		}
		if err := out.endList(names[t]); err != nil {
			return err
		}
	}
	out.ids, out.idEnds = b.ids, b.idEnds
	err := out.finish()
	clear(b.terms)
	b.seen, b.entries, b.ends, b.lengths, b.ids, b.idEnds = b.seen[:0], b.entries[:0], b.ends[:0], b.lengths[:0], b.ids[:0], b.idEnds[:0]
	b.about.Tokens, b.lastID = 0, ""
	return err
}

type posting struct{ doc, tf uint32 }

// byTerm turns the documents' entries into the terms' postings by counting.
func (b *Builder) byTerm() (starts []int, postings []posting) {
	starts = make([]int, len(b.seen)+2) // shifted by one, so that it ends as the starts
	for _, e := range b.entries {
		starts[e.term+2]++
	}
	for t := 2; t < len(starts); t++ {
		starts[t] += starts[t-1]
	}
	postings = make([]posting, len(b.entries))
	first := 0
	for d, end := range b.ends {
		for _, e := range b.entries[first:end] {
			postings[starts[e.term+1]] = posting{uint32(d), e.tf}
			starts[e.term+1]++
		}
		first = end
	}
	return starts[:len(b.seen)+1], postings
}

// Merge writes the index of the documents of segments, which were made the same way from consecutive parts of a
// collection. Beside them it holds terms, IDs, lengths and 24 bytes a block of 128 postings.
func Merge(w io.Writer, segments []*File) error {
	if len(segments) == 0 {
		return fmt.Errorf("an index needs at least one segment")
	}
	about, lengths, ids := segments[0].About, []uint32{}, []byte{}
	about.Documents, about.Tokens = 0, 0
	var idEnds []uint32
	first := make([]uint32, len(segments)) // document of each segment
	for i, s := range segments {
		if s.About.Analyzer != about.Analyzer || !slices.Equal(s.About.Stopwords, about.Stopwords) || !slices.Equal(s.About.Fields, about.Fields) {
			return fmt.Errorf("%s was made from other fields or by another analyzer than %s: build them alike", s.name, segments[0].name)
		}
		if i > 0 && collection.CompareID(segments[i-1].ID(segments[i-1].N()-1), s.ID(0)) >= 0 {
			return fmt.Errorf("%s does not come after %s in the order of IDs: name them in that order", s.name, segments[i-1].name)
		}
		if about.Documents+s.N() > MaxDocuments || len(ids)+len(s.section[sectionIDs]) > 1<<32-1 {
			return fmt.Errorf("more than %d documents, or 4 GiB of IDs: make several indexes", MaxDocuments)
		}
		first[i] = uint32(about.Documents)
		about.Documents += s.N()
		about.Tokens += s.About.Tokens
		for d := range s.N() {
			lengths = append(lengths, uint32(s.Length(d)))
			idEnds = append(idEnds, uint32(len(ids))+binary.LittleEndian.Uint32(s.section[sectionIDEnds][4*d:]))
		}
		ids = append(ids, s.section[sectionIDs]...)
	}
	out := newWriter(w, about, lengths)
	out.ids, out.idEnds = ids, idEnds
	return mergeLists(out, segments, first)
}

func mergeLists(out *writer, segments []*File, first []uint32) error {
	next := make([]int, len(segments)) // term of each segment
	for {
		least := []byte(nil)
		for i, s := range segments {
			if next[i] < s.terms {
				if t := s.term(next[i]); least == nil || string(t) < string(least) {
					least = t
				}
			}
		}
		if least == nil {
			return out.finish()
		}
		for i, s := range segments {
			if next[i] == s.terms || string(s.term(next[i])) != string(least) {
				continue
			}
			l := s.list(next[i])
			var docs [BlockSize]uint32
			for b := range l.blocks() {
				v := s.block(l, b)
				for j := range v.decode(&docs) {
					if err := out.posting(first[i]+docs[j], v.tf(j)); err != nil {
						return err
					}
				}
			}
			next[i]++
		}
		if err := out.endList(string(least)); err != nil {
			return err
		}
	}
}

// A writer writes a file from its beginning to its end; postings go out as they come.
type writer struct {
	w        io.Writer
	about    About
	lengths  []uint32
	hash     hasher // of the postings
	at       uint64 // in the postings
	buffer   []byte
	docs     [BlockSize]uint32
	tfs      [BlockSize]uint32
	n        int // in docs
	df       uint32
	base     uint32
	listAt   uint64
	blocks   []byte
	lists    []byte
	terms    []byte
	termEnds []uint32
	ids      []byte
	idEnds   []uint32
	err      error
}

func newWriter(w io.Writer, about About, lengths []uint32) *writer {
	about.WideLengths = slices.Max(lengths) >= 1<<16
	out := &writer{w: w, about: about, lengths: lengths}
	_, out.err = io.WriteString(w, Magic)
	return out
}

// posting adds a posting to the list that is being written.
func (o *writer) posting(doc, tf uint32) error {
	o.docs[o.n], o.tfs[o.n] = doc, tf
	o.n++
	o.df++
	if o.n == BlockSize {
		o.block()
	}
	return o.err
}

// width is the bits that the frequencies that wait need.
func (o *writer) width() uint {
	most := uint32(0)
	for _, tf := range o.tfs[:o.n] {
		most = max(most, tf-1)
	}
	return uint(bits.Len32(most))
}

// put appends the block of the postings that wait to the buffer and returns its size.
func (o *writer) put() int {
	v := view{base: o.base, last: o.docs[o.n-1], n: o.n, tfBits: o.width()}
	v.layout()
	start := len(o.buffer)
	o.buffer = append(o.buffer, make([]byte, v.size()+padding)...) // to write words of 8 bytes
	out := o.buffer[start:]
	for i, doc := range o.docs[:o.n] {
		x := doc - o.base
		if v.dense {
			out[x>>3] |= 1 << (x & 7)
		} else {
			high := int(x>>v.low) + i
			out[high>>3] |= 1 << (high & 7)
			putField(out[v.lowAt:], v.low, i, x&(1<<v.low-1))
		}
		putField(out[v.tfAt:], v.tfBits, i, o.tfs[i]-1)
	}
	o.buffer = o.buffer[:start+v.size()]
	return v.size()
}

// block writes the postings that wait, with their record.
func (o *writer) block() {
	if o.at-o.listAt >= 1<<32 && o.err == nil {
		o.err = fmt.Errorf("a list of more than 4 GiB: make several indexes")
	}
	last := o.docs[o.n-1]
	o.blocks = binary.LittleEndian.AppendUint32(o.blocks, last)
	o.blocks = binary.LittleEndian.AppendUint32(o.blocks, uint32(o.at-o.listAt))
	o.blocks = append(o.blocks, byte(o.width()))
	o.blocks = appendPairs(o.blocks, o.docs[:o.n], o.tfs[:o.n], o.lengths)
	o.at += uint64(o.put())
	o.base, o.n = last+1, 0
	if len(o.buffer) >= piece {
		o.flush()
	}
}

func putField(data []byte, width uint, i int, x uint32) {
	if width == 0 {
		return
	}
	at := uint(i) * width
	word := data[at>>3:]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|uint64(x)<<(at&7))
}

// appendPairs appends the bounds of a block: of its postings' (tf, dl) those that no other beats in both. Where there are
// more than maxPairs, the last pair stands for the rest.
func appendPairs(record []byte, docs, tfs, lengths []uint32) []byte {
	var shortest [anyTF + 1]uint32 // by frequency: 1 + the least length, 0 where there is none
	most := uint32(0)
	for i, tf := range tfs {
		tf = min(tf, anyTF)
		dl := min(lengths[docs[i]], maxPairDL) + 1
		if s := shortest[tf]; s == 0 || dl < s {
			shortest[tf] = dl
		}
		most = max(most, tf)
	}
	end := len(record) + maxPairs*3
	least := uint32(1<<32 - 1)
	for tf := most; tf > 0; tf-- {
		dl := shortest[tf]
		if dl == 0 || dl >= least {
			continue
		}
		least = dl
		if len(record) < end {
			record = append(record, byte(tf), 0, 0)
		}
		binary.LittleEndian.PutUint16(record[len(record)-2:], uint16(dl-1))
	}
	for len(record) < end {
		record = append(record, 0, 0, 0)
	}
	return record
}

// endList ends the list of a term.
func (o *writer) endList(term string) error {
	if o.n > 0 {
		o.block()
	}
	o.lists = binary.LittleEndian.AppendUint32(o.lists, o.df)
	o.lists = binary.LittleEndian.AppendUint32(o.lists, uint32(len(o.blocks)/blockRecord-(int(o.df)+BlockSize-1)/BlockSize))
	o.lists = binary.LittleEndian.AppendUint64(o.lists, o.listAt)
	o.terms = append(o.terms, term...)
	o.termEnds = append(o.termEnds, uint32(len(o.terms)))
	if (len(o.terms) >= 1<<32 || len(o.termEnds) > maxTerms) && o.err == nil {
		o.err = fmt.Errorf("more than %d terms, or 4 GiB of them: make several indexes", maxTerms)
	}
	o.df, o.base, o.listAt = 0, 0, o.at
	return o.err
}

func (o *writer) flush() {
	o.hash.write(o.buffer)
	o.write(o.buffer)
	o.buffer = o.buffer[:0]
}

func (o *writer) write(data []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(data)
	}
}

// finish writes what comes after the postings.
func (o *writer) finish() error {
	o.buffer = append(o.buffer, make([]byte, padding)...)
	o.flush()
	directory := make([]byte, 0, directorySize)
	at := uint64(len(Magic))
	entry := func(length uint64, sum [digest.Size]byte) {
		directory = binary.LittleEndian.AppendUint64(directory, at)
		directory = binary.LittleEndian.AppendUint64(directory, length)
		directory = append(directory, sum[:]...)
		at += length
	}
	entry(o.at+padding, o.hash.sum())
	for _, data := range [][]byte{o.blocks, o.lists, words(o.termEnds), o.terms, words(o.idEnds), o.ids, o.lengthBytes(), o.about.marshal()} {
		entry(uint64(len(data)), hashSection(data))
		o.write(data)
	}
	sum := digest.Sum(directory)
	o.write(directory)
	o.write(sum[:])
	o.write([]byte(Magic))
	return o.err
}

func (o *writer) lengthBytes() []byte {
	if o.about.WideLengths {
		return words(o.lengths)
	}
	out := make([]byte, 0, 2*len(o.lengths))
	for _, n := range o.lengths {
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
	}
	return out
}

func words(numbers []uint32) []byte {
	out := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	return out
}
