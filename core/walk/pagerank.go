// Package walk spreads the mass of a question's best documents over a graph: personalised PageRank, and typed walks
// that keep their paths.
package walk

import (
	"retrace/core/graph"
	"retrace/core/rank"
)

// Lanes is how many questions a walk handles at once: reading a neighbour list serves them all. Each lane's arithmetic
// is the same as if it ran alone.
const Lanes = 4

// PageRank is the personalised-PageRank walk (Haveliwala, 2002) with a fixed number of steps:
//
//	x₀ = s;  x ← (1−α)·(W·x + d·s) + α·s
//
// where s are the seeds (mass 1 in all), α the teleport probability, W[u,v] = 1/degree(v) for each neighbour u of v, and
// d the mass on nodes without neighbours, which returns to the seeds. W's entries are rounded first; a node's sum runs
// over its neighbours in ascending order; d is summed over nodes in ascending order.
type PageRank struct {
	in       *graph.Graph // incoming neighbours: whose mass a node receives
	inverse  []float64    // 1/degree of each node, 0 without neighbours
	dangling []int32      // nodes without neighbours
	x, y     [][Lanes]float64
}

// NewPageRank prepares walks over a graph.
func NewPageRank(g *graph.Graph) *PageRank {
	w := &PageRank{in: graph.Transpose(g), inverse: make([]float64, g.N()), x: make([][Lanes]float64, g.N()), y: make([][Lanes]float64, g.N())}
	for v := range w.inverse {
		if k := g.Degree(v); k > 0 {
			w.inverse[v] = 1 / float64(k)
		} else {
			w.dangling = append(w.dangling, int32(v))
		}
	}
	return w
}

// Run sets into[i] to the walk's mass from seeds[i], for at most Lanes questions. A question without seeds gets no mass.
func (w *PageRank) Run(seeds [][]rank.Hit, teleport float64, steps int, into []*rank.Scores) {
	clear(w.x)
	for lane, hits := range seeds {
		for _, h := range hits {
			w.x[h.Doc][lane] = h.Score
		}
	}
	stay := 1 - teleport
	for range steps {
		for v := range w.y {
			k, x := w.inverse[v], &w.x[v]
			w.y[v] = [Lanes]float64{x[0] * k, x[1] * k, x[2] * k, x[3] * k}
		}
		var lost [Lanes]float64
		for _, v := range w.dangling {
			for lane := range lost {
				lost[lane] += w.x[v][lane]
			}
		}
		for u := range w.x {
			var a, b, c, d float64
			for _, v := range w.in.Neighbours(u) {
				y := &w.y[v]
				a += y[0]
				b += y[1]
				c += y[2]
				d += y[3]
			}
			w.x[u] = [Lanes]float64{a, b, c, d}
		}
		// Only seeds receive returned and teleported mass, so the rest is scaled alone: a sum with zero changes no bit.
		type received struct {
			lane int
			doc  int
			mass float64
		}
		var back []received
		for lane, hits := range seeds {
			for _, h := range hits {
				mass := float64(stay*(w.x[h.Doc][lane]+float64(lost[lane]*h.Score))) + float64(teleport*h.Score)
				back = append(back, received{lane, h.Doc, mass})
			}
		}
		for u := range w.x {
			x := &w.x[u]
			w.x[u] = [Lanes]float64{stay * x[0], stay * x[1], stay * x[2], stay * x[3]}
		}
		for _, r := range back {
			w.x[r.doc][r.lane] = r.mass
		}
	}
	for lane := range seeds {
		into[lane].Reset()
		for u := range w.x {
			if x := w.x[u][lane]; x != 0 {
				into[lane].Add(int32(u), x)
			}
		}
	}
}
