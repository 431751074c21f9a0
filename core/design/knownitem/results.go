package knownitem

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/records"
	"retrace/core/show"
	"retrace/core/study"
)

// Results are the results of a known-item study.
type Results struct {
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
	Dense       *study.DenseResult        `json:"dense,omitempty"`
}

// MethodResult is a method on the test families.
type MethodResult struct {
	Scores
	Unanswered int                   `json:"unanswered"` // questions for which no document has a rank
	Kinds      map[string]KindResult `json:"kinds"`
}

// KindResult is a method on the test questions of one kind.
type KindResult = Scores

// Scores are a method's mean reciprocal rank and hits; in JSON their keys follow from the protocol's cutoffs: mrr10, hits1.
type Scores struct {
	Cutoff    int         // of the reciprocal rank
	MRR       float64     // mean over families of the mean over their questions
	Hits      map[int]int // questions whose target stands within so many places
	Questions int
}

// MRRKey is the key of the mean reciprocal rank in results, HitsKey that of hits within k places.
func (k *Spec) MRRKey() string { return mrrKey + strconv.Itoa(k.Cutoff) }

// HitsKey is the key of the hits within k places.
func HitsKey(k int) string { return hitsKey + strconv.Itoa(k) }

const mrrKey, hitsKey = "mrr", "hits"

func (s Scores) fields() map[string]any {
	out := map[string]any{mrrKey + strconv.Itoa(s.Cutoff): s.MRR, "questions": s.Questions}
	for k, n := range s.Hits {
		out[HitsKey(k)] = n
	}
	return out
}

