package graded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"

	"retrace/core/design/paired"
)

// A TaskPool is one task with what was said of its pool.
type TaskPool struct {
	Task
	Final     bool
	Undefined bool // no grade above 0: the first measure has no value
	Place     int  // among the final tasks, in file order; -1 for development tasks
	Pool      []PooledDoc
}

// A PooledDoc is a judged document of a task.
type PooledDoc struct {
	Doc    int
	Grades [2]judge.Grade // by assessor
	Mean   judge.Fraction // of the two grades
	Agreed []int          // obligations that both name, from 0
}

// Tasks returns all tasks in file order, with the judgements as far as they are in.
func (g *Loaded) Tasks() []TaskPool {
	var list []TaskPool
	for i := range g.tasks {
		list = append(list, g.task(i))
	}
	return list
}

// Task returns one task by its ID.
func (g *Loaded) Task(id string) (t TaskPool, ok bool) {
	q, ok := g.study.Question(id)
	if !ok {
		return t, false
	}
	return g.task(q.Place()), true
}

// SealedRows returns the method of every row under the sealed lock.
func (g *Loaded) SealedRows() (map[string]string, error) { return g.rows(g.study.OnDemand(nil)) }

func (g *Loaded) task(place int) TaskPool {
	t := TaskPool{Task: g.tasks[place], Final: g.final[place], Place: slices.Index(g.split(true), place)}
	if !g.Judged() {
		return t
	}
	t.Undefined = true
	for _, i := range g.pool[t.ID] {
		a, b := g.grades[0][i], g.grades[1][i]
		doc, _ := g.study.Collection.Number(g.pairs[i].Concept)
		p := PooledDoc{doc, [2]judge.Grade{a, b}, judge.Fraction{Num: int64(judge.MeanHalves(a, b)), Den: 2}, judge.Agreed(a, b)}
		t.Undefined = t.Undefined && p.Mean.Num == 0
		t.Pool = append(t.Pool, p)
	}
	return t
}

// Asked returns a task, with the answers to it where it is a final one.
func (g *Loaded) Asked(q *study.Question) (string, *study.TaskView, error) {
	t := g.task(q.Place())
	out := &study.TaskView{Domain: t.Domain, Origin: t.Origin, Role: t.Role, Obligations: t.Obligations,
		Conditions: append([]string{}, t.Conditions...), Undefined: t.Undefined, Reserved: []string{}, Answers: []study.AnswerView{}}
	if r := g.study.Protocol.Relations; r != nil {
		out.Reserved = append(out.Reserved, r.Vocabulary.Reserved...)
	}
	var err error
	if t.Final && g.graded() {
		out.Answers, err = g.answerViews(t)
	}
	return "", out, err
}

// graded reports whether the kit has the graders' grades.
func (g *Loaded) graded() bool {
	return !slices.ContainsFunc(g.spec.Trial.Graders, func(r Grader) bool { return !g.study.Kit.Has(r.Grades) })
}

// answerViews shows both readers' answers to a final task, readers in order.
func (g *Loaded) answerViews(t TaskPool) ([]study.AnswerView, error) {
	r := g.study.OnDemand(nil)
	o, err := g.outcome(r)
	if err != nil {
		return nil, err
	}
	answers, _, err := o.trial.answers()
	if err != nil {
		return nil, err
	}
	spec := g.spec.Trial
	list := make([]study.AnswerView, len(spec.Readers))
	place := o.trial.tasks[t.Place]
	for row, name := range spec.Rows {
		reader := o.trial.reader(place, row)
		a := answers[reader][t.Place]
		path := numpath.Of("perTask", strconv.Itoa(t.Place), Composite, name)
		view := study.AnswerView{Reader: spec.Readers[reader].Name, Row: name, Method: o.trial.rows[row], Supplied: []string{}, Text: a.Text,
			Cited: append([]int{}, a.Cited...), Insufficient: fromOne(a.Insufficient), Composite: show.Share(o.composite(t.Place, row).Float()),
			Path: path, Grades: []study.AnswerGradeView{}, Where: at(spec.Readers[reader].Answers, a.Line)}
		for _, item := range o.trial.contexts[place][reader] {
			view.Supplied = append(view.Supplied, item.Name)
		}
		for i, grader := range spec.Graders {
			grade := o.grades[i][2*t.Place+reader]
			view.Grades = append(view.Grades, study.AnswerGradeView{Grader: grader.Name, Obligations: append([]int{}, grade.Obligations...),
				Role: grade.Role, Evidence: grade.Evidence, Unsupported: grade.Unsupported, FalseCitation: grade.FalseCitation,
				Composite: show.Share(grade.Composite().Float()), Reason: grade.Reason, Where: at(grader.Grades, grade.Line)})
		}
		list[reader] = view
	}
	return list, nil
}

