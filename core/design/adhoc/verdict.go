package adhoc

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// Outcome says what a corrected p-value allows to be said of a difference: 1 for higher, −1 for lower, 0 for neither.
func Outcome(difference, adjusted float64) int {
	switch {
	case adjusted >= Alpha || difference == 0:
		return 0
	case difference > 0:
		return 1
	}
	return -1
}

// Hangs lists the readings under which a contrast's outcome is another one, in the order in which the page names them.
func (a *Spec) Hangs(c ContrastResult) []string {
	var names []string
	for _, name := range a.readings() {
		if r, ok := c.Readings[name]; ok && Outcome(r.Difference, r.PAdjusted) != Outcome(c.Difference, c.PAdjusted) {
			names = append(names, name)
		}
	}
	return names
}

// TooFew reports whether the topics could not have shown a difference, whatever it is: no pattern of signs has a small
// enough p.
func TooFew(c ContrastResult) bool { return c.SmallestP >= Alpha }

// Verdict says what the first contrast shows, on what it hangs, and how much of what it rests on was judged.
func (a *Spec) Verdict(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	r, err := parse(results)
	if err != nil {
		return nil, fmt.Errorf("verdict: results are not those of an adhoc study: %w", err)
	}
	list := a.contrasts(p)
	if len(list) == 0 {
		return []verdict.Part{}, nil
	}
	name := list[0].Name
	c, ok := r.Contrasts[name]
	if !ok {
		return nil, fmt.Errorf("verdict: the results lack the contrast %q", name)
	}
	s := sentence{a: a, p: p, c: c, name: name}
	s.outcome(len(list))
	s.hangs()
	s.judged(r)
	s.few()
	return s.Parts, nil
}

type sentence struct {
	verdict.Sentence
	a    *Spec
	p    *study.Protocol
	c    ContrastResult
	name string
}

func (s *sentence) path(keys ...string) string {
	return numpath.Of(append([]string{"contrasts", s.name}, keys...)...)
}

func (s *sentence) outcome(contrasts int) {
	system, against := s.a.Label(s.p, s.c.System), s.a.Label(s.p, s.c.Against)
	if m, ok := s.p.Method(s.c.System); ok && m.Adds != "" {
		system = m.Adds
	}
	switch Outcome(s.c.Difference, s.c.PAdjusted) {
	case 1:
		s.Words(system + " did better than " + against)
	case -1:
		s.Words(system + " did worse than " + against)
	default:
		switch {
		case s.c.Up+s.c.Down == 0:
			s.Words(system + " did as " + against + " on every topic")
		case TooFew(s.c):
			s.Words("Too few topics to tell " + system + " from " + against)
		default:
			s.Words("No difference of " + system + " from " + against + " could be shown")
		}
	}
	s.Words(": " + s.a.Spoken(s.a.Primary) + " ")
	s.Number(s.path("difference"), show.Change, s.c.Difference)
	s.Words(" (95\u202f% interval ")
	s.Number(s.path("ci95", "0"), show.Change, s.c.CI95[0])
	s.Words(" to ")
	s.Number(s.path("ci95", "1"), show.Change, s.c.CI95[1])
	s.Words(", p\u00a0=\u00a0")
	if contrasts == 1 {
		s.Number(s.path("p"), show.P, s.c.P)
	} else {
		s.Number(s.path("pAdjusted"), show.P, s.c.PAdjusted)
		s.Words(fmt.Sprintf(", corrected for %d contrasts", contrasts))
	}
	s.Words(") over ")
	s.Number(s.path("n"), show.Integer, float64(s.c.N))
	s.Words(" topics.")
}

// hangs names the readings under which the outcome would be another one.
func (s *sentence) hangs() {
	names := s.a.Hangs(s.c)
	adjusted := func(name string) {
		s.Number(s.path("readings", name, "difference"), show.Change, s.c.Readings[name].Difference)
		s.Words(", p\u00a0=\u00a0")
		s.Number(s.path("readings", name, "pAdjusted"), show.P, s.c.Readings[name].PAdjusted)
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	if has(ReadGain) {
		s.Words(" That hangs on the gain of nDCG: with the other one it is ")
		adjusted(ReadGain)
		s.Words(".")
	}
	if has(ReadTiesLow) || has(ReadTiesHigh) {
		s.Words(" That hangs on the order of tied documents: the difference lies anywhere from ")
		low, high := s.end(ReadTiesLow), s.end(ReadTiesHigh)
		s.Number(low, show.Change, s.value(ReadTiesLow))
		s.Words(" to ")
		s.Number(high, show.Change, s.value(ReadTiesHigh))
		s.Words(".")
	}
	if has(ReadJudged) {
		s.Words(" That hangs on unjudged documents: without them it is ")
		adjusted(ReadJudged)
		s.Words(".")
	}
	for _, name := range names {
		if assessor, ok := strings.CutPrefix(name, ReadAlone); ok {
			s.Words(" By the judgements of " + assessor + " alone it is ")
			adjusted(name)
			s.Words(".")
		}
	}
}

// end is the path of a band's end, which is the difference itself where ties move it no further that way.
func (s *sentence) end(name string) string {
	if _, ok := s.c.Readings[name]; ok {
		return s.path("readings", name, "difference")
	}
	return s.path("difference")
}

func (s *sentence) value(name string) float64 {
	if r, ok := s.c.Readings[name]; ok {
		return r.Difference
	}
	return s.c.Difference
}

// judged says how much of what the two systems rest on was judged, where it is not all.
func (s *sentence) judged(r *Results) {
	x, y := r.Systems[s.c.System].Judged, r.Systems[s.c.Against].Judged
	if x == nil || y == nil || *x == 1 && *y == 1 {
		return
	}
	s.Words(" Judged among the first ")
	s.Number("judgedAt", show.Integer, float64(r.JudgedAt))
	s.Words(": a share of ")
	s.Number(numpath.Of("systems", s.c.System, "judged"), show.Measure, *x)
	s.Words(" for " + s.a.Label(s.p, s.c.System) + " and ")
	s.Number(numpath.Of("systems", s.c.Against, "judged"), show.Measure, *y)
	s.Words(" for " + s.a.Label(s.p, s.c.Against) + "; the rest counts as not relevant.")
}

// few says what so many topics can't show.
func (s *sentence) few() {
	switch outcome := Outcome(s.c.Difference, s.c.PAdjusted); {
	case TooFew(s.c) && s.c.Up+s.c.Down > 0:
		s.Words(" Even if all pointed one way, p would be ")
		s.Number(s.path("smallestP"), show.P, s.c.SmallestP)
		s.Words(" at best.")
	case outcome == 0 && s.c.Detectable != nil:
		s.Words(" So many topics would have shown a difference of about ")
		s.Number(s.path("detectable"), show.Measure, *s.c.Detectable)
		s.Words(" or more in four of five such studies; to tell smaller ones they are too few.")
	case outcome != 0 && s.c.N < FewTopics:
		s.Words(" Topics are few: the same comparison on others may well come out otherwise.")
	}
}
