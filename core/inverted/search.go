package inverted

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"retrace/core/lexical"
	"retrace/core/rank"
)

// A Query is a question's terms, each once, in ascending order: the order in which their contributions are summed.
type Query []QueryTerm

// A QueryTerm says how often a term occurs in a question.
type QueryTerm struct {
	Term string
	TF   int
}

// maxQuery bounds the different terms of a question, so that the rounding of their sum stays within slack.
const maxQuery = 1 << 10

// Query analyses a question's text.
func (f *File) Query(s string) Query {
	tokens := f.analyzer.Tokens(s)
	slices.Sort(tokens)
	var q Query
	for _, t := range tokens {
		if last := len(q) - 1; last >= 0 && q[last].Term == t {
			q[last].TF++
		} else {
			q = append(q, QueryTerm{t, 1})
		}
	}
	return q
}

// Statistics are those of a collection that scores depend on, where a file holds only a part of it.
type Statistics struct {
	Documents int
	Tokens    int64
	DF        map[string]int // of the terms that are asked for
}

// A Searcher finds the best documents under BM25 (core/lexical, to the bit). It is for one goroutine; Clone makes others.
type Searcher struct {
	file   *File
	k1, b  float64
	n      int
	avgdl  float64
	df     map[string]int // nil: the file's own
	norms  []float64      // by length, up to a bound
	blocks []float32      // by block: no posting's saturation is above
	lists  []float32      // by term
	scratch
}

// maxNorms bounds the table of length norms; longer documents' are computed when they are met.
const maxNorms = 1 << 16

// Bounds may be below what they bound by rounding: products and sums of up to maxQuery terms err by less than 2⁻⁴². So
// bounds are raised, and thresholds lowered, by more.
const (
	raise = 1 + 0x1p-30
	lower = 1 - 0x1p-30
)

// NewSearcher prepares the bounds of all blocks under the given parameters: k1 ≥ 0, 0 ≤ b ≤ 1. Whole is nil, or the
// statistics of the collection that the file is a part of.
func NewSearcher(f *File, k1, b float64, whole *Statistics) (*Searcher, error) {
	if !(k1 >= 0 && k1 <= 1e6) || !(b >= 0 && b <= 1) {
		return nil, fmt.Errorf("BM25 with k1 = %v, b = %v: k1 is 0 to 1e6 and b 0 to 1", k1, b)
	}
	s := &Searcher{file: f, k1: k1, b: b, n: f.N(), avgdl: f.AvgLength()}
	if whole != nil {
		if whole.Documents < f.N() || whole.Tokens < f.About.Tokens {
			return nil, fmt.Errorf("statistics of %d documents for a part with %d", whole.Documents, f.N())
		}
		s.n, s.avgdl, s.df = whole.Documents, float64(whole.Tokens)/float64(whole.Documents), whole.DF
	}
	s.norms = make([]float64, min(f.longest+1, maxNorms))
	for dl := range s.norms {
		s.norms[dl] = s.lengthNorm(dl)
	}
	s.blocks = make([]float32, len(f.section[sectionBlocks])/blockRecord)
	s.lists = make([]float32, f.terms)
	b0 := 0
	for t := range s.lists {
		for range f.list(t).blocks() {
			s.blocks[b0] = s.blockBound(f.section[sectionBlocks][b0*blockRecord:])
			s.lists[t] = max(s.lists[t], s.blocks[b0])
			b0++
		}
	}
	return s, nil
}

// Clone returns a searcher for another goroutine.
func (s *Searcher) Clone() *Searcher {
	c := *s
	c.scratch = scratch{}
	return &c
}

// lengthNorm and saturation are those of core/lexical, operation by operation.
func (s *Searcher) lengthNorm(dl int) float64 {
	if s.avgdl == 0 {
		return float64(s.k1 * (1 - s.b))
	}
	return float64(s.k1 * (1 - s.b + float64(s.b*float64(dl))/s.avgdl))
}

func (s *Searcher) norm(dl int) float64 {
	if dl < len(s.norms) {
		return s.norms[dl]
	}
	return s.lengthNorm(dl)
}

func (s *Searcher) saturation(tf uint32, norm float64) float64 {
	return float64(float64(tf)*(s.k1+1)) / (float64(tf) + norm)
}

