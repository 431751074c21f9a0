package adhoc

import (
	"encoding/json"
	"strconv"

	"retrace/core/metrics"
	"retrace/core/stats"
	"retrace/core/study"
)

// Results are the results of an adhoc study.
type Results struct {
	Format     string                           `json:"format"`
	Study      string                           `json:"study"`
	Judgements JudgementsResult                 `json:"judgements"`
	JudgedAt   int                              `json:"judgedAt"`
	Systems    map[string]SystemResult          `json:"systems"`
	Contrasts  map[string]ContrastResult        `json:"contrasts"`
	Groups     map[string]GroupResult           `json:"groups,omitempty"`
	Topics     []TopicResult                    `json:"topics"` // judged ones, ascending ID, bytewise
	Values     map[string]map[string][]*float64 `json:"values"` // by system and measure, in the order of the topics; null where undefined
}

// JudgementsResult counts what was judged.
type JudgementsResult struct {
	Topics    int                       `json:"topics"`   // with a judgement
	Lines     int                       `json:"lines"`    // topics and documents judged, assessors taken together
	Grades    map[string]int            `json:"grades"`   // so many judgements of each grade, taken together
	Empty     []string                  `json:"empty"`    // judged topics without a grade of 1 at least
	Unjudged  []string                  `json:"unjudged"` // questions without a judgement: no figure counts them
	Unknown   int                       `json:"unknown"`  // judged documents that the collection lacks
	Assessors map[string]AssessorResult `json:"assessors"`
	Agreement *AgreementResult          `json:"agreement,omitempty"` // of two assessors or more
}

// AssessorResult counts one assessor's judgements.
type AssessorResult struct {
	Topics int `json:"topics"`
	Lines  int `json:"lines"`
}

// AgreementResult says how far assessors agree on what more than one of them judged.
type AgreementResult struct {
	Documents int      `json:"documents"` // pairs of topic and document with two grades at least
	Same      int      `json:"same"`      // of those, with one grade by all
	Alpha     *float64 `json:"alpha"`     // Krippendorff's, ordinal; null where it has no value
}

// SystemResult is one system over the topics.
type SystemResult struct {
	Means    map[string]*float64           `json:"means"` // by measure; for counts the sum; null where no topic counts
	CI95     map[string][2]float64         `json:"ci95"`  // of means, percentile bootstrap over topics
	Bands    map[string][2]float64         `json:"bands"` // lowest and highest figure over all orders of tied documents, where they differ
	Judged   *float64                      `json:"judged"`
	Answered int                           `json:"answered"` // judged topics for which something was returned
	Missing  []string                      `json:"missing"`  // the others
	Returned int                           `json:"returned"` // documents, over all judged topics
	Unknown  int                           `json:"unknown"`  // of those, not in the collection
	Rankings string                        `json:"rankings"` // SHA-256 of all rankings with their scores
	Alone    map[string]map[string]float64 `json:"alone,omitempty"`
}

// GroupResult is one group of topics.
type GroupResult struct {
	Topics      int                            `json:"topics"`
	Means       map[string]map[string]*float64 `json:"means"`       // by system and measure
	Differences map[string]float64             `json:"differences"` // by contrast, on the primary measure
}

// TopicResult counts a topic's judgements.
type TopicResult struct {
	Topic    string `json:"topic"`
	Judged   int    `json:"judged"`
	Relevant int    `json:"relevant"` // with a grade of 1 at least
}

// Stages is one: everything is scored, then compared.
func (a *Loaded) Stages() []study.Stage {
	return []study.Stage{{Name: "test", Plan: func(*study.Replay) ([]study.Unit, error) {
		methods, err := a.study.NamedTerms(a.study.Protocol.AllMethods(), nil)
		var places []int
		for q := range a.study.Questions { // in file order, so that units don't depend on IDs
			if a.topicOf(q) != nil {
				places = append(places, q)
			}
		}
		return a.study.Units("test", methods, places), err
	}, Close: func(r *study.Replay) error {
		results, err := a.results(r)
		if err == nil {
			r.Finish(results, []study.OutcomeFile{}...) // rankings are in their hashes: as files they would be many times the results
		}
		return err
	}}}
}

// topicOf returns the topic of a question, nil where it has no judgements.
func (a *Loaded) topicOf(question int) *topic {
	for i := range a.topics {
		if a.topics[i].question == question {
			return &a.topics[i]
		}
	}
	return nil
}

