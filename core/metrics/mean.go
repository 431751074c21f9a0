package metrics

import "fmt"

// A MeanRule says which topics a figure over topics is of.
type MeanRule string

// The mean rules.
const (
	// Complete takes every topic of the judgements; one that the run lacks counts as an empty ranking, and a measure that
	// is undefined for a topic counts as 0: trec_eval's -c.
	Complete MeanRule = "complete"
	// Returned takes the topics that judgements and run share; undefined counts as 0: trec_eval without -c.
	Returned MeanRule = "returned"
	// Defined takes every topic of the judgements for which the measure is defined; a topic that the run lacks counts as
	// an empty ranking.
	Defined MeanRule = "defined"
)

// ParseMeanRule reads a rule's name.
func ParseMeanRule(name string) (MeanRule, error) {
	switch r := MeanRule(name); r {
	case Complete, Returned, Defined:
		return r, nil
	}
	return "", fmt.Errorf("metrics: mean rule %.40q: it is complete, returned or defined", name)
}

// A Value is a metric's value for one topic of the judgements.
type Value struct {
	Value    float64
	Defined  bool
	Returned bool // the run holds the topic
}

// Takes reports whether a figure over topics takes this topic in.
func (r MeanRule) Takes(v Value) bool {
	switch r {
	case Returned:
		return v.Returned
	case Defined:
		return v.Defined
	}
	return true
}

// Over returns the figure over topics: the mean, or for counts the sum, of the values that the rule takes, added in the
// order given (by topic ID bytewise, where it is to equal trec_eval's). topics is how many were taken; a mean over none
// is 0, which callers report as undefined.
func (m Metric) Over(values []Value, rule MeanRule) (figure float64, topics int) {
	sum := 0.0
	for _, v := range values {
		if rule.Takes(v) {
			topics++
			sum += v.Value
		}
	}
	if d, ok := m.Definition(); topics == 0 || ok && d.Sum {
		return sum, topics
	}
	return sum / float64(topics), topics
}
