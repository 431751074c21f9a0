package study

import (
	"fmt"
	"slices"
	"strconv"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/index"
	"retrace/core/lexical"
	"retrace/core/show"
)

// binary explains the results of a Binary study.
func (x *explainer) binary(b *binary) (*explain.Node, error) {
	switch x.keys[0] {
	case "value":
		if place, ok := b.study.byQuestion[x.key(1)]; ok && len(x.keys) == 4 {
			return x.needNode(b, place, x.keys[2], x.keys[3])
		}
	case "splits":
		return x.splitNode(b)
	case "audit":
		i, err := strconv.Atoi(x.key(1))
		if err != nil || i < 0 || i >= len(b.needs) || x.key(2) != "values" || len(x.keys) != 5 {
			return nil, nil
		}
		return x.needNode(b, i, x.keys[3], x.keys[4])
	case "view":
		if x.key(1) == "passages" {
			node := x.number("permitted passages", float64(b.study.Collection.Len()), "Passages that the view admits by status and access. The others give neither candidates nor statistics.", "a count", collection.View.Select)
			for d := range b.study.Collection.Docs {
				node.Inputs = append(node.Inputs, explain.Input{Label: b.view.Permitted[d], Path: pathTo("document", b.view.Permitted[d]), Where: x.where(d)})
			}
			return node, nil
		}
	case "index":
		return x.indexNode(b)
	case "same":
		i, err := strconv.Atoi(x.key(1))
		if err != nil || i < 0 || i >= len(b.spec.Same) || x.key(2) != "needs" {
			return nil, nil
		}
		return x.number("needs compared", float64(len(b.needs)), fmt.Sprintf("Needs for which %v returned the same passages with the same scores.", b.spec.Same[i]), "a count", (*binary).checkSame), nil
	case "notebook":
		return x.noteNode(b)
	}
	return nil, nil
}

// evaluationOf evaluates one method on one need.
func (x *explainer) evaluationOf(b *binary, place int, name string) (evaluation, error) {
	o, err := x.replay.observation(b.needs[place].ID, name)
	if err != nil {
		return evaluation{}, err
	}
	return b.evaluate(place, o)
}

