package lexical

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/index"
	"retrace/core/rank"
)

const (
	ln2   = 0.693147180559945309
	ln3   = 1.098612288668109691
	ln1_5 = 0.405465108108164382 // ln 3 − ln 2
	ln1_6 = 0.470003629245735554
	ln8_3 = 0.980829253011726237 // 3 ln 2 − ln 3
	ln5_3 = 0.510825623765990683
)

func scoresOf(m Model, x *index.Index, question string) *rank.Scores {
	s := rank.New(x.N())
	m.ScoreWeighted(Weigh(x.Query(question)), s)
	return s
}

func expect(t *testing.T, name string, s *rank.Scores, want ...float64) {
	t.Helper()
	for d, w := range want {
		if !near(s.Value[d], w, 4e-16*8) {
			t.Errorf("%s, document %d: %v, want %v", name, d, s.Value[d], w)
		}
	}
}

// By hand, k1 = 1, b = 1/2, as in TestBM25: three documents of 3, 2 and 1 tokens, norm 5/4, 1, 3/4; df of a is 2, of c 1.
func TestBM25Forms(t *testing.T) {
	x := indexed(nil, "a b a", "b c", "a")
	for _, c := range []struct {
		form  BM25Form
		delta float64
		a, c  []float64
	}{
		{Scaled, 0, []float64{ln1_6 * 16 / 13, 0, ln1_6 * 8 / 7}, []float64{0, ln8_3, 0}},
		{Lucene, 0, []float64{ln1_6 * 8 / 13, 0, ln1_6 * 4 / 7}, []float64{0, ln8_3 / 2, 0}},
		{Robertson, 0, []float64{0, 0, 0}, []float64{0, ln5_3 / 2, 0}}, // ln(1.5/2.5) is negative, so 0
		{ATIRE, 0, []float64{ln1_5 * 16 / 13, 0, ln1_5 * 8 / 7}, []float64{0, ln3, 0}},
		{L, 0.5, []float64{ln1_6 * 42 / 31, 0, ln1_6 * 22 / 17}, []float64{0, ln8_3 * 6 / 5, 0}}, // c is 8/5, 4/3, 1
		{Plus, 1, []float64{ln2 * 29 / 13, 0, ln2 * 15 / 7}, []float64{0, 2 * ln2 * 2, 0}},
	} {
		m := NewBM25Form(x, c.form, 1, 0.5, c.delta)
		expect(t, string(c.form)+" of a", scoresOf(m, x, "a"), c.a...)
		expect(t, string(c.form)+" of c", scoresOf(m, x, "c"), c.c...)
	}
	// A term of idf 0 gives no document a rank, and leaves no trace beside another.
	s := scoresOf(NewBM25Form(x, Robertson, 1, 0.5, 0), x, "a c")
	if s.Count() != 1 || len(s.Touched) != 1 {
		t.Errorf("ranked: %v", s)
	}
}

//go:embed testdata/models.json
var libraries []byte

// Against bm25s and scikit-learn: testdata/models.py, which names versions and settings, printed the fixture. bm25s lets the δ
// of BM25L and BM25+ count for terms that a document lacks too; the papers sum over those it has.
func TestForms(t *testing.T) {
	var f struct {
		Documents, Questions []string
		K1, B, Delta         float64
		Scores               map[string][][]float64
	}
	if err := json.Unmarshal(libraries, &f); err != nil {
		t.Fatal(err)
	}
	x := indexed(nil, f.Documents...)
	for name, theirs := range f.Scores {
		bm25 := NewBM25Form(x, BM25Form(name), f.K1, f.B, f.Delta)
		for i, question := range f.Questions {
			q, s := x.Query(question), rank.New(x.N())
			if name == string(Plain) || name == string(Sublinear) {
				NewTFIDFForm(x, TFIDFForm(name)).Score(q, s)
			} else {
				bm25.Score(q, s)
			}
			for d, want := range theirs[i] {
				got := s.Value[d]
				for _, c := range q.Terms {
					if idf := bm25.form.IDF(x.N(), x.DF(c.Term)); x.TF(c.Term, d) > 0 {
					} else if name == string(L) {
						got += float64(c.TF) * idf * f.Delta * (f.K1 + 1) / (f.K1 + f.Delta)
					} else if name == string(Plus) {
						got += float64(c.TF) * idf * f.Delta
					}
				}
				if !near(got, want, 1e-13) {
					t.Errorf("%s, %q, document %d: %v, the library has %v", name, question, d, got, want)
				}
			}
		}
	}
	if len(f.Scores) != 7 {
		t.Errorf("%d forms", len(f.Scores))
	}
}

