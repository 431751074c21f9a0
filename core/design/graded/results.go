package graded

import (
	"fmt"
	"slices"

	"retrace/core/exact"
	"retrace/core/method"
	"retrace/core/stats"
	"retrace/core/study"
)

// Results are the results of a Graded study.
type Results struct {
	Format              string                         `json:"format"`
	Study               string                         `json:"study"`
	Tasks               TaskCounts                     `json:"tasks"`
	Relations           *RelationsResult               `json:"relations,omitempty"`
	Pool                PoolResult                     `json:"pool"`
	Agreement           AgreementResult                `json:"agreement"`
	Development         SettingsResult                 `json:"development"`
	Lock                study.Lock                     `json:"lock"`
	Final               map[string]map[string]*float64 `json:"final"`           // by row and measure: means over final tasks
	FinalByAssessor     map[string]map[string]RowMeans `json:"finalByAssessor"` // the same under one assessor alone
	NByAssessor         map[string]int                 `json:"nByAssessor"`     // final tasks with a value of the first measure
	Undefined           UndefinedTasks                 `json:"undefined"`       // tasks without a value of the first measure
	UndefinedByAssessor map[string]UndefinedTasks      `json:"undefinedByAssessor"`
	Changed             ChangedResult                  `json:"changed"`
	PathCoverage        *PathCoverage                  `json:"pathCoverage,omitempty"`
	Contrasts           map[string]ContrastResult      `json:"contrasts"`
	Answers             *AnswersResult                 `json:"answers"`
	PerTask             []TaskResult                   `json:"perTask"` // final tasks, file order
	Dense               *study.DenseResult             `json:"dense,omitempty"`
	Dependence          string                         `json:"dependence"` // what must stand beside agreement and answers
}

// RowMeans are means by a measure's key, null where undefined.
type RowMeans = map[string]*float64

// TaskCounts lists the development tasks and counts the final ones.
type TaskCounts struct {
	Development []string `json:"development"` // file order
	Final       int      `json:"final"`
}

// SettingsResult is what every method showed on the development tasks, by the first measure.
type SettingsResult struct {
	Settings map[string]*float64 `json:"settings"`
}

// UndefinedTasks lists tasks, file order.
type UndefinedTasks struct {
	Development []string `json:"development"`
	Final       []string `json:"final"`
}

// ChangedResult lists the final tasks whose first documents differ between two rows.
type ChangedResult struct {
	Order      []string `json:"order"`      // the ordered lists differ
	Membership []string `json:"membership"` // the sets differ
}

// PathCoverage says how far the chosen typed method's walk reaches on the final tasks.
type PathCoverage struct {
	FinalTasksWithPath int `json:"finalTasksWithPath"`
	Paths              int `json:"paths"`
	Places             int `json:"places"`        // first places of the row, as many as the trial supplies
	PlacesReached      int `json:"placesReached"` // those whose document a path reaches
}

// RelationsResult describes the overlay.
type RelationsResult struct {
	Relations  int            `json:"relations"`
	Predicates map[string]int `json:"predicates"`
	Documents  int            `json:"documents"` // with a relation
	Qualified  int            `json:"qualified"` // relations that carry a qualification
}

// ContrastResult compares two rows, paired by final task.
type ContrastResult struct {
	Method         string     `json:"method"`
	Against        string     `json:"against"`
	N              int        `json:"n"`
	Nonzero        int        `json:"nonzero"`
	Difference     float64    `json:"difference"`
	CI95           [2]float64 `json:"ci95"`
	CI95Stratified [2]float64 `json:"ci95Stratified"`
	P              float64    `json:"p"`
	PExact         float64    `json:"pExact"`
	PHolm          float64    `json:"pHolm"` // of p, over all contrasts

	Alone map[string]AloneResult `json:"alone"` // by assessor, or by grader of answers: the same difference from that judge alone
}

// AloneResult is a mean difference from one judge's grades alone.
type AloneResult struct {
	N          int     `json:"n"`
	Difference float64 `json:"difference"`
}

// TaskResult is one final task.
type TaskResult struct {
	Task      string              `json:"task"`
	Rows      map[string]RowMeans `json:"rows"`      // measures of each row
	Composite map[string]float64  `json:"composite"` // of the answers, by row
}

