package page

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"

	"retrace/cmd/build/page/embedded"
	"retrace/core/design/adhoc"
	"retrace/core/metrics"
	"retrace/core/numpath"
	"retrace/core/show"
)

// adhocStudy is what the article of a study of topics, judgements and systems shows beside its numbers.
type adhocStudy struct {
	Spec      *adhoc.Spec
	Results   *adhoc.Results
	Systems   []systemRow
	Measures  []measureNote
	Contrasts []adhocContrast
	Bands     []bandRow
	Topics    []topicRow // of the first contrast, by falling difference
	Assessors []string
	Primary   string // for people
	Judged    bool   // everything that was returned in the first places was judged
}

type systemRow struct {
	Name, Label, Role string
	About             string // what it does, or that it was given
	Term              string // empty for a given run
	File              string // of a given run
}

type adhocContrast struct {
	adhoc.Contrast
	Result   adhoc.ContrastResult
	System   string // for people
	Against  string
	Readings []readingRow
}

type readingRow struct {
	Name, Text string
	Hangs      bool // the outcome is another one
}

type bandRow struct{ System, Label, Key, Measure string }

type topicRow struct {
	Place      int
	ID, Text   string
	Difference string
	Address    string // of its explanation
	difference float64
}

func buildAdhoc(a *article) (shown bool, err error) {
	if a.Adhoc, err = newAdhocStudy(a, a.data.Results); err != nil {
		return false, err
	}
	s := a.Adhoc
	a.Example = numpath.Of("systems", s.Systems[0].Name, "means", s.Spec.Primary)
	a.data.Views.Adhoc = s.embedded(a)
	return true, nil
}

func newAdhocStudy(a *article, results []byte) (*adhocStudy, error) {
	s := &adhocStudy{Spec: adhoc.Of(a.Protocol), Results: &adhoc.Results{}, Judged: true}
	if err := json.Unmarshal(results, s.Results); err != nil {
		return nil, err
	}
	s.Primary = s.Spec.Spoken(s.Spec.Primary)
	for _, m := range a.Protocol.Methods {
		about := m.Note
		if about == "" {
			about = a.about(m.Name)
		}
		s.Systems = append(s.Systems, systemRow{m.Name, m.Label, m.Role, about, a.Study.TermOf(m.Name), ""})
	}
	for _, r := range s.Spec.Runs {
		s.Systems = append(s.Systems, systemRow{r.Name, r.Label, r.Role, r.Note, "", r.File})
	}
	for _, m := range s.Spec.Measures {
		parsed, err := metrics.ParseMetric(m.Measure)
		if err != nil {
			return nil, err
		}
		d, _ := parsed.Definition()
		s.Measures = append(s.Measures, measureNote{m.Key, s.Spec.Spoken(m.Key), d.Text})
	}
	for _, j := range s.Spec.Judgements {
		s.Assessors = append(s.Assessors, j.Assessor)
	}
	for _, row := range s.Systems {
		x := s.Results.Systems[row.Name]
		s.Judged = s.Judged && (x.Judged == nil || *x.Judged == 1)
		for _, m := range s.Spec.Measures {
			if _, ok := x.Bands[m.Key]; ok {
				s.Bands = append(s.Bands, bandRow{row.Name, row.Label, m.Key, s.Spec.Spoken(m.Key)})
			}
		}
	}
	s.compare(a)
	return s, nil
}

// compare lists contrasts with their readings, and the topics of the first.
func (s *adhocStudy) compare(a *article) {
	for _, c := range s.Spec.AllContrasts(a.Protocol) {
		row := adhocContrast{Contrast: c, Result: s.Results.Contrasts[c.Name], System: s.Spec.Label(a.Protocol, c.System),
			Against: s.Spec.Label(a.Protocol, c.Against)}
		hangs := s.Spec.Hangs(row.Result)
		for name := range row.Result.Readings {
			row.Readings = append(row.Readings, readingRow{name, adhoc.ReadAs(name), slices.Contains(hangs, name)})
		}
		slices.SortFunc(row.Readings, func(x, y readingRow) int { return cmp.Compare(x.Name, y.Name) })
		s.Contrasts = append(s.Contrasts, row)
	}
	if len(s.Contrasts) == 0 {
		return
	}
	c := s.Contrasts[0]
	x, y := s.Results.Values[c.Contrast.System][s.Spec.Primary], s.Results.Values[c.Contrast.Against][s.Spec.Primary]
	for i, t := range s.Results.Topics {
		if x[i] == nil || y[i] == nil {
			continue
		}
		q, _ := a.Study.Question(t.Topic)
		d := *x[i] - *y[i]
		s.Topics = append(s.Topics, topicRow{i, t.Topic, q.Text, show.Signed(d),
			explainAddress(numpath.Of("difference", c.Name, t.Topic)), d})
	}
	slices.SortStableFunc(s.Topics, func(x, y topicRow) int { return cmp.Compare(y.difference, x.difference) })
}

// First is the contrast that the verdict is about.
func (s *adhocStudy) First() *adhocContrast {
	if len(s.Contrasts) == 0 {
		return nil
	}
	return &s.Contrasts[0]
}

// Corrected names the correction of p-values.
func (s *adhocStudy) Corrected() string {
	return map[string]string{"holm": "Holm’s", "bonferroni": "Bonferroni’s", "bh": "Benjamini and Hochberg’s"}[s.Spec.Test.Correction]
}

// Interval is a figure's 95% interval; nothing where it has none.
func (s *adhocStudy) Interval(a *article, system, key string) (template.HTML, error) {
	if _, ok := s.Results.Systems[system].CI95[key]; !ok {
		return "", nil
	}
	low, err := a.Num("systems", system, "ci95", key, 0)
	if err != nil {
		return "", err
	}
	high, err := a.Num("systems", system, "ci95", key, 1)
	return `<span class="row-text">` + low + " to " + high + `</span>`, err
}

// Order says how documents with equal scores stand.
func (s *adhocStudy) Order() string {
	switch s.Spec.Order {
	case "trec_eval":
		return "by document ID, descending, as trec_eval orders them"
	case "trec_eval-float32":
		return "by document ID, descending, scores taken as float32, as trec_eval before version 10 ordered them"
	case "ascending":
		return "by document ID, ascending, numbers by value"
	}
	return "by document ID, ascending"
}

// Over says which topics a figure is of.
func (s *adhocStudy) Over() string {
	switch s.Spec.Over {
	case "returned":
		return "over the judged topics for which a system returned something"
	case "defined":
		return "over the judged topics for which the measure has a value; one that a system left out counts as an empty ranking"
	}
	return "over all judged topics, as trec_eval -c takes them: one that a system left out, or for which the measure has no value, " +
		"counts as 0"
}

func (s *adhocStudy) embedded(a *article) *embedded.Adhoc {
	e := &embedded.Adhoc{Methods: []string{}, Measures: []embedded.Measure{}, Primary: s.Spec.Primary, Top: min(a.Protocol.Keep, 20)}
	var wanted []string
	if c := s.First(); c != nil {
		wanted = []string{c.Contrast.Against, c.Contrast.System}
	}
	for _, m := range append(wanted, a.Protocol.AllMethods()...) { // those of the first contrast where they are computed here
		if len(e.Methods) < 2 && a.Protocol.HasMethod(m) && !slices.Contains(e.Methods, m) {
			e.Methods = append(e.Methods, m)
		}
	}
	for _, m := range s.Spec.Measures {
		e.Measures = append(e.Measures, embedded.Measure{Key: m.Key, Label: s.Spec.Spoken(m.Key)})
	}
	return e
}
