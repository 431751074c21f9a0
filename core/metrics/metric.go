package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// A Metric is a measure with its parameters, under the name that ir_measures gives it: AP, AP(rel=2)@100, nDCG@10,
// nDCG(dcg='exp-log2')@10, RBP(p=0.9,rel=1), IPrec@0.1. ParseMetric makes it and String prints it; two metrics are the
// same measure exactly if they are equal.
//
// The three bundled studies name their measures by the older type Measure, whose nDCG@5 has the exponential gain;
// Measure.Metric says which Metric each of those is.
type Metric struct {
	Name       string  // as in the table
	Cutoff     int     // ranks looked at, from 1; 0: all
	Rel        int     // lowest grade that is relevant, from 1; 0 where the measure goes by grades or counts all
	Max        int     // highest grade of the scale; 0 where the measure needs none
	P          float64 // RBP's persistence, above 0 and below 1
	Beta       float64 // SetF's weight of recall, above 0
	Recall     float64 // IPrec's recall, 0 to 1
	Gain       string  // nDCG's: "log2" for linear gain, "exp-log2" for exponential gain; both discount by log2(rank + 1)
	JudgedOnly bool    // documents without a judgement are taken out of the ranking first
}

// MaxMetricCutoff is the largest cutoff of a Metric; MaxRel the largest grade that its parameters may name, as in
// trec_eval.
const (
	MaxMetricCutoff = 1_000_000
	MaxRel          = 127
)

// Gains of nDCG.
const (
	LinearGain      = "log2"
	ExponentialGain = "exp-log2"
)

// defaults returns the metric of a table's row with every parameter as it is where a name says nothing.
func (d *Definition) defaults() Metric {
	m := Metric{Name: d.Name}
	for _, p := range d.Parameters {
		switch p {
		case "rel":
			m.Rel = d.Rel
		case "dcg":
			m.Gain = LinearGain
		case "p":
			m.P = 0.8
		case "beta":
			m.Beta = 1
		case "max":
			m.Max = d.Max
		}
	}
	return m
}

// Definition returns the metric's row of the table; ok is false for a metric that ParseMetric didn't make.
func (m Metric) Definition() (d *Definition, ok bool) {
	for i := range definitions {
		if definitions[i].Name == m.Name {
			return &definitions[i], true
		}
	}
	return nil, false
}

// String returns the name, with parameters only where they differ from what the name alone would mean.
func (m Metric) String() string {
	d, ok := m.Definition()
	if !ok {
		return m.Name
	}
	var list []string
	base := d.defaults()
	for _, p := range d.Parameters {
		switch {
		case p == "p" && m.P != base.P:
			list = append(list, "p="+pythonFloat(m.P))
		case p == "rel" && m.Rel != base.Rel:
			list = append(list, "rel="+strconv.Itoa(m.Rel))
		case p == "max" && m.Max != base.Max:
			list = append(list, "max="+strconv.Itoa(m.Max))
		case p == "beta" && m.Beta != base.Beta:
			list = append(list, "beta="+pythonFloat(m.Beta))
		case p == "dcg" && m.Gain != base.Gain:
			list = append(list, "dcg='"+m.Gain+"'")
		case p == "judged_only" && m.JudgedOnly:
			list = append(list, "judged_only=True")
		}
	}
	name := m.Name
	if len(list) > 0 {
		name += "(" + strings.Join(list, ",") + ")"
	}
	switch {
	case d.At == AtRecall:
		name += "@" + pythonFloat(m.Recall)
	case m.Cutoff > 0:
		name += "@" + strconv.Itoa(m.Cutoff)
	}
	return name
}

