package graded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/design/paired"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/judge"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/study"
	"retrace/core/walk"
)

// Rows explain every number of the results.
func (g *Loaded) Rows() []study.Row {
	rows := g.measureRows()
	rows = append(rows, g.poolRows()...)
	rows = append(rows, g.answerRows()...)
	rows = append(rows, g.contrastRows()...)
	return append(rows, g.relationRows()...)
}

// judged explains from the assessor who is named second in the path: both, or one alone.
func (g *Loaded) judged(explains func(x *study.Explainer, assessor int) (*explain.Node, error)) func(x *study.Explainer) (*explain.Node, error) {
	return func(x *study.Explainer) (*explain.Node, error) {
		i, ok := g.judgeIndex(x.Key(1))
		if !ok {
			return nil, nil
		}
		return explains(x, i)
	}
}

// final returns the place of a final task that is named by its place among them in the path.
func (g *Loaded) finalTask(x *study.Explainer, at int) (task int, ok bool) {
	final := g.split(true)
	i, ok := x.Index(at, len(final))
	if !ok {
		return 0, false
	}
	return final[i], true
}

// measureRows explain the measures of tasks and their means.
func (g *Loaded) measureRows() []study.Row {
	row := func(shape string, style show.Style, explains func(x *study.Explainer) (*explain.Node, error)) study.Row {
		return study.Row{Shape: shape, Style: style, Explain: explains}
	}
	return []study.Row{
		row("measure.*.*.*.*", show.Measure, g.judged(func(x *study.Explainer, assessor int) (*explain.Node, error) {
			return g.measureNode(x, assessor, x.Key(2), x.Key(3), x.Key(4))
		})),
		row("development.settings.*", show.Measure, func(x *study.Explainer) (*explain.Node, error) {
			return g.meanNode(x, g.split(false), bothAssessors, g.spec.Measures[0].Key, x.Key(2))
		}),
		row("final.*.*", show.Measure, func(x *study.Explainer) (*explain.Node, error) {
			return g.rowMean(x, bothAssessors, x.Key(1), x.Key(2))
		}),
		row("finalByAssessor.*.*.*", show.Measure, g.judged(func(x *study.Explainer, assessor int) (*explain.Node, error) {
			return g.rowMean(x, assessor, x.Key(2), x.Key(3))
		})),
		row("perTask.*.rows.*.*", show.Measure, func(x *study.Explainer) (*explain.Node, error) {
			task, ok := g.finalTask(x, 1)
			rows, err := g.rows(x.Replay)
			if !ok || err != nil || rows[x.Key(3)] == "" {
				return nil, err
			}
			return g.measureNode(x, bothAssessors, x.Key(4), g.tasks[task].ID, rows[x.Key(3)])
		}),
		row("tasks.final", show.Integer, g.finalNode),
		row("nByAssessor.*", show.Integer, g.judged(g.definedNode)),
	}
}

// rowMean explains the mean of a row over the final tasks.
func (g *Loaded) rowMean(x *study.Explainer, assessor int, row, key string) (*explain.Node, error) {
	rows, err := g.rows(x.Replay)
	if err != nil || rows[row] == "" {
		return nil, err
	}
	return g.meanNode(x, g.split(true), assessor, key, rows[row])
}

// judgeIndex returns the number of an assessor by name, bothAssessors for "both".
func (g *Loaded) judgeIndex(name string) (int, bool) {
	if name == "both" {
		return bothAssessors, true
	}
	i := slices.IndexFunc(g.spec.Pool.Assessors, func(a Assessor) bool { return a.Name == name })
	return i, i >= 0
}

func (g *Loaded) judgeName(i int) string {
	if i == bothAssessors {
		return "both"
	}
	return g.spec.Pool.Assessors[i].Name
}

// measure returns the measure under a key of results.
func (g *Loaded) measure(key string) (m metrics.Measure, f metrics.Family, ok bool) {
	for i, spec := range g.spec.Measures {
		if spec.Key == key {
			f, ok = g.measures[i].Table()
			return g.measures[i], f, ok
		}
	}
	return m, f, false
}

func whose(g *Loaded, assessor int) string {
	if assessor == bothAssessors {
		return "the mean of both assessors' grades"
	}
	return "the grades of assessor " + g.judgeName(assessor) + " alone"
}

