package knownitem

import (
	"encoding/json"
	"fmt"
	"math"

	"retrace/core/numpath"
	"retrace/core/order"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// Verdict says what the first contrast shows, and whether rewired links did as well.
func (k *Spec) Verdict(p *study.Protocol, results []byte) ([]verdict.Part, error) {
	var r Results
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a known-item study: %w", err)
	}
	if len(k.Contrasts) == 0 {
		return []verdict.Part{}, nil
	}
	name := k.Contrasts[0].Name
	c, ok := r.Contrasts[name]
	if !ok {
		return nil, fmt.Errorf("verdict: the results lack the contrast %q", name)
	}
	s := sentence{key: k.MRRKey()}
	path := func(keys ...string) string { return numpath.Of(append([]string{"contrasts", name}, keys...)...) }
	s.Words(subject(p, c.Method) + " " + Effect(c) + ": ")
	s.Number(path("difference"), show.Change, c.Difference)
	s.Words(fmt.Sprintf(" MRR@%d (95\u202f%% interval ", k.Cutoff))
	s.Number(path("ci95", "0"), show.Change, c.CI95[0])
	s.Words(" to ")
	s.Number(path("ci95", "1"), show.Change, c.CI95[1])
	s.Words(", exact p\u00a0=\u00a0")
	s.Number(path("pExact"), show.P, c.PExact)
	if tooFew(c.Families) {
		s.Words("; " + families(c.Families) + " can give no p below " + show.Chance(smallestP(c.Families)))
	}
	s.Words(")")
	s.rewired(&r, c)
	s.Words(".")
	return s.Parts, nil
}

// Little is the difference in mean reciprocal rank below which an interval's both ends count as little: at 0.02 a target
// moves from place 2 to place 1 in one question of 25.
const Little = 0.02

// Alpha is the level that the smallest p of so many families is held against.
const Alpha = 0.05

// smallestP is the smallest exact p that n families can give: two of the 2ⁿ sign patterns are as extreme as all of one sign.
func smallestP(n int) float64 { return min(1, math.Ldexp(1, 1-n)) }

// tooFew reports whether no outcome of so many families could have been told from chance.
func tooFew(n int) bool { return smallestP(n) >= Alpha }

// Effect says in two or three words what a contrast's interval allows to be said.
func Effect(c ContrastResult) string {
	switch low, high := c.CI95[0], c.CI95[1]; {
	case low > 0 && !tooFew(c.Families):
		return "helped"
	case high < 0 && !tooFew(c.Families):
		return "hurt"
	case c.Up+c.Down == 0:
		return "changed nothing"
	case tooFew(c.Families):
		return "may have helped or hurt: too few families to tell"
	case math.Max(-low, high) < Little:
		return "changed little"
	}
	return "may have helped or hurt; this study can’t tell"
}

// families counts families in words.
func families(n int) string {
	if n == 1 {
		return "one family"
	}
	return show.Count(int64(n)) + " families"
}

// subject names what a contrast's method adds: in the protocol's words where it has some, else by the method's label.
func subject(p *study.Protocol, name string) string {
	m, ok := p.Method(name)
	switch {
	case !ok:
		return name
	case m.Adds != "":
		return m.Adds
	}
	return m.Label
}

type sentence struct {
	verdict.Sentence
	key string // of the mean reciprocal rank
}

// rewired compares the method with its rewired controls: whether links to other neighbours did as well.
func (s *sentence) rewired(r *Results, c ContrastResult) {
	observed, ok := r.Methods[c.Method]
	if !ok || len(r.Rewired) == 0 {
		return
	}
	var names []string
	asWell := 0
	for _, w := range r.Rewired {
		m, ok := r.Methods[w.Name]
		if !ok {
			continue
		}
		names = append(names, w.Name)
		if m.MRR >= observed.MRR {
			asWell++
		}
	}
	if len(names) == 0 {
		return
	}
	order.Sort(names, func(a, b string) int {
		switch x, y := r.Methods[a].MRR, r.Methods[b].MRR; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	low, high := names[0], names[len(names)-1]
	worst, best := r.Methods[low], r.Methods[high]
	and := ", and "
	if asWell > 0 && c.CI95[0] > 0 {
		and = ", but " // what helped was not what the links say
	}
	switch {
	case worst.MRR == observed.MRR && best.MRR == observed.MRR:
		s.Words(and + "rewired links gave exactly the same (")
	case asWell == len(names):
		s.Words(and + "all rewired links did as well or better (")
	case asWell > 0:
		s.Words(and + "rewired links did as well (")
	case observed.MRR-best.MRR < Little:
		s.Words(and + "rewired links did nearly as well (")
	default:
		s.Words(and + "rewired links did less well (")
	}
	s.Number(numpath.Of("methods", low, s.key), show.Measure, worst.MRR)
	if worst.MRR != best.MRR {
		s.Words(" to ")
		s.Number(numpath.Of("methods", high, s.key), show.Measure, best.MRR)
	}
	s.Words(" against ")
	s.Number(numpath.Of("methods", c.Method, s.key), show.Measure, observed.MRR)
	s.Words(")")
}
