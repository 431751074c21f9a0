package study

import (
	"fmt"
	"math"
	"slices"

	"retrace/core/kit"
	"retrace/core/rank"
	"retrace/core/records"
)

// A Replay runs a study stage by stage. The units of a stage may run in any order and anywhere; a stage is closed when
// all their observations are in, and only then is the next one planned, so that what a lock fixes is fixed before
// anything is scored that depends on it.
type Replay struct {
	study        *Study
	stages       []Stage
	current      int
	units        []Unit
	pending      int                    // units of the stage that are not complete yet
	awaited      map[observationKey]int // observations of the stage that are still to come, with their unit's place
	left         []int                  // by unit: how many of them
	observations map[observationKey]Observation
	lock         Lock
	results      any
	files        []OutcomeFile // what a design gives beside results; observations as JSON Lines where there are none
	options      Options
	onDemand     bool // observations are made when first asked for, for explanations

	State any // what a design keeps of a replay, in its own form
}

// Options choose what a replay covers.
type Options struct {
	// WithoutVectors leaves out every method that needs embeddings, and what compares such methods. What remains has
	// frozen results of its own, so that a reader can check it without loading the vectors.
	WithoutVectors bool
}

type observationKey struct{ question, method string }

// A Stage plans its units from what earlier stages observed, and closes over the observations of its own. Where a design
// has a lock, the stage before the last one closes by r.Lock, and the last one by r.Finish.
type Stage struct {
	Name  string
	Plan  func(r *Replay) ([]Unit, error)
	Close func(r *Replay) error
}

// NewReplay plans the first stage of a study.
func (s *Study) NewReplay(options Options) (*Replay, error) {
	if options.WithoutVectors && !s.PartsWithoutVectors() {
		return nil, records.Errorf(s.Protocol.ID+"/study.json", 0, "replay it with its vectors", "this study has no results without vectors")
	}
	r := &Replay{study: s, options: options, observations: map[observationKey]Observation{}}
	r.stages = s.Design.Stages()
	return r, r.plan()
}

func (r *Replay) plan() (err error) {
	if r.current == len(r.stages)-1 {
		if err := r.study.checkLocked(); err != nil {
			return err
		}
	}
	if r.units, err = r.stages[r.current].Plan(r); err != nil {
		return err
	}
	r.pending, r.awaited, r.left = 0, map[observationKey]int{}, make([]int, len(r.units))
	for i, u := range r.units {
		for _, q := range u.Questions {
			for _, m := range u.Methods {
				r.awaited[observationKey{r.study.Questions[q].ID, m.Name}] = i
				r.left[i]++
			}
		}
		if r.left[i] > 0 {
			r.pending++
		}
	}
	return nil
}

// Stage returns the name of the current stage and its units; done is true after the last.
func (r *Replay) Stage() (name string, units []Unit, done bool) {
	if r.current == len(r.stages) {
		return "", nil, true
	}
	return r.stages[r.current].Name, r.units, false
}

// Stages returns the names of all stages in order.
func (r *Replay) Stages() []string {
	names := make([]string, len(r.stages))
	for i, s := range r.stages {
		names[i] = s.Name
	}
	return names
}

// Add takes in observations of the current stage: those of one unit, or of a part of one. They may come from elsewhere,
// so each must be awaited and possible; if one is not, none is taken.
func (r *Replay) Add(list []Observation) error {
	if r.current == len(r.stages) || r.pending == 0 {
		return fmt.Errorf("study: observations after the stage was complete: start the replay again")
	}
	seen := make(map[observationKey]bool, len(list))
	for _, o := range list {
		key := observationKey{o.Question, o.Method}
		unit, ok := r.awaited[key]
		if !ok || seen[key] {
			return fmt.Errorf("study: an observation of %q by %q that stage %q does not await, or has already: start the replay again", o.Question, o.Method, r.stages[r.current].Name)
		}
		seen[key] = true
		if what := r.study.impossible(o, r.units[unit].Best); what != "" {
			return fmt.Errorf("study: the observation of %q by %q is not what a run can give: %s: start the replay again", o.Question, o.Method, what)
		}
	}
	for _, o := range list {
		key := observationKey{o.Question, o.Method}
		unit := r.awaited[key]
		delete(r.awaited, key)
		r.observations[key] = o
		if r.left[unit]--; r.left[unit] == 0 {
			r.pending--
		}
	}
	return nil
}

// impossible says why an observation that keeps the given number of documents can't come from this study; empty where
// it could.
func (s *Study) impossible(o Observation, keep int) string {
	switch {
	case o.Candidates < 0 || o.Candidates > s.Collection.Len():
		return fmt.Sprintf("%d documents with a rank of %d", o.Candidates, s.Collection.Len())
	case o.Rank != nil && (*o.Rank < 1 || *o.Rank > o.Candidates):
		return fmt.Sprintf("rank %d among %d", *o.Rank, o.Candidates)
	case len(o.Best) != min(keep, o.Candidates):
		return fmt.Sprintf("%d documents, %d are kept", len(o.Best), min(keep, o.Candidates))
	}
	last := rank.Hit{Doc: -1, Score: math.Inf(1)}
	for _, p := range o.Best {
		doc, ok := s.Collection.Number(p.ID)
		if !ok {
			return fmt.Sprintf("unknown document %q", p.ID)
		}
		if math.IsNaN(p.Score) || math.IsInf(p.Score, 0) || p.Score > last.Score || p.Score == last.Score && doc <= last.Doc {
			return fmt.Sprintf("document %q is out of order", p.ID)
		}
		last = rank.Hit{Doc: doc, Score: p.Score}
	}
	return ""
}

