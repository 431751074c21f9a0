package walk_test

import (
	"testing"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/graph"
	"retrace/core/rank"
	"retrace/core/walk"
	"retrace/internal/lanes"
)

// BenchmarkPageRank is the walk in plain Go, BenchmarkPageRankLanes with the step for this machine's vector registers.
func BenchmarkPageRank(b *testing.B)      { benchmark(b, nil) }
func BenchmarkPageRankLanes(b *testing.B) { benchmark(b, lanes.Spread()) }

// benchmark walks for a full batch of questions, twenty seeds each, over a random graph of the size of R01's.
func benchmark(b *testing.B, spread walk.Spread) {
	const n, pairs = 3000, 7690
	src := exact.NewStream(1, 1)
	links := make([]collection.Link, pairs)
	for i := range links {
		links[i] = collection.Link{Source: src.IntN(n), Target: src.IntN(n)}
	}
	w := walk.NewPageRank(graph.Undirected(n, links))
	w.Spread = spread
	var seeds [][]rank.Hit
	var into []*rank.Scores
	for range walk.Lanes {
		var hits []rank.Hit
		for _, doc := range src.Draw(20, n) {
			hits = append(hits, rank.Hit{Doc: doc, Score: 0.05})
		}
		seeds = append(seeds, hits)
		into = append(into, rank.New(n))
	}
	for b.Loop() {
		w.Run(seeds, 0.15, 20, into)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*walk.Lanes), "µs/question")
}
