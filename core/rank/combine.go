package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Normalization says how the scores of one ranking are brought to a scale that rankings share, before they are summed.
// What it yields is called a share: what the ranking gives a document above what it gives to the documents that it lacks,
// so a document that is missing from a ranking has the share 0 there.
type Normalization string

const (
	// AsGiven leaves scores as they are (Fox and Shaw, Combination of Multiple Searches, TREC-2, 1994).
	AsGiven Normalization = "none"
	// MinMax is (x − lowest)/(highest − lowest) over the ranking (Lee, Analyses of Multiple Evidence Combination,
	// SIGIR 1997, section 3). Where all scores are equal each share is 1: every document of such a ranking is its best.
	MinMax Normalization = "minmax"
	// ZScore is the standard score z = (x − mean)/σ with the population's σ (zero mean, unit variance: Montague and Aslam,
	// Relevance Score Normalization for Metasearch, CIKM 2001), counted from the ranking's lowest: z − lowest z, which is
	// (x − lowest)/σ. So a missing document stands with the ranking's last instead of with its mean, and more rankings
	// never push a document down. Sums differ from sums of z by one constant a question. Where all scores are equal
	// there is no σ, and each share is 0: such a ranking tells its documents neither apart nor from others.
	ZScore Normalization = "zscore"
)

// Normalizations are those that can be named.
var Normalizations = []Normalization{AsGiven, MinMax, ZScore}

// ParseNormalization returns the normalization of a name.
func ParseNormalization(name string) (Normalization, error) {
	if slices.Contains(Normalizations, Normalization(name)) {
		return Normalization(name), nil
	}
	names := make([]string, len(Normalizations))
	for i, n := range Normalizations {
		names[i] = string(n)
	}
	return "", fmt.Errorf("rank: unknown normalization %q: use one of %s", name, strings.Join(names, ", "))
}

// Shares returns a ranking's documents, in its order, with their shares for scores. Scores must be finite.
func (n Normalization) Shares(ranking []Hit) []Hit {
	shares := slices.Clone(ranking)
	if n == AsGiven || len(ranking) == 0 {
		return shares
	}
	low, high := ranking[0].Score, ranking[0].Score
	for _, h := range ranking {
		low, high = min(low, h.Score), max(high, h.Score)
	}
	unit := high - low
	if n == ZScore {
		unit = deviation(ranking)
	}
	for i, h := range ranking {
		switch {
		case unit > 0:
			shares[i].Score = (h.Score - low) / unit
		case n == MinMax:
			shares[i].Score = 1
		default:
			shares[i].Score = 0
		}
	}
	return shares
}

// deviation is the population's standard deviation of a ranking's scores, √(Σ (x − mean)²/n), summed in its order; exactly
// 0 where all scores are equal, whatever the mean's rounding.
func deviation(ranking []Hit) float64 {
	if !slices.ContainsFunc(ranking, func(h Hit) bool { return h.Score != ranking[0].Score }) {
		return 0
	}
	n, sum, squares := float64(len(ranking)), 0.0, 0.0
	for _, h := range ranking {
		sum += h.Score
	}
	mean := sum / n
	for _, h := range ranking {
		squares += float64((h.Score - mean) * (h.Score - mean))
	}
	return math.Sqrt(squares / n)
}

// CombSUM fuses rankings by the sum of their shares, in the order in which the rankings are given (Fox and Shaw 1994).
// A ranking holds a document at most once. Every document of any ranking has a place in the result, whatever its score.
func CombSUM(n Normalization, rankings ...[]Hit) []Hit { return combine(n, rankings, false) }

// CombMNZ fuses rankings as CombSUM does, each share multiplied by the number of rankings that hold the document (Fox and
// Shaw 1994).
func CombMNZ(n Normalization, rankings ...[]Hit) []Hit { return combine(n, rankings, true) }

// combine sums shares, times the number of rankings that hold the document where multiply is set.
func combine(n Normalization, rankings [][]Hit, multiply bool) []Hit {
	place, held := map[int]int{}, []int{} // of a document, in order of first appearance; in how many rankings it is
	var fused []Hit
	for _, ranking := range rankings {
		for _, h := range ranking {
			i, ok := place[h.Doc]
			if !ok {
				i = len(fused)
				place[h.Doc] = i
				fused, held = append(fused, Hit{Doc: h.Doc}), append(held, 0)
			}
			held[i]++
		}
	}
	for _, ranking := range rankings {
		for _, h := range n.Shares(ranking) {
			i := place[h.Doc]
			if multiply {
				h.Score = float64(float64(held[i]) * h.Score)
			}
			fused[i].Score += h.Score
		}
	}
	slices.SortFunc(fused, compareHits)
	return fused
}
