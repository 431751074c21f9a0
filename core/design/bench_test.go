package design_test

import (
	"testing"

	"retrace/core/design"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/study"
	"retrace/kit"
)

// BenchmarkReplay is everything that `native replay r01 --without-vectors` does but printing: loading included.
func BenchmarkReplay(b *testing.B) {
	for b.Loop() {
		s, err := design.Load(kit.FS, "r01")
		if err != nil {
			b.Fatal(err)
		}
		r, err := s.RunAll(study.Options{WithoutVectors: true}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Outcome(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad is reading, checking and indexing alone.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := design.Load(kit.FS, "r01"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBM25 ranks the ten best documents for every question on one thread, from the questions' text on: what bm25s
// calls tokenize and retrieve. Loading and indexing are outside; BenchmarkLoad has them.
func BenchmarkBM25(b *testing.B) {
	s, err := design.Load(kit.FS, "r01")
	if err != nil {
		b.Fatal(err)
	}
	t, err := s.ResolveSealed("bm25")
	if err != nil {
		b.Fatal(err)
	}
	m := lexical.NewBM25(s.Index, t.Number("k1"), t.Number("b"))
	scores := rank.New(s.Collection.Len())
	for b.Loop() {
		for i := range s.Questions {
			scores.Reset()
			m.Score(s.Index.Query(s.Questions[i].Text), scores)
			if len(scores.Best(10)) == 0 && i == 0 {
				b.Fatal("no document")
			}
		}
	}
}
