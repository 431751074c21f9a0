// Package packed writes and reads a sentence encoder as one file that a page can load in parts: hashed in chunks, its
// tensors in the order in which a text needs them.
//
// The file is Magic, the length of the header as 4 bytes, little-endian, the header as JSON, then the body: tokenizer.json,
// then the tensors' bytes (weights.Tensor.Bytes). The body's hashes are in the header, chunk by chunk, so that whoever knows
// the header's hash knows all, and a damaged chunk is told as soon as it is there.
package packed

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"retrace/core/digest"
	"retrace/core/encoder"
	"retrace/core/encoder/weights"
	"retrace/core/encoder/wordpiece"
)

// Magic begins every file and names the version of its layout.
const Magic = "retrace-model/1\n"

// ChunkBytes is the length of a chunk; the last may be shorter.
const ChunkBytes = 1 << 20

// Bounds on what a header may declare.
const (
	maxHeader = 4 << 20
	maxBody   = 2 << 30
)

// A Header says what a file holds.
type Header struct {
	Name string `json:"name"` // of the model, for people
	// Source has the SHA-256 of each file that the model was made from, by name: model.safetensors, tokenizer.json and its
	// configuration.
	Source    map[string]string `json:"source"`
	Config    encoder.Config    `json:"config"`
	Tokenizer int               `json:"tokenizer"` // bytes of tokenizer.json
	Tensors   []Tensor          `json:"tensors"`
	Chunks    []string          `json:"chunks"` // SHA-256 of each, lower-case hex
}

// A Tensor is one tensor of a file.
type Tensor struct {
	Name  string       `json:"name"`
	Type  weights.Type `json:"type"`
	Shape []int        `json:"shape"`
}

// Write makes a file of a model. The tensors come in the order of encoder.Names, stored as kind says; the header's Tokenizer,
// Tensors and Chunks are filled here.
func Write(h Header, tokenizer []byte, set *weights.Set, kind func(weights.Tensor) weights.Type) ([]byte, error) {
	if _, err := wordpiece.Parse(tokenizer); err != nil {
		return nil, err
	}
	h.Tokenizer, h.Tensors = len(tokenizer), nil
	body := bytes.Clone(tokenizer)
	names, err := encoder.Names(h.Config)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, ok := set.Tensor(name)
		if !ok {
			t, ok = set.Tensor("bert." + name)
		}
		if !ok {
			return nil, fmt.Errorf("packed: the model has no tensor %s", name)
		}
		t.Name = name
		t = t.Convert(kind(t))
		if err := t.Check(); err != nil { // a value may be too large for its new type
			return nil, err
		}
		h.Tensors = append(h.Tensors, Tensor{name, t.Type, t.Shape})
		body = append(body, t.Bytes()...)
	}
	h.Chunks = nil
	for from := 0; from < len(body); from += ChunkBytes {
		h.Chunks = append(h.Chunks, digest.Hex(body[from:min(from+ChunkBytes, len(body))]))
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint32([]byte(Magic), uint32(len(header)))
	return append(append(out, header...), body...), nil
}

// HeaderBytes is how many bytes the header takes with what stands before it, by the first Start bytes of a file.
func HeaderBytes(start []byte) (int, error) {
	if len(start) < Start || string(start[:len(Magic)]) != Magic {
		return 0, errors.New("packed: this is no packed model of this version: it must begin with " + Magic[:len(Magic)-1])
	}
	n := binary.LittleEndian.Uint32(start[len(Magic):])
	if n > maxHeader {
		return 0, fmt.Errorf("packed: a header of %d bytes: at most %d are read", n, maxHeader)
	}
	return Start + int(n), nil
}

// Start is how many bytes HeaderBytes needs.
const Start = len(Magic) + 4

// A Reader takes a file chunk by chunk and lays the model out as it comes.
type Reader struct {
	Header    Header
	Body      int64 // bytes after the header
	builder   *encoder.Builder
	tokenizer *wordpiece.Tokenizer
	part      []byte // what has come of the tokenizer or tensor that is next
	want      int64  // its length
	tensor    int    // of Header.Tensors, the next; −1: the tokenizer
	chunk     int    // the next
}