func (g *Loaded) results(r *study.Replay) (*Results, error) {
	s, key := g.study, g.spec.Measures[0].Key
	look := r.Observation
	rows, err := g.rows(r)
	if err != nil {
		return nil, err
	}
	development, final := g.split(false), g.split(true)
	out := &Results{Format: study.ResultsFormat, Study: s.Protocol.ID, Tasks: TaskCounts{Development: g.ids(development), Final: len(final)},
		Lock: g.of(r).lock, Development: SettingsResult{map[string]*float64{}}, Final: map[string]map[string]*float64{}, FinalByAssessor: map[string]map[string]RowMeans{},
		NByAssessor: map[string]int{}, UndefinedByAssessor: map[string]UndefinedTasks{}, Contrasts: map[string]ContrastResult{}, Dependence: g.spec.Dependence}
	if out.Pool, err = g.checkPool(look); err != nil {
		return nil, err
	}
	out.Agreement = g.agreement()
	for _, m := range s.Protocol.Methods {
		values, err := g.values(r, m.Name, development, bothAssessors)
		if err != nil {
			return nil, err
		}
		out.Development.Settings[m.Name] = values.mean(key)
	}
	perRow, err := g.allRows(r, rows)
	if err != nil {
		return nil, err
	}
	for _, row := range g.spec.Rows {
		out.Final[row.Name] = g.means(perRow[row.Name])
	}
	for i, a := range g.spec.Pool.Assessors {
		out.FinalByAssessor[a.Name] = map[string]RowMeans{}
		for _, row := range g.spec.Rows {
			values, err := g.values(r, rows[row.Name], final, i)
			if err != nil {
				return nil, err
			}
			out.FinalByAssessor[a.Name][row.Name] = g.means(values)
		}
		undefined, err := g.undefined(r, i)
		if err != nil {
			return nil, err
		}
		out.UndefinedByAssessor[a.Name] = undefined
		out.NByAssessor[a.Name] = len(final) - len(undefined.Final)
	}
	if out.Undefined, err = g.undefined(r, bothAssessors); err != nil {
		return nil, err
	}
	if out.Changed, err = g.changed(r, rows); err != nil {
		return nil, err
	}
	out.Relations = g.overlay()
	if out.PathCoverage, err = g.pathCoverage(r, rows); err != nil {
		return nil, err
	}
	answers, err := g.runTrial(rows, look)
	if err != nil {
		return nil, err
	}
	out.Answers = answers.result
	if err := g.contrasts(r, out, rows, perRow, answers); err != nil {
		return nil, err
	}
	for i, place := range final {
		t := TaskResult{Task: g.tasks[place].ID, Rows: map[string]RowMeans{}, Composite: map[string]float64{}}
		for _, row := range g.spec.Rows {
			t.Rows[row.Name] = RowMeans{}
			for _, m := range g.spec.Measures {
				t.Rows[row.Name][m.Key] = perRow[row.Name][m.Key][i]
			}
		}
		for row, name := range g.spec.Trial.Rows {
			t.Composite[name] = answers.composite(i, row).Float()
		}
		out.PerTask = append(out.PerTask, t)
	}
	out.Dense, err = s.DenseResult()
	return out, err
}

// allRows computes the measures of every row on the final tasks.
func (g *Loaded) allRows(r *study.Replay, rows map[string]string) (map[string]taskValues, error) {
	out := map[string]taskValues{}
	for _, row := range g.spec.Rows {
		values, err := g.values(r, rows[row.Name], g.split(true), bothAssessors)
		if err != nil {
			return nil, err
		}
		out[row.Name] = values
	}
	return out, nil
}

func (g *Loaded) ids(tasks []int) []string {
	list := []string{}
	for _, place := range tasks {
		list = append(list, g.tasks[place].ID)
	}
	return list
}

// means returns the means of all measures.
func (g *Loaded) means(values taskValues) RowMeans {
	out := RowMeans{}
	for _, m := range g.spec.Measures {
		out[m.Key] = values.mean(m.Key)
	}
	return out
}

// undefined lists the tasks without a value of the first measure: those whose pool holds no grade above 0. The ranking
// plays no part, so any method shows it.
func (g *Loaded) undefined(r *study.Replay, assessor int) (UndefinedTasks, error) {
	out := UndefinedTasks{[]string{}, []string{}}
	for _, final := range []bool{false, true} {
		tasks := g.split(final)
		values, err := g.values(r, g.spec.Selection.Baselines[0], tasks, assessor)
		if err != nil {
			return out, err
		}
		for i, place := range tasks {
			if values[g.spec.Measures[0].Key][i] != nil {
				continue
			}
			if id := g.tasks[place].ID; final {
				out.Final = append(out.Final, id)
			} else {
				out.Development = append(out.Development, id)
			}
		}
	}
	return out, nil
}

