package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"retrace/cmd/build/page/embedded"
	"retrace/core/design/knownitem"
	"retrace/core/method"
	"retrace/core/records"
	"retrace/core/show"
	"retrace/core/study"
)

// knownItem is what the article of a known-item study shows beside its numbers.
type knownItem struct {
	Spec     *knownitem.Spec
	Results  *knownitem.Results
	Primary  knownitem.Contrast
	Contrast knownitem.ContrastResult
	Main     []methodRow // baselines and graph methods
	Controls []methodRow
	Rewired  []methodRow
	Dense    []methodRow
	Grid     [][]gridCell // the first axis down, the settings of the others across
	Across   []string     // keys of the axes across
	Ties     int          // candidates that share the best development score
	Up, Down []familyRow  // families that moved, the largest change first
	Misses   []missRow
	Reader   []contextRow
	Others   []contrastRow // contrasts of the supplement
	Least    string        // names of the rewired graphs with the least and the largest MRR, "" where none was tested
	Most     string
	Swaps    string // exchanges for each link of a rewired graph, in words
	Linked   bool   // there is a graph of the links
	Lexical  bool   // neither method of the primary contrast uses embeddings
	// Labels of what the reader pilot compared.
	ReaderBase, ReaderGraph methodRow
}

// methodRow is one method of a table.
type methodRow struct {
	study.MethodSpec
	Full  string // the term, written out
	About string // what it does, in a sentence
	Kinds []string
}

// gridCell is one setting of the grid.
type gridCell struct {
	Place  int // in results
	Locked bool
}

type familyRow struct {
	Place                int
	ID, Target, Question string
	Sign                 int
}

type missRow struct {
	Place                        int
	Question, Kind, Target, Text string
	Baseline, Graph              template.HTML
}

type contextRow struct {
	knownitem.Context
	Method, Label, Question string // what stood behind it: the method's name and role, and the question's ID
	Target                  string // title
	Choice                  int
	Answer                  knownitem.ReaderAnswer
	Mark                    knownitem.ContextMark
}

type contrastRow struct {
	Name            string
	Method, Against methodRow
}

// about says what a method does, with its parameters as far as the seals give them.
func (a *article) about(name string) string { return method.Kinds.About(a.Study.WrittenOut(name)) }

func newKnownItem(a *article, results []byte) (*knownItem, error) {
	k := &knownItem{Spec: knownitem.Of(a.Protocol), Results: &knownitem.Results{}}
	if err := json.Unmarshal(results, k.Results); err != nil {
		return nil, err
	}
	if len(k.Spec.Contrasts) == 0 {
		return nil, fmt.Errorf("no contrast")
	}
	k.Primary = k.Spec.Contrasts[0]
	k.Contrast = k.Results.Contrasts[k.Primary.Name]
	k.Linked = k.Results.Graph.Nodes > 0
	k.Lexical = a.lexical(k.Contrast.Method, k.Contrast.Against)
	rewired := map[string]bool{}
	for _, r := range k.Results.Rewired {
		rewired[r.Name] = true
	}
	for _, name := range k.Spec.Test {
		row := k.row(a, name)
		switch {
		case row.Role == "dense":
			k.Dense = append(k.Dense, row)
		case rewired[name]:
			k.Rewired = append(k.Rewired, row)
		case row.Role == "control":
			k.Controls = append(k.Controls, row)
		default:
			k.Main = append(k.Main, row)
		}
	}
	for _, c := range k.Spec.Contrasts[1:] {
		if r, ok := k.Results.Contrasts[c.Name]; ok {
			k.Others = append(k.Others, contrastRow{c.Name, k.row(a, r.Method), k.row(a, r.Against)})
		}
	}
	k.Swaps = k.swaps(a)
	k.rewiredRange()
	k.grid()
	k.families(a)
	k.misses(a)
	return k, k.reader(a)
}

func (k *knownItem) row(a *article, name string) methodRow {
	row := methodRow{MethodSpec: study.MethodSpec{Name: name, Label: name}, Kinds: k.Spec.Kinds}
	if m, ok := a.Protocol.Method(name); ok {
		row.MethodSpec = m
	}
	row.Full = a.Study.TermOf(name)
	row.About = a.about(name)
	return row
}

// Baseline is the locked baseline, and Graph the method that the primary contrast holds against it.
func (k *knownItem) Baseline(a *article) methodRow { return k.row(a, k.Contrast.Against) }
func (k *knownItem) Graph(a *article) methodRow    { return k.row(a, k.Contrast.Method) }

// Supplements counts what was run beside the primary comparison.
func (k *knownItem) Supplements() (n int) {
	if k.Dense != nil || k.Others != nil {
		n++
	}
	if k.Reader != nil {
		n++
	}
	return n
}

