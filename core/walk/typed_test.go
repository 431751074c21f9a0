package walk

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/rank"
)

// Documents 0 to 4; predicate 0 goes one way, predicate 1 both.
var (
	small = []collection.Relation{
		{Source: 0, Target: 1, Predicate: 0},
		{Source: 0, Target: 2, Predicate: 1},
		{Source: 0, Target: 1, Predicate: 1}, // parallel to the first
		{Source: 1, Target: 3, Predicate: 0},
		{Source: 2, Target: 4, Predicate: 0},
		{Source: 3, Target: 0, Predicate: 0},
	}
	symmetric = []bool{false, true}
)

func run(relations []collection.Relation, seeds []rank.Hit, weights []float64, hops int) []float64 {
	into := rank.New(5)
	NewTyped(5, relations, symmetric).Run(seeds, weights, hops, into)
	return into.Value
}

// By hand. Arcs: 0→1 (p0), 0→2 (p1), 0→1 (p1), 1→0 (p1), 1→3 (p0), 2→0 (p1), 2→4 (p0), 3→0 (p0).
func TestTypedByHand(t *testing.T) {
	for _, c := range []struct {
		name    string
		seeds   []rank.Hit
		weights []float64
		hops    int
		want    []float64
	}{
		// Three arcs of weight 1: a third each, document 1 by two of them.
		{"one hop", []rank.Hit{{Doc: 0, Score: 1}}, []float64{1, 1}, 1, []float64{0, 2. / 3, 1. / 3, 0, 0}},
		// Predicate 1 counts double: weights 1, 2, 2 of 5.
		{"a cue", []rank.Hit{{Doc: 0, Score: 1}}, []float64{1, 2}, 1, []float64{0, 3. / 5, 2. / 5, 0, 0}},
		// From 1 the way back to 0 is barred, so all goes to 3: half of 1/3, twice. From 2 likewise to 4.
		{"two hops", []rank.Hit{{Doc: 0, Score: 1}}, []float64{1, 1}, 2, []float64{0, 2. / 3, 1. / 3, 1. / 3, 1. / 6}},
		// Seed 3 reaches 0, whose arcs to 1 and 2 remain: half of 0.25, a third each. Seed 0 as before, times 0.75.
		{"seeds feed each other", []rank.Hit{{Doc: 0, Score: 0.75}, {Doc: 3, Score: 0.25}}, []float64{1, 1}, 2,
			[]float64{0.25, 0.5 + 0.25/3, 0.25 + 0.125/3, 0.25, 0.125}},
		// Document 4 has no arc: its mass is dropped.
		{"no arc", []rank.Hit{{Doc: 4, Score: 1}}, []float64{1, 1}, 2, []float64{0, 0, 0, 0, 0}},
	} {
		got := run(small, c.seeds, c.weights, c.hops)
		for d := range got {
			if math.Abs(got[d]-c.want[d]) > 1e-15 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
	// A second hop's shares are taken over the arcs that remain: in 0→1, 1→{2, 3} both remain; with 1→1 and 1→0 beside
	// them the shares stay the same.
	chain := []collection.Relation{{Source: 0, Target: 1}, {Source: 1, Target: 0}, {Source: 1, Target: 2}, {Source: 1, Target: 3}}
	if got := run(chain, []rank.Hit{{Doc: 0, Score: 1}}, []float64{1, 1}, 2); got[2] != 0.25 || got[3] != 0.25 || got[0] != 0 {
		t.Errorf("shares over what remains: %v, want a quarter each for 2 and 3", got)
	}
}

// What paths deliver is what documents receive; no path visits a document twice; no mass is made.
func TestTypedPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 8
		relations := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) collection.Relation {
			source := rapid.IntRange(0, n-1).Draw(t, "source")
			target := (source + rapid.IntRange(1, n-1).Draw(t, "step")) % n
			return collection.Relation{Source: source, Target: target, Predicate: rapid.IntRange(0, 1).Draw(t, "predicate")}
		}), 0, 24).Draw(t, "relations")
		base := rank.New(n)
		for d, x := range rapid.SliceOfN(rapid.IntRange(0, 5), n, n).Draw(t, "base") {
			if x > 0 {
				base.Add(int32(d), float64(x))
			}
		}
		weights := []float64{1, rapid.SampledFrom([]float64{1, 2}).Draw(t, "weight")}
		w := NewTyped(n, relations, symmetric)
		seeds := base.Seeds(4)
		into := rank.New(n)
		w.Run(seeds, weights, 2, into)
		sums := make([]float64, n)
		first, second := 0.0, 0.0
		w.Paths(seeds, weights, 2, func(p Path) {
			sums[p.End()] += p.Mass
			visited := []int{p.Seed.Doc}
			for i, a := range p.Arcs[:p.Hops] {
				r := relations[a.Relation]
				from, to := r.Source, r.Target
				if a.Backward {
					from, to = to, from
				}
				if from != visited[i] || to != int(a.To) || a.Backward && !symmetric[r.Predicate] {
					t.Fatalf("arc %+v of relation %+v does not continue %v", a, r, visited)
				}
				if slices.Contains(visited, to) {
					t.Fatalf("path visits %d twice: %v", to, visited)
				}
				visited = append(visited, to)
			}
			if p.Hops == 1 {
				first += p.Mass
			} else {
				second += p.Mass
			}
		})
		for d := range sums {
			if sums[d] != into.Value[d] {
				t.Fatalf("document %d receives %v, its paths deliver %v", d, into.Value[d], sums[d])
			}
		}
		if first > 1+1e-12 || second > first/2+1e-12 {
			t.Fatalf("first hops deliver %v of 1, second hops %v", first, second)
		}
	})
}

// Reversed relations are walked the other way; symmetric ones are not changed.
func TestReversedAndRelabelled(t *testing.T) {
	got := collection.Reversed(small, symmetric)
	for i, r := range small {
		if symmetric[r.Predicate] != (got[i] == r) {
			t.Errorf("relation %d: %+v became %+v", i, r, got[i])
		}
	}
	order := []int{3, 2, 1, 0, 5, 4}
	for i, r := range collection.Relabelled(small, order) {
		if r.Source != small[i].Source || r.Target != small[i].Target || r.Predicate != small[order[i]].Predicate {
			t.Errorf("relation %d became %+v, want the predicate of relation %d", i, r, order[i])
		}
	}
}
