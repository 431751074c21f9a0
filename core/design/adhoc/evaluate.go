package adhoc

import (
	"encoding/binary"
	"math"

	"retrace/core/digest"
	"retrace/core/metrics"
	"retrace/core/study"
	"retrace/core/trec"
)

// An evaluation is every system on every topic, as measures see them.
type evaluation struct {
	lists  [][]*metrics.List   // by system, then topic
	values [][][]metrics.Value // by system, measure, topic
	bands  [][][][2]float64    // likewise: lowest and highest value over all orders of tied documents
	tied   []bool              // by system: documents with equal scores stand in some topic
	hash   []string            // by system: of all rankings
	facts  []facts             // by system
	draws  []int32             // of the bootstrap, replicate by replicate

	contrasts map[string]ContrastResult // once they were asked for
}

// facts count what a system returned for the judged topics.
type facts struct {
	returned, unknown int
	missing           []string // judged topics for which nothing was returned
}

// ranking returns what a system returned for a topic, in the stated order.
func (a *Loaded) ranking(r *study.Replay, system string, t *topic) ([]trec.Hit, error) {
	if hits, ok := a.runs[system]; ok {
		return hits[t.id], nil
	}
	o, err := r.Observation(t.id, system)
	if err != nil {
		return nil, err
	}
	hits := make([]trec.Hit, len(o.Best))
	for i, p := range o.Best {
		hits[i] = trec.Hit{Doc: p.ID, Score: p.Score, Rank: int32(i + 1)}
	}
	a.order.Sort(hits)
	return hits, nil
}

// list makes of a ranking what measures look at, under some judgements.
func (a *Loaded) list(hits []trec.Hit, v view) (*metrics.List, error) {
	ranked := make([]metrics.Grade, len(hits))
	for i, h := range hits {
		g, ok := v.grades[h.Doc]
		if !ok {
			g = metrics.Unjudged
		}
		ranked[i] = g
	}
	ties, _ := a.order.Ties(hits)
	return metrics.NewList(ranked, ties, v.list, a.study.Protocol.Keep)
}

// evaluation returns the replay's evaluation, which is computed once.
func (a *Loaded) evaluation(r *study.Replay) (*evaluation, error) {
	if e, ok := r.State.(*evaluation); ok {
		return e, nil
	}
	e := &evaluation{}
	for _, system := range a.systems {
		if err := a.evaluate(r, e, system); err != nil {
			return nil, err
		}
	}
	r.State = e
	return e, nil
}

func (a *Loaded) evaluate(r *study.Replay, e *evaluation, system string) error {
	var lists []*metrics.List
	var f facts
	tied := false
	var written []byte
	for i := range a.topics {
		t := &a.topics[i]
		hits, err := a.ranking(r, system, t)
		if err != nil {
			return err
		}
		l, err := a.list(hits, t.all)
		if err != nil {
			return err
		}
		lists = append(lists, l)
		_, any := a.order.Ties(hits)
		tied = tied || any
		kept := hits[:min(len(hits), a.study.Protocol.Keep)]
		if len(kept) == 0 {
			f.missing = append(f.missing, t.id)
		}
		f.returned += len(kept)
		for _, h := range kept {
			if _, ok := a.study.Collection.Number(h.Doc); !ok {
				f.unknown++
			}
			written = append(append(append(append(written, t.id...), 0), h.Doc...), 0)
			written = binary.BigEndian.AppendUint64(written, math.Float64bits(h.Score))
		}
	}
	e.lists, e.facts, e.tied, e.hash = append(e.lists, lists), append(e.facts, f), append(e.tied, tied), append(e.hash, digest.Hex(written))
	var values [][]metrics.Value
	var bands [][][2]float64
	for _, m := range a.metrics {
		v, err := valuesOf(m, lists, f.missing, a.topics)
		if err != nil {
			return err
		}
		b, err := bandsOf(m, lists)
		if err != nil {
			return err
		}
		values, bands = append(values, v), append(bands, b)
	}
	e.values, e.bands = append(e.values, values), append(e.bands, bands)
	return nil
}

// valuesOf computes a measure for every topic.
func valuesOf(m metrics.Metric, lists []*metrics.List, missing []string, topics []topic) ([]metrics.Value, error) {
	values := make([]metrics.Value, len(lists))
	for i, l := range lists {
		value, defined, err := m.Compute(l)
		if err != nil {
			return nil, err
		}
		absent := len(missing) > 0 && missing[0] == topics[i].id
		if absent {
			missing = missing[1:]
		}
		values[i] = metrics.Value{Value: value, Defined: defined, Returned: !absent}
	}
	return values, nil
}

func bandsOf(m metrics.Metric, lists []*metrics.List) ([][2]float64, error) {
	bands := make([][2]float64, len(lists))
	for i, l := range lists {
		low, high, err := m.Band(l)
		if err != nil {
			return nil, err
		}
		bands[i] = [2]float64{low, high}
	}
	return bands, nil
}

// alone evaluates a system under one assessor's judgements; topics that this assessor did not judge hold nothing.
func (a *Loaded) alone(r *study.Replay, system string, assessor int, list []metrics.Metric) ([][]metrics.Value, error) {
	values := make([][]metrics.Value, len(list))
	for i := range values {
		values[i] = make([]metrics.Value, len(a.topics))
	}
	for i := range a.topics {
		t := &a.topics[i]
		if len(t.each[assessor].list) == 0 {
			continue
		}
		hits, err := a.ranking(r, system, t)
		if err != nil {
			return nil, err
		}
		l, err := a.list(hits, t.each[assessor])
		if err != nil {
			return nil, err
		}
		for j, m := range list {
			v := metrics.Value{Returned: len(hits) > 0}
			if v.Value, v.Defined, err = m.Compute(l); err != nil {
				return nil, err
			}
			values[j][i] = v
		}
	}
	return values, nil
}

// judgedBy drops the topics that an assessor did not judge.
func (a *Loaded) judgedBy(assessor int, values []metrics.Value) []metrics.Value {
	var kept []metrics.Value
	for i, v := range values {
		if len(a.topics[i].each[assessor].list) > 0 {
			kept = append(kept, v)
		}
	}
	return kept
}

// otherGain is nDCG with the gain that a measure hasn't; ok is false for other measures.
func otherGain(m metrics.Metric) (other metrics.Metric, ok bool) {
	switch {
	case m.Name != "nDCG":
		return m, false
	case m.Gain == metrics.LinearGain:
		m.Gain = metrics.ExponentialGain
	default:
		m.Gain = metrics.LinearGain
	}
	return m, true
}

// judgedOnly is a measure over the judged documents of a ranking alone; ok is false where it has no such form.
func judgedOnly(m metrics.Metric) (other metrics.Metric, ok bool) {
	d, known := m.Definition()
	if !known || m.JudgedOnly {
		return m, false
	}
	for _, p := range d.Parameters {
		if p == "judged_only" {
			m.JudgedOnly = true
			return m, true
		}
	}
	return m, false
}
