package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// hits is a ranking written down: document and score in turn.
func hits(pairs ...float64) []Hit {
	var list []Hit
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Hit{int(pairs[i]), pairs[i+1]})
	}
	return list
}

func scored(n int, list ...Hit) *Scores {
	s := New(n)
	for _, h := range list {
		s.Add(int32(h.Doc), h.Score)
	}
	return s
}

func TestRanking(t *testing.T) {
	// Touched in another order than ranked; 4 and 1 tie, so the smaller stands first; 3 is not positive.
	s := scored(6, hits(4, 2, 3, -1, 1, 2, 5, 7, 0, 0.5)...)
	want := hits(5, 7, 1, 2, 4, 2, 0, 0.5)
	if got := s.Sorted(); !cmp.Equal(got, want) {
		t.Errorf("Sorted: %v", got)
	}
	if s.Count() != 4 || s.Max() != 7 {
		t.Errorf("Count %d, Max %v", s.Count(), s.Max())
	}
	for doc, want := range []int{4, 2, 0, 0, 3, 1} {
		if got := s.Rank(doc); got != want {
			t.Errorf("Rank(%d) = %d, want %d", doc, got, want)
		}
	}
	// With every document ranked, what has no score stands at zero, above what is negative.
	s.All = true
	if got, want := s.Sorted(), hits(5, 7, 1, 2, 4, 2, 0, 0.5, 2, 0, 3, -1); !cmp.Equal(got, want) {
		t.Errorf("Sorted of all: %v", got)
	}
	if s.Rank(3) != 6 || s.Rank(2) != 5 || s.Count() != 6 {
		t.Error("ranks of all", s.Rank(3), s.Rank(2), s.Count())
	}
	s.Reset()
	if s.Count() != 0 || s.All || len(s.Best(3)) != 0 || !math.IsInf(s.Max(), -1) || s.Value[3] != 0 {
		t.Error("Reset leaves something")
	}
}

func TestAddAddsUp(t *testing.T) {
	s := scored(2, hits(1, 0.5, 1, 0.25)...)
	if s.Value[1] != 0.75 || len(s.Touched) != 1 {
		t.Error(s)
	}
}

// anyScores draws scores with ties, negative ones, untouched documents, and both kinds of ranking.
func anyScores(t *rapid.T) *Scores {
	n := rapid.IntRange(1, 120).Draw(t, "n")
	s := New(n)
	score := rapid.OneOf(rapid.SampledFrom([]float64{-1, -0.5, 0.5, 1, 2}), rapid.Float64Range(-3, 3))
	docs := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "touched")
	for _, d := range docs {
		if x := score.Draw(t, "score"); x != 0 {
			s.Add(int32(d), x)
		}
	}
	s.All = rapid.Bool().Draw(t, "all")
	return s
}

// reference sorts every ranked document by the definition: score descending, then number ascending.
func reference(s *Scores) []Hit {
	list := []Hit{}
	for d, x := range s.Value {
		if s.All || x > 0 {
			list = append(list, Hit{d, x})
		}
	}
	for i := range list { // a plain insertion sort: nothing shared with the code under test
		for j := i; j > 0 && (list[j].Score > list[j-1].Score || list[j].Score == list[j-1].Score && list[j].Doc < list[j-1].Doc); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

func TestRankingAgainstFullSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScores(t)
		want := reference(s)
		if got := s.Sorted(); !slices.Equal(got, want) {
			t.Fatalf("Sorted: %v, want %v", got, want)
		}
		if s.Count() != len(want) {
			t.Fatalf("Count %d, want %d", s.Count(), len(want))
		}
		for d := range s.Value {
			place := 1 + slices.IndexFunc(want, func(h Hit) bool { return h.Doc == d }) // 0 where it has none
			if got := s.Rank(d); got != place || s.Ranked(d) != (place > 0) {
				t.Fatalf("Rank(%d) = %d, place %d", d, got, place)
			}
		}
		k := rapid.OneOf(rapid.IntRange(-1, 70), rapid.IntRange(60, 200)).Draw(t, "k")
		if got := s.Best(k); !slices.Equal(got, want[:max(0, min(k, len(want)))]) {
			t.Fatalf("Best(%d) = %v, want the first of %v", k, got, want)
		}
	})
}

// 1/(60+rank) by hand: a stands first and third (1/61 + 1/63), b second and first (1/62 + 1/61), c third in the first
// list only, d second in the second only.
func TestRRF(t *testing.T) {
	s := New(4)
	RRF(s, 60, hits(0, 9, 1, 8, 2, 7), hits(1, 0.3, 3, 0.2, 0, 0.1))
	one := 1.0 // a variable, so that quotients are rounded as the engine's are
	want := hits(1, one/62+one/61, 0, one/61+one/63, 3, one/62, 2, one/63)
	if got := s.Sorted(); !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// Lists in another order: sums of two are the same bits.
	r := New(4)
	RRF(r, 60, hits(1, 0.3, 3, 0.2, 0, 0.1), hits(0, 9, 1, 8, 2, 7))
	if !cmp.Equal(r.Sorted(), want) {
		t.Error("the order of two lists shows")
	}
}

