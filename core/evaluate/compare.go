package evaluate

import (
	"fmt"

	"retrace/core/exact"
	"retrace/core/metrics"
	"retrace/core/stats"
)

// CompareOptions say how two runs are compared. The zero value of each field stands for what its comment says.
type CompareOptions struct {
	Seed       uint64
	Stream     uint64  // the bootstrap's; the sign flips take the next one
	Replicates int     // of the bootstrap and, where the exact test is too large, of the sign flips; 10,000
	Level      float64 // of the interval; 0.95
	BCa        bool    // bias-corrected and accelerated instead of percentile
}

// MaxExactFlips is the largest number of topics with a difference for which the sign-flip test counts all patterns.
const MaxExactFlips = 40

// A Comparison is the difference of two runs on one metric, over topics that both have a value for.
type Comparison struct {
	Metric      metrics.Metric
	Topics      int
	Base, Other float64 // the figures over those topics
	Difference  float64 // other − base
	Interval    [2]float64
	Method      string  // of the interval: "percentile" or "BCa"
	P           float64 // two-sided, of the sign-flip test
	Exact       bool    // all sign patterns were counted; otherwise so many as Replicates were drawn
	Adjusted    float64 // P after correction; P itself before anybody corrected it

	EffectSize     float64 // Cohen's d_z
	Detectable     float64 // the smallest difference that so many topics would have shown at .05 with power .8
	HasEffect      bool    // there are both
	SmallestP      float64 // the smallest p that the test can give
	Up, Down, Tied int     // topics on which other is better, worse, the same
	Band           Band    // of the difference over all orders of tied documents in either run
}

// HangsOnTies reports whether the difference has another sign under another order of tied documents.
func (c Comparison) HangsOnTies() bool {
	return c.Difference > 0 && c.Band.Low <= 0 || c.Difference < 0 && c.Band.High >= 0 || c.Difference == 0 && c.Band.Low != c.Band.High
}

// Compare compares two runs on a metric by its number, topic by topic: a paired bootstrap interval of the mean difference
// (Efron 1979; Sakai 2006, doi:10.1145/1148170.1148261) and a sign-flip test (Fisher's randomisation test; Smucker, Allan &
// Carterette 2007, doi:10.1145/1321440.1321528). Both results must be of the same judgements and options. Topics are those
// that the mean rule takes for both runs, in the judgements' order.
func Compare(base, other *Result, metric int, o CompareOptions) (Comparison, error) {
	if o.Replicates == 0 {
		o.Replicates = 10_000
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	rule := base.Options.Mean
	c := Comparison{Metric: base.Options.Metrics[metric], Method: "percentile"}
	if c.Metric != other.Options.Metrics[metric] || len(base.Topics) != len(other.Topics) || rule != other.Options.Mean {
		return c, fmt.Errorf("evaluate: the two runs are not evaluated in the same way")
	}
	var a, b, differences, lows, highs []float64
	for i := range base.Topics {
		x, y := base.Values[metric][i], other.Values[metric][i]
		if !rule.Takes(x) || !rule.Takes(y) {
			continue
		}
		a, b, differences = append(a, x.Value), append(b, y.Value), append(differences, y.Value-x.Value)
		if base.Bands != nil && other.Bands != nil {
			p, q := base.Bands[metric][i], other.Bands[metric][i]
			lows, highs = append(lows, q.Low-p.High), append(highs, q.High-p.Low)
		}
		switch {
		case y.Value > x.Value:
			c.Up++
		case y.Value < x.Value:
			c.Down++
		default:
			c.Tied++
		}
	}
	c.Topics = len(differences)
	if c.Topics == 0 {
		return c, fmt.Errorf("evaluate: the two runs have no topic in common that has a value for %s", c.Metric)
	}
	c.Base, _ = exact.Mean(a)
	c.Other, _ = exact.Mean(b)
	s := stats.Sample{Values: differences, Den: 1}
	c.Difference = s.Mean()
	c.Band = Band{c.Difference, c.Difference}
	if lows != nil {
		c.Band.Low, _ = exact.Mean(lows)
		c.Band.High, _ = exact.Mean(highs)
	}
	return c, c.infer(s, o)
}

// infer adds interval, test and sizes.
func (c *Comparison) infer(s stats.Sample, o CompareOptions) error {
	replicates := stats.Bootstrap(s, o.Replicates, exact.NewStream(o.Seed, o.Stream))
	c.Interval = stats.Interval(replicates, o.Level)
	if interval, ok := stats.BCa(s, replicates, o.Level); o.BCa && ok {
		c.Interval, c.Method = interval, "BCa"
	}
	if c.Up+c.Down <= MaxExactFlips {
		p, err := stats.SignFlipExact(s)
		if err != nil {
			return err
		}
		c.P, c.Exact = p, true
	} else {
		c.P = stats.SignFlip(s, o.Replicates, exact.NewStream(o.Seed, o.Stream+1)).P
	}
	c.Adjusted, c.SmallestP = c.P, stats.SmallestP(s)
	if !c.Exact {
		c.SmallestP = max(c.SmallestP, 1/float64(o.Replicates+1))
	}
	if c.EffectSize, c.HasEffect = stats.EffectSize(s); c.HasEffect {
		c.Detectable, c.HasEffect = stats.Detectable(s, 0.05, 0.8)
	}
	return nil
}

// Corrections are the names that Correct takes.
var Corrections = []string{"holm", "bonferroni", "bh", "none"}

// Correct sets Adjusted for several comparisons at once: holm, bonferroni, bh (Benjamini–Hochberg) or none.
func Correct(list []Comparison, correction string) error {
	p := make([]float64, len(list))
	for i, c := range list {
		p[i] = c.P
	}
	switch correction {
	case "holm":
		p = stats.Holm(p)
	case "bonferroni":
		p = stats.Bonferroni(p)
	case "bh":
		p = stats.BenjaminiHochberg(p)
	case "none":
	default:
		return fmt.Errorf("evaluate: correction %.40q: it is holm, bonferroni, bh or none", correction)
	}
	for i := range list {
		list[i].Adjusted = p[i]
	}
	return nil
}
