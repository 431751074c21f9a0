package paired

import (
	"fmt"

	"retrace/core/explain"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
)

// Words are what a design calls things in the explanations of its contrasts.
type Words struct {
	Pair        string // the two methods, as in graph − bm25
	Units       string // what is paired, as in test families
	Conditional string // what the interval is conditional on, a sentence
}

const bootstrapSources = "Efron and Tibshirani 1993, section 13.3; Sakai 2006, doi:10.1145/1148170.1148261; quantiles: Hyndman and Fan 1996"

// Difference explains the mean difference.
func (w Words) Difference(x *study.Explainer, n int, value float64) *explain.Node {
	return x.Number("mean difference, "+w.Pair, value, fmt.Sprintf("Mean over %d %s of %s.", n, w.Units, w.Pair), "Σ difference / n", stats.Sample.Mean)
}

// CI95 explains an end of an interval, which stands last in the path; how says how the resamples are drawn.
func (w Words) CI95(x *study.Explainer, interval [2]float64, replicates int, stream uint64, how string, source any) *explain.Node {
	i, ok := x.Index(len(x.Keys)-1, 2)
	if !ok {
		return nil
	}
	node := x.Number([]string{"lower", "upper"}[i]+" end of the 95% interval"+how+", "+w.Pair, interval[i],
		fmt.Sprintf("Quantile %s of the mean difference over %s resamples of the %s%s. %s", []string{"0.025", "0.975"}[i],
			show.Count(int64(replicates)), w.Units, how, w.Conditional),
		fmt.Sprintf("percentile bootstrap, %s replicates of n draws with replacement, stream %d, linear interpolation (type 7)",
			show.Count(int64(replicates)), stream), source)
	node.Citation = bootstrapSources
	return node
}

// P explains the drawn p-value; what is drawn is called patterns, as in random sign patterns.
func (w Words) P(x *study.Explainer, value float64, draws int, stream uint64, patterns string, source any) *explain.Node {
	node := x.Number("Monte Carlo p, "+w.Pair, value,
		"Share of random "+patterns+" whose mean is at least as far from zero as the observed one, the observed one counted in. "+
			"It asks how surprising the difference would be if each could as well have gone the other way.",
		fmt.Sprintf("(1 + #{|drawn mean| ≥ |observed mean|})/(%s + 1), stream %d", show.Count(int64(draws)), stream), source)
	node.Citation = "Smucker, Allan and Carterette 2007, doi:10.1145/1321440.1321528"
	return node
}

// PExact explains the exact p-value over all patterns.
func (w Words) PExact(x *study.Explainer, value float64, patterns string, source any) *explain.Node {
	return x.Number("exact p, "+w.Pair, value, "Share of all "+patterns+" whose sum is at least as far from zero as the observed one.",
		"#{|sum| ≥ |observed sum|}/#{all}", source)
}