// MarshalJSON writes the scores under their keys.
func (s Scores) MarshalJSON() ([]byte, error) { return json.Marshal(s.fields()) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (s *Scores) UnmarshalJSON(data []byte) error {
	var own struct {
		Questions int `json:"questions"`
	}
	rest, err := records.Beside(data, &own, "questions")
	if err != nil {
		return err
	}
	*s = Scores{Hits: map[int]int{}, Questions: own.Questions}
	for key, value := range rest {
		if at, err := strconv.Atoi(strings.TrimPrefix(key, mrrKey)); err == nil {
			s.Cutoff = at
			if err := json.Unmarshal(value, &s.MRR); err != nil {
				return err
			}
		}
		if at, err := strconv.Atoi(strings.TrimPrefix(key, hitsKey)); err == nil {
			n := 0
			if err := json.Unmarshal(value, &n); err != nil {
				return err
			}
			s.Hits[at] = n
		}
	}
	return nil
}

// MarshalJSON writes the scores beside the rest.
func (m MethodResult) MarshalJSON() ([]byte, error) {
	out := m.fields()
	out["unanswered"], out["kinds"] = m.Unanswered, m.Kinds
	return json.Marshal(out)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *MethodResult) UnmarshalJSON(data []byte) error {
	var own struct {
		Unanswered int                   `json:"unanswered"`
		Kinds      map[string]KindResult `json:"kinds"`
	}
	if err := json.Unmarshal(data, &own); err != nil {
		return err
	}
	m.Unanswered, m.Kinds = own.Unanswered, own.Kinds
	return m.Scores.UnmarshalJSON(data)
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

func (k *Loaded) results(r *study.Replay) (*Results, error) {
	out := &Results{Format: study.ResultsFormat, Study: k.study.Protocol.ID, Sample: k.sample, Methods: map[string]MethodResult{},
		Contrasts: map[string]ContrastResult{}, Families: []FamilyResult{}, Misses: []Miss{}, Rewired: []RewiredResult{}}
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
		if !r.Covers(c.Method, c.Against) {
			continue
		}
		if out.Contrasts[c.Name], err = k.contrastResult(r, c); err != nil {
			return nil, err
		}
	}
	if err := k.listFamilies(r, out); err != nil {
		return nil, err
	}
	if out.Misses, err = k.misses(r); err != nil {
		return nil, err
	}
	if out.Reader, err = k.readerResult(r); err != nil {
		return nil, err
	}
	if !r.Options().WithoutVectors {
		if out.Dense, err = k.study.DenseResult(); err != nil {
			return nil, err
		}
	}
	return out, k.describeGraphs(out)
}

// Rows explain every number of the results.
func (k *Loaded) Rows() []study.Row {
	rows := k.methodRows()
	rows = append(rows, k.familyRows()...)
	rows = append(rows, k.developmentRows()...)
	rows = append(rows, k.contrastRows()...)
	rows = append(rows, k.graphRows()...)
	rows = append(rows, k.sampleRows()...)
	return append(rows, k.readerRows()...)
}

// reciprocalParts is the reciprocal rank of an observation at the protocol's cutoff as a multiple of 1/parts.
func (k *Loaded) reciprocalParts(o study.Observation) int64 {
	if o.Rank == nil {
		return 0
	}
	parts, _ := metrics.ReciprocalParts(*o.Rank, k.spec.Cutoff)
	return parts
}

// familyParts is the sum of a family's reciprocal ranks under a method, in multiples of 1/parts; kind "" means all kinds.
func (k *Loaded) familyParts(r *study.Replay, f family, name, kind string) (sum int64, err error) {
	for i, q := range f.Questions {
		if kind != "" && k.spec.Kinds[i] != kind {
			continue
		}
		o, err := r.Observation(k.study.Questions[q].ID, name)
		if err != nil {
			return 0, err
		}
		sum += k.reciprocalParts(o)
	}
	return sum, nil
}

// familyMean is the mean reciprocal rank of a family's questions from their sum in parts.
func (k *Loaded) familyMean(parts int64) float64 {
	return float64(parts) / float64(k.parts*int64(len(k.spec.Kinds)))
}

// sumParts is familyParts summed over a split: exact, so that ties are ties.
func (k *Loaded) sumParts(r *study.Replay, split, name, kind string) (sum int64, err error) {
	for _, f := range k.split(split) {
		u, err := k.familyParts(r, f, name, kind)
		if err != nil {
			return 0, err
		}
		sum += u
	}
	return sum, nil
}

// meanReciprocalRank is the mean over a split's families of the mean of a family's reciprocal ranks. The sum is exact in
// multiples of 1/parts, and is divided once: the figure is the correctly rounded quotient.
func (k *Loaded) meanReciprocalRank(r *study.Replay, split, name, kind string) (float64, error) {
	sum, err := k.sumParts(r, split, name, kind)
	if err != nil {
		return 0, err
	}
	questions := int64(len(k.spec.Kinds))
	if kind != "" {
		questions = 1
	}
	return float64(sum) / float64(k.parts*questions*int64(len(k.split(split)))), nil
}

// meanNode explains a mean reciprocal rank over a split by its families (or, for one kind, by its questions).
func (k *Loaded) meanNode(x *study.Explainer, split, name, kind string) (*explain.Node, error) {
	if split == development && !strings.HasPrefix(name, gridPrefix) && !slices.Contains(k.spec.Development.Baselines, name) {
		return nil, nil
	}
	value, err := k.meanReciprocalRank(x.Replay, split, name, kind)
	if err != nil {
		return nil, err
	}
	families := k.split(split)
	whose := "test families"
	if split == development {
		whose = "development families"
	}
	sentence := fmt.Sprintf("Mean over %d %s of the mean reciprocal rank of their questions, ranks beyond %d counting as 0.",
		len(families), whose, k.spec.Cutoff)
	if kind != "" {
		sentence = fmt.Sprintf("Mean reciprocal rank of the %d %s questions of the %s, ranks beyond %d counting as 0.",
			len(families), kind, whose, k.spec.Cutoff)
	}
	node := x.Number(fmt.Sprintf("MRR@%d, %s", k.spec.Cutoff, name), value, sentence,
		fmt.Sprintf("Σ RR@%d / n, summed exactly in multiples of 1/%d", k.spec.Cutoff, k.parts), (*Loaded).meanReciprocalRank)
	for _, f := range families {
		input, err := k.meanInput(x.Replay, f, name, kind)
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, input)
	}
	return node, nil
}

func (k *Loaded) meanInput(r *study.Replay, f family, name, kind string) (explain.Input, error) {
	if kind != "" {
		q := k.study.Questions[f.Questions[slices.Index(k.spec.Kinds, kind)]]
		o, err := r.Observation(q.ID, name)
		return explain.Input{Label: q.ID, Text: show.Share(float64(k.reciprocalParts(o)) / float64(k.parts)), Path: numpath.Of("rank", q.ID, name)}, err
	}
	sum, err := k.familyParts(r, f, name, "")
	return explain.Input{Label: f.ID + " " + k.study.Collection.Docs[f.Target].Title, Text: show.Share(k.familyMean(sum)),
		Path: numpath.Of("family", f.ID, name)}, err
}

