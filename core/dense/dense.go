// Package dense holds text embeddings and their cosines: the vectors of a collection or of its questions, read from
// bytes and checked against their sidecar, and exact dot products over them.
//
// A vector file is count × dimension float32 values, little-endian, one text's after the other's in the order of the
// texts, without a header. Its sidecar is a small JSON object (Sidecar) that says which model made it and what it holds.
//
// Vectors have length 1, so that a dot product is a cosine. Each is a sum in float64 in ascending order of dimension.
// The product of two float32 values is exact in float64 (24 + 24 bits of 53), so that only the additions round.
package dense

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"retrace/core/records"

	"retrace/core/digest"
)

// DType is the only type of number that a vector file holds.
const DType = "float32 little-endian"

// Bounds on what Parse accepts; they keep count × dimension × 8 bytes far from overflow.
const (
	maxDimension = 1 << 16
	maxCount     = 1 << 28
	maxSidecar   = 16 << 20 // bytes of JSON, most of them the names of truncated texts
)

// normTolerance is how far the square of a vector's length may be from 1: rounding each component to float32 moves it
// by less than 2·2⁻²⁴ relative, about 1.2e-7.
const normTolerance = 1e-5

// A Sidecar says what is in a vector file.
type Sidecar struct {
	Dimension int    `json:"dimension"` // float32 values a vector
	Count     int    `json:"count"`     // vectors
	DType     string `json:"dtype"`     // DType
	Order     string `json:"order"`     // of the vectors, in words
	Model     Model  `json:"model"`
	Runtime   string `json:"runtime"`   // name and version of what ran the model, and how
	Tokenizer string `json:"tokenizer"` // name and version

	MaxWordPieces int      `json:"maxWordPieces"` // of a text, with the special tokens; what is beyond was cut off
	Pooling       string   `json:"pooling"`       // how a text's vector came from its tokens', in words
	Truncated     []string `json:"truncated"`     // IDs of the texts that were cut off, in their order
	SHA256        string   `json:"sha256"`        // of the vector file, lower-case hex

	// The rest is there where vectors were made by native encode.

	Input *Input `json:"input,omitempty"`
	// RuntimeSHA256 is the hash of the runtime's library.
	RuntimeSHA256 string `json:"runtimeSha256,omitempty"`
	// NotPinned names the parts (model, tokenizer, runtime) that are not the ones this project pins by hash.
	NotPinned []string `json:"notPinned,omitempty"`
	// Shard is "I/N" where the file holds only part I of N of its input.
	Shard string `json:"shard,omitempty"`
}

// A Model is named by what it is called and by the hashes of its two files. Weights that were read from a safetensors file
// are named by the ONNX file that is known to hold the same ones, else by the safetensors file's own hash.
type Model struct {
	Name            string `json:"name"`
	ONNXSHA256      string `json:"onnxSha256"`
	TokenizerSHA256 string `json:"tokenizerSha256"`
}

// An Input says which texts were encoded.
type Input struct {
	SHA256    string `json:"sha256"`    // of the file with the texts
	IDsSHA256 string `json:"idsSha256"` // of the texts' IDs in order, a newline after each (HashIDs)
	Text      string `json:"text"`      // which text of a record was encoded, in words
}

// HashIDs returns the hash that Input.IDsSHA256 holds: it ties the order of a vector file to the order of a collection.
func HashIDs(ids []string) string {
	var lines bytes.Buffer
	for _, id := range ids {
		lines.WriteString(id)
		lines.WriteByte('\n')
	}
	return digest.Hex(lines.Bytes())
}

// ParseSidecar reads a sidecar and checks it by itself. Unknown fields are errors.
func ParseSidecar(file []byte) (Sidecar, error) {
	var s Sidecar
	if len(file) > maxSidecar {
		return s, fmt.Errorf("dense: sidecar has %d bytes: at most %d are read", len(file), maxSidecar)
	}
	if err := records.Decode("sidecar", 0, file, &s); err != nil {
		return s, fmt.Errorf("dense: %w", err)
	}
	switch {
	case s.Dimension < 1 || s.Dimension > maxDimension:
		return s, fmt.Errorf("dense: sidecar: dimension is %d: it must be 1 to %d", s.Dimension, maxDimension)
	case s.Count < 0 || s.Count > maxCount:
		return s, fmt.Errorf("dense: sidecar: count is %d: it must be 0 to %d", s.Count, maxCount)
	case s.DType != DType:
		return s, fmt.Errorf("dense: sidecar: dtype is %q: only %q is read", s.DType, DType)
	}
	for _, h := range []struct{ name, hash string }{
		{"sha256", s.SHA256}, {"model.onnxSha256", s.Model.ONNXSHA256}, {"model.tokenizerSha256", s.Model.TokenizerSHA256},
	} {
		if !isHash(h.hash) {
			return s, fmt.Errorf("dense: sidecar: %s is %q: 64 lower-case hexadecimal digits are expected", h.name, h.hash)
		}
	}
	return s, nil
}

func isHash(s string) bool {
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return len(s) == 2*digest.Size
}

// A Matrix is the vectors of some texts, a row each, in the texts' order. It is not changed after it was made.
type Matrix struct {
	sidecar   Sidecar
	dimension int
	rows      []float32
}

