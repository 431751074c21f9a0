package stats

import (
	"fmt"
	"math"

	"retrace/core/exact"
)

// A Table holds many systems' values on the same topics, for resamplings that draw a topic for all systems at once, and
// that may be spread over any number of processors: every replicate has a random stream of its own, so that its figures
// depend on its number alone.
//
// These are other draws than Bootstrap's and SignFlip's, which take one stream for all replicates: the rule that a study
// names decides which it uses.
type Table struct {
	topics, systems, stride int
	values                  []float64 // by topic, then system; a row is filled up with zeros to a multiple of lanes
	den                     float64
}

// lanes is how many systems are added up side by side: one sum alone waits for each addition.
const lanes = 8

// maxTopics keeps a topic's number within half a random word.
const maxTopics = 1 << 31

// NewTable returns the table of values over den, as in Sample: values[t·systems + s] is system s on topic t.
func NewTable(systems int, values []float64, den float64) (*Table, error) {
	if systems < 1 || len(values) == 0 || len(values)%systems != 0 || len(values)/systems > maxTopics {
		return nil, fmt.Errorf("stats: %d values of %d systems: every topic needs a value of every system", len(values), systems)
	}
	if !(den > 0) || math.IsInf(den, 1) {
		return nil, fmt.Errorf("stats: denominator %v: it must be positive", den)
	}
	t := &Table{topics: len(values) / systems, systems: systems, stride: (systems + lanes - 1) / lanes * lanes, den: den}
	t.values = make([]float64, t.topics*t.stride)
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("stats: topic %d, system %d: %v: values must be finite", i/systems, i%systems, v)
		}
		t.values[i/systems*t.stride+i%systems] = v
	}
	return t, nil
}

// Systems returns the number of systems.
func (t *Table) Systems() int { return t.systems }

// replicateStream returns the stream of replicate r: number stream·2³² + r under the seed, so that stream 1 and above keep
// clear of the streams that studies number from 0.
func replicateStream(seed, stream uint64, r int) *exact.Stream {
	return exact.NewStream(seed, stream<<32+uint64(uint32(r)))
}

// Bootstrap returns the means of bootstrap replicates from first to last−1, by replicate and system (Efron 1979). A
// replicate draws as many topics as there are, with replacement, and adds the values drawn in that order, divided once by
// n·den.
//
// Each Uint64 of the replicate's stream gives two draws, the low 32 bits before the high: x·n/2³², where x·n mod 2³² below
// 2³² mod n rejects x (Lemire 2019, doi:10.1145/3230636).
func (t *Table) Bootstrap(first, last int, seed, stream uint64) []float64 {
	return t.replicate(first, last, func(r int) func(rows []uint32) {
		src := replicateStream(seed, stream, r)
		n := uint64(t.topics)
		threshold := (1 << 32) % n
		word, left := uint64(0), 0
		return func(rows []uint32) {
			for i := 0; i < len(rows); {
				if left == 0 {
					word, left = src.Uint64(), 2
				}
				product := (word & (1<<32 - 1)) * n
				word >>= 32
				left--
				if product&(1<<32-1) >= threshold {
					rows[i] = uint32(product >> 32)
					i++
				}
			}
		}
	}, func(sums *[lanes]float64, rows []uint32, lane int) { t.addRows(sums, rows, lane) })
}

// chunk is how many topics are drawn at a time: their rows stay in the nearest cache while all lanes are added.
const chunk = 256

// replicate adds up, for each replicate, a row a topic in the order in which draw gives them.
func (t *Table) replicate(first, last int, draw func(r int) func(rows []uint32), add func(*[lanes]float64, []uint32, int)) []float64 {
	if first >= last {
		return nil
	}
	means := make([]float64, 0, (last-first)*t.systems)
	divisor := float64(float64(t.topics) * t.den)
	sums := make([][lanes]float64, t.stride/lanes)
	var rows [chunk]uint32
	for r := first; r < last; r++ {
		clear(sums)
		next := draw(r)
		for left := t.topics; left > 0; left -= chunk {
			some := rows[:min(left, chunk)]
			next(some)
			for lane := range sums {
				add(&sums[lane], some, lane*lanes)
			}
		}
		for s := range t.systems {
			means = append(means, sums[s/lanes][s%lanes]/divisor)
		}
	}
	return means
}

// addRows adds eight systems' values of some topics.
func (t *Table) addRows(sums *[lanes]float64, rows []uint32, lane int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for _, row := range rows {
		at := int(row)*t.stride + lane
		v := (*[lanes]float64)(t.values[at : at+lanes])
		s0 += v[0]
		s1 += v[1]
		s2 += v[2]
		s3 += v[3]
		s4 += v[4]
		s5 += v[5]
		s6 += v[6]
		s7 += v[7]
	}
	*sums = [lanes]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// flip is the bit of a drawn row that says that its signs are changed.
const flip = 1 << 31

// SignFlip returns the means of sign-flip replicates from first to last−1, by replicate and system, where the systems'
// values are differences (Fisher 1935): topics in order, the signs of all systems of a topic changed together or not. Each
// Uint64 of the replicate's stream gives 64 topics' bits from the lowest up; 1 changes the signs.
func (t *Table) SignFlip(first, last int, seed, stream uint64) []float64 {
	return t.replicate(first, last, func(r int) func(rows []uint32) {
		src := replicateStream(seed, stream, r)
		topic, word := uint32(0), uint64(0)
		return func(rows []uint32) {
			for i := range rows {
				if topic%64 == 0 {
					word = src.Uint64()
				}
				rows[i] = topic | uint32(word&1)<<31
				word >>= 1
				topic++
			}
		}
	}, t.addSigned)
}

// addSigned is addRows with signs: a changed sign is the flipped bit of a float64, which is exact.
func (t *Table) addSigned(sums *[lanes]float64, rows []uint32, lane int) {
	s := *sums
	for _, row := range rows {
		at := int(row&^flip)*t.stride + lane
		v := (*[lanes]float64)(t.values[at : at+lanes])
		sign := uint64(row&flip) << 32
		for i := range s {
			s[i] += math.Float64frombits(math.Float64bits(v[i]) ^ sign)
		}
	}
	*sums = s
}

// Observed returns the systems' means: values added in the topics' order.
func (t *Table) Observed() []float64 {
	return t.replicate(0, 1, func(int) func(rows []uint32) {
		topic := uint32(0)
		return func(rows []uint32) {
			for i := range rows {
				rows[i] = topic
				topic++
			}
		}
	}, t.addRows)
}

// AsExtreme counts, for each system, the sign-flip replicates with |mean| ≥ |observed|, ties within 1e-12 relative included,
// as FlipTest does; p is (1 + count)/(1 + replicates).
func (t *Table) AsExtreme(observed, replicates []float64) []int {
	counts := make([]int, t.systems)
	for i, x := range replicates {
		if s := i % t.systems; atLeastAsExtreme(x, observed[s]) {
			counts[s]++
		}
	}
	return counts
}
