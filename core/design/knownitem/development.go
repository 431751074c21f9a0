package knownitem

import (
	"fmt"
	"strings"

	"retrace/core/design/paired"
	"retrace/core/explain"
	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
)

// candidates returns the settings of the grid over a baseline, with the terms' names.
func (k *Loaded) candidates(baseline string) (settings []map[string]string, terms []study.NamedTerm, err error) {
	candidate, err := method.Parse(k.spec.Development.Candidate)
	if err != nil {
		return nil, nil, err
	}
	settings = paired.Points(k.spec.Development.Grid)
	for _, setting := range settings {
		t, err := k.study.Resolve(candidate, newLock(baseline, setting))
		if err != nil {
			return nil, nil, err
		}
		terms = append(terms, study.NamedTerm{Name: k.candidateName(setting), Term: t})
	}
	return settings, terms, nil
}

// gridPrefix begins the names of candidates' observations; no method of the protocol has such a name, so they stay out of
// what is frozen.
const gridPrefix = "grid:"

func (k *Loaded) candidateName(setting map[string]string) string {
	var values []string
	for _, axis := range k.spec.Development.Grid {
		values = append(values, setting[axis.Key])
	}
	return gridPrefix + strings.Join(values, ":")
}

// Named returns the term behind the name of a candidate of the grid, under the sealed lock.
func (k *Loaded) Named(name string) (t method.Term, ok bool, err error) {
	if !strings.HasPrefix(name, gridPrefix) {
		return t, false, nil
	}
	lock, err := k.study.NeedLock()
	if err != nil {
		return t, false, err
	}
	_, candidates, err := k.candidates(lock["baseline"])
	if err != nil {
		return t, false, err
	}
	for _, c := range candidates {
		if c.Name == name {
			return c.Term, true, nil
		}
	}
	return t, false, fmt.Errorf("study: %q is no candidate of the grid", name)
}

// lock returns what a replay's development stage fixed, else what the seal says.
func (k *Loaded) lock(r *study.Replay) (study.Lock, error) {
	if lock, ok := r.State.(study.Lock); ok {
		return lock, nil
	}
	return k.study.NeedLock()
}

// Stages are: baselines on the development families; the grid over the best; everything else on the test families.
func (k *Loaded) Stages() []study.Stage {
	return []study.Stage{{Name: "development baselines", Plan: k.planBaselines, Close: k.chooseBaseline},
		{Name: "development grid", Plan: k.planGrid, Close: k.chooseCandidate},
		{Name: "test", Plan: k.planTest, Close: func(r *study.Replay) error {
			results, err := k.results(r)
			if err == nil {
				r.Finish(results)
			}
			return err
		}}}
}

func (k *Loaded) planBaselines(*study.Replay) ([]study.Unit, error) {
	methods, err := k.study.NamedTerms(k.spec.Development.Baselines, nil)
	return k.study.Units("development baselines", methods, k.questions(development)), err
}

func (k *Loaded) chooseBaseline(r *study.Replay) error {
	baselines := k.spec.Development.Baselines
	best, err := paired.Best(len(baselines), func(i int) (int64, error) { return k.sumParts(r, development, baselines[i], "") })
	if err == nil {
		r.State = study.Lock{"baseline": baselines[best]}
	}
	return err
}

func (k *Loaded) planGrid(r *study.Replay) ([]study.Unit, error) {
	lock, err := k.lock(r)
	if err != nil {
		return nil, err
	}
	_, methods, err := k.candidates(lock["baseline"])
	return k.study.Units("development grid", methods, k.questions(development)), err
}

func (k *Loaded) chooseCandidate(r *study.Replay) error {
	lock, err := k.lock(r)
	if err != nil {
		return err
	}
	settings := paired.Points(k.spec.Development.Grid)
	best, err := paired.Best(len(settings), func(i int) (int64, error) {
		return k.sumParts(r, development, k.candidateName(settings[i]), "")
	})
	if err != nil {
		return err
	}
	lock = newLock(lock["baseline"], settings[best])
	r.State = lock
	if err := r.Lock(lock); err != nil {
		return err
	}
	return k.adoptLocked(r, lock)
}

// adoptLocked files the locked candidate's development observations under the names of the methods that are the same
// term.
func (k *Loaded) adoptLocked(r *study.Replay, lock study.Lock) error {
	candidate, _ := method.Parse(k.spec.Development.Candidate)
	locked, err := k.study.Resolve(candidate, lock)
	if err != nil {
		return err
	}
	for _, m := range k.study.Protocol.Methods {
		t, err := k.study.Resolve(method.Term{Name: m.Name}, lock)
		if err != nil || t.String() != locked.String() {
			continue
		}
		for _, q := range k.questions(development) {
			r.Adopt(k.study.Questions[q].ID, k.candidateName(lock), m.Name)
		}
	}
	return nil
}

