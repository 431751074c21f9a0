package rank

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// By hand. The first list scores documents 0, 1, 2 with 10, 6, 2; the second scores 2, 3, 1, 4 with 5, 4, 1, 1.
//
//	minmax   first  1, 1/2, 0        second  1, 3/4, 0, 0
//	zscore   first  mean 6, σ = √(32/3); (x − 2)/σ: 8/σ, 4/σ, 0
//	         second mean 11/4, σ = √((81 + 25 + 49 + 49)/16/4) = √204/8; (x − 1)/σ: 4/σ, 3/σ, 0, 0
//
// ranx 0.3.21 (fuse with norm "min-max", method "sum" and "mnz") prints the same minmax values. Its "zmuv" sums z and takes
// 0, the mean, for a missing document: for documents 1 and 2, which both lists hold, its sums are those here plus the lowest
// z of both lists.
func TestCombine(t *testing.T) {
	first, second := hits(0, 10, 1, 6, 2, 2), hits(2, 5, 3, 4, 1, 1, 4, 1)
	s1, s2 := math.Sqrt(32.0/3), math.Sqrt(204)/8
	for name, c := range map[string]struct{ got, want []Hit }{
		"sum as given": {CombSUM(AsGiven, first, second), hits(0, 10, 1, 7, 2, 7, 3, 4, 4, 1)},
		"mnz as given": {CombMNZ(AsGiven, first, second), hits(1, 14, 2, 14, 0, 10, 3, 4, 4, 1)},
		"sum minmax":   {CombSUM(MinMax, first, second), hits(0, 1, 2, 1, 3, 0.75, 1, 0.5, 4, 0)},
		"mnz minmax":   {CombMNZ(MinMax, first, second), hits(2, 2, 0, 1, 1, 1, 3, 0.75, 4, 0)},
		"sum zscore":   {CombSUM(ZScore, first, second), hits(0, 8/s1, 2, 4/s2, 3, 3/s2, 1, 4/s1, 4, 0)},
		"mnz zscore":   {CombMNZ(ZScore, first, second), hits(2, 8/s2, 0, 8/s1, 1, 8/s1, 3, 3/s2, 4, 0)},
	} {
		if len(c.got) != len(c.want) {
			t.Fatalf("%s: %v, want %v", name, c.got, c.want)
		}
		for i, h := range c.got {
			if h.Doc != c.want[i].Doc || math.Abs(h.Score-c.want[i].Score) > 1e-15*c.want[i].Score {
				t.Errorf("%s, place %d: %v, want %v", name, i+1, h, c.want[i])
			}
		}
	}
	lowest, ranx := -4/s1+(1-11.0/4)/s2, map[int]float64{1: -0.9801960588196068, 2: 0.03550720423361975}
	for _, h := range CombSUM(ZScore, first, second) {
		if want, ok := ranx[h.Doc]; ok && math.Abs(h.Score+lowest-want) > 1e-15 {
			t.Errorf("document %d: %v, ranx has %v", h.Doc, h.Score+lowest, want)
		}
	}
	if !cmp.Equal(first, hits(0, 10, 1, 6, 2, 2)) {
		t.Error("a ranking was changed")
	}
}

func TestSharesEdges(t *testing.T) {
	for name, c := range map[string]struct{ got, want []Hit }{
		"equal scores are each the best":                {MinMax.Shares(hits(3, 7, 1, 7)), hits(3, 1, 1, 1)},
		"one document is the best":                      {MinMax.Shares(hits(3, -7)), hits(3, 1)},
		"equal scores have no spread":                   {ZScore.Shares(hits(3, 0.1, 1, 0.1, 2, 0.1)), hits(3, 0, 1, 0, 2, 0)}, // 0.1+0.1+0.1 is not 0.3
		"negative scores have positive shares":          {MinMax.Shares(hits(0, -1, 1, -3, 2, -5)), hits(0, 1, 1, 0.5, 2, 0)},
		"two documents are two σ apart":                 {ZScore.Shares(hits(0, -1, 1, -3)), hits(0, 2, 1, 0)},
		"an empty ranking adds nothing":                 {CombSUM(ZScore, nil, hits(0, 4, 1, 2)), hits(0, 2, 1, 0)},
		"negative scores as given stand where they are": {CombSUM(AsGiven, hits(0, -1), hits(1, 1)), hits(1, 1, 0, -1)},
		"no ranking": {CombMNZ(MinMax), nil},
	} {
		if len(c.got)+len(c.want) > 0 && !cmp.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestParseNormalization(t *testing.T) {
	for _, n := range Normalizations {
		if got, err := ParseNormalization(string(n)); err != nil || got != n {
			t.Error(n, got, err)
		}
	}
	if _, err := ParseNormalization("max"); err == nil || !strings.Contains(err.Error(), "none, minmax, zscore") {
		t.Error(err)
	}
}

// Whatever the scores: CombSUM by z orders as Σ z does when a missing document has the ranking's lowest z; shares do not
// change when all scores of a ranking are doubled (which is exact); and the sum is over the same documents.
func TestCombineProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists, doubled [][]Hit
		for range rapid.IntRange(1, 4).Draw(t, "lists") {
			var list, twice []Hit
			for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 0, 8, rapid.ID[int]).Draw(t, "docs") {
				x := float64(rapid.IntRange(-9, 9).Draw(t, "score"))
				list, twice = append(list, Hit{d, x}), append(twice, Hit{d, 2 * x})
			}
			lists, doubled = append(lists, list), append(doubled, twice)
		}
		for _, n := range []Normalization{MinMax, ZScore} {
			if a, b := CombSUM(n, lists...), CombSUM(n, doubled...); !slices.Equal(a, b) {
				t.Fatalf("%s: doubled scores give %v, not %v", n, b, a)
			}
		}
		got := CombSUM(ZScore, lists...)
		for _, h := range got {
			want := 0.0
			for _, list := range lists {
				want += aboveLowest(list, h.Doc)
			}
			if math.Abs(h.Score-want) > 1e-12 {
				t.Fatalf("document %d: %v, want %v", h.Doc, h.Score, want)
			}
		}
	})
}

// aboveLowest is the difference of two standard scores, each from its definition: a document's and the list's lowest.
func aboveLowest(list []Hit, doc int) float64 {
	mean, variance := 0.0, 0.0
	for _, h := range list {
		mean += h.Score / float64(len(list))
	}
	for _, h := range list {
		variance += (h.Score - mean) * (h.Score - mean) / float64(len(list))
	}
	if variance < 1e-12 {
		return 0
	}
	own, lowest := math.NaN(), math.Inf(1)
	for _, h := range list {
		z := (h.Score - mean) / math.Sqrt(variance)
		lowest = min(lowest, z)
		if h.Doc == doc {
			own = z
		}
	}
	if math.IsNaN(own) {
		return 0
	}
	return own - lowest
}
