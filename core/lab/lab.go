// Package lab tries how firm what a study found is: its links rewired again and again, its units split anew, one of them left
// out at a time, its resamplings prolonged, and its methods with other settings than the protocol's.
//
// Everything here is exploratory: it never becomes a result of the study. A trial is cut into units that any host can run in
// any order; the same seed and streams give the same cases everywhere.
package lab

import (
	"fmt"
	"slices"

	"retrace/core/design/paired"
	"retrace/core/exact"
	"retrace/core/method"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/stats"
	"retrace/core/study"
)

// The kinds of trials.
const (
	Rewire    = "rewire"    // the links rewired with degrees kept: Maslov and Sneppen 2002, as graph.Rewire says
	Split     = "split"     // development and test split drawn anew, with the choice made anew
	Influence = "influence" // one unit left out
	Resample  = "resample"  // interval and p with more resamples
)

// Kinds lists the kinds of trials.
var Kinds = []string{Rewire, Split, Influence, Resample}

// First streams of the cases, under the study's seed: case i draws from the first + i.
const (
	RewireStream = 1_000_001
	SplitStream  = 2_000_001
)

// MaxCount bounds graphs, splits and resamples of one trial.
const (
	MaxCount     = 10_000
	MaxResamples = 200_000
)

// A Contrast is a study's first contrast, as a design gives it to be tried.
type Contrast struct {
	Name, Method, Against string
	Measure               string   // as people say it: MRR@10
	Units                 string   // what is paired, as in test families
	IDs, Labels           []string // of the pairs
	Sample                stats.Sample
	Plan                  paired.Plan
}

// Contrasted is a design with a contrast whose units can be left out and resampled. It may also be a Walker or a Splitter.
type Contrasted interface {
	Contrast(r *study.Replay) (*Contrast, error)
	// Effect says in a few words what a comparison allows to be said.
	Effect(c paired.Comparison) string
}

// A Walk is a method that walks over links, with the measure of what it returns.
type Walk struct {
	Method    string
	Term      method.Term // written out
	Graph     string      // whose edges are rewired, undirected
	Swaps     int         // successful swaps for each edge
	Questions []int       // places
	Best      int         // how many documents of each the measure reads; 0: the target's rank alone
	Value     func(look study.Look) (float64, error)
}

// A Walker is a design whose first contrast has a method that walks over links; nil where this study's doesn't.
type Walker interface {
	Walk(r *study.Replay) (*Walk, error)
}

// A Division is how a study's units are split, and what is chosen on the development units.
type Division interface {
	Terms() []study.NamedTerm // everything that may be chosen or compared, to be scored on every question
	Size() (development, all int)
	Value(look study.Look, term string, unit int) (int64, error)
	// Choose makes the choice on the development units, and gives the differences of the contrast on the others.
	Choose(development []bool, value func(term string, unit int) int64) (choice string, d stats.Sample)
}

// A Splitter is a design whose split was drawn.
type Splitter interface {
	Division() (Division, error)
	// Split says which units are the development units.
	Split() []bool
}

// A Case is one way in which the study might have been.
type Case struct {
	Place   int        `json:"place"`
	Name    string     `json:"name"`
	Stream  uint64     `json:"stream"` // 0: nothing is drawn, or from the protocol's own streams
	Choice  string     `json:"choice"` // of a split: what was chosen
	Value   float64    `json:"value"`  // the measure under rewired links; else the mean difference
	CI95    [2]float64 `json:"ci95"`
	P       float64    `json:"p"`
	Verdict string     `json:"verdict"` // what it allows to be said
}

// A Unit is a piece of a trial: the cases from From up to To.
type Unit struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"` // of the whole trial
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// A Lab tries one study. It keeps what several units need, and serves one goroutine at a time.
type Lab struct {
	study    *study.Study
	replay   *study.Replay
	design   Contrasted
	contrast *Contrast
	walk     *Walk
	division Division
	table    map[string][]int64 // the division's values by term and unit

	evaluator *method.Evaluator // of settings
	uses      int               // of the evaluator
	kept      map[string][]int64
	tried     []string // settings
}

// New returns a lab for a study, with a finished replay or nil: then what is needed of one is scored when it is needed.
func New(s *study.Study, r *study.Replay) (*Lab, error) {
	d, ok := s.Design.(Contrasted)
	if !ok {
		return nil, notFor(s, "lab")
	}
	return &Lab{study: s, replay: s.OnDemand(r), design: d}, nil
}

func notFor(s *study.Study, what string) error {
	return records.Errorf(s.Protocol.ID+"/study.json", 0,
		"the lab tries known-item studies: others have no contrast that was locked by a drawn split",
		"%s is not for this study", what)
}

func (l *Lab) prepare() (err error) {
	if l.contrast == nil {
		l.contrast, err = l.design.Contrast(l.replay)
		if err == nil && (l.contrast == nil || len(l.contrast.Sample.Values) == 0) {
			l.contrast, err = nil, notFor(l.study, "a trial of its contrast")
		}
	}
	return err
}