// top returns the first documents that a method returned for a task, as many as the trial supplies.
func (g *Loaded) top(r *study.Replay, place int, method string) ([]string, error) {
	o, err := r.Observation(g.tasks[place].ID, method)
	if err != nil {
		return nil, err
	}
	list := []string{}
	for _, p := range o.Best[:min(g.spec.Trial.Top, len(o.Best))] {
		list = append(list, p.ID)
	}
	return list, nil
}

func (g *Loaded) changed(r *study.Replay, rows map[string]string) (ChangedResult, error) {
	out := ChangedResult{[]string{}, []string{}}
	for _, place := range g.split(true) {
		a, err := g.top(r, place, rows[g.spec.Changed[0]])
		if err != nil {
			return out, err
		}
		b, err := g.top(r, place, rows[g.spec.Changed[1]])
		if err != nil {
			return out, err
		}
		if !slices.Equal(a, b) {
			out.Order = append(out.Order, g.tasks[place].ID)
		}
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			out.Membership = append(out.Membership, g.tasks[place].ID)
		}
	}
	return out, nil
}

// overlay describes the typed relations; nil where the study has none.
func (g *Loaded) overlay() *RelationsResult {
	s := g.study
	if s.Protocol.Relations == nil {
		return nil
	}
	out := &RelationsResult{Relations: len(s.Relations), Predicates: map[string]int{}}
	related := make([]bool, s.Collection.Len())
	for _, x := range s.Relations {
		out.Predicates[s.Protocol.Relations.Vocabulary.Predicates[x.Predicate]]++
		related[x.Source], related[x.Target] = true, true
		out.Qualified += exact.One(x.Qualification != "")
	}
	for _, is := range related {
		out.Documents += exact.One(is)
	}
	return out
}

// paths returns the paths of a typed method's walk for a task.
func (g *Loaded) paths(name string, place int) ([]method.Path, error) {
	scoring, err := g.study.NewScoring(name, &g.study.Questions[place], nil)
	if err != nil {
		return nil, err
	}
	return scoring.Paths(-1)
}

// pathCoverage says how far the walk of the trial's second row reaches; nil where that is no typed walk.
func (g *Loaded) pathCoverage(r *study.Replay, rows map[string]string) (*PathCoverage, error) {
	name := rows[g.spec.Trial.Rows[1]]
	if g.study.Protocol.Relations == nil {
		return nil, nil
	}
	if term, err := g.study.Resolve(g.study.Terms[name], nil); err != nil || term.Name != "typed" {
		return nil, err
	}
	coverage := &PathCoverage{}
	for _, place := range g.split(true) {
		paths, err := g.paths(name, place)
		if err != nil {
			return nil, err
		}
		coverage.Paths += len(paths)
		coverage.FinalTasksWithPath += exact.One(len(paths) > 0)
		reached := map[string]bool{}
		for _, p := range paths {
			reached[p.Steps[len(p.Steps)-1].To] = true
		}
		top, err := g.top(r, place, name)
		if err != nil {
			return nil, err
		}
		for _, id := range top {
			coverage.Places++
			coverage.PlacesReached += exact.One(reached[id])
		}
	}
	return coverage, nil
}

// contrasts compares rows, each with the streams of the protocol, and corrects the p-values together.
func (g *Loaded) contrasts(r *study.Replay, out *Results, rows map[string]string, perRow map[string]taskValues, answers *trialOutcome) error {
	var ps []float64
	for _, c := range g.spec.Contrasts {
		var (
			result ContrastResult
			err    error
		)
		if c.Measure == Composite {
			result, err = g.compositeContrast(c, answers)
		} else {
			result, err = g.measureContrast(c, perRow)
			if err == nil {
				result.Alone, err = g.assessorsAlone(r, c, rows)
			}
		}
		if err != nil {
			return err
		}
		result.Method, result.Against = rows[c.Row], rows[c.Against]
		out.Contrasts[c.Name] = result
		ps = append(ps, result.P)
	}
	for i, p := range stats.Holm(ps) {
		c := out.Contrasts[g.spec.Contrasts[i].Name]
		c.PHolm = p
		out.Contrasts[g.spec.Contrasts[i].Name] = c
	}
	return nil
}

