// Package weights holds the tensors of a model, and reads the files they come in: safetensors, and the packed file that
// a page loads.
package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Type is how a tensor's numbers are stored.
type Type string

// The types that can be read. Whole numbers occur in models beside the weights (position_ids) and have no values here.
const (
	F32  Type = "F32"
	F16  Type = "F16"  // IEEE 754 binary16
	BF16 Type = "BF16" // the upper half of a float32
	I8   Type = "I8"   // a row is a float32 scale and a signed byte for each value: value = scale · byte (packed files alone)
)

// sizes are the bytes of a value. Those that are no weights are listed because a file's bytes are all accounted for.
var sizes = map[Type]int{F32: 4, F16: 2, BF16: 2, I8: 1, "F64": 8, "I64": 8, "I32": 4, "I16": 2, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}

// A Tensor is one named array of a model, its numbers as they are stored, little-endian, last dimension fastest.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int
	data  []byte
	scale []float32 // of each row, where Type is I8 and the file is a packed one
}

// Rows is the number of rows: values of the last dimension that stand together. A vector is one row.
func (t Tensor) Rows() int {
	rows := 1
	for _, d := range t.Shape[:max(len(t.Shape)-1, 0)] {
		rows *= d
	}
	return rows
}

// Width is the number of values of a row.
func (t Tensor) Width() int {
	if len(t.Shape) == 0 {
		return 1
	}
	return t.Shape[len(t.Shape)-1]
}

// IsWeights says whether the tensor's numbers can be read as float32.
func (t Tensor) IsWeights() bool {
	return t.Type == F32 || t.Type == F16 || t.Type == BF16 || t.Type == I8 && t.scale != nil
}

// Row writes row i into a slice of Width values. Each conversion is exact, but for I8, whose product is rounded once.
func (t Tensor) Row(i int, into []float32) {
	n := t.Width()
	into = into[:n]
	switch t.Type {
	case F32:
		for j, row := 0, t.data[4*i*n:]; j < n; j++ {
			into[j] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*j:]))
		}
	case F16:
		for j, row := 0, t.data[2*i*n:]; j < n; j++ {
			into[j] = fromHalf(binary.LittleEndian.Uint16(row[2*j:]))
		}
	case BF16:
		for j, row := 0, t.data[2*i*n:]; j < n; j++ {
			into[j] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(row[2*j:])) << 16)
		}
	case I8:
		row, scale := t.data[i*n:(i+1)*n], t.scale[i]
		for j, b := range row {
			into[j] = scale * float32(int8(b))
		}
	default:
		panic("weights: " + string(t.Type) + " has no float32 values")
	}
}

// Values returns all values.
func (t Tensor) Values() []float32 {
	n := t.Width()
	out := make([]float32, t.Rows()*n)
	for i := range t.Rows() {
		t.Row(i, out[i*n:(i+1)*n])
	}
	return out
}

// Check looks for a value that is not a finite number.
func (t Tensor) Check() error {
	row := make([]float32, t.Width())
	for i := range t.Rows() {
		t.Row(i, row)
		for j, x := range row {
			if x-x != 0 {
				return fmt.Errorf("weights: tensor %s has %v in row %d, column %d: every weight must be a finite number: the file is damaged or of a model that failed in training", t.Name, x, i, j)
			}
		}
	}
	return nil
}

// fromHalf converts an IEEE 754 binary16 value exactly: 1 bit of sign, 5 of exponent, 10 of fraction.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // zero or subnormal: fraction · 2⁻²⁴
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// toHalf rounds to the nearest binary16 value, ties to even; what is too large becomes infinite.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign, abs := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case abs > 255<<23: // not a number
		return sign | 0x7e00
	case abs >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case abs < 113<<23: // below 2⁻¹⁴: the multiple of 2⁻²⁴ that is nearest; adding 2⁻¹ · 2⁰ leaves its bits lowest
		return sign | uint16(math.Float32bits(math.Float32frombits(abs)+0.5)-math.Float32bits(0.5))
	}
	return sign | uint16((abs-112<<23+0xfff+abs>>13&1)>>13)
}

