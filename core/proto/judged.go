package proto

import (
	"fmt"
	"slices"
	"strconv"

	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// What questions of graded and binary studies show beside rankings: judgements, measures, paths and answers.

// judgedQuestion adds what was judged for a question, and its task.
func judgedQuestion(st *study.Study, q *study.Question, out *QuestionResult) error {
	if n, ok := st.BinaryNeed(q.ID); ok {
		out.Need = n.Text
		for doc := range n.Labels {
			out.Judged = append(out.Judged, JudgedView{documentView(st, doc, &q.Query), needJudgement(st, n, doc)})
		}
		return nil
	}
	t, ok := st.GradedTask(q.ID)
	if !ok {
		return nil
	}
	out.Task = &TaskView{Domain: t.Domain, Origin: t.Origin, Role: t.Role, Obligations: t.Obligations, Conditions: append([]string{}, t.Conditions...),
		Undefined: t.Undefined, Reserved: []string{}, Answers: []AnswerView{}}
	if r := st.Protocol.Relations; r != nil {
		out.Task.Reserved = append(out.Task.Reserved, r.Vocabulary.Reserved...)
	}
	for _, p := range t.Pool {
		out.Judged = append(out.Judged, JudgedView{documentView(st, p.Doc, &q.Query), taskJudgement(st, t.ID, p)})
	}
	answers, err := st.TaskAnswers(q.ID)
	if err != nil {
		return err
	}
	spec := st.Protocol.Graded.Trial
	for reader, a := range answers {
		composite := path("perTask", strconv.Itoa(t.Place), "composite", a.Row)
		view := AnswerView{Reader: spec.Readers[reader].Name, Row: a.Row, Method: a.Method, Supplied: []string{}, Text: a.Answer.Text, Cited: append([]int{}, a.Answer.Cited...),
			Insufficient: fromOne(a.Answer.Insufficient), Composite: show.Text(composite, a.Composite.Float()), Path: composite, Grades: []AnswerGradeView{}, Where: at(spec.Readers[reader].Answers, a.Answer.Line)}
		for _, item := range a.Context {
			view.Supplied = append(view.Supplied, item.Name)
		}
		for grader, g := range a.Grades {
			view.Grades = append(view.Grades, AnswerGradeView{spec.Graders[grader].Name, append([]int{}, g.Obligations...), g.Role, g.Evidence, g.Unsupported, g.FalseCitation,
				show.Share(g.Composite().Float()), g.Reason, at(spec.Graders[grader].Grades, g.Line)})
		}
		out.Task.Answers = append(out.Task.Answers, view)
	}
	return nil
}

// judged adds judgements, paths and measures to a ranking.
func judged(st *study.Study, x *study.Scoring, view *RankingView) error {
	if n, ok := st.BinaryNeed(x.Question.ID); ok {
		for i := range view.Hits {
			h := &view.Hits[i]
			doc, _ := st.Collection.Number(h.Document.ID)
			j := needJudgement(st, n, doc)
			h.Judgement = &j
		}
		values, err := st.BinaryMeasures(n.ID, x.Name)
		if err != nil {
			return err
		}
		for _, m := range st.Protocol.Binary.Measures {
			view.Measures = append(view.Measures, measureView(m.Measure, path("audit", strconv.Itoa(n.Place), "values", x.Name, m.Key), values[m.Key]))
		}
		return nil
	}
	t, ok := st.GradedTask(x.Question.ID)
	if !ok {
		return nil
	}
	for i := range view.Hits {
		h := &view.Hits[i]
		doc, _ := st.Collection.Number(h.Document.ID)
		if k := slices.IndexFunc(t.Pool, func(p study.PooledDoc) bool { return p.Doc == doc }); k >= 0 {
			j := taskJudgement(st, t.ID, t.Pool[k])
			h.Judgement = &j
		}
		paths, err := x.Paths(doc)
		if err != nil {
			return err
		}
		for _, p := range paths {
			h.Paths = append(h.Paths, pathView(st, x, p))
		}
	}
	if len(t.Pool) == 0 {
		return nil
	}
	rows, err := st.SealedRows()
	if err != nil {
		return err
	}
	for _, m := range st.Protocol.Graded.Measures {
		value, err := st.TaskMeasure(t.ID, x.Name, m.Key)
		if err != nil {
			return err
		}
		at := path("measure", "both", m.Key, t.ID, x.Name)
		for _, r := range st.Protocol.Graded.Rows {
			if t.Final && rows[r.Name] == x.Name {
				at = path("perTask", strconv.Itoa(t.Place), "rows", r.Name, m.Key)
				break
			}
		}
		view.Measures = append(view.Measures, measureView(verdict.Measure(m.Measure), at, value))
	}
	return nil
}

func measureView(name, path string, value *float64) MeasureView {
	if value == nil {
		return MeasureView{name, "undefined", ""}
	}
	return MeasureView{name, show.Text(path, *value), path}
}

func needJudgement(st *study.Study, n study.JudgedNeed, doc int) JudgementView {
	j := JudgementView{Text: "not relevant", Grades: []GradeView{}, Agreed: []int{}}
	if n.Labels[doc] == 1 {
		j.Text, j.Useful = "relevant", true
	}
	for _, s := range st.Protocol.Binary.Splits {
		if s.Name == n.Split {
			j.Grades = append(j.Grades, GradeView{Grade: n.Labels[doc], Obligations: []int{}, Where: at(s.File, n.Line)})
		}
	}
	return j
}

func taskJudgement(st *study.Study, task string, p study.PooledDoc) JudgementView {
	spec := st.Protocol.Graded.Pool
	j := JudgementView{Grades: []GradeView{}, Agreed: fromOne(p.Agreed), Useful: p.Mean.Float() >= 2, Path: path("judgement", task, st.Collection.Docs[p.Doc].ID)}
	for i, g := range p.Grades {
		if i > 0 {
			j.Text += " and "
		}
		j.Text += strconv.Itoa(g.Grade)
		j.Grades = append(j.Grades, GradeView{spec.Assessors[i].Name, g.Grade, fromOne(g.Obligations), g.Reason, at(spec.Assessors[i].Judgements, g.Line)})
	}
	return j
}

func pathView(st *study.Study, x *study.Scoring, p method.Path) PathView {
	title := func(id string) string {
		if doc, ok := st.Collection.Number(id); ok {
			return st.Collection.Docs[doc].Title
		}
		return id
	}
	v := PathView{Seed: title(p.Seed), Share: show.Share(p.Share), Mass: show.Share(p.Mass), Steps: []StepView{}}
	if doc, ok := st.Collection.Number(p.Seed); ok {
		v.Path = x.BasePath(doc)
	}
	for _, s := range p.Steps {
		v.Steps = append(v.Steps, StepView{title(s.To), s.Predicate, s.Backward, s.Cued, s.Evidence, title(s.EvidenceDoc), s.Facet, s.Modality, s.Qualification, s.Where})
	}
	return v
}

// fromOne counts indices from 1, as people number a list.
func fromOne(indices []int) []int {
	out := []int{}
	for _, i := range indices {
		out = append(out, i+1)
	}
	return out
}

func path(keys ...string) string {
	p := ""
	for _, k := range keys {
		p = numpath.Join(p, k)
	}
	return p
}

func at(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
