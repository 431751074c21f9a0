package rank

import "math"

// RRF fuses rankings by reciprocal rank: the score of a document is the sum, over the rankings in the order given, of
// 1/(k + rank), over each ranking's ranked documents only (Cormack, Clarke and Büttcher, SIGIR 2009, section 2).
// Each ranking may be cut to its first depth places; 0 means all.
func RRF(into *Scores, k float64, rankings ...[]Hit) {
	for _, ranking := range rankings {
		for i, hit := range ranking {
			into.Add(int32(hit.Doc), ReciprocalRank(k, i+1))
		}
	}
}

// ReciprocalRank is one ranking's share of a fused score: 1/(k + rank).
func ReciprocalRank(k float64, rank int) float64 { return 1 / (k + float64(rank)) }

// Blend sets into to (1−weight)·base/max(base) + weight·signal/max(signal), the signal's part only where the signal has
// a positive maximum; documents that only the signal reaches are ranked too. The maximum is over all of base's values.
// Where base ranks every document, so does the blend.
func Blend(into, base, signal *Scores, weight float64) {
	baseTop, signalTop := base.Max(), signal.Max()
	if signalTop <= 0 || baseTop <= 0 {
		into.Copy(base)
		return
	}
	into.All = base.All
	set := func(d int) {
		x := Blended(base.Value[d], baseTop, signal.Value[d], signalTop, weight)
		if into.Value[d] = x; x != 0 && !into.All {
			into.Touched = append(into.Touched, int32(d))
		}
	}
	if base.All {
		for d := range base.Value {
			set(d)
		}
		return
	}
	for _, d := range base.Touched {
		if base.Value[d] != 0 { // else it is met among the signal's
			set(int(d))
		}
	}
	for _, d := range signal.Touched {
		if base.Value[d] == 0 {
			set(int(d))
		}
	}
}

// Blended is the blend of one document: (1−weight)·base/baseTop + weight·signal/signalTop.
func Blended(base, baseTop, signal, signalTop, weight float64) float64 {
	if base == 0 { // most documents of a blend: adding zero changes no bit
		return float64(weight * (signal / signalTop))
	}
	return float64((1-weight)*(base/baseTop)) + float64(weight*(signal/signalTop))
}

// Max returns the highest score among ranked documents, −Inf where there is none.
func (s *Scores) Max() float64 {
	top := math.Inf(-1)
	if s.All {
		for _, x := range s.Value {
			if x > top { // the builtin max is a call under WebAssembly
				top = x
			}
		}
		return top
	}
	for _, d := range s.Touched {
		if x := s.Value[d]; x > 0 && x > top {
			top = x
		}
	}
	return top
}

// Copy makes s equal to t.
func (s *Scores) Copy(t *Scores) {
	s.Reset()
	if t.All {
		copy(s.Value, t.Value)
		s.All = true
		return
	}
	for _, d := range t.Touched {
		if t.Value[d] != 0 {
			s.Add(d, t.Value[d])
		}
	}
}

// Seeds returns the n best positive scores normalised to sum 1: the mass is score/sum, the sum taken in rank order.
func (s *Scores) Seeds(n int) []Hit {
	best := s.Best(n)
	for len(best) > 0 && best[len(best)-1].Score <= 0 {
		best = best[:len(best)-1]
	}
	sum := 0.0
	for _, h := range best {
		sum += h.Score
	}
	seeds := make([]Hit, len(best))
	for i, h := range best {
		seeds[i] = Hit{h.Doc, h.Score / sum}
	}
	return seeds
}
