package knownitem

import (
	"retrace/core/design/paired"
	"retrace/core/explain"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
)

// ContrastResult compares two methods, paired by test family.
type ContrastResult struct {
	Method     string     `json:"method"`
	Against    string     `json:"against"`
	Difference float64    `json:"difference"`
	CI95       [2]float64 `json:"ci95"`
	P          float64    `json:"p"`
	PExact     float64    `json:"pExact"`
	Families   int        `json:"families"`
	Up         int        `json:"up"`
	Down       int        `json:"down"`
	Tied       int        `json:"tied"`
}

// contrast returns a contrast of the protocol by its name.
func (k *Loaded) contrast(name string) (Contrast, bool) {
	for _, c := range k.spec.Contrasts {
		if c.Name == name {
			return c, true
		}
	}
	return Contrast{}, false
}

// sides returns the methods that a contrast compares, and their differences by test family.
func (k *Loaded) sides(r *study.Replay, c Contrast) (name, against string, d stats.Sample, err error) {
	lock, err := k.lock(r)
	if err != nil {
		return "", "", d, err
	}
	name, against = MethodName(c.Method, lock), MethodName(c.Against, lock)
	d, err = k.differences(r, name, against)
	return name, against, d, err
}

func (k *Loaded) contrastResult(r *study.Replay, c Contrast) (ContrastResult, error) {
	name, against, d, err := k.sides(r, c)
	if err != nil {
		return ContrastResult{}, err
	}
	p, err := c.plan(k.study.Protocol.Seed).Compare(d)
	return ContrastResult{name, against, p.Difference, p.CI95, p.P, p.PExact, p.N, p.Up, p.Down, p.Tied}, err
}

// Figures gives the distributions behind the contrasts, and the ranks of the two methods whose misses are listed.
func (k *Loaded) Figures(r *study.Replay, options study.Options, out *study.Figures) error {
	for _, c := range k.spec.Contrasts {
		if options.WithoutVectors && (k.study.NeedsVectors(c.Method) || k.study.NeedsVectors(c.Against)) {
			continue
		}
		_, _, d, err := k.sides(r, c)
		if err != nil {
			return err
		}
		plan := c.plan(k.study.Protocol.Seed)
		out.Contrasts = append(out.Contrasts, paired.Figure(c.Name, plan.Bootstrap(d), plan.SignFlip(d).Null))
	}
	lock, err := k.lock(r)
	if err != nil {
		return err
	}
	base, walked := k.compared(lock)
	for _, q := range k.questions(test) {
		asked := &k.study.Questions[q]
		a, err := r.Observation(asked.ID, base)
		if err != nil {
			return err
		}
		b, err := r.Observation(asked.ID, walked)
		if err != nil {
			return err
		}
		out.Ranks = append(out.Ranks, study.RankPair{Question: asked.ID, Kind: asked.Kind, Baseline: a.Rank, Graph: b.Rank})
	}
	return nil
}

const conditional = "It is conditional on these questions' authors, collection and links: other families of the same kind, not other studies."

// contrastRows explain the contrasts.
func (k *Loaded) contrastRows() []study.Row {
	type explains func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node
	row := func(key string, style show.Style, counts func(d float64) bool, explains explains) study.Row {
		return study.Row{Shape: "contrasts.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
			c, ok := k.contrast(x.Key(1))
			if !ok {
				return nil, nil
			}
			r, err := k.contrastResult(x.Replay, c)
			if err != nil {
				return nil, err
			}
			w := paired.Words{Pair: r.Method + " − " + r.Against, Units: "test families", Conditional: conditional}
			node := explains(x, w, c, r)
			if node == nil {
				return nil, nil
			}
			return node, k.listDifferences(x, c, node, counts)
		}}
	}
	all := func(float64) bool { return true }
	count := func(key, what string, counts func(d float64) bool, value func(ContrastResult) int) study.Row {
		return row(key, show.Integer, counts, func(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			return x.Number("families "+key+", "+w.Pair, float64(value(r)), "How many test families are "+what+" under "+r.Method+".", "a count", paired.Plan.Describe)
		})
	}
	return []study.Row{
		row("difference", show.Change, all, func(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			return w.Difference(x, r.Families, r.Difference)
		}),
		row("ci95.*", show.Change, all, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			return w.CI95(x, r.CI95, c.Replicates, c.BootstrapStream, "", stats.Bootstrap)
		}),
		row("p", show.P, all, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			return w.P(x, r.P, c.Draws, c.FlipStream, "sign patterns", stats.SignFlip)
		}),
		row("pExact", show.P, all, func(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			return w.PExact(x, r.PExact, "sign patterns, counted in integers,", stats.SignFlipExact)
		}),
		count("families", "compared", all, func(r ContrastResult) int { return r.Families }),
		count("up", "higher", func(d float64) bool { return d > 0 }, func(r ContrastResult) int { return r.Up }),
		count("down", "lower", func(d float64) bool { return d < 0 }, func(r ContrastResult) int { return r.Down }),
		count("tied", "the same", func(d float64) bool { return d == 0 }, func(r ContrastResult) int { return r.Tied }),
	}
}

// listDifferences adds the families that count to an explanation.
func (k *Loaded) listDifferences(x *study.Explainer, c Contrast, node *explain.Node, counts func(d float64) bool) error {
	_, _, d, err := k.sides(x.Replay, c)
	if err != nil {
		return err
	}
	for i, f := range k.split(test) {
		if v := d.Values[i] / d.Den; counts(v) {
			node.Inputs = append(node.Inputs, explain.Input{Label: f.ID + " " + k.study.Collection.Docs[f.Target].Title, Text: show.Signed(v),
				Path: numpath.Of("difference", f.ID, c.Name)})
		}
	}
	return nil
}