// meanNode explains a mean over tasks by the tasks' values.
func (g *Loaded) meanNode(x *study.Explainer, tasks []int, assessor int, key, name string) (*explain.Node, error) {
	m, f, ok := g.measure(key)
	if !ok || !g.study.Protocol.HasMethod(name) {
		return nil, nil
	}
	values, err := g.values(x.Replay, name, tasks, assessor)
	if err != nil {
		return nil, err
	}
	mean := values.mean(key)
	if mean == nil {
		return nil, nil
	}
	n := 0
	for _, v := range values[key] {
		n += exact.One(v != nil)
	}
	node := x.Number(study.MeasureName(m)+", "+name, *mean, fmt.Sprintf("Mean over the %d of %d %s tasks for which it is defined, by %s. %s", n, len(tasks), splitName(g.final[tasks[0]]), whose(g, assessor), f.Definition),
		"Σ value / n, tasks in file order", taskValues.mean)
	node.Citation = f.Citation
	for i, place := range tasks {
		text := "undefined"
		if v := values[key][i]; v != nil {
			text = show.Share(*v)
		}
		id := g.tasks[place].ID
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: text, Path: numpath.Of("measure", g.judgeName(assessor), key, id, name), Where: g.study.Questions[place].Where()})
	}
	return node, nil
}

// measureNode explains one task's measure by the first documents and their grades.
func (g *Loaded) measureNode(x *study.Explainer, assessor int, key, task, name string) (*explain.Node, error) {
	m, f, ok := g.measure(key)
	q, known := g.study.Question(task)
	if !ok || !known || !g.study.Protocol.HasMethod(name) {
		return nil, nil
	}
	place := q.Place()
	values, err := g.values(x.Replay, name, []int{place}, assessor)
	if err != nil {
		return nil, err
	}
	value := 0.0
	v := values[key][0]
	if v != nil {
		value = *v
	}
	node := x.Number(study.MeasureName(m)+", task "+task+", "+name, value, f.Definition+" By "+whose(g, assessor)+".", f.Formula, f.Function)
	if node.Citation = f.Citation; v == nil {
		node.Value, node.Text = nil, "undefined: "+f.Undefined
	} else {
		node.Text = show.Share(value)
	}
	o, err := x.Replay.Observation(task, name)
	if err != nil {
		return nil, err
	}
	topic := g.topic(place, assessor, o)
	for i, p := range o.Best[:min(m.Cutoff, len(o.Best))] {
		at := slices.IndexFunc(topic.Judged, func(j metrics.Judgement) bool { return j.Doc == p.ID })
		doc, _ := x.Study.Collection.Number(p.ID)
		text := "not judged"
		if at >= 0 {
			j := topic.Judged[at]
			text = "grade " + strconv.FormatFloat(j.Grade.Float(), 'f', -1, 64)
			if f.Name == "nDCG" {
				text += ", adds " + show.Share(metrics.DCG([]metrics.Grade{j.Grade}, 1)/metrics.Discount(i+1))
			}
			if len(j.Helps) > 0 {
				text += ", helps obligations " + strings.Trim(fmt.Sprint(j.Helps), "[]")
			}
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", i+1, x.DocLabel(doc)), Text: text, Path: numpath.Of("judgement", task, p.ID)})
	}
	if f.Name == "nDCG" {
		var pool []metrics.Grade
		for _, j := range topic.Judged {
			pool = append(pool, j.Grade)
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("ideal DCG@%d of the pool of %d", m.Cutoff, len(pool)), Text: show.Share(metrics.IdealDCG(pool, m.Cutoff))})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "task", Text: g.tasks[place].Need, Path: numpath.Of("question", task)})
	for i, obligation := range g.tasks[place].Obligations {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("obligation %d", i), Text: obligation})
	}
	for _, p := range o.Best[:min(m.Cutoff, len(o.Best))] {
		doc, _ := x.Study.Collection.Number(p.ID)
		node.Inputs = append(node.Inputs, explain.Input{Label: "score of " + x.DocLabel(doc), Text: show.Score(p.Score), Path: numpath.Of("score", task, name, p.ID)})
	}
	return node, nil
}

func (g *Loaded) finalNode(x *study.Explainer) (*explain.Node, error) {
	node := x.Number("final tasks", float64(len(g.split(true))),
		"Tasks that are neither used for selection nor looked at before the lock. They were drawn in each cell of a domain and an origin.",
		"a count", (*Loaded).drawSplit)
	for _, place := range g.split(true) {
		t := g.tasks[place]
		node.Inputs = append(node.Inputs, explain.Input{Label: t.ID, Text: t.Domain + ", " + t.Origin, Path: numpath.Of("question", t.ID)})
	}
	return node, nil
}

