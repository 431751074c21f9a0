package inverted

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/core/digest"
	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/text"
)

var ascii = About{Analyzer: "ascii"}

type fatal interface {
	Helper()
	Fatal(...any)
}

// segment returns the file of an index over texts with the IDs first, first + 1, ….
func segment(t fatal, first int, texts []string) []byte {
	t.Helper()
	b, err := NewBuilder(ascii)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range texts {
		if err := b.Add(strconv.Itoa(first+i), s); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := b.Segment(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func parse(t fatal, data []byte) *File {
	t.Helper()
	f, err := Parse("test.index", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSmall(t *testing.T) {
	f := parse(t, segment(t, 9, []string{"b a b", "", "c A"}))
	if f.N() != 3 || f.Terms() != 3 || f.About.Tokens != 5 || f.AvgLength() != 5.0/3 || f.ID(2) != "11" || f.Length(0) != 3 || f.Length(1) != 0 {
		t.Errorf("%+v", f.About)
	}
	n, ok := f.Lookup("a")
	if n != 0 || !ok || f.DF(n) != 2 || f.Term(1) != "b" {
		t.Error("terms", n, ok)
	}
	if _, ok := f.Lookup("d"); ok {
		t.Error("an unknown term was found")
	}
	var got [][2]int
	for term := range f.Terms() {
		f.Postings(term, func(doc, tf int) bool { got = append(got, [2]int{doc, tf}); return true })
	}
	if !cmp.Equal(got, [][2]int{{0, 1}, {2, 1}, {0, 2}, {2, 1}}) {
		t.Error(got)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	if q := f.Query("c b x c"); !cmp.Equal(q, Query{{"b", 1}, {"c", 2}, {"x", 1}}) {
		t.Error(q)
	}
}

// By hand. Elias and Fano's code for documents 3, 17, 18, 40 of a range up to 40: 41/4 gives l = 3; low bits 011, 001, 010,
// 000; high parts 0, 2, 2, 5. In unary, a one behind as many zeros as the high part grew by, 1, 001, 1, 0001, from the lowest
// bit up. And 0, 3, 8 of a range up to 8, as a map.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		docs []uint32
		want []byte
	}{
		{[]uint32{3, 17, 18, 40}, []byte{0b00011001, 0b1, 0b10_001_011, 0b000_0}},
		{[]uint32{0, 3, 8}, []byte{0b1001, 1}},
	} {
		o := &writer{lengths: make([]uint32, 50)}
		for _, d := range c.docs {
			o.posting(d, 1)
		}
		o.block()
		if !cmp.Equal(o.buffer, c.want) {
			t.Errorf("%v: %08b, want %08b", c.docs, o.buffer, c.want)
		}
	}
}

// Documents drawn from small and from wide ranges, of all lengths of lists about a block's, are found and decoded.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]uint32{1, 2, 200, 1000, 1 << 20, 1<<30 - 1}).Draw(t, "top")
		docs := rapid.SliceOfNDistinct(rapid.Uint32Range(0, top), 1, int(min(top, 300)), rapid.ID).Draw(t, "docs")
		slices.Sort(docs)
		o := &writer{}
		o.lengths = nil
		wide := rapid.SampledFrom([]uint32{1, 3, 300, math.MaxUint32}).Draw(t, "frequencies")
		tfs := rapid.SliceOfN(rapid.Uint32Range(1, wide), len(docs), len(docs)).Draw(t, "tf")
		base := uint32(0)
		for from := 0; from < len(docs); from += BlockSize {
			part := docs[from:min(from+BlockSize, len(docs))]
			v := encodeBlock(o, base, part, tfs[from:])
			var got [BlockSize]uint32
			if n := v.decode(&got); !slices.Equal(got[:n], part) {
				t.Fatalf("decoded %v, want %v", got[:n], part)
			}
			for i, d := range part {
				if v.find(d) != i || v.tf(i) != tfs[from+i] {
					t.Fatalf("document %d: place %d, tf %d; want %d, %d", d, v.find(d), v.tf(i), i, tfs[from+i])
				}
				for _, near := range []uint32{d - 1, d + 1} {
					if near >= base && near <= v.last && !slices.Contains(part, near) && v.find(near) != -1 {
						t.Fatalf("document %d, which is not there, was found", near)
					}
				}
			}
			base = v.last + 1
		}
	})
}

// encodeBlock writes one block and returns its view.
func encodeBlock(o *writer, base uint32, docs, tfs []uint32) view {
	o.buffer, o.base = nil, base
	copy(o.docs[:], docs)
	copy(o.tfs[:], tfs)
	o.n = len(docs)
	o.put()
	v := view{data: append(slices.Clone(o.buffer), make([]byte, padding)...), base: base, last: docs[len(docs)-1], n: len(docs), tfBits: o.width()}
	v.layout()
	return v
}

// collections draws texts with words of very different frequencies, so that lists of every kind occur, and questions.
func collections(t *rapid.T) (texts, questions []string) {
	stream := exact.NewStream(rapid.Uint64().Draw(t, "seed"), 0)
	n := rapid.SampledFrom([]int{1, 3, 130, 1000, 9000}).Draw(t, "documents")
	longest := rapid.SampledFrom([]int{1, 4, 20}).Draw(t, "longest")
	words := rapid.SampledFrom([]int{2, 30, 2000}).Draw(t, "words")
	draw := func(length int) string {
		var s []string
		for range length {
			s = append(s, "w"+strconv.Itoa(stream.IntN(1+stream.IntN(words))))
		}
		return strings.Join(s, " ")
	}
	for range n {
		texts = append(texts, draw(stream.IntN(longest+1)))
	}
	for range 6 {
		questions = append(questions, draw(1+stream.IntN(6)))
	}
	return texts, questions
}

// Best and Exhaustive give core/lexical's ranking to the bit, whatever parameters, k, segments and shards.
func TestSearchEqualsLexical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, questions := collections(t)
		k1 := rapid.SampledFrom([]float64{0, 0.9, 1.2, 100}).Draw(t, "k1")
		b := rapid.SampledFrom([]float64{0, 0.4, 0.75, 1}).Draw(t, "b")
		k := rapid.SampledFrom([]int{1, 2, 10, 70}).Draw(t, "k")
		analyzer, _ := text.New("ascii", nil)
		x := index.Build(analyzer, texts)
		reference := lexical.NewBM25(x, k1, b)
		whole := parse(t, segment(t, 1, texts))
		if err := whole.Check(); err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(texts)-1).Draw(t, "cut")
		parts := []*File{whole}
		if cut > 0 {
			parts = []*File{parse(t, segment(t, 1, texts[:cut])), parse(t, segment(t, 1+cut, texts[cut:]))}
			var merged bytes.Buffer
			if err := Merge(&merged, parts); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(merged.Bytes(), segment(t, 1, texts)) {
				t.Fatal("two segments merge to another file than one makes")
			}
		}
		searcher, err := NewSearcher(whole, k1, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, question := range questions {
			scores := rank.New(len(texts))
			reference.Score(x.Query(question), scores)
			want := scores.Best(k)
			q := whole.Query(question)
			for name, search := range map[string]func(Query, int) ([]rank.Hit, error){"Best": searcher.Best, "Exhaustive": searcher.Exhaustive} {
				got, err := search(q, k)
				if err != nil {
					t.Fatal(err)
				}
				same(t, name+" of "+question, got, want)
			}
			same(t, "shards of "+question, sharded(t, parts, k1, b, q, k), want)
		}
	})
}

