package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/judge"
	"retrace/core/metrics"
	"retrace/core/show"
	"retrace/core/stats"
	"retrace/core/walk"
)

// questionWhere returns file and line of one of the study's questions.
func (s *Study) questionWhere(q *Question) string {
	file := s.Protocol.Questions.File
	if s.binary != nil {
		for _, split := range s.binary.spec.Splits {
			if split.Name == s.Split(q) {
				file = split.File
			}
		}
	}
	return fmt.Sprintf("%s:%d", file, q.Line)
}

// judgeIndex returns the number of an assessor by name, bothAssessors for "both".
func (g *graded) judgeIndex(name string) (int, bool) {
	if name == "both" {
		return bothAssessors, true
	}
	i := slices.IndexFunc(g.spec.Pool.Assessors, func(a Assessor) bool { return a.Name == name })
	return i, i >= 0
}

func (g *graded) judgeName(i int) string {
	if i == bothAssessors {
		return "both"
	}
	return g.spec.Pool.Assessors[i].Name
}

// sealedRows returns the methods of the rows under the sealed lock.
func (g *graded) sealedRows() (map[string]string, error) {
	var lock gradedLock
	if _, ok, err := g.study.SealedLock(&lock); err != nil || !ok {
		if err == nil {
			err = fmt.Errorf("study: %s has no lock yet: run `build lock %s`", g.study.Protocol.ID, g.study.Protocol.ID)
		}
		return nil, err
	}
	return g.rowMethods(lock)
}

// graded explains the results of a Graded study.
func (x *explainer) graded(g *graded) (*explain.Node, error) {
	rows, err := g.sealedRows()
	if err != nil {
		return nil, err
	}
	last := x.key(len(x.keys) - 1)
	switch x.keys[0] {
	case "measure":
		if i, ok := g.judgeIndex(x.key(1)); ok && len(x.keys) == 5 {
			return x.measureNode(g, i, x.keys[2], x.keys[3], x.keys[4])
		}
	case "judgement":
		if len(x.keys) == 3 {
			return x.judgementNode(g, x.keys[1], x.keys[2])
		}
	case "answer":
		if len(x.keys) == 3 {
			return x.answerNode(g, rows, x.keys[1], x.keys[2])
		}
	case "development":
		if x.key(1) == "settings" && len(x.keys) == 3 {
			return x.gradedMean(g, g.split(false), bothAssessors, g.spec.Measures[0].Key, last)
		}
	case "final":
		if rows[x.key(1)] != "" && len(x.keys) == 3 {
			return x.gradedMean(g, g.split(true), bothAssessors, last, rows[x.key(1)])
		}
	case "finalByAssessor":
		if i, ok := g.judgeIndex(x.key(1)); ok && rows[x.key(2)] != "" && len(x.keys) == 4 {
			return x.gradedMean(g, g.split(true), i, last, rows[x.key(2)])
		}
	case "nByAssessor", "tasks":
		return x.taskCount(g)
	case "agreement":
		return x.agreementNode(g)
	case "contrasts":
		return x.gradedContrast(g, rows)
	case "difference":
		if len(x.keys) == 3 {
			return x.taskDifference(g, rows, x.keys[1], x.keys[2])
		}
	case "answers":
		return x.answersNode(g, rows)
	case "perTask":
		final := g.split(true)
		i, err := strconv.Atoi(x.key(1))
		if err != nil || i < 0 || i >= len(final) {
			return nil, nil
		}
		task := g.tasks[final[i]].ID
		switch {
		case x.key(2) == "rows" && rows[x.key(3)] != "" && len(x.keys) == 5:
			return x.measureNode(g, bothAssessors, last, task, rows[x.key(3)])
		case x.key(2) == Composite && len(x.keys) == 4:
			return x.answerNode(g, rows, task, last)
		}
	case "pool":
		return x.poolNode(g)
	case "relations", "pathCoverage":
		return x.relationsNode(g, rows)
	case "dense":
		return x.denseNode()
	}
	return nil, nil
}