func (a *Loaded) results(r *study.Replay) (*Results, error) {
	out := &Results{Format: study.ResultsFormat, Study: a.study.Protocol.ID, JudgedAt: a.judgedAt, Systems: map[string]SystemResult{},
		Contrasts: map[string]ContrastResult{}, Topics: []TopicResult{}, Values: map[string]map[string][]*float64{}}
	var err error
	if out.Judgements, err = a.judgementsResult(); err != nil {
		return nil, err
	}
	e, err := a.evaluation(r)
	if err != nil {
		return nil, err
	}
	for i, name := range a.systems {
		if out.Systems[name], err = a.systemResult(r, e, i); err != nil {
			return nil, err
		}
		out.Values[name] = map[string][]*float64{}
		for m, spec := range a.spec.Measures {
			list := make([]*float64, len(a.topics))
			for t, v := range e.values[i][m] {
				if v.Defined {
					list[t] = &v.Value
				}
			}
			out.Values[name][spec.Key] = list
		}
	}
	if len(a.spec.contrasts(a.study.Protocol)) > 0 {
		if out.Contrasts, err = a.contrastResults(r); err != nil {
			return nil, err
		}
	}
	for i := range a.topics {
		t := &a.topics[i]
		out.Topics = append(out.Topics, TopicResult{t.id, len(t.all.list), t.all.relevant()})
	}
	if len(a.spec.Groups) > 0 {
		out.Groups = map[string]GroupResult{}
		for _, g := range a.spec.Groups {
			out.Groups[g] = a.groupResult(e, g)
		}
	}
	return out, nil
}

// relevant counts the grades of 1 at least.
func (v view) relevant() int {
	n := 0
	for _, g := range v.list {
		if g >= metrics.Whole(1) {
			n++
		}
	}
	return n
}

func (a *Loaded) judgementsResult() (JudgementsResult, error) {
	out := JudgementsResult{Topics: len(a.topics), Grades: map[string]int{}, Empty: []string{}, Unjudged: append([]string{}, a.unjudged...),
		Unknown: len(a.strangers), Assessors: map[string]AssessorResult{}}
	for i := range a.topics {
		t := &a.topics[i]
		out.Lines += len(t.all.list)
		for _, g := range t.all.list {
			out.Grades[gradeText(g)]++
		}
		if t.all.relevant() == 0 {
			out.Empty = append(out.Empty, t.id)
		}
	}
	for i, j := range a.spec.Judgements {
		out.Assessors[j.Assessor] = AssessorResult{len(a.qrels[i].Topics), a.qrels[i].Lines}
	}
	if len(a.qrels) < 2 {
		return out, nil
	}
	units := a.units()
	g := AgreementResult{Documents: len(units)}
	for _, u := range units {
		same := true
		for _, grade := range u {
			same = same && grade == u[0]
		}
		if same {
			g.Same++
		}
	}
	alpha, defined, err := stats.Krippendorff(units, stats.Ordinal)
	if defined {
		g.Alpha = &alpha
	}
	out.Agreement = &g
	return out, err
}

// units lists the grades of each document that more than one assessor judged for a topic.
func (a *Loaded) units() [][]int {
	var units [][]int
	for i := range a.topics {
		id := a.topics[i].id
		grades := map[string][]int{}
		var docs []string
		for _, q := range a.qrels {
			for _, j := range q.Topic(id) {
				if len(grades[j.Doc]) == 1 {
					docs = append(docs, j.Doc)
				}
				grades[j.Doc] = append(grades[j.Doc], j.Grade)
			}
		}
		for _, d := range docs {
			units = append(units, grades[d])
		}
	}
	return units
}

// gradeText writes a grade, which is a whole number or a half.
func gradeText(g metrics.Grade) string { return strconv.FormatFloat(g.Float(), 'f', -1, 64) }

