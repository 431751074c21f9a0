package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Bounds on a file's header and on what it may declare.
const (
	maxHeader  = 16 << 20
	maxTensors = 1 << 16
	maxRank    = 8
)

// ParseSafetensors reads a safetensors file (github.com/huggingface/safetensors, README, "Format"): the header's length
// as 8 bytes, little-endian, the header as JSON, then the tensors' bytes. Everything that the format promises is checked:
// each tensor has a name of its own, a known type and as many bytes as its shape takes, and the tensors cover the rest of
// the file, without a hole and without overlap. The bytes are not copied: the file must not be changed afterwards.
func ParseSafetensors(file []byte) (*Set, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("weights: safetensors file of %d bytes: it is cut short", len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeader {
		return nil, fmt.Errorf("weights: safetensors header of %d bytes: at most %d are read: this is most likely no safetensors file", n, maxHeader)
	}
	if uint64(len(file)-8) < n {
		return nil, fmt.Errorf("weights: safetensors header of %d bytes in a file of %d: it is cut short", n, len(file))
	}
	header, data := file[8:8+n], file[8+n:]
	entries, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	var list []Tensor
	end := int64(0)
	for _, e := range entries {
		t, err := e.tensor()
		if err != nil {
			return nil, err
		}
		if e.Offsets[0] != end {
			return nil, fmt.Errorf("weights: tensor %s begins at byte %d, the one before it ends at %d: tensors must follow each other without a hole", e.name, e.Offsets[0], end)
		}
		if end = e.Offsets[1]; end > int64(len(data)) {
			return nil, fmt.Errorf("weights: tensor %s ends at byte %d, but there are %d bytes: the file is cut short", e.name, end, len(data))
		}
		t.data = data[e.Offsets[0]:end:end]
		list = append(list, t)
	}
	if end != int64(len(data)) {
		return nil, fmt.Errorf("weights: %d bytes after the last tensor: the file is altered or was put together wrongly", int64(len(data))-end)
	}
	return NewSet(list...)
}

// An entry is what the header says of a tensor.
type entry struct {
	name    string
	Type    Type     `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"-"`
	Raw     []int64  `json:"data_offsets"`
}

// parseHeader reads the header's object token by token, because a name that is there twice must not be lost.
func parseHeader(header []byte) ([]entry, error) {
	if !utf8.Valid(header) {
		return nil, fmt.Errorf("weights: safetensors header is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	bad := func(err error) error { return fmt.Errorf("weights: safetensors header: %w", err) }
	if t, err := d.Token(); err != nil {
		return nil, bad(err)
	} else if t != json.Delim('{') {
		return nil, bad(fmt.Errorf("it is no JSON object"))
	}
	var entries []entry
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, bad(err)
		}
		name := key.(string) // the decoder accepts no other key
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, bad(err)
		}
		if name == "__metadata__" {
			var about map[string]string // about the file, for people
			if err := json.Unmarshal(raw, &about); err != nil {
				return nil, bad(err)
			}
			continue
		}
		e := entry{name: name}
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&e); err != nil {
			return nil, bad(fmt.Errorf("tensor %q: %w", name, err))
		}
		if len(e.Raw) != 2 || e.Shape == nil {
			return nil, bad(fmt.Errorf("tensor %q: dtype, shape and two data_offsets must be there", name))
		}
		e.Offsets = [2]int64{e.Raw[0], e.Raw[1]}
		if entries = append(entries, e); len(entries) > maxTensors {
			return nil, bad(fmt.Errorf("more than %d tensors", maxTensors))
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, bad(err)
	}
	if rest := bytes.TrimRight(header[d.InputOffset():], " "); len(rest) > 0 { // the format pads with spaces
		return nil, bad(fmt.Errorf("%d bytes after its end", len(rest)))
	}
	return entries, nil
}

// tensor checks an entry by itself.
func (e entry) tensor() (Tensor, error) {
	size, ok := sizes[e.Type]
	if !ok {
		return Tensor{}, fmt.Errorf("weights: tensor %s has type %q, which is not known here: F32, F16 and BF16 are read", e.name, e.Type)
	}
	shape, values, ok := shapeOf(e.Shape)
	if !ok {
		return Tensor{}, fmt.Errorf("weights: tensor %s has the shape %v, which no tensor of a model has", e.name, e.Shape)
	}
	if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1]-e.Offsets[0] != values*int64(size) {
		return Tensor{}, fmt.Errorf("weights: tensor %s takes bytes %d to %d, but %v values of type %s are %d bytes", e.name, e.Offsets[0], e.Offsets[1], e.Shape, e.Type, values*int64(size))
	}
	return Tensor{Name: e.name, Type: e.Type, Shape: shape}, nil
}

// shapeOf checks a shape and counts its values; they stay far below what an int64 holds.
func shapeOf(dims []int64) (shape []int, values int64, ok bool) {
	if len(dims) > maxRank {
		return nil, 0, false
	}
	values = 1
	shape = make([]int, len(dims))
	for i, d := range dims {
		if d < 1 || d > 1<<31-1 || values*d > 1<<31-1 {
			return nil, 0, false
		}
		values *= d
		shape[i] = int(d)
	}
	return shape, values, true
}

// Safetensors writes tensors as a safetensors file, in their order.
func Safetensors(list ...Tensor) ([]byte, error) {
	header := []byte{'{'}
	at := 0
	for i, t := range list {
		if t.scale != nil {
			return nil, fmt.Errorf("weights: tensor %s is stored in 8 bits a row, which safetensors files don't have", t.Name)
		}
		if i > 0 {
			header = append(header, ',')
		}
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		shape, err := json.Marshal(t.Shape)
		if err != nil {
			return nil, err
		}
		header = fmt.Appendf(header, `%s:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, t.Type, shape, at, at+len(t.data))
		at += len(t.data)
	}
	header = append(header, '}')
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(header)+at), uint64(len(header)))
	out = append(out, header...)
	for _, t := range list {
		out = append(out, t.data...)
	}
	return out, nil
}
