package walk

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"
	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/graph"
	"retrace/core/rank"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// alone is one walk alone.
func alone(g *graph.Graph, seeds []rank.Hit, teleport float64, steps int) []float64 {
	into := rank.New(g.N())
	NewPageRank(g).Run([][]rank.Hit{seeds}, teleport, steps, []*rank.Scores{into})
	return into.Value
}

// One step by hand on the path 0 – 1 – 2 with the isolated node 3, α = 1/4, seeds 1/2 on node 0 and on node 3: node 1
// receives 3/4·1/2 from 0; node 3's 1/2 has no way out and returns to the seeds, half to each: 3/4·1/4, beside 1/4·1/2
// teleported. A second step: 0 and 2 receive half of node 1's 3/8 each, node 1 all of 0's 5/16, and 5/16 return.
func TestByHand(t *testing.T) {
	g := graph.FromEdges(4, []graph.Edge{{A: 0, B: 1}, {A: 1, B: 2}})
	seeds := []rank.Hit{{Doc: 0, Score: 0.5}, {Doc: 3, Score: 0.5}}
	if got, want := alone(g, seeds, 0.25, 1), []float64{5.0 / 16, 6.0 / 16, 0, 5.0 / 16}; !slices.Equal(got, want) {
		t.Errorf("after one step %v, want %v", got, want)
	}
	seed := 0.75*(5.0/32) + 0.125
	if got, want := alone(g, seeds, 0.25, 2), []float64{0.75*(3.0/16) + seed, 0.75 * 5 / 16, 0.75 * 3 / 16, seed}; !slices.Equal(got, want) {
		t.Errorf("after two steps %v, want %v", got, want)
	}
	if got := alone(g, seeds, 1, 5); !slices.Equal(got, []float64{0.5, 0, 0, 0.5}) {
		t.Errorf("α = 1 leaves the seeds: %v", got)
	}
	if got := alone(g, nil, 0.25, 5); !slices.Equal(got, []float64{0, 0, 0, 0}) {
		t.Errorf("no seed, no mass: %v", got)
	}
}

// What networkx 3.6.1 prints for pagerank(complete_graph(4), alpha=0.85, personalization={3: 1}) and, as its own test
// has it, for {0: 1, 1: 1, 2: 4, 3: 4}; its alpha is 1 − teleport.
func TestNetworkX(t *testing.T) {
	g := graph.FromEdges(4, []graph.Edge{{A: 0, B: 1}, {A: 0, B: 2}, {A: 0, B: 3}, {A: 1, B: 2}, {A: 1, B: 3}, {A: 2, B: 3}})
	for _, c := range []struct {
		seeds []rank.Hit
		want  []float64
	}{
		{[]rank.Hit{{Doc: 3, Score: 1}}, []float64{0.220779, 0.220779, 0.220779, 0.337662}},
		{[]rank.Hit{{Doc: 0, Score: .1}, {Doc: 1, Score: .1}, {Doc: 2, Score: .4}, {Doc: 3, Score: .4}}, []float64{0.232467, 0.232467, 0.267533, 0.267533}},
	} {
		for v, x := range alone(g, c.seeds, 0.15, 200) {
			if !near(x, c.want[v], 1e-6) {
				t.Errorf("node %d: %v, networkx has %v", v, x, c.want[v])
			}
		}
	}
}

type problem struct {
	n     int
	links []collection.Link
	graph *graph.Graph
	alpha float64
	steps int
}

func anyProblem(t *rapid.T) problem {
	p := problem{n: rapid.IntRange(1, 14).Draw(t, "n"), alpha: rapid.Float64Range(0, 1).Draw(t, "α"), steps: rapid.IntRange(1, 25).Draw(t, "steps")}
	node := rapid.IntRange(0, p.n-1)
	for range rapid.IntRange(0, 30).Draw(t, "links") {
		p.links = append(p.links, collection.Link{Source: node.Draw(t, "source"), Target: node.Draw(t, "target")})
	}
	if rapid.Bool().Draw(t, "directed") {
		p.graph = graph.Directed(p.n, p.links)
	} else {
		p.graph = graph.Undirected(p.n, p.links)
	}
	return p
}

