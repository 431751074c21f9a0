// Package evaluate measures a run against judgements: it joins their topics and documents, names what does not match, and
// holds every metric's value, and its range over the orders of tied documents, for every topic.
package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/metrics"
	"retrace/core/nfc"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/trec"
)

// Options say how a run is evaluated.
type Options struct {
	Metrics []metrics.Metric
	Order   trec.Order       // trec.TrecEval where empty; it must be the order in which the run is read
	Depth   int              // how many documents of each topic are looked at (trec_eval's -M); 0: all
	Mean    metrics.MeanRule // which topics a figure over topics is of; metrics.Complete where empty
	Bands   bool             // compute the ranges over the orders of tied documents
}

// A Band is the lowest and highest value over all orders of tied documents.
type Band struct{ Low, High float64 }

// A Result is a run's values. Topics are those of the judgements, ascending bytewise.
type Result struct {
	Options Options
	Topics  []string
	Values  [][]metrics.Value // by metric, then topic
	Bands   [][]Band          // likewise; nil unless asked for

	Missing     []string // topics of the judgements that the run lacks
	Extra       []string // topics of the run without judgements, which nothing counts
	NoRelevant  []string // topics without a judgement of grade 1 or more
	TiedTopics  int      // topics with documents of equal score
	Tied        int      // documents that share their score with another of their topic
	Unjudged    int      // returned documents without a judgement, in topics with judgements, within the depth
	Returned    int      // returned documents of those topics, within the depth
	Conflicting int      // documents that tie and have different grades: their order moves values
	Warnings    []*records.Error
}

// A Figure is one metric over topics.
type Figure struct {
	Value  float64
	Topics int  // how many it is of; a mean over none is undefined
	Band   Band // Value twice where bands were not asked for
}

// Figure returns a metric, by its number, over topics.
func (r *Result) Figure(metric int) Figure {
	m := r.Options.Metrics[metric]
	value, topics := m.Over(r.Values[metric], r.Options.Mean)
	f := Figure{value, topics, Band{value, value}}
	if r.Bands == nil {
		return f
	}
	low, high := slices.Clone(r.Values[metric]), slices.Clone(r.Values[metric])
	for i, b := range r.Bands[metric] {
		low[i].Value, high[i].Value = b.Low, b.High
	}
	f.Band.Low, _ = m.Over(low, r.Options.Mean)
	f.Band.High, _ = m.Over(high, r.Options.Mean)
	return f
}

// An Evaluator takes in a run's topics, one at a time, in any order.
type Evaluator struct {
	qrels  *trec.Qrels
	result *Result
	at     map[string]int // number of a topic
	met    []bool
	near   near
}

// New returns an Evaluator. Every metric must be one that metrics.ParseMetric made.
func New(q *trec.Qrels, o Options) (*Evaluator, error) {
	if o.Order == "" {
		o.Order = trec.TrecEval
	}
	if o.Mean == "" {
		o.Mean = metrics.Complete
	}
	e := &Evaluator{qrels: q, result: &Result{Options: o, Topics: q.Topics}, at: make(map[string]int, len(q.Topics)), met: make([]bool,
		len(q.Topics))}
	for i, topic := range q.Topics {
		e.at[topic] = i
		relevant := false
		for _, j := range q.Topic(topic) {
			relevant = relevant || j.Grade > 0
		}
		if !relevant {
			e.result.NoRelevant = append(e.result.NoRelevant, topic)
		}
	}
	for range o.Metrics {
		e.result.Values = append(e.result.Values, make([]metrics.Value, len(q.Topics)))
		if o.Bands {
			e.result.Bands = append(e.result.Bands, make([]Band, len(q.Topics)))
		}
	}
	return e, nil
}