// blockBound is above the saturation of every posting of a block. Saturation grows with tf and falls with dl but for
// rounding.
func (s *Searcher) blockBound(record []byte) float32 {
	bound := 0.0
	for p := record[9:blockRecord]; len(p) > 0 && p[0] > 0; p = p[3:] {
		if p[0] == anyTF {
			bound = s.k1 + 1
			break
		}
		dl := min(int(binary.LittleEndian.Uint16(p[1:])), s.file.longest)
		bound = max(bound, s.saturation(uint32(p[0]), s.norm(dl)))
	}
	return math.Nextafter32(float32(bound*raise), math.MaxFloat32)
}

// cursor is one term of a question in the file.
type cursor struct {
	list   list
	number int     // of the term
	idf    float64 // inverse document frequency
	qtf    float64
	bound  float64 // no contribution is above
	window float64 // no contribution of the current window is above
	weight float64 // contribution to the document that is looked at

	seen   int // first block that may reach the window
	probed int // block of the last find
	look   view

	scanned int // block in docs, -1 for none
	scan    view
	docs    [BlockSize]uint32
	count   int // of docs
	next    int // in docs
}

// scratch is what a search needs, kept for the next one.
type scratch struct {
	spare   []*cursor // used again
	cursors []*cursor // ascending term
	byBound []*cursor // ascending bound
	heap    []rank.Hit
	k       int
	floor   float64   // the score of the k-th best so far, 0 while there are fewer
	below   []float64 // sums of the window bounds of the first of byBound
	sums    []float64
	touched []uint64 // a bit for each of sums
}

// Documents that are looked at together: fewer at first, where every list counts, until there are k with a score.
const (
	firstDocs  = 1 << 8
	windowDocs = 1 << 12
)

// start sets the cursors for a question.
func (s *Searcher) start(q Query, k int) error {
	if len(q) > maxQuery {
		return fmt.Errorf("a question of %d different terms: at most %d", len(q), maxQuery)
	}
	s.cursors, s.byBound, s.heap, s.k, s.floor = s.cursors[:0], s.byBound[:0], s.heap[:0], k, 0
	for i, t := range q {
		if t.TF < 1 || i > 0 && q[i-1].Term >= t.Term {
			return fmt.Errorf("a question's terms ascend and occur at least once: %q", t.Term)
		}
		number, ok := s.file.Lookup(t.Term)
		if !ok {
			continue
		}
		df := s.file.DF(number)
		if s.df != nil {
			whole := s.df[t.Term]
			if whole < df || whole > s.n {
				return fmt.Errorf("%q is in %d documents of a part, %d of the whole are said", t.Term, df, whole)
			}
			df = whole
		}
		if len(s.cursors) == len(s.spare) {
			s.spare = append(s.spare, &cursor{})
		}
		c := s.spare[len(s.cursors)]
		c.list, c.number, c.idf, c.qtf = s.file.list(number), number, lexical.IDF(s.n, df), float64(t.TF)
		c.seen, c.probed, c.scanned = 0, -1, -1
		c.bound = s.boundOf(c, s.lists[number])
		s.cursors = append(s.cursors, c)
		s.byBound = append(s.byBound, c)
	}
	sortBy(s.byBound, func(c *cursor) float64 { return c.bound })
	return nil
}

func sortBy(cursors []*cursor, bound func(*cursor) float64) {
	slices.SortStableFunc(cursors, func(a, b *cursor) int { return cmp.Compare(bound(a), bound(b)) })
}

func (s *Searcher) boundOf(c *cursor, saturation float32) float64 {
	return float64(float64(c.qtf*float64(c.idf*float64(saturation))) * raise)
}

// weightOf is a posting's contribution.
func (s *Searcher) weightOf(c *cursor, tf uint32, doc uint32) float64 {
	return c.weightAt(s.saturation(tf, s.norm(s.file.Length(int(doc)))))
}

func (c *cursor) weightAt(saturation float64) float64 {
	return float64(c.qtf * float64(c.idf*saturation))
}