func (a *Loaded) systemResult(r *study.Replay, e *evaluation, i int) (SystemResult, error) {
	f := e.facts[i]
	out := SystemResult{Means: map[string]*float64{}, CI95: map[string][2]float64{}, Bands: map[string][2]float64{},
		Missing:  append([]string{}, f.missing...),
		Answered: len(a.topics) - len(f.missing), Returned: f.returned, Unknown: f.unknown, Rankings: e.hash[i]}
	for m, spec := range a.spec.Measures {
		out.Means[spec.Key] = a.figure(m, e.values[i][m])
		if interval, ok := a.interval(e, i, m); ok {
			out.CI95[spec.Key] = interval
		}
		if band, ok := a.band(e, i, m); ok {
			out.Bands[spec.Key] = band
		}
	}
	values, err := a.judgedShares(e, i)
	if err != nil {
		return out, err
	}
	if mean, n := judgedMetric(a.judgedAt).Over(values, metrics.Defined); n > 0 {
		out.Judged = &mean
	}
	if len(a.qrels) > 1 {
		out.Alone = map[string]map[string]float64{}
		for j, assessor := range a.spec.Judgements {
			out.Alone[assessor.Assessor] = map[string]float64{}
			values, err := a.alone(r, a.systems[i], j, a.metrics)
			if err != nil {
				return out, err
			}
			for m, spec := range a.spec.Measures {
				out.Alone[assessor.Assessor][spec.Key], _ = a.metrics[m].Over(a.judgedBy(j, values[m]), a.spec.rule())
			}
		}
	}
	return out, nil
}

func judgedMetric(k int) metrics.Metric { return metrics.Metric{Name: "Judged", Cutoff: k} }

// judgedShares is the share of judged documents in the first places, by topic.
func (a *Loaded) judgedShares(e *evaluation, system int) ([]metrics.Value, error) {
	return valuesOf(judgedMetric(a.judgedAt), e.lists[system], e.facts[system].missing, a.topics)
}

// figure is a measure over the topics that the rule takes; nil for a mean over none.
func (a *Loaded) figure(m int, values []metrics.Value) *float64 {
	x, n := a.metrics[m].Over(values, a.spec.rule())
	if d, _ := a.metrics[m].Definition(); n == 0 && !d.Sum {
		return nil
	}
	return &x
}

// interval is the bootstrap interval of a mean; ok is false for counts, and where nothing is resampled.
func (a *Loaded) interval(e *evaluation, system, m int) (interval [2]float64, ok bool) {
	d, _ := a.metrics[m].Definition()
	var values []float64
	for _, v := range e.values[system][m] {
		if a.spec.rule().Takes(v) {
			values = append(values, v.Value)
		}
	}
	if a.spec.Test == nil || d.Sum || len(values) == 0 {
		return interval, false
	}
	return stats.Interval(a.resample(e, values), 0.95), true
}

// band is the lowest and highest figure over all orders of tied documents; ok is false where they are one.
func (a *Loaded) band(e *evaluation, system, m int) (band [2]float64, ok bool) {
	if !e.tied[system] {
		return band, false
	}
	for end := range band {
		values := append([]metrics.Value(nil), e.values[system][m]...)
		for i := range values {
			ok = ok || values[i].Value != e.bands[system][m][i][end]
			values[i].Value = e.bands[system][m][i][end]
		}
		band[end], _ = a.metrics[m].Over(values, a.spec.rule())
	}
	return band, ok
}

func (a *Loaded) inGroup(name string) []int {
	var places []int
	for i := range a.topics {
		if a.study.Questions[a.topics[i].question].Kind == name {
			places = append(places, i)
		}
	}
	return places
}

// within returns the values of some topics.
func within(values []metrics.Value, places []int) []metrics.Value {
	list := make([]metrics.Value, len(places))
	for i, p := range places {
		list[i] = values[p]
	}
	return list
}

func (a *Loaded) groupResult(e *evaluation, name string) GroupResult {
	places := a.inGroup(name)
	out := GroupResult{Topics: len(places), Means: map[string]map[string]*float64{}, Differences: map[string]float64{}}
	for i, system := range a.systems {
		out.Means[system] = map[string]*float64{}
		for m, spec := range a.spec.Measures {
			out.Means[system][spec.Key] = a.figure(m, within(e.values[i][m], places))
		}
	}
	for _, c := range a.spec.contrasts(a.study.Protocol) {
		if values := a.groupDifferences(e, c, places); len(values) > 0 {
			out.Differences[c.Name] = stats.Sample{Values: values, Den: 1}.Mean()
		}
	}
	return out
}

func (a *Loaded) groupDifferences(e *evaluation, c Contrast, places []int) []float64 {
	main := a.spec.primary()
	values, _ := a.pairs(within(e.values[a.place(c.System)][main], places), within(e.values[a.place(c.Against)][main], places))
	return values
}

// parse reads results.
func parse(data []byte) (*Results, error) {
	var r Results
	err := json.Unmarshal(data, &r)
	return &r, err
}
