package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrace/core/method"
	"retrace/core/order"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/walk"
)

// A Measurer is a design whose methods can be measured with other settings.
type Measurer interface {
	// Measured gives the units of a split by its name, "dev" or "test", with the questions that they are measured on; nothing
	// where there is no such split. A cutoff of 0 is the protocol's.
	Measured(split string, cutoff int) (*Measured, error)
}

// Measured is a split's units under a measure.
type Measured struct {
	Measure     string // as people say it
	Units       string // as in development families
	IDs, Labels []string
	Questions   []int
	Cutoff      int // of the measure, with its bounds; 0 where it has none
	MaxCutoff   int
	Den         float64 // values are integers over it
	Value       func(look study.Look, unit int) (int64, error)
}

// A Knob is a parameter of a method that a reader may turn.
type Knob struct {
	Key     string  `json:"key"` // graph.teleport: the kind of term and its parameter; the second of a kind is bm25.2.k1
	Label   string  `json:"label"`
	Value   string  `json:"value"` // the protocol's
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	High    float64 `json:"high"` // where a slider ends, at most Max
	Step    float64 `json:"step"`
	Meaning string  `json:"meaning"` // what raising it does
}

// turned calls for each parameter that is a number, with its key.
func turned(t *method.Term, seen map[string]int, each func(key string, kind method.ParamKind, p *method.Param)) {
	kind, err := method.Kinds.Find(t.Name)
	if err != nil {
		return
	}
	seen[t.Name]++
	prefix := t.Name
	if n := seen[t.Name]; n > 1 {
		prefix = fmt.Sprintf("%s.%d", t.Name, n)
	}
	for i := range t.Params {
		for _, p := range kind.Params {
			if p.Key == t.Params[i].Key && p.Of == "" && len(p.Options) == 0 {
				each(prefix+"."+p.Key, p, &t.Params[i])
			}
		}
	}
	for i := range t.Args {
		turned(&t.Args[i], seen, each)
	}
}

// Knobs lists what can be turned on a method of the study, as its lock has set it.
func (l *Lab) Knobs(name string) (method.Term, []Knob, error) {
	t, err := l.study.ResolveSealed(name)
	if err != nil {
		return t, nil, err
	}
	list := []Knob{}
	turned(&t, map[string]int{}, func(key string, p method.ParamKind, q *method.Param) {
		k := Knob{Key: key, Label: p.Key, Value: q.Value, Min: p.Min, Max: p.Max, Meaning: p.Meaning, Step: 0.05}
		usual := method.Term{Params: []method.Param{{Key: "", Value: p.Default}}}.Number("")
		k.High = min(p.Max, max(1, math.Ceil(4*usual)))
		if p.Integer {
			k.Step = 1
		}
		list = append(list, k)
	})
	return t, list, nil
}

// A WhatIf is a setting to be tried.
type WhatIf struct {
	Method string            `json:"method"` // a name of the study's
	Set    map[string]string `json:"set"`    // values by knob; what is left out stays as the protocol has it
	Cutoff int               `json:"cutoff"` // of the measure; 0: the protocol's
	Test   bool              `json:"test"`   // on the test units, else on the development units
}

// A Tried is what a setting gives, beside the protocol's setting of the same method and the baseline it is compared with.
type Tried struct {
	Exploratory bool    `json:"exploratory"` // always true: never a result of the study
	Protocol    bool    `json:"protocol"`    // the setting is the protocol's own
	Settings    int     `json:"settings"`    // how many different ones were tried in this lab, the protocol's left out
	Term        string  `json:"term"`
	Measure     string  `json:"measure"`
	Units       string  `json:"units"`
	Count       int     `json:"count"` // of units
	MaxCutoff   int     `json:"maxCutoff"`
	Cutoff      int     `json:"cutoff"`
	Value       Figure  `json:"value"`
	Before      Figure  `json:"before"`     // under the protocol's setting, with the same cutoff
	Difference  Figure  `json:"difference"` // value − before
	Baseline    Figure  `json:"baseline"`   // of the contrast, as the protocol has it
	Against     string  `json:"against"`    // the baseline's name
	Gain        Figure  `json:"gain"`       // value − baseline
	Up          int     `json:"up"`         // units above the protocol's setting
	Down        int     `json:"down"`
	Tied        int     `json:"tied"`
	Moved       []Moved `json:"moved"` // units that moved most, at most maxMoved
}

// A Figure is a number with its text.
type Figure struct {
	Value float64 `json:"value"`
	Text  string  `json:"text"`
}

// Moved is a unit that a setting moves.
type Moved struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Before Figure `json:"before"`
	Value  Figure `json:"value"`
	Change Figure `json:"change"`
}

const maxMoved = 8

// maxKept bounds the settings whose weights are kept in memory.
const maxKept = 16

func share(n int64, d float64) Figure { x := float64(n) / d; return Figure{x, show.Share(x)} }
func moved(n int64, d float64) Figure { x := float64(n) / d; return Figure{x, show.Signed(x)} }