func (k *Loaded) methodResult(r *study.Replay, name string) (m MethodResult, err error) {
	m.Kinds = map[string]KindResult{}
	m.Scores = Scores{Cutoff: k.spec.Cutoff, Hits: map[int]int{}}
	if m.MRR, err = k.meanReciprocalRank(r, test, name, ""); err != nil {
		return m, err
	}
	for i, kind := range k.spec.Kinds {
		c := Scores{Cutoff: k.spec.Cutoff, Hits: map[int]int{}}
		if c.MRR, err = k.meanReciprocalRank(r, test, name, kind); err != nil {
			return m, err
		}
		for _, f := range k.split(test) {
			o, err := r.Observation(k.study.Questions[f.Questions[i]].ID, name)
			if err != nil {
				return m, err
			}
			c.Questions++
			m.Questions++
			for _, at := range k.spec.HitsAt {
				n := 0
				if hit(o, at) {
					n = 1
				}
				c.Hits[at] += n
				m.Hits[at] += n
			}
			if unanswered(o) {
				m.Unanswered++
			}
		}
		m.Kinds[kind] = c
	}
	return m, nil
}

// hit reports whether an observation's target stands within the first k places.
func hit(o study.Observation, k int) bool { return o.Rank != nil && *o.Rank <= k }

func unanswered(o study.Observation) bool { return o.Candidates == 0 }

// methodRows explain what methods score on the test families, over all kinds and by kind.
func (k *Loaded) methodRows() []study.Row {
	rows := []study.Row{
		{Shape: "methods.*." + k.spec.MRRKey(), Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.testMean(x, "")
		}},
		{Shape: "methods.*.kinds.*." + k.spec.MRRKey(), Style: show.Measure, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.testMean(x, x.Key(3))
		}},
	}
	count := func(key, what string, counts func(o study.Observation) bool, kinds bool) {
		rows = append(rows, study.Row{Shape: "methods.*." + key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.countNode(x, what, counts, "")
		}})
		if kinds {
			rows = append(rows, study.Row{Shape: "methods.*.kinds.*." + key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
				return k.countNode(x, what, counts, x.Key(3))
			}})
		}
	}
	for _, at := range k.spec.HitsAt {
		what := fmt.Sprintf("questions whose target stands within the first %d", at)
		if at == 1 {
			what = "questions whose target stands first"
		}
		count(HitsKey(at), what, func(o study.Observation) bool { return hit(o, at) }, true)
	}
	count("questions", "test questions", func(study.Observation) bool { return true }, true)
	count("unanswered", "questions for which no document has a rank", unanswered, false)
	return rows
}

// shown reports whether a path names a method under test, and a kind where it names one.
func (k *Loaded) shown(method, kind string) bool {
	return slices.Contains(k.spec.Test, method) && (kind == "" || slices.Contains(k.spec.Kinds, kind))
}

func (k *Loaded) testMean(x *study.Explainer, kind string) (*explain.Node, error) {
	if !k.shown(x.Key(1), kind) {
		return nil, nil
	}
	return k.meanNode(x, test, x.Key(1), kind)
}

// countNode explains a count of questions by those that count.
func (k *Loaded) countNode(x *study.Explainer, what string, counts func(o study.Observation) bool, kind string) (*explain.Node, error) {
	name := x.Key(1)
	if !k.shown(name, kind) {
		return nil, nil
	}
	sentence := "How many " + what + " there are"
	if kind != "" {
		sentence += " of kind " + kind
	}
	var inputs []explain.Input
	for _, f := range k.split(test) {
		for i, place := range f.Questions {
			if kind != "" && k.spec.Kinds[i] != kind {
				continue
			}
			q := k.study.Questions[place]
			o, err := x.Replay.Observation(q.ID, name)
			if err != nil {
				return nil, err
			}
			if counts(o) {
				inputs = append(inputs, explain.Input{Label: q.ID, Text: rankText(o), Path: numpath.Of("rank", q.ID, name)})
			}
		}
	}
	node := x.Number(x.Key(len(x.Keys)-1)+", "+name, float64(len(inputs)), sentence+".", "a count", (*Loaded).methodResult)
	node.Inputs = inputs
	return node, nil
}

func rankText(o study.Observation) string {
	if o.Rank == nil {
		return "no rank"
	}
	return "rank " + show.Count(int64(*o.Rank))
}
