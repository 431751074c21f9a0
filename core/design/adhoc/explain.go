package adhoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/design/paired"
	"retrace/core/explain"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
	"retrace/core/trec"
)

// Rows explain every number of the results.
func (a *Loaded) Rows() []study.Row {
	rows := append(a.judgementRows(), a.systemRows()...)
	rows = append(rows, a.contrastRows()...)
	rows = append(rows, a.readingRows()...)
	rows = append(rows, a.groupRows()...)
	return append(rows,
		study.Row{Shape: "judgedAt", Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return x.Setting("places of which the judged share is counted", float64(a.judgedAt)), nil
		}},
		study.Row{Shape: "topics.*.judged", Style: show.Integer, Explain: a.topicRow("documents judged",
			"Documents with a judgement for the topic, whatever its grade.",
			func(metrics.Grade) bool { return true })},
		study.Row{Shape: "topics.*.relevant", Style: show.Integer, Explain: a.topicRow("relevant documents",
			"Documents judged with a grade of 1 at least.",
			func(g metrics.Grade) bool { return g >= metrics.Whole(1) })},
		study.Row{Shape: "difference.*.*", Style: show.Change, Explain: a.differenceNode})
}

// judgementRows explain the counts of judgements.
func (a *Loaded) judgementRows() []study.Row {
	count := func(shape, title, sentence string, source any, value func(JudgementsResult, *study.Explainer) (int, bool)) study.Row {
		return study.Row{Shape: "judgements." + shape, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			r, err := a.judgementsResult()
			if err != nil {
				return nil, err
			}
			n, ok := value(r, x)
			if !ok {
				return nil, nil
			}
			node := x.Number(title, float64(n), sentence, "a count", source)
			for _, j := range a.spec.Judgements {
				node.Inputs = append(node.Inputs, explain.Input{Label: "judgements of " + j.Assessor, Where: j.File})
			}
			return node, nil
		}}
	}
	assessor := func(key, title, sentence string, value func(AssessorResult) int) study.Row {
		return count("assessors.*."+key, title, sentence, trec.ReadQrels, func(r JudgementsResult, x *study.Explainer) (int, bool) {
			one, ok := r.Assessors[x.Key(2)]
			return value(one), ok
		})
	}
	agreement := func(key, title, sentence string, value func(AgreementResult) int) study.Row {
		return count("agreement."+key, title, sentence, (*Loaded).units, func(r JudgementsResult, _ *study.Explainer) (int, bool) {
			if r.Agreement == nil {
				return 0, false
			}
			return value(*r.Agreement), true
		})
	}
	return []study.Row{
		count("topics", "judged topics", "Questions for which at least one document was judged.", (*Loaded).loadJudgements,
			func(r JudgementsResult, _ *study.Explainer) (int, bool) { return r.Topics, true }),
		count("lines", "judgements", "Pairs of a topic and a document that was judged for it, assessors taken together.", (*Loaded).topic,
			func(r JudgementsResult, _ *study.Explainer) (int, bool) { return r.Lines, true }),
		count("unknown", "judged documents outside the collection",
			"Documents that were judged and that the collection lacks: no system that searches it can return them.",
			(*Loaded).topic, func(r JudgementsResult, _ *study.Explainer) (int, bool) { return r.Unknown, true }),
		count("grades.*", "judgements of one grade", "Pairs of a topic and a document that have this grade, several assessors' combined "+
			"by the protocol's rule.",
			combine, func(r JudgementsResult, x *study.Explainer) (int, bool) {
				n, ok := r.Grades[x.Key(2)]
				return n, ok
			}),
		assessor("topics", "topics that one assessor judged", "Topics in the assessor's file.", func(r AssessorResult) int { return r.Topics }),
		assessor("lines", "judgements of one assessor", "Lines of the assessor's file.", func(r AssessorResult) int { return r.Lines }),
		agreement("documents", "documents judged more than once", "Pairs of a topic and a document that more than one assessor judged.",
			func(r AgreementResult) int { return r.Documents }),
		agreement("same", "documents on which all agree", "Of the documents judged more than once, those to which all gave one grade.",
			func(r AgreementResult) int { return r.Same }),
		{Shape: "judgements.agreement.alpha", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			r, err := a.judgementsResult()
			if err != nil || r.Agreement == nil || r.Agreement.Alpha == nil {
				return nil, err
			}
			node := x.Number("Krippendorff's α", *r.Agreement.Alpha, "How far assessors agree beyond chance on the order of grades: 1 for "+
				"all, 0 for no more than chance gives.",
				"1 − observed/expected disagreement, ordinal", stats.Krippendorff)
			node.Citation = "Krippendorff 2011, Computing Krippendorff's Alpha-Reliability"
			for _, j := range a.spec.Judgements {
				node.Inputs = append(node.Inputs, explain.Input{Label: "judgements of " + j.Assessor, Where: j.File})
			}
			return node, nil
		}},
	}
}

