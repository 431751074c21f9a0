// Package stats holds the statistics of paired comparisons: percentile and BCa bootstraps, sign-flip and allocation tests
// (drawn and exact), corrections for several tests, effect sizes; and the agreement of any number of assessors.
//
// Every function takes its random stream and draws from it in the stated order, because the number and order of draws
// are part of a study's rule. Sums of integer values are exact below 2^53, so a study whose values are multiples of a
// common fraction hands over the integers and the denominator.
package stats

import "retrace/core/exact"

// A Sample is a list of values over a common denominator: value i is Values[i]/Den. Den is 1 where the values are plain
// numbers, and never 0. All Values are finite.
type Sample struct {
	Values []float64
	Den    float64
}

// Mean returns the mean of the sample: the sum in order, divided once by n·Den. It is NaN for an empty sample, which
// has no mean; callers report that as undefined.
func (s Sample) Mean() float64 { return s.mean(exact.Sum(s.Values)) }

// mean turns a sum over as many values as the sample has into their mean.
func (s Sample) mean(sum float64) float64 { return sum / float64(float64(len(s.Values))*s.Den) }