// measureContrast compares two rows by a measure over the final tasks for which it is defined, in file order.
func (g *Loaded) measureContrast(c Contrast, perRow map[string]taskValues) (ContrastResult, error) {
	all, strata, err := g.measureSample(c, perRow)
	if err != nil {
		return ContrastResult{}, err
	}
	out := g.intervals(c, all, strata)
	d, err := c.plan(g.study.Protocol.Seed).Compare(all)
	out.P, out.PExact = d.P, d.PExact
	return out, err
}

// measureSample returns a measure's differences between two rows, in file order and by domain.
func (g *Loaded) measureSample(c Contrast, perRow map[string]taskValues) (all stats.Sample, strata []stats.Sample, err error) {
	final := g.split(true)
	at := map[int]float64{} // final task -> difference
	all.Den = 1
	for i, place := range final {
		a, b := perRow[c.Row][c.Measure][i], perRow[c.Against][c.Measure][i]
		if a == nil || b == nil {
			continue
		}
		at[place] = *a - *b
		all.Values = append(all.Values, *a-*b)
	}
	if len(all.Values) == 0 {
		return all, nil, fmt.Errorf("study: contrast %s: no final task has a value of %s under both methods", c.Name, c.Measure)
	}
	for _, tasks := range g.blocks() {
		stratum := stats.Sample{Den: 1}
		for _, place := range tasks {
			if d, ok := at[place]; ok {
				stratum.Values = append(stratum.Values, d)
			}
		}
		strata = append(strata, stratum)
	}
	return all, strata, nil
}

// assessorsAlone gives the difference of a contrast under each assessor's own grades and undefined tasks.
func (g *Loaded) assessorsAlone(r *study.Replay, c Contrast, rows map[string]string) (map[string]AloneResult, error) {
	out := map[string]AloneResult{}
	for i, assessor := range g.spec.Pool.Assessors {
		a, err := g.values(r, rows[c.Row], g.split(true), i)
		if err != nil {
			return nil, err
		}
		b, err := g.values(r, rows[c.Against], g.split(true), i)
		if err != nil {
			return nil, err
		}
		var differences []float64
		for j, x := range a[c.Measure] {
			if y := b[c.Measure][j]; x != nil && y != nil {
				differences = append(differences, *x-*y)
			}
		}
		if mean, ok := exact.Mean(differences); ok {
			out[assessor.Name] = AloneResult{len(differences), mean}
		}
	}
	return out, nil
}

// compositeContrast compares the answers that had the second row with those that had the first, all final tasks.
func (g *Loaded) compositeContrast(c Contrast, answers *trialOutcome) (ContrastResult, error) {
	trial, err := answers.statistics()
	if err != nil {
		return ContrastResult{}, err
	}
	all, strata := g.compositeSample(trial, answers)
	out := g.intervals(c, all, strata)
	test, err := stats.Allocation(trial, c.Draws, exact.NewStream(g.study.Protocol.Seed, c.TestStream))
	if err != nil {
		return out, err
	}
	out.P = test.P
	if out.PExact, err = stats.AllocationExact(trial); err != nil {
		return out, err
	}
	out.Alone = map[string]AloneResult{}
	for i, grader := range g.spec.Trial.Graders {
		if out.Alone[grader.Name], err = answers.alone(i); err != nil {
			return out, err
		}
	}
	return out, nil
}

// compositeSample returns the composites' differences: the bootstrap runs in file order, the strata in the blocks' order.
func (g *Loaded) compositeSample(trial stats.Trial, answers *trialOutcome) (all stats.Sample, strata []stats.Sample) {
	all.Den = trial.Den
	at := map[int]float64{}
	differences := trial.Differences().Values
	for _, tasks := range g.blocks() {
		strata = append(strata, stats.Sample{Values: differences[:len(tasks)], Den: trial.Den})
		for i, place := range tasks {
			at[place] = differences[i]
		}
		differences = differences[len(tasks):]
	}
	for _, place := range answers.trial.tasks {
		all.Values = append(all.Values, at[place])
	}
	return all, strata
}

// intervals fills in what all contrasts share.
func (g *Loaded) intervals(c Contrast, all stats.Sample, strata []stats.Sample) ContrastResult {
	seed := g.study.Protocol.Seed
	d := c.plan(seed).Describe(all)
	out := ContrastResult{N: d.N, Nonzero: d.Up + d.Down, Difference: d.Difference, CI95: d.CI95}
	out.CI95Stratified = stats.Interval(stats.BootstrapStratified(strata, c.Replicates, exact.NewStream(seed, c.StratifiedStream)), 0.95)
	return out
}
