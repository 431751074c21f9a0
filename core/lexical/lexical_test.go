package lexical

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/exact"
	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/text"
)

func indexed(stop []string, texts ...string) *index.Index {
	a, err := text.New("ascii", stop)
	if err != nil {
		panic(err)
	}
	return index.Build(a, texts)
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }

// By hand, with k1 = 1 and b = 1/2. Three documents of 3, 2 and 1 tokens, so avgdl = 2.
//
//	length part of the denominator, 1·(1/2 + 1/2·dl/2): 5/4, 1, 3/4
//	df: a 2, b 2, c 1; idf(a) = ln(1 + 1.5/2.5) = ln 1.6; idf(c) = ln(1 + 2.5/1.5) = ln(8/3)
//
// Question "a c c":
//
//	document 0 (a b a):  ln 1.6 · 2·2/(2 + 5/4)     = 0.470003629245735554 · 16/13
//	document 1 (b c):    2 · ln(8/3) · 1·2/(1 + 1)  = 2 · 0.980829253011726237
//	document 2 (a):      ln 1.6 · 1·2/(1 + 3/4)     = 0.470003629245735554 · 8/7
func TestBM25(t *testing.T) {
	x := indexed(nil, "a b a", "b c", "a")
	s := rank.New(3)
	NewBM25(x, 1, 0.5).Score(x.Query("a C unknown c"), s)
	want := []rank.Hit{{Doc: 1, Score: 1.961658506023452474}, {Doc: 0, Score: 0.578466005225520682}, {Doc: 2, Score: 0.537147004852269204}}
	got := s.Sorted()
	if len(got) != 3 {
		t.Fatal(got)
	}
	for i := range want {
		if got[i].Doc != want[i].Doc || !near(got[i].Score, want[i].Score, 1e-15) {
			t.Errorf("place %d: %v, want %v", i+1, got[i], want[i])
		}
	}
}

func TestIDF(t *testing.T) {
	// A term of every document still counts: ln(1 + 0.5/3.5), where the classic form would be negative.
	if got := IDF(3, 3); !near(got, 0.13353139262452263, 1e-15) {
		t.Error(got)
	}
	if IDF(3000, 1) <= IDF(3000, 2) {
		t.Error("a rarer term weighs less")
	}
	if got := SmoothIDF(5, 5); got != 1 { // ln 1 + 1
		t.Error(got)
	}
}

func TestEdges(t *testing.T) {
	for name, x := range map[string]*index.Index{"no document has a token": indexed(nil, "", "…"), "some have none": indexed(nil, "", "a")} {
		q := x.Query("a b")
		for _, k1 := range []float64{0, 1.2} {
			for _, b := range []float64{0, 0.75, 1} {
				s := rank.New(2)
				NewBM25(x, k1, b).Score(q, s)
				for _, v := range s.Value {
					if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
						t.Errorf("%s: BM25 k1=%v b=%v gives %v", name, k1, b, s.Value)
					}
				}
				if s.Count() != len(q.Terms) {
					t.Errorf("%s: %d documents ranked", name, s.Count())
				}
			}
		}
		s := rank.New(2)
		NewTFIDF(x).Score(q, s)
		if s.Count() != len(q.Terms) || math.IsNaN(s.Value[1]) {
			t.Errorf("%s: TF-IDF %v", name, s.Value)
		}
	}
	// k1 = 0: a term counts once, whatever its frequency: the score is idf, here of two documents with the term.
	x := indexed(nil, "a a a", "a b")
	s := rank.New(2)
	NewBM25(x, 0, 0.75).Score(x.Query("a"), s)
	if s.Value[0] != s.Value[1] || s.Value[0] != IDF(2, 2) {
		t.Error(s.Value)
	}
}

//go:embed testdata/tfidf.json
var printed []byte

// Against scikit-learn's TfidfVectorizer: testdata/tfidf.py, which names version and settings, printed the fixture.
func TestTFIDF(t *testing.T) {
	var f struct {
		Version   string
		Stop      []string
		Documents []string
		Questions []string
		IDF       map[string]float64
		Cosines   [][]float64
	}
	if err := json.Unmarshal(printed, &f); err != nil {
		t.Fatal(err)
	}
	x := indexed(f.Stop, f.Documents...)
	if len(x.Terms) != len(f.IDF) {
		t.Errorf("%d terms, scikit-learn has %d", len(x.Terms), len(f.IDF))
	}
	m := NewTFIDF(x)
	for term, want := range f.IDF {
		n, ok := x.Term(term)
		if !ok || !near(m.idf[n], want, 1e-15) {
			t.Errorf("idf of %q: %v, scikit-learn has %v", term, m.idf[n], want)
		}
	}
	for q, question := range f.Questions {
		s := rank.New(x.N())
		m.Score(x.Query(question), s)
		for d, want := range f.Cosines[q] {
			if got := s.Value[d]; !near(got, want, 1e-14) {
				t.Errorf("%q, document %d: %v, scikit-learn has %v", question, d, got, want)
			}
		}
	}
}

