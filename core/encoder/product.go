package encoder

import "retrace/core/exact"

// Columns is the width of a panel: columns of a matrix that stand together, so that a kernel can hold them side by side.
const Columns = 16

// A Kernel computes what takes an encoder's time. Kernels differ in speed, never in a bit.
type Kernel struct {
	Name string
	// Multiply adds a matrix product to what is there.
	Multiply Product
	// GELU sets each value to exact.GELU32 of it.
	GELU func(values []float32)
}

// Plain is the Kernel in plain Go, which every other one must equal to the bit.
var Plain = Kernel{"plain Go", Multiply, GELU}

// GELU sets each value to exact.GELU32 of it.
func GELU(values []float32) {
	for i, x := range values {
		values[i] = exact.GELU32(x)
	}
}

// A Product adds a matrix product to what out holds: for each row r < rows and each column c of the panels,
//
//	out[r·outStride + c] += a[r·aStride + 0] · b[0, c] + a[r·aStride + 1] · b[1, c] + … + a[r·aStride + depth−1] · b[depth−1, c]
//
// added from left to right, one rounding for each product and one for each addition, in float32. A column's sum never
// meets another's, so that any number of them may be computed side by side with the same bits: one after the other, in 4
// lanes of WebAssembly, in 8 or 16 of a processor.
//
// panels holds b: for each Columns columns a panel of depth × Columns values, row by row; their number is
// len(panels)/(depth·Columns). out and a do not overlap.
type Product func(out []float32, outStride int, a []float32, aStride, rows, depth int, panels []float32)

// Multiply is the Product in plain Go.
//
// Four rows and two columns are summed side by side: an addition waits for the one before it, so that one sum alone
// leaves the processor idle.
func Multiply(out []float32, outStride int, a []float32, aStride, rows, depth int, panels []float32) {
	if depth == 0 {
		return
	}
	for p := 0; (p+1)*depth*Columns <= len(panels); p++ {
		panel := panels[p*depth*Columns : (p+1)*depth*Columns]
		r := 0
		for ; r+4 <= rows; r += 4 {
			for c := 0; c < Columns; c += 2 {
				multiply4(out[r*outStride+p*Columns+c:], outStride, a[r*aStride:], aStride, depth, panel[c:])
			}
		}
		for ; r < rows; r++ {
			for c := 0; c < Columns; c += 4 {
				multiply1(out[r*outStride+p*Columns+c:], a[r*aStride:][:depth], panel[c:])
			}
		}
	}
}

// multiply4 does four rows and two columns.
func multiply4(out []float32, outStride int, a []float32, aStride, depth int, b []float32) {
	a0, a1, a2, a3 := a[:depth], a[aStride:][:depth], a[2*aStride:][:depth], a[3*aStride:][:depth]
	o0, o1 := (*[2]float32)(out), (*[2]float32)(out[outStride:])
	o2, o3 := (*[2]float32)(out[2*outStride:]), (*[2]float32)(out[3*outStride:])
	s00, s01, s10, s11 := o0[0], o0[1], o1[0], o1[1]
	s20, s21, s30, s31 := o2[0], o2[1], o3[0], o3[1]
	for k, x0 := range a0 {
		row := (*[2]float32)(b[k*Columns:])
		b0, b1 := row[0], row[1]
		x1, x2, x3 := a1[k], a2[k], a3[k]
		s00 += float32(x0 * b0)
		s01 += float32(x0 * b1)
		s10 += float32(x1 * b0)
		s11 += float32(x1 * b1)
		s20 += float32(x2 * b0)
		s21 += float32(x2 * b1)
		s30 += float32(x3 * b0)
		s31 += float32(x3 * b1)
	}
	*o0, *o1 = [2]float32{s00, s01}, [2]float32{s10, s11}
	*o2, *o3 = [2]float32{s20, s21}, [2]float32{s30, s31}
}

// multiply1 does one row and four columns.
func multiply1(out, a, b []float32) {
	o := (*[4]float32)(out)
	s0, s1, s2, s3 := o[0], o[1], o[2], o[3]
	for k, x := range a {
		row := (*[4]float32)(b[k*Columns:])
		s0 += float32(x * row[0])
		s1 += float32(x * row[1])
		s2 += float32(x * row[2])
		s3 += float32(x * row[3])
	}
	*o = [4]float32{s0, s1, s2, s3}
}

// padded is the least multiple of Columns that is not below n.
func padded(n int) int { return (n + Columns - 1) / Columns * Columns }

// A linear is a layer of out = in·Wᵀ + bias, laid out in panels; columns beyond the last are 0.
type linear struct {
	in, out int
	panels  []float32
	bias    []float32 // padded(out) values
}

// place puts row c of the weights, which makes column c of the product, into its panel.
func (l *linear) place(c int, row []float32) {
	panel := l.panels[c/Columns*l.in*Columns:]
	for k, x := range row[:l.in] {
		panel[k*Columns+c%Columns] = x
	}
}

// apply computes rows of the layer: each sum begins with the bias. Both strides are the padded widths.
func (l *linear) apply(multiply Product, out, in []float32, rows int) {
	stride := padded(l.out)
	for r := range rows {
		copy(out[r*stride:(r+1)*stride], l.bias)
	}
	multiply(out, stride, in, padded(l.in), rows, l.in, l.panels)
}