// topicRow explains a count of a topic's judgements.
func (a *Loaded) topicRow(title, sentence string, counts func(metrics.Grade) bool) func(x *study.Explainer) (*explain.Node, error) {
	return func(x *study.Explainer) (*explain.Node, error) {
		i, ok := x.Index(1, len(a.topics))
		if !ok {
			return nil, nil
		}
		t := &a.topics[i]
		var docs []string
		for doc, g := range t.all.grades {
			if counts(g) {
				docs = append(docs, doc)
			}
		}
		slices.Sort(docs)
		node := x.Number(title+", topic "+t.id, float64(len(docs)), sentence, "a count", (*Loaded).topic)
		for _, doc := range docs {
			node.Inputs = append(node.Inputs, a.gradeInput(t, doc))
		}
		return node, nil
	}
}

// gradeInput is a document with its grade and where that stands.
func (a *Loaded) gradeInput(t *topic, doc string) explain.Input {
	in := explain.Input{Label: doc, Text: "not judged"}
	if g, ok := t.all.grades[doc]; ok {
		in.Text = "grade " + gradeText(g)
		for i := range a.spec.Judgements {
			if in.Where == "" {
				in.Where = a.whereJudged(i, t.id, doc)
			}
		}
	}
	return in
}

// systemRows explain figures of systems, and the values of topics under them.
func (a *Loaded) systemRows() []study.Row {
	var rows []study.Row
	for m, spec := range a.spec.Measures {
		style := a.style(m)
		rows = append(rows,
			study.Row{Shape: "systems.*.means." + spec.Key, Style: style, Explain: a.ofSystem(func(x *study.Explainer, e *evaluation,
				system int) (*explain.Node, error) {
				return a.figureNode(x, e, system, m, allTopics(a), "")
			})},
			study.Row{Shape: "groups.*.means.*." + spec.Key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
				e, err := a.evaluation(x.Replay)
				system := a.place(x.Key(3))
				if err != nil || system < 0 || !slices.Contains(a.spec.Groups, x.Key(1)) {
					return nil, err
				}
				return a.figureNode(x, e, system, m, a.inGroup(x.Key(1)), " of the group "+x.Key(1))
			}},
			study.Row{Shape: "systems.*.ci95." + spec.Key + ".*", Style: style, Explain: a.ofSystem(func(x *study.Explainer, e *evaluation,
				system int) (*explain.Node, error) {
				return a.intervalNode(x, e, system, m)
			})},
			study.Row{Shape: "systems.*.bands." + spec.Key + ".*", Style: style, Explain: a.ofSystem(func(x *study.Explainer, e *evaluation,
				system int) (*explain.Node, error) {
				return a.bandNode(x, e, system, m)
			})},
			study.Row{Shape: "systems.*.alone.*." + spec.Key, Style: style, Explain: a.ofSystem(func(x *study.Explainer, e *evaluation,
				system int) (*explain.Node, error) {
				return a.aloneNode(x, system, m)
			})},
			study.Row{Shape: "values.*." + spec.Key + ".*", Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
				e, err := a.evaluation(x.Replay)
				i, ok := x.Index(3, len(a.topics))
				if err != nil || !ok || a.place(x.Key(1)) < 0 {
					return nil, err
				}
				return a.valueNode(x, e, a.place(x.Key(1)), m, i)
			}})
	}
	fact := func(key, title, sentence string, value func(facts) int) study.Row {
		return study.Row{Shape: "systems.*." + key, Style: show.Integer, Explain: a.ofSystem(func(x *study.Explainer, e *evaluation,
			system int) (*explain.Node, error) {
			node := x.Number(title+", "+a.systems[system], float64(value(e.facts[system])), sentence, "a count", (*Loaded).evaluate)
			node.Inputs = a.systemInputs(system)
			return node, nil
		})}
	}
	return append(rows,
		fact("answered", "topics answered", "Judged topics for which the system returned something.",
			func(f facts) int { return len(a.topics) - len(f.missing) }),
		fact("returned", "documents returned", "Documents in the system's rankings of the judged topics, as many as the protocol keeps.",
			func(f facts) int { return f.returned }),
		fact("unknown", "returned documents outside the collection", "Returned documents that the collection lacks.",
			func(f facts) int { return f.unknown }),
		study.Row{Shape: "systems.*.judged", Style: show.Measure, Explain: a.ofSystem(a.judgedNode)})
}

