package verdict

import (
	"encoding/json"
	"fmt"
	"strings"

	"retrace/core/metrics"
	"retrace/core/study"
)

// Alpha is the level at which a corrected p-value of a graded study counts as a difference.
const Alpha = 0.05

// graded says what a graded study's contrasts allow to be said, all of them: none is left out for being less welcome.
func graded(p *study.Protocol, results []byte) ([]Part, error) {
	var r study.GradedResults
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a graded study: %w", err)
	}
	g := p.Graded
	if len(g.Contrasts) == 0 {
		return []Part{}, nil
	}
	s := sentence{}
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
	for _, row := range g.Rows {
		if row.Name == g.Contrasts[0].Row {
			subject = row.Label
		}
	}
	all := len(g.Contrasts)
	switch {
	case better == 0 && worse == 0:
		s.words(subject + " made no measurable difference: ")
	case better == all:
		s.words(subject + " helped: ")
	case worse == all:
		s.words(subject + " hurt: ")
	case worse == 0:
		s.words(subject + " helped in one respect and made no measurable difference in another: ")
	case better == 0:
		s.words(subject + " hurt in one respect and made no measurable difference in another: ")
	default:
		s.words(subject + " helped in one respect and hurt in another: ")
	}
	for i, c := range g.Contrasts {
		x := r.Contrasts[c.Name]
		path := func(keys ...string) string { return join(append([]string{"contrasts", c.Name}, keys...)...) }
		if i > 0 {
			s.words("; ")
		}
		s.number(path("difference"), x.Difference)
		s.words(" in " + MeasureName(g, c.Measure) + " (95\u202f% interval ")
		s.number(path("ci95", "0"), x.CI95[0])
		s.words(" to ")
		s.number(path("ci95", "1"), x.CI95[1])
		s.words(", exact p\u00a0=\u00a0")
		s.number(path("pExact"), x.PExact)
		s.words(", corrected p = ")
		s.number(path("pHolm"), x.PHolm)
		s.words(", n = ")
		s.number(path("n"), float64(x.N))
		if x.N < r.Tasks.Final {
			s.words(" of ")
			s.number("tasks.final", float64(r.Tasks.Final))
		}
		s.words(" tasks)")
	}
	s.words(".")
	return s.parts, nil
}

// MeasureName names a measure of a graded study for people.
func MeasureName(g *study.Graded, key string) string {
	if key == study.Composite {
		return "the answers’ score"
	}
	for _, m := range g.Measures {
		if m.Key == key {
			return m.Measure
		}
	}
	return key
}

// binary says what the methods of a binary study did on its last split.
func binary(p *study.Protocol, results []byte) ([]Part, error) {
	var r struct {
		Same   []study.SameResult
		Splits map[string]struct {
			Methods map[string]map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(results, &r); err != nil {
		return nil, fmt.Errorf("verdict: results are not those of a binary study: %w", err)
	}
	b := p.Binary
	split := b.Splits[len(b.Splits)-1].Name
	methods := r.Splits[split].Methods
	s := sentence{}
	said := map[string]bool{} // methods that another one stands for
	for i, same := range r.Same {
		s.words(label(p, same.Methods[len(same.Methods)-1]) + " returned exactly what " + lower(label(p, same.Methods[0])) + " does for all ")
		s.number(join("same", fmt.Sprint(i), "needs"), float64(same.Needs))
		s.words(" needs. ")
		for _, m := range same.Methods[:len(same.Methods)-1] {
			said[m] = true
		}
	}
	first := true
	for _, m := range p.Methods {
		held, ok := methods[m.Name]
		if !ok || said[m.Name] {
			continue
		}
		path := func(keys ...string) string {
			return join(append([]string{"splits", split, "methods", m.Name}, keys...)...)
		}
		if first {
			var defined int
			if err := json.Unmarshal(held["defined"], &defined); err != nil {
				return nil, fmt.Errorf("verdict: %s: %w", path("defined"), err)
			}
			s.words("On the ")
			s.number(path("defined"), float64(defined))
			s.words(" " + Spoken(split) + " needs that have a relevant passage, ")
		} else {
			s.words("; ")
		}
		first = false
		s.words(label(p, m.Name) + " has ")
		for i, spec := range b.Measures {
			if i > 0 {
				s.words(map[bool]string{true: " and ", false: ", "}[i == len(b.Measures)-1])
			}
			s.words(Measure(spec.Measure) + " ")
			var value *float64
			if err := json.Unmarshal(held[spec.Key], &value); err != nil || value == nil {
				s.words("undefined")
				continue
			}
			s.number(path(spec.Key), *value)
		}
	}
	s.words(".")
	return s.parts, s.undefined(p, split, methods, said)
}

// undefined says what methods returned for needs without a relevant passage.
func (s *sentence) undefined(p *study.Protocol, split string, methods map[string]map[string]json.RawMessage, said map[string]bool) error {
	first := true
	for _, m := range p.Methods {
		if said[m.Name] {
			continue
		}
		var list []study.Undefined
		if err := json.Unmarshal(methods[m.Name]["undefined"], &list); err != nil {
			return fmt.Errorf("verdict: %s: undefined: %w", m.Name, err)
		}
		if len(list) == 0 {
			return nil
		}
		if first {
			s.words(" Where nothing is relevant, ")
		} else {
			s.words(" and ")
		}
		s.words(label(p, m.Name) + " returns ")
		for i, u := range list {
			if i > 0 {
				s.words(", ")
			}
			s.number(join("splits", split, "methods", m.Name, "undefined", fmt.Sprint(i), "candidates"), float64(u.Candidates))
		}
		if first {
			s.words(" passages all the same")
		}
		first = false
	}
	s.words(".")
	return nil
}

// Spoken names a split as people do.
func Spoken(split string) string {
	if split == "heldout" {
		return "held-out"
	}
	return split
}

// Measure names a measure for people: Recall@3 for R@3, and for the mean of reciprocal ranks MRR@3; precision and
// coverage by what they count in graded studies.
func Measure(canonical string) string {
	m, err := metrics.Parse(canonical)
	if err != nil {
		return canonical
	}
	switch m.Family {
	case "P":
		return fmt.Sprintf("Useful precision@%d", m.Cutoff)
	case "Coverage":
		return fmt.Sprintf("Agreed coverage@%d", m.Cutoff)
	case "R":
		return fmt.Sprintf("Recall@%d", m.Cutoff)
	case "RR":
		return fmt.Sprintf("MRR@%d", m.Cutoff)
	}
	return canonical
}

func label(p *study.Protocol, method string) string {
	for _, m := range p.Methods {
		if m.Name == method {
			return m.Label
		}
	}
	return method
}

// lower puts a label inside a sentence: "the scan" for Scan; an abbreviation stays.
func lower(label string) string {
	if strings.ToUpper(label) == label {
		return label
	}
	return "the " + strings.ToLower(label)
}