func (g *Loaded) definedNode(x *study.Explainer, assessor int) (*explain.Node, error) {
	u, err := g.undefined(x.Replay, assessor)
	if err != nil {
		return nil, err
	}
	_, f, _ := g.measure(g.spec.Measures[0].Key)
	node := x.Number("final tasks with a value, assessor "+x.Key(1), float64(len(g.split(true))-len(u.Final)),
		"Final tasks for which the assessor gave some grade above 0; for the others "+f.Name+" is undefined.", "a count", (*Loaded).undefined)
	for _, id := range u.Final {
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: "undefined", Path: numpath.Of("question", id)})
	}
	return node, nil
}

// poolRows explain the pool, its judgements, and how far the assessors agree.
func (g *Loaded) poolRows() []study.Row {
	var rows []study.Row
	for _, f := range []struct {
		key, sentence string
		value         func(PoolResult) int
	}{
		{"pairs", "Pairs of a task and a concept in all pools.", func(p PoolResult) int { return p.Pairs }},
		{"smallest", "Concepts in the smallest pool of a task.", func(p PoolResult) int { return p.Smallest }},
		{"largest", "Concepts in the largest pool of a task.", func(p PoolResult) int { return p.Largest }},
	} {
		rows = append(rows, study.Row{Shape: "pool." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return g.poolNode(x, f.key, f.value(g.poolSize()), f.sentence), nil
		}})
	}
	agreement := func(shape string, style show.Style, explains func(x *study.Explainer, a AgreementResult) *explain.Node) study.Row {
		return study.Row{Shape: "agreement." + shape, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
			a, ok := g.Agreement()
			if !ok {
				return nil, nil
			}
			return explains(x, a), nil
		}}
	}
	return append(rows,
		study.Row{Shape: "judgement.*.*", Style: show.Plain, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return g.judgementNode(x, x.Key(1), x.Key(2))
		}},
		agreement("pairs", show.Integer, func(x *study.Explainer, a AgreementResult) *explain.Node {
			return g.disagreements(a, x.Number("judged pairs", float64(a.Pairs), "Pairs of a task and a concept that both assessors judged.", "a count", judge.Agree))
		}),
		agreement("exact", show.Measure, func(x *study.Explainer, a AgreementResult) *explain.Node {
			return g.disagreements(a, x.Number("exact agreement", a.Exact,
				"Share of the pairs to which both assessors gave the same grade. "+g.spec.Dependence, "equal pairs / pairs", judge.Agreement.Exact))
		}),
		agreement("kappa", show.Measure, func(x *study.Explainer, a AgreementResult) *explain.Node {
			if a.Kappa == nil {
				return nil
			}
			node := x.Number("quadratic-weighted κ", *a.Kappa,
				"Agreement beyond what the assessors' own grade frequencies would give, larger differences counting by their square. "+g.spec.Dependence,
				"1 − Σ(a−b)² / expected Σ(a−b)²", judge.Agree)
			node.Citation = "Cohen 1968, doi:10.1037/h0026256"
			return g.disagreements(a, node)
		}),
		agreement("disagreements", show.Integer, func(x *study.Explainer, a AgreementResult) *explain.Node {
			return g.disagreements(a, x.Number("disagreements", float64(a.Disagreements), "Pairs with different grades.", "a count", judge.Agree))
		}),
		agreement("matrix.*.*", show.Integer, g.matrixNode),
		agreement("list.*.a", show.Integer, func(x *study.Explainer, a AgreementResult) *explain.Node {
			return g.disagreementNode(x, a, func(d Disagreement) int { return d.A })
		}),
		agreement("list.*.b", show.Integer, func(x *study.Explainer, a AgreementResult) *explain.Node {
			return g.disagreementNode(x, a, func(d Disagreement) int { return d.B })
		}),
	)
}

func (g *Loaded) poolNode(x *study.Explainer, key string, value int, sentence string) *explain.Node {
	node := x.Number("pool: "+key, float64(value), sentence,
		fmt.Sprintf("every method's first %d, a few places more of some methods, and one random other concept", g.spec.Pool.Depth), (*Loaded).makePool)
	for _, t := range g.tasks {
		node.Inputs = append(node.Inputs, explain.Input{Label: t.ID, Text: show.Count(int64(len(g.pool[t.ID]))), Path: numpath.Of("question", t.ID)})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "key", Where: g.spec.Pool.Key})
	return node
}

