package study

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/metrics"
	"retrace/core/verdict"
)

// A MeasureSpec gives a measure its key in results.
type MeasureSpec struct {
	Key     string `json:"key"`
	Measure string `json:"measure"`         // canonical name, such as RR@3
	Label   string `json:"label,omitempty"` // as people say it, where that isn't the measure's own name: Useful precision@5
}

// Spoken names the measure for people.
func (m MeasureSpec) Spoken() string {
	if m.Label != "" {
		return m.Label
	}
	return verdict.Measure(m.Measure)
}

// Always reports whether the measure has a value where nothing is relevant.
func (m MeasureSpec) Always() bool {
	parsed, err := metrics.Parse(m.Measure)
	f, ok := parsed.Table()
	return err == nil && ok && f.Undefined == "never"
}

// MaxMeasures bounds the measures of a study.
const MaxMeasures = 32

// ParseMeasures reads a design's list of measures; reserved keys stand beside measures in its results.
func (p *Protocol) ParseMeasures(specs []MeasureSpec, reserved ...string) ([]metrics.Measure, error) {
	if len(specs) == 0 || len(specs) > MaxMeasures {
		return nil, fmt.Errorf("measures: between 1 and %d", MaxMeasures)
	}
	list := make([]metrics.Measure, len(specs))
	seen := map[string]bool{}
	for i, s := range specs {
		if !Named(s.Key) || seen[s.Key] || slices.Contains(reserved, s.Key) {
			return nil, fmt.Errorf("measures: key %q is malformed, reserved or used twice", s.Key)
		}
		seen[s.Key] = true
		var err error
		if list[i], err = p.ParseMeasure(s.Measure); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ParseMeasure reads a measure's name: as ir_measures writes it, with its variants spelt out; in format 1 as Measure.String
// writes it, where nDCG has the exponential gain.
func (p *Protocol) ParseMeasure(name string) (metrics.Measure, error) {
	old, oldErr := metrics.Parse(name)
	if p.Format == Format1 || oldErr == nil && old.Family == "Coverage" { // which ir_measures hasn't
		return old, oldErr
	}
	m, err := metrics.ParseMetric(name)
	if err != nil {
		return old, err
	}
	measure, ok := m.Measure()
	switch {
	case ok:
		return measure, nil
	case m.Name == "nDCG" && m.Gain == metrics.LinearGain:
		return measure, fmt.Errorf("measure %s: a judged pool is measured with exponential gain: write nDCG(dcg='exp-log2')@%d", name, max(m.Cutoff, 1))
	}
	return measure, fmt.Errorf("measure %s: not over a judged pool; what is: %s", name, strings.Join(poolMeasures(), ", "))
}

// poolMeasures names the measures that designs with a judged pool compute, each at 5.
func poolMeasures() (names []string) {
	for _, f := range metrics.Families() {
		m := metrics.Measure{Family: f.Name, Cutoff: 5}
		if f.Rel {
			m.Rel = 1
		}
		names = append(names, MeasureName(m))
	}
	return names
}

// MeasureName is the name of a measure as ir_measures writes it, where it has the measure.
func MeasureName(m metrics.Measure) string {
	if x, ok := m.Metric(); ok {
		return x.String()
	}
	return m.String()
}
