package study

import "math"

// Figures hold what figures draw beyond the numbers of results.
type Figures struct {
	Contrasts []ContrastFigure `json:"contrasts"`
	Ranks     []RankPair       `json:"ranks"` // test questions, file order
}

// ContrastFigure holds the two distributions behind a contrast.
type ContrastFigure struct {
	Name      string    `json:"name"`
	Bootstrap Histogram `json:"bootstrap"` // replicate means
	Null      Histogram `json:"null"`      // means under random signs
}

// A Histogram counts values in bins of equal width.
type Histogram struct {
	Low    float64 `json:"low"`
	Width  float64 `json:"width"`
	Counts []int   `json:"counts"`
}

// RankPair is a question's target rank under the two methods whose misses are listed.
type RankPair struct {
	Question string `json:"question"`
	Kind     string `json:"kind"`
	Baseline *int   `json:"baseline"`
	Graph    *int   `json:"graph"`
}

const bins = 61

// HistogramOf counts values in bins that are symmetric about zero, so that a bin's middle is zero.
func HistogramOf(values []float64) Histogram {
	reach := 0.0
	for _, x := range values {
		reach = max(reach, math.Abs(x))
	}
	if reach == 0 {
		return Histogram{-0.5, 1, []int{len(values)}}
	}
	h := Histogram{Width: float64(2*reach) / bins, Counts: make([]int, bins)}
	h.Low = -reach
	for _, x := range values {
		h.Counts[min(bins-1, int((x+reach)/h.Width))]++
	}
	return h
}

// Figures returns the data of figures, from a finished replay or from observations made for the purpose (r nil). Designs
// without such figures give empty lists.
func (s *Study) Figures(r *Replay, options Options) (*Figures, error) {
	out := &Figures{Contrasts: []ContrastFigure{}, Ranks: []RankPair{}}
	if d, ok := s.Design.(Figured); ok {
		return out, d.Figures(s.OnDemand(r), options, out)
	}
	return out, nil
}