// Parse reads a vector file with its sidecar and checks all that can be checked: size, hash, that every value is finite
// and every vector has length 1, and that there are wantCount vectors (any number, if wantCount is negative).
func Parse(vectors, sidecar []byte, wantCount int) (*Matrix, error) {
	s, err := ParseSidecar(sidecar)
	if err != nil {
		return nil, err
	}
	if wantCount >= 0 && s.Count != wantCount {
		return nil, fmt.Errorf("dense: sidecar: count is %d, but there are %d texts: these are the vectors of other texts", s.Count, wantCount)
	}
	if want := int64(s.Count) * int64(s.Dimension) * 4; int64(len(vectors)) != want {
		return nil, fmt.Errorf("dense: vector file has %d bytes, but its sidecar says %d × %d × 4 = %d: it is cut off or another file's sidecar is beside it",
			len(vectors), s.Count, s.Dimension, want)
	}
	if sum := digest.Hex(vectors); sum != s.SHA256 {
		return nil, fmt.Errorf("dense: vector file has SHA-256 %s, but its sidecar says %s: it was changed or another file's sidecar is beside it", sum, s.SHA256)
	}
	rows := make([]float32, s.Count*s.Dimension)
	for i := range rows {
		rows[i] = math.Float32frombits(binary.LittleEndian.Uint32(vectors[4*i:]))
	}
	m := &Matrix{s, s.Dimension, rows}
	for i := range s.Count {
		if err := CheckUnit(m.Row(i)); err != nil {
			return nil, fmt.Errorf("dense: vector %d of %d: %w", i+1, s.Count, err)
		}
	}
	return m, nil
}

// CheckUnit says what keeps v from being a unit vector: a value that is not finite, or another length.
func CheckUnit(v []float32) error {
	for j, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("dimension %d is %v: every value must be finite", j, x)
		}
	}
	if square := Dot(v, v); !(math.Abs(square-1) <= normTolerance) {
		return fmt.Errorf("its length is %.6g: it must be 1 (L2-normalised)", math.Sqrt(square))
	}
	return nil
}

// Bytes returns the vector file of rows, each of the same dimension.
func Bytes(rows ...[]float32) []byte {
	var out []byte
	for _, row := range rows {
		for _, x := range row {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	return out
}

// Sidecar returns what the vectors' sidecar said.
func (m *Matrix) Sidecar() Sidecar { return m.sidecar }

// Dimension returns the number of values of a vector.
func (m *Matrix) Dimension() int { return m.dimension }

// Count returns the number of vectors.
func (m *Matrix) Count() int { return m.sidecar.Count }

// Row returns vector i, from 0. It is part of the matrix and must not be changed.
func (m *Matrix) Row(i int) []float32 {
	return slices.Clip(m.rows[i*m.dimension : (i+1)*m.dimension])
}

// CheckComparable says why the vectors of questions and of documents must not be compared: different dimensions or
// different models.
func CheckComparable(questions, documents *Matrix) error {
	q, d := questions.sidecar, documents.sidecar
	switch {
	case q.Dimension != d.Dimension:
		return fmt.Errorf("dense: questions have dimension %d, documents %d: encode both with one model", q.Dimension, d.Dimension)
	case q.Model.ONNXSHA256 != d.Model.ONNXSHA256 || q.Model.TokenizerSHA256 != d.Model.TokenizerSHA256:
		return fmt.Errorf("dense: questions and documents were encoded by different models (onnx %.12s… and %.12s…): encode both with one", q.Model.ONNXSHA256, d.Model.ONNXSHA256)
	}
	return nil
}

// CheckOrder says whether the vectors are those of texts with these IDs in this order, as far as the sidecar tells:
// their number, and their hash where it is there.
func (m *Matrix) CheckOrder(ids []string) error {
	if len(ids) != m.sidecar.Count {
		return fmt.Errorf("dense: %d vectors for %d texts: these are the vectors of other texts", m.sidecar.Count, len(ids))
	}
	if in := m.sidecar.Input; in != nil && in.IDsSHA256 != HashIDs(ids) {
		return errors.New("dense: the vectors were made from texts with other IDs or in another order: encode these texts")
	}
	return nil
}

// Dot returns the dot product of two vectors of one dimension: products exact, added in ascending order of dimension.
// Of unit vectors it is the cosine.
func Dot(a, b []float32) float64 {
	b = b[:len(a)]
	sum := 0.0
	for j, x := range a {
		sum += float64(float64(x) * float64(b[j]))
	}
	return sum
}

// Scores returns Dot(row, query) for each row. It panics if query has another dimension (CheckComparable tells before).
func (m *Matrix) Scores(query []float32) []float64 {
	scores := make([]float64, m.Count())
	m.ScoresInto(scores, query)
	return scores
}

// ScoresInto is Scores into a slice of Count values.
//
// Eight rows are summed side by side: an addition waits for the one before it, so that one sum alone leaves the
// processor idle. Each sum keeps its own order, so that the bits are those of Dot.
func (m *Matrix) ScoresInto(scores []float64, query []float32) {
	if len(query) != m.dimension || len(scores) != m.Count() {
		panic(fmt.Sprintf("dense: query of %d values and %d scores for %d vectors of %d values", len(query), len(scores), m.Count(), m.dimension))
	}
	const block = 8
	n := len(query)
	i := 0
	for ; i+block <= len(scores); i += block {
		rows := m.rows[i*n : (i+block)*n]
		r0, r1, r2, r3 := rows[0:n], rows[n:2*n], rows[2*n:3*n], rows[3*n:4*n]
		r4, r5, r6, r7 := rows[4*n:5*n], rows[5*n:6*n], rows[6*n:7*n], rows[7*n:8*n]
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for j, q := range query {
			x := float64(q)
			s0 += float64(x * float64(r0[j]))
			s1 += float64(x * float64(r1[j]))
			s2 += float64(x * float64(r2[j]))
			s3 += float64(x * float64(r3[j]))
			s4 += float64(x * float64(r4[j]))
			s5 += float64(x * float64(r5[j]))
			s6 += float64(x * float64(r6[j]))
			s7 += float64(x * float64(r7[j]))
		}
		copy(scores[i:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for ; i < len(scores); i++ {
		scores[i] = Dot(m.Row(i), query)
	}
}