func (k *Loaded) planTest(r *study.Replay) ([]study.Unit, error) {
	lock, err := k.lock(r)
	if err != nil {
		return nil, err
	}
	methods, err := k.study.NamedTerms(k.tested(r), lock)
	return k.study.Units("test", methods, k.questions(test)), err
}

// tested returns the methods that a replay scores on the test families.
func (k *Loaded) tested(r *study.Replay) []string {
	var names []string
	for _, name := range k.spec.Test {
		if r.Covers(name) {
			names = append(names, name)
		}
	}
	return names
}

// MethodName returns the name that a contrast's side stands for.
func MethodName(name string, lock study.Lock) string {
	if stands(name) {
		return lock["baseline"]
	}
	return name
}

// DevelopmentResult is what the development families showed.
type DevelopmentResult struct {
	Baselines map[string]float64 `json:"baselines"` // mean reciprocal rank
	Grid      []study.Lock       `json:"grid"`      // each setting, with its mean reciprocal rank under the measure's key
	Lock      study.Lock         `json:"lock"`
}

func (k *Loaded) developmentResult(r *study.Replay) (d DevelopmentResult, err error) {
	d = DevelopmentResult{Baselines: map[string]float64{}}
	if d.Lock, err = k.lock(r); err != nil {
		return d, err
	}
	for _, b := range k.spec.Development.Baselines {
		if d.Baselines[b], err = k.meanReciprocalRank(r, development, b, ""); err != nil {
			return d, err
		}
	}
	for _, setting := range paired.Points(k.spec.Development.Grid) {
		mrr, err := k.meanReciprocalRank(r, development, k.candidateName(setting), "")
		if err != nil {
			return d, err
		}
		entry := study.Lock{k.spec.MRRKey(): method.FormatNumber(mrr)}
		for key, v := range setting {
			entry[key] = v
		}
		d.Grid = append(d.Grid, entry)
	}
	return d, nil
}

// developmentRows explain the choice.
func (k *Loaded) developmentRows() []study.Row {
	return []study.Row{
		{Shape: "development.baselines.*", Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.meanNode(x, development, x.Key(2), "")
		}},
		{Shape: "development.grid.*." + k.spec.MRRKey(), Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			settings := paired.Points(k.spec.Development.Grid)
			i, ok := x.Index(2, len(settings))
			if !ok {
				return nil, nil
			}
			return k.meanNode(x, development, k.candidateName(settings[i]), "")
		}},
		{Shape: "development.grid.*.*", Style: show.Plain, Explain: k.settingNode},
		{Shape: "development.lock.*", Style: show.Plain, Explain: k.lockNode},
	}
}

func (k *Loaded) settingNode(x *study.Explainer) (*explain.Node, error) {
	settings := paired.Points(k.spec.Development.Grid)
	i, ok := x.Index(2, len(settings))
	if !ok || settings[i][x.Key(3)] == "" {
		return nil, nil
	}
	return setting(x, x.Key(3)+" of this candidate", settings[i][x.Key(3)]), nil
}

// setting explains a value of the grid.
func setting(x *study.Explainer, title, value string) *explain.Node {
	number, ok := study.Lock{"": value}.Number("")
	node := x.Setting(title, number)
	if !ok {
		node.Value, node.Text = nil, value
	}
	return node
}

func (k *Loaded) lockNode(x *study.Explainer) (*explain.Node, error) {
	lock, err := k.lock(x.Replay)
	if err != nil {
		return nil, err
	}
	value, ok := lock[x.Key(2)]
	if !ok {
		return nil, nil
	}
	node := setting(x, "locked "+x.Key(2), value)
	node.Sentence = "The development stage chose the baseline with the highest mean, then the candidate over it with the highest mean; " +
		"ties go to what stands first in the protocol. It was sealed before any test family was scored."
	node.Formula, node.Source, node.Inputs = "argmax over development families", explain.SourceOf((*Loaded).chooseCandidate), nil
	for _, b := range k.spec.Development.Baselines {
		mrr, err := k.meanReciprocalRank(x.Replay, development, b, "")
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: b, Text: show.Share(mrr), Path: numpath.Of("development", "baselines", b)})
	}
	for i, s := range paired.Points(k.spec.Development.Grid) {
		mrr, err := k.meanReciprocalRank(x.Replay, development, k.candidateName(s), "")
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: k.settingLabel(s), Text: show.Share(mrr),
			Path: numpath.Of("development", "grid", fmt.Sprint(i), k.spec.MRRKey())})
	}
	return node, nil
}

// settingLabel writes a setting for people: teleport = 0.5, blend = 0.1.
func (k *Loaded) settingLabel(setting map[string]string) string {
	var parts []string
	for _, axis := range k.spec.Development.Grid {
		parts = append(parts, axis.Key+" = "+setting[axis.Key])
	}
	return strings.Join(parts, ", ")
}