// disagreements adds the pairs with different grades, and where the judgements stand.
func (g *Loaded) disagreements(a AgreementResult, node *explain.Node) *explain.Node {
	for _, d := range a.List {
		node.Inputs = append(node.Inputs, explain.Input{Label: d.Task + " " + d.Concept, Text: fmt.Sprintf("%d and %d", d.A, d.B),
			Path: numpath.Of("judgement", d.Task, d.Concept)})
	}
	for _, assessor := range g.spec.Pool.Assessors {
		node.Inputs = append(node.Inputs, explain.Input{Label: "judgements of assessor " + assessor.Name, Where: assessor.Judgements})
	}
	return node
}

func (g *Loaded) matrixNode(x *study.Explainer, a AgreementResult) *explain.Node {
	i, okI := x.Index(2, len(a.Matrix))
	j, okJ := x.Index(3, len(a.Matrix))
	if !okI || !okJ {
		return nil
	}
	assessors := g.spec.Pool.Assessors
	node := x.Number(fmt.Sprintf("pairs graded %d and %d", i, j), float64(a.Matrix[i][j]),
		fmt.Sprintf("Pairs that assessor %s graded %d and assessor %s %d.", assessors[0].Name, i, assessors[1].Name, j), "a count", judge.Agree)
	for at, p := range g.pairs {
		if g.grades[0][at].Grade == i && g.grades[1][at].Grade == j {
			node.Inputs = append(node.Inputs, explain.Input{Label: p.Task + " " + p.Concept, Text: fmt.Sprintf("%d and %d", i, j),
				Path: numpath.Of("judgement", p.Task, p.Concept)})
		}
	}
	return node
}

func (g *Loaded) disagreementNode(x *study.Explainer, a AgreementResult, grade func(Disagreement) int) *explain.Node {
	i, ok := x.Index(2, len(a.List))
	if !ok {
		return nil
	}
	d := a.List[i]
	node := x.Number("grade by assessor "+x.Key(3), float64(grade(d)), "One of two different grades of the same pair.", "", judge.Agree)
	node.Inputs = []explain.Input{{Label: "both judgements", Text: fmt.Sprintf("%d and %d", d.A, d.B), Path: numpath.Of("judgement", d.Task, d.Concept)}}
	return node
}

// judgementNode explains what both assessors said of a pair.
func (g *Loaded) judgementNode(x *study.Explainer, task, concept string) (*explain.Node, error) {
	at := slices.IndexFunc(g.pairs, func(p judge.Pair) bool { return p.Task == task && p.Concept == concept })
	if at < 0 {
		return nil, fmt.Errorf("study: %s is not in the pool of task %s", concept, task)
	}
	doc, _ := x.Study.Collection.Number(concept)
	a, b := g.grades[0][at], g.grades[1][at]
	node := x.Number("grade of "+x.DocLabel(doc)+" for task "+task, float64(judge.MeanHalves(a, b))/2, "Mean of the two assessors' grades"+g.scale()+". "+g.spec.Dependence, "(a + b)/2", judge.MeanHalves)
	node.Text = strconv.FormatFloat(*node.Value, 'f', -1, 64)
	for i, assessor := range g.spec.Pool.Assessors {
		one := g.grades[i][at]
		text := fmt.Sprintf("%d", one.Grade)
		if len(one.Obligations) > 0 {
			text += ", helps obligations " + strings.Trim(fmt.Sprint(one.Obligations), "[]")
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: "assessor " + assessor.Name, Text: text + ": " + one.Reason, Where: fmt.Sprintf("%s:%d", assessor.Judgements, one.Line)})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "code in the packets", Text: g.pairs[at].Code, Where: fmt.Sprintf("%s:%d", g.spec.Pool.Key, at+1)},
		explain.Input{Label: "task", Text: g.need(task), Path: numpath.Of("question", task)},
		explain.Input{Label: "document", Text: x.DocLabel(doc), Path: numpath.Of("document", concept), Where: x.Where(doc)})
	return node, nil
}

// scale says what the grades mean, in the protocol's words.
func (g *Loaded) scale() string {
	var words []string
	for grade, meaning := range g.spec.Pool.Scale {
		words = append(words, fmt.Sprintf("%d %s", grade, meaning))
	}
	if len(words) == 0 {
		return fmt.Sprintf(", from 0 to %d", g.spec.Pool.Top)
	}
	return ": " + strings.Join(words, ", ")
}

// need returns a task's need by its ID, "" where there is no such task.
func (g *Loaded) need(id string) string {
	q, ok := g.study.Question(id)
	if !ok {
		return ""
	}
	return q.Text
}