func anySeeds(t *rapid.T, n int) []rank.Hit {
	var seeds []rank.Hit
	total := 0.0
	for _, d := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "seeds") {
		x := rapid.Float64Range(0.01, 1).Draw(t, "mass")
		seeds = append(seeds, rank.Hit{Doc: d, Score: x})
		total += x
	}
	for i := range seeds {
		seeds[i].Score /= total
	}
	return seeds
}

// dense iterates x ← (1−α)·(W·x + d·s) + α·s with a full matrix, from the definition.
func dense(p problem, seeds []rank.Hit) []float64 {
	s := make([]float64, p.n)
	for _, h := range seeds {
		s[h.Doc] = h.Score
	}
	w := make([][]float64, p.n)
	dangling := make([]bool, p.n)
	for u := range w {
		w[u] = make([]float64, p.n)
	}
	for v := range p.n {
		out := p.graph.Neighbours(v)
		dangling[v] = len(out) == 0
		for _, u := range out {
			w[u][v] = 1 / float64(len(out))
		}
	}
	x := slices.Clone(s)
	for range p.steps {
		lost := 0.0
		for v := range x {
			if dangling[v] {
				lost += x[v]
			}
		}
		next := make([]float64, p.n)
		for u := range next {
			for v := range x {
				next[u] += w[u][v] * x[v]
			}
			next[u] = (1-p.alpha)*(next[u]+lost*s[u]) + p.alpha*s[u]
		}
		x = next
	}
	return x
}

func TestAgainstDenseMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProblem(t)
		seeds := anySeeds(t, p.n)
		got, want := alone(p.graph, seeds, p.alpha, p.steps), dense(p, seeds)
		total := 0.0
		for v := range got {
			if !near(got[v], want[v], 1e-14) {
				t.Fatalf("node %d: %v, the matrix gives %v", v, got[v], want[v])
			}
			total += got[v]
		}
		if len(seeds) > 0 && !near(total, 1, 1e-12) {
			t.Fatalf("mass %v", total)
		}
	})
}

// Iterated until nothing moves, with the same mass on every node as seeds, the walk is plain PageRank. gonum's returns
// the mass of nodes without outgoing links to all nodes alike, which here are the seeds: the same rule.
func TestAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProblem(t)
		p.alpha = rapid.Float64Range(0.1, 0.9).Draw(t, "teleport")
		g := simple.NewDirectedGraph()
		var seeds []rank.Hit
		for v := range p.n {
			g.AddNode(simple.Node(v))
			seeds = append(seeds, rank.Hit{Doc: v, Score: 1 / float64(p.n)})
		}
		for v := range p.n {
			for _, u := range p.graph.Neighbours(v) {
				g.SetEdge(simple.Edge{F: simple.Node(v), T: simple.Node(int(u))})
			}
		}
		want := network.PageRank(g, 1-p.alpha, 1e-13)
		for v, x := range alone(p.graph, seeds, p.alpha, 400) {
			if !near(x, want[int64(v)], 1e-10) {
				t.Fatalf("node %d: %v, gonum has %v", v, x, want[int64(v)])
			}
		}
	})
}

// A batch gives each question the very bits that it gets alone, and leaves nothing behind for the next batch.
func TestLanesAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProblem(t)
		w := NewPageRank(p.graph)
		for range 2 {
			batch := make([][]rank.Hit, rapid.IntRange(0, Lanes).Draw(t, "questions"))
			into := make([]*rank.Scores, len(batch))
			for i := range batch {
				batch[i] = anySeeds(t, p.n)
				into[i] = rank.New(p.n)
				into[i].Add(0, 3) // what an earlier question left
			}
			w.Run(batch, p.alpha, p.steps, into)
			for i := range batch {
				if own := alone(p.graph, batch[i], p.alpha, p.steps); !slices.Equal(into[i].Value, own) {
					t.Fatalf("question %d of %d: %v, alone %v", i+1, len(batch), into[i].Value, own)
				}
				if len(batch[i]) == 0 && into[i].Count() != 0 {
					t.Fatal("a question without seeds got mass")
				}
			}
		}
	})
}