// sharded answers from the parts of a collection with the statistics of the whole.
func sharded(t *rapid.T, parts []*File, k1, b float64, q Query, k int) []rank.Hit {
	whole := Statistics{DF: map[string]int{}}
	for _, f := range parts {
		whole.Documents += f.N()
		whole.Tokens += f.About.Tokens
		for _, term := range q {
			if n, ok := f.Lookup(term.Term); ok {
				whole.DF[term.Term] += f.DF(n)
			}
		}
	}
	var all []rank.Hit
	first := 0
	for _, f := range parts {
		s, err := NewSearcher(f, k1, b, &whole)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := s.Best(q, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			all = append(all, rank.Hit{Doc: first + h.Doc, Score: h.Score})
		}
		first += f.N()
	}
	slices.SortFunc(all, compareHits)
	return all[:min(k, len(all))]
}

func same(t *rapid.T, what string, got, want []rank.Hit) {
	if len(got) != len(want) {
		t.Fatalf("%s: %d documents, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i].Doc != want[i].Doc || math.Float64bits(got[i].Score) != math.Float64bits(want[i].Score) {
			t.Fatalf("%s, place %d: %v, want %v", what, i+1, got[i], want[i])
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	for name, ids := range map[string][]string{"twice": {"1", "1"}, "descending": {"2", "1"}, "as text": {"10", "9"}, "empty": {""}, "space": {"a b"}} {
		b, _ := NewBuilder(ascii)
		var err error
		for _, id := range ids {
			if e := b.Add(id, "x"); e != nil {
				err = e
			}
		}
		if err == nil {
			t.Errorf("%s: IDs %q were taken", name, ids)
		}
	}
	b, _ := NewBuilder(ascii)
	if b.Segment(&bytes.Buffer{}) == nil {
		t.Error("an index of nothing was made")
	}
}

func TestMergeRefuses(t *testing.T) {
	a, b := parse(t, segment(t, 1, []string{"x", "y"})), parse(t, segment(t, 2, []string{"z"}))
	if Merge(&bytes.Buffer{}, []*File{a, b}) == nil {
		t.Error("segments that overlap were merged")
	}
	b.About.Fields = []string{"title"}
	if Merge(&bytes.Buffer{}, []*File{b, a}) == nil {
		t.Error("segments of other fields were merged")
	}
}

// reseal gives a changed file the hashes that it should have, so that what is behind them is reached.
func reseal(data []byte) {
	end := len(data) - trailerSize - directorySize
	if end < 0 {
		return
	}
	directory := data[end : end+directorySize]
	for i := range sections {
		entry := directory[i*sectionEntry:]
		at, length := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if at <= uint64(end) && length <= uint64(end)-at {
			sum := hashSection(data[at : at+length])
			copy(entry[16:], sum[:])
		}
	}
	sum := digest.Sum(directory)
	copy(data[end+directorySize:], sum[:])
}

func sample(t fatal) []byte {
	var texts []string
	for i := range 300 {
		texts = append(texts, fmt.Sprintf("a %s w%d", strings.Repeat("b ", i%4), i%7))
	}
	return segment(t, 1, texts)
}

// Each byte changed: Parse or Check refuses, with the hashes as they were and, but for what no rule can tell, renewed.
func TestDamage(t *testing.T) {
	good := sample(t)
	refused := func(data []byte) bool {
		f, err := Parse("damaged", data)
		return err != nil || f.Check() != nil
	}
	if refused(good) {
		t.Fatal("the file itself is refused")
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if !refused(bad) {
			t.Fatalf("byte %d may be changed", i)
		}
	}
	for _, cut := range []int{0, 1, len(Magic), len(good) / 2, len(good) - 1} {
		if !refused(good[:cut]) {
			t.Fatalf("the first %d bytes are taken", cut)
		}
	}
}

// Whatever the bytes, with right hashes: no panic, and nothing without end.
func FuzzParse(f *testing.F) {
	good := sample(f)
	f.Add(good, 0, byte(0))
	for _, at := range []int{20, 200, len(good) / 2, len(good) - 600, len(good) - 200} {
		f.Add(good, at, byte(0x81))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, change byte) {
		data = slices.Clone(data)
		if at >= 0 && at < len(data) {
			data[at] ^= change
		}
		reseal(data)
		use(data)
	})
}

// use reads a file as a program would that does not check it.
func use(data []byte) {
	x, err := Parse("fuzz", data)
	if err != nil {
		return
	}
	x.Check()
	s, err := NewSearcher(x, 1.2, 0.75, nil)
	if err != nil {
		return
	}
	for _, q := range []Query{{{"a", 1}, {"b", 1}, {"w3", 2}}, {{"w1", 1}, {"w2", 1}}, {{"b", 1}}} {
		s.Best(q, 10)
		s.Exhaustive(q, 3)
	}
}

// The same with two thousand changes, so that every run of the tests has some.
func TestHostile(t *testing.T) {
	good, stream := sample(t), exact.NewStream(14, 0)
	for range 2000 {
		bad := slices.Clone(good)
		for range 1 + stream.IntN(4) {
			bad[stream.IntN(len(bad))] = byte(stream.IntN(256))
		}
		reseal(bad)
		use(bad)
	}
}