// answerRows explain the answers' scores.
func (g *Loaded) answerRows() []study.Row {
	rows := []study.Row{
		{Shape: "answer.*.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) { return g.answerNode(x, x.Key(1), x.Key(2)) }},
		{Shape: "perTask.*." + Composite + ".*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			task, ok := g.finalTask(x, 1)
			if !ok {
				return nil, nil
			}
			return g.answerNode(x, g.tasks[task].ID, x.Key(3))
		}},
		{Shape: "answers.agreement.pairs", Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			o, err := g.outcome(x.Replay)
			if err != nil {
				return nil, err
			}
			return x.Number("graded answers", float64(o.result.Agreement.Pairs), "Answers that both graders graded.", "a count", judge.ParseAnswerGrades), nil
		}},
		{Shape: "answers.agreement.exact", Style: show.Measure, Explain: g.gradersNode},
	}
	part := func(key, sentence string, style show.Style, value func(AnswerScores) float64) {
		rows = append(rows, study.Row{Shape: "answers.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return g.answersNode(x, sentence, style, value)
		}})
	}
	part(Composite, "Mean composite", show.Measure, func(a AnswerScores) float64 { return a.Composite })
	part("obligations", "Mean score of the obligations", show.Measure, func(a AnswerScores) float64 { return a.Obligations })
	part("role", "Mean score for keeping role and conditions", show.Measure, func(a AnswerScores) float64 { return a.Role })
	part("evidence", "Mean score of the evidence", show.Measure, func(a AnswerScores) float64 { return a.Evidence })
	part("unsupported", "How often a grader flagged unsupported claims", show.Integer, func(a AnswerScores) float64 { return float64(a.Unsupported) })
	part("falseCitation", "How often a grader flagged a false citation", show.Integer, func(a AnswerScores) float64 { return float64(a.FalseCitation) })
	part("marks", "How many grades there are: answers times graders", show.Integer, func(a AnswerScores) float64 { return float64(a.Marks) })
	return rows
}

// outcome runs the answer trial from what was observed, once for a replay.
func (g *Loaded) outcome(r *study.Replay) (*trialOutcome, error) {
	kept := g.of(r)
	if kept.trial == nil {
		rows, err := g.rows(r)
		if err != nil {
			return nil, err
		}
		if kept.trial, err = g.runTrial(rows, r.Observation); err != nil {
			return nil, err
		}
	}
	return kept.trial, nil
}

// answerNode explains an answer's composite by both graders' scores.
func (g *Loaded) answerNode(x *study.Explainer, task, row string) (*explain.Node, error) {
	r := slices.Index(g.spec.Trial.Rows[:], row)
	final := g.split(true)
	i := slices.IndexFunc(final, func(place int) bool { return g.tasks[place].ID == task })
	if r < 0 || i < 0 {
		return nil, nil
	}
	o, err := g.outcome(x.Replay)
	if err != nil {
		return nil, err
	}
	rows, err := g.rows(x.Replay)
	if err != nil {
		return nil, err
	}
	reader := o.trial.reader(final[i], r)
	node := x.Number("composite, task "+task+", "+row, o.composite(i, r).Float(), fmt.Sprintf("Mean of both graders' scores of the answer of reader %s, who was supplied with the first %d of %s, as a share of the largest possible score. %s", g.spec.Trial.Readers[reader].Name, g.spec.Trial.Top, rows[row], g.spec.Dependence),
		"(Σ obligations + role + evidence)/(2·(obligations + 2)), mean of two graders", judge.MeanComposite)
	node.Text = show.Share(*node.Value)
	for j, grader := range g.spec.Trial.Graders {
		grade := o.grades[j][2*i+reader]
		text := fmt.Sprintf("%s: obligations %s, role %d, evidence %d", show.Share(grade.Composite().Float()), strings.Trim(fmt.Sprint(grade.Obligations), "[]"), grade.Role, grade.Evidence)
		if grade.Unsupported {
			text += ", unsupported claims"
		}
		if grade.FalseCitation {
			text += ", false citation"
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: "grader " + grader.Name, Text: text + ". " + grade.Reason, Where: fmt.Sprintf("%s:%d", grader.Grades, grade.Line)})
	}
	answers, _, err := o.trial.answers()
	if err != nil {
		return nil, err
	}
	node.Inputs = append(node.Inputs,
		explain.Input{Label: "answer", Text: answers[reader][i].Text, Where: fmt.Sprintf("%s:%d", g.spec.Trial.Readers[reader].Answers, answers[reader][i].Line)},
		explain.Input{Label: "task", Text: g.tasks[final[i]].Need, Path: numpath.Of("question", task)})
	for _, item := range o.trial.contexts[final[i]][reader] {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("supplied as [%d]: %s", item.Label, item.Name), Text: item.Definition})
	}
	return node, nil
}