func allTopics(a *Loaded) []int {
	places := make([]int, len(a.topics))
	for i := range places {
		places[i] = i
	}
	return places
}

// ofSystem explains from the evaluation and the system that stands second in the path.
func (a *Loaded) ofSystem(explains func(x *study.Explainer, e *evaluation, system int) (*explain.Node,
	error)) func(x *study.Explainer) (*explain.Node, error) {
	return func(x *study.Explainer) (*explain.Node, error) {
		system := a.place(x.Key(1))
		if system < 0 {
			return nil, nil
		}
		e, err := a.evaluation(x.Replay)
		if err != nil {
			return nil, err
		}
		return explains(x, e, system)
	}
}

// systemInputs say what a system is.
func (a *Loaded) systemInputs(system int) []explain.Input {
	name := a.systems[system]
	for _, r := range a.spec.Runs {
		if r.Name == name {
			return []explain.Input{{Label: "run, as given", Where: r.File}}
		}
	}
	return []explain.Input{{Label: "method", Text: a.study.TermOf(name), Path: "protocol"}}
}

// name names a measure of a system.
func (a *Loaded) name(system, m int) string { return a.metrics[m].String() + ", " + a.systems[system] }

// topicInput is a topic with its value under a system.
func (a *Loaded) topicInput(e *evaluation, system, m, i int) explain.Input {
	v := e.values[system][m][i]
	in := explain.Input{Label: a.topicLabel(i), Text: "undefined", Path: numpath.Of("question", a.topics[i].id)}
	if v.Defined {
		in.Text, in.Path = a.style(m).Text(v.Value), numpath.Of("values", a.systems[system], a.spec.Measures[m].Key, strconv.Itoa(i))
	}
	return in
}

func (a *Loaded) topicLabel(i int) string {
	return a.topics[i].id + " " + a.study.Questions[a.topics[i].question].Text
}

// overWhat says which topics a figure is of.
func (a *Loaded) overWhat() string {
	switch a.spec.rule() {
	case metrics.Returned:
		return "over the judged topics for which the system returned something; a topic without a value counts as 0 (trec_eval without -c)"
	case metrics.Defined:
		return "over the judged topics for which the measure has a value; a topic that the system left out counts as an empty ranking"
	}
	return "over all judged topics; one that the system left out, or without a value, counts as 0 (trec_eval -c)"
}

