package study

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/metrics"
	"retrace/core/records"
)

// Graded is the design of studies in which tasks with obligations are written first, the candidates of every method are
// pooled, two assessors grade the pool blind, and, after the lock, readers answer from the first documents of two
// methods.
type Graded struct {
	Domains    []string         `json:"domains"` // in the order of cells and strata
	Origins    []string         `json:"origins"` // likewise, inside a domain
	Split      GradedSplit      `json:"split"`
	Measures   []MeasureSpec    `json:"measures"` // docs/studies.md, Measures; the first is the one that selects
	Selection  Selection        `json:"selection"`
	Rows       []Row            `json:"rows"` // methods that are compared on the final tasks
	Changed    [2]string        `json:"changed"`
	Pool       PoolSpec         `json:"pool"`
	Trial      TrialSpec        `json:"trial"`
	Contrasts  []GradedContrast `json:"contrasts"`
	Dependence string           `json:"dependence"` // how far the assessors, readers and graders are independent: stands beside the figures
}

// GradedSplit draws the development tasks: in each cell (a domain and an origin) a shuffle of its tasks in ascending ID;
// the first ones are development tasks, the others final. Cell i uses stream Stream + i.
type GradedSplit struct {
	Stream      uint64 `json:"stream"`
	Development int    `json:"development"` // tasks of each cell
}

// Selection is the choice on the development tasks: the best baseline, then over it the best of each list of candidates.
// Ties go to what stands first: baselines in their order, then grids with the last key moving fastest.
type Selection struct {
	Baselines  []string    `json:"baselines"`
	Candidates []Candidate `json:"candidates"`
}

// A Candidate names methods by a pattern, such as typed:${baseline}:${hops}:${blend}, with a grid of values.
type Candidate struct {
	Name   string     `json:"name"`
	Method string     `json:"method"`
	Grid   []GridAxis `json:"grid"`
}

// A GridAxis is one key of a grid with its values, in the order that breaks ties.
type GridAxis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// A Row names a method by a pattern over what the lock fixes: ${baseline}, ${typed} for a candidate called typed, and
// ${typed.hops} for a value of its grid.
type Row struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Role   string `json:"role"`
	Label  string `json:"label"`
}

// A GradedContrast compares two rows, paired by final task: by a measure, with random signs, or by the answers'
// composite (measure "composite"), with random allocations.
type GradedContrast struct {
	Name             string `json:"name"`
	Measure          string `json:"measure"`
	Row              string `json:"row"`
	Against          string `json:"against"`
	Replicates       int    `json:"replicates"`
	BootstrapStream  uint64 `json:"bootstrapStream"`
	StratifiedStream uint64 `json:"stratifiedStream"`
	Draws            int    `json:"draws"`
	TestStream       uint64 `json:"testStream"`
}

// Composite is the measure of a contrast of answers.
const Composite = "composite"

