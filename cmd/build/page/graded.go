package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/cmd/build/page/embedded"
	"retrace/core/design/graded"
	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/study"
)

// gradedStudy is what the article of a graded study shows beside its numbers.
type gradedStudy struct {
	Spec          *graded.Spec
	Results       *graded.Results
	Tasks         []taskRow // file order
	Final         []taskRow // those of them that were scored after the lock
	Without       []taskRow // final tasks without a value of the first measure
	Rows          []gradedRow
	Base          gradedRow // the trial's two rows
	Typed         gradedRow
	Settings      []settingGroup // methods on the development tasks
	Best          string         // the baseline that was locked
	Contrasts     []gradedContrastRow
	Disagreements []disagreementRow
	Predicates    []string // in use
	Reserved      []string
	Cues          int
	Measures      []measureRow
	Pooled        string // what is judged
	Moved         counts // final tasks by what the first contrast's measure did
	MovedAnswers  counts
}

type counts struct{ Up, Down, Same, Without int }

// taskRow is one task.
type taskRow struct {
	graded.TaskPool
	Order, Membership bool // the first documents changed
}

// measureRow is one measure for people.
type measureRow struct{ Label, About string }

// aboutMeasures says what a measure of a graded study is, by its family; {k} is its cutoff, {g} the lowest grade that counts.
var aboutMeasures = map[string]string{
	"nDCG": "compares the first {k} with the best possible {k} of the task’s pool; a document at grade g counts 2 to the power of g, " +
		"minus 1, less the lower it stands. A task whose pool has no grade above 0 has no value.",
	"P":        "the share of the first {k} with a mean grade of at least {g}.",
	"Coverage": "the share of obligations that both assessors say one same document of the first {k} helps.",
}

// describe says what a measure is: in words made for a page, else as core/metrics defines it.
func describe(p *study.Protocol, measure string, words map[string]string) string {
	m, err := p.ParseMeasure(measure)
	if err != nil {
		return ""
	}
	text, ok := words[m.Family]
	if !ok {
		family, _ := m.Table()
		return family.Definition
	}
	return strings.NewReplacer("{k}", strconv.Itoa(m.Cutoff), "{g}", strconv.Itoa(max(1, m.Rel))).Replace(text)
}

// measures names each measure and says what it is.
func (g *gradedStudy) measures(a *article) {
	for _, spec := range g.Spec.Measures {
		g.Measures = append(g.Measures, measureRow{spec.Spoken(), describe(a.Protocol, spec.Measure, aboutMeasures)})
	}
	pool := g.Spec.Pool
	g.Pooled = fmt.Sprintf("What is judged: the first %d documents of every setting", pool.Depth)
	if len(pool.Extra) > 0 {
		g.Pooled += ", a few more of one method"
		if len(pool.Extra) > 1 {
			g.Pooled = strings.TrimSuffix(g.Pooled, "one method") + "some methods"
		}
	}
	g.Pooled += ", and one document drawn at random. What is outside it was not looked at."
}

// gradedRow is one method that is compared on the final tasks.
type gradedRow struct {
	graded.Row
	Method string // under the lock
	Full   string // its term, written out
	About  string // what it does, in a sentence
	Does   string // what it does, to follow a subject
}

// settingGroup are the settings of one family.
type settingGroup struct {
	Label, Role string
	Rows        []settingRow
}

// settingRow is one choice of parameters, over every baseline.
type settingRow struct {
	Label string
	Cells []settingCell // by baseline
}

type settingCell struct {
	Method string
	Locked bool // chosen
}

type gradedContrastRow struct {
	graded.Contrast
	Measured  string // the measure for people
	Row, Base gradedRow
	Judges    []string // whose grades alone are shown: assessors, or graders of answers
	Of        string   // what the judges are called
}

type disagreementRow struct {
	Place               int
	Task, Title         string
	ReasonA, ReasonB    string
	Concept             string
	AssessorA           string
	AssessorB           string
	DocumentExplanation string
}