func (a *Loaded) figureNode(x *study.Explainer, e *evaluation, system, m int, places []int, of string) (*explain.Node, error) {
	value := a.figure(m, within(e.values[system][m], places))
	if value == nil {
		return nil, nil
	}
	d, _ := a.metrics[m].Definition()
	what, formula := "Mean ", "Σ value / n, topics in ascending order of their IDs"
	if d.Sum {
		what, formula = "Sum ", "Σ value"
	}
	node := x.Number(a.name(system, m), *value, what+a.overWhat()+of+". "+d.Text, formula, metrics.Metric.Over)
	node.Citation = d.Citation
	for _, i := range places {
		if a.spec.rule().Takes(e.values[system][m][i]) {
			node.Inputs = append(node.Inputs, a.topicInput(e, system, m, i))
		}
	}
	return node, nil
}

func (a *Loaded) intervalNode(x *study.Explainer, e *evaluation, system, m int) (*explain.Node, error) {
	interval, ok := a.interval(e, system, m)
	end, in := x.Index(4, 2)
	if !ok || !in {
		return nil, nil
	}
	t := a.spec.Test
	node := x.Number([]string{"lower", "upper"}[end]+" end of the 95% interval, "+a.name(system, m), interval[end],
		fmt.Sprintf("Quantile %s of the mean over %s resamples of the topics.", []string{"0.025", "0.975"}[end], show.Count(int64(t.Replicates))),
		fmt.Sprintf("percentile bootstrap, %s replicates of n draws with replacement, stream %d, linear interpolation (type 7)",
			show.Count(int64(t.Replicates)), t.BootstrapStream),
		(*Loaded).resample)
	node.Citation = "Efron and Tibshirani 1993, section 13.3; quantiles: Hyndman and Fan 1996"
	node.Inputs = []explain.Input{{Label: "mean", Path: numpath.Of("systems", a.systems[system], "means", a.spec.Measures[m].Key)}}
	return node, nil
}

func (a *Loaded) bandNode(x *study.Explainer, e *evaluation, system, m int) (*explain.Node, error) {
	band, ok := a.band(e, system, m)
	end, in := x.Index(4, 2)
	if !ok || !in {
		return nil, nil
	}
	node := x.Number([]string{"lowest", "highest"}[end]+" figure over all orders of ties, "+a.name(system, m), band[end],
		"What the figure would be if documents with equal scores stood as "+[]string{"badly",
			"well"}[end]+" as they can in every ranking: scores don't say how they stand.",
		"each group of equal scores sorted by "+[]string{"rising", "falling"}[end]+" worth", metrics.Metric.Band)
	node.Inputs = []explain.Input{{Label: "as the protocol orders ties", Path: numpath.Of("systems", a.systems[system], "means",
		a.spec.Measures[m].Key)}}
	for i, b := range e.bands[system][m] {
		if b[0] != b[1] {
			in := a.topicInput(e, system, m, i)
			in.Text += ", " + a.style(m).Text(b[0]) + " to " + a.style(m).Text(b[1])
			node.Inputs = append(node.Inputs, in)
		}
	}
	return node, nil
}

func (a *Loaded) aloneNode(x *study.Explainer, system, m int) (*explain.Node, error) {
	for i, j := range a.spec.Judgements {
		if j.Assessor != x.Key(3) || len(a.qrels) < 2 {
			continue
		}
		values, err := a.alone(x.Replay, a.systems[system], i, a.metrics[m:m+1])
		if err != nil {
			return nil, err
		}
		value, _ := a.metrics[m].Over(a.judgedBy(i, values[0]), a.spec.rule())
		node := x.Number(a.name(system, m)+", by "+j.Assessor+" alone", value,
			"The figure by one assessor's judgements, over the topics that this assessor judged.", "as the figure over all", (*Loaded).alone)
		node.Inputs = []explain.Input{{Label: "judgements", Where: j.File},
			{Label: "assessors together", Path: numpath.Of("systems", a.systems[system], "means", a.spec.Measures[m].Key)}}
		return node, nil
	}
	return nil, nil
}

// shown is how many places of a ranking an explanation lists where the measure has no cutoff.
const shown = 100