// measureSpec returns the measure under a key of results.
func (g *graded) measure(key string) (m metrics.Measure, f metrics.Family, ok bool) {
	i := slices.IndexFunc(g.spec.Measures, func(s MeasureSpec) bool { return s.Key == key })
	if i < 0 {
		return m, f, false
	}
	f, ok = g.measures[i].Table()
	return g.measures[i], f, ok
}

func whose(g *graded, assessor int) string {
	if assessor == bothAssessors {
		return "the mean of both assessors' grades"
	}
	return "the grades of assessor " + g.judgeName(assessor) + " alone"
}

// gradedMean explains a mean over tasks by the tasks' values.
func (x *explainer) gradedMean(g *graded, tasks []int, assessor int, key, name string) (*explain.Node, error) {
	m, f, ok := g.measure(key)
	if _, known := g.study.Terms[name]; !ok || !known {
		return nil, nil
	}
	values, err := g.values(x.replay, name, tasks, assessor)
	if err != nil {
		return nil, err
	}
	mean := values.mean(key)
	if mean == nil {
		return nil, nil
	}
	n := 0
	for _, v := range values[key] {
		n += one(v != nil)
	}
	node := x.number(m.String()+", "+name, *mean, fmt.Sprintf("Mean over the %d of %d %s tasks for which it is defined, by %s. %s", n, len(tasks), splitName(g.final[tasks[0]]), whose(g, assessor), f.Definition),
		"Σ value / n, tasks in file order", taskValues.mean)
	node.Citation = f.Citation
	for i, place := range tasks {
		text := "undefined"
		if v := values[key][i]; v != nil {
			text = show.Share(*v)
		}
		id := g.tasks[place].ID
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: text, Path: pathTo("measure", g.judgeName(assessor), key, id, name), Where: x.study.questionWhere(&x.study.Questions[place])})
	}
	return node, nil
}

// measureNode explains one task's measure by the first documents and their grades.
func (x *explainer) measureNode(g *graded, assessor int, key, task, name string) (*explain.Node, error) {
	m, f, ok := g.measure(key)
	place, known := g.study.byQuestion[task]
	if _, method := g.study.Terms[name]; !ok || !known || !method {
		return nil, nil
	}
	values, err := g.values(x.replay, name, []int{place}, assessor)
	if err != nil {
		return nil, err
	}
	value := 0.0
	v := values[key][0]
	if v != nil {
		value = *v
	}
	node := x.number(m.String()+", task "+task+", "+name, value, f.Definition+" By "+whose(g, assessor)+".", f.Formula, f.Function)
	if node.Citation = f.Citation; v == nil {
		node.Value, node.Text = nil, "undefined: "+f.Undefined
	} else {
		node.Text = show.Share(value)
	}
	o, err := x.replay.observation(task, name)
	if err != nil {
		return nil, err
	}
	topic := g.topic(place, assessor, o)
	for i, p := range o.Best[:min(m.Cutoff, len(o.Best))] {
		at := slices.IndexFunc(topic.Judged, func(j metrics.Judgement) bool { return j.Doc == p.ID })
		doc, _ := x.study.Collection.Number(p.ID)
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
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", i+1, x.docLabel(doc)), Text: text, Path: pathTo("judgement", task, p.ID)})
	}
	if f.Name == "nDCG" {
		var pool []metrics.Grade
		for _, j := range topic.Judged {
			pool = append(pool, j.Grade)
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("ideal DCG@%d of the pool of %d", m.Cutoff, len(pool)), Text: show.Share(metrics.IdealDCG(pool, m.Cutoff))})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "task", Text: g.tasks[place].Need, Path: pathTo("question", task)})
	for i, obligation := range g.tasks[place].Obligations {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("obligation %d", i), Text: obligation})
	}
	for _, p := range o.Best[:min(m.Cutoff, len(o.Best))] {
		doc, _ := x.study.Collection.Number(p.ID)
		node.Inputs = append(node.Inputs, explain.Input{Label: "score of " + x.docLabel(doc), Text: show.Score(p.Score), Path: pathTo("score", task, name, p.ID)})
	}
	return node, nil
}

