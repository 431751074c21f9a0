package walk

import (
	"retrace/core/collection"
	"retrace/core/rank"
)

// Typed spreads the mass of seeds over typed relations, one or two hops far, and keeps the paths.
//
// Mass m at a seed spreads over its arcs in proportion to their weights; a symmetric relation has an arc each way,
// parallel relations an arc each. A second hop spreads what the first delivered, halved, over the arcs that lead neither
// back to the seed nor to a document already on the path. Mass without a remaining arc is dropped. Sums run over seeds
// in rank order, then arcs in the relations' order, each path's first hop before its second ones.
type Typed struct {
	start []int32 // document -> first place in arcs; one more than there are documents
	arcs  []Arc
}

// An Arc is a relation seen from one end.
type Arc struct {
	To        int32
	Predicate int32
	Relation  int32 // place in the relations
	Backward  bool  // followed from target to source, as only symmetric relations are
}

// SecondHop is what a second hop's mass is multiplied by.
const SecondHop = 0.5

// NewTyped prepares walks over relations of a collection of n documents; symmetric says which predicates go both ways.
func NewTyped(n int, relations []collection.Relation, symmetric []bool) *Typed {
	w := &Typed{start: make([]int32, n+1)}
	each := func(yield func(from int, a Arc)) {
		for i, r := range relations {
			yield(r.Source, Arc{int32(r.Target), int32(r.Predicate), int32(i), false})
			if symmetric[r.Predicate] {
				yield(r.Target, Arc{int32(r.Source), int32(r.Predicate), int32(i), true})
			}
		}
	}
	each(func(from int, _ Arc) { w.start[from+1]++ })
	for d := range n {
		w.start[d+1] += w.start[d]
	}
	w.arcs = make([]Arc, w.start[n])
	place := make([]int32, n)
	copy(place, w.start)
	each(func(from int, a Arc) {
		w.arcs[place[from]] = a
		place[from]++
	})
	return w
}

// Arcs returns the arcs that leave a document, in the relations' order.
func (w *Typed) Arcs(doc int) []Arc { return w.arcs[w.start[doc]:w.start[doc+1]] }

// A Path leads from a seed to the document of its last arc and delivers mass there.
type Path struct {
	Seed rank.Hit
	Arcs [2]Arc
	Hops int // 1 or 2
	Mass float64
}

// End is the document that a path reaches.
func (p Path) End() int { return int(p.Arcs[p.Hops-1].To) }

// Run adds to into what every document receives. weights are those of the predicates, all positive.
func (w *Typed) Run(seeds []rank.Hit, weights []float64, hops int, into *rank.Scores) {
	w.Paths(seeds, weights, hops, func(p Path) { into.Add(int32(p.End()), p.Mass) })
}

// Paths yields every path, in the order in which Run adds their masses.
func (w *Typed) Paths(seeds []rank.Hit, weights []float64, hops int, yield func(Path)) {
	for _, seed := range seeds {
		arcs := w.Arcs(seed.Doc)
		total := 0.0
		for _, a := range arcs {
			total += weights[a.Predicate]
		}
		for _, a := range arcs {
			p := Path{Seed: seed, Arcs: [2]Arc{a}, Hops: 1, Mass: float64(seed.Score*weights[a.Predicate]) / total}
			yield(p)
			if hops < 2 {
				continue
			}
			next := w.Arcs(int(a.To))
			rest := 0.0
			for _, b := range next {
				if !onPath(p, b) {
					rest += weights[b.Predicate]
				}
			}
			for _, b := range next {
				if !onPath(p, b) {
					yield(Path{Seed: seed, Arcs: [2]Arc{a, b}, Hops: 2, Mass: float64(float64(SecondHop*p.Mass)*weights[b.Predicate]) / rest})
				}
			}
		}
	}
}

// onPath reports whether an arc leads to a document that a path of one hop has visited.
func onPath(p Path, a Arc) bool { return int(a.To) == p.Seed.Doc || a.To == p.Arcs[0].To }