func (a *Loaded) valueNode(x *study.Explainer, e *evaluation, system, m, i int) (*explain.Node, error) {
	v := e.values[system][m][i]
	if !v.Defined {
		return nil, nil
	}
	t, d, name := &a.topics[i], must(a.metrics[m].Definition()), a.systems[system]
	node := x.Number(a.name(system, m)+", topic "+t.id, v.Value, d.Text, d.Formula, metrics.Metric.Compute)
	node.Citation = d.Citation
	q := &a.study.Questions[t.question]
	node.Inputs = []explain.Input{{Label: "topic", Text: q.Text, Path: numpath.Of("question", t.id), Where: q.Where()},
		{Label: "relevant documents", Text: show.Count(int64(t.all.relevant())), Path: numpath.Of("topics", strconv.Itoa(i), "relevant")}}
	hits, err := a.ranking(x.Replay, name, t)
	if err != nil {
		return nil, err
	}
	cutoff := a.metrics[m].Cutoff
	if cutoff == 0 {
		cutoff = shown
	}
	_, given := a.runs[name]
	for rank, h := range hits[:min(cutoff, len(hits))] {
		in := a.gradeInput(t, h.Doc)
		in.Label = fmt.Sprintf("%d. %s", rank+1, h.Doc)
		in.Text += ", score " + show.Score(h.Score)
		if _, known := a.study.Collection.Number(h.Doc); known && !given {
			in.Path = numpath.Of("score", t.id, name, h.Doc)
		}
		node.Inputs = append(node.Inputs, in)
	}
	return node, nil
}

func must(d *metrics.Definition, _ bool) *metrics.Definition { return d }

func (a *Loaded) judgedNode(x *study.Explainer, e *evaluation, system int) (*explain.Node, error) {
	values, err := a.judgedShares(e, system)
	if err != nil {
		return nil, err
	}
	m := judgedMetric(a.judgedAt)
	mean, n := m.Over(values, metrics.Defined)
	if n == 0 {
		return nil, nil
	}
	d := must(m.Definition())
	node := x.Number(m.String()+", "+a.systems[system], mean, "Mean over the topics for which something was returned. "+d.Text+" What "+
		"was not judged counts as not relevant elsewhere.",
		d.Formula, metrics.Metric.Over)
	node.Citation = d.Citation
	for i, v := range values {
		if v.Defined {
			node.Inputs = append(node.Inputs, explain.Input{Label: a.topicLabel(i), Text: show.Share(v.Value), Path: numpath.Of("question",
				a.topics[i].id)})
		}
	}
	return node, nil
}

// groupRows explain what stands beside means in groups of topics.
func (a *Loaded) groupRows() []study.Row {
	return []study.Row{
		{Shape: "groups.*.topics", Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			if !slices.Contains(a.spec.Groups, x.Key(1)) {
				return nil, nil
			}
			places := a.inGroup(x.Key(1))
			node := x.Number("topics of the group "+x.Key(1), float64(len(places)), "Judged topics whose question names the group.",
				"a count", (*Loaded).inGroup)
			for _, i := range places {
				node.Inputs = append(node.Inputs, explain.Input{Label: a.topicLabel(i), Path: numpath.Of("question", a.topics[i].id)})
			}
			return node, nil
		}},
		{Shape: "groups.*.differences.*", Style: show.Change, Explain: func(x *study.Explainer) (*explain.Node, error) {
			c, ok := a.named(x.Key(3))
			if !ok || !slices.Contains(a.spec.Groups, x.Key(1)) {
				return nil, nil
			}
			e, err := a.evaluation(x.Replay)
			if err != nil {
				return nil, err
			}
			places := a.inGroup(x.Key(1))
			values := a.groupDifferences(e, c, places)
			if len(values) == 0 {
				return nil, nil
			}
			node := a.words(c).Difference(x, len(values), stats.Sample{Values: values, Den: 1}.Mean())
			node.Inputs = a.differenceInputs(e, c, places, func(float64) bool { return true })
			return node, nil
		}},
	}
}