// judgementNode explains what both assessors said of a pair.
func (x *explainer) judgementNode(g *graded, task, concept string) (*explain.Node, error) {
	at := slices.IndexFunc(g.pairs, func(p judge.Pair) bool { return p.Task == task && p.Concept == concept })
	if at < 0 {
		return nil, fmt.Errorf("study: %s is not in the pool of task %s", concept, task)
	}
	doc, _ := x.study.Collection.Number(concept)
	a, b := g.grades[0][at], g.grades[1][at]
	node := x.number("grade of "+x.docLabel(doc)+" for task "+task, float64(judge.MeanHalves(a, b))/2, "Mean of the two assessors' grades: 0 irrelevant, 1 related background, 2 useful for an explicit obligation, 3 directly supports a central distinction. "+g.spec.Dependence, "(a + b)/2", judge.MeanHalves)
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
		explain.Input{Label: "task", Text: g.tasks[g.study.byQuestion[task]].Need, Path: pathTo("question", task)},
		explain.Input{Label: "document", Text: x.docLabel(doc), Path: pathTo("document", concept), Where: x.where(doc)})
	return node, nil
}

func (x *explainer) taskCount(g *graded) (*explain.Node, error) {
	if x.keys[0] == "tasks" && x.key(1) == "final" {
		node := x.number("final tasks", float64(len(g.split(true))), "Tasks that are neither used for selection nor looked at before the lock. They were drawn in each cell of a domain and an origin.", "a count", (*graded).drawSplit)
		for _, place := range g.split(true) {
			node.Inputs = append(node.Inputs, explain.Input{Label: g.tasks[place].ID, Text: g.tasks[place].Domain + ", " + g.tasks[place].Origin, Path: pathTo("question", g.tasks[place].ID)})
		}
		return node, nil
	}
	i, ok := g.judgeIndex(x.key(1))
	if x.keys[0] != "nByAssessor" || !ok {
		return nil, nil
	}
	u, err := g.undefined(x.replay, i)
	if err != nil {
		return nil, err
	}
	node := x.number("final tasks with a value, assessor "+x.key(1), float64(len(g.split(true))-len(u.Final)), "Final tasks for which the assessor gave some grade above 0; for the others nDCG is undefined.", "a count", (*graded).undefined)
	for _, id := range u.Final {
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: "undefined", Path: pathTo("question", id)})
	}
	return node, nil
}

func (x *explainer) agreementNode(g *graded) (*explain.Node, error) {
	a := g.agreement()
	var node *explain.Node
	switch x.key(1) {
	case "pairs":
		node = x.number("judged pairs", float64(a.Pairs), "Pairs of a task and a concept that both assessors judged.", "a count", judge.Agree)
	case "exact":
		node = x.number("exact agreement", a.Exact, "Share of the pairs to which both assessors gave the same grade. "+g.spec.Dependence, "equal pairs / pairs", judge.Agreement.Exact)
	case "kappa":
		if a.Kappa == nil {
			return nil, nil
		}
		node = x.number("quadratic-weighted κ", *a.Kappa, "Agreement beyond what the assessors' own grade frequencies would give, larger differences counting by their square. "+g.spec.Dependence, "1 − Σ(a−b)² / expected Σ(a−b)²", judge.Agree)
		node.Citation = "Cohen 1968, doi:10.1037/h0026256"
	case "disagreements":
		node = x.number("disagreements", float64(a.Disagreements), "Pairs with different grades.", "a count", judge.Agree)
	case "matrix":
		i, errI := strconv.Atoi(x.key(2))
		j, errJ := strconv.Atoi(x.key(3))
		if errI != nil || errJ != nil || i < 0 || j < 0 || i >= len(a.Matrix) || j >= len(a.Matrix) {
			return nil, nil
		}
		node = x.number(fmt.Sprintf("pairs graded %d and %d", i, j), float64(a.Matrix[i][j]), fmt.Sprintf("Pairs that assessor %s graded %d and assessor %s %d.", g.spec.Pool.Assessors[0].Name, i, g.spec.Pool.Assessors[1].Name, j), "a count", judge.Agree)
		for at, p := range g.pairs {
			if g.grades[0][at].Grade == i && g.grades[1][at].Grade == j {
				node.Inputs = append(node.Inputs, explain.Input{Label: p.Task + " " + p.Concept, Text: fmt.Sprintf("%d and %d", i, j), Path: pathTo("judgement", p.Task, p.Concept)})
			}
		}
		return node, nil
	case "list":
		i, err := strconv.Atoi(x.key(2))
		if err != nil || i < 0 || i >= len(a.List) {
			return nil, nil
		}
		d := a.List[i]
		value, ok := map[string]int{"a": d.A, "b": d.B}[x.key(3)]
		if !ok {
			return nil, nil
		}
		node = x.number("grade by assessor "+x.key(3), float64(value), "One of two different grades of the same pair.", "", judge.Agree)
		node.Inputs = []explain.Input{{Label: "both judgements", Text: fmt.Sprintf("%d and %d", d.A, d.B), Path: pathTo("judgement", d.Task, d.Concept)}}
		return node, nil
	default:
		return nil, nil
	}
	for _, d := range a.List {
		node.Inputs = append(node.Inputs, explain.Input{Label: d.Task + " " + d.Concept, Text: fmt.Sprintf("%d and %d", d.A, d.B), Path: pathTo("judgement", d.Task, d.Concept)})
	}
	for _, assessor := range g.spec.Pool.Assessors {
		node.Inputs = append(node.Inputs, explain.Input{Label: "judgements of assessor " + assessor.Name, Where: assessor.Judgements})
	}
	return node, nil
}

