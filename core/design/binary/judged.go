package binary

import (
	"fmt"
	"strconv"

	"retrace/core/judge"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
)

// Need returns a need by its ID; its labels stand in the collection's order.
func (b *Loaded) Need(id string) (n judge.Need, split string, ok bool) {
	q, ok := b.study.Question(id)
	if !ok {
		return n, "", false
	}
	return b.needs[q.Place()].Need, b.needs[q.Place()].split, true
}

// Asked returns a need in words.
func (b *Loaded) Asked(q *study.Question) (string, *study.TaskView, error) {
	return b.needs[q.Place()].Text, nil, nil
}

// Judgements returns the label of every document of the view.
func (b *Loaded) Judgements(q *study.Question) ([]study.DocumentJudgement, error) {
	n := b.needs[q.Place()]
	var list []study.DocumentJudgement
	for doc, label := range n.Labels {
		j := study.JudgementView{Text: "not relevant", Agreed: []int{},
			Grades: []study.GradeView{{Grade: label, Obligations: []int{}, Where: fmt.Sprintf("%s:%d", q.File, n.Line)}}}
		if label == 1 {
			j.Text, j.Useful = "relevant", true
		}
		list = append(list, study.DocumentJudgement{Doc: doc, JudgementView: j})
	}
	return list, nil
}

// Measures returns the measures of a method for a need.
func (b *Loaded) Measures(q *study.Question, method string) ([]study.MeasureView, error) {
	e, err := b.evaluationOf(b.study.OnDemand(nil), q.Place(), method)
	if err != nil {
		return nil, err
	}
	var list []study.MeasureView
	for _, m := range b.spec.Measures {
		at := numpath.Of("audit", strconv.Itoa(q.Place()), "values", method, m.Key)
		list = append(list, study.ViewMeasure(m.Measure, at, show.Measure, e.values[m.Key]))
	}
	return list, nil
}

// Qrels returns the labels of all needs.
func (b *Loaded) Qrels(assessor string) ([]study.Qrel, error) {
	if assessor != "" {
		return nil, fmt.Errorf("study: %s has no assessors by name", b.study.Protocol.ID)
	}
	var list []study.Qrel
	for _, n := range b.needs {
		for doc, label := range n.Labels {
			list = append(list, study.Qrel{Question: n.ID, Document: b.view.Permitted[doc], Grade: label})
		}
	}
	return list, nil
}
