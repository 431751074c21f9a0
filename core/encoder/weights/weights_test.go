package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestHalf has values of IEEE 754-2019, table 3.5 and its text: 1 is 0x3c00, the largest 65504, the least normal 2⁻¹⁴, the
// least of all 2⁻²⁴.
func TestHalf(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		bits  uint16
		value float32
	}{
		{0, 0}, {0x3c00, 1}, {0xc000, -2}, {0x7bff, 65504}, {0x0400, 0x1p-14}, {0x03ff, 1023 * 0x1p-24}, {1, 0x1p-24},
		{0x8001, -0x1p-24}, {0x3555, 0.333251953125}, {0x7c00, inf}, {0xfc00, -inf},
	} {
		if got := fromHalf(c.bits); got != c.value {
			t.Errorf("%#04x is %v, want %v", c.bits, got, c.value)
		}
		if got := toHalf(c.value); got != c.bits {
			t.Errorf("%v becomes %#04x, want %#04x", c.value, got, c.bits)
		}
	}
	// Ties go to the even neighbour; what is beyond halfway to 65536 becomes infinite.
	for _, c := range []struct {
		value float32
		bits  uint16
	}{
		{1 + 0x1p-11, 0x3c00}, {1 + 3*0x1p-11, 0x3c02}, {1 + 0x1p-11 + 0x1p-20, 0x3c01}, {0x1p-25, 0}, {3 * 0x1p-25, 2},
		{0x1p-25 + 0x1p-40, 1}, {65519.996, 0x7bff}, {65520, 0x7c00}, {1e30, 0x7c00}, {0x1p-14 - 0x1p-26, 0x0400},
	} {
		if got := toHalf(c.value); got != c.bits {
			t.Errorf("%v becomes %#04x, want %#04x", c.value, got, c.bits)
		}
	}
	// Every value comes back as it was, and neighbours are in order.
	last := float32(-1)
	for bits := range uint16(0x7c01) {
		x := fromHalf(bits)
		if x <= last || toHalf(x) != bits || toHalf(-x) != bits|0x8000 {
			t.Fatalf("%#04x: %v after %v, comes back as %#04x", bits, x, last, toHalf(x))
		}
		last = x
	}
	if x := fromHalf(0x7e01); x == x || toHalf(x)&0x7c00 != 0x7c00 || toHalf(x)&0x3ff == 0 {
		t.Error("not a number becomes one")
	}
}

// TestBrainHalf: a bfloat16 is the upper half of a float32.
func TestBrainHalf(t *testing.T) {
	x := Tensor{Name: "x", Type: BF16, Shape: []int{2, 2}, data: []byte{0x80, 0x3f, 0x49, 0x40, 0, 0x80, 0x20, 0xc1}}
	want := []float32{1, 3.140625, float32(math.Copysign(0, -1)), -10}
	if got := x.Values(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRows of 8 bits: the largest magnitude of a row is 127 or −127 times its scale. By hand: scales 127/127 = 1 and
// 254/127 = 2, values 0.5 and 1.5 are ties that go to even, −3/2 = −1.5 goes to −2.
func TestRows(t *testing.T) {
	x := FromValues("x", []float32{127, 0.5, 1.5, -254, -3, 2, 0, 0, 0}, 3, 3).Convert(I8)
	if want := []float32{127, 0, 2, -254, -4, 2, 0, 0, 0}; !slices.Equal(x.Values(), want) {
		t.Errorf("%v, want %v", x.Values(), want)
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float32Range(-10, 10), 8, 8).Draw(t, "values")
		x := FromValues("x", values, 2, 4)
		for _, to := range []Type{F32, F16, I8} {
			got := x.Convert(to).Values()
			for i, v := range values {
				row := values[i/4*4 : i/4*4+4]
				allowed := map[Type]float64{F32: 0, F16: math.Max(math.Abs(float64(v))*0x1p-11, 0x1p-25)}[to]
				if to == I8 {
					allowed = float64(max(slices.Max(row), -slices.Min(row))) / 127 * 0.5001
				}
				if d := math.Abs(float64(got[i]) - float64(v)); d > allowed {
					t.Fatalf("%s: %v becomes %v", to, v, got[i])
				}
			}
		}
	})
}

