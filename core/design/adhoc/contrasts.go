package adhoc

import (
	"fmt"
	"math"

	"retrace/core/exact"
	"retrace/core/metrics"
	"retrace/core/stats"
	"retrace/core/study"
)

// ContrastResult compares two systems on the primary measure.
type ContrastResult struct {
	System     string                       `json:"system"`
	Against    string                       `json:"against"`
	N          int                          `json:"n"` // topics
	Up         int                          `json:"up"`
	Down       int                          `json:"down"`
	Tied       int                          `json:"tied"`
	Difference float64                      `json:"difference"`
	CI95       [2]float64                   `json:"ci95"`       // percentile bootstrap
	BCa95      *[2]float64                  `json:"bca95"`      // bias-corrected and accelerated; null where it has no value
	P          float64                      `json:"p"`          // sign flips, drawn
	PExact     *float64                     `json:"pExact"`     // over all sign patterns; null beyond the size where it can be counted
	PAdjusted  float64                      `json:"pAdjusted"`  // p, corrected over all contrasts
	Effect     *float64                     `json:"effect"`     // Cohen's d_z; null where differences do not vary
	Detectable *float64                     `json:"detectable"` // smallest difference that so many topics would have shown; likewise
	SmallestP  float64                      `json:"smallestP"`  // that a sign-flip test of so many differing topics can give
	Measures   map[string]MeasureDifference `json:"measures"`   // the other measures, by key: described, not tested
	Readings   map[string]Reading           `json:"readings"`   // the same contrast as others might have read it
}

// A MeasureDifference describes two systems on a measure that is not the primary one.
type MeasureDifference struct {
	Difference float64    `json:"difference"`
	CI95       [2]float64 `json:"ci95"`
}

// A Reading is the contrast under another choice that readers of the field make as well.
type Reading struct {
	Measure    string     `json:"measure"`
	Difference float64    `json:"difference"`
	CI95       [2]float64 `json:"ci95"`
	P          float64    `json:"p"`
	PAdjusted  float64    `json:"pAdjusted"` // corrected as the contrasts are, each under this reading where it has it
}

// Names of readings; an assessor's has the assessor's name behind a colon.
const (
	ReadGain     = "gain"     // nDCG with the other gain
	ReadJudged   = "judged"   // over the judged documents of each ranking alone
	ReadTiesLow  = "tiesLow"  // tied documents ordered as badly for the system, and as well for the other, as can be
	ReadTiesHigh = "tiesHigh" // the other way round
	ReadAlone    = "alone:"   // by one assessor's judgements
)

// maxExact is the number of differing topics up to which p is counted over all sign patterns: half of them makes 2^18 sums.
const maxExact = 36

// pairs returns the differences of two systems' values over the topics that the rule takes, and their places.
func (a *Loaded) pairs(x, y []metrics.Value) (values []float64, places []int) {
	rule := a.spec.rule()
	for i := range x {
		if rule.Takes(x[i]) && rule.Takes(y[i]) {
			values, places = append(values, x[i].Value-y[i].Value), append(places, i)
		}
	}
	return values, places
}

// resample returns the means of bootstrap replicates, as stats.Bootstrap draws them from the test's stream: samples of one
// size share their draws, which are made once.
func (a *Loaded) resample(e *evaluation, values []float64) []float64 {
	n, t := len(values), a.spec.Test
	if len(e.draws) != t.Replicates*n {
		src := exact.NewStream(a.study.Protocol.Seed, t.BootstrapStream)
		e.draws = make([]int32, t.Replicates*n)
		for i := range e.draws {
			e.draws[i] = int32(src.IntN(n))
		}
	}
	means := make([]float64, t.Replicates)
	for r := range means {
		sum := 0.0
		for _, i := range e.draws[r*n : (r+1)*n] {
			sum += values[i]
		}
		means[r] = sum / float64(n)
	}
	return means
}

// contrastResults compares everything that is to be compared, once a replay: corrected p-values rest on all contrasts.
func (a *Loaded) contrastResults(r *study.Replay) (map[string]ContrastResult, error) {
	e, err := a.evaluation(r)
	if err != nil {
		return nil, err
	}
	if e.contrasts != nil {
		return e.contrasts, nil
	}
	list := a.spec.contrasts(a.study.Protocol)
	results := make([]ContrastResult, len(list))
	for i, c := range list {
		if results[i], err = a.contrast(r, e, c); err != nil {
			return nil, err
		}
	}
	a.correct(results)
	e.contrasts = map[string]ContrastResult{}
	for i, c := range list {
		e.contrasts[c.Name] = results[i]
	}
	return e.contrasts, nil
}

// correct corrects p-values over all contrasts, as they are and under every reading.
func (a *Loaded) correct(results []ContrastResult) {
	adjust := func(p []float64) []float64 {
		switch a.spec.Test.Correction {
		case "bonferroni":
			return stats.Bonferroni(p)
		case "bh":
			return stats.BenjaminiHochberg(p)
		}
		return stats.Holm(p)
	}
	p := make([]float64, len(results))
	for i, c := range results {
		p[i] = c.P
	}
	if len(p) == 0 {
		return
	}
	for i, adjusted := range adjust(p) {
		results[i].PAdjusted = adjusted
	}
	for _, name := range a.readings() {
		under := make([]float64, len(results))
		for i, c := range results {
			if under[i] = p[i]; c.Readings[name].Measure != "" {
				under[i] = c.Readings[name].P
			}
		}
		for i, adjusted := range adjust(under) {
			if reading, ok := results[i].Readings[name]; ok {
				reading.PAdjusted = adjusted
				results[i].Readings[name] = reading
			}
		}
	}
}

