// Package graph holds neighbourhoods of documents: projection of links, diagnostics and degree-preserving rewiring.
package graph

import (
	"slices"

	"retrace/core/collection"
	"retrace/core/exact"
)

// A Graph lists each node's neighbours in ascending order, without repetition and without the node itself.
type Graph struct {
	start []int32 // node -> first place in to; one more than there are nodes
	to    []int32
}

// An Edge is an unordered pair of nodes, the smaller first.
type Edge struct{ A, B int32 }

// N returns the number of nodes.
func (g *Graph) N() int { return len(g.start) - 1 }

// Neighbours returns the nodes that a node's mass goes to, ascending.
func (g *Graph) Neighbours(node int) []int32 { return g.to[g.start[node]:g.start[node+1]] }

// Degree returns the number of a node's neighbours.
func (g *Graph) Degree(node int) int { return int(g.start[node+1] - g.start[node]) }

// fromArcs builds a graph from arcs that may repeat; self-loops are dropped.
func fromArcs(n int, arcs []Edge) *Graph {
	g := &Graph{start: make([]int32, n+1), to: make([]int32, len(arcs))}
	for _, a := range arcs {
		g.start[a.A+1]++
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	next := slices.Clone(g.start)
	for _, a := range arcs {
		g.to[next[a.A]] = a.B
		next[a.A]++
	}
	// Sort each list, and close the gaps that repetitions and self-loops leave.
	kept := int32(0)
	for v := range n {
		list := g.to[g.start[v]:next[v]]
		slices.Sort(list)
		g.start[v] = kept
		for i, u := range list {
			if u != int32(v) && (i == 0 || u != list[i-1]) {
				g.to[kept] = u
				kept++
			}
		}
	}
	g.start[n] = kept
	g.to = g.to[:kept:kept]
	return g
}

// Directed returns the graph of the distinct stored links: outgoing neighbours, no self-loops.
func Directed(n int, links []collection.Link) *Graph {
	arcs := make([]Edge, 0, len(links))
	for _, l := range links {
		arcs = append(arcs, Edge{int32(l.Source), int32(l.Target)})
	}
	return fromArcs(n, arcs)
}

// Undirected returns the projection of stored links: distinct unordered pairs, no self-loops.
func Undirected(n int, links []collection.Link) *Graph {
	edges := make([]Edge, 0, len(links))
	for _, l := range links {
		edges = append(edges, Edge{int32(l.Source), int32(l.Target)})
	}
	return FromEdges(n, edges)
}

// FromEdges returns the undirected graph with the given edges.
func FromEdges(n int, edges []Edge) *Graph {
	arcs := make([]Edge, 0, 2*len(edges))
	for _, e := range edges {
		arcs = append(arcs, e, Edge{e.B, e.A})
	}
	return fromArcs(n, arcs)
}

// Empty returns the graph without edges.
func Empty(n int) *Graph { return &Graph{start: make([]int32, n+1)} }

// Edges returns the edges of an undirected graph, each with the smaller node first, ascending.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, 0, len(g.to)/2)
	for a := range g.N() {
		for _, b := range g.Neighbours(a) {
			if int32(a) < b {
				edges = append(edges, Edge{int32(a), b})
			}
		}
	}
	return edges
}

// Diagnostics describe an undirected graph.
type Diagnostics struct {
	Nodes      int           `json:"nodes"`
	Pairs      int           `json:"pairs"`      // distinct unordered pairs
	Isolated   int           `json:"isolated"`   // nodes without a neighbour
	Components int           `json:"components"` // connected components, isolated nodes included
	Largest    int           `json:"largest"`    // nodes of the largest component
	Degrees    []DegreeCount `json:"degrees"`    // ascending degree, degrees that occur only
}

// A DegreeCount says how many nodes have a degree.
type DegreeCount struct {
	Degree int `json:"degree"`
	Nodes  int `json:"nodes"`
}