// A Set is the tensors of a model in the order of their file.
type Set struct {
	list  []Tensor
	place map[string]int
}

// NewSet returns a set of tensors, each with a name of its own.
func NewSet(list ...Tensor) (*Set, error) {
	s := &Set{place: make(map[string]int, len(list))}
	for _, t := range list {
		if _, twice := s.place[t.Name]; twice {
			return nil, fmt.Errorf("weights: tensor %q is there twice", t.Name)
		}
		s.place[t.Name] = len(s.list)
		s.list = append(s.list, t)
	}
	return s, nil
}

// All returns the tensors in order.
func (s *Set) All() []Tensor { return slices.Clip(s.list) }

// Tensor returns a tensor by name.
func (s *Set) Tensor(name string) (Tensor, bool) {
	i, ok := s.place[name]
	if !ok {
		return Tensor{}, false
	}
	return s.list[i], true
}

// FromValues makes a tensor of float32 values.
func FromValues(name string, values []float32, shape ...int) Tensor {
	t := Tensor{Name: name, Type: F32, Shape: shape}
	if t.Rows()*t.Width() != len(values) {
		panic(fmt.Sprintf("weights: %d values for shape %v", len(values), shape))
	}
	for _, x := range values {
		t.data = binary.LittleEndian.AppendUint32(t.data, math.Float32bits(x))
	}
	return t
}

// Bytes returns the numbers as a packed file holds them: those of F32, F16 and BF16 as they are; of I8 the scales of all
// rows, float32, then the bytes.
func (t Tensor) Bytes() []byte {
	var out []byte
	for _, s := range t.scale {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(s))
	}
	return append(out, t.data...)
}

// Size is the length of a tensor's Bytes by its type and shape; ok is false where there can be no such tensor.
func Size(kind Type, shape []int) (n int64, ok bool) {
	dims := make([]int64, len(shape))
	for i, d := range shape {
		dims[i] = int64(d)
	}
	_, values, ok := shapeOf(dims)
	switch kind {
	case F32, F16, BF16:
		return values * int64(sizes[kind]), ok
	case I8:
		return values + 4*int64(Tensor{Shape: shape}.Rows()), ok
	}
	return 0, false
}

// FromBytes is a tensor of what Bytes returned. The bytes are not copied.
func FromBytes(name string, kind Type, shape []int, data []byte) (Tensor, error) {
	t := Tensor{Name: name, Type: kind, Shape: shape, data: data}
	if n, ok := Size(kind, shape); !ok || n != int64(len(data)) {
		return t, fmt.Errorf("weights: tensor %s: %d bytes for a shape of %v stored as %s: the file is damaged", name, len(data), shape, kind)
	}
	if kind == I8 {
		t.scale = make([]float32, t.Rows())
		for i := range t.scale {
			t.scale[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		t.data = data[4*len(t.scale):]
	}
	return t, nil
}

// Convert stores a tensor in another type: F16 rounds each value to the nearest; I8 gives each row the scale
// max|value|/127 and rounds value/scale to the nearest whole number, ties to even; F32 is exact.
func (t Tensor) Convert(to Type) Tensor {
	out := Tensor{Name: t.Name, Type: to, Shape: t.Shape}
	row := make([]float32, t.Width())
	for i := range t.Rows() {
		t.Row(i, row)
		switch to {
		case F32:
			for _, x := range row {
				out.data = binary.LittleEndian.AppendUint32(out.data, math.Float32bits(x))
			}
		case F16:
			for _, x := range row {
				out.data = binary.LittleEndian.AppendUint16(out.data, toHalf(x))
			}
		case I8:
			largest := float32(0)
			for _, x := range row {
				largest = max(largest, max(x, -x))
			}
			scale := largest / 127
			out.scale = append(out.scale, scale)
			for _, x := range row {
				b := 0.0
				if scale > 0 {
					b = max(-127, min(127, math.RoundToEven(float64(x)/float64(scale))))
				}
				out.data = append(out.data, byte(int8(b)))
			}
		default:
			panic("weights: cannot store as " + string(to))
		}
	}
	return out
}