// swaps says how many exchanges each rewiring made, by the protocol.
func (k *knownItem) swaps(a *article) string {
	var counts []int
	for _, g := range a.Protocol.Graphs {
		if g.From == "rewired" {
			counts = append(counts, g.SwapsPerEdge)
		}
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	var words []string
	for _, n := range counts {
		words = append(words, show.Count(int64(n)))
	}
	if text := strings.Join(words, " or "); text != "1" {
		return text + " exchanges"
	}
	return "one exchange"
}

func (k *knownItem) embedded(a *article) *embedded.KnownItem {
	e := &embedded.KnownItem{
		Cutoff: k.Spec.Cutoff, Measure: k.Spec.MRRKey(), Primary: k.Primary.Name,
		Baseline: k.Contrast.Against, Graph: k.Contrast.Method, Families: map[string]embedded.Family{},
	}
	for _, f := range k.Results.Families {
		e.Families[f.Family] = embedded.Family{Target: a.title(f.Target), Question: k.firstQuestion(a, f.Family)}
	}
	return e
}

// FarControls are the controls that the figure leaves out.
func (k *knownItem) FarControls() (list []methodRow) {
	real := k.Results.Methods[k.Contrast.Method].MRR
	for _, row := range k.Controls {
		if math.Abs(k.Results.Methods[row.Name].MRR-real) > embedded.Far {
			list = append(list, row)
		}
	}
	return list
}

// Label is a method's name for people.
func (k *knownItem) Label(a *article, name string) string { return k.row(a, name).Label }

func (k *knownItem) rewiredRange() {
	low, high := "", ""
	for _, r := range k.Results.Rewired {
		tested, ok := k.Results.Methods[r.Name]
		if !ok {
			continue // a graph that no tested method walks, or one of another name
		}
		m := tested.MRR
		if low == "" || m < k.Results.Methods[low].MRR {
			low = r.Name
		}
		if high == "" || m > k.Results.Methods[high].MRR {
			high = r.Name
		}
	}
	k.Least, k.Most = low, high
}

func (k *knownItem) grid() {
	axes, development := k.Spec.Development.Grid, k.Results.Development
	best := 0.0
	for _, g := range development.Grid {
		mrr, _ := g.Number(k.Spec.MRRKey())
		best = max(best, mrr)
	}
	down := 1
	if len(axes) > 0 {
		down = len(axes[0].Values)
		for _, axis := range axes[1:] {
			k.Across = append(k.Across, axis.Key)
		}
	}
	across := len(development.Grid) / down
	for i, g := range development.Grid {
		if i%across == 0 {
			k.Grid = append(k.Grid, nil)
		}
		cell := gridCell{i, true}
		for _, axis := range axes {
			cell.Locked = cell.Locked && g[axis.Key] == development.Lock[axis.Key]
		}
		row := &k.Grid[len(k.Grid)-1]
		*row = append(*row, cell)
		if mrr, _ := g.Number(k.Spec.MRRKey()); mrr == best {
			k.Ties++
		}
	}
}

// FirstAxis is the key of the axis that stands down the grid; "" where there is one candidate only.
func (k *knownItem) FirstAxis() string {
	if axes := k.Spec.Development.Grid; len(axes) > 0 {
		return axes[0].Key
	}
	return ""
}

// axisNotes says what the parameters of a walk do.
var axisNotes = map[string]string{
	"teleport": "The share of score that returns to the best documents of the base method in each step of the walk: a small one lets " +
		"scores spread far.",
	"blend": "The walk’s share in the final score; the rest is the base method’s.",
}

// About names an axis of the grid, with a note where it is a well-known parameter.
func (k *knownItem) About(key string) template.HTML {
	if text, ok := axisNotes[key]; ok {
		return note(key, key, text)
	}
	return kitText(key)
}

// Value is a setting's value on an axis: a number that can be pressed, or a name.
func (k *knownItem) Value(a *article, place int, key string) (template.HTML, error) {
	setting := k.Results.Development.Grid[place]
	if _, ok := setting.Number(key); ok {
		return a.Num("development.grid", place, key)
	}
	return kitText(setting[key]), nil
}

// LockValue is the locked value on an axis.
func (k *knownItem) LockValue(a *article, key string) (template.HTML, error) {
	lock := k.Results.Development.Lock
	if _, ok := lock.Number(key); ok {
		return a.Num("development.lock", key)
	}
	return kitText(lock[key]), nil
}

// FirstCutoff and LastCutoff are the smallest and the largest cutoff of hits; LastHits is the key of the latter's.
func (k *knownItem) FirstCutoff() int { return k.Spec.HitsAt[0] }
func (k *knownItem) LastCutoff() int  { return k.Spec.HitsAt[len(k.Spec.HitsAt)-1] }
func (k *knownItem) LastHits() string { return knownitem.HitsKey(k.LastCutoff()) }

// HitKeys are the keys of hits in results.
func (k *knownItem) HitKeys() (keys []string) {
	for _, at := range k.Spec.HitsAt {
		keys = append(keys, knownitem.HitsKey(at))
	}
	return keys
}

// families lists the families that moved, those that gained first, each side by the size of its change.
func (k *knownItem) families(a *article) {
	for i, f := range k.Results.Families {
		row := familyRow{Place: i, ID: f.Family, Target: a.title(f.Target), Question: k.firstQuestion(a, f.Family)}
		switch {
		case f.Difference > 0:
			row.Sign = 1
			k.Up = insert(k.Up, row, func(x familyRow) bool { return k.Results.Families[x.Place].Difference < f.Difference })
		case f.Difference < 0:
			row.Sign = -1
			k.Down = insert(k.Down, row, func(x familyRow) bool { return k.Results.Families[x.Place].Difference < f.Difference })
		}
	}
}

// insert puts a row before the first one that after names.
func insert(list []familyRow, row familyRow, after func(familyRow) bool) []familyRow {
	i := 0
	for i < len(list) && !after(list[i]) {
		i++
	}
	return append(list[:i:i], append([]familyRow{row}, list[i:]...)...)
}

func (k *knownItem) firstQuestion(a *article, family string) string {
	for i := range a.Study.Questions {
		if a.Study.Questions[i].Family == family {
			return a.Study.Questions[i].ID
		}
	}
	return ""
}

func (a *article) title(document string) string {
	if n, ok := a.Study.Collection.Number(document); ok {
		return a.Study.Collection.Docs[n].Title
	}
	return document
}

func (k *knownItem) misses(a *article) {
	for i, m := range k.Results.Misses {
		row := missRow{Place: i, Question: m.Question, Target: a.title(m.Target)}
		if q, ok := a.Study.Question(m.Question); ok {
			row.Kind, row.Text = q.Kind, q.Text
		}
		place := strconv.Itoa(i)
		row.Baseline, row.Graph = absent, absent
		if m.Ranks.Baseline != nil {
			row.Baseline, _ = a.Num("misses", place, "ranks", "baseline")
		}
		if m.Ranks.Graph != nil {
			row.Graph, _ = a.Num("misses", place, "ranks", "graph")
		}
		k.Misses = append(k.Misses, row)
	}
}

// rankRow is one question of the figure of ranks.
type rankRow struct {
	Question        string
	Baseline, Graph string // "none" where the method gives the target no rank
}

// Ranks are the points of the figure of ranks, as the script finds them in the page.
func (k *knownItem) Ranks(a *article) []rankRow {
	text := func(rank *int) string {
		if rank == nil {
			return "none"
		}
		return show.Count(int64(*rank))
	}
	var rows []rankRow
	for _, p := range a.data.Figures.Ranks {
		rows = append(rows, rankRow{p.Question, text(p.Baseline), text(p.Graph)})
	}
	return rows
}

// fewMisses are shown at once, the others behind a disclosure.
const fewMisses = 8

func (k *knownItem) FirstMisses() []missRow { return k.Misses[:min(fewMisses, len(k.Misses))] }
func (k *knownItem) OtherMisses() []missRow { return k.Misses[min(fewMisses, len(k.Misses)):] }

// reader joins what the pilot's reader saw with what it answered and with what checking gave.
func (k *knownItem) reader(a *article) error {
	spec := k.Spec.Reader
	if spec == nil || k.Results.Reader == nil {
		return nil
	}
	locked := func(name string) methodRow {
		name = knownitem.MethodName(name, k.Results.Development.Lock)
		return k.row(a, name)
	}
	k.ReaderBase, k.ReaderGraph = locked(spec.Methods[0]), locked(spec.Methods[1])
	contexts, err := lines[knownitem.Context](a, spec.Packet)
	if err != nil {
		return err
	}
	keys, err := lines[knownitem.ContextKey](a, spec.Key)
	if err != nil {
		return err
	}
	answers, err := lines[knownitem.ReaderAnswer](a, spec.Answers)
	if err != nil {
		return err
	}
	for i, c := range contexts {
		row := contextRow{Context: c, Mark: k.Results.Reader.Contexts[i], Method: keys[i].Method, Question: keys[i].Question,
			Target: a.title(keys[i].Target)}
		row.Label = k.ReaderBase.Label
		if row.Method == "graph" {
			row.Label = k.ReaderGraph.Label
		}
		for _, answer := range answers {
			if answer.Context == c.Context {
				row.Answer, row.Choice = answer, answer.Choice
			}
		}
		k.Reader = append(k.Reader, row)
	}
	return nil
}

func lines[T any](a *article, file string) (list []T, err error) {
	data, err := a.Study.Kit.Read(file)
	if err != nil {
		return nil, err
	}
	return list, records.JSONLines(file, data, func(_ int, record T) error {
		list = append(list, record)
		return nil
	})
}
