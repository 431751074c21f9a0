// Package show formats the numbers of results for people. It is the only place that rounds: a page shows these texts.
package show

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"retrace/core/numpath"
)

// A Number is one number of results: where it stands, unrounded as in the canonical JSON, and as people read it.
type Number struct {
	Path  string `json:"path"`
	Value string `json:"value"` // canonical JSON
	Text  string `json:"text"`
}

// A Style is how a number of results is written. Results declare it for each of their numbers (study.Row).
type Style int

const (
	Plain   Style = iota // shortest form: settings, seeds
	Integer              // counts: thousands apart
	Measure              // a share, a mean or a score: four decimals
	Change               // a difference of two: four decimals and a sign
	P                    // a probability: four decimals, or a power of ten
)

// Text writes a number in a style.
func (s Style) Text(x float64) string {
	switch s {
	case Integer:
		if math.Abs(x) >= 1<<53 { // beyond what float64 counts one by one, and maybe beyond int64
			return minus(strconv.FormatFloat(x, 'g', -1, 64))
		}
		return Count(int64(x))
	case Measure:
		return Share(x)
	case Change:
		return Signed(x)
	case P:
		return Chance(x)
	}
	return minus(strconv.FormatFloat(x+0, 'f', -1, 64))
}

// IsMetric reports whether the number at a path of results is a share, a mean or a difference of two: what a small
// change of the rankings changes a little. Counts, settings and probabilities are not; nor are numbers of single items,
// which stand at places of a list.
func (s Style) IsMetric(path string) bool {
	keys, err := numpath.Split(path)
	if err != nil {
		return false
	}
	for _, k := range keys {
		if _, err := strconv.Atoi(k); err == nil {
			return false
		}
	}
	return s == Change || s == Measure
}

// Share writes four decimals; what rounds to zero from below but isn't zero keeps its sign.
func Share(x float64) string { return minus(strconv.FormatFloat(x+0, 'f', 4, 64)) } // −0 + 0 is 0

// Signed writes four decimals and a sign; what rounds to zero but isn't keeps its sign.
func Signed(x float64) string {
	if x == 0 {
		return "0.0000"
	}
	if x > 0 {
		return "+" + Share(x)
	}
	return Share(x)
}

// Chance writes a probability with four decimals, below 0.0001 as a power of ten.
func Chance(x float64) string {
	if x > 0 && x < 0.0001 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e")
		n, _ := strconv.Atoi(exponent)
		return mantissa + " × 10" + superscript(n)
	}
	return Share(x)
}

func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}

// Count writes an integer with narrow no-break spaces between thousands, from 10 000 on and at 1 000 alike.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Score writes the score of a ranking with four significant decimals, as lists show it.
func Score(x float64) string { return Share(x) }

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// Numbers lists every number of results (canonical JSON), in the order in which they stand there, each written in the
// style of its path.
func Numbers(results []byte, style func(path string) Style) ([]Number, error) {
	d := json.NewDecoder(bytes.NewReader(results))
	d.UseNumber()
	var list []Number
	var walk func(path string) error
	walk = func(path string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case json.Number:
			x, err := t.Float64()
			if err != nil {
				return err
			}
			list = append(list, Number{path, t.String(), style(path).Text(x)})
		case json.Delim:
			for i := 0; d.More(); i++ {
				key := strconv.Itoa(i)
				if t == '{' {
					token, err := d.Token()
					if err != nil {
						return err
					}
					key = token.(string)
				}
				if err := walk(numpath.Join(path, key)); err != nil {
					return err
				}
			}
			_, err := d.Token()
			return err
		}
		return nil
	}
	return list, walk("")
}
