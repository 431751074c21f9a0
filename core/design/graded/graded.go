// Package graded is the design of studies in which tasks are written first, the candidates of every method are pooled and
// graded blind, and, after a lock, readers answer from the first documents of two methods.
package graded

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/design/paired"
	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/metrics"
	"retrace/core/records"
	"retrace/core/study"
)

// Key is where the design's part stands in study.json.
const Key = "graded"

// Design is the entry for a table of designs.
var Design = study.Design{Key: Key, Spec: func() study.Spec { return new(Spec) }}

// Of returns the design's part of a protocol, nil in a study of another design.
func Of(p *study.Protocol) *Spec {
	g, _ := p.Spec.(*Spec)
	return g
}

// Spec is the design's part of study.json: the design of studies in which tasks with obligations are written first, the candidates of every method are
// pooled, two assessors grade the pool blind, and, after the lock, readers answer from the first documents of two
// methods.
type Spec struct {
	Domains    []string            `json:"domains"` // in the order of cells and strata
	Origins    []string            `json:"origins"` // likewise, inside a domain
	Split      SplitSpec           `json:"split"`
	Measures   []study.MeasureSpec `json:"measures"` // docs/studies.md, Measures; the first is the one that selects
	Selection  Selection           `json:"selection"`
	Rows       []Row               `json:"rows"` // methods that are compared on the final tasks
	Changed    [2]string           `json:"changed"`
	Pool       PoolSpec            `json:"pool"`
	Trial      TrialSpec           `json:"trial"`
	Contrasts  []Contrast          `json:"contrasts"`
	Dependence string              `json:"dependence"` // how far the assessors, readers and graders are independent: stands beside the figures
}

// SplitSpec draws the development tasks: in each cell (a domain and an origin) a shuffle of its tasks in ascending ID;
// the first ones are development tasks, the others final. Cell i uses stream Stream + i.
type SplitSpec struct {
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
	Name   string        `json:"name"`
	Method string        `json:"method"`
	Grid   []paired.Axis `json:"grid"`
}

// A Row names a method by a pattern over what the lock fixes: ${baseline}, ${typed} for a candidate called typed, and
// ${typed.hops} for a value of its grid.
type Row struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Role   string `json:"role"`
	Label  string `json:"label"`
}

