// Package walk spreads the mass of a question's best documents over a graph: personalised PageRank, and typed walks
// that keep their paths.
package walk

import (
	"cmp"
	"slices"

	"retrace/core/graph"
	"retrace/core/order"
	"retrace/core/rank"
)

// Lanes is how many questions a walk handles at once: reading a neighbour list serves them all, and their masses at a
// node share a cache line. Each lane's arithmetic is the same as if it ran alone.
const Lanes = 8

// A Mass is what a node has of each lane's mass.
type Mass [Lanes]float64

// PageRank is the personalised-PageRank walk (Haveliwala, 2002) with a fixed number of steps:
//
//	x₀ = s;  x ← (1−α)·(W·x + d·s) + α·s
//
// where s are the seeds (mass 1 in all), α the teleport probability, W[u,v] = 1/degree(v) for each neighbour u of v, and
// d the mass on nodes without neighbours, which returns to the seeds. W's entries are rounded first; a node's sum runs
// over its neighbours in ascending order; d is summed over nodes in ascending order.
type PageRank struct {
	// Nodes stand in an order of their own, ascending in how many neighbours they receive from: a loop that runs as often as
	// the one before it is predicted by the processor. The sum of a node still runs over its neighbours in ascending order of
	// their numbers, so that no bit depends on this order.
	place    []int32   // of a node, by its number
	start    []int32   // place -> first of its neighbours in from; one more than there are nodes
	from     []int32   // places of incoming neighbours: whose mass a node receives
	share    []float64 // what each neighbour receives of a mass: 1/degree of the node at each place; 1 without neighbours
	ones     []float64
	dangling []int32 // places of nodes without neighbours, ascending in their numbers
	y, next  []Mass  // mass · share

	Spread Spread // nil for plain Go
}

// A Spread is one step of a walk without what only seeds receive: each place gets (1−α) of what its neighbours share, in
// their order, times its own share. A host may have one for its processor, with the same bits.
//
// start and from are read without a check of what they hold: they are the walk's own.
type Spread func(next, y []Mass, start, from []int32, share []float64, stay float64)

// NewPageRank prepares walks over a graph.
func NewPageRank(g *graph.Graph) *PageRank {
	n, in := g.N(), graph.Transpose(g)
	w := &PageRank{place: make([]int32, n), start: make([]int32, 0, n+1), share: make([]float64, n),
		ones: slices.Repeat([]float64{1}, n), y: make([]Mass, n), next: make([]Mass, n)}
	nodes := make([]int, n)
	for v := range nodes {
		nodes[v] = v
	}
	order.Sort(nodes, func(a, b int) int { return cmp.Or(in.Degree(a)-in.Degree(b), a-b) })
	for p, v := range nodes {
		w.place[v] = int32(p)
	}
	for _, v := range nodes {
		w.start = append(w.start, int32(len(w.from)))
		for _, u := range in.Neighbours(v) {
			w.from = append(w.from, w.place[u])
		}
	}
	w.start = append(w.start, int32(len(w.from)))
	for v, p := range w.place {
		if k := g.Degree(v); k > 0 {
			w.share[p] = 1 / float64(k)
		} else {
			w.share[p] = 1 // nobody reads it but the sum of what is lost
			w.dangling = append(w.dangling, p)
		}
	}
	return w
}

// neighbours returns the places whose mass the node at a place receives, in ascending order of their nodes' numbers.
func (w *PageRank) neighbours(place int32) []int32 { return w.from[w.start[place]:w.start[place+1]] }

// Run sets into[i] to the walk's mass from seeds[i], for at most Lanes questions. A question without seeds gets no mass.
func (w *PageRank) Run(seeds [][]rank.Hit, teleport float64, steps int, into []*rank.Scores) {
	clear(w.y)
	spread, share := w.Spread, w.share
	if spread == nil {
		spread = plain
	}
	if steps == 0 {
		share = w.ones
	}
	for lane, hits := range seeds {
		for _, h := range hits {
			p := w.place[h.Doc]
			w.y[p][lane] = float64(h.Score * share[p])
		}
	}
	stay := 1 - teleport
	for step := range steps {
		var lost Mass
		for _, v := range w.dangling {
			for lane := range lost {
				lost[lane] += w.y[v][lane]
			}
		}
		if step == steps-1 {
			share = w.ones // what is left is mass
		}
		spread(w.next, w.y, w.start, w.from, share, stay)
		// Only seeds receive returned and teleported mass; for every other node the two terms are zero and change no bit.
		for lane, hits := range seeds {
			for _, h := range hits {
				p := w.place[h.Doc]
				received := 0.0
				for _, v := range w.neighbours(p) {
					received += w.y[v][lane]
				}
				mass := float64(stay*(received+float64(lost[lane]*h.Score))) + float64(teleport*h.Score)
				w.next[p][lane] = float64(mass * share[p])
			}
		}
		w.y, w.next = w.next, w.y
	}
	for lane := range seeds {
		into[lane].Reset()
	}
	for u, p := range w.place {
		for lane, x := range w.y[p][:len(seeds)] {
			if x != 0 {
				into[lane].Add(int32(u), x)
			}
		}
	}
}

// plain is a Spread in Go.
func plain(next, y []Mass, start, from []int32, share []float64, stay float64) {
	for u := range next {
		var a, b, c, d, e, f, g, h float64
		for _, v := range from[start[u]:start[u+1]] {
			p := &y[v]
			a += p[0]
			b += p[1]
			c += p[2]
			d += p[3]
			e += p[4]
			f += p[5]
			g += p[6]
			h += p[7]
		}
		k := share[u]
		next[u] = Mass{float64(float64(stay*a) * k), float64(float64(stay*b) * k), float64(float64(stay*c) * k), float64(float64(stay*d) * k),
			float64(float64(stay*e) * k), float64(float64(stay*f) * k), float64(float64(stay*g) * k), float64(float64(stay*h) * k)}
	}
}
