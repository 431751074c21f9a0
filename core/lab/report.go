package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"retrace/core/order"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
)

// A Report is what the cases so far say together, as numbers and ready to be shown.
type Report struct {
	Study    string `json:"study"`
	Kind     string `json:"kind"`
	Contrast string `json:"contrast"`
	Method   string `json:"method"`
	Against  string `json:"against"`
	Measure  string `json:"measure"`
	Seed     uint64 `json:"seed"`
	Asked    int    `json:"asked"` // cases
	Done     int    `json:"done"`
	Observed Case   `json:"observed"`
	Cases    []Case `json:"cases"` // those done, by place

	AtLeast     int     `json:"atLeast"`     // rewire: cases with a value at least as high as the real one
	Share       float64 `json:"share"`       // rewire: (1 + atLeast)/(done + 1), one-sided
	SameSign    int     `json:"sameSign"`    // split, influence: cases whose difference has the observed sign
	SameVerdict int     `json:"sameVerdict"` // split, influence
	Median      float64 `json:"median"`      // of the cases' values

	Exploratory bool            `json:"exploratory"` // always true: never a result of the study
	Sentence    string          `json:"sentence"`
	Seeded      string          `json:"seeded"` // from which seed and streams the cases were drawn
	Values      study.Histogram `json:"values"` // of the cases' values; the observed one lies within its bins' range
	Table       Table           `json:"table"`
}

// A Table is a table of texts.
type Table struct {
	Head []string   `json:"head"`
	Rows [][]string `json:"rows"`
}

// maxRows bounds the rows of a report's table: all cases stand beside it.
const maxRows = 20

// Report sums up the cases that are done, in whatever order they came.
func (l *Lab) Report(kind string, count int, cases []Case) (*Report, error) {
	units, err := l.Plan(kind, count)
	if err != nil {
		return nil, err
	}
	observed, err := l.Observed(kind)
	if err != nil {
		return nil, err
	}
	c := l.contrast
	r := &Report{Study: l.study.Protocol.ID, Kind: kind, Contrast: c.Name, Method: c.Method, Against: c.Against, Measure: c.Measure,
		Seed: c.Plan.Seed, Asked: units[len(units)-1].To, Observed: observed, Cases: byPlace(cases), Exploratory: true}
	r.Done = len(r.Cases)
	var values []float64
	for _, x := range r.Cases {
		if x.Place < 0 || x.Place >= r.Asked {
			return nil, fmt.Errorf("lab: a case at place %d of %d", x.Place, r.Asked)
		}
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			return nil, fmt.Errorf("lab: a case without a value at place %d", x.Place)
		}
		values = append(values, x.Value)
		r.count(x)
	}
	r.Share = float64(1+r.AtLeast) / float64(1+r.Done)
	if r.Done > 0 {
		slices.Sort(values)
		r.Median = stats.Quantile(values, 0.5)
	}
	r.Values = histogram(values, observed.Value)
	l.say(r)
	return r, nil
}