// trialOutcome runs the answer trial from what was observed, once for a replay.
func (x *explainer) trialOutcome(g *graded, rows map[string]string) (*trialOutcome, error) {
	if x.replay.trial == nil {
		o, err := g.runTrial(rows, x.replay.observation)
		if err != nil {
			return nil, err
		}
		x.replay.trial = o
	}
	return x.replay.trial, nil
}

// answerNode explains an answer's composite by both graders' scores.
func (x *explainer) answerNode(g *graded, rows map[string]string, task, row string) (*explain.Node, error) {
	r := slices.Index(g.spec.Trial.Rows[:], row)
	final := g.split(true)
	i := slices.IndexFunc(final, func(place int) bool { return g.tasks[place].ID == task })
	if r < 0 || i < 0 {
		return nil, nil
	}
	o, err := x.trialOutcome(g, rows)
	if err != nil {
		return nil, err
	}
	reader := o.trial.reader(final[i], r)
	node := x.number("composite, task "+task+", "+row, o.composite(i, r).Float(), fmt.Sprintf("Mean of both graders' scores of the answer of reader %s, who was supplied with the first %d of %s, as a share of the largest possible score. %s", g.spec.Trial.Readers[reader].Name, g.spec.Trial.Top, rows[row], g.spec.Dependence),
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
		explain.Input{Label: "task", Text: g.tasks[final[i]].Need, Path: pathTo("question", task)})
	for _, item := range o.trial.contexts[final[i]][reader] {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("supplied as [%d]: %s", item.Label, item.Name), Text: item.Definition})
	}
	return node, nil
}