// Close ends the current stage and plans the next.
func (r *Replay) Close() error {
	if r.current == len(r.stages) {
		return fmt.Errorf("study: the replay has finished: start it again")
	}
	if r.pending != 0 {
		return fmt.Errorf("study: stage %q lacks %d units", r.stages[r.current].Name, r.pending)
	}
	if err := r.stages[r.current].Close(r); err != nil {
		return err
	}
	if r.current++; r.current == len(r.stages) {
		r.units = nil
		return nil
	}
	return r.plan()
}

// An Outcome is what a finished replay gives.
type Outcome struct {
	Results []byte // canonical JSON (RFC 8785)
	SHA256  string // of Results
	Files   []OutcomeFile
}

// An OutcomeFile is a file that a replay makes, under the path of its frozen twin.
type OutcomeFile struct {
	Path string
	Data []byte
}

// Outcome returns the results and observations of a finished replay. Observations are JSON Lines, methods and questions
// in the protocol's order; those that need vectors stand in a file of their own.
func (r *Replay) Outcome() (*Outcome, error) {
	if r.results == nil {
		return nil, fmt.Errorf("study: the replay has not finished")
	}
	results, err := kit.Canonical(r.results)
	if err != nil {
		return nil, err
	}
	p := r.study.Protocol
	out := &Outcome{results, kit.Hash(results), []OutcomeFile{{p.FrozenResults(r.options), results}}}
	if r.files != nil {
		out.Files = append(out.Files, r.files...)
		return out, nil
	}
	for _, vectors := range []bool{false, true} {
		var list []Observation
		for _, m := range p.Methods {
			if r.study.NeedsVectors(m.Name) != vectors {
				continue
			}
			for _, q := range r.study.Questions {
				if o, ok := r.observations[observationKey{q.ID, m.Name}]; ok {
					list = append(list, o)
				}
			}
		}
		if len(list) == 0 {
			continue
		}
		data, err := EncodeObservations(list)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, OutcomeFile{p.FrozenObservations(vectors), data})
	}
	return out, nil
}

// Observation returns what a method returned for a question in an earlier stage.
func (r *Replay) Observation(question, method string) (Observation, error) {
	o, ok := r.observations[observationKey{question, method}]
	if !ok && (r.onDemand || r.results != nil) {
		if err := r.demand(question, method); err != nil {
			return o, err
		}
		o, ok = r.observations[observationKey{question, method}]
	}
	if !ok {
		return o, fmt.Errorf("study: %s was not scored by %s", question, method)
	}
	return o, nil
}

// Progress is told how many units of which stage are done.
type Progress func(stage string, done, total int)

// RunAll runs every stage here, one unit after the other.
func (s *Study) RunAll(options Options, progress Progress) (*Replay, error) {
	r, err := s.NewReplay(options)
	if err != nil {
		return nil, err
	}
	for {
		name, units, done := r.Stage()
		if done {
			return r, nil
		}
		for i, u := range units {
			if progress != nil {
				progress(name, i, len(units))
			}
			list, err := s.Run(u)
			if err != nil {
				return nil, err
			}
			if err := r.Add(list); err != nil {
				return nil, err
			}
		}
		if progress != nil {
			progress(name, len(units), len(units))
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
}

// Develop runs the stages up to the lock and returns it: nothing of the test split is scored.
func (s *Study) Develop() (Lock, error) {
	r, err := s.NewReplay(Options{WithoutVectors: s.PartsWithoutVectors()})
	if err != nil {
		return nil, err
	}
	for range len(r.stages) - 1 {
		_, units, _ := r.Stage()
		for _, u := range units {
			list, err := s.Run(u)
			if err != nil {
				return nil, err
			}
			if err := r.Add(list); err != nil {
				return nil, err
			}
		}
		if r.current == len(r.stages)-2 { // closing would plan the test stage
			if err := r.stages[r.current].Close(r); err != nil {
				return nil, err
			}
			break
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	return r.lock, nil
}

// Finish keeps the results, and the files that a design freezes beside them; where it gives none, the observations are
// frozen as JSON Lines.
func (r *Replay) Finish(results any, files ...OutcomeFile) { r.results, r.files = results, files }

// Adopt files what a method returned for a question under another name.
func (r *Replay) Adopt(question, method, as string) {
	if o, ok := r.observations[observationKey{question, method}]; ok {
		o.Method = as
		r.observations[observationKey{question, as}] = o
	}
}

// Options returns what the replay covers.
func (r *Replay) Options() Options { return r.options }

// Covers reports whether the replay covers methods: all, but for those that need vectors in a replay without.
func (r *Replay) Covers(methods ...string) bool {
	return !r.options.WithoutVectors || !slices.ContainsFunc(methods, r.study.NeedsVectors)
}

// UnitSize is how many questions a unit holds: a multiple of walk.Lanes.
const UnitSize = 24

// Units cuts work into pieces: all methods together, so that they share base scores and walks, on a few questions.
func (s *Study) Units(stage string, methods []NamedTerm, questions []int) []Unit {
	var list []Unit
	for chunk := range slices.Chunk(questions, UnitSize) {
		list = append(list, Unit{stage, methods, chunk, s.Protocol.Keep})
	}
	return list
}

// Pending returns how many units of the current stage are still to come.
func (r *Replay) Pending() int { return r.pending }

// Study returns the study that is replayed.
func (r *Replay) Study() *Study { return r.study }