// sizes are the numbers of resamples that are tried, up to a last one.
func sizes(last, protocols int) []int {
	list := []int{protocols, last}
	for _, n := range []int{100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000} {
		if n < last {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Plan cuts a trial into units. count is the number of graphs, splits or resamples; it is not read for influence.
func (l *Lab) Plan(kind string, count int) ([]Unit, error) {
	if err := l.prepare(); err != nil {
		return nil, err
	}
	most, size := MaxCount, 5
	total := count
	switch kind {
	case Rewire:
		if err := l.needWalk(); err != nil {
			return nil, err
		}
	case Split:
		size = 10
		if _, ok := l.study.Design.(Splitter); !ok {
			return nil, notFor(l.study, "split")
		}
	case Influence:
		total = len(l.contrast.IDs)
		count = total
	case Resample:
		most, size = MaxResamples, 1
		total = len(sizes(count, l.contrast.Plan.Replicates))
	default:
		return nil, fmt.Errorf("lab: unknown kind %q: use one of %v", kind, Kinds)
	}
	if count < 1 || count > most {
		return nil, fmt.Errorf("lab: %s with a count of %d: between 1 and %d", kind, count, most)
	}
	var units []Unit
	for from := 0; from < total; from += size {
		units = append(units, Unit{kind, count, from, min(from+size, total)})
	}
	return units, nil
}

// Run tries the cases of a unit, which may come from anywhere.
func (l *Lab) Run(u Unit) ([]Case, error) {
	units, err := l.Plan(u.Kind, u.Count)
	if err != nil {
		return nil, err
	}
	if u.From < 0 || u.From >= u.To || u.To > units[len(units)-1].To {
		return nil, fmt.Errorf("lab: cases %d to %d of %d", u.From, u.To, units[len(units)-1].To)
	}
	if u.Kind == Rewire {
		return l.rewire(u)
	}
	var list []Case
	for i := u.From; i < u.To; i++ {
		var c Case
		switch u.Kind {
		case Split:
			c, err = l.split(i)
		case Influence:
			c = l.leaveOut(i)
		case Resample:
			n := sizes(u.Count, l.contrast.Plan.Replicates)[i]
			plan := l.contrast.Plan
			plan.Replicates, plan.Draws = n, n
			c = l.compare(plan, l.contrast.Sample)
			c.Name, c.P = fmt.Sprint(n), plan.SignFlip(l.contrast.Sample).P
		}
		if err != nil {
			return nil, err
		}
		c.Place = i
		list = append(list, c)
	}
	return list, nil
}

// Observed is the study as it is: under rewire the measure with the real links, else the contrast.
func (l *Lab) Observed(kind string) (Case, error) {
	if err := l.prepare(); err != nil {
		return Case{}, err
	}
	c := l.compare(l.contrast.Plan, l.contrast.Sample)
	c.Name = "as it is"
	if kind == Rewire {
		if err := l.needWalk(); err != nil {
			return c, err
		}
		value, err := l.walk.Value(l.replay.Observation)
		return Case{Name: "real links", Value: value}, err
	}
	return c, nil
}

// compare describes differences, with the exact p where it can be had and the drawn one elsewhere.
func (l *Lab) compare(plan paired.Plan, d stats.Sample) Case {
	c := plan.Describe(d)
	p, err := stats.SignFlipExact(d)
	if err != nil {
		p = plan.SignFlip(d).P
	}
	return Case{Value: c.Difference, CI95: c.CI95, P: p, Verdict: l.design.Effect(c)}
}

// leaveOut compares without one unit, with the protocol's own streams.
func (l *Lab) leaveOut(i int) Case {
	d := l.contrast.Sample
	d.Values = slices.Delete(slices.Clone(d.Values), i, i+1)
	c := l.compare(l.contrast.Plan, d)
	c.Name = l.contrast.IDs[i]
	return c
}

// split draws a split anew: as many development units as the study has, by a partial Fisher–Yates shuffle.
func (l *Lab) split(i int) (Case, error) {
	if l.table == nil {
		if err := l.tabulate(); err != nil {
			return Case{}, err
		}
	}
	development, all := l.division.Size()
	stream := SplitStream + uint64(i)
	dev := make([]bool, all)
	for _, unit := range exact.NewStream(l.contrast.Plan.Seed, stream).Draw(development, all) {
		dev[unit] = true
	}
	c := l.choose(dev)
	c.Name, c.Stream = fmt.Sprint(i+1), stream
	return c, nil
}

func (l *Lab) choose(dev []bool) Case {
	choice, d := l.division.Choose(dev, func(term string, unit int) int64 { return l.table[term][unit] })
	c := l.compare(l.contrast.Plan, d)
	c.Choice = choice
	return c
}

// tabulate scores everything that may be chosen on every question.
func (l *Lab) tabulate() error {
	s, ok := l.study.Design.(Splitter)
	if !ok {
		return notFor(l.study, Split)
	}
	division, err := s.Division()
	if err != nil {
		return err
	}
	var places []int
	for i := range l.study.Questions {
		places = append(places, i)
	}
	var units []study.Unit
	for chunk := range slices.Chunk(places, study.UnitSize) {
		units = append(units, study.Unit{Stage: Split, Methods: division.Terms(), Questions: chunk})
	}
	look, err := l.study.Observe(units, nil)
	if err != nil {
		return err
	}
	table := map[string][]int64{}
	_, all := division.Size()
	for _, t := range division.Terms() {
		row := make([]int64, all)
		for unit := range row {
			if row[unit], err = division.Value(look, t.Name, unit); err != nil {
				return err
			}
		}
		table[t.Name] = row
	}
	l.division, l.table = division, table
	return nil
}

// byPlace sorts cases by their place and drops those that stand there twice.
func byPlace(cases []Case) []Case {
	list := slices.Clone(cases)
	order.Sort(list, func(a, b Case) int { return a.Place - b.Place })
	return slices.CompactFunc(list, func(a, b Case) bool { return a.Place == b.Place })
}