// pythonFloat writes a number as Python's repr does for the sizes that parameters have.
func pythonFloat(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// ParseMetric reads a name of ir_measures, its aliases (MAP, MRR, NDCG, Precision, Recall, RPrec, BPref, NumRelRet)
// included. Parameters may stand in any order and with spaces, and may say what is the default; the metric prints in one
// form. An unknown name is an error that lists the names near it.
func ParseMetric(name string) (Metric, error) {
	fail := func(format string, args ...any) (Metric, error) {
		return Metric{}, fmt.Errorf("metrics: measure %.60q: %s", name, fmt.Sprintf(format, args...))
	}
	head, at, withAt := strings.Cut(name, "@")
	head, list, withList := strings.Cut(strings.TrimSpace(head), "(")
	head, at = strings.TrimSpace(head), strings.TrimSpace(at)
	d, alias, ok := find(head)
	if !ok {
		return fail("unknown; %s", near(head))
	}
	m := d.defaults()
	if alias.Rel > 0 {
		m.Rel = alias.Rel
	}
	if withList {
		inside, closed := strings.CutSuffix(strings.TrimSpace(list), ")")
		if !closed {
			return fail("a closing bracket is missing")
		}
		given := map[string]bool{}
		for _, pair := range strings.Split(inside, ",") {
			key, value, _ := strings.Cut(pair, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			if given[key] {
				return fail("parameter %.20q stands there twice", key)
			}
			given[key] = true
			if what := m.set(d, key, value); what != "" {
				return fail("%s", what)
			}
		}
	}
	if what := m.setAt(d, at, withAt); what != "" {
		return fail("%s", what)
	}
	if m.Name == "RBP" && m.Rel == 0 && m.Max == 0 {
		return fail("say rel=1 for gains of 0 and 1, or max=3 for gains of grade/3 where 3 is the highest grade")
	}
	if m.Name == "RBP" && m.Rel > 0 && m.Max > 0 {
		return fail("rel counts documents as relevant or not, max grades them: give one of them")
	}
	return m, nil
}

// set takes in one parameter and says what is wrong with it.
func (m *Metric) set(d *Definition, key, value string) string {
	known := false
	for _, p := range d.Parameters {
		known = known || p == key
	}
	if !known {
		if len(d.Parameters) == 0 {
			return fmt.Sprintf("%s takes no parameter", d.Name)
		}
		return fmt.Sprintf("%s has no parameter %.20q, its parameters are %s", d.Name, key, strings.Join(d.Parameters, ", "))
	}
	whole := func(into *int) string {
		n, ok := digits(value)
		if !ok || n < 1 || n > MaxRel {
			return fmt.Sprintf("%s is a whole number from 1 to %d", key, MaxRel)
		}
		*into = n
		return ""
	}
	switch key {
	case "rel":
		return whole(&m.Rel)
	case "max":
		return whole(&m.Max)
	case "p":
		x, ok := decimal(value)
		if !ok || x <= 0 || x >= 1 {
			return "p, the persistence, lies between 0 and 1, as in p=0.8"
		}
		m.P = x
	case "beta":
		x, ok := decimal(value)
		if !ok || x <= 0 || x > 1000 {
			return "beta is above 0 and at most 1000, as in beta=2.0"
		}
		m.Beta = x
	case "dcg":
		m.Gain = strings.Trim(value, `'"`)
		if m.Gain != LinearGain && m.Gain != ExponentialGain {
			return "dcg is 'log2' (gain: the grade) or 'exp-log2' (gain: 2^grade − 1)"
		}
	case "judged_only":
		if value != "True" && value != "False" {
			return "judged_only is True or False"
		}
		m.JudgedOnly = value == "True"
	}
	return ""
}

// setAt takes in what stands behind the @.
func (m *Metric) setAt(d *Definition, at string, given bool) string {
	switch {
	case d.At == AtRecall:
		x, ok := decimal(at)
		if !ok || x > 1 {
			return "a recall from 0 to 1 stands behind the @, as in " + d.Name + "@0.1"
		}
		m.Recall = x
	case !given && d.At == AtRequired:
		return "it needs a cutoff, as in " + d.Name + "@10"
	case given && d.At == AtNone:
		return d.Name + " takes no cutoff"
	case given:
		n, ok := digits(at)
		if !ok || n < 1 || n > MaxMetricCutoff {
			return fmt.Sprintf("the cutoff is a whole number from 1 to %d", MaxMetricCutoff)
		}
		m.Cutoff = n
	}
	return ""
}

// digits reads a whole number without sign or leading zero.
func digits(s string) (n int, ok bool) {
	if len(s) > 7 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && strconv.Itoa(n) == s
}

// decimal reads a number of digits with at most one point.
func decimal(s string) (x float64, ok bool) {
	if s == "" || len(s) > 20 || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

// find looks a name up, aliases included; alias is the zero value where the name is the table's own.
func find(name string) (d *Definition, alias Alias, ok bool) {
	for i := range definitions {
		if definitions[i].Name == name {
			return &definitions[i], Alias{}, true
		}
		for _, a := range definitions[i].Aliases {
			if a.Name == name {
				return &definitions[i], a, true
			}
		}
	}
	return nil, Alias{}, false
}

// near names the measures that somebody who wrote this name may have meant, or all.
func near(name string) string {
	var close, all []string
	low := strings.ToLower(name)
	best := 2
	if len(low) <= 3 {
		best = len(low) / 2
	}
	for i := range definitions {
		d := &definitions[i]
		all = append(all, d.Name)
		nearest := distance(low, strings.ToLower(d.Name))
		for _, a := range d.Aliases {
			nearest = min(nearest, distance(low, strings.ToLower(a.Name)))
		}
		if nearest < best {
			best, close = nearest, nil
		}
		if nearest == best {
			close = append(close, d.Name)
		}
	}
	if len(close) > 0 {
		return "near it: " + strings.Join(close, ", ")
	}
	return "known are " + strings.Join(all, ", ")
}

// distance is the number of single characters to insert, delete or replace (Levenshtein 1966).
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Metric returns what an older name means: the same but for nDCG, whose gain is exponential there. ok is false for
// Coverage, which ir_measures has no name for.
func (m Measure) Metric() (metric Metric, ok bool) {
	d, _, ok := find(m.Family)
	if !ok {
		return Metric{}, false
	}
	metric = d.defaults()
	metric.Cutoff = m.Cutoff
	if m.Family == "nDCG" {
		metric.Gain = ExponentialGain
	} else {
		metric.Rel = m.Rel
	}
	return metric, true
}

// Measure is the inverse of Measure.Metric: the older type's measure that computes the metric over a judged pool; ok is false
// where it has none, as for the linear gain of nDCG or a metric without a cutoff.
func (m Metric) Measure() (old Measure, ok bool) {
	old = Measure{Family: m.Name, Rel: m.Rel, Cutoff: m.Cutoff}
	if _, known := old.Table(); !known || m.Cutoff < 1 || m.Cutoff > MaxCutoff {
		return Measure{}, false
	}
	same, ok := old.Metric()
	return old, ok && same == m
}