// readings lists the names of all readings that a contrast may have, in the order in which the verdict looks at them.
func (a *Loaded) readings() []string { return a.spec.readings() }

func (a *Spec) readings() []string {
	names := []string{ReadGain, ReadTiesLow, ReadTiesHigh, ReadJudged}
	if len(a.Judgements) > 1 {
		for _, j := range a.Judgements {
			names = append(names, ReadAlone+j.Assessor)
		}
	}
	return names
}

func (a *Loaded) place(system string) int {
	for i, name := range a.systems {
		if name == system {
			return i
		}
	}
	return -1
}

func (a *Loaded) contrast(r *study.Replay, e *evaluation, c Contrast) (out ContrastResult, err error) {
	x, y, main := a.place(c.System), a.place(c.Against), a.spec.primary()
	values, _ := a.pairs(e.values[x][main], e.values[y][main])
	out = ContrastResult{System: c.System, Against: c.Against, N: len(values), Measures: map[string]MeasureDifference{},
		Readings: map[string]Reading{}}
	if out.N == 0 {
		return out, fmt.Errorf("study: contrast %s: no topic counts for both systems: see adhoc.over", c.Name)
	}
	differing := 0
	for _, v := range values {
		switch {
		case v > 0:
			out.Up++
		case v < 0:
			out.Down++
		default:
			out.Tied++
		}
		if v != 0 && v != math.Trunc(v) {
			differing++
		}
	}
	s := stats.Sample{Values: values, Den: 1}
	replicates := a.resample(e, values)
	out.Difference, out.CI95 = s.Mean(), stats.Interval(replicates, 0.95)
	if interval, ok := stats.BCa(s, replicates, 0.95); ok {
		out.BCa95 = &interval
	}
	out.P = a.spec.Plan(a.study.Protocol).SignFlip(s).P
	if differing == 0 || out.Up+out.Down <= maxExact { // integers are counted on their lattice, however many
		if p, err := stats.SignFlipExact(s); err == nil {
			out.PExact = &p
		}
	}
	if d, ok := stats.EffectSize(s); ok {
		out.Effect = &d
	}
	if d, ok := stats.Detectable(s, Alpha, Power); ok {
		out.Detectable = &d
	}
	out.SmallestP = stats.SmallestP(s)
	for i, spec := range a.spec.Measures {
		if d, _ := a.metrics[i].Definition(); i != main && !d.Sum {
			if values, _ := a.pairs(e.values[x][i], e.values[y][i]); len(values) > 0 {
				out.Measures[spec.Key] = MeasureDifference{stats.Sample{Values: values, Den: 1}.Mean(), stats.Interval(a.resample(e, values), 0.95)}
			}
		}
	}
	for _, name := range a.readings() {
		m, values, err := a.read(r, e, c, name)
		if err != nil {
			return out, err
		}
		if len(values) > 0 {
			s := stats.Sample{Values: values, Den: 1}
			out.Readings[name] = Reading{Measure: m.String(), Difference: s.Mean(), CI95: stats.Interval(a.resample(e, values), 0.95),
				P: a.spec.Plan(a.study.Protocol).SignFlip(s).P}
		}
	}
	return out, nil
}

// read returns the differences of a contrast under a reading, none where the reading is not another one.
func (a *Loaded) read(r *study.Replay, e *evaluation, c Contrast, name string) (metrics.Metric, []float64, error) {
	x, y, main := a.place(c.System), a.place(c.Against), a.spec.primary()
	m, ok := a.metrics[main], false
	side := func(system int) ([]metrics.Value, error) {
		return valuesOf(m, e.lists[system], e.facts[system].missing, a.topics)
	}
	switch name {
	case ReadGain:
		m, ok = otherGain(m)
	case ReadJudged:
		m, ok = judgedOnly(m)
	case ReadTiesLow:
		return m, a.tied(e, x, y, 0), nil
	case ReadTiesHigh:
		return m, a.tied(e, x, y, 1), nil
	default:
		ok = true
		side = func(system int) ([]metrics.Value, error) {
			for i, j := range a.spec.Judgements {
				if name == ReadAlone+j.Assessor {
					values, err := a.alone(r, a.systems[system], i, []metrics.Metric{m})
					if err != nil {
						return nil, err
					}
					return a.judgedBy(i, values[0]), nil
				}
			}
			return nil, nil
		}
	}
	if !ok {
		return m, nil, nil
	}
	first, err := side(x)
	if err != nil {
		return m, nil, err
	}
	second, err := side(y)
	if err != nil {
		return m, nil, err
	}
	values, _ := a.pairs(first, second)
	return m, values, nil
}

// tied returns the differences where tied documents stand as badly for the system, and as well for the other, as can be
// (end 0), or the other way round (end 1); none where that changes nothing.
func (a *Loaded) tied(e *evaluation, x, y, end int) []float64 {
	main := a.spec.primary()
	_, places := a.pairs(e.values[x][main], e.values[y][main])
	changed := false
	var values []float64
	for _, i := range places {
		v := e.bands[x][main][i][end] - e.bands[y][main][i][1-end]
		changed = changed || v != e.values[x][main][i].Value-e.values[y][main][i].Value
		values = append(values, v)
	}
	if !changed {
		return nil
	}
	return values
}