func (g *Graded) check(p *Protocol, methods map[string]bool) error {
	switch {
	case len(g.Domains) == 0 || len(g.Domains) > 100 || len(g.Origins) == 0 || len(g.Origins) > 100:
		return fmt.Errorf("domains and origins: between 1 and 100 each")
	case g.Split.Development < 1:
		return fmt.Errorf("split.development %d: at least 1", g.Split.Development)
	case len(g.Measures) == 0 || len(g.Measures) > 32:
		return fmt.Errorf("measures: between 1 and 32")
	case len(g.Selection.Baselines) == 0 || len(g.Rows) == 0 || len(g.Rows) > maxMethods:
		return fmt.Errorf("selection.baselines and rows need at least one entry")
	case len(g.Pool.Assessors) != 2:
		return fmt.Errorf("pool.assessors: two")
	case len(g.Trial.Readers) != 2 || len(g.Trial.Graders) != 2:
		return fmt.Errorf("trial: two readers and two graders")
	case g.Pool.Top < 1 || metrics.Whole(g.Pool.Top) > metrics.MaxGrade:
		return fmt.Errorf("pool.top %d: between 1 and %v", g.Pool.Top, metrics.MaxGrade.Float())
	}
	measures, err := parseMeasures(g.Measures)
	if err != nil {
		return err
	}
	deepest := max(g.Pool.Depth, g.Trial.Top)
	for _, m := range measures {
		if m.Cutoff > g.Pool.Depth {
			return fmt.Errorf("measures: %s looks deeper than the pool, which holds the first %d", m, g.Pool.Depth)
		}
	}
	known := func(field, name string) error {
		if !methods[name] {
			return fmt.Errorf("%s: unknown method %q: define it under methods", field, name)
		}
		return nil
	}
	for _, b := range g.Selection.Baselines {
		if err := known("selection.baselines", b); err != nil {
			return err
		}
	}
	for _, x := range g.Pool.Extra {
		if err := known("pool.extra", x.Method); err != nil {
			return err
		}
		deepest = max(deepest, slices.Max(append([]int{1}, x.Ranks...)))
	}
	if g.Pool.Depth < 1 || g.Trial.Top < 1 || deepest > p.Keep {
		return fmt.Errorf("keep %d: pool and trial look at the first %d", p.Keep, deepest)
	}
	candidates := map[string]bool{}
	for _, c := range g.Selection.Candidates {
		size := 1
		for _, axis := range c.Grid {
			if size *= len(axis.Values); size == 0 || size > maxMethods {
				return fmt.Errorf("selection.candidates: %s: a grid of 1 to %d methods", c.Name, maxMethods)
			}
		}
		if !named(c.Name) || candidates[c.Name] || c.Name == "baseline" {
			return fmt.Errorf("selection.candidates: name %q is malformed or used twice", c.Name)
		}
		candidates[c.Name] = true
		for _, b := range g.Selection.Baselines {
			for _, m := range c.methods(b) {
				if err := known("selection.candidates: "+c.Name, m.name); err != nil {
					return err
				}
			}
		}
	}
	rows := map[string]bool{}
	for _, r := range g.Rows {
		if !named(r.Name) || rows[r.Name] {
			return fmt.Errorf("rows: name %q is malformed or used twice", r.Name)
		}
		rows[r.Name] = true
		if err := checkRole("rows", r.Name, r.Role); err != nil {
			return err
		}
	}
	for _, r := range append(append([]string{}, g.Changed[:]...), g.Trial.Rows[:]...) {
		if !rows[r] {
			return fmt.Errorf("changed and trial.rows: unknown row %q", r)
		}
	}
	for _, c := range g.Contrasts {
		switch {
		case !rows[c.Row] || !rows[c.Against]:
			return fmt.Errorf("contrasts: %s: unknown row %q or %q", c.Name, c.Row, c.Against)
		case c.Replicates < 1 || c.Replicates > maxDraws || c.Draws < 1 || c.Draws > maxDraws:
			return fmt.Errorf("contrasts: %s: replicates and draws lie between 1 and %d", c.Name, maxDraws)
		case c.Measure == Composite && (c.Row != g.Trial.Rows[1] || c.Against != g.Trial.Rows[0]):
			return fmt.Errorf("contrasts: %s: answers compare %s with %s", c.Name, g.Trial.Rows[1], g.Trial.Rows[0])
		case c.Measure != Composite && !slices.ContainsFunc(g.Measures, func(m MeasureSpec) bool { return m.Key == c.Measure }):
			return fmt.Errorf("contrasts: %s: unknown measure %q", c.Name, c.Measure)
		}
		if err := distinctStreams("contrasts: "+c.Name, c.BootstrapStream, c.StratifiedStream, c.TestStream); err != nil {
			return err
		}
	}
	return nil
}

// stageOf returns the stage that fixes a file: judgements come before the lock, answers after it.
func (g *Graded) stageOf(path string) string {
	lock, frozen := []string{g.Pool.Key}, []string{g.Trial.Allocation}
	for _, a := range g.Pool.Assessors {
		lock = append(lock, a.Packet, a.Judgements)
	}
	for _, r := range g.Trial.Readers {
		frozen = append(frozen, r.Packet, r.Answers)
	}
	for _, r := range g.Trial.Graders {
		frozen = append(frozen, r.Packet, r.Grades)
	}
	switch {
	case slices.Contains(lock, path):
		return SealLock
	case slices.Contains(frozen, path):
		return SealFrozen
	}
	return SealProtocol
}

