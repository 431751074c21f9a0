package study

import (
	"fmt"
	"slices"

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
func ParseMeasures(specs []MeasureSpec, reserved ...string) ([]metrics.Measure, error) {
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
		if list[i], err = metrics.Parse(s.Measure); err != nil {
			return nil, err
		}
	}
	return list, nil
}
