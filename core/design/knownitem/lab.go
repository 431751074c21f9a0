package knownitem

import (
	"fmt"

	"retrace/core/design/paired"
	"retrace/core/lab"
	"retrace/core/method"
	"retrace/core/metrics"
	"retrace/core/stats"
	"retrace/core/study"
)

// What the lab tries of a known-item study: its first contrast, the walk in it, and the split of its families.

func (k *Loaded) measureName() string { return fmt.Sprintf("MRR@%d", k.spec.Cutoff) }

// Contrast gives the protocol's first contrast, paired by test family; nil where there is none.
func (k *Loaded) Contrast(r *study.Replay) (*lab.Contrast, error) {
	if len(k.spec.Contrasts) == 0 {
		return nil, nil
	}
	c := k.spec.Contrasts[0]
	name, against, d, err := k.sides(r, c)
	if err != nil {
		return nil, err
	}
	out := &lab.Contrast{Name: c.Name, Method: name, Against: against, Measure: k.measureName(), Units: "test families",
		Sample: d, Plan: c.plan(k.study.Protocol.Seed)}
	for _, f := range k.split(test) {
		out.IDs = append(out.IDs, f.ID)
		out.Labels = append(out.Labels, k.study.Collection.Docs[f.Target].Title)
	}
	return out, nil
}

// Effect says what a comparison allows to be said.
func (k *Loaded) Effect(c paired.Comparison) string {
	return Effect(ContrastResult{CI95: c.CI95, Up: c.Up, Down: c.Down})
}

// Walk gives the first contrast's method where it walks over undirected links.
func (k *Loaded) Walk(r *study.Replay) (*lab.Walk, error) {
	lock, err := k.lock(r)
	if err != nil || len(k.spec.Contrasts) == 0 {
		return nil, err
	}
	name := MethodName(k.spec.Contrasts[0].Method, lock)
	t, err := k.study.Resolve(method.Term{Name: name}, lock)
	if err != nil {
		return nil, err
	}
	w := &lab.Walk{Method: name, Term: t, Swaps: 10, Questions: k.questions(test)}
	t.Walk(func(u method.Term) {
		for _, g := range k.study.Protocol.Graphs {
			if g.From == "undirected" && u.Param("edges") == g.Name {
				w.Graph = g.Name
			}
			if g.From == "rewired" && g.Of == w.Graph {
				w.Swaps = g.SwapsPerEdge
			}
		}
	})
	if w.Graph == "" {
		return nil, nil
	}
	families := k.split(test)
	w.Value = func(look study.Look) (float64, error) {
		var sum int64
		for _, f := range families {
			u, err := k.partsBy(look, f, name)
			if err != nil {
				return 0, err
			}
			sum += u
		}
		return float64(sum) / float64(k.parts*int64(len(k.spec.Kinds)*len(families))), nil
	}
	return w, nil
}

// partsBy is familyParts by observations that are not a replay's.
func (k *Loaded) partsBy(look study.Look, f family, name string) (sum int64, err error) {
	for _, q := range f.Questions {
		o, err := look(k.study.Questions[q].ID, name)
		if err != nil {
			return 0, err
		}
		sum += k.reciprocalParts(o)
	}
	return sum, nil
}

// Measured gives the families of a split under the mean reciprocal rank at a cutoff.
func (k *Loaded) Measured(split string, cutoff int) (*lab.Measured, error) {
	if cutoff == 0 {
		cutoff = k.spec.Cutoff
	}
	unit, ok := metrics.ReciprocalUnit(cutoff)
	if !ok || cutoff < 1 || cutoff > 20 {
		return nil, fmt.Errorf("study: a cutoff of %d: between 1 and 20", cutoff)
	}
	families := k.split(split)
	m := &lab.Measured{Measure: fmt.Sprintf("MRR@%d", cutoff), Units: "test families", Questions: k.questions(split), Cutoff: cutoff, MaxCutoff: 20,
		Den: float64(unit * int64(len(k.spec.Kinds)))}
	if split == development {
		m.Units = "development families"
	}
	for _, f := range families {
		m.IDs = append(m.IDs, f.ID)
		m.Labels = append(m.Labels, k.study.Collection.Docs[f.Target].Title)
	}
	m.Value = func(look study.Look, i int) (sum int64, err error) {
		for _, q := range families[i].Questions {
			o, err := look(k.study.Questions[q].ID, "")
			if err != nil {
				return 0, err
			}
			if o.Rank != nil {
				parts, _ := metrics.ReciprocalParts(*o.Rank, cutoff)
				sum += parts
			}
		}
		return sum, nil
	}
	return m, nil
}