func newGradedStudy(a *article, results []byte) (*gradedStudy, error) {
	g := &gradedStudy{Spec: graded.Of(a.Protocol), Results: &graded.Results{}}
	if err := json.Unmarshal(results, g.Results); err != nil {
		return nil, err
	}
	methods, err := graded.From(a.Study).SealedRows()
	if err != nil {
		return nil, err
	}
	for _, r := range g.Spec.Rows {
		row := gradedRow{Row: r, Method: methods[r.Name], Full: a.Study.TermOf(methods[r.Name]), Does: a.about(methods[r.Name])}
		m, _ := a.Protocol.Method(row.Method)
		row.About = m.Note
		if row.About == "" {
			row.About = row.Does
		}
		g.Rows = append(g.Rows, row)
	}
	g.Base, g.Typed = g.Row(g.Spec.Trial.Rows[0]), g.Row(g.Spec.Trial.Rows[1])
	g.Best = g.Results.Lock["baseline"]
	for _, t := range graded.From(a.Study).Tasks() {
		row := taskRow{TaskPool: t, Order: slices.Contains(g.Results.Changed.Order, t.ID),
			Membership: slices.Contains(g.Results.Changed.Membership, t.ID)}
		g.Tasks = append(g.Tasks, row)
		if t.Final {
			g.Final = append(g.Final, row)
			if t.Undefined {
				g.Without = append(g.Without, row)
			}
		}
	}
	g.measures(a)
	g.contrasts()
	g.settings(a)
	g.disagreements(a)
	if r := a.Protocol.Relations; r != nil {
		g.Predicates, g.Reserved = r.Vocabulary.Predicates, r.Vocabulary.Reserved
	}
	return g, nil
}

// Row returns a row by name.
func (g *gradedStudy) Row(name string) gradedRow {
	for _, r := range g.Rows {
		if r.Name == name {
			return r
		}
	}
	return gradedRow{Row: graded.Row{Name: name, Label: name}}
}

// Label is a method's name for people.
func (g *gradedStudy) Label(a *article, name string) string {
	return a.Protocol.Label(name)
}

// Measure is a measure's name for people.
func (g *gradedStudy) Measure(key string) string { return g.Spec.MeasureName(key) }

func (g *gradedStudy) contrasts() {
	for _, c := range g.Spec.Contrasts {
		row := gradedContrastRow{Contrast: c, Measured: g.Measure(c.Measure), Row: g.Row(c.Row), Base: g.Row(c.Against), Of: "assessor"}
		judges := g.Spec.Pool.Assessors
		for _, j := range judges {
			row.Judges = append(row.Judges, j.Name)
		}
		if c.Measure == graded.Composite {
			row.Judges, row.Of = nil, "grader"
			for _, j := range g.Spec.Trial.Graders {
				row.Judges = append(row.Judges, j.Name)
			}
		}
		g.Contrasts = append(g.Contrasts, row)
	}
	key := g.Spec.Measures[0].Key
	for _, t := range g.Results.PerTask {
		tally(&g.Moved, t.Rows[g.Typed.Name][key], t.Rows[g.Base.Name][key])
		a, b := t.Composite[g.Typed.Name], t.Composite[g.Base.Name]
		tally(&g.MovedAnswers, &a, &b)
	}
}

func tally(c *counts, a, b *float64) {
	switch {
	case a == nil || b == nil:
		c.Without++
	case *a > *b:
		c.Up++
	case *a < *b:
		c.Down++
	default:
		c.Same++
	}
}