func (g *Loaded) gradersNode(x *study.Explainer) (*explain.Node, error) {
	o, err := g.outcome(x.Replay)
	if err != nil {
		return nil, err
	}
	node := x.Number("graders' exact agreement", o.result.Agreement.Exact,
		"Share of the answers whose composite is the same by both graders. "+g.spec.Dependence, "equal answers / answers", judge.Fraction.Equal)
	for i := range o.grades[0] {
		if p, q := o.grades[0][i].Composite(), o.grades[1][i].Composite(); !p.Equal(q) {
			place := o.trial.tasks[i/2]
			id, row := g.tasks[place].ID, g.spec.Trial.Rows[exact.One(o.trial.first[place] != i%2)]
			node.Inputs = append(node.Inputs, explain.Input{Label: id + ", " + row, Text: show.Share(p.Float()) + " and " + show.Share(q.Float()),
				Path: numpath.Of("answer", id, row)})
		}
	}
	return node, nil
}

// answersNode explains a score of a row's answers.
func (g *Loaded) answersNode(x *study.Explainer, sentence string, style show.Style, value func(AnswerScores) float64) (*explain.Node, error) {
	o, err := g.outcome(x.Replay)
	if err != nil {
		return nil, err
	}
	rows, err := g.rows(x.Replay)
	if err != nil {
		return nil, err
	}
	row := slices.Index(g.spec.Trial.Rows[:], x.Key(1))
	if row < 0 {
		return nil, nil
	}
	sentence += ", over all answers that had the first documents of " + rows[x.Key(1)] + " and both graders"
	if style == show.Measure {
		sentence += ", as a share of its maximum"
	}
	node := x.Number("answers, "+x.Key(1)+": "+x.Key(2), value(o.result.Rows[x.Key(1)]), sentence+". "+g.spec.Dependence,
		"summed exactly, divided once", judge.Summarise)
	for i, place := range o.trial.tasks {
		id := g.tasks[place].ID
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: show.Share(o.composite(i, row).Float()), Path: numpath.Of("answer", id, x.Key(1))})
	}
	return node, nil
}

// comparison returns all contrasts, made once for a replay.
func (g *Loaded) comparisons(r *study.Replay) (map[string]ContrastResult, error) {
	kept := g.of(r)
	if kept.contrasts != nil {
		return kept.contrasts, nil
	}
	rows, err := g.rows(r)
	if err != nil {
		return nil, err
	}
	perRow, err := g.allRows(r, rows)
	if err != nil {
		return nil, err
	}
	answers, err := g.outcome(r)
	if err != nil {
		return nil, err
	}
	out := &Results{Contrasts: map[string]ContrastResult{}}
	if err := g.contrasts(r, out, rows, perRow, answers); err != nil {
		return nil, err
	}
	kept.contrasts = out.Contrasts
	return kept.contrasts, nil
}

const conditional = "It is conditional on these tasks, this collection and these judges."

