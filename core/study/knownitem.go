package study

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/graph"
	"retrace/core/method"
	"retrace/core/metrics"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/stats"
)

// knownItem is the loaded design of a KnownItem study.
type knownItem struct {
	study    *Study
	spec     *KnownItem
	families []family // ascending ID
	of       []int    // question's place -> family
	unit     int64    // reciprocal ranks are multiples of 1/unit: the least common multiple of 1 … cutoff
	sample   SampleResult
}

type family struct {
	ID, Split string
	Band      int
	Target    int   // document
	Questions []int // places, in the order of the protocol's kinds
	Line      int   // in the targets' file
}

const development, test = "dev", "test"

// targetColumns head the targets' file.
var targetColumns = []string{"family", "target", "band", "split"}

func loadKnownItem(s *Study) (*knownItem, error) {
	spec := s.Protocol.KnownItem
	k := &knownItem{study: s, spec: spec, of: make([]int, len(s.Questions))}
	k.unit, _ = metrics.ReciprocalUnit(spec.Cutoff) // the protocol's check bounds the cutoff
	data, err := s.Kit.Read(spec.Targets)
	if err != nil {
		return nil, err
	}
	byID := map[string]int{}
	err = records.TSV(spec.Targets, data, targetColumns, func(line int, f []string) error {
		fail := func(hint, format string, args ...any) error {
			return records.Errorf(spec.Targets, line, hint, format, args...)
		}
		if what := collection.CheckID(f[0]); what != "" {
			return fail("name the family", "%s: %q", what, f[0])
		}
		if _, ok := byID[f[0]]; ok {
			return fail("list every family once", "duplicate family %q", f[0])
		}
		target, ok := s.Collection.Number(f[1])
		if !ok {
			return fail("a target is a document of "+s.Collection.File, "unknown document %q", f[1])
		}
		band, err := strconv.Atoi(f[2])
		if err != nil || band < 1 || band > len(spec.Sample.BandStreams) {
			return fail(fmt.Sprintf("bands are numbered 1 to %d", len(spec.Sample.BandStreams)), "band %q", f[2])
		}
		if f[3] != development && f[3] != test {
			return fail("the splits are dev and test", "split %q", f[3])
		}
		if !spec.eligible(s.Collection, target) {
			return fail(fmt.Sprintf("a target's text has at least %d words", spec.Sample.MinWords), "target %q is not eligible: its text has %d words", f[1], collection.Words(s.Collection.Docs[target].Text))
		}
		byID[f[0]] = len(k.families)
		k.families = append(k.families, family{ID: f[0], Target: target, Band: band, Split: f[3], Line: line})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(k.families) != spec.Families {
		return nil, records.Errorf(spec.Targets, 0, "the protocol says how many families there are", "%d families, want %d", len(k.families), spec.Families)
	}
	order.Sort(k.families, func(a, b family) int { return collection.CompareID(a.ID, b.ID) })
	for i, f := range k.families {
		byID[f.ID] = i
		k.families[i].Questions = make([]int, len(spec.Kinds))
		for j := range k.families[i].Questions {
			k.families[i].Questions[j] = -1
		}
	}
	for i, q := range s.Questions {
		fail := func(hint, format string, args ...any) error {
			return records.Errorf(s.Protocol.Questions.File, q.Line, hint, format, args...)
		}
		f, ok := byID[q.Family]
		if !ok {
			return nil, fail("every question names a family of "+spec.Targets+" in metadata.family", "question %q has no family: %q", q.ID, q.Family)
		}
		kind := slices.Index(spec.Kinds, q.Kind)
		if kind < 0 {
			return nil, fail(fmt.Sprintf("the kinds are %v", spec.Kinds), "question %q has the unknown kind %q", q.ID, q.Kind)
		}
		if k.families[f].Questions[kind] >= 0 {
			return nil, fail("a family has one question of each kind", "family %s has a second question of kind %s", q.Family, q.Kind)
		}
		k.families[f].Questions[kind] = i
		k.of[i] = f
	}
	for _, f := range k.families {
		if i := slices.Index(f.Questions, -1); i >= 0 {
			return nil, records.Errorf(s.Protocol.Questions.File, 0, "a family has one question of each kind", "family %s lacks its question of kind %s", f.ID, spec.Kinds[i])
		}
	}
	k.sample, err = k.drawSample()
	return k, err
}

func (k *knownItem) targetOf(question int) int { return k.families[k.of[question]].Target }

// eligible reports whether a document may be a target.
func (k *KnownItem) eligible(c *collection.Collection, doc int) bool {
	return collection.Words(c.Docs[doc].Text) >= k.Sample.MinWords
}

// A SampleResult says what drawing the sample again gave.
type SampleResult struct {
	Eligible    int          `json:"eligible"` // documents
	Bands       []BandResult `json:"bands"`
	Families    int          `json:"families"`
	Development int          `json:"development"` // families
	Test        int          `json:"test"`        // families
	Questions   int          `json:"questions"`
	Reproduced  bool         `json:"reproduced"` // the draw gives the targets' file, line by line
}

// A BandResult is one band of sequential IDs.
type BandResult struct {
	First    int `json:"first"`
	Last     int `json:"last"`
	Eligible int `json:"eligible"`
	Drawn    int `json:"drawn"`
}

// drawSample draws targets and split again from the seed and compares them with the targets' file; a difference is an
// error that names the family.
func (k *knownItem) drawSample() (SampleResult, error) {
	docs := k.study.Collection.Docs
	result := SampleResult{Families: len(k.families), Questions: len(k.study.Questions)}
	drawn, bands, err := k.spec.draw(k.study.Protocol.Seed, k.study.Collection)
	if err != nil {
		return SampleResult{}, err
	}
	result.Bands = bands
	for _, b := range bands {
		result.Eligible += b.Eligible
	}
	fail := func(line int, format string, args ...any) (SampleResult, error) {
		return SampleResult{}, records.Errorf(k.spec.Targets, line, drawHint, format, args...)
	}
	for i, f := range k.families {
		if d := drawn[i]; f.Target != d.target || f.Band != d.band {
			return fail(f.Line, "family %s: the draw gives target %s of band %d, the file %s of band %d", f.ID, docs[d.target].ID, d.band, docs[f.Target].ID, f.Band)
		}
	}
	for i, f := range k.families {
		if drawn[i].dev != (f.Split == development) {
			return fail(f.Line, "family %s: the draw and the file disagree on its split, %s in the file", f.ID, f.Split)
		}
		if drawn[i].dev {
			result.Development++
		} else {
			result.Test++
		}
	}
	result.Reproduced = true
	return result, nil
}

const drawHint = "targets and split follow from the seed by the protocol's rule; check both, or let `build draw` write the file"

// A drawnFamily is one line of the targets' file.
type drawnFamily struct {
	target int // document
	band   int // from 1
	dev    bool
}

// draw draws the sample: families in ascending ID, and the bands of documents that they are from.
func (k *KnownItem) draw(seed uint64, c *collection.Collection) ([]drawnFamily, []BandResult, error) {
	spec := k.Sample
	// Bands are of sequential numbers: the place in ascending order of ID, from 1.
	var bands []BandResult
	var drawn []int // documents: band 1's in the order drawn, then band 2's, …
	for b, stream := range spec.BandStreams {
		band := BandResult{First: b*spec.BandWidth + 1, Last: (b + 1) * spec.BandWidth}
		var eligible []int
		for d := band.First - 1; d < min(band.Last, c.Len()); d++ {
			if k.eligible(c, d) {
				eligible = append(eligible, d)
			}
		}
		if len(eligible) < spec.PerBand {
			return nil, nil, records.Errorf(k.Targets, 0, "lower sample.minWords or sample.perBand, or make bands wider", "band %d (%d–%d) has %d eligible documents, fewer than the %d to be drawn", b+1, band.First, band.Last, len(eligible), spec.PerBand)
		}
		for _, i := range exact.NewStream(seed, stream).Draw(spec.PerBand, len(eligible)) {
			drawn = append(drawn, eligible[i])
		}
		band.Eligible, band.Drawn = len(eligible), spec.PerBand
		bands = append(bands, band)
	}
	// The i-th of the permutation becomes family i.
	families := make([]drawnFamily, len(drawn))
	for i, j := range exact.NewStream(seed, spec.FamilyStream).Draw(len(drawn), len(drawn)) {
		families[i] = drawnFamily{target: drawn[j], band: j/spec.PerBand + 1}
	}
	for _, i := range exact.NewStream(seed, spec.DevelopmentStream).Draw(spec.Development, len(families)) {
		families[i].dev = true
	}
	return families, bands, nil
}

// Targets draws the sample of a KnownItem study, whose targets need not exist yet, and returns the targets' file:
// families F1, F2, … with leading zeros, so that they sort.
func Targets(fsys fs.FS, id string) (file string, data []byte, err error) {
	p, k, err := ReadProtocol(fsys, id)
	if err != nil {
		return "", nil, err
	}
	if p.KnownItem == nil {
		return "", nil, records.Errorf(id+"/study.json", 0, "a graded study's split is drawn whenever it is loaded, a binary one has none", "only knownItem studies draw targets")
	}
	s := &Study{Protocol: p, Kit: k}
	if err := s.loadDocuments(); err != nil {
		return "", nil, err
	}
	families, _, err := p.KnownItem.draw(p.Seed, s.Collection)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(strings.Join(targetColumns, "\t") + "\n")
	width := len(strconv.Itoa(len(families)))
	for i, f := range families {
		split := test
		if f.dev {
			split = development
		}
		fmt.Fprintf(&b, "F%0*d\t%s\t%d\t%s\n", width, i+1, s.Collection.Docs[f.target].ID, f.band, split)
	}
	return p.KnownItem.Targets, []byte(b.String()), nil
}

// A Lock is what the development stage fixes before any test family is scored.
type Lock struct {
	Baseline string  `json:"baseline"`
	Teleport float64 `json:"teleport"`
	Blend    float64 `json:"blend"`
}

func (l *Lock) variables() map[string]string {
	return map[string]string{"baseline": l.Baseline, "teleport": method.FormatNumber(l.Teleport), "blend": method.FormatNumber(l.Blend)}
}

func (k *knownItem) split(split string) []family {
	var list []family
	for _, f := range k.families {
		if f.Split == split {
			list = append(list, f)
		}
	}
	return list
}

// questions returns the places of a split's questions, in file order.
func (k *knownItem) questions(split string) []int {
	var list []int
	for i := range k.study.Questions {
		if k.families[k.of[i]].Split == split {
			list = append(list, i)
		}
	}
	return list
}

// candidates returns the grid over a baseline, teleport ascending, then blend ascending, with the terms' names.
func (k *knownItem) candidates(baseline string) ([]Lock, []NamedTerm, error) {
	var locks []Lock
	var terms []NamedTerm
	candidate, err := method.Parse(k.spec.Development.Candidate)
	if err != nil {
		return nil, nil, err
	}
	for _, teleport := range k.spec.Development.Teleport {
		for _, blend := range k.spec.Development.Blend {
			lock := Lock{baseline, teleport, blend}
			t, err := k.study.Resolve(candidate, &lock)
			if err != nil {
				return nil, nil, err
			}
			locks = append(locks, lock)
			terms = append(terms, NamedTerm{candidateName(lock), t})
		}
	}
	return locks, terms, nil
}

// candidateName names a candidate's observations; it is no method of the protocol, so it stays out of what is frozen.
const gridPrefix = "grid:"

func candidateName(l Lock) string {
	v := l.variables()
	return gridPrefix + v["teleport"] + ":" + v["blend"]
}

// terms resolves methods of the protocol under a lock.
func (k *knownItem) terms(names []string, lock *Lock) ([]NamedTerm, error) {
	var list []NamedTerm
	for _, name := range names {
		t, err := k.study.Resolve(method.Term{Name: name}, lock)
		if err != nil {
			return nil, err
		}
		list = append(list, NamedTerm{name, t})
	}
	return list, nil
}

// units cuts work into pieces: all methods together, so that they share base scores and walks, on a few questions.
func units(stage string, methods []NamedTerm, questions []int, best, size int) []Unit {
	var list []Unit
	for chunk := range slices.Chunk(questions, size) {
		list = append(list, Unit{stage, methods, chunk, best})
	}
	return list
}

const unitSize = 24 // questions; a multiple of walk.Lanes

// stages are: baselines on the development families; the grid over the best; everything else on the test families.
func (k *knownItem) stages() []stage {
	keep := k.study.Protocol.Keep
	var grid []Lock
	return []stage{
		{"development baselines", func(r *Replay) ([]Unit, error) {
			methods, err := k.terms(k.spec.Development.Baselines, nil)
			return units("development baselines", methods, k.questions(development), keep, unitSize), err
		}, func(r *Replay) error {
			best := int64(-1)
			for _, b := range k.spec.Development.Baselines {
				sum, err := k.sumUnits(r, development, b, "")
				if err != nil {
					return err
				}
				if sum > best {
					best, r.lock = sum, &Lock{Baseline: b}
				}
			}
			return nil
		}},
		{"development grid", func(r *Replay) ([]Unit, error) {
			locks, methods, err := k.candidates(r.lock.Baseline)
			grid = locks
			return units("development grid", methods, k.questions(development), keep, unitSize), err
		}, func(r *Replay) error {
			best := int64(-1)
			for _, l := range grid {
				sum, err := k.sumUnits(r, development, candidateName(l), "")
				if err != nil {
					return err
				}
				if sum > best {
					best, r.lock = sum, &l
				}
			}
			r.sealed = r.lock
			if err := k.checkLock(r.lock); err != nil {
				return err
			}
			return k.adoptLocked(r)
		}},
		{"test", func(r *Replay) ([]Unit, error) {
			methods, err := k.terms(k.tested(r), r.lock)
			return units("test", methods, k.questions(test), keep, unitSize), err
		}, func(r *Replay) (err error) {
			r.results, err = k.results(r)
			return err
		}},
	}
}

// adoptLocked files the locked candidate's development observations under the names of the methods that are the same
// term.
func (k *knownItem) adoptLocked(r *Replay) error {
	candidate, _ := method.Parse(k.spec.Development.Candidate)
	locked, err := k.study.Resolve(candidate, r.lock)
	if err != nil {
		return err
	}
	for _, m := range k.study.Protocol.Methods {
		t, err := k.study.Resolve(method.Term{Name: m.Name}, r.lock)
		if err != nil || t.String() != locked.String() {
			continue
		}
		for _, q := range k.questions(development) {
			o := r.observations[observationKey{k.study.Questions[q].ID, candidateName(*r.lock)}]
			o.Method = m.Name
			r.observations[observationKey{o.Question, m.Name}] = o
		}
	}
	return nil
}

// checkLock compares a lock with the sealed one, if the kit has it.
func (k *knownItem) checkLock(lock *Lock) error {
	var sealed Lock
	file, ok, err := k.study.SealedLock(&sealed)
	if err != nil || !ok {
		return err
	}
	if sealed != *lock {
		return records.Errorf(file, 0, "the lock was written before the test families were scored; the data or the engine changed since", "the development stage chooses %+v, the sealed lock is %+v", *lock, sealed)
	}
	return nil
}

// reciprocalUnits is the reciprocal rank of an observation at the protocol's cutoff as a multiple of 1/unit.
func (k *knownItem) reciprocalUnits(o Observation) int64 {
	if o.Rank == nil {
		return 0
	}
	parts, _ := metrics.ReciprocalParts(*o.Rank, k.spec.Cutoff)
	return parts
}

// familyUnits is the sum of a family's reciprocal ranks under a method, in multiples of 1/unit; kind "" means all kinds.
func (k *knownItem) familyUnits(r *Replay, f family, name, kind string) (sum int64, err error) {
	for i, q := range f.Questions {
		if kind != "" && k.spec.Kinds[i] != kind {
			continue
		}
		o, err := r.observation(k.study.Questions[q].ID, name)
		if err != nil {
			return 0, err
		}
		sum += k.reciprocalUnits(o)
	}
	return sum, nil
}

// sumUnits is familyUnits summed over a split: exact, so that ties are ties.
func (k *knownItem) sumUnits(r *Replay, split, name, kind string) (sum int64, err error) {
	for _, f := range k.split(split) {
		u, err := k.familyUnits(r, f, name, kind)
		if err != nil {
			return 0, err
		}
		sum += u
	}
	return sum, nil
}

// meanReciprocalRank is the mean over a split's families of the mean of a family's reciprocal ranks. The sum is exact in
// multiples of 1/unit, and is divided once: the figure is the correctly rounded quotient.
func (k *knownItem) meanReciprocalRank(r *Replay, split, name, kind string) (float64, error) {
	sum, err := k.sumUnits(r, split, name, kind)
	if err != nil {
		return 0, err
	}
	questions := int64(len(k.spec.Kinds))
	if kind != "" {
		questions = 1
	}
	return float64(sum) / float64(k.unit*questions*int64(len(k.split(split)))), nil
}

// KnownItemResults are the results of a KnownItem study.
type KnownItemResults struct {
	Format      string                    `json:"format"`
	Study       string                    `json:"study"`
	Sample      SampleResult              `json:"sample"`
	Graph       graph.Diagnostics         `json:"graph"`
	Development DevelopmentResult         `json:"development"`
	Methods     map[string]MethodResult   `json:"methods"`
	Contrasts   map[string]ContrastResult `json:"contrasts"`
	Families    []FamilyResult            `json:"families"` // test families, ascending ID
	Misses      []Miss                    `json:"misses"`   // test questions, file order
	Rewired     []RewiredResult           `json:"rewired"`
	Directed    *DirectedResult           `json:"directed,omitempty"`
	Reader      *ReaderResult             `json:"reader,omitempty"`
	Dense       *DenseResult              `json:"dense,omitempty"`
}

// ResultsFormat names the layout of results.
const ResultsFormat = "retrace-results/1"

// DevelopmentResult is what the development families showed.
type DevelopmentResult struct {
	Baselines map[string]float64 `json:"baselines"` // MRR
	Grid      []GridResult       `json:"grid"`
	Lock      Lock               `json:"lock"`
}

// GridResult is one candidate of the grid.
type GridResult struct {
	Teleport float64 `json:"teleport"`
	Blend    float64 `json:"blend"`
	MRR      float64 `json:"mrr10"`
}

// MethodResult is a method on the test families.
type MethodResult struct {
	MRR        float64               `json:"mrr10"`
	Hits1      int                   `json:"hits1"`
	Hits10     int                   `json:"hits10"`
	Questions  int                   `json:"questions"`
	Unanswered int                   `json:"unanswered"` // questions for which no document has a rank
	Kinds      map[string]KindResult `json:"kinds"`
}

// KindResult is a method on the test questions of one kind.
type KindResult struct {
	MRR       float64 `json:"mrr10"`
	Hits1     int     `json:"hits1"`
	Hits10    int     `json:"hits10"`
	Questions int     `json:"questions"`
}

// ContrastResult compares two methods, paired by test family.
type ContrastResult struct {
	Method     string     `json:"method"`
	Against    string     `json:"against"`
	Difference float64    `json:"difference"`
	CI95       [2]float64 `json:"ci95"`
	P          float64    `json:"p"`
	PExact     float64    `json:"pExact"`
	Families   int        `json:"families"`
	Up         int        `json:"up"`
	Down       int        `json:"down"`
	Tied       int        `json:"tied"`
}

// FamilyResult is one test family.
type FamilyResult struct {
	Family     string  `json:"family"`
	Target     string  `json:"target"`
	Baseline   float64 `json:"baseline"` // mean reciprocal rank of its questions
	Graph      float64 `json:"graph"`
	Difference float64 `json:"difference"`
}

// A Miss is a test question whose target one method or both leave outside the first places.
type Miss struct {
	Question string    `json:"question"`
	Target   string    `json:"target"`
	Ranks    MissRanks `json:"ranks"`
}

// MissRanks are the full ranks of a missed target, null where it has none.
type MissRanks struct {
	Baseline *int `json:"baseline"`
	Graph    *int `json:"graph"`
}

// RewiredResult is one rewired graph and how it was made.
type RewiredResult struct {
	Name     string `json:"name"`
	Stream   uint64 `json:"stream"`
	Attempts int    `json:"attempts"`
	Swaps    int    `json:"swaps"`
	graph.Diagnostics
}

// DirectedResult describes the graph of stored, directed links.
type DirectedResult struct {
	Nodes      int `json:"nodes"`
	Links      int `json:"links"`      // distinct
	NoOutgoing int `json:"noOutgoing"` // nodes without outgoing links
	NoIncoming int `json:"noIncoming"`
}

func (k *knownItem) results(r *Replay) (*KnownItemResults, error) {
	s := k.study
	out := &KnownItemResults{Format: ResultsFormat, Study: s.Protocol.ID, Sample: k.sample, Methods: map[string]MethodResult{}, Contrasts: map[string]ContrastResult{},
		Families: []FamilyResult{}, Misses: []Miss{}, Rewired: []RewiredResult{}}
	var err error
	if out.Development, err = k.developmentResult(r); err != nil {
		return nil, err
	}
	for _, name := range k.tested(r) {
		if out.Methods[name], err = k.methodResult(r, name); err != nil {
			return nil, err
		}
	}
	for _, c := range k.spec.Contrasts {
		if r.options.WithoutVectors && (k.study.NeedsVectors(c.Method) || k.study.NeedsVectors(c.Against)) {
			continue
		}
		if out.Contrasts[c.Name], err = k.contrastResult(r, c); err != nil {
			return nil, err
		}
	}
	if err := k.listFamilies(r, out); err != nil {
		return nil, err
	}
	if out.Reader, err = k.readerResult(r); err != nil {
		return nil, err
	}
	if !r.options.WithoutVectors {
		if out.Dense, err = k.study.denseResult(); err != nil {
			return nil, err
		}
	}
	return out, k.describeGraphs(out)
}

// tested returns the methods that a replay scores on the test families.
func (k *knownItem) tested(r *Replay) []string {
	var names []string
	for _, name := range k.spec.Test {
		if !r.options.WithoutVectors || !k.study.NeedsVectors(name) {
			names = append(names, name)
		}
	}
	return names
}

func (k *knownItem) developmentResult(r *Replay) (DevelopmentResult, error) {
	d := DevelopmentResult{Baselines: map[string]float64{}, Lock: *r.lock}
	var err error
	for _, b := range k.spec.Development.Baselines {
		if d.Baselines[b], err = k.meanReciprocalRank(r, development, b, ""); err != nil {
			return d, err
		}
	}
	locks, _, err := k.candidates(r.lock.Baseline)
	for _, l := range locks {
		mrr, err := k.meanReciprocalRank(r, development, candidateName(l), "")
		if err != nil {
			return d, err
		}
		d.Grid = append(d.Grid, GridResult{l.Teleport, l.Blend, mrr})
	}
	return d, err
}

func (k *knownItem) methodResult(r *Replay, name string) (m MethodResult, err error) {
	m.Kinds = map[string]KindResult{}
	if m.MRR, err = k.meanReciprocalRank(r, test, name, ""); err != nil {
		return m, err
	}
	for i, kind := range k.spec.Kinds {
		var c KindResult
		if c.MRR, err = k.meanReciprocalRank(r, test, name, kind); err != nil {
			return m, err
		}
		for _, f := range k.split(test) {
			o, err := r.observation(k.study.Questions[f.Questions[i]].ID, name)
			if err != nil {
				return m, err
			}
			c.Questions++
			if hit(o, 1) {
				c.Hits1++
			}
			if hit(o, k.spec.Cutoff) {
				c.Hits10++
			}
			if o.Candidates == 0 {
				m.Unanswered++
			}
		}
		m.Kinds[kind] = c
		m.Hits1 += c.Hits1
		m.Hits10 += c.Hits10
		m.Questions += c.Questions
	}
	return m, nil
}

// hit reports whether an observation's target stands within the first k places.
func hit(o Observation, k int) bool { return o.Rank != nil && *o.Rank <= k }

// methodName returns the name that a contrast's side stands for.
func (k *knownItem) methodName(name string, lock *Lock) string {
	if name == "$baseline" {
		return lock.Baseline
	}
	return name
}

// differences returns the test families' differences between two methods, in ascending family ID, as integers over a
// common denominator.
func (k *knownItem) differences(r *Replay, name, against string) (stats.Sample, error) {
	s := stats.Sample{Den: float64(k.unit * int64(len(k.spec.Kinds)))}
	for _, f := range k.split(test) {
		a, err := k.familyUnits(r, f, name, "")
		if err != nil {
			return s, err
		}
		b, err := k.familyUnits(r, f, against, "")
		if err != nil {
			return s, err
		}
		s.Values = append(s.Values, float64(a-b))
	}
	return s, nil
}

func (k *knownItem) contrastResult(r *Replay, c Contrast) (ContrastResult, error) {
	out := ContrastResult{Method: k.methodName(c.Method, r.lock), Against: k.methodName(c.Against, r.lock)}
	d, err := k.differences(r, out.Method, out.Against)
	if err != nil {
		return out, err
	}
	for _, x := range d.Values {
		switch {
		case x > 0:
			out.Up++
		case x < 0:
			out.Down++
		default:
			out.Tied++
		}
	}
	seed := k.study.Protocol.Seed
	out.Families = len(d.Values)
	out.Difference = d.Mean()
	out.CI95 = stats.Interval(stats.Bootstrap(d, c.Replicates, exact.NewStream(seed, c.BootstrapStream)), 0.95)
	out.P = stats.SignFlip(d, c.Draws, exact.NewStream(seed, c.FlipStream)).P
	out.PExact, err = stats.SignFlipExact(d)
	return out, err
}

func (k *knownItem) listFamilies(r *Replay, out *KnownItemResults) error {
	base, walked := k.methodName(k.spec.Misses.Baseline, r.lock), k.methodName(k.spec.Misses.Graph, r.lock)
	den := float64(k.unit * int64(len(k.spec.Kinds)))
	for _, f := range k.split(test) {
		a, err := k.familyUnits(r, f, base, "")
		if err != nil {
			return err
		}
		b, err := k.familyUnits(r, f, walked, "")
		if err != nil {
			return err
		}
		out.Families = append(out.Families, FamilyResult{f.ID, k.study.Collection.Docs[f.Target].ID, float64(a) / den, float64(b) / den, float64(b-a) / den})
	}
	for _, q := range k.questions(test) {
		id := k.study.Questions[q].ID
		a, err := r.observation(id, base)
		if err != nil {
			return err
		}
		b, err := r.observation(id, walked)
		if err != nil {
			return err
		}
		if !hit(a, k.spec.Cutoff) || !hit(b, k.spec.Cutoff) {
			out.Misses = append(out.Misses, Miss{id, k.study.Collection.Docs[k.targetOf(q)].ID, MissRanks{a.Rank, b.Rank}})
		}
	}
	return nil
}

// describeGraphs adds the diagnostics of the undirected projection, of each rewired graph, and of the directed links.
func (k *knownItem) describeGraphs(out *KnownItemResults) error {
	for _, spec := range k.study.Protocol.Graphs {
		g, err := k.study.Graph(spec.Name)
		if err != nil {
			return err
		}
		switch spec.From {
		case "undirected":
			out.Graph = graph.Diagnose(g)
		case "rewired":
			r, err := k.study.Rewiring(spec.Name)
			if err != nil {
				return err
			}
			out.Rewired = append(out.Rewired, RewiredResult{spec.Name, spec.Stream, r.Attempts, r.Swaps, graph.Diagnose(g)})
		case "directed":
			d := DirectedResult{Nodes: g.N()}
			in := graph.Transpose(g)
			for v := range g.N() {
				d.Links += g.Degree(v)
				if g.Degree(v) == 0 {
					d.NoOutgoing++
				}
				if in.Degree(v) == 0 {
					d.NoIncoming++
				}
			}
			out.Directed = &d
		}
	}
	return nil
}