// settings groups the methods: the baselines, then each row's family, its choices of parameters down, baselines across.
func (g *gradedStudy) settings(a *article) {
	baselines := g.Spec.Selection.Baselines
	chosen := map[string]bool{}
	for _, name := range g.Results.Lock {
		chosen[name] = true
	}
	alone := settingRow{Label: "alone"}
	for _, b := range baselines {
		alone.Cells = append(alone.Cells, settingCell{b, chosen[b]})
	}
	g.Settings = []settingGroup{{Label: "Baselines", Role: "baseline", Rows: []settingRow{alone}}}
	for _, row := range g.Rows {
		family := a.Study.Terms[row.Method]
		if len(family.Args) == 0 || row.Name == g.Base.Name {
			continue
		}
		group := settingGroup{Label: row.Label, Role: row.Role}
		for _, m := range a.Protocol.Methods {
			t := a.Study.Terms[m.Name]
			if t.Name != family.Name || t.Param("edges") != family.Param("edges") || len(t.Args) == 0 {
				continue
			}
			over := slices.Index(baselines, t.Args[0].String())
			label := parameters(t)
			i := slices.IndexFunc(group.Rows, func(r settingRow) bool { return r.Label == label })
			if i < 0 {
				i = len(group.Rows)
				group.Rows = append(group.Rows, settingRow{label, make([]settingCell, len(baselines))})
			}
			if over >= 0 {
				group.Rows[i].Cells[over] = settingCell{m.Name, chosen[m.Name]}
			}
		}
		g.Settings = append(g.Settings, group)
	}
}

// parameters writes a walk's settings for people.
func parameters(t method.Term) string {
	text := "β = " + t.Param("blend")
	switch t.Param("hops") {
	case "":
		return text
	case "1":
		return "1 hop, " + text
	}
	return t.Param("hops") + " hops, " + text
}

func (g *gradedStudy) disagreements(a *article) {
	for i, d := range g.Results.Agreement.List {
		row := disagreementRow{Place: i, Task: d.Task, Concept: d.Concept, Title: a.title(d.Concept)}
		if t, ok := graded.From(a.Study).Task(d.Task); ok {
			for _, p := range t.Pool {
				if a.Study.Collection.Docs[p.Doc].ID == d.Concept {
					row.ReasonA, row.ReasonB = p.Grades[0].Reason, p.Grades[1].Reason
				}
			}
		}
		g.Disagreements = append(g.Disagreements, row)
	}
}

// Value is the number of one final task, "undefined" where there is none.
func (g *gradedStudy) Value(a *article, place int, keys ...any) (any, error) {
	path := append([]any{"perTask", strconv.Itoa(place)}, keys...)
	p, err := joinPath(path...)
	if err != nil {
		return nil, err
	}
	if _, ok := a.Numbers[p]; !ok {
		return undefined, nil
	}
	return a.Numbers.html(p)
}

func (g *gradedStudy) embedded(a *article) *embedded.Graded {
	first := g.Spec.Measures[0]
	e := &embedded.Graded{
		Measure: first.Key, Measured: first.Spoken(), Baseline: g.Base.Method, Typed: g.Typed.Method,
		Base: g.Base.Name, Row: g.Typed.Name, Top: g.Spec.Trial.Top, Tasks: map[string]string{},
	}
	for _, r := range g.Rows {
		e.Rows = append(e.Rows, embedded.Row{Name: r.Name, Label: r.Label, Role: r.Role})
	}
	for _, c := range g.Contrasts {
		random := "random signs"
		if c.Measure == graded.Composite {
			random = "random allocations"
		}
		e.Contrasts = append(e.Contrasts, embedded.Contrast{Name: c.Name, Measured: c.Measured, Random: random})
	}
	for _, group := range g.Settings {
		for _, row := range group.Rows {
			for base, cell := range row.Cells {
				if cell.Method == "" || g.Results.Development.Settings[cell.Method] == nil {
					continue
				}
				e.Settings = append(e.Settings, embedded.Setting{
					Method: cell.Method, Path: numpath.Join("development.settings", cell.Method),
					Family: group.Label, Role: group.Role, Base: base, Locked: cell.Locked,
				})
			}
		}
	}
	for _, b := range g.Spec.Selection.Baselines {
		e.Bases = append(e.Bases, g.Label(a, b))
	}
	for _, t := range g.Final {
		e.Tasks[t.ID] = fmt.Sprintf("%s, %s", t.Domain, t.Origin)
	}
	return e
}