// Topic takes in one topic's hits, in the order of the options. It is what trec.ReadRun yields to.
func (e *Evaluator) Topic(topic string, hits []trec.Hit) error {
	i, known := e.at[topic]
	if !known {
		e.result.Extra = append(e.result.Extra, topic)
		return nil
	}
	if e.met[i] {
		return fmt.Errorf("evaluate: topic %q is evaluated twice", topic)
	}
	e.met[i] = true
	return e.measure(i, hits, true)
}

// measure computes every metric for a topic.
func (e *Evaluator) measure(i int, hits []trec.Hit, returned bool) error {
	judged := e.qrels.Topic(e.qrels.Topics[i])
	grades := make([]metrics.Grade, len(judged))
	for k, j := range judged {
		grades[k] = metrics.Whole(j.Grade)
	}
	ranked := make([]metrics.Grade, len(hits))
	for k, h := range hits {
		grade, ok := trec.Grade(judged, h.Doc)
		if ranked[k] = metrics.Whole(grade); !ok {
			ranked[k] = metrics.Unjudged
			e.near.document(e.qrels.Topics[i], judged, h)
		}
	}
	sizes, tied := e.result.Options.Order.Ties(hits)
	e.count(ranked, sizes, tied)
	if !tied {
		sizes = nil
	}
	list, err := metrics.NewList(ranked, sizes, grades, e.result.Options.Depth)
	if err != nil {
		return err
	}
	for k, m := range e.result.Options.Metrics {
		value, defined, err := m.Compute(list)
		if err != nil {
			return fmt.Errorf("topic %q: %w", e.qrels.Topics[i], err)
		}
		e.result.Values[k][i] = metrics.Value{Value: value, Defined: defined, Returned: returned}
		if e.result.Bands != nil {
			low, high, err := m.Band(list)
			if err != nil {
				return fmt.Errorf("topic %q: %w", e.qrels.Topics[i], err)
			}
			e.result.Bands[k][i] = Band{low, high}
		}
	}
	return nil
}

// count adds up what a topic's hits are, apart from any metric.
func (e *Evaluator) count(ranked []metrics.Grade, sizes []int, tied bool) {
	r := e.result
	within := ranked
	if depth := r.Options.Depth; depth > 0 {
		within = ranked[:min(depth, len(ranked))]
	}
	r.Returned += len(within)
	for _, g := range within {
		if g == metrics.Unjudged {
			r.Unjudged++
		}
	}
	if !tied {
		return
	}
	r.TiedTopics++
	start := 0
	for _, size := range sizes {
		if group := ranked[start : start+size]; size > 1 {
			r.Tied += size
			if slices.Min(group) != slices.Max(group) {
				r.Conflicting += size
			}
		}
		start += size
	}
}

// Finish takes the topics that the run lacks for empty rankings and returns the result. A run that shares no topic with
// the judgements is an error. run names the run's file in warnings.
func (e *Evaluator) Finish(run string) (*Result, error) {
	r := e.result
	order.Sort(r.Extra, strings.Compare)
	for i, topic := range r.Topics {
		if !e.met[i] {
			r.Missing = append(r.Missing, topic)
		}
	}
	if len(r.Missing) == len(r.Topics) {
		return nil, records.Errorf(run, 0, topicHint(r), "no topic of the run (%s) is among those of %s (%s)", some(r.Extra), e.qrels.File,
			some(r.Topics))
	}
	for i := range r.Topics {
		if !e.met[i] {
			if err := e.measure(i, nil, false); err != nil {
				return nil, err
			}
		}
	}
	if len(r.Missing) > 0 {
		effect := "they count as empty rankings"
		if r.Options.Mean == metrics.Returned {
			effect = "they are left out of every figure over topics"
		}
		r.warnf(run, topicHint(r), "the run lacks %d of %d topics of the judgements (%s): %s", len(r.Missing), len(r.Topics), some(r.Missing),
			effect)
	}
	if len(r.Extra) > 0 {
		r.warnf(run, topicHint(r), "%d topics of the run are not judged and are left out (%s)", len(r.Extra), some(r.Extra))
	}
	e.near.warn(r, run, e.qrels.File)
	return r, nil
}