func (a *Loaded) named(contrast string) (Contrast, bool) {
	for _, c := range a.spec.contrasts(a.study.Protocol) {
		if c.Name == contrast {
			return c, true
		}
	}
	return Contrast{}, false
}

func (a *Loaded) words(c Contrast) paired.Words {
	return paired.Words{Pair: c.System + " − " + c.Against, Units: "topics",
		Conditional: "It is conditional on the documents and judgements, and on systems being what they are."}
}

// differenceInputs list the topics whose difference counts.
func (a *Loaded) differenceInputs(e *evaluation, c Contrast, among []int, counts func(d float64) bool) (inputs []explain.Input) {
	main := a.spec.primary()
	values, places := a.pairs(e.values[a.place(c.System)][main], e.values[a.place(c.Against)][main])
	for i, p := range places {
		if slices.Contains(among, p) && counts(values[i]) {
			inputs = append(inputs, explain.Input{Label: a.topicLabel(p), Text: show.Signed(values[i]), Path: numpath.Of("difference",
				c.Name, a.topics[p].id)})
		}
	}
	return inputs
}

// differenceNode explains one topic's difference.
func (a *Loaded) differenceNode(x *study.Explainer) (*explain.Node, error) {
	c, ok := a.named(x.Key(1))
	i := slices.IndexFunc(a.topics, func(t topic) bool { return t.id == x.Key(2) })
	if !ok || i < 0 {
		return nil, nil
	}
	e, err := a.evaluation(x.Replay)
	if err != nil {
		return nil, err
	}
	main, first, second := a.spec.primary(), a.place(c.System), a.place(c.Against)
	node := x.Number("difference in topic "+a.topics[i].id, e.values[first][main][i].Value-e.values[second][main][i].Value,
		"The topic's "+a.metrics[main].String()+" under "+c.System+" minus that under "+c.Against+".",
		c.System+" − "+c.Against, (*Loaded).pairs)
	for _, system := range []int{first, second} {
		in := a.topicInput(e, system, main, i)
		in.Label = a.systems[system]
		node.Inputs = append(node.Inputs, in)
	}
	return node, nil
}

type contrastExplains func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node

// contrastRow explains a number of a contrast; the topics whose difference counts are its inputs.
func (a *Loaded) contrastRow(key string, style show.Style, counts func(d float64) bool, explains contrastExplains) study.Row {
	return study.Row{Shape: "contrasts.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
		c, ok := a.named(x.Key(1))
		if !ok {
			return nil, nil
		}
		all, err := a.contrastResults(x.Replay)
		if err != nil {
			return nil, err
		}
		node := explains(x, c, all[c.Name])
		if node == nil {
			return nil, nil
		}
		e, err := a.evaluation(x.Replay)
		node.Inputs = append(node.Inputs, a.differenceInputs(e, c, allTopics(a), counts)...)
		return node, err
	}}
}