// expand replaces ${key} in a pattern by its value.
func expand(pattern string, values map[string]string) string {
	for {
		start := strings.Index(pattern, "${")
		if start < 0 {
			return pattern
		}
		end := strings.IndexByte(pattern[start:], '}')
		if end < 0 {
			return pattern
		}
		value, ok := values[pattern[start+2:start+end]]
		if !ok || strings.Contains(value, "${") {
			return pattern
		}
		pattern = pattern[:start] + value + pattern[start+end+1:]
	}
}

// A gridMethod is one method of a candidate's grid.
type gridMethod struct {
	name   string
	values map[string]string
}

// methods lists a candidate's methods over a baseline, the last key moving fastest.
func (c Candidate) methods(baseline string) []gridMethod {
	list := []gridMethod{{values: map[string]string{"baseline": baseline}}}
	for _, axis := range c.Grid {
		var next []gridMethod
		for _, m := range list {
			for _, v := range axis.Values {
				values := map[string]string{axis.Key: v}
				for key, old := range m.values {
					values[key] = old
				}
				next = append(next, gridMethod{values: values})
			}
		}
		list = next
	}
	for i, m := range list {
		list[i].name = expand(c.Method, m.values)
	}
	return list
}

// A Task is one task of a Graded study.
type Task struct {
	ID          string   `json:"id"`
	Domain      string   `json:"domain"`
	Origin      string   `json:"origin"`
	Need        string   `json:"need"`
	Obligations []string `json:"obligations"`
	Role        string   `json:"role"`
	Conditions  []string `json:"conditions"`
	Kind        string   `json:"kind"`
}

// graded is the loaded design of a Graded study.
type graded struct {
	study    *Study
	spec     *Graded
	tasks    []Task // file order, as the study's questions
	final    []bool // by task; the others are development tasks
	measures []metrics.Measure
	pairs    []judge.Pair     // the pool: tasks in file order, concepts ascending; nil before it was made
	pool     map[string][]int // task -> places among pairs
	grades   [2][]judge.Grade // by assessor, then by place among pairs; nil before they are in
}

func loadGraded(s *Study) (*graded, error) {
	g := &graded{study: s, spec: s.Protocol.Graded, pool: map[string][]int{}}
	g.measures, _ = parseMeasures(g.spec.Measures) // checked before
	if err := g.loadTasks(); err != nil {
		return nil, err
	}
	if err := g.drawSplit(); err != nil {
		return nil, err
	}
	return g, g.loadPool()
}

func (g *graded) loadTasks() error {
	s := g.study
	file := s.Protocol.Questions.File
	data, err := s.Kit.Read(file)
	if err != nil {
		return err
	}
	err = records.JSONLines(file, data, func(line int, t Task) error {
		fail := func(hint, format string, args ...any) error { return records.Errorf(file, line, hint, format, args...) }
		if what := collection.CheckID(t.ID); what != "" {
			return fail("give every task an id without spaces", "%s: %q", what, t.ID)
		}
		switch {
		case !slices.Contains(g.spec.Domains, t.Domain) || !slices.Contains(g.spec.Origins, t.Origin):
			return fail("the protocol lists domains and origins", "task %q has domain %q and origin %q", t.ID, t.Domain, t.Origin)
		case t.Need == "" || len(t.Obligations) == 0 || len(t.Obligations) > judge.MaxObligations:
			return fail(fmt.Sprintf("give every task a need and 1 to %d obligations", judge.MaxObligations), "task %q has %d obligations or no need", t.ID, len(t.Obligations))
		}
		if first, ok := s.byQuestion[t.ID]; ok {
			return fail("give every task an id of its own", "duplicate task %q, first on line %d", t.ID, s.Questions[first].Line)
		}
		s.byQuestion[t.ID] = len(s.Questions)
		s.Questions = append(s.Questions, Question{ID: t.ID, Text: t.Need, Kind: t.Kind, Line: line, Query: s.Index.Query(t.Need), position: len(s.Questions)})
		g.tasks = append(g.tasks, t)
		return nil
	})
	if err == nil && len(g.tasks) == 0 {
		err = records.Errorf(file, 0, "a study needs at least one task", "no tasks")
	}
	return err
}