// Diagnose describes an undirected graph.
func Diagnose(g *Graph) Diagnostics {
	d := Diagnostics{Nodes: g.N(), Pairs: len(g.to) / 2, Degrees: []DegreeCount{}}
	degrees := make([]int, g.N())
	for v := range degrees {
		degrees[v] = g.Degree(v)
		if degrees[v] == 0 {
			d.Isolated++
		}
	}
	slices.Sort(degrees)
	for _, k := range degrees {
		if last := len(d.Degrees) - 1; last >= 0 && d.Degrees[last].Degree == k {
			d.Degrees[last].Nodes++
		} else {
			d.Degrees = append(d.Degrees, DegreeCount{k, 1})
		}
	}
	seen := make([]bool, g.N())
	var stack []int32
	for v := range seen {
		if seen[v] {
			continue
		}
		d.Components++
		size := 0
		seen[v] = true
		stack = append(stack[:0], int32(v))
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			size++
			for _, w := range g.Neighbours(int(u)) {
				if !seen[w] {
					seen[w] = true
					stack = append(stack, w)
				}
			}
		}
		d.Largest = max(d.Largest, size)
	}
	return d
}

// A Rewiring is a graph with the same degrees, and how it was made.
type Rewiring struct {
	Graph           *Graph
	Attempts, Swaps int
}

// Rewire returns a degree-preserving randomisation of an undirected graph by double edge swaps (Maslov and Sneppen,
// 2002, doi:10.1126/science.1065103) until perEdge·|E| swaps have succeeded.
//
// The edges stand in a list, each as (smaller, larger), sorted. An attempt draws i = IntN(|E|), j = IntN(|E|),
// c = IntN(2), always all three; with edge i = (a, b) and edge j = (x, y) the new edges are (a, y), (x, b) for c = 0 and
// (a, x), (b, y) for c = 1. It is rejected where i = j, for a self-loop, for a new edge that exists already (edges i and
// j included) and for two equal new edges. Otherwise the first new edge takes place i, the second place j. It gives up
// after maxAttempts, with ok false: some graphs allow no swap at all.
func Rewire(g *Graph, src *exact.Stream, perEdge, maxAttempts int) (r Rewiring, ok bool) {
	edges := g.Edges()
	if len(edges) == 0 {
		return Rewiring{Graph: Empty(g.N())}, true
	}
	neighbours := make([][]int32, g.N()) // unordered, for the test of existence
	for v := range neighbours {
		neighbours[v] = slices.Clone(g.Neighbours(v))
	}
	exists := func(e Edge) bool {
		if len(neighbours[e.A]) > len(neighbours[e.B]) {
			e.A, e.B = e.B, e.A
		}
		return slices.Contains(neighbours[e.A], e.B)
	}
	replace := func(v, old, new int32) {
		neighbours[v][slices.Index(neighbours[v], old)] = new
	}
	want := perEdge * len(edges)
	for r.Swaps < want {
		if r.Attempts == maxAttempts {
			return r, false
		}
		r.Attempts++
		i, j, c := src.IntN(len(edges)), src.IntN(len(edges)), src.IntN(2)
		if i == j {
			continue
		}
		a, b, x, y := edges[i].A, edges[i].B, edges[j].A, edges[j].B
		if c == 1 {
			x, y = y, x // then the new edges are (a, y) and (x, b) in both cases
		}
		if a == y || x == b {
			continue
		}
		first, second := ordered(a, y), ordered(x, b)
		if first == second || exists(first) || exists(second) {
			continue
		}
		replace(a, b, y)
		replace(b, a, x)
		replace(x, y, b)
		replace(y, x, a)
		edges[i], edges[j] = first, second
		r.Swaps++
	}
	r.Graph = FromEdges(g.N(), edges)
	return r, true
}

func ordered(a, b int32) Edge { return Edge{min(a, b), max(a, b)} }

// Transpose returns the graph with every arc turned round; an undirected graph is its own.
func Transpose(g *Graph) *Graph {
	t := &Graph{make([]int32, g.N()+1), make([]int32, len(g.to))}
	for _, b := range g.to {
		t.start[b+1]++
	}
	for i := range g.N() {
		t.start[i+1] += t.start[i]
	}
	next := make([]int32, g.N())
	copy(next, t.start)
	for a := range g.N() {
		for _, b := range g.Neighbours(a) {
			t.to[next[b]] = int32(a)
			next[b]++
		}
	}
	return t
}