// needNode explains one need's measure by what was returned and its labels.
func (x *explainer) needNode(b *binary, place int, name, key string) (*explain.Node, error) {
	i := slices.IndexFunc(b.spec.Measures, func(m MeasureSpec) bool { return m.Key == key })
	if _, ok := b.study.Terms[name]; !ok || i < 0 {
		return nil, nil
	}
	e, err := x.evaluationOf(b, place, name)
	if err != nil {
		return nil, err
	}
	n := b.needs[place]
	m := b.measures[i]
	f, _ := m.Table()
	value := 0.0
	if v := e.values[key]; v != nil {
		value = *v
	}
	node := x.number(m.String()+", need "+n.ID+", "+name, value, f.Definition, f.Formula, f.Function)
	if node.Citation = f.Citation; e.values[key] == nil {
		node.Value, node.Text = nil, "undefined: "+f.Undefined
	} else {
		node.Text = show.Share(value)
	}
	node.Inputs = []explain.Input{{Label: "need", Text: n.Text, Path: pathTo("question", n.ID), Where: x.study.questionWhere(&x.study.Questions[place])},
		{Label: "relevant passages", Text: show.Count(int64(n.Relevant()))}}
	for j, p := range e.Best {
		doc, _ := x.study.Collection.Number(p.ID)
		text := "not relevant"
		if n.Labels[doc] == 1 {
			text = "relevant"
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", j+1, p.ID), Text: text + ", score " + show.Score(p.Score), Path: pathTo("score", n.ID, name, p.ID), Where: x.where(doc)})
	}
	return node, nil
}

func (x *explainer) splitNode(b *binary) (*explain.Node, error) {
	split := x.key(1)
	if !slices.ContainsFunc(b.spec.Splits, func(s Split) bool { return s.Name == split }) {
		return nil, nil
	}
	var places []int
	for q, n := range b.needs {
		if n.split == split {
			places = append(places, q)
		}
	}
	if x.key(2) == "needs" {
		node := x.number("needs, "+split, float64(len(places)), "Needs of the split, each judged on every permitted passage.", "a count", (*binary).splitResult)
		for _, q := range places {
			node.Inputs = append(node.Inputs, explain.Input{Label: b.needs[q].ID, Text: b.needs[q].Query, Path: pathTo("question", b.needs[q].ID)})
		}
		return node, nil
	}
	name, key := x.key(3), x.key(4)
	if _, ok := b.study.Terms[name]; x.key(2) != "methods" || !ok {
		return nil, nil
	}
	switch key {
	case "defined":
		n := 0
		for _, q := range places {
			n += one(b.needs[q].Relevant() > 0)
		}
		return x.number("needs with relevant passages, "+split, float64(n), "The means are over these needs; the others are reported apart, never as 0 or 1.", "a count", (*binary).splitResult), nil
	case "undefined":
		i, err := strconv.Atoi(x.key(5))
		if err != nil || i < 0 || x.key(6) != "candidates" {
			return nil, nil
		}
		for _, q := range places {
			if b.needs[q].Relevant() > 0 {
				continue
			}
			if i > 0 {
				i--
				continue
			}
			e, err := x.evaluationOf(b, q, name)
			if err != nil {
				return nil, err
			}
			node := x.number("candidates of need "+b.needs[q].ID+", "+name, float64(e.Candidates), "Passages with a positive score, though none is relevant.", "a count", lexical.Scan)
			for _, p := range e.Best {
				doc, _ := x.study.Collection.Number(p.ID)
				node.Inputs = append(node.Inputs, explain.Input{Label: p.ID, Text: show.Score(p.Score), Path: pathTo("score", b.needs[q].ID, name, p.ID), Where: x.where(doc)})
			}
			return node, nil
		}
		return nil, nil
	}
	i := slices.IndexFunc(b.spec.Measures, func(m MeasureSpec) bool { return m.Key == key })
	if i < 0 {
		return nil, nil
	}
	var values []float64
	var inputs []explain.Input
	for _, q := range places {
		e, err := x.evaluationOf(b, q, name)
		if err != nil {
			return nil, err
		}
		text := "undefined"
		if v := e.values[key]; v != nil {
			values = append(values, *v)
			text = show.Share(*v)
		}
		inputs = append(inputs, explain.Input{Label: b.needs[q].ID + " " + b.needs[q].Query, Text: text, Path: pathTo("value", b.needs[q].ID, name, key)})
	}
	mean, ok := exact.Mean(values)
	if !ok {
		return nil, nil
	}
	f, _ := b.measures[i].Table()
	node := x.number("mean "+b.measures[i].String()+", "+name+", "+split, mean, fmt.Sprintf("Mean over the %d of %d needs with relevant passages. %s", len(values), len(places), f.Definition), "Σ value / n, needs in file order", exact.Mean)
	node.Citation, node.Inputs = f.Citation, inputs
	return node, nil
}

func (x *explainer) indexNode(b *binary) (*explain.Node, error) {
	data, err := b.indexFile()
	if err != nil {
		return nil, err
	}
	postings := 0
	for _, p := range b.study.Index.Postings {
		postings += len(p)
	}
	value, ok := map[string]int{"bytes": len(data), "passages": b.study.Collection.Len(), "terms": len(b.study.Index.Terms), "postings": postings, "tokens": int(b.study.Index.Total)}[x.key(1)]
	if !ok {
		return nil, nil
	}
	node := x.number("index: "+x.key(1), float64(value), map[string]string{"bytes": "Size of the canonical index JSON.", "passages": "Passages in the index.", "terms": "Distinct terms.", "postings": "Pairs of a term and a passage that holds it.", "tokens": "Tokens of all passages."}[x.key(1)], "a count", index.Build)
	node.Inputs = []explain.Input{{Label: "canonical index", Where: b.study.Protocol.ID + "/frozen/index.json"}}
	return node, nil
}

// noteNode explains the numbers of an entry of the notebook.
func (x *explainer) noteNode(b *binary) (*explain.Node, error) {
	at, err := strconv.Atoi(x.key(1))
	if err != nil || at < 0 {
		return nil, nil
	}
	for place, n := range b.needs {
		var list []evaluation
		for _, m := range b.study.Protocol.Methods {
			e, err := x.evaluationOf(b, place, m.Name)
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		notes := b.notes(place, list)
		if at >= len(notes) {
			at -= len(notes)
			continue
		}
		note := notes[at]
		if note.Kind != NoteCapacity {
			return nil, nil
		}
		value, ok := map[string]float64{"relevant": float64(note.Relevant), "places": float64(note.Places), "best": *note.Best}[x.key(2)]
		if !ok {
			return nil, nil
		}
		node := x.number("capacity, need "+n.ID+": "+x.key(2), value, fmt.Sprintf("%d passages are relevant and the measure %s looks at %d: no ranking reaches more than %s.", note.Relevant, note.Measure, note.Places, show.Share(*note.Best)), "places / relevant", (*binary).notes)
		node.Inputs = []explain.Input{{Label: "need", Text: n.Text, Path: pathTo("question", n.ID), Where: x.study.questionWhere(&x.study.Questions[place])}}
		return node, nil
	}
	return nil, nil
}