// contrastRows explain the contrasts and each task's part of them.
func (g *Loaded) contrastRows() []study.Row {
	type explains func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node
	row := func(key string, style show.Style, explains explains) study.Row {
		return study.Row{Shape: "contrasts.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
			c, ok := g.contrast(x.Key(1))
			if !ok {
				return nil, nil
			}
			all, err := g.comparisons(x.Replay)
			if err != nil {
				return nil, err
			}
			r := all[c.Name]
			w := paired.Words{Pair: r.Method + " − " + r.Against, Units: "final tasks", Conditional: conditional}
			node := explains(x, w, c, r)
			if node == nil || len(node.Inputs) > 0 {
				return node, nil
			}
			return node, g.listDifferences(x, c, node)
		}}
	}
	count := func(key, sentence string, value func(ContrastResult) int) study.Row {
		return row(key, show.Integer, func(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			return x.Number("tasks, "+w.Pair, float64(value(r)), sentence, "a count", (*Loaded).intervals)
		})
	}
	alone := func(key string, style show.Style, explains func(x *study.Explainer, a AloneResult) *explain.Node) study.Row {
		return row("alone.*."+key, style, func(x *study.Explainer, _ paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			a, ok := r.Alone[x.Key(3)]
			if !ok {
				return nil
			}
			return explains(x, a)
		})
	}
	return []study.Row{
		{Shape: "difference.*.*", Style: show.Change, Explain: g.taskDifference},
		count("n", "Final tasks with a value under both methods.", func(r ContrastResult) int { return r.N }),
		count("nonzero", "Final tasks for which the two differ.", func(r ContrastResult) int { return r.Nonzero }),
		row("difference", show.Change, func(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
			return w.Difference(x, r.N, r.Difference)
		}),
		row("ci95.*", show.Change, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			return w.CI95(x, r.CI95, c.Replicates, c.BootstrapStream, "", stats.Bootstrap)
		}),
		row("ci95Stratified.*", show.Change, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			return w.CI95(x, r.CI95Stratified, c.Replicates, c.StratifiedStream, ", drawn inside each domain", stats.BootstrapStratified)
		}),
		row("p", show.P, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			if c.Measure == Composite {
				return w.P(x, r.P, c.Draws, c.TestStream, "allocations", stats.Allocation)
			}
			return w.P(x, r.P, c.Draws, c.TestStream, "sign patterns", stats.SignFlip)
		}),
		row("pExact", show.P, func(x *study.Explainer, w paired.Words, c Contrast, r ContrastResult) *explain.Node {
			if c.Measure == Composite {
				return w.PExact(x, r.PExact, "allocations", stats.AllocationExact)
			}
			return w.PExact(x, r.PExact, "sign patterns", stats.SignFlipExact)
		}),
		row("pHolm", show.P, g.holmNode),
		alone("n", show.Integer, func(x *study.Explainer, a AloneResult) *explain.Node {
			return x.Number("tasks, "+x.Key(3)+" alone", float64(a.N), "Final tasks with a value under both methods, by "+x.Key(3)+" alone.", "a count", exact.Mean)
		}),
		alone("difference", show.Change, func(x *study.Explainer, a AloneResult) *explain.Node {
			return x.Number("mean difference, "+x.Key(3)+" alone", a.Difference,
				"The same mean difference from the grades of "+x.Key(3)+" alone: own ideal ranking, own undefined tasks.", "Σ difference / n", exact.Mean)
		}),
	}
}

// contrast returns a contrast of the protocol by its name.
func (g *Loaded) contrast(name string) (Contrast, bool) {
	for _, c := range g.spec.Contrasts {
		if c.Name == name {
			return c, true
		}
	}
	return Contrast{}, false
}

func (g *Loaded) holmNode(x *study.Explainer, w paired.Words, _ Contrast, r ContrastResult) *explain.Node {
	node := x.Number("p by Holm, "+w.Pair, r.PHolm, fmt.Sprintf("The Monte Carlo p corrected for %d comparisons.", len(g.spec.Contrasts)),
		"the smallest p times their number, the next times one less, …, never falling, at most 1", stats.Holm)
	node.Citation = "Holm 1979"
	all, err := g.comparisons(x.Replay)
	if err != nil {
		return node // can't be: r is one of them
	}
	for _, other := range g.spec.Contrasts {
		node.Inputs = append(node.Inputs, explain.Input{Label: other.Name, Text: show.Chance(all[other.Name].P), Path: numpath.Of("contrasts", other.Name, "p")})
	}
	return node
}

// taskSides returns the values that a contrast compares in a final task, null where undefined, with paths of their own;
// final is the task's place among the final ones.
func (g *Loaded) taskSides(x *study.Explainer, c Contrast, final int) (values [2]*float64, paths [2]string, source any, err error) {
	rows, err := g.rows(x.Replay)
	if err != nil {
		return values, paths, nil, err
	}
	task := g.tasks[g.split(true)[final]].ID
	for k, row := range [2]string{c.Row, c.Against} {
		if c.Measure == Composite {
			answers, err := g.outcome(x.Replay)
			if err != nil {
				return values, paths, nil, err
			}
			value := answers.composite(final, 1-k).Float()
			values[k], paths[k], source = &value, numpath.Of("answer", task, row), judge.MeanComposite
			continue
		}
		list, err := g.values(x.Replay, rows[row], []int{g.split(true)[final]}, bothAssessors)
		if err != nil {
			return values, paths, nil, err
		}
		values[k], paths[k], source = list[c.Measure][0], numpath.Of("measure", "both", c.Measure, task, rows[row]), (*Loaded).values
	}
	return values, paths, source, nil
}

// listDifferences adds every final task's difference to an explanation.
func (g *Loaded) listDifferences(x *study.Explainer, c Contrast, node *explain.Node) error {
	for i, place := range g.split(true) {
		values, _, _, err := g.taskSides(x, c, i)
		if err != nil {
			return err
		}
		text := "undefined"
		if values[0] != nil && values[1] != nil {
			text = show.Signed(*values[0] - *values[1])
		}
		id := g.tasks[place].ID
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: text, Path: numpath.Of("difference", id, c.Name)})
	}
	return nil
}

