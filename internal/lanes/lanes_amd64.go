package lanes

import (
	"math"

	"golang.org/x/sys/cpu"

	"retrace/core/encoder"
	"retrace/core/exact"
	"retrace/core/walk"
)

func vector() []encoder.Kernel {
	var found []encoder.Kernel
	if cpu.X86.HasAVX512F {
		found = append(found, encoder.Kernel{Name: "AVX-512", Multiply: avx512, GELU: gelu512})
	}
	if cpu.X86.HasAVX2 {
		found = append(found, encoder.Kernel{Name: "AVX2", Multiply: avx2, GELU: gelu256})
	}
	return found
}

// A block computes some rows of one or two panels; strides and panelSize are in bytes, depth is at least 1.
type block func(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx2x6(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx2x1(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x12x2(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x4x2(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x1x2(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x12(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x4(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

//go:noescape
func avx512x1(out *float32, outStride uintptr, a *float32, aStride uintptr, panels *float32, panelSize, depth uintptr)

// A step is a block with the rows it does.
type step struct {
	rows int
	do   block
}

var (
	stepsAVX2    = []step{{6, avx2x6}, {1, avx2x1}}
	stepsAVX512  = []step{{12, avx512x12}, {4, avx512x4}, {1, avx512x1}}
	stepsAVX512b = []step{{12, avx512x12x2}, {4, avx512x4x2}, {1, avx512x1x2}}
)

func avx2(out []float32, outStride int, a []float32, aStride, rows, depth int, panels []float32) {
	run(out, outStride, a, aStride, rows, depth, panels, 1, stepsAVX2)
}

func avx512(out []float32, outStride int, a []float32, aStride, rows, depth int, panels []float32) {
	if depth < 1 || rows < 1 {
		return
	}
	done := len(panels) / (2 * depth * encoder.Columns) * 2
	run(out, outStride, a, aStride, rows, depth, panels, 2, stepsAVX512b)
	if rest := panels[done*depth*encoder.Columns:]; len(rest) > 0 {
		run(out[done*encoder.Columns:], outStride, a, aStride, rows, depth, rest, 1, stepsAVX512)
	}
}

// chunk is how much of the depth is done at a time, so that what two panels hold of it stays in the nearest cache. A sum
// that is set down and taken up again has lost nothing.
const chunk = 192

// run goes over the depth by chunks, over the panels, so many at a time, and over the rows by the largest step that fits.
// The slices are measured here, because assembly does not.
func run(out []float32, outStride int, a []float32, aStride, rows, depth int, panels []float32, together int, steps []step) {
	if depth < 1 || rows < 1 {
		return
	}
	width, size := together*encoder.Columns, depth*encoder.Columns
	for from := 0; from < depth; from += chunk {
		deep := min(chunk, depth-from)
		for p := 0; (p+together)*size <= len(panels); p += together {
			_ = out[(rows-1)*outStride+p*encoder.Columns+width-1]
			_ = a[(rows-1)*aStride+depth-1]
			r := 0
			for _, s := range steps {
				for ; r+s.rows <= rows; r += s.rows {
					s.do(&out[r*outStride+p*encoder.Columns], uintptr(outStride)*4, &a[r*aStride+from], uintptr(aStride)*4,
						&panels[p*size+from*encoder.Columns], uintptr(size)*4, uintptr(deep))
				}
			}
		}
	}
}

// geluTable holds each constant of exact.GELU32 eight times: √½, 4.5, −4.5, ½, 1, then Erf's coefficients from the highest
// power, P's and Q's in turn.
var geluTable = func() (t [21][8]float64) {
	p, q := exact.ErfCoefficients()
	constants := []float64{math.Sqrt2 / 2, 4.5, -4.5, 0.5, 1}
	for i := 7; i >= 0; i-- {
		constants = append(constants, p[i], q[i])
	}
	for i, c := range constants {
		for j := range t[i] {
			t[i][j] = c
		}
	}
	return t
}()

// geluAVX512 and geluAVX2 do so many groups of 8 or 4 values.
//
//go:noescape
func geluAVX512(values *float32, groups uintptr, table *[21][8]float64)

//go:noescape
func geluAVX2(values *float32, groups uintptr, table *[21][8]float64)

func gelu512(values []float32) {
	if groups := len(values) / 8; groups > 0 {
		geluAVX512(&values[0], uintptr(groups), &geluTable)
	}
	encoder.GELU(values[len(values)/8*8:])
}

func gelu256(values []float32) {
	if groups := len(values) / 4; groups > 0 {
		geluAVX2(&values[0], uintptr(groups), &geluTable)
	}
	encoder.GELU(values[len(values)/4*4:])
}

// spreads lists the steps of a walk that this machine can do, the fastest first.
func spreads() []walk.Spread {
	var found []walk.Spread
	if cpu.X86.HasAVX512F {
		found = append(found, stepOf(spreadAVX512))
	}
	if cpu.X86.HasAVX2 {
		found = append(found, stepOf(spreadAVX2))
	}
	return found
}

// spreadAVX512 and spreadAVX2 do so many places; what start and from hold is not looked at.
//
//go:noescape
func spreadAVX512(next, y *walk.Mass, start, from *int32, share *float64, stay float64, places uintptr)

//go:noescape
func spreadAVX2(next, y *walk.Mass, start, from *int32, share *float64, stay float64, places uintptr)

func stepOf(do func(next, y *walk.Mass, start, from *int32, share *float64, stay float64, places uintptr)) walk.Spread {
	return func(next, y []walk.Mass, start, from []int32, share []float64, stay float64) {
		n := len(next)
		if n == 0 || len(from) == 0 {
			clear(next)
			return
		}
		_, _, _ = y[n-1], start[n], share[n-1]
		do(&next[0], &y[0], &start[0], &from[0], &share[0], stay, uintptr(n))
	}
}
