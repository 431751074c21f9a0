package study

import (
	"math"

	"retrace/core/exact"
	"retrace/core/stats"
)

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

// histogram counts values in bins that are symmetric about zero, so that a bin's middle is zero.
func histogram(values []float64) Histogram {
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
	k := s.knownItem
	if k == nil && s.graded == nil {
		return out, nil
	}
	if r == nil || r.results == nil {
		var err error
		if r, err = s.lazyReplay(); err != nil {
			return nil, err
		}
	}
	if k == nil {
		return out, s.graded.figures(r, out)
	}
	for _, c := range k.spec.Contrasts {
		if options.WithoutVectors && (s.NeedsVectors(c.Method) || s.NeedsVectors(c.Against)) {
			continue
		}
		d, err := k.differences(r, k.methodName(c.Method, r.lock), k.methodName(c.Against, r.lock))
		if err != nil {
			return nil, err
		}
		seed := s.Protocol.Seed
		out.Contrasts = append(out.Contrasts, ContrastFigure{c.Name,
			histogram(stats.Bootstrap(d, c.Replicates, exact.NewStream(seed, c.BootstrapStream))),
			histogram(stats.SignFlip(d, c.Draws, exact.NewStream(seed, c.FlipStream)).Null)})
	}
	for _, q := range k.questions(test) {
		pair := RankPair{Question: s.Questions[q].ID, Kind: s.Questions[q].Kind}
		for i, name := range []string{k.spec.Misses.Baseline, k.spec.Misses.Graph} {
			o, err := r.observation(pair.Question, k.methodName(name, r.lock))
			if err != nil {
				return nil, err
			}
			*[]**int{&pair.Baseline, &pair.Graph}[i] = o.Rank
		}
		out.Ranks = append(out.Ranks, pair)
	}
	return out, nil
}

// figures adds the distributions behind a Graded study's contrasts.
func (g *graded) figures(r *Replay, out *Figures) error {
	rows, err := g.sealedRows()
	if err != nil {
		return err
	}
	perRow, err := g.allRows(r, rows)
	if err != nil {
		return err
	}
	answers, err := g.runTrial(rows, r.observation)
	if err != nil {
		return err
	}
	seed := g.study.Protocol.Seed
	for _, c := range g.spec.Contrasts {
		var all stats.Sample
		var test stats.FlipTest
		if c.Measure == Composite {
			trial, err := answers.statistics()
			if err != nil {
				return err
			}
			all, _ = g.compositeSample(trial, answers)
			if test, err = stats.Allocation(trial, c.Draws, exact.NewStream(seed, c.TestStream)); err != nil {
				return err
			}
		} else {
			if all, _, err = g.measureSample(c, perRow); err != nil {
				return err
			}
			test = stats.SignFlip(all, c.Draws, exact.NewStream(seed, c.TestStream))
		}
		out.Contrasts = append(out.Contrasts, ContrastFigure{c.Name, histogram(stats.Bootstrap(all, c.Replicates, exact.NewStream(seed, c.BootstrapStream))), histogram(test.Null)})
	}
	return nil
}