// drawSplit draws the development tasks of every cell.
func (g *graded) drawSplit() error {
	g.final = make([]bool, len(g.tasks))
	cell := uint64(0)
	for _, domain := range g.spec.Domains {
		for _, origin := range g.spec.Origins {
			tasks := g.tasksWhere(func(i int) bool { return g.tasks[i].Domain == domain && g.tasks[i].Origin == origin })
			if len(tasks) <= g.spec.Split.Development {
				return records.Errorf(g.study.Protocol.Questions.File, 0, "every cell needs development and final tasks", "%d tasks of domain %s and origin %s", len(tasks), domain, origin)
			}
			for i, j := range exact.NewStream(g.study.Protocol.Seed, g.spec.Split.Stream+cell).Draw(len(tasks), len(tasks)) {
				g.final[tasks[j]] = i >= g.spec.Split.Development
			}
			cell++
		}
	}
	return nil
}

// tasksWhere returns the places of the tasks for which a condition holds, in ascending ID.
func (g *graded) tasksWhere(holds func(place int) bool) []int {
	var list []int
	for i := range g.tasks {
		if holds(i) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return collection.CompareID(g.tasks[a].ID, g.tasks[b].ID) })
	return list
}

// splitName names the development and the final tasks.
func splitName(final bool) string {
	if final {
		return "final"
	}
	return "development"
}

// split returns the places of the development or the final tasks, in file order.
func (g *graded) split(final bool) []int {
	var list []int
	for i := range g.tasks {
		if g.final[i] == final {
			list = append(list, i)
		}
	}
	return list
}

// methods are all methods of the protocol, written out.
func (g *graded) methods() ([]NamedTerm, error) {
	var list []NamedTerm
	for _, m := range g.study.Protocol.Methods {
		t, err := g.study.Resolve(g.study.Terms[m.Name], nil)
		if err != nil {
			return nil, err
		}
		list = append(list, NamedTerm{m.Name, t})
	}
	return list, nil
}

// A gradedLock is what the development tasks fix: the baseline, and the chosen method of each list of candidates.
type gradedLock map[string]string

// stages are: every method on the development tasks, which fixes the lock; every method on the final tasks.
func (g *graded) stages() []stage {
	plan := func(name string, final bool) func(r *Replay) ([]Unit, error) {
		return func(r *Replay) ([]Unit, error) {
			methods, err := g.methods()
			return units(name, methods, g.split(final), g.study.Protocol.Keep, unitSize), err
		}
	}
	first, second := splitName(false), splitName(true)
	var lock gradedLock
	return []stage{
		{first, plan(first, false), func(r *Replay) (err error) {
			if lock, err = g.choose(r); err != nil {
				return err
			}
			r.sealed = lock
			var sealed gradedLock
			file, ok, err := g.study.SealedLock(&sealed)
			if err != nil || !ok {
				return err
			}
			if fmt.Sprint(sealed) != fmt.Sprint(lock) { // maps print in the order of their keys
				return records.Errorf(file, 0, "the lock was written before the final tasks were scored; the data or the engine changed since", "the development stage chooses %v, the sealed lock is %v", lock, sealed)
			}
			return nil
		}},
		{second, plan(second, true), func(r *Replay) (err error) {
			r.results, err = g.results(r, lock)
			return err
		}},
	}
}

