package binary

import (
	"fmt"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/index"
	"retrace/core/lexical"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
)

// Rows explain every number of the results.
func (b *Loaded) Rows() []study.Row {
	rows := []study.Row{
		{Shape: "value.*.*.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			q, ok := b.study.Question(x.Key(1))
			if !ok {
				return nil, nil
			}
			return b.needNode(x, q.Place(), x.Key(2), x.Key(3))
		}},
		{Shape: "audit.*.values.*.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			i, ok := x.Index(1, len(b.needs))
			if !ok {
				return nil, nil
			}
			return b.needNode(x, i, x.Key(3), x.Key(4))
		}},
		{Shape: "view.passages", Style: show.Integer, Explain: b.viewNode},
		{Shape: "same.*.needs", Style: show.Integer, Explain: b.sameNode},
		{Shape: "splits.*.needs", Style: show.Integer, Explain: b.inSplit(b.needsNode)},
		{Shape: "splits.*.methods.*.defined", Style: show.Integer, Explain: b.inSplit(b.definedNode)},
		{Shape: "splits.*.methods.*.undefined.*.candidates", Style: show.Integer, Explain: b.inSplit(b.undefinedNode)},
		{Shape: "splits.*.methods.*.*", Style: show.Measure, Explain: b.inSplit(b.meanNode)},
		{Shape: "notebook.*.relevant", Style: show.Integer, Explain: b.noteNode(func(n Note) float64 { return float64(n.Relevant) })},
		{Shape: "notebook.*.places", Style: show.Integer, Explain: b.noteNode(func(n Note) float64 { return float64(n.Places) })},
		{Shape: "notebook.*.best", Style: show.Measure, Explain: b.noteNode(func(n Note) float64 { return *n.Best })},
	}
	for _, f := range indexed {
		rows = append(rows, study.Row{Shape: "index." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			r, _, err := b.indexResult()
			if err != nil {
				return nil, err
			}
			node := x.Number("index: "+f.key, float64(f.value(r)), f.sentence, "a count", index.Build)
			node.Inputs = []explain.Input{{Label: "canonical index", Where: b.study.Protocol.ID + "/frozen/index.json"}}
			return node, nil
		}})
	}
	return rows
}

// indexed are the numbers that describe the index.
var indexed = []struct {
	key, sentence string
	value         func(IndexResult) int64
}{
	{"bytes", "Size of the canonical index JSON.", func(r IndexResult) int64 { return int64(r.Bytes) }},
	{"passages", "Passages in the index.", func(r IndexResult) int64 { return int64(r.Passages) }},
	{"terms", "Distinct terms.", func(r IndexResult) int64 { return int64(r.Terms) }},
	{"postings", "Pairs of a term and a passage that holds it.", func(r IndexResult) int64 { return int64(r.Postings) }},
	{"tokens", "Tokens of all passages.", func(r IndexResult) int64 { return r.Tokens }},
}

// inSplit explains from the places of the needs of the split that stands second in the path.
func (b *Loaded) inSplit(explains func(x *study.Explainer, places []int) (*explain.Node, error)) func(x *study.Explainer) (*explain.Node, error) {
	return func(x *study.Explainer) (*explain.Node, error) {
		places := b.places(x.Key(1))
		if len(places) == 0 || x.Key(2) == "methods" && !b.study.Protocol.HasMethod(x.Key(3)) {
			return nil, nil
		}
		return explains(x, places)
	}
}

func (b *Loaded) viewNode(x *study.Explainer) (*explain.Node, error) {
	node := x.Number("permitted passages", float64(b.study.Collection.Len()),
		"Passages that the view admits by status and access. The others give neither candidates nor statistics.", "a count", collection.View.Select)
	for d := range b.study.Collection.Docs {
		id := b.view.Permitted[d]
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Path: numpath.Of("document", id), Where: x.Where(d)})
	}
	return node, nil
}

func (b *Loaded) sameNode(x *study.Explainer) (*explain.Node, error) {
	i, ok := x.Index(1, len(b.spec.Same))
	if !ok {
		return nil, nil
	}
	return x.Number("needs compared", float64(len(b.needs)),
		fmt.Sprintf("Needs for which %v returned the same passages with the same scores.", b.spec.Same[i]), "a count", (*Loaded).checkSame), nil
}

// evaluationOf evaluates one method on one need.
func (b *Loaded) evaluationOf(r *study.Replay, place int, name string) (evaluation, error) {
	o, err := r.Observation(b.needs[place].ID, name)
	if err != nil {
		return evaluation{}, err
	}
	return b.evaluate(place, o)
}

// measure returns the measure under a key of results.
func (b *Loaded) measure(key string) (m metrics.Measure, ok bool) {
	for i, spec := range b.spec.Measures {
		if spec.Key == key {
			return b.measures[i], true
		}
	}
	return m, false
}

