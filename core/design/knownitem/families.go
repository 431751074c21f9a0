package knownitem

import (
	"fmt"

	"retrace/core/explain"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
)

// compared returns the two methods whose families and misses are listed.
func (k *Loaded) compared(lock study.Lock) (base, walked string) {
	return MethodName(k.spec.Misses.Baseline, lock), MethodName(k.spec.Misses.Graph, lock)
}

func (k *Loaded) listFamilies(r *study.Replay, out *Results) error {
	base, walked := k.compared(out.Development.Lock)
	for _, f := range k.split(test) {
		a, err := k.familyParts(r, f, base, "")
		if err != nil {
			return err
		}
		b, err := k.familyParts(r, f, walked, "")
		if err != nil {
			return err
		}
		out.Families = append(out.Families, FamilyResult{f.ID, k.study.Collection.Docs[f.Target].ID, k.familyMean(a), k.familyMean(b), k.familyMean(b - a)})
	}
	return nil
}

// misses lists the test questions that one of the two methods misses or both do, in file order.
func (k *Loaded) misses(r *study.Replay) ([]Miss, error) {
	lock, err := k.lock(r)
	if err != nil {
		return nil, err
	}
	base, walked := k.compared(lock)
	list := []Miss{}
	for _, q := range k.questions(test) {
		id := k.study.Questions[q].ID
		a, err := r.Observation(id, base)
		if err != nil {
			return nil, err
		}
		b, err := r.Observation(id, walked)
		if err != nil {
			return nil, err
		}
		if !hit(a, k.spec.Cutoff) || !hit(b, k.spec.Cutoff) {
			list = append(list, Miss{id, k.study.Collection.Docs[k.study.Questions[q].Target].ID, MissRanks{a.Rank, b.Rank}})
		}
	}
	return list, nil
}

// differences returns the test families' differences between two methods, in ascending family ID, as integers over a
// common denominator.
func (k *Loaded) differences(r *study.Replay, name, against string) (stats.Sample, error) {
	s := stats.Sample{Den: float64(k.parts * int64(len(k.spec.Kinds)))}
	for _, f := range k.split(test) {
		a, err := k.familyParts(r, f, name, "")
		if err != nil {
			return s, err
		}
		b, err := k.familyParts(r, f, against, "")
		if err != nil {
			return s, err
		}
		s.Values = append(s.Values, float64(a-b))
	}
	return s, nil
}

// familyRows explain families, their differences, and the ranks of missed targets.
func (k *Loaded) familyRows() []study.Row {
	entry := func(key string, style show.Style, explains func(x *study.Explainer, f family, base, walked string) (*explain.Node, error)) study.Row {
		return study.Row{Shape: "families.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
			families := k.split(test)
			i, ok := x.Index(1, len(families))
			lock, err := k.lock(x.Replay)
			if !ok || err != nil {
				return nil, err
			}
			base, walked := k.compared(lock)
			return explains(x, families[i], base, walked)
		}}
	}
	miss := func(side string, name func(base, walked string) string) study.Row {
		return study.Row{Shape: "misses.*.ranks." + side, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			lock, err := k.lock(x.Replay)
			if err != nil {
				return nil, err
			}
			return k.missNode(x, name(k.compared(lock)))
		}}
	}
	return []study.Row{
		{Shape: "family.*.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			f, ok := k.family(x.Key(1))
			if !ok {
				return nil, fmt.Errorf("study: no family %q in %s", x.Key(1), k.spec.Targets)
			}
			return k.familyNode(x, f, x.Key(2))
		}},
		{Shape: "difference.*.*", Style: show.Change, Explain: func(x *study.Explainer) (*explain.Node, error) {
			f, ok := k.family(x.Key(1))
			c, contrast := k.contrast(x.Key(2))
			lock, err := k.lock(x.Replay)
			if !ok || !contrast || err != nil {
				return nil, err
			}
			return k.familyDifference(x, f, MethodName(c.Method, lock), MethodName(c.Against, lock))
		}},
		entry("baseline", show.Measure, func(x *study.Explainer, f family, base, _ string) (*explain.Node, error) {
			return k.familyNode(x, f, base)
		}),
		entry("graph", show.Measure, func(x *study.Explainer, f family, _, walked string) (*explain.Node, error) {
			return k.familyNode(x, f, walked)
		}),
		entry("difference", show.Change, func(x *study.Explainer, f family, base, walked string) (*explain.Node, error) {
			return k.familyDifference(x, f, walked, base)
		}),
		miss("baseline", func(base, _ string) string { return base }),
		miss("graph", func(_, walked string) string { return walked }),
	}
}

// familyNode explains a family's mean reciprocal rank by its questions' ranks.
func (k *Loaded) familyNode(x *study.Explainer, f family, name string) (*explain.Node, error) {
	sum, err := k.familyParts(x.Replay, f, name, "")
	if err != nil {
		return nil, err
	}
	measure := fmt.Sprintf("RR@%d", k.spec.Cutoff)
	node := x.Number("family "+f.ID+", "+name, k.familyMean(sum),
		"Mean over the family's questions of the reciprocal rank of its target, "+x.DocLabel(f.Target)+".",
		fmt.Sprintf("mean of %s; %s = 1/rank if rank ≤ %d, else 0", measure, measure, k.spec.Cutoff), (*Loaded).familyParts)
	for i, q := range f.Questions {
		asked := &k.study.Questions[q]
		o, err := x.Replay.Observation(asked.ID, name)
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: k.spec.Kinds[i], Text: rankText(o), Path: numpath.Of("rank", o.Question, name), Where: asked.Where()})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "target", Text: x.DocLabel(f.Target),
		Path: numpath.Of("document", k.study.Collection.Docs[f.Target].ID), Where: fmt.Sprintf("%s:%d", k.spec.Targets, f.Line)})
	return node, nil
}

func (k *Loaded) familyDifference(x *study.Explainer, f family, name, against string) (*explain.Node, error) {
	a, err := k.familyParts(x.Replay, f, name, "")
	if err != nil {
		return nil, err
	}
	b, err := k.familyParts(x.Replay, f, against, "")
	if err != nil {
		return nil, err
	}
	node := x.Number("difference in family "+f.ID, k.familyMean(a-b),
		"The family's mean reciprocal rank under "+name+" minus that under "+against+".", name+" − "+against, (*Loaded).differences)
	node.Inputs = []explain.Input{
		{Label: name, Text: show.Share(k.familyMean(a)), Path: numpath.Of("family", f.ID, name)},
		{Label: against, Text: show.Share(k.familyMean(b)), Path: numpath.Of("family", f.ID, against)}}
	return node, nil
}

func (k *Loaded) missNode(x *study.Explainer, name string) (*explain.Node, error) {
	misses, err := k.misses(x.Replay)
	if err != nil {
		return nil, err
	}
	i, ok := x.Index(1, len(misses))
	if !ok {
		return nil, nil
	}
	q, _ := k.study.Question(misses[i].Question)
	s, err := x.Replay.Scoring(name, q)
	if err != nil {
		return nil, err
	}
	return x.Rank(s)
}
