package main

import (
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"retrace/core/dense"
	"retrace/core/exact"
	"retrace/core/rank"
	"retrace/internal/cores"
)

// partRows is how many rows a core takes at a time.
const partRows = 1 << 12

// denseSearch measures exact search over rows × 384 float32 values, made on the spot, against a plain read of the same
// memory, and 8-bit codes with their recall of the exact ten. Rows lie about clusters, as embeddings do, so that the best
// are near one another: independent rows would be far easier to tell apart.
func denseSearch(rows int) error {
	const dimension, k, questions = 384, 10, 8
	runtime.GOMAXPROCS(runtime.NumCPU())
	values := clustered(rows, dimension)
	m, err := dense.FromRows(dimension, values)
	if err != nil {
		return err
	}
	queries := make([][]float32, questions)
	for q := range queries {
		queries[q] = clusteredRow(make([]float32, dimension), rows+q)
	}
	bytes := float64(len(values)) * 4
	read, scored, codedFor := math.Inf(1), math.Inf(1), math.Inf(1)
	readCPU, codedCPU, scoredCPU := math.Inf(1), math.Inf(1), math.Inf(1)
	codes := m.Encode()
	var exactly, coded [][]rank.Hit
	for range 3 {
		start := processor()
		read = min(read, timed(func() { readPlainly(values) }))
		readCPU = min(readCPU, processor()-start)
		start = processor()
		scored = min(scored, timed(func() { exactly = bestOf(m.Best, rows, queries[:1], k) }))
		scoredCPU = min(scoredCPU, processor()-start)
		start = processor()
		codedFor = min(codedFor, timed(func() { coded = bestOf(codes.Candidates, rows, queries[:1], 10*k) }))
		codedCPU = min(codedCPU, processor()-start)
	}
	fmt.Printf("%d x %d float32, %.2f GB, %d cores\n", rows, dimension, bytes/1e9, runtime.NumCPU())
	fmt.Printf("plain read      %6.1f GB/s, %.0f ms; %.0f ms of processor time\n", bytes/1e9/read, 1000*read, 1000*readCPU)
	fmt.Printf("exact, 1 query  %6.1f GB/s, %.0f ms; %.0f ms of processor time\n", bytes/1e9/scored, 1000*scored, 1000*scoredCPU)
	all := timed(func() { exactly = bestOf(m.Best, rows, queries, k) })
	fmt.Printf("exact, %d queries together, %.0f ms each\n", questions, 1000*all/questions)
	fmt.Printf("8-bit, 1 query  %6.1f GB/s, %.0f ms; %.0f ms of processor time\n", bytes/4e9/codedFor, 1000*codedFor, 1000*codedCPU)
	for _, candidates := range []int{k, 2 * k, 10 * k} {
		coded = bestOf(codes.Candidates, rows, queries, candidates)
		found := 0
		for q, query := range queries {
			for _, h := range m.Rescore(query, coded[q], k) {
				for _, e := range exactly[q] {
					if h.Doc == e.Doc {
						found++
					}
				}
			}
		}
		fmt.Printf("recall of the exact ten with %d candidates scored exactly: %.3f\n", candidates, float64(found)/float64(k*questions))
	}
	return nil
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

// bestOf spreads a search over all cores.
func bestOf(search func([][]float32, int, int, int) [][]rank.Hit, rows int, queries [][]float32, k int) [][]rank.Hit {
	parts := cores.Gather(rows, partRows, 0,
		func(first, last int) [][][]rank.Hit { return [][][]rank.Hit{search(queries, first, last, k)} })
	merged := make([][]rank.Hit, len(queries))
	for q := range queries {
		lists := make([][]rank.Hit, len(parts))
		for i, p := range parts {
			lists[i] = p[q]
		}
		merged[q] = dense.Merge(lists, k)
	}
	return merged
}

// readPlainly reads memory on all cores with as little work as there can be.
func readPlainly(values []float32) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&values[0])), len(values)/2)
	cores.Gather(len(words), 1<<20, 0, func(first, last int) []uint64 {
		var a, b, c, d uint64
		part := words[first:last]
		for ; len(part) >= 8; part = part[8:] {
			a ^= part[0] ^ part[4]
			b ^= part[1] ^ part[5]
			c ^= part[2] ^ part[6]
			d ^= part[3] ^ part[7]
		}
		return []uint64{a ^ b ^ c ^ d}
	})
}

func clustered(rows, dimension int) []float32 {
	values := make([]float32, rows*dimension)
	cores.Each(rows, partRows, 0, func(_, first, last int) {
		for i := first; i < last; i++ {
			clusteredRow(values[i*dimension:(i+1)*dimension], i)
		}
	})
	return values
}

// clusteredRow is one of a thousand centres plus noise of the same size, of length 1.
func clusteredRow(row []float32, i int) []float32 {
	centre, noise, sum := exact.NewStream(seed, uint64(1<<50+i%1000)), exact.NewStream(seed, uint64(1<<51+i)), 0.0
	for j := range row {
		x := float64(int64(centre.Uint64()))/(1<<63) + float64(int64(noise.Uint64()))/(1<<63)
		row[j] = float32(x)
		sum += x * x
	}
	for j := range row {
		row[j] /= float32(math.Sqrt(sum))
	}
	return row
}
