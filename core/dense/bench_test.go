package dense_test

import (
	"testing"

	"retrace/core/dense"
	"retrace/core/rank"
	"retrace/kit"
)

// BenchmarkScoring scores R01's 360 questions against its 3,000 documents (384 dimensions) and takes each question's ten
// best, on one thread: natively, and in WebAssembly as tools/bench runs it. Reading the vectors is outside.
func BenchmarkScoring(b *testing.B) {
	read := func(file string, count int) *dense.Matrix {
		vectors, err := kit.FS.ReadFile(file + ".f32")
		if err != nil {
			b.Fatal(err)
		}
		sidecar, err := kit.FS.ReadFile(file + ".json")
		if err != nil {
			b.Fatal(err)
		}
		m, err := dense.Parse(vectors, sidecar, count)
		if err != nil {
			b.Fatal(err)
		}
		return m
	}
	documents, questions := read("concepts/vectors", 3000), read("r01/vectors", 360)
	scores := rank.New(documents.Count())
	b.ResetTimer()
	for range b.N {
		for q := range questions.Count() {
			scores.Reset()
			documents.ScoresInto(scores.Value, questions.Row(q))
			scores.All = true
			if len(scores.Best(10)) != 10 {
				b.Fatal("not ten documents")
			}
		}
	}
	b.ReportMetric(float64(questions.Count()*b.N)/b.Elapsed().Seconds(), "questions/s")
}