func (x *explainer) answersNode(g *graded, rows map[string]string) (*explain.Node, error) {
	o, err := x.trialOutcome(g, rows)
	if err != nil {
		return nil, err
	}
	row := slices.Index(g.spec.Trial.Rows[:], x.key(1))
	if x.key(1) == "agreement" {
		a := o.result.Agreement
		switch x.key(2) {
		case "pairs":
			return x.number("graded answers", float64(a.Pairs), "Answers that both graders graded.", "a count", judge.ParseAnswerGrades), nil
		case "exact":
			node := x.number("graders' exact agreement", a.Exact, "Share of the answers whose composite is the same by both graders. "+g.spec.Dependence, "equal answers / answers", judge.Fraction.Equal)
			for i := range o.grades[0] {
				if p, q := o.grades[0][i].Composite(), o.grades[1][i].Composite(); !p.Equal(q) {
					place := o.trial.tasks[i/2]
					id, r := g.tasks[place].ID, g.spec.Trial.Rows[one(o.trial.first[place] != i%2)]
					node.Inputs = append(node.Inputs, explain.Input{Label: id + ", " + r, Text: show.Share(p.Float()) + " and " + show.Share(q.Float()), Path: pathTo("answer", id, r)})
				}
			}
			return node, nil
		}
		return nil, nil
	}
	if row < 0 {
		return nil, nil
	}
	scores := o.result.Rows[x.key(1)]
	parts := map[string]struct {
		value    float64
		sentence string
	}{
		Composite:       {scores.Composite, "Mean composite"},
		"obligations":   {scores.Obligations, "Mean score of the obligations"},
		"role":          {scores.Role, "Mean score for keeping role and conditions"},
		"evidence":      {scores.Evidence, "Mean score of the evidence"},
		"unsupported":   {float64(scores.Unsupported), "How often a grader flagged unsupported claims"},
		"falseCitation": {float64(scores.FalseCitation), "How often a grader flagged a false citation"},
		"marks":         {float64(scores.Marks), "How many grades there are: answers times graders"},
	}
	part, ok := parts[x.key(2)]
	if !ok {
		return nil, nil
	}
	sentence := part.sentence + ", over all answers that had the first documents of " + rows[x.key(1)] + " and both graders"
	if !slices.Contains([]string{"unsupported", "falseCitation", "marks"}, x.key(2)) {
		sentence += ", as a share of its maximum"
	}
	node := x.number("answers, "+x.key(1)+": "+x.key(2), part.value, sentence+". "+g.spec.Dependence, "summed exactly, divided once", judge.Summarise)
	for i, place := range o.trial.tasks {
		node.Inputs = append(node.Inputs, explain.Input{Label: g.tasks[place].ID, Text: show.Share(o.composite(i, row).Float()), Path: pathTo("answer", g.tasks[place].ID, x.key(1))})
	}
	return node, nil
}