func (r *Report) count(x Case) {
	if x.Value >= r.Observed.Value {
		r.AtLeast++
	}
	if sign(x.Value) == sign(r.Observed.Value) {
		r.SameSign++
	}
	if x.Verdict == r.Observed.Verdict {
		r.SameVerdict++
	}
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

const bins = 40

// histogram counts ascending values in bins of equal width, wide enough to hold the observed value too.
func histogram(sorted []float64, observed float64) study.Histogram {
	if len(sorted) == 0 {
		return study.Histogram{Low: observed, Width: 1, Counts: []int{}}
	}
	low, high := min(sorted[0], observed), max(sorted[len(sorted)-1], observed)
	if low == high {
		return study.Histogram{Low: low - 0.5, Width: 1, Counts: []int{len(sorted)}}
	}
	h := study.Histogram{Low: low, Width: (high - low) / bins, Counts: make([]int, bins)}
	for _, x := range sorted {
		h.Counts[min(bins-1, int((x-low)/h.Width))]++
	}
	return h
}

func of(n, all int) string { return show.Count(int64(n)) + " of " + show.Count(int64(all)) }

// say writes what the report says in words, and its table.
func (l *Lab) say(r *Report) {
	seed := "Seed " + strconv.FormatUint(r.Seed, 10)
	streams := func(first uint64) string {
		if r.Asked == 1 {
			return fmt.Sprintf("%s, stream %d.", seed, first)
		}
		return fmt.Sprintf("%s, streams %d to %d.", seed, first, first+uint64(r.Asked)-1)
	}
	protocols := fmt.Sprintf("%s, the protocol’s streams %d and %d.", seed, l.contrast.Plan.BootstrapStream, l.contrast.Plan.TestStream)
	pair := r.Method + " − " + r.Against
	switch r.Kind {
	case Rewire:
		r.Seeded = streams(RewireStream)
		r.Sentence = fmt.Sprintf("%s with the real links has %s %s. Of %s rewired graphs %s %s at least as much: one-sided share %s.",
			r.Method, r.Measure, show.Share(r.Observed.Value), show.Count(int64(r.Done)), show.Count(int64(r.AtLeast)), have(r.AtLeast),
			show.Chance(r.Share))
		r.Table.Head = []string{"graph", "stream", r.Measure}
		r.rows(func(x Case) []string { return []string{x.Name, stream(x), show.Share(x.Value)} })
	case Split:
		r.Seeded = streams(SplitStream)
		r.Sentence = fmt.Sprintf("Split anew, with the choice made anew, %s has the same sign in %s draws and the same verdict (%s) in %s.",
			pair, of(r.SameSign, r.Done), r.Observed.Verdict, of(r.SameVerdict, r.Done))
		r.Table.Head = []string{"draw", "stream", "chosen", "difference", "95% from", "to", "p", "verdict"}
		r.rows(func(x Case) []string { return append([]string{x.Name, stream(x), x.Choice}, compared(x)...) })
	case Influence:
		r.Seeded = protocols
		r.sayInfluence(l, pair)
	case Resample:
		r.Seeded = protocols
		r.Sentence = fmt.Sprintf("%s is %s whatever is drawn; its interval and p by number of resamples:", pair, show.Signed(r.Observed.Value))
		r.Table.Head = []string{"resamples", "95% from", "to", "drawn p"}
		r.rows(func(x Case) []string {
			n, _ := strconv.ParseInt(x.Name, 10, 64)
			return []string{show.Count(n), show.Signed(x.CI95[0]), show.Signed(x.CI95[1]), show.Chance(x.P)}
		})
	}
}

func (r *Report) sayInfluence(l *Lab, pair string) {
	flips := r.Done - r.SameVerdict
	verb := "changes"
	if flips != 1 {
		verb = "change"
	}
	r.Sentence = fmt.Sprintf("Left out alone, %s %s %s the verdict (%s) on %s; %s the sign.",
		of(flips, r.Done), l.contrast.Units, verb, r.Observed.Verdict, pair, of(r.Done-r.SameSign, r.Done))
	r.Table.Rows = [][]string{}
	r.Table.Head = []string{"left out", "", "difference moves by", "difference", "95% from", "to", "p", "verdict"}
	// The most influential first: those that change the verdict, then those that move the difference most.
	list := slices.Clone(r.Cases)
	moves := func(x Case) float64 { return math.Abs(x.Value - r.Observed.Value) }
	order.Sort(list, func(a, b Case) int {
		if x, y := a.Verdict == r.Observed.Verdict, b.Verdict == r.Observed.Verdict; x != y {
			if x {
				return 1
			}
			return -1
		}
		switch x, y := moves(a), moves(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return a.Place - b.Place
	})
	for _, x := range list[:min(len(list), maxRows)] {
		moved := show.Signed(x.Value - r.Observed.Value)
		r.Table.Rows = append(r.Table.Rows, append([]string{x.Name, l.contrast.Labels[x.Place], moved}, compared(x)...))
	}
}

func (r *Report) rows(cells func(Case) []string) {
	r.Table.Rows = [][]string{}
	for _, x := range r.Cases[:min(len(r.Cases), maxRows)] {
		r.Table.Rows = append(r.Table.Rows, cells(x))
	}
}

func stream(x Case) string { return strconv.FormatUint(x.Stream, 10) }

func compared(x Case) []string {
	return []string{show.Signed(x.Value), show.Signed(x.CI95[0]), show.Signed(x.CI95[1]), show.Chance(x.P), x.Verdict}
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
