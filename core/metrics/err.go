package metrics

import (
	"fmt"
	"math"
)

// Expected reciprocal rank (Chapelle et al. 2009, equation 4 and algorithm 2): a document of grade g satisfies with
// probability (2^g − 1)/2^max, and then the reader stops. max, the highest grade of the scale, is 4 as in TREC's gdeval.pl
// and so in ir_measures, unless the name says another; a higher grade is an error.
//
// Ties: exchanging two neighbours at ranks i and i+1 changes the sum by the difference of their probabilities times
// 1/i − 1/(i+1), and nothing below them, so that the higher grade belongs first; at the cutoff likewise. Empty ranking: 0.
// Always defined: it is not divided by what could have been reached.
func errOf(l *List, m Metric) (value float64, defined bool, err error) {
	sum, reached := 0.0, 1.0
	for i, g := range l.top(m) {
		if g <= 0 {
			continue
		}
		if g > Whole(m.Max) {
			return 0, false, fmt.Errorf("metrics: %s: grade %v is above the scale's highest, %d: write ERR(max=…) with the highest grade",
				m, g.Float(), m.Max)
		}
		satisfied := math.Ldexp(gain(g), -m.Max)
		sum += float64(float64(reached*satisfied) / float64(i+1))
		reached = float64(reached * (1 - satisfied))
	}
	return sum, true, nil
}
