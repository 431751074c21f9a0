package study_test

import (
	"testing"

	"retrace/core/study"
	"retrace/kit"
)

// BenchmarkReplay is everything that `native replay r01 --without-vectors` does but printing: loading included.
func BenchmarkReplay(b *testing.B) {
	for b.Loop() {
		s, err := study.Load(kit.FS, "r01")
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
		if _, err := study.Load(kit.FS, "r01"); err != nil {
			b.Fatal(err)
		}
	}
}