// A Contrast compares two rows, paired by final task: by a measure, with random signs, or by the answers'
// composite (measure "composite"), with random allocations.
type Contrast struct {
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

// Seals lists the stages of the study's seals.
func (g *Spec) Seals() []string {
	return []string{study.SealProtocol, study.SealLock, study.SealFrozen}
}

// Check says what is wrong with the design's part of a protocol.
func (g *Spec) Check(p *study.Protocol) error {
	for _, check := range []func(*study.Protocol) error{g.checkTasks, g.checkDepth, g.checkSelection, g.checkRows, g.checkContrasts} {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

func (g *Spec) checkTasks(p *study.Protocol) error {
	switch {
	case p.Questions.File == "":
		return fmt.Errorf("questions.file is needed")
	case len(g.Domains) == 0 || len(g.Domains) > 100 || len(g.Origins) == 0 || len(g.Origins) > 100:
		return fmt.Errorf("domains and origins: between 1 and 100 each")
	case g.Split.Development < 1:
		return fmt.Errorf("split.development %d: at least 1", g.Split.Development)
	case len(g.Pool.Assessors) != 2:
		return fmt.Errorf("pool.assessors: two")
	case len(g.Trial.Readers) != 2 || len(g.Trial.Graders) != 2:
		return fmt.Errorf("trial: two readers and two graders")
	case g.Pool.Top < 1 || metrics.Whole(g.Pool.Top) > metrics.MaxGrade:
		return fmt.Errorf("pool.top %d: between 1 and %v", g.Pool.Top, metrics.MaxGrade.Float())
	case len(g.Pool.Scale) > 0 && len(g.Pool.Scale) != g.Pool.Top+1:
		return fmt.Errorf("pool.scale: say in words what each grade from 0 to %d means, or none", g.Pool.Top)
	case g.Pool.Useful < 0 || g.Pool.Useful > g.Pool.Top:
		return fmt.Errorf("pool.useful %d: a grade from 1 to %d", g.Pool.Useful, g.Pool.Top)
	}
	return nil
}

// checkDepth checks that nothing looks deeper than what is pooled and kept.
func (g *Spec) checkDepth(p *study.Protocol) error {
	measures, err := p.ParseMeasures(g.Measures)
	if err != nil {
		return err
	}
	for _, m := range measures {
		if m.Cutoff > g.Pool.Depth {
			return fmt.Errorf("measures: %s looks deeper than the pool, which holds the first %d", m, g.Pool.Depth)
		}
	}
	deepest := max(g.Pool.Depth, g.Trial.Top)
	for _, x := range g.Pool.Extra {
		if err := p.NeedMethod("pool.extra", x.Method); err != nil {
			return err
		}
		deepest = max(deepest, slices.Max(append([]int{1}, x.Ranks...)))
	}
	if g.Pool.Depth < 1 || g.Trial.Top < 1 || deepest > p.Keep {
		return fmt.Errorf("keep %d: pool and trial look at the first %d", p.Keep, deepest)
	}
	return nil
}

func (g *Spec) checkSelection(p *study.Protocol) error {
	if len(g.Selection.Baselines) == 0 {
		return fmt.Errorf("selection.baselines needs at least one entry")
	}
	for _, b := range g.Selection.Baselines {
		if err := p.NeedMethod("selection.baselines", b); err != nil {
			return err
		}
	}
	seen := map[string]bool{"baseline": true}
	for _, c := range g.Selection.Candidates {
		if n := paired.Size(c.Grid, study.MaxMethods); n == 0 || n > study.MaxMethods {
			return fmt.Errorf("selection.candidates: %s: a grid of 1 to %d methods", c.Name, study.MaxMethods)
		}
		if !study.Named(c.Name) || seen[c.Name] {
			return fmt.Errorf("selection.candidates: name %q is malformed or used twice", c.Name)
		}
		seen[c.Name] = true
		for _, b := range g.Selection.Baselines {
			for _, m := range c.methods(b) {
				if err := p.NeedMethod("selection.candidates: "+c.Name, m.name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (g *Spec) checkRows(*study.Protocol) error {
	if len(g.Rows) == 0 || len(g.Rows) > study.MaxMethods {
		return fmt.Errorf("rows: between 1 and %d", study.MaxMethods)
	}
	rows := map[string]bool{}
	for _, r := range g.Rows {
		if !study.Named(r.Name) || rows[r.Name] {
			return fmt.Errorf("rows: name %q is malformed or used twice", r.Name)
		}
		rows[r.Name] = true
		if err := study.CheckRole("rows", r.Name, r.Role); err != nil {
			return err
		}
	}
	for _, r := range append(append([]string{}, g.Changed[:]...), g.Trial.Rows[:]...) {
		if !rows[r] {
			return fmt.Errorf("changed and trial.rows: unknown row %q", r)
		}
	}
	return nil
}

func (g *Spec) checkContrasts(p *study.Protocol) error {
	for _, c := range g.Contrasts {
		_, row := g.row(c.Row)
		_, against := g.row(c.Against)
		switch {
		case !row || !against:
			return fmt.Errorf("contrasts: %s: unknown row %q or %q", c.Name, c.Row, c.Against)
		case c.Measure == Composite && (c.Row != g.Trial.Rows[1] || c.Against != g.Trial.Rows[0]):
			return fmt.Errorf("contrasts: %s: answers compare %s with %s", c.Name, g.Trial.Rows[1], g.Trial.Rows[0])
		case c.Measure != Composite && !slices.ContainsFunc(g.Measures, func(m study.MeasureSpec) bool { return m.Key == c.Measure }):
			return fmt.Errorf("contrasts: %s: unknown measure %q", c.Name, c.Measure)
		}
		if err := c.plan(p.Seed).Check(c.Name, c.StratifiedStream); err != nil {
			return err
		}
	}
	return nil
}

// row returns a row by its name.
func (g *Spec) row(name string) (Row, bool) {
	for _, r := range g.Rows {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

func (c Contrast) plan(seed uint64) paired.Plan {
	return paired.Plan{Seed: seed, Replicates: c.Replicates, BootstrapStream: c.BootstrapStream, Draws: c.Draws, TestStream: c.TestStream}
}

// StageOf returns the stage that fixes a file: judgements come before the lock, answers after it.
func (g *Spec) StageOf(path string) string {
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
		return study.SealLock
	case slices.Contains(frozen, path):
		return study.SealFrozen
	}
	return study.SealProtocol
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
	var list []gridMethod
	for _, values := range paired.Points(c.Grid) {
		values["baseline"] = baseline
		list = append(list, gridMethod{expand(c.Method, values), values})
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

// A Loaded is a graded study with its tasks and pool.
type Loaded struct {
	study    *study.Study
	spec     *Spec
	tasks    []Task // file order, as the study's questions
	final    []bool // by task; the others are development tasks
	measures []metrics.Measure
	pairs    []judge.Pair     // the pool: tasks in file order, concepts ascending; nil before it was made
	pool     map[string][]int // task -> places among pairs
	grades   [2][]judge.Grade // by assessor, then by place among pairs; nil before they are in
}

// From returns the design of a loaded study, nil in a study of another design.
func From(s *study.Study) *Loaded {
	g, _ := s.Design.(*Loaded)
	return g
}

// Load reads tasks, draws the split, and reads the pool as far as the kit has it.
func (g *Spec) Load(s *study.Study) (study.Loaded, error) {
	d := &Loaded{study: s, spec: g, pool: map[string][]int{}}
	d.measures, _ = s.Protocol.ParseMeasures(g.Measures) // checked before
	if err := d.loadTasks(); err != nil {
		return nil, err
	}
	if err := d.drawSplit(); err != nil {
		return nil, err
	}
	return d, d.loadPool()
}

func (g *Loaded) loadTasks() error {
	s := g.study
	file := s.Protocol.Questions.File
	data, err := s.Kit.Read(file)
	if err != nil {
		return err
	}
	err = records.JSONLines(file, data, func(line int, t Task) error {
		fail := func(hint, format string, args ...any) error { return records.Errorf(file, line, hint, format, args...) }
		switch {
		case !slices.Contains(g.spec.Domains, t.Domain) || !slices.Contains(g.spec.Origins, t.Origin):
			return fail("the protocol lists domains and origins", "task %q has domain %q and origin %q", t.ID, t.Domain, t.Origin)
		case t.Need == "" || len(t.Obligations) == 0 || len(t.Obligations) > judge.MaxObligations:
			return fail(fmt.Sprintf("give every task a need and 1 to %d obligations", judge.MaxObligations), "task %q has %d obligations or no need", t.ID, len(t.Obligations))
		}
		if err := s.AddQuestion(study.Question{ID: t.ID, Text: t.Need, Kind: t.Kind, Target: -1, File: file, Line: line}); err != nil {
			return err
		}
		g.tasks = append(g.tasks, t)
		return nil
	})
	if err == nil && len(g.tasks) == 0 {
		err = records.Errorf(file, 0, "a study needs at least one task", "no tasks")
	}
	return err
}

// drawSplit draws the development tasks of every cell.
func (g *Loaded) drawSplit() error {
	g.final = make([]bool, len(g.tasks))
	cell := uint64(0)
	for _, domain := range g.spec.Domains {
		for _, origin := range g.spec.Origins {
			tasks := g.tasksWhere(func(i int) bool { return g.tasks[i].Domain == domain && g.tasks[i].Origin == origin })
			if len(tasks) <= g.spec.Split.Development {
				return records.Errorf(g.study.Protocol.Questions.File, 0, "every cell needs development and final tasks", "%d tasks of domain %s and origin %s", len(tasks), domain, origin)
			}
			for i, j := range exact.NewStream(g.study.Protocol.Seed, g.spec.Split.Stream+cell).Draw(len(tasks), len(tasks)) {
				final := i >= g.spec.Split.Development
				g.final[tasks[j]], g.study.Questions[tasks[j]].Split = final, splitName(final)
			}
			cell++
		}
	}
	return nil
}

// tasksWhere returns the places of the tasks for which a condition holds, in ascending ID.
func (g *Loaded) tasksWhere(holds func(place int) bool) []int {
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
func (g *Loaded) split(final bool) []int {
	var list []int
	for i := range g.tasks {
		if g.final[i] == final {
			list = append(list, i)
		}
	}
	return list
}

// Stages are: every method on the development tasks, which fixes the lock; every method on the final tasks.
func (g *Loaded) Stages() []study.Stage {
	plan := func(final bool) func(r *study.Replay) ([]study.Unit, error) {
		return func(*study.Replay) ([]study.Unit, error) {
			methods, err := g.study.NamedTerms(g.study.Protocol.AllMethods(), nil)
			return g.study.Units(splitName(final), methods, g.split(final)), err
		}
	}
	return []study.Stage{
		{Name: splitName(false), Plan: plan(false), Close: func(r *study.Replay) error {
			lock, err := g.choose(r)
			if err != nil {
				return err
			}
			g.of(r).lock = lock
			return r.Lock(lock)
		}},
		{Name: splitName(true), Plan: plan(true), Close: func(r *study.Replay) error {
			results, err := g.results(r)
			if err == nil {
				r.Finish(results)
			}
			return err
		}},
	}
}

// state is what the design keeps of a replay.
type state struct {
	lock      study.Lock                // nil where no development stage ran: then the sealed one counts
	trial     *trialOutcome             // once it was run
	contrasts map[string]ContrastResult // once they were made
}

func (g *Loaded) of(r *study.Replay) *state {
	s, ok := r.State.(*state)
	if !ok {
		s = &state{}
		r.State = s
	}
	return s
}

// rows returns the method of every row under what a replay's development stage fixed, else under the sealed lock.
func (g *Loaded) rows(r *study.Replay) (map[string]string, error) {
	lock := g.of(r).lock
	if lock == nil {
		var err error
		if lock, err = g.study.NeedLock(); err != nil {
			return nil, err
		}
	}
	return g.rowMethods(lock)
}

// choose makes the lock from the development tasks alone.
func (g *Loaded) choose(r *study.Replay) (study.Lock, error) {
	key := g.spec.Measures[0].Key
	tasks := g.split(false)
	best := func(names []string) (string, error) {
		i, err := paired.Best(len(names), func(i int) (float64, error) {
			values, err := g.values(r, names[i], tasks, bothAssessors)
			if err != nil {
				return 0, err
			}
			mean := values.mean(key)
			if mean == nil {
				return 0, fmt.Errorf("study: no development task has a value of %s: nothing can be selected", key)
			}
			return *mean, nil
		})
		if err != nil {
			return "", err
		}
		return names[i], nil
	}
	baseline, err := best(g.spec.Selection.Baselines)
	if err != nil {
		return nil, err
	}
	lock := study.Lock{"baseline": baseline}
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
func (g *Loaded) rowMethods(lock study.Lock) (map[string]string, error) {
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
		if !g.study.Protocol.HasMethod(name) {
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
func (g *Loaded) topic(place, assessor int, o study.Observation) *metrics.Topic {
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
func (g *Loaded) values(r *study.Replay, name string, tasks []int, assessor int) (taskValues, error) {
	if g.grades[0] == nil || g.grades[1] == nil {
		return nil, records.Errorf(g.study.Protocol.ID, 0, "run `build pool`, have the packets judged, and take the judgements in with `build judge import`", "the pool is not judged yet")
	}
	out := taskValues{}
	for _, place := range tasks {
		o, err := r.Observation(g.tasks[place].ID, name)
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
