// Package paired compares two methods unit by unit (families, tasks, topics), the same way in every design that does: the
// mean difference with its bootstrap interval, the sign-flip test drawn and exact, and the choice of a setting from a
// grid.
package paired

import (
	"fmt"

	"retrace/core/exact"
	"retrace/core/stats"
	"retrace/core/study"
)

// A Plan says how differences are resampled and tested: numbers of draws and their random streams, under a seed.
type Plan struct {
	Seed            uint64
	Replicates      int
	BootstrapStream uint64
	Draws           int
	TestStream      uint64
}

// Check says what is wrong with the plan of a contrast; further streams of the same contrast must differ too.
func (p Plan) Check(name string, streams ...uint64) error {
	if p.Replicates < 1 || p.Replicates > study.MaxDraws || p.Draws < 1 || p.Draws > study.MaxDraws {
		return fmt.Errorf("contrasts: %s: replicates and draws lie between 1 and %d", name, study.MaxDraws)
	}
	return study.DistinctStreams("contrasts: "+name, append([]uint64{p.BootstrapStream, p.TestStream}, streams...)...)
}

// Names checks that the names of contrasts are well formed and differ.
func Names(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if !study.Named(name) || seen[name] {
			return fmt.Errorf("contrasts: name %q is malformed or used twice", name)
		}
		seen[name] = true
	}
	return nil
}

// A Comparison is what the paired differences of two methods give.
type Comparison struct {
	N              int // units
	Up, Down, Tied int // units with a difference above, below and of 0
	Difference     float64
	CI95           [2]float64 // percentile bootstrap
	P              float64    // drawn
	PExact         float64    // over all sign patterns
}

// Describe gives the mean difference and its interval, without a test.
func (p Plan) Describe(s stats.Sample) Comparison {
	out := Comparison{N: len(s.Values), Difference: s.Mean()}
	for _, x := range s.Values {
		switch {
		case x > 0:
			out.Up++
		case x < 0:
			out.Down++
		default:
			out.Tied++
		}
	}
	out.CI95 = stats.Interval(p.Bootstrap(s), 0.95)
	return out
}

// Compare describes the differences and tests them by sign flips.
func (p Plan) Compare(s stats.Sample) (Comparison, error) {
	out := p.Describe(s)
	out.P = p.SignFlip(s).P
	var err error
	out.PExact, err = stats.SignFlipExact(s)
	return out, err
}

// Bootstrap returns the replicates behind the interval.
func (p Plan) Bootstrap(s stats.Sample) []float64 {
	return stats.Bootstrap(s, p.Replicates, exact.NewStream(p.Seed, p.BootstrapStream))
}

// SignFlip returns the drawn test with its null distribution.
func (p Plan) SignFlip(s stats.Sample) stats.FlipTest {
	return stats.SignFlip(s, p.Draws, exact.NewStream(p.Seed, p.TestStream))
}

// Figure returns the two distributions behind a comparison.
func Figure(name string, bootstrap, null []float64) study.ContrastFigure {
	return study.ContrastFigure{Name: name, Bootstrap: study.HistogramOf(bootstrap), Null: study.HistogramOf(null)}
}