// gradedContrast explains a comparison of two rows.
func (x *explainer) gradedContrast(g *graded, rows map[string]string) (*explain.Node, error) {
	at := slices.IndexFunc(g.spec.Contrasts, func(c GradedContrast) bool { return c.Name == x.key(1) })
	if at < 0 {
		return nil, nil
	}
	c := g.spec.Contrasts[at]
	perRow := map[string]taskValues{}
	final := g.split(true)
	for _, row := range []string{c.Row, c.Against} {
		values, err := g.values(x.replay, rows[row], final, bothAssessors)
		if err != nil {
			return nil, err
		}
		perRow[row] = values
	}
	answers, err := x.trialOutcome(g, rows)
	if err != nil {
		return nil, err
	}
	if x.replay.contrasts == nil {
		out := &GradedResults{Contrasts: map[string]GradedContrastResult{}}
		all, err := g.allRows(x.replay, rows)
		if err != nil {
			return nil, err
		}
		if err := g.contrasts(x.replay, out, rows, all, answers); err != nil {
			return nil, err
		}
		x.replay.contrasts = out.Contrasts
	}
	r := x.replay.contrasts[c.Name]
	pair := r.Method + " − " + r.Against
	unit := "random signs"
	test, exactTest := any(stats.SignFlip), any(stats.SignFlipExact)
	if c.Measure == Composite {
		unit, test, exactTest = "random allocations", stats.Allocation, stats.AllocationExact
	}
	side := func(interval [2]float64, what string, stream uint64, source any) *explain.Node {
		i, err := strconv.Atoi(x.key(3))
		if err != nil || i < 0 || i > 1 {
			return nil
		}
		node := x.number([]string{"lower", "upper"}[i]+" end of the 95% interval"+what+", "+pair, interval[i], fmt.Sprintf("Quantile %s of the mean difference over %s resamples of the tasks%s. It is conditional on these tasks, this collection and these judges.", []string{"0.025", "0.975"}[i], show.Count(int64(c.Replicates)), what),
			fmt.Sprintf("percentile bootstrap, stream %d, linear interpolation (type 7)", stream), source)
		node.Citation = "Efron and Tibshirani 1993, section 13.3; Sakai 2006, doi:10.1145/1148170.1148261; quantiles: Hyndman and Fan 1996"
		return node
	}
	var node *explain.Node
	switch x.key(2) {
	case "n", "nonzero":
		value := map[string]int{"n": r.N, "nonzero": r.Nonzero}[x.key(2)]
		node = x.number("tasks, "+pair, float64(value), map[string]string{"n": "Final tasks with a value under both methods.", "nonzero": "Final tasks for which the two differ."}[x.key(2)], "a count", (*graded).intervals)
	case "difference":
		node = x.number("mean difference, "+pair, r.Difference, fmt.Sprintf("Mean over %d final tasks.", r.N), "Σ difference / n", stats.Sample.Mean)
	case "ci95":
		node = side(r.CI95, "", c.BootstrapStream, stats.Bootstrap)
	case "ci95Stratified":
		node = side(r.CI95Stratified, ", drawn inside each domain", c.StratifiedStream, stats.BootstrapStratified)
	case "p":
		node = x.number("Monte Carlo p, "+pair, r.P, "Share of "+unit+" whose mean is at least as far from zero as the observed one, the observed one counted in.", fmt.Sprintf("(1 + #{at least as extreme})/(%s + 1), stream %d", show.Count(int64(c.Draws)), c.TestStream), test)
		node.Citation = "Smucker, Allan and Carterette 2007, doi:10.1145/1321440.1321528"
	case "pExact":
		node = x.number("exact p, "+pair, r.PExact, "Share of all "+strings.TrimPrefix(unit, "random ")+" whose mean is at least as far from zero as the observed one.", "#{at least as extreme}/#{all}", exactTest)
	case "pHolm":
		node = x.number("p by Holm, "+pair, r.PHolm, fmt.Sprintf("The Monte Carlo p corrected for %d comparisons.", len(g.spec.Contrasts)), "the smallest p times their number, the next times one less, …, never falling, at most 1", stats.Holm)
		node.Citation = "Holm 1979"
		for _, other := range g.spec.Contrasts {
			node.Inputs = append(node.Inputs, explain.Input{Label: other.Name, Text: show.Chance(x.replay.contrasts[other.Name].P), Path: pathTo("contrasts", other.Name, "p")})
		}
		return node, nil
	case "alone":
		a, ok := r.Alone[x.key(3)]
		if !ok {
			return nil, nil
		}
		switch x.key(4) {
		case "n":
			return x.number("tasks, "+x.key(3)+" alone", float64(a.N), "Final tasks with a value under both methods, by "+x.key(3)+" alone.", "a count", exact.Mean), nil
		case "difference":
			return x.number("mean difference, "+x.key(3)+" alone", a.Difference, "The same mean difference from the grades of "+x.key(3)+" alone: own ideal ranking, own undefined tasks.", "Σ difference / n", exact.Mean), nil
		}
		return nil, nil
	}
	if node == nil {
		return nil, nil
	}
	for i, place := range final {
		id := g.tasks[place].ID
		if c.Measure == Composite {
			d := answers.composite(i, 1).Float() - answers.composite(i, 0).Float()
			node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: show.Signed(d), Path: pathTo("difference", id, c.Name)})
			continue
		}
		a, b := perRow[c.Row][c.Measure][i], perRow[c.Against][c.Measure][i]
		text := "undefined"
		if a != nil && b != nil {
			text = show.Signed(*a - *b)
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: id, Text: text, Path: pathTo("difference", id, c.Name)})
	}
	return node, nil
}

// taskDifference explains a final task's part of a comparison by its two sides.
func (x *explainer) taskDifference(g *graded, rows map[string]string, task, contrast string) (*explain.Node, error) {
	at := slices.IndexFunc(g.spec.Contrasts, func(c GradedContrast) bool { return c.Name == contrast })
	final := g.split(true)
	i := slices.IndexFunc(final, func(place int) bool { return g.tasks[place].ID == task })
	if at < 0 || i < 0 {
		return nil, nil
	}
	c := g.spec.Contrasts[at]
	var sides [2]*float64
	var paths [2]string
	names := [2]string{c.Row, c.Against}
	source := any((*graded).values)
	if c.Measure == Composite {
		answers, err := x.trialOutcome(g, rows)
		if err != nil {
			return nil, err
		}
		for k := range sides {
			value := answers.composite(i, 1-k).Float()
			sides[k], paths[k] = &value, pathTo("answer", task, names[k])
		}
		source = judge.MeanComposite
	} else {
		for k, row := range names {
			values, err := g.values(x.replay, rows[row], final, bothAssessors)
			if err != nil {
				return nil, err
			}
			sides[k], paths[k] = values[c.Measure][i], pathTo("measure", "both", c.Measure, task, rows[row])
		}
	}
	node := x.number("difference in task "+task, 0, "The task's value under "+c.Row+" minus that under "+c.Against+".", c.Row+" − "+c.Against, source)
	if node.Value, node.Text = nil, "undefined"; sides[0] != nil && sides[1] != nil {
		difference := *sides[0] - *sides[1]
		node.Value, node.Text = &difference, show.Signed(difference)
	}
	for k, value := range sides {
		text := "undefined"
		if value != nil {
			text = show.Share(*value)
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: names[k], Text: text, Path: paths[k]})
	}
	return node, nil
}

