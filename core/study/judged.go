package study

import (
	"slices"

	"retrace/core/judge"
)

// What judges said of a study's questions, for display.

// A GradedTask is one task of a Graded study with everything that was said of it.
type GradedTask struct {
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

// A TaskAnswer is one reader's answer to a task.
type TaskAnswer struct {
	Row       string // whose documents the reader was supplied with
	Method    string
	Context   []ContextItem
	Answer    judge.Answer
	Grades    [2]judge.AnswerGrade // by grader
	Composite judge.Fraction       // mean of both graders
}

// GradedTasks returns the tasks of a Graded study in file order, with the judgements as far as they are in; none for
// other designs.
func (s *Study) GradedTasks() []GradedTask {
	var list []GradedTask
	if s.graded == nil {
		return list
	}
	final := s.graded.split(true)
	for i := range s.graded.tasks {
		list = append(list, s.graded.taskView(i, slices.Index(final, i)))
	}
	return list
}

// GradedTask returns one task of a Graded study.
func (s *Study) GradedTask(id string) (t GradedTask, ok bool) {
	i, ok := s.byQuestion[id]
	if s.graded == nil || !ok {
		return t, false
	}
	return s.graded.taskView(i, slices.Index(s.graded.split(true), i)), true
}

func (g *graded) taskView(place, among int) GradedTask {
	t := GradedTask{Task: g.tasks[place], Final: g.final[place], Place: among}
	if g.grades[0] == nil || g.grades[1] == nil {
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

// TaskAnswers returns both readers' answers to a final task, readers in order; none for other tasks.
func (s *Study) TaskAnswers(id string) ([]TaskAnswer, error) {
	t, ok := s.GradedTask(id)
	if !ok || !t.Final || !s.Kit.Has(s.graded.spec.Trial.Graders[0].Grades) || !s.Kit.Has(s.graded.spec.Trial.Graders[1].Grades) {
		return nil, nil
	}
	o, err := s.lazyTrial()
	if err != nil {
		return nil, err
	}
	answers, _, err := o.answers()
	if err != nil {
		return nil, err
	}
	grades, err := o.grades()
	if err != nil {
		return nil, err
	}
	list := make([]TaskAnswer, len(answers))
	place := o.tasks[t.Place]
	for row, name := range s.graded.spec.Trial.Rows {
		reader := o.reader(place, row)
		i := 2*t.Place + reader
		list[reader] = TaskAnswer{name, o.rows[row], o.contexts[place][reader], answers[reader][t.Place],
			[2]judge.AnswerGrade{grades[0][i], grades[1][i]}, judge.MeanComposite(grades[0][i], grades[1][i])}
	}
	return list, nil
}

// lazyTrial is the answer trial under the sealed lock, from observations that are made when they are first asked for.
func (s *Study) lazyTrial() (*trial, error) {
	rows, err := s.graded.sealedRows()
	if err != nil {
		return nil, err
	}
	r, err := s.lazyReplay()
	if err != nil {
		return nil, err
	}
	return s.graded.newTrial(rows, r.observation)
}

// SealedRows returns the method of every row of a Graded study under its sealed lock.
func (s *Study) SealedRows() (map[string]string, error) {
	if s.graded == nil {
		return nil, nil
	}
	return s.graded.sealedRows()
}

// TaskMeasure is a measure's value for one task under one method, null where it is undefined.
func (s *Study) TaskMeasure(task, method, key string) (*float64, error) {
	r, err := s.lazyReplay()
	if err != nil {
		return nil, err
	}
	values, err := s.graded.values(r, method, []int{s.byQuestion[task]}, bothAssessors)
	if err != nil {
		return nil, err
	}
	return values[key][0], nil
}

// A JudgedNeed is one need of a Binary study; its labels stand in the collection's order.
type JudgedNeed struct {
	judge.Need
	Split string
	Place int // among all needs: splits in order, needs in file order
}

// BinaryNeed returns one need of a Binary study.
func (s *Study) BinaryNeed(id string) (n JudgedNeed, ok bool) {
	i, ok := s.byQuestion[id]
	if s.binary == nil || !ok {
		return n, false
	}
	return JudgedNeed{s.binary.needs[i].Need, s.binary.needs[i].split, i}, true
}

// BinaryMeasures returns the measures of a Binary study's method for one need by key, null where undefined.
func (s *Study) BinaryMeasures(id, method string) (map[string]*float64, error) {
	r, err := s.lazyReplay()
	if err != nil {
		return nil, err
	}
	o, err := r.observation(id, method)
	if err != nil {
		return nil, err
	}
	e, err := s.binary.evaluate(s.byQuestion[id], o)
	return e.values, err
}