// The values that Anserini's RunsFuserTest expects of reciprocal rank fusion with k = 60 and three decimals more than
// its runs need: two documents of ranks 1 and 2 crosswise, two of rank 3 in one run each. Ties go to the smaller number
// here, to the larger name there.
func TestRRFAnserini(t *testing.T) {
	s := New(5)
	RRF(s, 60, hits(1, 3, 2, 2, 3, 1), hits(2, 3, 1, 2, 4, 1))
	got := s.Sorted()
	for i, want := range []Hit{{1, .032522}, {2, .032522}, {3, .015873}, {4, .015873}} {
		if got[i].Doc != want.Doc || math.Abs(got[i].Score-want.Score) > 5e-7 {
			t.Errorf("place %d: %v, want %v", i+1, got[i], want)
		}
	}
}

// By hand, weight 1/4: the base's maximum is 4, the signal's 0.5. Document 0: 3/4·4/4 + 1/4·0.25/0.5 = 0.875;
// 1: 3/4·2/4 = 0.375; 2: 1/4·0.5/0.5 = 0.25, which only the signal reaches.
func TestBlend(t *testing.T) {
	base, signal, into := scored(4, hits(0, 4, 1, 2)...), scored(4, hits(2, 0.5, 0, 0.25)...), New(4)
	Blend(into, base, signal, 0.25)
	if got, want := into.Sorted(), hits(0, 0.875, 1, 0.375, 2, 0.25); !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !cmp.Equal(base.Sorted(), hits(0, 4, 1, 2)) {
		t.Error("the base was changed")
	}
}

func TestBlendEdges(t *testing.T) {
	base, signal := func() *Scores { return scored(3, hits(0, 4, 1, 2)...) }, func() *Scores { return scored(3, hits(2, 0.5, 1, 0.5)...) }
	for name, c := range map[string]struct {
		base, signal *Scores
		weight       float64
		want         []Hit
	}{
		"weight 0 is the base over its maximum":                {base(), signal(), 0, hits(0, 1, 1, 0.5)},
		"weight 1 is the signal over its maximum":              {base(), signal(), 1, hits(1, 1, 2, 1)},
		"no signal leaves the base as it is":                   {base(), New(3), 0.5, hits(0, 4, 1, 2)},
		"no base leaves nothing":                               {New(3), signal(), 0.5, nil},
		"a negative part of the base counts where all rank":    {&Scores{Value: []float64{2, -1, 0}, All: true}, signal(), 0.5, hits(0, 0.5, 2, 0.5, 1, 0.25)},
		"a base without a positive score stays, all ranked":    {&Scores{Value: []float64{-2, -1, 0}, All: true}, signal(), 0.5, hits(2, 0, 1, -1, 0, -2)},
		"a touched base score of zero is met once":             {&Scores{Value: []float64{4, 0, 0}, Touched: []int32{0, 2}}, signal(), 0.5, hits(0, 0.5, 1, 0.5, 2, 0.5)},
		"a ranked zero with weight 1 and all ranked keeps its": {&Scores{Value: []float64{4, 0, 0}, All: true}, scored(3, hits(1, 1)...), 1, hits(1, 1, 0, 0, 2, 0)},
	} {
		into := New(3)
		Blend(into, c.base, c.signal, c.weight)
		if got := into.Sorted(); len(got)+len(c.want) > 0 && !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if into.Count() != len(c.want) {
			t.Errorf("%s: Count %d", name, into.Count())
		}
		into.Reset()
		if slices.ContainsFunc(into.Value, func(x float64) bool { return x != 0 }) {
			t.Errorf("%s: Reset leaves %v", name, into.Value)
		}
	}
}

func TestSeeds(t *testing.T) {
	s := scored(5, hits(0, 1, 1, 3, 2, 4, 4, 4)...)
	// The two best, 2 and 4, tie; the third place is 1 with 3 of 11.
	if got, want := s.Seeds(3), hits(2, 4.0/11, 4, 4.0/11, 1, 3.0/11); !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := s.Seeds(100); len(got) != 4 {
		t.Errorf("more seeds than documents with a score: %v", got)
	}
	all := &Scores{Value: []float64{-1, 0, 3, 1}, All: true}
	if got, want := all.Seeds(4), hits(2, 0.75, 3, 0.25); !cmp.Equal(got, want) {
		t.Errorf("only positive scores are seeds: %v", got)
	}
	if got := New(3).Seeds(20); len(got) != 0 {
		t.Errorf("seeds of nothing: %v", got)
	}
}

func TestCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScores(t)
		into := New(len(s.Value))
		into.Add(0, 5) // what stood there before
		into.Copy(s)
		if !slices.Equal(into.Sorted(), s.Sorted()) || into.Count() != s.Count() {
			t.Fatalf("%v, want %v", into.Sorted(), s.Sorted())
		}
	})
}