// taskDifference explains a final task's part of a comparison by its two sides.
func (g *Loaded) taskDifference(x *study.Explainer) (*explain.Node, error) {
	task := x.Key(1)
	c, ok := g.contrast(x.Key(2))
	i := slices.IndexFunc(g.split(true), func(place int) bool { return g.tasks[place].ID == task })
	if !ok || i < 0 {
		return nil, nil
	}
	values, paths, source, err := g.taskSides(x, c, i)
	if err != nil {
		return nil, err
	}
	node := x.Number("difference in task "+task, 0, "The task's value under "+c.Row+" minus that under "+c.Against+".", c.Row+" − "+c.Against, source)
	if node.Value, node.Text = nil, "undefined"; values[0] != nil && values[1] != nil {
		difference := *values[0] - *values[1]
		node.Value, node.Text = &difference, show.Signed(difference)
	}
	for k, row := range [2]string{c.Row, c.Against} {
		text := "undefined"
		if values[k] != nil {
			text = show.Share(*values[k])
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: row, Text: text, Path: paths[k]})
	}
	return node, nil
}

// relationRows explain the overlay and how far its walk reaches.
func (g *Loaded) relationRows() []study.Row {
	overlay := func(key string, sentence func(x *study.Explainer) string, value func(*RelationsResult, *study.Explainer) (int, bool)) study.Row {
		return study.Row{Shape: "relations." + key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			r := g.overlay()
			if r == nil {
				return nil, nil
			}
			n, ok := value(r, x)
			if !ok {
				return nil, nil
			}
			node := x.Number("overlay: "+strings.Join(x.Keys[1:], " "), float64(n),
				sentence(x)+" Each rests on words that stand literally in a definition.", "a count", (*collection.Collection).ParseRelations)
			node.Inputs = []explain.Input{{Label: "relations", Where: g.study.Protocol.Relations.File}}
			return node, nil
		}}
	}
	say := func(sentence string) func(*study.Explainer) string {
		return func(*study.Explainer) string { return sentence }
	}
	rows := []study.Row{
		overlay("relations", say("Typed relations of the overlay."), func(r *RelationsResult, _ *study.Explainer) (int, bool) { return r.Relations, true }),
		overlay("documents", say("Documents with at least one relation."), func(r *RelationsResult, _ *study.Explainer) (int, bool) { return r.Documents, true }),
		overlay("qualified", say("Relations that carry a qualification."), func(r *RelationsResult, _ *study.Explainer) (int, bool) { return r.Qualified, true }),
		overlay("predicates.*", func(x *study.Explainer) string { return "Relations with the predicate " + x.Key(2) + "." },
			func(r *RelationsResult, x *study.Explainer) (int, bool) {
				n, ok := r.Predicates[x.Key(2)]
				return n, ok
			}),
	}
	for _, f := range []struct {
		key, sentence string
		value         func(*PathCoverage) int
	}{
		{"finalTasksWithPath", "Final tasks for which the walk of %s finds a path.", func(c *PathCoverage) int { return c.FinalTasksWithPath }},
		{"paths", "Paths that the walk of %s finds on the final tasks.", func(c *PathCoverage) int { return c.Paths }},
		{"places", "First places of %s on the final tasks, as many as readers are supplied with.", func(c *PathCoverage) int { return c.Places }},
		{"placesReached", "First places of %s whose document a path reaches.", func(c *PathCoverage) int { return c.PlacesReached }},
	} {
		rows = append(rows, study.Row{Shape: "pathCoverage." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return g.coverageNode(x, f.key, f.sentence, f.value)
		}})
	}
	return rows
}

func (g *Loaded) coverageNode(x *study.Explainer, key, sentence string, value func(*PathCoverage) int) (*explain.Node, error) {
	rows, err := g.rows(x.Replay)
	if err != nil {
		return nil, err
	}
	coverage, err := g.pathCoverage(x.Replay, rows)
	if err != nil || coverage == nil {
		return nil, err
	}
	name := rows[g.spec.Trial.Rows[1]]
	node := x.Number("paths: "+key, float64(value(coverage)), fmt.Sprintf(sentence, name), "a count", (*walk.Typed).Paths)
	node.Inputs = []explain.Input{{Label: "relations", Where: g.study.Protocol.Relations.File}}
	for _, place := range g.split(true) {
		paths, err := g.paths(name, place)
		if err != nil {
			return nil, err
		}
		id := g.tasks[place].ID
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: show.Count(int64(len(paths))) + " paths", Path: numpath.Of("question", id)})
	}
	return node, nil
}
