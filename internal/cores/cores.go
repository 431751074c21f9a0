// Package cores spreads work whose results don't depend on who does it over goroutines.
package cores

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f for each part of 0 … n−1, of at most size numbers each, from as many goroutines as workers says; 0 is one
// for each core. It returns when all are done. f writes where only its part belongs.
func Each(n, size, workers int, f func(worker, first, last int)) {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			for {
				first := int(next.Add(int64(size))) - size
				if first >= n {
					return
				}
				f(w, first, min(first+size, n))
			}
		})
	}
	done.Wait()
}

// Gather is Each for parts that give values, which it returns one after the other in the order of the parts.
func Gather[T any](n, size, workers int, f func(first, last int) []T) []T {
	parts := make([][]T, (n+size-1)/size)
	Each(n, size, workers, func(_, first, last int) { parts[first/size] = f(first, last) })
	var all []T
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