// contrastRows explain the contrasts on the primary measure.
func (a *Loaded) contrastRows() []study.Row {
	all := func(float64) bool { return true }
	count := func(key, what string, counts func(d float64) bool, value func(ContrastResult) int) study.Row {
		return a.contrastRow(key, show.Integer, counts, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			return x.Number("topics "+what+", "+a.words(c).Pair, float64(value(r)), "How many topics are "+what+" under "+c.System+".",
				"a count", (*Loaded).contrast)
		})
	}
	optional := func(key string, style show.Style, title, sentence, formula, citation string, source any,
		value func(ContrastResult) *float64) study.Row {
		return a.contrastRow(key, style, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			v := value(r)
			if v == nil {
				return nil
			}
			node := x.Number(title+", "+a.words(c).Pair, *v, sentence, formula, source)
			node.Citation = citation
			return node
		})
	}
	return []study.Row{
		a.contrastRow("difference", show.Change, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			return a.words(c).Difference(x, r.N, r.Difference)
		}),
		a.contrastRow("ci95.*", show.Change, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			return a.words(c).CI95(x, r.CI95, a.spec.Test.Replicates, a.spec.Test.BootstrapStream, "", (*Loaded).resample)
		}),
		a.contrastRow("bca95.*", show.Change, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			i, ok := x.Index(3, 2)
			if !ok || r.BCa95 == nil {
				return nil
			}
			node := x.Number([]string{"lower", "upper"}[i]+" end of the BCa interval, "+a.words(c).Pair, r.BCa95[i],
				"The 95% interval of the same resamples, corrected for bias and skewness.", "Φ(z0 + (z0 ± z)/(1 − a(z0 ± z))) of the "+
					"replicates", stats.BCa)
			node.Citation = "Efron 1987, doi:10.1080/01621459.1987.10478410"
			return node
		}),
		a.contrastRow("p", show.P, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			return a.words(c).P(x, r.P, a.spec.Test.Draws, a.spec.Test.FlipStream, "sign patterns", stats.SignFlip)
		}),
		a.contrastRow("pExact", show.P, all, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			if r.PExact == nil {
				return nil
			}
			return a.words(c).PExact(x, *r.PExact, "sign patterns", stats.SignFlipExact)
		}),
		a.contrastRow("pAdjusted", show.P, func(float64) bool { return false }, func(x *study.Explainer, c Contrast,
			r ContrastResult) *explain.Node {
			node := x.Number("p corrected for all contrasts, "+a.words(c).Pair, r.PAdjusted, a.corrected(), a.spec.Test.Correction,
				(*Loaded).correct)
			node.Citation = citations[a.spec.Test.Correction]
			for _, other := range a.spec.contrasts(a.study.Protocol) {
				node.Inputs = append(node.Inputs, explain.Input{Label: other.Name, Path: numpath.Of("contrasts", other.Name, "p")})
			}
			return node
		}),
		optional("effect", show.Change, "effect size d_z", "The mean difference in standard deviations of the differences.",
			"mean / standard deviation",
			"Cohen 1988, Statistical Power Analysis, section 2.3.5", stats.EffectSize, func(r ContrastResult) *float64 { return r.Effect }),
		optional("detectable", show.Measure, "smallest difference that would have been shown",
			"A true mean difference of this size would have had a p below 0.05 in four of five studies with as many topics that vary as "+
				"these do; before any correction.",
			"(Φ⁻¹(1 − 0.05/2) + Φ⁻¹(0.8))·sd/√n", "Cohen 1988, chapter 2; Sakai 2016, doi:10.1007/s10791-015-9273-z", stats.Detectable,
			func(r ContrastResult) *float64 { return r.Detectable }),
		optional("smallestP", show.P, "smallest p that can be had",
			"The p of the sign-flip test if all topics that differ pointed one way.", "2/2^n, n the topics that differ",
			"Fisher 1935, The Design of Experiments, section 21", stats.SmallestP, func(r ContrastResult) *float64 { return &r.SmallestP }),
		count("n", "compared", all, func(r ContrastResult) int { return r.N }),
		count("up", "higher", func(d float64) bool { return d > 0 }, func(r ContrastResult) int { return r.Up }),
		count("down", "lower", func(d float64) bool { return d < 0 }, func(r ContrastResult) int { return r.Down }),
		count("tied", "the same", func(d float64) bool { return d == 0 }, func(r ContrastResult) int { return r.Tied }),
	}
}

var citations = map[string]string{
	"holm":       "Holm 1979, jstor.org/stable/4615733",
	"bonferroni": "Dunn 1961, doi:10.1080/01621459.1961.10482090",
	"bh":         "Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x",
}

// corrected says what a corrected p-value bounds.
func (a *Loaded) corrected() string {
	if a.spec.Test.Correction == "bh" {
		return "The drawn p-values of all contrasts, corrected so that of those below a level no larger share is false on average."
	}
	return "The drawn p-values of all contrasts, corrected so that the chance of any false claim stays below the level."
}