// choose makes the lock from the development tasks alone.
func (g *graded) choose(r *Replay) (gradedLock, error) {
	key := g.spec.Measures[0].Key
	tasks := g.split(false)
	best := func(names []string) (string, error) {
		chosen, top := "", 0.0
		for _, name := range names {
			values, err := g.values(r, name, tasks, bothAssessors)
			if err != nil {
				return "", err
			}
			mean := values.mean(key)
			if mean == nil {
				return "", fmt.Errorf("study: no development task has a value of %s: nothing can be selected", key)
			}
			if chosen == "" || *mean > top {
				chosen, top = name, *mean
			}
		}
		return chosen, nil
	}
	baseline, err := best(g.spec.Selection.Baselines)
	if err != nil {
		return nil, err
	}
	lock := gradedLock{"baseline": baseline}
	for _, c := range g.spec.Selection.Candidates {
		var names []string
		for _, m := range c.methods(baseline) {
			names = append(names, m.name)
		}
		if lock[c.Name], err = best(names); err != nil {
			return nil, err
		}
	}
	return lock, nil
}

// rowMethods returns the method of every row under a lock.
func (g *graded) rowMethods(lock gradedLock) (map[string]string, error) {
	values := map[string]string{"baseline": lock["baseline"]}
	for _, c := range g.spec.Selection.Candidates {
		values[c.Name] = lock[c.Name]
		for _, m := range c.methods(lock["baseline"]) {
			if m.name == lock[c.Name] {
				for key, v := range m.values {
					values[c.Name+"."+key] = v
				}
			}
		}
	}
	rows := map[string]string{}
	for _, r := range g.spec.Rows {
		name := expand(r.Method, values)
		if _, ok := g.study.Terms[name]; !ok {
			return nil, fmt.Errorf("study: row %s is %q under the lock, which is no method of the study: define it under methods", r.Name, name)
		}
		rows[r.Name] = name
	}
	return rows, nil
}

// Assessors whose grades count.
const (
	bothAssessors = -1 // the mean grade, and the obligations that both name
	// 0 and 1 are one assessor alone
)

// topic is a task with its judged pool, as measures see it; the ranking is what one method returned.
func (g *graded) topic(place, assessor int, o Observation) *metrics.Topic {
	t := &metrics.Topic{ID: g.tasks[place].ID, Obligations: len(g.tasks[place].Obligations)}
	for _, p := range o.Best {
		t.Ranked = append(t.Ranked, p.ID)
	}
	for _, i := range g.pool[t.ID] {
		j := metrics.Judgement{Doc: g.pairs[i].Concept}
		a, b := g.grades[0][i], g.grades[1][i]
		if assessor == bothAssessors {
			j.Grade, j.Helps = metrics.Grade(judge.MeanHalves(a, b)), judge.Agreed(a, b)
		} else {
			one := g.grades[assessor][i]
			j.Grade, j.Helps = metrics.Whole(one.Grade), one.Obligations
		}
		t.Judged = append(t.Judged, j)
	}
	return t
}

// taskValues are the measures of one method on some tasks: by key, then by task in the given order; null where
// undefined.
type taskValues map[string][]*float64

// mean returns the mean over the tasks for which a measure is defined, null where there are none.
func (v taskValues) mean(key string) *float64 {
	var list []float64
	for _, x := range v[key] {
		if x != nil {
			list = append(list, *x)
		}
	}
	if mean, ok := exact.Mean(list); ok {
		return &mean
	}
	return nil
}

// values computes the measures of a method on tasks.
func (g *graded) values(r *Replay, name string, tasks []int, assessor int) (taskValues, error) {
	if g.grades[0] == nil || g.grades[1] == nil {
		return nil, records.Errorf(g.study.Protocol.ID, 0, "run `build pool`, have the packets judged, and take the judgements in with `build judge import`", "the pool is not judged yet")
	}
	out := taskValues{}
	for _, place := range tasks {
		o, err := r.observation(g.tasks[place].ID, name)
		if err != nil {
			return nil, err
		}
		topic := g.topic(place, assessor, o)
		for i, m := range g.measures {
			value, defined, err := m.Compute(topic)
			if err != nil {
				return nil, err
			}
			key := g.spec.Measures[i].Key
			if defined {
				out[key] = append(out[key], &value)
			} else {
				out[key] = append(out[key], nil)
			}
		}
	}
	return out, nil
}
