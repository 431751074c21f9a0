package adhoc

import (
	"bytes"
	"slices"
	"strings"

	"retrace/core/method"
	"retrace/core/metrics"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/study"
	"retrace/core/trec"
)

// A Loaded is an adhoc study with its judgements and given runs.
type Loaded struct {
	study     *study.Study
	spec      *Spec
	metrics   []metrics.Metric // by place of the measure
	judgedAt  int
	order     trec.Order
	systems   []string
	qrels     []*trec.Qrels                    // by assessor
	topics    []topic                          // those with a judgement, ascending bytewise: the order in which trec_eval adds up
	unjudged  []string                         // questions without a judgement, in file order
	runs      map[string]map[string][]trec.Hit // by system and topic, in order
	strangers map[string]bool                  // judged documents that the collection lacks
}

// A topic is a question with judgements.
type topic struct {
	id       string
	question int
	all      view   // the combined grades
	each     []view // by assessor; empty where an assessor judged nothing for the topic
}

// A view is what judgements say of a topic's documents, taken together or one assessor's alone.
type view struct {
	grades map[string]metrics.Grade
	list   []metrics.Grade
}

func termOf(name string) method.Term { return method.Term{Name: name} }

// empty returns the design of a study without any of its data.
func (a *Spec) empty(s *study.Study) *Loaded {
	d := &Loaded{study: s, spec: a, systems: a.Systems(s.Protocol), runs: map[string]map[string][]trec.Hit{},
		strangers: map[string]bool{}, judgedAt: a.JudgedAt}
	d.metrics, _ = a.metrics()            // checked before
	d.order, _ = trec.ParseOrder(a.Order) // likewise
	if d.judgedAt == 0 {
		if d.judgedAt = d.metrics[a.primary()].Cutoff; d.judgedAt == 0 || d.judgedAt > s.Protocol.Keep {
			d.judgedAt = min(10, s.Protocol.Keep)
		}
	}
	return d
}

// Load reads topics, judgements and runs.
func (a *Spec) Load(s *study.Study) (study.Loaded, error) {
	d := a.empty(s)
	if err := s.LoadQuestions(); err != nil {
		return nil, err
	}
	for i := range s.Questions {
		if q := &s.Questions[i]; len(a.Groups) > 0 && !slices.Contains(a.Groups, q.Kind) {
			return nil, records.Errorf(q.File, q.Line, "name each topic's group in metadata.kind, and all groups under adhoc.groups",
				"topic %q is of the group %q", q.ID, q.Kind)
		}
	}
	if err := d.loadJudgements(); err != nil {
		return nil, err
	}
	for _, run := range a.Runs {
		if err := d.loadRun(run); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (a *Loaded) loadJudgements() error {
	judged := map[string]bool{}
	for _, j := range a.spec.Judgements {
		data, err := a.study.Kit.Read(j.File)
		if err != nil {
			return err
		}
		q, err := trec.ReadQrels(j.File, bytes.NewReader(data))
		if err != nil {
			return err
		}
		for _, id := range q.Topics {
			if _, ok := a.study.Question(id); !ok {
				return records.Errorf(j.File, q.Topic(id)[0].Line, "add the topic to "+a.study.Protocol.Questions.File+", or take its "+
					"judgements out", "topic %q is no question of the study", id)
			}
			judged[id] = true
		}
		a.qrels = append(a.qrels, q)
	}
	for i := range a.study.Questions {
		q := &a.study.Questions[i]
		if !judged[q.ID] {
			a.unjudged = append(a.unjudged, q.ID)
			continue
		}
		a.topics = append(a.topics, a.topic(i))
	}
	order.Sort(a.topics, func(x, y topic) int { return strings.Compare(x.id, y.id) })
	return nil
}

// topic combines what assessors say of a question's documents.
func (a *Loaded) topic(question int) topic {
	t := topic{id: a.study.Questions[question].ID, question: question}
	grades := map[string][]metrics.Grade{}
	for _, q := range a.qrels {
		one := view{grades: map[string]metrics.Grade{}}
		for _, j := range q.Topic(t.id) {
			if _, ok := a.study.Collection.Number(j.Doc); !ok {
				a.strangers[j.Doc] = true
			}
			one.add(j.Doc, metrics.Whole(j.Grade))
			grades[j.Doc] = append(grades[j.Doc], metrics.Whole(j.Grade))
		}
		t.each = append(t.each, one)
	}
	if len(a.qrels) == 1 {
		t.all = t.each[0]
		return t
	}
	t.all.grades = map[string]metrics.Grade{}
	for _, q := range a.qrels {
		for _, j := range q.Topic(t.id) {
			if _, done := t.all.grades[j.Doc]; !done {
				t.all.add(j.Doc, combine(a.spec.Combine, grades[j.Doc]))
			}
		}
	}
	return t
}

func (v *view) add(doc string, g metrics.Grade) {
	v.grades[doc] = g
	v.list = append(v.list, g)
}

// combine makes one grade of those that several assessors gave a document. The median of an even number is the mean of the
// middle two, a half at most: for two assessors it is their mean.
func combine(rule string, grades []metrics.Grade) metrics.Grade {
	sorted := slices.Sorted(slices.Values(grades))
	switch n := len(sorted); {
	case rule == "min":
		return sorted[0]
	case rule == "max":
		return sorted[n-1]
	case n%2 == 1:
		return sorted[n/2]
	default:
		return (sorted[n/2-1] + sorted[n/2]) / 2 // whole grades are even
	}
}

// loadRun reads a given run. Of each topic it keeps as many documents as the protocol says, and those tied with the last
// of them, which other orders would put in its place.
func (a *Loaded) loadRun(run Run) error {
	data, err := a.study.Kit.Read(run.File)
	if err != nil {
		return err
	}
	judged := map[string]bool{}
	for _, t := range a.topics {
		judged[t.id] = true
	}
	keep := a.study.Protocol.Keep
	hits := map[string][]trec.Hit{}
	_, err = trec.ReadRun(run.File, bytes.NewReader(data), trec.Options{Order: a.order, Stored: true}, func(topic string,
		list []trec.Hit) error {
		if !judged[topic] {
			return nil
		}
		n := min(keep, len(list))
		for n < len(list) && a.order.Tied(list[n-1].Score, list[n].Score) {
			n++
		}
		hits[topic] = slices.Clone(list[:n])
		return nil
	})
	a.runs[run.Name] = hits
	return err
}