func (r *Result) warnf(file, hint, format string, args ...any) {
	r.Warnings = append(r.Warnings, records.Errorf(file, 0, hint, format, args...))
}

// some names the first few of a list.
func some(list []string) string {
	const shown = 5
	var b strings.Builder
	for i, s := range list[:min(shown, len(list))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.40q", s)
	}
	if len(list) > shown {
		fmt.Fprintf(&b, " and %d more", len(list)-shown)
	}
	return b.String()
}

// loose is an identifier without what people change by accident: Unicode form, leading zeros, and case of ASCII letters.
func loose(id string) string {
	id = strings.ToLower(nfc.String(id))
	if trimmed := strings.TrimLeft(id, "0"); trimmed != id && strings.Trim(id, "0123456789") == "" {
		if trimmed == "" {
			return "0"
		}
		return trimmed
	}
	return id
}

// topicHint says why topics of run and judgements may not match.
func topicHint(r *Result) string {
	missing := make(map[string]string, len(r.Missing))
	for _, topic := range r.Missing {
		missing[loose(topic)] = topic
	}
	for _, topic := range r.Extra {
		if twin, ok := missing[loose(topic)]; ok {
			return fmt.Sprintf("%q in the run looks like %q in the judgements: IDs are compared byte for byte, so leading zeros, "+
				"case and Unicode form count; write both the same way", topic, twin)
		}
	}
	if len(r.Missing) > 0 && len(r.Extra) > 0 && ordinals(r.Topics) {
		return fmt.Sprintf("the judgements' topics are the numbers 1 to %d: they may count the topics in their file's order instead "+
			"of naming them; give both the same IDs", len(r.Topics))
	}
	switch {
	case len(r.Missing) == 0:
		return "nothing is to be done if nobody judged them"
	case len(r.Extra) == 0:
		return "nothing is to be done if the system returned nothing for them; otherwise the run is cut off"
	}
	return "give the topics the same IDs in both files"
}

// ordinals reports whether the topics are 1 … n.
func ordinals(topics []string) bool {
	sorted := slices.Clone(topics)
	order.Sort(sorted, collection.CompareID)
	for i, topic := range sorted {
		if topic != fmt.Sprint(i+1) {
			return false
		}
	}
	return len(topics) > 1
}

// near notices documents without a judgement whose ID is that of a judged one but for what people change by accident.
type near struct {
	n      int
	line   int
	id     string
	judged string
	of     string            // topic that the index is of
	index  map[string]string // judged ID by its loose form
}

func (n *near) document(topic string, judged []trec.Judgement, h trec.Hit) {
	if n.of != topic || n.index == nil {
		n.of, n.index = topic, map[string]string{}
		for _, j := range judged {
			if changed(j.Doc) {
				n.index[loose(j.Doc)] = j.Doc
			}
		}
		for _, j := range judged {
			if !changed(j.Doc) {
				n.index[j.Doc] = j.Doc
			}
		}
	}
	id := h.Doc
	if changed(id) {
		id = loose(id)
	}
	if twin, ok := n.index[id]; ok {
		if n.n++; n.n == 1 || int(h.Line) < n.line {
			n.line, n.id, n.judged = int(h.Line), h.Doc, twin
		}
	}
}

// changed reports whether an ID may differ from its loose form.
func changed(id string) bool {
	for i := range len(id) {
		if c := id[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return len(id) > 1 && id[0] == '0'
}

func (n *near) warn(r *Result, run, qrels string) {
	if n.n == 0 {
		return
	}
	r.Warnings = append(r.Warnings, records.Errorf(run, n.line,
		"IDs are compared byte for byte, so leading zeros, case and Unicode form count; "+
			"write them as the judgements do", "%d documents without a judgement look like judged ones: %q here, %q in %s", n.n, n.id, n.judged,
		qrels))
}