// Judgements returns what both assessors said of the task's pool.
func (g *Loaded) Judgements(q *study.Question) ([]study.DocumentJudgement, error) {
	var list []study.DocumentJudgement
	t := g.task(q.Place())
	for _, p := range t.Pool {
		j := study.JudgementView{Grades: []study.GradeView{}, Agreed: fromOne(p.Agreed), Useful: p.Mean.Float() >= float64(max(g.spec.Pool.Useful, 1)),
			Path: numpath.Of("judgement", t.ID, g.study.Collection.Docs[p.Doc].ID)}
		var texts []string
		for i, grade := range p.Grades {
			assessor := g.spec.Pool.Assessors[i]
			texts = append(texts, strconv.Itoa(grade.Grade))
			j.Grades = append(j.Grades, study.GradeView{Judge: assessor.Name, Grade: grade.Grade, Obligations: fromOne(grade.Obligations),
				Reason: grade.Reason, Where: at(assessor.Judgements, grade.Line)})
		}
		j.Text = strings.Join(texts, " and ")
		list = append(list, study.DocumentJudgement{Doc: p.Doc, JudgementView: j})
	}
	return list, nil
}

// Measures returns the measures of a method for a task, by both assessors.
func (g *Loaded) Measures(q *study.Question, name string) ([]study.MeasureView, error) {
	t := g.task(q.Place())
	if len(t.Pool) == 0 {
		return nil, nil
	}
	r := g.study.OnDemand(nil)
	rows, err := g.rows(r)
	if err != nil {
		return nil, err
	}
	values, err := g.values(r, name, []int{q.Place()}, bothAssessors)
	if err != nil {
		return nil, err
	}
	var list []study.MeasureView
	for _, m := range g.spec.Measures {
		path := numpath.Of("measure", "both", m.Key, t.ID, name)
		for _, row := range g.spec.Rows {
			if t.Final && rows[row.Name] == name {
				path = numpath.Of("perTask", strconv.Itoa(t.Place), "rows", row.Name, m.Key)
				break
			}
		}
		list = append(list, study.ViewMeasure(m.Spoken(), path, show.Measure, values[m.Key][0]))
	}
	return list, nil
}

// Qrels returns the grades of one assessor by name, of the first for no name.
func (g *Loaded) Qrels(assessor string) ([]study.Qrel, error) {
	var there []string
	of := -1
	for i, a := range g.spec.Pool.Assessors {
		if of < 0 && (assessor == "" || a.Name == assessor) {
			of = i
		}
		there = append(there, a.Name)
	}
	if of < 0 {
		return nil, fmt.Errorf("--assessor %s: %s has %s", assessor, g.study.Protocol.ID, strings.Join(there, " and "))
	}
	var list []study.Qrel
	for _, t := range g.Tasks() {
		for _, p := range t.Pool {
			list = append(list, study.Qrel{Question: t.ID, Document: g.study.Collection.Docs[p.Doc].ID, Grade: p.Grades[of].Grade})
		}
	}
	return list, nil
}

// fromOne counts indices from 1, as people number a list.
func fromOne(indices []int) []int {
	out := []int{}
	for _, i := range indices {
		out = append(out, i+1)
	}
	return out
}

func at(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// Figures gives the distributions behind the contrasts.
func (g *Loaded) Figures(r *study.Replay, _ study.Options, out *study.Figures) error {
	rows, err := g.rows(r)
	if err != nil {
		return err
	}
	perRow, err := g.allRows(r, rows)
	if err != nil {
		return err
	}
	answers, err := g.outcome(r)
	if err != nil {
		return err
	}
	for _, c := range g.spec.Contrasts {
		plan := c.plan(g.study.Protocol.Seed)
		var all stats.Sample
		var test stats.FlipTest
		if c.Measure == Composite {
			trial, err := answers.statistics()
			if err != nil {
				return err
			}
			all, _ = g.compositeSample(trial, answers)
			if test, err = stats.Allocation(trial, c.Draws, exact.NewStream(plan.Seed, c.TestStream)); err != nil {
				return err
			}
		} else {
			if all, _, err = g.measureSample(c, perRow); err != nil {
				return err
			}
			test = plan.SignFlip(all)
		}
		out.Contrasts = append(out.Contrasts, paired.Figure(c.Name, plan.Bootstrap(all), test.Null))
	}
	return nil
}