// Split says which families are the development families.
func (k *Loaded) Split() []bool {
	dev := make([]bool, len(k.families))
	for i, f := range k.families {
		dev[i] = f.Split == development
	}
	return dev
}

// Division gives every choice that development could make, and the contrast under each.
func (k *Loaded) Division() (lab.Division, error) {
	d := &division{loaded: k, settings: paired.Points(k.spec.Development.Grid), known: map[string]bool{}}
	candidate, err := method.Parse(k.spec.Development.Candidate)
	if err != nil {
		return nil, err
	}
	c := k.spec.Contrasts[0]
	for _, b := range k.spec.Development.Baselines {
		name, err := d.add(method.Term{Name: b}, nil)
		if err != nil {
			return nil, err
		}
		d.baselines = append(d.baselines, name)
		for _, setting := range d.settings {
			lock := newLock(b, setting)
			var names [3]string
			for i, t := range []method.Term{candidate, {Name: MethodName(c.Method, lock)}, {Name: MethodName(c.Against, lock)}} {
				if names[i], err = d.add(t, lock); err != nil {
					return nil, err
				}
			}
			d.candidates, d.sides = append(d.candidates, names[0]), append(d.sides, [2]string{names[1], names[2]})
		}
	}
	return d, nil
}

type division struct {
	loaded     *Loaded
	settings   []map[string]string
	terms      []study.NamedTerm
	known      map[string]bool
	baselines  []string    // names of terms
	candidates []string    // by baseline and setting
	sides      [][2]string // of the contrast, likewise
}

// add lists a term once, under its own text as name.
func (d *division) add(t method.Term, lock study.Lock) (name string, err error) {
	if t, err = d.loaded.study.Resolve(t, lock); err != nil {
		return "", err
	}
	if name = t.String(); !d.known[name] {
		d.known[name] = true
		d.terms = append(d.terms, study.NamedTerm{Name: name, Term: t})
	}
	return name, nil
}

func (d *division) Terms() []study.NamedTerm { return d.terms }

func (d *division) Size() (dev, all int) {
	return d.loaded.spec.Sample.Development, len(d.loaded.families)
}

func (d *division) Value(look study.Look, term string, unit int) (int64, error) {
	return d.loaded.partsBy(look, d.loaded.families[unit], term)
}

// Choose makes the protocol's choice: the best baseline, then the best candidate over it.
func (d *division) Choose(dev []bool, value func(term string, unit int) int64) (choice string, out stats.Sample) {
	sum := func(term string) (s int64, err error) {
		for unit, in := range dev {
			if in {
				s += value(term, unit)
			}
		}
		return s, nil
	}
	k, n := d.loaded, len(d.settings)
	b, _ := paired.Best(len(d.baselines), func(i int) (int64, error) { return sum(d.baselines[i]) })
	s, _ := paired.Best(n, func(i int) (int64, error) { return sum(d.candidates[b*n+i]) })
	sides := d.sides[b*n+s]
	out.Den = float64(k.parts * int64(len(k.spec.Kinds)))
	for unit, in := range dev {
		if !in {
			out.Values = append(out.Values, float64(value(sides[0], unit)-value(sides[1], unit)))
		}
	}
	choice = k.spec.Development.Baselines[b]
	if label := k.settingLabel(d.settings[s]); label != "" {
		choice += ", " + label
	}
	return choice, out
}
