package adhoc

import (
	"fmt"

	"retrace/core/design/paired"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/order"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
)

// Asked says nothing beside a question: a topic is its text.
func (a *Loaded) Asked(*study.Question) (string, *study.TaskView, error) { return "", nil, nil }

// Judgements returns what was judged for a topic, ascending by document; documents that the collection lacks are left out.
// What is not among them was not judged, which is not a grade of 0.
func (a *Loaded) Judgements(q *study.Question) ([]study.DocumentJudgement, error) {
	if q.Place() < 0 {
		return nil, nil
	}
	t := a.topicOf(q.Place())
	if t == nil {
		return nil, nil
	}
	var list []study.DocumentJudgement
	for id, g := range t.all.grades {
		doc, ok := a.study.Collection.Number(id)
		if !ok {
			continue
		}
		view := study.JudgementView{Text: "grade " + gradeText(g), Useful: g >= metrics.Whole(1), Grades: []study.GradeView{}, Agreed: []int{}}
		for i, j := range a.spec.Judgements {
			grade, judged := t.each[i].grades[id]
			if !judged {
				continue
			}
			view.Grades = append(view.Grades, study.GradeView{Judge: j.Assessor, Grade: int(grade.Float()), Obligations: []int{},
				Where: a.whereJudged(i, t.id, id)})
		}
		list = append(list, study.DocumentJudgement{Doc: doc, JudgementView: view})
	}
	order.Sort(list, func(x, y study.DocumentJudgement) int { return x.Doc - y.Doc })
	return list, nil
}

// whereJudged returns file and line of a judgement.
func (a *Loaded) whereJudged(assessor int, topic, doc string) string {
	for _, j := range a.qrels[assessor].Topic(topic) {
		if j.Doc == doc {
			return fmt.Sprintf("%s:%d", a.spec.Judgements[assessor].File, j.Line)
		}
	}
	return ""
}

// Measures returns the measures of a system's ranking for a topic.
func (a *Loaded) Measures(q *study.Question, system string) ([]study.MeasureView, error) {
	if q.Place() < 0 || a.place(system) < 0 {
		return nil, nil
	}
	for i := range a.topics {
		t := &a.topics[i]
		if t.question != q.Place() {
			continue
		}
		hits, err := a.ranking(a.study.OnDemand(nil), system, t)
		if err != nil {
			return nil, err
		}
		l, err := a.list(hits, t.all)
		if err != nil {
			return nil, err
		}
		var list []study.MeasureView
		for m, spec := range a.spec.Measures {
			v, defined, err := a.metrics[m].Compute(l)
			if err != nil {
				return nil, err
			}
			value := &v
			if !defined {
				value = nil
			}
			list = append(list, study.ViewMeasure(a.spec.Spoken(spec.Key), numpath.Of("values", system, spec.Key, fmt.Sprint(i)), a.style(m), value))
		}
		return list, nil
	}
	return nil, nil
}

// style says how a measure's figures are written.
func (a *Loaded) style(m int) show.Style {
	if d, _ := a.metrics[m].Definition(); d.Sum {
		return show.Integer
	}
	return show.Measure
}

// Qrels returns the judgements of one assessor, or, where none is named, those that figures rest on; half grades, which
// qrels can't hold, are an error then.
func (a *Loaded) Qrels(assessor string) ([]study.Qrel, error) {
	var list []study.Qrel
	for i, j := range a.spec.Judgements {
		if assessor != j.Assessor && (assessor != "" || len(a.qrels) > 1) {
			continue
		}
		for _, id := range a.qrels[i].Topics {
			for _, one := range a.qrels[i].Topic(id) {
				list = append(list, study.Qrel{Question: id, Document: one.Doc, Grade: one.Grade})
			}
		}
		return list, nil
	}
	if assessor != "" {
		return nil, fmt.Errorf("study: no assessor %q: the protocol names them under adhoc.judgements", assessor)
	}
	for i := range a.topics {
		t := &a.topics[i]
		first := len(list)
		for doc, g := range t.all.grades {
			if g%2 != 0 {
				return nil, fmt.Errorf("study: topic %s, document %s: the combined grade %s is no whole number: name one assessor", t.id, doc,
					gradeText(g))
			}
			list = append(list, study.Qrel{Question: t.id, Document: doc, Grade: int(g.Float())})
		}
		order.Sort(list[first:], func(x, y study.Qrel) int {
			if x.Document < y.Document {
				return -1
			}
			return 1
		})
	}
	return list, nil
}

// Figures give the two distributions behind each contrast.
func (a *Loaded) Figures(r *study.Replay, _ study.Options, out *study.Figures) error {
	e, err := a.evaluation(r)
	if err != nil {
		return err
	}
	for _, c := range a.spec.contrasts(a.study.Protocol) {
		main := a.spec.primary()
		values, _ := a.pairs(e.values[a.place(c.System)][main], e.values[a.place(c.Against)][main])
		if len(values) == 0 {
			continue
		}
		null := a.spec.Plan(a.study.Protocol).SignFlip(stats.Sample{Values: values, Den: 1}).Null
		out.Contrasts = append(out.Contrasts, paired.Figure(c.Name, a.resample(e, values), null))
	}
	return nil
}
