package metrics

import (
	"slices"
	"testing"
)

// A measure is a row of the table and its function: with these it parses, prints, computes and has its tie band. It asks
// whether the last of the places looked at holds a relevant document.
func TestAMeasureOfOnesOwn(t *testing.T) {
	table := definitions
	t.Cleanup(func() { definitions = table })
	definitions = append(slices.Clone(table), Definition{
		Name: "Last", Title: "last place", Text: "1 if place k holds a relevant document, else 0.",
		Formula: "Last@k = [grade(d_k) ≥ rel]", Undefined: "never", Citation: "made up for this test",
		Parameters: []string{"rel"}, Rel: 1, At: AtRequired,
		compute: func(l *List, m Metric) (value float64, defined bool, err error) {
			ranked := l.top(m)
			if len(ranked) < m.Cutoff || ranked[m.Cutoff-1] < Whole(m.Rel) {
				return 0, true, nil
			}
			return 1, true, nil
		},
	})
	m, err := ParseMetric("Last(rel=2)@3")
	if err != nil || m.String() != "Last(rel=2)@3" {
		t.Fatalf("%v, %v", m, err)
	}
	l, err := NewList([]Grade{Whole(2), Whole(0), Whole(2)}, nil, []Grade{Whole(2), Whole(0), Whole(2)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if value, defined, err := m.Compute(l); value != 1 || !defined || err != nil {
		t.Errorf("%v, %v, %v", value, defined, err)
	}
}
