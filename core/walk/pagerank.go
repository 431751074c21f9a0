// Package walk spreads the mass of a question's best documents over a graph: personalised PageRank, and typed walks
// that keep their paths.
package walk

import (
	"retrace/core/graph"
	"retrace/core/rank"
)

// Lanes is how many questions a walk handles at once: reading a neighbour list serves them all, and their masses at a
// node share a cache line. Each lane's arithmetic is the same as if it ran alone.
const Lanes = 8

type lanes [Lanes]float64

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
	x        []lanes      // mass; up to date for dangling nodes after each step, for all after the last
	y, next  []lanes      // x · inverse: what each neighbour receives
}

// NewPageRank prepares walks over a graph.
func NewPageRank(g *graph.Graph) *PageRank {
	n := g.N()
	w := &PageRank{in: graph.Transpose(g), inverse: make([]float64, n), x: make([]lanes, n), y: make([]lanes, n), next: make([]lanes, n)}
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
	clear(w.y)
	for lane, hits := range seeds {
		for _, h := range hits {
			w.set(lane, h.Doc, h.Score)
		}
	}
	stay := 1 - teleport
	for step := range steps {
		var lost lanes
		for _, v := range w.dangling {
			for lane := range lost {
				lost[lane] += w.x[v][lane]
			}
		}
		w.spread(stay, step == steps-1)
		// Only seeds receive returned and teleported mass; for every other node the two terms are zero and change no bit.
		for lane, hits := range seeds {
			for _, h := range hits {
				received := 0.0
				for _, v := range w.in.Neighbours(h.Doc) {
					received += w.y[v][lane]
				}
				mass := float64(stay*(received+float64(lost[lane]*h.Score))) + float64(teleport*h.Score)
				w.x[h.Doc][lane] = mass
				w.next[h.Doc][lane] = float64(mass * w.inverse[h.Doc])
			}
		}
		w.y, w.next = w.next, w.y
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

func (w *PageRank) set(lane, node int, mass float64) {
	w.x[node][lane] = mass
	w.y[node][lane] = float64(mass * w.inverse[node])
}

// spread is one step without what only seeds receive: each node gets (1−α) of its neighbours' shares. Mass itself is
// written where it is read: at dangling nodes, and everywhere in the last step.
func (w *PageRank) spread(stay float64, last bool) {
	y := w.y
	for u := range w.next {
		var a, b, c, d, e, f, g, h float64
		for _, v := range w.in.Neighbours(u) {
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
		a, b, c, d = float64(stay*a), float64(stay*b), float64(stay*c), float64(stay*d)
		e, f, g, h = float64(stay*e), float64(stay*f), float64(stay*g), float64(stay*h)
		k := w.inverse[u]
		if last || k == 0 {
			w.x[u] = lanes{a, b, c, d, e, f, g, h}
		}
		w.next[u] = lanes{float64(a * k), float64(b * k), float64(c * k), float64(d * k), float64(e * k), float64(f * k), float64(g * k), float64(h * k)}
	}
}
