package graph

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/exact"
)

func link(a, b int) collection.Link { return collection.Link{Source: a, Target: b} }

func neighbours(g *Graph) [][]int32 {
	list := make([][]int32, g.N())
	for v := range list {
		list[v] = append([]int32{}, g.Neighbours(v)...)
	}
	return list
}

// Stored both ways, repeated, and a self-loop: one pair.
func TestProjection(t *testing.T) {
	links := []collection.Link{link(3, 1), link(1, 3), link(1, 3), link(2, 2), link(0, 1)}
	if got, want := neighbours(Undirected(5, links)), [][]int32{{1}, {0, 3}, {}, {1}, {}}; !cmp.Equal(got, want) {
		t.Errorf("undirected: %v, want %v", got, want)
	}
	if got, want := neighbours(Directed(5, links)), [][]int32{{1}, {3}, {}, {1}, {}}; !cmp.Equal(got, want) {
		t.Errorf("directed: %v, want %v", got, want)
	}
	if got := neighbours(Transpose(Directed(5, links))); !cmp.Equal(got, [][]int32{{}, {0, 3}, {}, {1}, {}}) {
		t.Errorf("transposed: %v", got)
	}
	if got := Undirected(5, links).Edges(); !cmp.Equal(got, []Edge{{0, 1}, {1, 3}}) {
		t.Errorf("edges: %v", got)
	}
	if got := neighbours(Empty(2)); !cmp.Equal(got, [][]int32{{}, {}}) {
		t.Errorf("empty: %v", got)
	}
}

func TestDiagnose(t *testing.T) {
	// A triangle, a pair and an isolated node.
	g := FromEdges(6, []Edge{{0, 1}, {1, 2}, {0, 2}, {3, 4}})
	want := Diagnostics{Nodes: 6, Pairs: 4, Isolated: 1, Components: 3, Largest: 3, Degrees: []DegreeCount{{0, 1}, {1, 2}, {2, 3}}}
	if got := Diagnose(g); !cmp.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Diagnose(Empty(0)); got.Components != 0 || got.Degrees == nil {
		t.Errorf("%+v", got)
	}
}

// anyLinks draws links with repetitions, self-loops and both directions.
func anyLinks(t *rapid.T) (n int, links []collection.Link) {
	n = rapid.IntRange(1, 25).Draw(t, "n")
	node := rapid.IntRange(0, n-1)
	for range rapid.IntRange(0, 50).Draw(t, "links") {
		links = append(links, link(node.Draw(t, "source"), node.Draw(t, "target")))
	}
	return n, links
}

// Projections against sets of pairs; components against gonum's topo.ConnectedComponents.
func TestAgainstSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, links := anyLinks(t)
		out, both := make([]map[int32]bool, n), make([]map[int32]bool, n)
		for v := range n {
			out[v], both[v] = map[int32]bool{}, map[int32]bool{}
		}
		second := simple.NewUndirectedGraph()
		for v := range n {
			second.AddNode(simple.Node(v))
		}
		for _, l := range links {
			if l.Source == l.Target {
				continue
			}
			out[l.Source][int32(l.Target)] = true
			both[l.Source][int32(l.Target)], both[l.Target][int32(l.Source)] = true, true
			second.SetEdge(simple.Edge{F: simple.Node(l.Source), T: simple.Node(l.Target)})
		}
		directed, undirected := Directed(n, links), Undirected(n, links)
		turned := Transpose(directed)
		pairs, isolated := 0, 0
		for v := range n {
			if got, want := directed.Neighbours(v), slices.Sorted(maps.Keys(out[v])); !slices.Equal(got, want) {
				t.Fatalf("directed neighbours of %d: %v, want %v", v, got, want)
			}
			if got, want := undirected.Neighbours(v), slices.Sorted(maps.Keys(both[v])); !slices.Equal(got, want) || undirected.Degree(v) != len(want) {
				t.Fatalf("neighbours of %d: %v, want %v", v, got, want)
			}
			for u := range n {
				if slices.Contains(turned.Neighbours(v), int32(u)) != out[u][int32(v)] {
					t.Fatalf("transposed: %d to %d", v, u)
				}
			}
			if !slices.IsSorted(turned.Neighbours(v)) {
				t.Fatalf("transposed neighbours of %d don't ascend: %v", v, turned.Neighbours(v))
			}
			pairs += len(both[v])
			if len(both[v]) == 0 {
				isolated++
			}
		}
		components := topo.ConnectedComponents(second)
		largest := 0
		for _, c := range components {
			largest = max(largest, len(c))
		}
		d := Diagnose(undirected)
		if d.Components != len(components) || d.Largest != largest || d.Pairs != pairs/2 || d.Isolated != isolated || d.Nodes != n {
			t.Fatalf("%+v; gonum finds %d components, the largest of %d", d, len(components), largest)
		}
		nodes := 0
		for i, c := range d.Degrees {
			nodes += c.Nodes
			if i > 0 && c.Degree <= d.Degrees[i-1].Degree {
				t.Fatalf("degrees don't ascend: %v", d.Degrees)
			}
		}
		if nodes != n {
			t.Fatalf("degrees count %d nodes", nodes)
		}
		if again := FromEdges(n, undirected.Edges()); !cmp.Equal(neighbours(again), neighbours(undirected)) {
			t.Fatal("edges don't give the graph again")
		}
	})
}

func TestRewireKeepsDegrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, links := anyLinks(t)
		g := Undirected(n, links)
		before := neighbours(g)
		perEdge := rapid.IntRange(1, 12).Draw(t, "swaps for each edge")
		r, ok := Rewire(g, exact.NewStream(rapid.Uint64().Draw(t, "seed"), 1), perEdge, 20000)
		if !cmp.Equal(neighbours(g), before) {
			t.Fatal("the graph was changed")
		}
		if !ok {
			if r.Attempts != 20000 || r.Graph != nil {
				t.Fatalf("gave up after %d attempts", r.Attempts)
			}
			return
		}
		if r.Swaps != perEdge*len(g.Edges()) || r.Attempts < r.Swaps {
			t.Fatalf("%d swaps in %d attempts, %d edges", r.Swaps, r.Attempts, len(g.Edges()))
		}
		for v := range n {
			list := r.Graph.Neighbours(v)
			// No repetition would survive FromEdges, and a self-loop would be dropped: then the degree would differ.
			if r.Graph.Degree(v) != g.Degree(v) || !slices.IsSorted(list) || slices.Contains(list, int32(v)) {
				t.Fatalf("node %d: degree %d, was %d: %v", v, r.Graph.Degree(v), g.Degree(v), list)
			}
		}
	})
}

// A star and a triangle allow no swap at all; no edges need none.
func TestRewireGivesUp(t *testing.T) {
	for name, g := range map[string]*Graph{"star": FromEdges(4, []Edge{{0, 1}, {0, 2}, {0, 3}}), "triangle": FromEdges(3, []Edge{{0, 1}, {1, 2}, {0, 2}}), "one edge": FromEdges(2, []Edge{{0, 1}})} {
		if r, ok := Rewire(g, exact.NewStream(1, 1), 10, 500); ok || r.Swaps != 0 || r.Attempts != 500 {
			t.Errorf("%s: %d swaps in %d attempts, %v", name, r.Swaps, r.Attempts, ok)
		}
	}
	if r, ok := Rewire(Empty(3), exact.NewStream(1, 1), 10, 500); !ok || r.Attempts != 0 || r.Graph.N() != 3 {
		t.Error("no edges")
	}
}

// The rule carried out on paper. The graph's edges are, in order, 0 = (0,1), 1 = (1,2), 2 = (2,3), 3 = (4,5); draws are
// (i, j, c) as math/rand/v2's PCG gives them for the seed and stream 1, and one swap for each edge is asked for.
func TestRewireTrace(t *testing.T) {
	for seed, c := range map[uint64]struct {
		draws [][3]int
		want  []Edge
	}{
		// c = 0: (0,1), (1,2) would give (0,2), (1,1), a self-loop: rejected.
		// (4,5), (2,3) → 3 = (3,4), 2 = (2,5). c = 1: (2,5), (0,1) → 2 = (0,2), 0 = (1,5).
		// (0,2), (3,4) → 2 = (0,4), 3 = (2,3). (1,5), (2,3) → 0 = (1,3), 3 = (2,5).
		17: {[][3]int{{0, 1, 0}, {3, 2, 0}, {2, 0, 1}, {2, 3, 0}, {0, 3, 0}}, []Edge{{0, 4}, {1, 2}, {1, 3}, {2, 5}}},
		// (4,5), (2,3) → 3 = (2,4), 2 = (3,5). i = j: rejected. (3,5), (1,2) → 2 = (1,3), 1 = (2,5).
		// (1,3), (2,5) → 2 = (1,5), 1 = (2,3). (0,1), (2,3) → 0 = (0,3), 1 = (1,2).
		5: {[][3]int{{3, 2, 1}, {1, 1, 1}, {2, 1, 1}, {2, 1, 0}, {0, 1, 0}}, []Edge{{0, 3}, {1, 2}, {1, 5}, {2, 4}}},
		// (2,3), (0,1) → 2 = (0,2), 0 = (1,3). (4,5), (1,2) → 3 = (2,4), 1 = (1,5).
		// (1,5), (1,3) would give (1,3), (1,5), which exist: rejected. (1,3), (2,4) → 0 = (1,4), 3 = (2,3).
		// (1,5), (0,2) → 1 = (1,2), 2 = (0,5).
		15: {[][3]int{{2, 0, 1}, {3, 1, 0}, {1, 0, 0}, {0, 3, 0}, {1, 2, 0}}, []Edge{{0, 5}, {1, 2}, {1, 4}, {2, 3}}},
	} {
		r := rand.New(rand.NewPCG(seed, 1))
		for n, want := range c.draws {
			if got := [3]int{r.IntN(4), r.IntN(4), r.IntN(2)}; got != want {
				t.Fatalf("seed %d: draw %d is %v, on paper %v", seed, n+1, got, want)
			}
		}
		got, ok := Rewire(FromEdges(6, []Edge{{0, 1}, {1, 2}, {2, 3}, {4, 5}}), exact.NewStream(seed, 1), 1, 100)
		if !ok || got.Attempts != 5 || got.Swaps != 4 || !cmp.Equal(got.Graph.Edges(), c.want) {
			t.Errorf("seed %d: %v after %d swaps in %d attempts, on paper %v after 4 in 5", seed, got.Graph.Edges(), got.Swaps, got.Attempts, c.want)
		}
	}
}