// Best returns the k best documents for a question, as exhaustive scoring would: scores are sums over the question's terms
// in ascending order, ties go to the document with the lower number.
//
// Lists are taken as MaxScore does (Turtle and Flood 1995, doi:10.1016/0306-4573(95)00020-H): those whose bounds together
// don't reach the k-th best score so far are only asked about documents that others bring up. Bounds are those of the
// blocks within a window of documents, where it is short enough to read them (Ding and Suel 2011).
func (s *Searcher) Best(q Query, k int) ([]rank.Hit, error) {
	if k < 1 {
		return nil, nil
	}
	if err := s.start(q, min(k, s.file.N())); err != nil {
		return nil, err
	}
	s.prime()
	n, docs := uint32(s.file.N()), uint32(firstDocs)
	for first := uint32(0); first < n; docs = min(2*docs, windowDocs) {
		essential := s.byBound[s.needless(func(c *cursor) float64 { return c.bound }):]
		if len(essential) == 0 {
			break // nothing that is left can reach the floor
		}
		last, some := s.windowEnd(essential, first, docs, n)
		if !some {
			break // no essential list has a document left
		}
		s.boundWindow(first, last)
		s.look(first, last)
		first = last + 1
		sortBy(s.byBound, func(c *cursor) float64 { return c.bound })
	}
	slices.SortFunc(s.heap, compareHits)
	return slices.Clone(s.heap), nil
}

// primeBlocks is how many blocks are read for a floor to begin with, of as many as bound a window at most.
const primeBlocks = 4

// prime sets a floor to begin with, below the k-th best score: the least score of k documents that the list with the
// highest bound counts most for. Without it, half of the time goes into documents that only seem to be among the best as long as few are
// known.
func (s *Searcher) prime() {
	if s.k > BlockSize || len(s.byBound) == 0 {
		return
	}
	at := len(s.byBound) - 1
	for at > 0 && int(s.byBound[at].list.df) < s.k {
		at--
	}
	c := s.byBound[at]
	for _, b := range s.highest(c) {
		c.scan = s.file.block(c.list, b)
		for i := range c.scan.decode(&c.docs) {
			s.keep(rank.Hit{Doc: int(c.docs[i]), Score: s.weightOf(c, c.scan.tf(i), c.docs[i])})
		}
	}
	slices.SortFunc(s.heap, func(a, b rank.Hit) int { return a.Doc - b.Doc })
	for i := range s.heap {
		s.heap[i].Score = 0
		for _, c := range s.cursors {
			s.heap[i].Score += s.find(c, uint32(s.heap[i].Doc))
		}
	}
	slices.SortFunc(s.heap, compareHits)
	if s.floor = 0; len(s.heap) == s.k {
		s.floor = s.heap[s.k-1].Score * lower
	}
	s.heap = s.heap[:0]
	for _, c := range s.cursors {
		c.probed = -1
	}
}

// highest returns those of a list's first blocks whose bounds are highest, in no order.
func (s *Searcher) highest(c *cursor) []int {
	var best [primeBlocks]int
	n := 0
	for b := range min(c.list.blocks(), manyBlocks) {
		if n < primeBlocks {
			best[n] = b
			n++
			continue
		}
		lowest := 0
		for i := range best {
			if s.blocks[int(c.list.first)+best[i]] < s.blocks[int(c.list.first)+best[lowest]] {
				lowest = i
			}
		}
		if s.blocks[int(c.list.first)+b] > s.blocks[int(c.list.first)+best[lowest]] {
			best[lowest] = b
		}
	}
	return best[:n]
}

// needless returns how many of byBound can't bring up a document by themselves: the sum of their bounds is not above the
// floor.
func (s *Searcher) needless(bound func(*cursor) float64) int {
	sum := 0.0
	for i, c := range s.byBound {
		if sum += bound(c); sum*raise > s.floor || s.floor == 0 {
			return i
		}
	}
	return len(s.byBound)
}

// windowEnd returns the last document of a window from first on: the nearest end of a block of the essential lists, but
// not before so many documents.
func (s *Searcher) windowEnd(essential []*cursor, first, docs, n uint32) (last uint32, some bool) {
	last = n - 1
	for _, c := range essential {
		if b := s.seek(c, c.seen, first); b < c.list.blocks() {
			c.seen = b
			last = min(last, s.lastOf(c, b))
			some = true
		}
	}
	return min(max(last, first+docs-1), n-1), some
}

func (s *Searcher) lastOf(c *cursor, block int) uint32 {
	return binary.LittleEndian.Uint32(s.file.section[sectionBlocks][(int(c.list.first)+block)*blockRecord:])
}

