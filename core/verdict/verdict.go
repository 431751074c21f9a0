// Package verdict puts what a study found into one sentence. Its words follow from the numbers by fixed rules, so that
// a page can't say more than a replay gives.
package verdict

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"retrace/core/numpath"
	"retrace/core/order"
	"retrace/core/show"
	"retrace/core/study"
)

// A Part is a stretch of the sentence: words, or a number of the results with its path.
type Part struct {
	Text string `json:"text"`
	Path string `json:"path"` // of the number in the results; empty for words
}

// Text joins the parts.
func Text(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Of returns the verdict that follows from a study's results (canonical JSON); no parts where the design has no primary
// contrast.
func Of(p *study.Protocol, results []byte) ([]Part, error) {
	switch {
	case p.Graded != nil:
		return graded(p, results)
	case p.Binary != nil:
		return binary(p, results)
	case p.KnownItem == nil:
		return []Part{}, nil
	}
	var r study.KnownItemResults
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a known-item study: %w", err)
	}
	if len(p.KnownItem.Contrasts) == 0 {
		return []Part{}, nil
	}
	name := p.KnownItem.Contrasts[0].Name
	c, ok := r.Contrasts[name]
	if !ok {
		return nil, fmt.Errorf("verdict: the results lack the contrast %q", name)
	}
	s := sentence{}
	path := func(keys ...string) string { return join(append([]string{"contrasts", name}, keys...)...) }
	s.words(subject(p, c.Method) + " " + Effect(c) + ": ")
	s.number(path("difference"), c.Difference)
	s.words(fmt.Sprintf(" MRR@%d (95\u202f%% interval ", p.KnownItem.Cutoff))
	s.number(path("ci95", "0"), c.CI95[0])
	s.words(" to ")
	s.number(path("ci95", "1"), c.CI95[1])
	s.words(", exact p\u00a0=\u00a0")
	s.number(path("pExact"), c.PExact)
	s.words(")")
	s.rewired(&r, c)
	s.words(".")
	return s.parts, nil
}

// Little is the difference in mean reciprocal rank below which an interval's both ends count as little: at 0.02 a target
// moves from place 2 to place 1 in one question of 25.
const Little = 0.02

// Effect says in two or three words what a contrast's interval allows to be said.
func Effect(c study.ContrastResult) string {
	switch low, high := c.CI95[0], c.CI95[1]; {
	case low > 0:
		return "helped"
	case high < 0:
		return "hurt"
	case c.Up+c.Down == 0:
		return "changed nothing"
	case math.Max(-low, high) < Little:
		return "changed little"
	}
	return "may have helped or hurt; this study can’t tell"
}

// subject names what a contrast's method adds.
func subject(p *study.Protocol, name string) string {
	for _, m := range p.Methods {
		if m.Name != name {
			continue
		}
		if m.Role == "graph" {
			return "The links"
		}
		return m.Label
	}
	return name
}

type sentence struct{ parts []Part }

func (s *sentence) words(text string) { s.parts = append(s.parts, Part{Text: text}) }

func (s *sentence) number(path string, x float64) {
	s.parts = append(s.parts, Part{show.Text(path, x), path})
}

// rewired compares the method with its rewired controls: whether links to other neighbours did as well.
func (s *sentence) rewired(r *study.KnownItemResults, c study.ContrastResult) {
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
	case asWell == len(names):
		s.words(and + "all rewired links did as well or better (")
	case asWell > 0:
		s.words(and + "rewired links did as well (")
	case observed.MRR-best.MRR < Little:
		s.words(and + "rewired links did nearly as well (")
	default:
		s.words(and + "rewired links did less well (")
	}
	s.number(join("methods", low, "mrr10"), worst.MRR)
	s.words(" to ")
	s.number(join("methods", high, "mrr10"), best.MRR)
	s.words(" against ")
	s.number(join("methods", c.Method, "mrr10"), observed.MRR)
	s.words(")")
}

func join(keys ...string) string {
	path := ""
	for _, k := range keys {
		path = numpath.Join(path, k)
	}
	return path
}