func (x *explainer) poolNode(g *graded) (*explain.Node, error) {
	out := PoolResult{Pairs: len(g.pairs), Smallest: len(g.pairs)}
	for _, t := range g.tasks {
		n := len(g.pool[t.ID])
		out.Smallest, out.Largest = min(out.Smallest, n), max(out.Largest, n)
	}
	value, ok := map[string]int{"pairs": out.Pairs, "smallest": out.Smallest, "largest": out.Largest}[x.key(1)]
	if !ok {
		return nil, nil
	}
	node := x.number("pool: "+x.key(1), float64(value), map[string]string{"pairs": "Pairs of a task and a concept in all pools.", "smallest": "Concepts in the smallest pool of a task.", "largest": "Concepts in the largest pool of a task."}[x.key(1)],
		fmt.Sprintf("every method's first %d, a few places more of some methods, and one random other concept", g.spec.Pool.Depth), (*graded).makePool)
	for _, t := range g.tasks {
		node.Inputs = append(node.Inputs, explain.Input{Label: t.ID, Text: show.Count(int64(len(g.pool[t.ID]))), Path: pathTo("question", t.ID)})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "key", Where: g.spec.Pool.Key})
	return node, nil
}

func (x *explainer) relationsNode(g *graded, rows map[string]string) (*explain.Node, error) {
	relations, coverage, err := g.describeRelations(x.replay, rows)
	if err != nil || relations == nil {
		return nil, err
	}
	file := explain.Input{Label: "relations", Where: x.study.Protocol.Relations.File}
	if x.keys[0] == "relations" {
		value, ok := map[string]int{"relations": relations.Relations, "documents": relations.Documents, "qualified": relations.Qualified}[x.key(1)]
		sentence := map[string]string{"relations": "Typed relations of the overlay.", "documents": "Documents with at least one relation.", "qualified": "Relations that carry a qualification."}[x.key(1)]
		if x.key(1) == "predicates" {
			value, ok = relations.Predicates[x.key(2)]
			sentence = "Relations with the predicate " + x.key(2) + "."
		}
		if !ok {
			return nil, nil
		}
		node := x.number("overlay: "+strings.Join(x.keys[1:], " "), float64(value), sentence+" Each rests on words that stand literally in a definition.", "a count", (*collection.Collection).ParseRelations)
		node.Inputs = []explain.Input{file}
		return node, nil
	}
	if coverage == nil {
		return nil, nil
	}
	value, ok := map[string]int{"finalTasksWithPath": coverage.FinalTasksWithPath, "paths": coverage.Paths, "places": coverage.Places, "placesReached": coverage.PlacesReached}[x.key(1)]
	if !ok {
		return nil, nil
	}
	name := rows[g.spec.Trial.Rows[1]]
	node := x.number("paths: "+x.key(1), float64(value), map[string]string{"finalTasksWithPath": "Final tasks for which the walk of " + name + " finds a path.", "paths": "Paths that the walk of " + name + " finds on the final tasks.",
		"places": "First places of " + name + " on the final tasks, as many as readers are supplied with.", "placesReached": "First places whose document a path reaches."}[x.key(1)], "a count", (*walk.Typed).Paths)
	node.Inputs = []explain.Input{file}
	for _, place := range g.split(true) {
		s, err := x.study.NewScoring(name, &x.study.Questions[place], nil)
		if err != nil {
			return nil, err
		}
		paths, err := s.Paths(-1)
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: g.tasks[place].ID, Text: show.Count(int64(len(paths))) + " paths", Path: pathTo("question", g.tasks[place].ID)})
	}
	return node, nil
}