// Try measures a method under another setting.
func (l *Lab) Try(w WhatIf) (*Tried, error) {
	d, ok := l.study.Design.(Measurer)
	if !ok {
		return nil, notFor(l.study, "another setting")
	}
	if err := l.prepare(); err != nil {
		return nil, err
	}
	split := "dev"
	if w.Test {
		split = "test"
	}
	m, err := d.Measured(split, w.Cutoff)
	if err != nil {
		return nil, err
	}
	protocols, t, err := l.set(w)
	if err != nil {
		return nil, err
	}
	baseline, err := l.study.ResolveSealed(l.contrast.Against)
	if err != nil {
		return nil, err
	}
	var values [3][]int64
	for i, term := range []method.Term{t, protocols, baseline} {
		if values[i], err = l.valued(m, split, term, i > 0); err != nil {
			return nil, err
		}
	}
	text := t.String()
	out := &Tried{Exploratory: true, Protocol: text == protocols.String() && (w.Cutoff == 0 || m.Cutoff == l.cutoff(d, split)), Term: text,
		Measure: m.Measure, Units: m.Units, Count: len(m.IDs), Cutoff: m.Cutoff, MaxCutoff: m.MaxCutoff, Against: l.contrast.Against, Moved: []Moved{}}
	if key := fmt.Sprintf("%s@%d", text, m.Cutoff); !out.Protocol && !slices.Contains(l.tried, key) {
		l.tried = append(l.tried, key)
	}
	out.Settings = len(l.tried)
	out.fill(m, values)
	return out, nil
}

func (l *Lab) cutoff(d Measurer, split string) int {
	if m, err := d.Measured(split, 0); err == nil {
		return m.Cutoff
	}
	return 0
}

// set returns a method as the protocol has it, and with a reader's settings, checked as a protocol's are.
func (l *Lab) set(w WhatIf) (protocols, t method.Term, err error) {
	if protocols, _, err = l.Knobs(w.Method); err != nil {
		return
	}
	if t, err = method.Parse(protocols.String()); err != nil { // a copy of its own
		return
	}
	left := len(w.Set)
	turned(&t, map[string]int{}, func(key string, _ method.ParamKind, p *method.Param) {
		if v, ok := w.Set[key]; ok {
			p.Value = v
			left--
		}
	})
	if left > 0 {
		return t, t, fmt.Errorf("lab: %s has not all of the settings given: %s", w.Method, strings.Join(l.keys(protocols), ", "))
	}
	t, err = method.Scope{}.Resolve(t)
	return
}

func (l *Lab) keys(t method.Term) (list []string) {
	turned(&t, map[string]int{}, func(key string, _ method.ParamKind, _ *method.Param) { list = append(list, key) })
	return list
}

// valued measures a term on a split's units. What the protocol has is kept.
func (l *Lab) valued(m *Measured, split string, t method.Term, keep bool) ([]int64, error) {
	key := fmt.Sprintf("%s %s %d", split, t, m.Cutoff)
	if v, ok := l.kept[key]; ok {
		return v, nil
	}
	if l.evaluator == nil || l.uses > maxKept {
		l.evaluator, l.uses = method.NewEvaluator(l.env(nil)), 0
	}
	l.uses++
	look, err := l.look(l.evaluator, m.Questions, t)
	if err != nil {
		return nil, err
	}
	values := make([]int64, len(m.IDs))
	for i := range values {
		if values[i], err = m.Value(look, i); err != nil {
			return nil, err
		}
	}
	if keep {
		if l.kept == nil {
			l.kept = map[string][]int64{}
		}
		l.kept[key] = values
	}
	return values, nil
}

// look scores a term on questions; targets' ranks alone are kept.
func (l *Lab) look(e *method.Evaluator, places []int, t method.Term) (study.Look, error) {
	seen := map[string]study.Observation{}
	for from := 0; from < len(places); from += walk.Lanes {
		batch := places[from:min(from+walk.Lanes, len(places))]
		if err := l.ask(e, batch, t); err != nil {
			return nil, err
		}
		scores, err := e.Scores(t)
		if err != nil {
			return nil, err
		}
		for i, q := range batch {
			seen[l.study.Questions[q].ID] = l.observation(q, scores[i], 0)
		}
	}
	return func(question, _ string) (study.Observation, error) { return seen[question], nil }, nil
}

// fill adds what the values say: of the setting, of the protocol's, of the baseline.
func (out *Tried) fill(m *Measured, values [3][]int64) {
	var sums [3]int64
	for i, list := range values {
		for _, v := range list {
			sums[i] += v
		}
	}
	den := m.Den * float64(len(m.IDs))
	out.Value, out.Before, out.Baseline = share(sums[0], den), share(sums[1], den), share(sums[2], den)
	out.Difference, out.Gain = moved(sums[0]-sums[1], den), moved(sums[0]-sums[2], den)
	var units []int
	for i := range m.IDs {
		switch change := values[0][i] - values[1][i]; {
		case change > 0:
			out.Up++
		case change < 0:
			out.Down++
		default:
			out.Tied++
			continue
		}
		units = append(units, i)
	}
	change := func(i int) int64 { return values[0][i] - values[1][i] }
	size := func(i int) int64 { return max(change(i), -change(i)) }
	order.Sort(units, func(a, b int) int {
		if x, y := size(a), size(b); x != y {
			return int(y - x)
		}
		return a - b
	})
	for _, i := range units[:min(len(units), maxMoved)] {
		out.Moved = append(out.Moved, Moved{m.IDs[i], m.Labels[i], share(values[1][i], m.Den), share(values[0][i], m.Den), moved(change(i), m.Den)})
	}
}