func file(header string, data ...byte) []byte {
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), data)
}

// TestSafetensors reads a file that is written out by hand.
func TestSafetensors(t *testing.T) {
	header := `{"b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]},"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}  `
	set, err := ParseSafetensors(file(header, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 1, 2, 3, 4, 5, 6, 7, 8))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := set.Tensor("a")
	if !ok || !slices.Equal(a.Values(), []float32{1, -2}) || a.Rows() != 1 || a.Width() != 2 {
		t.Errorf("%+v", a)
	}
	if b, ok := set.Tensor("b"); !ok || b.IsWeights() {
		t.Errorf("%+v", b)
	}
	if all := set.All(); len(all) != 2 || all[0].Name != "a" {
		t.Errorf("%+v", all)
	}
	if _, ok := set.Tensor("c"); ok {
		t.Error("a tensor that is not there")
	}
	written, err := Safetensors(set.All()...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseSafetensors(written)
	if err != nil || len(again.All()) != 2 {
		t.Fatal(err)
	}
}

func TestSafetensorsErrors(t *testing.T) {
	one := func(entry string) string { return `{"a":` + entry + `}` }
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "cut short"},
		{"a header that is longer than the file", file("{}")[:9], "cut short"},
		{"a huge header", bytes.Repeat([]byte{0xff}, 16), "most likely no safetensors file"},
		{"no JSON", file("x"), "header: invalid"},
		{"a list", file("[]"), "no JSON object"},
		{"not UTF-8", file("{\"\xff\":1}"), "not UTF-8"},
		{"more after the header", file("{}x"), "1 bytes after its end"},
		{"an unknown field", file(one(`{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}`), 0, 0, 0, 0), "unknown field"},
		{"no shape", file(one(`{"dtype":"F32","data_offsets":[0,4]}`), 0, 0, 0, 0), "must be there"},
		{"an unknown type", file(one(`{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}`), 0), `type "F8_E4M3"`},
		{"a size that doesn't fit", file(one(`{"dtype":"F32","shape":[2],"data_offsets":[0,4]}`), 0, 0, 0, 0), "[2] values of type F32 are 8 bytes"},
		{"a negative size", file(one(`{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}`), 0, 0, 0, 0), "shape [-1]"},
		{"a size that overflows", file(one(`{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}`)), "shape [4294967296 4294967296]"},
		{"offsets backwards", file(one(`{"dtype":"F32","shape":[1],"data_offsets":[4,0]}`), 0, 0, 0, 0), "takes bytes 4 to 0"},
		{"cut short", file(one(`{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`), 0, 0), "cut short"},
		{"a byte too many", file(one(`{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`), 0, 0, 0, 0, 0), "1 bytes after the last tensor"},
		{"a hole", file(one(`{"dtype":"U8","shape":[1],"data_offsets":[1,2]}`), 0, 0), "without a hole"},
		{"an overlap", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 0, 0), "without a hole"},
		{"a name twice", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 0, 0), `"a" is there twice`},
	} {
		if _, err := ParseSafetensors(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// FuzzSafetensors looks for a panic, and for a tensor that has not the bytes its shape takes.
func FuzzSafetensors(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, 0, 0, 128, 63))
	f.Add(file(`{"a":{"dtype":"F16","shape":[],"data_offsets":[0,2]},"__metadata__":{}}`, 0, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := ParseSafetensors(data)
		if err != nil {
			return
		}
		total := 0
		for _, x := range set.All() {
			if len(x.data) != x.Rows()*x.Width()*sizes[x.Type] {
				t.Fatal(fmt.Sprint(x.Name, x.Shape, len(x.data)))
			}
			total += len(x.data)
			if x.IsWeights() {
				x.Check()
			}
		}
		if n := binary.LittleEndian.Uint64(data); uint64(total)+8+n != uint64(len(data)) {
			t.Fatal("bytes that no tensor has")
		}
	})
}