// ltc by hand: in "a a b", "a c", N = 2, a is in every document, so its idf is 0; what is left of each vector has length 1,
// so the cosine with "b b" is 1 for the first document alone, and "a" finds nothing.
func TestLTC(t *testing.T) {
	x := indexed(nil, "a a b", "a c")
	m := NewTFIDFForm(x, LTC)
	s, none := rank.New(2), rank.New(2)
	m.Score(x.Query("a b b"), s)
	m.Score(x.Query("a"), none)
	if s.Value[0] != 1 || s.Value[1] != 0 || none.Count() != 0 || len(m.Contributions(x.Query("a b b"), 0)) != 1 {
		t.Error(s, none)
	}
	// "b b c": (1 + ln 2)·ln 2 and ln 2, the cosine with the first document (1 + ln 2)/√((1 + ln 2)² + 1).
	mixed := rank.New(2)
	m.Score(x.Query("b b c"), mixed)
	expect(t, "b b c", mixed, (1+ln2)/math.Sqrt((1+ln2)*(1+ln2)+1), 1/math.Sqrt((1+ln2)*(1+ln2)+1))
}

// By hand, of six tokens: p(a|C) = 1/2, p(b|C) = 1/3, p(c|C) = 1/6.
//
//	μ = 6: p(a|d0) = (2 + 3)/(3 + 6) = 5/9, p(a|d2) = (1 + 3)/(1 + 6) = 4/7; over 1/2: 10/9, 8/7
//	       p(c|d1) = (1 + 1)/(2 + 6) = 1/4, p(a|d1) = 3/8; over 1/6 and 1/2: 3/2, 3/4
//	λ = ½: p(a|d0) = 1/2·2/3 + 1/2·1/2 = 7/12, p(a|d2) = 3/4; over the 1/4 of an empty document: 7/3, 3
func TestLikelihood(t *testing.T) {
	x := indexed(nil, "a b a", "b c", "a")
	m := NewDirichlet(x, 6)
	expect(t, "a", scoresOf(m, x, "a"), math.Log(10.0/9), 0, math.Log(8.0/7))
	s := scoresOf(m, x, "a c unknown")
	expect(t, "a c", s, math.Log(10.0/9*(2.0/3)), math.Log(3.0/2*3/4), math.Log(8.0/7*6/7))
	if s.Count() != 1 || s.Rank(1) != 1 { // the others make "a c" no likelier than the collection does
		t.Error("ranked:", s.Sorted())
	}
	jm := NewJelinekMercer(x, 0.5)
	expect(t, "a by λ", scoresOf(jm, x, "a"), math.Log(7.0/3), 0, ln3)
	expect(t, "a a by λ", scoresOf(jm, x, "a a"), 2*math.Log(7.0/3), 0, 2*ln3)
}

