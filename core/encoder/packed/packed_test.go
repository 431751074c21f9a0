package packed_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"retrace/core/digest"
	"retrace/core/encoder"
	"retrace/core/encoder/packed"
	"retrace/core/encoder/weights"
	"retrace/internal/tinymodel"
)

func tokenizer(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("../wordpiece/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// wide is the tiny model with layers enough for several chunks.
func wide() encoder.Config {
	c := tinymodel.Config
	c.Hidden, c.Intermediate, c.Layers, c.Heads = 128, 512, 3, 4
	return c
}

func write(t testing.TB, kind weights.Type) []byte {
	t.Helper()
	set, err := weights.NewSet(tinymodel.Tensors(wide())...)
	if err != nil {
		t.Fatal(err)
	}
	file, err := packed.Write(packed.Header{Name: "tiny", Source: map[string]string{"a": "b"}, Config: wide()}, tokenizer(t), set, func(x weights.Tensor) weights.Type {
		if len(x.Shape) < 2 {
			return weights.F32
		}
		return kind
	})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRoundTrip: stored as float32 the model is the same to the bit; in fewer bits a vector turns by about the relative
// error of its weights, 2⁻¹¹/√3 for float16 and some 2⁻⁸ for 8 bits a row.
func TestRoundTrip(t *testing.T) {
	set, err := weights.NewSet(tinymodel.Tensors(wide())...)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := encoder.New(wide(), set)
	if err != nil {
		t.Fatal(err)
	}
	texts := [][]int32{{2, 50, 60, 70, 3}}
	want, err := plain.Encode(texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind  weights.Type
		least float64
	}{{weights.F32, 1}, {weights.F16, 0.99999}, {weights.I8, 0.999}} {
		r, err := packed.Read(write(t, c.kind))
		if err != nil {
			t.Fatal(err)
		}
		e, tok, err := r.Model()
		if err != nil || r.Header.Name != "tiny" || r.Header.Source["a"] != "b" {
			t.Fatal(r.Header, err)
		}
		if pieces, _, err := tok.Encode("a b", 0); err != nil || len(pieces) != 4 {
			t.Error(pieces, err)
		}
		got, err := e.Encode(texts)
		if err != nil {
			t.Fatal(err)
		}
		cosine := 0.0
		for i, x := range got[0] {
			cosine += float64(x) * float64(want[0][i])
		}
		if same := slices.Equal(got[0], want[0]); cosine < c.least-1e-6 || same != (c.kind == weights.F32) {
			t.Errorf("%s: cosine %v, the same to the bit: %v", c.kind, cosine, same)
		}
	}
}

// split returns header and body, join puts them together again with a length that fits.
func split(file []byte) (packed.Header, []byte) {
	n, err := packed.HeaderBytes(file)
	if err != nil {
		panic(err)
	}
	var h packed.Header
	if err := json.Unmarshal(file[packed.Start:n], &h); err != nil {
		panic(err)
	}
	return h, file[n:]
}

func join(h packed.Header, body []byte) []byte {
	header, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	return slices.Concat([]byte(packed.Magic), binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header, body)
}

// rehash makes the hashes fit a body that was changed by somebody who can.
func rehash(h packed.Header, body []byte) packed.Header {
	h.Chunks = nil
	for chunk := range slices.Chunk(body, packed.ChunkBytes) {
		h.Chunks = append(h.Chunks, digest.Hex(chunk))
	}
	return h
}

func TestDamage(t *testing.T) {
	file := write(t, weights.F32)
	h, body := split(file)
	if len(h.Chunks) < 3 {
		t.Fatalf("%d chunks: too few for this test", len(h.Chunks))
	}
	flipped := bytes.Clone(file)
	flipped[len(flipped)-1] ^= 1
	nan := bytes.Clone(body)
	copy(nan[len(nan)-4:], []byte{0, 0, 0xc0, 0x7f})
	fewer := h
	fewer.Tensors = h.Tensors[:len(h.Tensors)-1] // 128 values of float32
	edit := func(f func(*packed.Header)) []byte {
		other, _ := split(file)
		f(&other)
		return join(other, body)
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "no packed model"},
		{"another file", []byte("PK\x03\x04 this is a zip archive"), "no packed model"},
		{"only its start", file[:packed.Start+10], "cut short"},
		{"cut short", file[:len(file)-1], "chunk 3 has"},
		{"cut at a chunk", file[:len(file)-len(body)+packed.ChunkBytes], "chunk 2 has 0 bytes"},
		{"a byte more", append(bytes.Clone(file), 0), "1 bytes after the last chunk"},
		{"a bit altered", flipped, "it was damaged on its way or changed"},
		{"not a number", join(rehash(h, nan), nan), "has NaN"},
		{"a huge header", slices.Concat([]byte(packed.Magic), []byte{255, 255, 255, 255}), "header of 4294967295 bytes"},
		{"no JSON", slices.Concat([]byte(packed.Magic), []byte{1, 0, 0, 0}, []byte("x")), "header: invalid"},
		{"a tensor too few", join(rehash(fewer, body[:len(body)-4*128]), body[:len(body)-4*128]), "1 tensors are missing"},
		{"a hash too few", edit(func(h *packed.Header) { h.Chunks = h.Chunks[1:] }), "2 hashes of chunks"},
		{"a huge tensor", edit(func(h *packed.Header) { h.Tensors[0].Shape = []int{1 << 20, 1 << 20} }), "no packed model has that"},
		{"a negative tensor", edit(func(h *packed.Header) { h.Tensors[0].Shape[0] = -1 }), "no packed model has that"},
		{"an unknown type", edit(func(h *packed.Header) { h.Tensors[0].Type = "I4" }), "no packed model has that"},
		{"another shape", edit(func(h *packed.Header) { h.Config.Vocabulary++ }), "the files are of several models"},
		{"a model that cannot be", edit(func(h *packed.Header) { h.Config.Heads = 3 }), "shared out to 3 heads"},
		{"a tokenizer that is none", edit(func(h *packed.Header) { h.Tokenizer -= 4; h.Tensors[0].Shape[0]++ }), "wordpiece: tokenizer.json"},
	} {
		r, err := packed.Read(c.file)
		if err == nil {
			_, _, err = r.Model()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	r, err := packed.NewReader(file[:len(file)-len(body)])
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(body[:packed.ChunkBytes]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Model(); err == nil || !strings.Contains(err.Error(), "1 of 3 chunks are there") {
		t.Errorf("before the end: %v", err)
	}
}

// TestTooLargeForHalf: a weight beyond 65504 has no float16, and is not written as infinite.
func TestTooLargeForHalf(t *testing.T) {
	list := tinymodel.Tensors(tinymodel.Config)
	values := list[0].Values()
	values[0] = 1e6
	list[0] = weights.FromValues(list[0].Name, values, list[0].Shape...)
	set, err := weights.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = packed.Write(packed.Header{Config: tinymodel.Config}, tokenizer(t), set, func(weights.Tensor) weights.Type { return weights.F16 })
	if err == nil || !strings.Contains(err.Error(), "has +Inf") {
		t.Error(err)
	}
}

// FuzzRead looks for a panic, and for more memory than a file's size can justify.
func FuzzRead(f *testing.F) {
	set, err := weights.NewSet(tinymodel.Tensors(tinymodel.Config)...)
	if err != nil {
		f.Fatal(err)
	}
	file, err := packed.Write(packed.Header{Config: tinymodel.Config}, tokenizer(f), set, func(weights.Tensor) weights.Type { return weights.I8 })
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := packed.Read(data)
		if err != nil {
			return
		}
		if e, _, err := r.Model(); err == nil {
			for _, v := range must(e.Encode([][]int32{{0}})) {
				for _, x := range v {
					if math.IsNaN(float64(x)) {
						t.Fatal("a vector with not a number")
					}
				}
			}
		}
	})
}

func must(v [][]float32, _ error) [][]float32 { return v }
