// Package lanes has the encoder's kernel and a walk's step for vector registers: on amd64 with AVX2 or AVX-512 assembly,
// elsewhere core's own in plain Go. All give the same bits: each operation is rounded by itself, in the same order, and what
// belongs to one sum stays in one lane.
package lanes

import (
	"retrace/core/encoder"
	"retrace/core/walk"
)

//go:generate go run ./gen

// All returns the kernels that this machine can run, the fastest first, plain Go last.
func All() []encoder.Kernel { return append(vector(), encoder.Plain) }

// Best returns the first of All.
func Best() encoder.Kernel { return All()[0] }

// Spread returns the fastest step of a walk that this machine can do; nil where that is plain Go.
func Spread() walk.Spread {
	if found := spreads(); len(found) > 0 {
		return found[0]
	}
	return nil
}