// By hand: 42 is 24 + 18, 18 is 10010₂, its four leading bits 1001, so 18; 43 loses its last bit; 1000 is 24 + 976, 976 is
// 1111010000₂, so 24 + 960; below 40 nothing is lost. Lucene 9.12.1's SmallFloat gives the same for all lengths up to 3,000,000.
func TestLossyLength(t *testing.T) {
	for n, want := range map[int]int{0: 0, 23: 23, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 43: 42, 56: 56, 59: 56, 1000: 984, 1048: 1048} {
		if got := LossyLength(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// By hand, k1 = 1, b = 1/2, of the documents of TestBM25 and one without tokens, which Lucene does not count: N = 3, avgdl 2.
// c: float32(ln(8/3))·(1 − 1/2). With an empty document counted, N would be 4.
func TestLuceneBM25(t *testing.T) {
	x := indexed(nil, "a b a", "b c", "a", "")
	s := scoresOf(NewLuceneBM25(x, 1, 0.5), x, "c c")
	w := 2 * float32(ln8_3)
	if want := float64(w - w/2); s.Value[1] != want || s.Count() != 1 {
		t.Errorf("%v, want %v", s.Value, want)
	}
}

// By hand: documents 0 (a a b) with share 3/4 and 1 (a c) with 1/4. p(a|R) = 3/4·2/3 + 1/4·1/2 = 5/8, p(b|R) = 3/4·1/3 = 1/4,
// p(c|R) = 1/8. The two best are a and b, 5/7 and 2/7 of their sum. The question "c c b" is c 2/3, b 1/3.
func TestRM3(t *testing.T) {
	x := indexed(nil, "a a b", "a c", "d")
	found := []rank.Hit{{Doc: 0, Score: 0.75}, {Doc: 1, Score: 0.25}}
	check := func(original float64, want map[string]float64) {
		got := RM3(x, x.Query("c c b"), found, 2, original)
		if len(got) != len(want) {
			t.Errorf("original %v: %v, want %v", original, got, want)
		}
		for i, w := range got {
			if term := x.Terms[w.Term]; !near(w.Weight, want[term], 1e-15) || i > 0 && got[i-1].Term >= w.Term {
				t.Errorf("original %v, %s: %v, want %v", original, term, w.Weight, want[term])
			}
		}
	}
	check(0.4, map[string]float64{"a": 0.6 * 5 / 7, "b": 0.4/3 + 0.6*2/7, "c": 0.4 * 2 / 3})
	check(0, map[string]float64{"a": 5.0 / 7, "b": 2.0 / 7})
	check(1, map[string]float64{"b": 1.0 / 3, "c": 2.0 / 3})
	found = nil
	check(0.4, map[string]float64{"b": 0.4 / 3 / 0.4, "c": 2.0 / 3}) // nothing found: the question alone
}

// By hand, k1 = 1, b = 1/2: titles a | b | (none), texts b a | c | a a. avgdl 2/3 of titles, 5/3 of texts. With the title
// counting 3, a in document 0: 3·1/(1/2 + 1/2·3/2) + 1/(1/2 + 1/2·6/5) = 12/5 + 10/11 = 182/55; in 2: 2/(11/10) = 20/11.
// df of a is 2 of 3: idf ln 1.6.
func TestBM25F(t *testing.T) {
	title, body, both := indexed(nil, "a", "b", ""), indexed(nil, "b a", "c", "a a"), indexed(nil, "a b a", "b c", " a a")
	m := NewBM25F(both, 1, 0.5, Field{title, 3}, Field{body, 1})
	expect(t, "a", scoresOf(m, both, "a"), ln1_6*182/237, 0, ln1_6*20/31)
	one := NewBM25F(both, 1, 0.5, Field{both, 1}) // one field: tf/norm' over k1 + that is tf/(k1·norm' + tf), Lucene's form
	expect(t, "one field", scoresOf(one, both, "a c"), scoresOf(NewBM25Form(both, Lucene, 1, 0.5, 0), both, "a c").Value...)
	none := NewBM25F(both, 1, 0.5, Field{title, 0}, Field{body, 1})
	if s := scoresOf(none, both, "a"); s.Count() != 2 || len(s.Touched) != 2 {
		t.Error("a field of weight 0:", s)
	}
}

// Whatever the texts, a document's parts sum to its score bit by bit (for Lucene's, once rounded), every score is a number,
// and the order of the question's words does not show.
func TestPartsAreScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, question := anyTexts(t), anyTexts(t)[0]
		x := indexed([]string{"g"}, texts...)
		k1, b := rapid.Float64Range(0, 3).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b")
		models := map[string]Model{"one byte": NewLuceneBM25(x, k1, b), "dirichlet": NewDirichlet(x, 1+k1), "λ": NewJelinekMercer(x, 0.1+b/2),
			"fields": NewBM25F(x, k1, b, Field{x, 2}, Field{indexed(nil, texts...), k1})}
		for _, f := range []BM25Form{Scaled, Lucene, Robertson, ATIRE, L, Plus} {
			models[string(f)] = NewBM25Form(x, f, k1, b, 0.5)
		}
		q := Weigh(x.Query(question))
		if rapid.Bool().Draw(t, "feedback") {
			q = RM3(x, x.Query(question), []rank.Hit{{Doc: 0, Score: 1}}, 3, b)
		}
		for name, m := range models {
			s := rank.New(x.N())
			m.ScoreWeighted(q, s)
			for d := range texts {
				sum := 0.0
				for _, c := range m.Contributions(q, d) {
					sum += c.Score
				}
				if name == "one byte" {
					sum = float64(float32(sum))
				}
				if sum != s.Value[d] || math.IsNaN(sum) || math.IsInf(sum, 0) {
					t.Fatalf("%s, %q in %q: parts sum to %v, the score is %v", name, question, texts[d], sum, s.Value[d])
				}
			}
		}
	})
}
