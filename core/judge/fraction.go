package judge

import "errors"

// A Fraction is an exact share.
type Fraction struct{ Num, Den int64 } // Den > 0

// Float returns the fraction, rounded once.
func (f Fraction) Float() float64 { return float64(f.Num) / float64(f.Den) }

// Equal reports whether two fractions have the same value.
func (f Fraction) Equal(g Fraction) bool { return f.Num*g.Den == g.Num*f.Den }

// Common returns the numerators of the fractions over their least common denominator, all exact in float64: the form
// that stats.Sample takes. Denominators whose common multiple leaves the exact range are an error.
func Common(fractions []Fraction) (nums []float64, den float64, err error) {
	d := int64(1)
	for _, f := range fractions {
		if f.Den < 1 || f.Den > 1<<20 {
			return nil, 0, errors.New("judge: a denominator below 1 or above 2^20")
		}
		if d = d / gcd(d, f.Den) * f.Den; d > 1<<40 {
			return nil, 0, errors.New("judge: the common denominator is above 2^40: use plain numbers")
		}
	}
	nums = make([]float64, len(fractions))
	for i, f := range fractions {
		factor := d / f.Den
		if f.Num > (1<<52)/factor || f.Num < -(1<<52)/factor {
			return nil, 0, errors.New("judge: a numerator beyond 2^52 over the common denominator: use plain numbers")
		}
		nums[i] = float64(f.Num * factor)
	}
	return nums, float64(d), nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