// NewReader begins with the header, as many bytes as HeaderBytes says. Everything that it declares is checked before
// anything is set aside for it.
func NewReader(head []byte) (*Reader, error) {
	n, err := HeaderBytes(head)
	if err != nil {
		return nil, err
	}
	if len(head) != n {
		return nil, fmt.Errorf("packed: %d bytes of a header of %d: the file is cut short", len(head), n)
	}
	r := &Reader{tensor: -1}
	d := json.NewDecoder(bytes.NewReader(head[Start:]))
	d.DisallowUnknownFields()
	if err := d.Decode(&r.Header); err != nil {
		return nil, fmt.Errorf("packed: header: %w", err)
	}
	if r.builder, err = encoder.NewBuilder(r.Header.Config); err != nil {
		return nil, err
	}
	if r.Header.Tokenizer < 1 || r.Header.Tokenizer > maxHeader*16 {
		return nil, fmt.Errorf("packed: a tokenizer of %d bytes", r.Header.Tokenizer)
	}
	r.want, r.Body = int64(r.Header.Tokenizer), int64(r.Header.Tokenizer)
	for _, t := range r.Header.Tensors {
		size, ok := weights.Size(t.Type, t.Shape)
		if r.Body += size; !ok || r.Body > maxBody {
			return nil, fmt.Errorf("packed: tensor %s, %v stored as %q: no packed model has that", t.Name, t.Shape, t.Type)
		}
	}
	if chunks := (r.Body + ChunkBytes - 1) / ChunkBytes; int64(len(r.Header.Chunks)) != chunks {
		return nil, fmt.Errorf("packed: %d hashes of chunks, where %d bytes have %d: the header is damaged", len(r.Header.Chunks), r.Body, chunks)
	}
	return r, nil
}

// Next is the length of the chunk that Add takes next, 0 after the last.
func (r *Reader) Next() int {
	return int(min(ChunkBytes, r.Body-int64(r.chunk)*ChunkBytes))
}

// Add takes the next chunk.
func (r *Reader) Add(chunk []byte) error {
	if len(chunk) != r.Next() || len(chunk) == 0 {
		return fmt.Errorf("packed: chunk %d has %d bytes, %d are expected: the file is cut short or has another length", r.chunk+1, len(chunk), r.Next())
	}
	if sum := digest.Hex(chunk); sum != r.Header.Chunks[r.chunk] {
		return fmt.Errorf("packed: chunk %d of %d has SHA-256 %.12s…, the header says %.12s…: it was damaged on its way or changed: load it again", r.chunk+1, len(r.Header.Chunks), sum, r.Header.Chunks[r.chunk])
	}
	r.chunk++
	for len(chunk) > 0 {
		if r.part == nil {
			r.part = make([]byte, 0, r.want)
		}
		n := min(int64(len(chunk)), r.want-int64(len(r.part)))
		r.part = append(r.part, chunk[:n]...)
		chunk = chunk[n:]
		if int64(len(r.part)) == r.want {
			if err := r.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take hands on what is whole.
func (r *Reader) take() error {
	if r.tensor < 0 {
		var err error
		if r.tokenizer, err = wordpiece.Parse(r.part); err != nil {
			return err
		}
	} else {
		h := r.Header.Tensors[r.tensor]
		t, err := weights.FromBytes(h.Name, h.Type, h.Shape, r.part)
		if err != nil {
			return err
		}
		if err := r.builder.Add(t); err != nil {
			return err
		}
	}
	r.part = nil
	if r.tensor++; r.tensor < len(r.Header.Tensors) {
		h := r.Header.Tensors[r.tensor]
		r.want, _ = weights.Size(h.Type, h.Shape)
	}
	return nil
}

// Model returns the encoder and its tokenizer when the last chunk has been added.
func (r *Reader) Model() (*encoder.Encoder, *wordpiece.Tokenizer, error) {
	if r.Next() > 0 {
		return nil, nil, fmt.Errorf("packed: %d of %d chunks are there: the file is cut short", r.chunk, len(r.Header.Chunks))
	}
	e, err := r.builder.Encoder()
	return e, r.tokenizer, err
}

// Read reads a whole file.
func Read(file []byte) (*Reader, error) {
	n, err := HeaderBytes(file)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file[:min(n, len(file))])
	if err != nil {
		return nil, err
	}
	body := file[n:]
	for r.Next() > 0 {
		chunk := body[:min(r.Next(), len(body))]
		if err := r.Add(chunk); err != nil {
			return nil, err
		}
		body = body[len(chunk):]
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("packed: %d bytes after the last chunk: the file was changed", len(body))
	}
	return r, nil
}
