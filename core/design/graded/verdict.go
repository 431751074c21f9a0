package graded

import (
	"encoding/json"
	"fmt"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// Alpha is the level at which a corrected p-value of a graded study counts as a difference.
const Alpha = 0.05

// Verdict says what the contrasts allow to be said, all of them: none is left out for being less welcome.
func (g *Spec) Verdict(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	var r Results
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a graded study: %w", err)
	}
	if len(g.Contrasts) == 0 {
		return []verdict.Part{}, nil
	}
	s := verdict.Sentence{}
	better, worse := 0, 0
	for _, c := range g.Contrasts {
		x, ok := r.Contrasts[c.Name]
		if !ok {
			return nil, fmt.Errorf("verdict: the results lack the contrast %q", c.Name)
		}
		switch {
		case x.PHolm >= Alpha:
		case x.Difference > 0:
			better++
		default:
			worse++
		}
	}
	subject := g.Contrasts[0].Row
	if row, ok := g.row(subject); ok {
		subject = row.Label
	}
	all := len(g.Contrasts)
	switch {
	case better == 0 && worse == 0:
		s.Words(subject + " made no measurable difference: ")
	case better == all:
		s.Words(subject + " helped: ")
	case worse == all:
		s.Words(subject + " hurt: ")
	case worse == 0:
		s.Words(subject + " helped in one respect and made no measurable difference in another: ")
	case better == 0:
		s.Words(subject + " hurt in one respect and made no measurable difference in another: ")
	default:
		s.Words(subject + " helped in one respect and hurt in another: ")
	}
	for i, c := range g.Contrasts {
		x := r.Contrasts[c.Name]
		path := func(keys ...string) string { return numpath.Of(append([]string{"contrasts", c.Name}, keys...)...) }
		if i > 0 {
			s.Words("; ")
		}
		s.Number(path("difference"), show.Change, x.Difference)
		s.Words(" in " + g.MeasureName(c.Measure) + " (95\u202f% interval ")
		s.Number(path("ci95", "0"), show.Change, x.CI95[0])
		s.Words(" to ")
		s.Number(path("ci95", "1"), show.Change, x.CI95[1])
		s.Words(", exact p\u00a0=\u00a0")
		s.Number(path("pExact"), show.P, x.PExact)
		s.Words(", corrected p = ")
		s.Number(path("pHolm"), show.P, x.PHolm)
		s.Words(", n = ")
		s.Number(path("n"), show.Integer, float64(x.N))
		if x.N < r.Tasks.Final {
			s.Words(" of ")
			s.Number("tasks.final", show.Integer, float64(r.Tasks.Final))
		}
		s.Words(" tasks)")
	}
	s.Words(".")
	return s.Parts, nil
}

// MeasureName names what a contrast compares, for people.
func (g *Spec) MeasureName(key string) string {
	if key == Composite {
		return "the answers’ score"
	}
	for _, m := range g.Measures {
		if m.Key == key {
			return m.Spoken()
		}
	}
	return key
}