// readingRows explain contrasts on other measures and under other readings.
func (a *Loaded) readingRows() []study.Row {
	none := func(float64) bool { return false }
	measure := func(key string, explains func(x *study.Explainer, c Contrast, n int, r MeasureDifference) *explain.Node) study.Row {
		return a.contrastRow("measures.*."+key, show.Change, none, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			m := slices.IndexFunc(a.spec.Measures, func(s study.MeasureSpec) bool { return s.Key == x.Key(3) })
			one, ok := r.Measures[x.Key(3)]
			if !ok || m < 0 {
				return nil
			}
			e, err := a.evaluation(x.Replay)
			if err != nil {
				return nil
			}
			values, _ := a.pairs(e.values[a.place(c.System)][m], e.values[a.place(c.Against)][m])
			node := explains(x, c, len(values), one)
			if node == nil {
				return nil
			}
			node.Title += ", " + a.metrics[m].String()
			for _, system := range []string{c.System, c.Against} {
				node.Inputs = append(node.Inputs, explain.Input{Label: system, Path: numpath.Of("systems", system, "means", x.Key(3))})
			}
			return node
		})
	}
	reading := func(key string, style show.Style, explains func(x *study.Explainer, c Contrast, r Reading) *explain.Node) study.Row {
		return a.contrastRow("readings.*."+key, style, none, func(x *study.Explainer, c Contrast, r ContrastResult) *explain.Node {
			one, ok := r.Readings[x.Key(3)]
			if !ok {
				return nil
			}
			node := explains(x, c, one)
			if node == nil {
				return nil
			}
			node.Title += ", " + a.readAs(x.Key(3))
			node.Sentence += " Read with " + a.readAs(x.Key(3)) + ", measure " + one.Measure + "."
			node.Inputs = append(node.Inputs, explain.Input{Label: "as the protocol reads it", Path: numpath.Of("contrasts", c.Name, "difference")})
			return node
		})
	}
	return []study.Row{
		measure("difference", func(x *study.Explainer, c Contrast, n int, r MeasureDifference) *explain.Node {
			return a.words(c).Difference(x, n, r.Difference)
		}),
		measure("ci95.*", func(x *study.Explainer, c Contrast, _ int, r MeasureDifference) *explain.Node {
			return a.words(c).CI95(x, r.CI95, a.spec.Test.Replicates, a.spec.Test.BootstrapStream, "", (*Loaded).resample)
		}),
		reading("difference", show.Change, func(x *study.Explainer, c Contrast, r Reading) *explain.Node {
			return x.Number("mean difference, "+a.words(c).Pair, r.Difference, "Mean over the topics.", "Σ difference / n", (*Loaded).read)
		}),
		reading("ci95.*", show.Change, func(x *study.Explainer, c Contrast, r Reading) *explain.Node {
			return a.words(c).CI95(x, r.CI95, a.spec.Test.Replicates, a.spec.Test.BootstrapStream, "", (*Loaded).resample)
		}),
		reading("p", show.P, func(x *study.Explainer, c Contrast, r Reading) *explain.Node {
			return a.words(c).P(x, r.P, a.spec.Test.Draws, a.spec.Test.FlipStream, "sign patterns", stats.SignFlip)
		}),
		reading("pAdjusted", show.P, func(x *study.Explainer, c Contrast, r Reading) *explain.Node {
			return x.Number("p corrected for all contrasts, "+a.words(c).Pair, r.PAdjusted, a.corrected(), a.spec.Test.Correction, (*Loaded).correct)
		}),
	}
}

// readAs says in a few words what a reading is.
func (a *Loaded) readAs(name string) string { return ReadAs(name) }

// ReadAs says in a few words what a reading is.
func ReadAs(name string) string {
	switch name {
	case ReadGain:
		return "the other gain of nDCG"
	case ReadJudged:
		return "unjudged documents taken out of the rankings"
	case ReadTiesLow:
		return "tied documents in the order worst for the first system"
	case ReadTiesHigh:
		return "tied documents in the order best for the first system"
	}
	return "the judgements of " + strings.TrimPrefix(name, ReadAlone) + " alone"
}