// needNode explains one need's measure by what was returned and its labels.
func (b *Loaded) needNode(x *study.Explainer, place int, name, key string) (*explain.Node, error) {
	m, ok := b.measure(key)
	if !ok || !b.study.Protocol.HasMethod(name) {
		return nil, nil
	}
	e, err := b.evaluationOf(x.Replay, place, name)
	if err != nil {
		return nil, err
	}
	n := b.needs[place]
	f, _ := m.Table()
	value := e.values[key]
	node := x.Number(study.MeasureName(m)+", need "+n.ID+", "+name, orZero(value), f.Definition, f.Formula, f.Function)
	if node.Citation = f.Citation; value == nil {
		node.Value, node.Text = nil, "undefined: "+f.Undefined
	}
	node.Inputs = []explain.Input{{Label: "need", Text: n.Text, Path: numpath.Of("question", n.ID), Where: b.study.Questions[place].Where()},
		{Label: "relevant passages", Text: show.Count(int64(n.Relevant()))}}
	for j, p := range e.Best {
		doc, _ := b.study.Collection.Number(p.ID)
		text := "not relevant"
		if n.Labels[doc] == 1 {
			text = "relevant"
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", j+1, p.ID), Text: text + ", score " + show.Score(p.Score),
			Path: numpath.Of("score", n.ID, name, p.ID), Where: x.Where(doc)})
	}
	return node, nil
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func (b *Loaded) needsNode(x *study.Explainer, places []int) (*explain.Node, error) {
	node := x.Number("needs, "+x.Key(1), float64(len(places)), "Needs of the split, each judged on every permitted passage.", "a count", (*Loaded).splitResult)
	for _, q := range places {
		node.Inputs = append(node.Inputs, explain.Input{Label: b.needs[q].ID, Text: b.needs[q].Query, Path: numpath.Of("question", b.needs[q].ID)})
	}
	return node, nil
}

func (b *Loaded) definedNode(x *study.Explainer, places []int) (*explain.Node, error) {
	n := 0
	for _, q := range places {
		if b.needs[q].Relevant() > 0 {
			n++
		}
	}
	return x.Number("needs with relevant passages, "+x.Key(1), float64(n),
		"For the others recall and reciprocal rank have no value: such needs are reported apart, never as 0 or 1.", "a count", (*Loaded).splitResult), nil
}

func (b *Loaded) undefinedNode(x *study.Explainer, places []int) (*explain.Node, error) {
	name := x.Key(3)
	var without []int
	for _, q := range places {
		if b.needs[q].Relevant() == 0 {
			without = append(without, q)
		}
	}
	i, ok := x.Index(5, len(without))
	if !ok {
		return nil, nil
	}
	q := without[i]
	e, err := b.evaluationOf(x.Replay, q, name)
	if err != nil {
		return nil, err
	}
	node := x.Number("candidates of need "+b.needs[q].ID+", "+name, float64(e.Candidates), "Passages with a positive score, though none is relevant.",
		"a count", lexical.Scan)
	for _, p := range e.Best {
		doc, _ := b.study.Collection.Number(p.ID)
		node.Inputs = append(node.Inputs, explain.Input{Label: p.ID, Text: show.Score(p.Score), Path: numpath.Of("score", b.needs[q].ID, name, p.ID), Where: x.Where(doc)})
	}
	return node, nil
}

func (b *Loaded) meanNode(x *study.Explainer, places []int) (*explain.Node, error) {
	name, key := x.Key(3), x.Key(4)
	m, ok := b.measure(key)
	if !ok {
		return nil, nil
	}
	var values []float64
	var inputs []explain.Input
	for _, q := range places {
		e, err := b.evaluationOf(x.Replay, q, name)
		if err != nil {
			return nil, err
		}
		text := "undefined"
		if v := e.values[key]; v != nil {
			values = append(values, *v)
			text = show.Share(*v)
		}
		inputs = append(inputs, explain.Input{Label: b.needs[q].ID + " " + b.needs[q].Query, Text: text, Path: numpath.Of("value", b.needs[q].ID, name, key)})
	}
	mean, ok := exact.Mean(values)
	if !ok {
		return nil, nil
	}
	f, _ := m.Table()
	node := x.Number("mean "+study.MeasureName(m)+", "+name+", "+x.Key(1), mean,
		fmt.Sprintf("Mean over the %d of %d needs for which it is defined. %s", len(values), len(places), f.Definition), "Σ value / n, needs in file order", exact.Mean)
	node.Citation, node.Inputs = f.Citation, inputs
	return node, nil
}

// noteNode explains a number of an entry of the notebook; only notes on capacity hold some.
func (b *Loaded) noteNode(value func(Note) float64) func(x *study.Explainer) (*explain.Node, error) {
	return func(x *study.Explainer) (*explain.Node, error) {
		notebook, places, err := b.notebook(x.Replay)
		if err != nil {
			return nil, err
		}
		at, ok := x.Index(1, len(notebook))
		if !ok || notebook[at].Kind != NoteCapacity {
			return nil, nil
		}
		note, n := notebook[at], b.needs[places[at]]
		node := x.Number("capacity, need "+n.ID+": "+x.Key(2), value(note),
			fmt.Sprintf("%d passages are relevant and the measure %s looks at %d: no ranking reaches more than %s.",
				note.Relevant, note.Measure, note.Places, show.Share(*note.Best)), "places / relevant", (*Loaded).notes)
		node.Inputs = []explain.Input{{Label: "need", Text: n.Text, Path: numpath.Of("question", n.ID), Where: b.study.Questions[places[at]].Where()}}
		return node, nil
	}
}

// notebook returns all notes, with the place of each one's need.
func (b *Loaded) notebook(r *study.Replay) (notes []Note, places []int, err error) {
	for place := range b.needs {
		var list []evaluation
		for _, m := range b.study.Protocol.Methods {
			e, err := b.evaluationOf(r, place, m.Name)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, e)
		}
		for _, note := range b.notes(place, list) {
			notes, places = append(notes, note), append(places, place)
		}
	}
	return notes, places, nil
}