var words = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}), 0, 14)

func anyTexts(t *rapid.T) []string {
	join := func(w []string) string {
		out := ""
		for _, s := range w {
			out += s + " "
		}
		return out
	}
	return rapid.SliceOfN(rapid.Map(words, join), 1, 12).Draw(t, "texts")
}

// The scores must be those of the formulas, read from the texts without index, posting or prepared weight; within
// rounding, as the formulas are evaluated in another order.
func TestAgainstTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := anyTexts(t)
		k1, b := rapid.Float64Range(0, 3).Draw(t, "k1"), rapid.Float64Range(0, 1).Draw(t, "b")
		x := indexed([]string{"g"}, texts...)
		question := anyTexts(t)[0]
		analyzer := x.Analyzer()
		tf := func(s string) map[string]float64 {
			m := map[string]float64{}
			for _, w := range analyzer.Tokens(s) {
				m[w]++
			}
			return m
		}
		df, total, n := map[string]float64{}, 0.0, float64(len(texts))
		for _, s := range texts {
			for w := range tf(s) {
				df[w]++
			}
			total += float64(len(analyzer.Tokens(s)))
		}
		smooth := func(w string) float64 { return exact.Log((1+n)/(1+df[w])) + 1 }
		norm := func(s string) float64 {
			sum := 0.0
			for w, f := range tf(s) {
				if df[w] > 0 {
					sum += f * smooth(w) * f * smooth(w)
				}
			}
			return math.Sqrt(sum)
		}
		q := x.Query(question)
		bm25, tfidf := NewBM25(x, k1, b), NewTFIDF(x)
		for name, method := range map[string]struct {
			score func(index.Query, *rank.Scores)
			parts func(index.Query, int) []Contribution
			want  func(string) float64
		}{
			"bm25": {bm25.Score, func(q index.Query, d int) []Contribution { return bm25.Contributions(Weigh(q), d) }, func(s string) (score float64) {
				for w, qtf := range tf(question) {
					if f := tf(s)[w]; f > 0 {
						score += qtf * exact.Log(1+(n-df[w]+0.5)/(df[w]+0.5)) * f * (k1 + 1) / (f + k1*(1-b+b*float64(len(analyzer.Tokens(s)))/(total/n)))
					}
				}
				return score
			}},
			"tfidf": {tfidf.Score, tfidf.Contributions, func(s string) (score float64) {
				for w, qtf := range tf(question) {
					if f := tf(s)[w]; f > 0 {
						score += qtf * smooth(w) / norm(question) * f * smooth(w) / norm(s)
					}
				}
				return score
			}},
		} {
			s := rank.New(len(texts))
			method.score(q, s)
			for d := range texts {
				if want := method.want(texts[d]); !near(s.Value[d], want, 1e-13) {
					t.Fatalf("%s, %q in %q: %v, want %v", name, question, texts[d], s.Value[d], want)
				}
				// The parts that explanations show are the very summands.
				sum := 0.0
				for _, c := range method.parts(q, d) {
					sum += c.Score
				}
				if sum != s.Value[d] {
					t.Fatalf("%s: parts sum to %v, the score is %v", name, sum, s.Value[d])
				}
			}
		}
	})
}

// Another order of words in the question must not change a bit.
func TestQuestionOrder(t *testing.T) {
	x := indexed(nil, "a b c d e", "a a b e", "c c d", "e")
	m, n := NewBM25(x, 1.2, 0.75), NewTFIDF(x)
	for _, score := range []func(index.Query, *rank.Scores){m.Score, n.Score} {
		one, two := rank.New(4), rank.New(4)
		score(x.Query("a b c d e e"), one)
		score(x.Query("e d e c b a"), two)
		if !slices.Equal(one.Value, two.Value) {
			t.Errorf("%v, %v", one.Value, two.Value)
		}
	}
}