// seek returns the first block from block on whose last document is not before doc; the number of blocks if there is none.
func (s *Searcher) seek(c *cursor, block int, doc uint32) int {
	n, step := c.list.blocks(), 1
	low, high := block, block
	for high < n && s.lastOf(c, high) < doc {
		low = high + 1
		high += step
		step *= 2
	}
	high = min(high, n)
	for low < high {
		if mid := (low + high) / 2; s.lastOf(c, mid) < doc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// manyBlocks is how many blocks' bounds are read to bound a window.
const manyBlocks = 64

// boundWindow sets the cursors' bounds for documents from first to last.
func (s *Searcher) boundWindow(first, last uint32) {
	for _, c := range s.cursors {
		n := c.list.blocks()
		c.seen = s.seek(c, c.seen, first)
		bound := float32(0)
		for b := c.seen; b < n; b++ {
			if b-c.seen == manyBlocks {
				bound = s.lists[c.number]
				break
			}
			bound = max(bound, s.blocks[int(c.list.first)+b])
			if s.lastOf(c, b) >= last {
				break
			}
		}
		c.window = s.boundOf(c, bound)
	}
}

// look scores what may be among the best of a window.
func (s *Searcher) look(first, last uint32) {
	sortBy(s.byBound, func(c *cursor) float64 { return c.window })
	needless := s.needless(func(c *cursor) float64 { return c.window })
	essential := s.byBound[needless:]
	s.below = append(s.below[:0], 0)
	sum := 0.0
	for _, c := range s.byBound {
		sum += c.window
		s.below = append(s.below, sum*raise)
	}
	switch len(essential) {
	case 0:
	case 1:
		s.lookThrough(essential[0], needless, first, last)
	default:
		s.lookTogether(needless, first, last)
	}
}

// lookThrough goes through a window where one list alone is essential.
func (s *Searcher) lookThrough(c *cursor, needless int, first, last uint32) {
	others := s.below[needless]
	need := float64(s.floor*lower) - others
	for s.advance(c, first) {
		if s.boundOf(c, s.blocks[int(c.list.first)+c.scanned]) <= need {
			if c.scan.last >= last {
				return
			}
			first = c.scan.last + 1
			continue
		}
		for ; c.next < c.count; c.next++ {
			doc := c.docs[c.next]
			if doc > last {
				return
			}
			w := s.weightOf(c, c.scan.tf(c.next), doc)
			if w > need {
				c.weight = w
				s.candidate(doc, w, needless)
				need = float64(s.floor*lower) - others
			}
		}
		if first = c.scan.last + 1; first > last {
			return
		}
	}
}

// advance moves a cursor's scan to its first document that is not before doc, and reports whether there is one.
func (s *Searcher) advance(c *cursor, doc uint32) bool {
	for {
		if c.scanned < 0 || c.scan.last < doc {
			b := s.seek(c, max(c.scanned, 0), doc)
			if b == c.list.blocks() {
				return false
			}
			c.scanned, c.scan = b, s.file.block(c.list, b)
			c.count, c.next = c.scan.decode(&c.docs), 0
		}
		for c.next < c.count && c.docs[c.next] < doc {
			c.next++
		}
		if c.next < c.count {
			return true
		}
		doc = c.scan.last + 1 // a damaged block has no documents
	}
}

// lookTogether goes through a window where several lists are essential: their contributions are added up for windowDocs
// documents at a time, and what may be among the best is looked at.
func (s *Searcher) lookTogether(needless int, first, last uint32) {
	if s.sums == nil {
		s.sums, s.touched = make([]float64, windowDocs), make([]uint64, windowDocs/64)
	}
	others := s.below[needless]
	for {
		low, some := last, false
		for _, c := range s.byBound[needless:] {
			if s.advance(c, first) && c.docs[c.next] <= last {
				low, some = min(low, c.docs[c.next]), true
			}
		}
		if !some {
			return
		}
		high := min(uint64(low)+windowDocs-1, uint64(last))
		for _, c := range s.byBound[needless:] {
			s.addUp(c, low, uint32(high))
		}
		for i, word := range s.touched {
			s.touched[i] = 0
			for ; word != 0; word &= word - 1 {
				at := i*64 + bits.TrailingZeros64(word)
				if sum := s.sums[at]; sum > float64(s.floor*lower)-others {
					s.candidate(low+uint32(at), sum, needless)
				}
				s.sums[at] = 0
			}
		}
		if high == uint64(last) {
			return
		}
		first = uint32(high) + 1
	}
}

// addUp adds a list's contributions to the documents from low to high.
func (s *Searcher) addUp(c *cursor, low, high uint32) {
	for from := low; s.advance(c, from); from = c.scan.last + 1 {
		for ; c.next < c.count; c.next++ {
			doc := c.docs[c.next]
			if doc > high {
				return
			}
			s.sums[doc-low] += s.weightOf(c, c.scan.tf(c.next), doc)
			s.touched[(doc-low)/64] |= 1 << ((doc - low) % 64)
		}
		if c.scan.last >= high {
			return
		}
	}
}

// candidate looks at a document whose essential lists add up to sum: it asks the others from the highest bound down while
// it may be among the best, then adds all contributions up in the stated order.
func (s *Searcher) candidate(doc uint32, sum float64, needless int) {
	dl := s.file.Length(int(doc))
	norm := s.norm(dl)
	for i := needless - 1; i >= 0; i-- {
		c := s.byBound[i]
		rest := s.below[i]
		if s.floor > 0 && sum+s.below[i+1] <= s.floor*lower {
			return
		}
		c.weight = 0
		if !s.probe(c, doc) {
			continue
		}
		// The highest frequency that the block has in documents no longer than this one bounds its contribution.
		tf := c.look.most(uint32(dl))
		if tf == 0 {
			continue
		}
		if s.floor > 0 && tf < anyTF && sum+c.weightAt(s.saturation(tf, norm))+rest <= s.floor*lower {
			return
		}
		if at := c.look.find(doc); at >= 0 {
			c.weight = c.weightAt(s.saturation(c.look.tf(at), norm))
			sum += c.weight
		}
	}
	if sum <= s.floor*lower {
		return
	}
	if essential := s.byBound[needless:]; len(essential) > 1 {
		for _, c := range essential {
			c.weight = s.find(c, doc)
		}
	}
	score := 0.0
	for _, c := range s.cursors {
		score += c.weight
	}
	s.keep(rank.Hit{Doc: int(doc), Score: score})
}

// find returns a term's contribution to a document, 0 where it is not in it.
func (s *Searcher) find(c *cursor, doc uint32) float64 {
	if s.probe(c, doc) {
		if at := c.look.find(doc); at >= 0 {
			return s.weightOf(c, c.look.tf(at), doc)
		}
	}
	return 0
}

// probe moves a cursor's look to the block that a document would be in, and reports whether there is one. Documents come
// in ascending order.
func (s *Searcher) probe(c *cursor, doc uint32) bool {
	if c.probed < 0 || c.look.last < doc {
		b := s.seek(c, max(c.probed, c.seen, 0), doc)
		if b == c.list.blocks() {
			return false
		}
		c.probed, c.look = b, s.file.block(c.list, b)
	}
	return doc >= c.look.base
}

// keep puts a document among the best if it belongs there. Documents come in ascending order, so that one with the score
// of the k-th stands behind it.
func (s *Searcher) keep(h rank.Hit) {
	if h.Score <= 0 {
		return
	}
	if len(s.heap) < s.k {
		s.heap = append(s.heap, h)
		if len(s.heap) < s.k {
			return
		}
		for i := len(s.heap)/2 - 1; i >= 0; i-- {
			s.sink(i)
		}
	} else {
		if h.Score <= s.heap[0].Score {
			return
		}
		s.heap[0] = h
		s.sink(0)
	}
	s.floor = max(s.floor, s.heap[0].Score)
}

// sink restores the heap, whose root stands last in the ranking.
func (s *Searcher) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			return
		}
		if child+1 < len(s.heap) && compareHits(s.heap[child+1], s.heap[child]) > 0 {
			child++
		}
		if compareHits(s.heap[child], s.heap[i]) <= 0 {
			return
		}
		s.heap[i], s.heap[child] = s.heap[child], s.heap[i]
		i = child
	}
}

func compareHits(a, b rank.Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.Doc, b.Doc)
}

// Exhaustive returns what Best returns by scoring every document that has a term of the question.
func (s *Searcher) Exhaustive(q Query, k int) ([]rank.Hit, error) {
	if err := s.start(q, k); err != nil {
		return nil, err
	}
	scores := rank.New(s.file.N())
	var docs [BlockSize]uint32
	for _, c := range s.cursors {
		for b := range c.list.blocks() {
			v := s.file.block(c.list, b)
			for i := range v.decode(&docs) {
				scores.Add(int32(docs[i]), s.weightOf(c, v.tf(i), docs[i]))
			}
		}
	}
	return scores.Best(k), nil
}
