// Package encode makes embeddings of texts with a sentence-embedding model in ONNX Runtime, and holds the commands that
// do so: encode, merge and tokenize.
package encode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"retrace/cmd/native/encode/onnx"
	"retrace/cmd/native/encode/pinned"
	"retrace/core/dense"
	"retrace/core/encoder/wordpiece"
)

// Values of the protocols' dense method.
const (
	MaxWordPieces = 256 // of a text, with [CLS] and [SEP]
	poolingText   = "mean over attended tokens, in float64, then L2 norm, then rounded to float32"
	orderText     = "the file's order"
	tokenizerText = "retrace, ids as tokenizers 0.23.3"
)

// batchPieces is the size of a batch in word pieces. Encoding the 3,000 definitions took all-MiniLM-L6-v2 12.1 s of
// processor time with 256, 11.8 with 512, 12.2 with 1024, 14.2 with 2048 (which leaves the cache) and 17.6 with 64 (about
// one text a batch).
const batchPieces = 512

// ErrMissing is wrapped by errors that say that model or runtime are not there.
var ErrMissing = errors.New("model or runtime missing")

// Options say which model to use and how. The zero value means what make model fetched.
type Options struct {
	Model      string // folder with an .onnx file and tokenizer.json
	Runtime    string // ONNX Runtime's shared library
	AllowOther bool   // accept files with other hashes than the pinned ones
	Threads    int    // batches that run side by side, one thread each; 0: as many as the machine has cores
	Dimension  int    // of the model's vectors; 0: the pinned model's, 384
}

// Info says what an encoder's vectors are made with. Every output that rests on them must tell it.
type Info struct {
	Model          dense.Model
	RuntimeVersion string
	RuntimeSHA256  string
	NotPinned      []string // of "model", "tokenizer", "runtime": those whose hash is not the pinned one
}

// String is a line for people.
func (i Info) String() string {
	s := fmt.Sprintf("%s (onnx %.12s, tokenizer %.12s), ONNX Runtime %s (%.12s)", i.Model.Name, i.Model.ONNXSHA256, i.Model.TokenizerSHA256, i.RuntimeVersion, i.RuntimeSHA256)
	if len(i.NotPinned) > 0 {
		return s + "; not the pinned " + strings.Join(i.NotPinned, ", ")
	}
	return s + "; pinned"
}

// An Encoder makes vectors of texts. It may be used by several goroutines.
type Encoder struct {
	Info      Info
	tokenizer *wordpiece.Tokenizer
	model     *onnx.Model
	threads   int
	dimension int
}

// OpenEncoder opens runtime, model and tokenizer. Where a file is missing the error wraps ErrMissing and says what to
// do; a file whose hash is not the pinned one is an error unless the options allow it.
func OpenEncoder(o Options) (*Encoder, error) {
	e := &Encoder{threads: o.Threads, dimension: o.Dimension}
	if e.threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	if e.threads < 1 || e.threads > 1024 {
		return nil, fmt.Errorf("encode: %d threads: give 1 to 1024, or 0 for as many as there are cores", e.threads)
	}
	if e.dimension == 0 {
		e.dimension = pinned.Dimension
	}
	if e.dimension < 1 || e.dimension > 1<<16 {
		return nil, fmt.Errorf("encode: dimension %d: it must be 1 to 65536", e.dimension)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	var err error
	var tokenizerHash string
	if e.tokenizer, tokenizerHash, err = openTokenizer(o); err != nil {
		return nil, err
	}
	modelFile, err := findONNX(o.Model)
	if err != nil {
		return nil, err
	}
	model, err := readFile(modelFile)
	if err != nil {
		return nil, err
	}
	library, err := readFile(o.Runtime)
	if err != nil {
		return nil, err
	}
	host, _ := pinned.Host()
	e.Info = Info{Model: dense.Model{Name: pinned.Name, ONNXSHA256: hash(model), TokenizerSHA256: tokenizerHash}, RuntimeSHA256: hash(library)}
	for _, part := range []struct{ name, path, is, want string }{
		{"model", modelFile, e.Info.Model.ONNXSHA256, pinned.ONNXSHA256},
		{"tokenizer", filepath.Join(o.Model, "tokenizer.json"), tokenizerHash, pinned.TokenizerSHA256},
		{"runtime", o.Runtime, e.Info.RuntimeSHA256, host.SHA256},
	} {
		if part.is == part.want {
			continue
		}
		if !o.AllowOther {
			return nil, notPinned(part.name, part.path, part.is)
		}
		e.Info.NotPinned = append(e.Info.NotPinned, part.name)
		if part.name != "runtime" {
			e.Info.Model.Name = "other: " + filepath.Base(o.Model)
		}
	}
	if e.Info.RuntimeVersion, err = onnx.Open(o.Runtime); errors.Is(err, onnx.ErrNoRuntime) {
		return nil, fmt.Errorf("encode: %w: %w", ErrMissing, err)
	} else if err != nil {
		return nil, err
	}
	if e.model, err = onnx.Load(model, e.dimension); err != nil {
		return nil, fmt.Errorf("%s: %w", modelFile, err)
	}
	return e, nil
}

func notPinned(part, path, hash string) error {
	return fmt.Errorf("encode: the %s %s has SHA-256 %s, which is not the pinned one: run make model for that, or say --allow-other-model to use this and have it named in every output", part, path, hash)
}

// fill puts what make model fetched where nothing is named.
func (o *Options) fill() error {
	if o.Model != "" && o.Runtime != "" {
		return nil
	}
	dir, err := pinned.Dir()
	if err != nil {
		return fmt.Errorf("encode: %w: name the model with --model and the runtime with --runtime", err)
	}
	if o.Model == "" {
		o.Model = pinned.ModelDir(dir)
	}
	if o.Runtime == "" {
		o.Runtime = pinned.RuntimeFile(dir)
	}
	return nil
}

// openTokenizer reads the tokenizer alone, with its hash.
func openTokenizer(o Options) (*wordpiece.Tokenizer, string, error) {
	path := filepath.Join(o.Model, "tokenizer.json")
	file, err := readFile(path)
	if err != nil {
		return nil, "", err
	}
	sum := hash(file)
	if sum != pinned.TokenizerSHA256 && !o.AllowOther {
		return nil, "", notPinned("tokenizer", path, sum)
	}
	t, err := wordpiece.Parse(file)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return t, sum, nil
}

// findONNX returns the model in a folder: model.onnx, onnx/model.onnx, or the only .onnx file there is.
func findONNX(dir string) (string, error) {
	for _, name := range []string{"model.onnx", filepath.Join("onnx", "model.onnx")} {
		if path := filepath.Join(dir, name); exists(path) {
			return path, nil
		}
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.onnx"))
	switch {
	case err == nil && len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("encode: %s holds several .onnx files: call the one that is meant model.onnx", dir)
	}
	return "", missing(filepath.Join(dir, "model.onnx"))
}

// escapeGlob keeps a folder's name from being read as a pattern.
func escapeGlob(dir string) string {
	if filepath.Separator != '/' {
		return dir // no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func missing(path string) error {
	return fmt.Errorf("encode: %w: there is no %s: run make model, which fetches %s and ONNX Runtime %s, or name copies with --model DIR and --runtime FILE", ErrMissing, path, pinned.Name, pinned.RuntimeVersion)
}

// maxFile bounds what is read whole: a model, a runtime.
const maxFile = 2 << 30

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, missing(path)
	case err != nil:
		return nil, fmt.Errorf("encode: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("encode: %s is not a file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("encode: %s has %d bytes: at most %d are read", path, info.Size(), int64(maxFile))
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return file, nil
}

func hash(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// Close frees the model.
func (e *Encoder) Close() error { return e.model.Close() }

// Dimension returns the number of values of a vector.
func (e *Encoder) Dimension() int { return e.dimension }

// Sidecar returns what every sidecar of this encoder's vectors says.
func (e *Encoder) Sidecar() dense.Sidecar {
	return dense.Sidecar{
		Dimension: e.dimension, DType: dense.DType, Order: orderText, Model: e.Info.Model,
		Runtime:   fmt.Sprintf("onnxruntime %s, CPU, batches of like length, at most %d word pieces", e.Info.RuntimeVersion, batchPieces),
		Tokenizer: tokenizerText, MaxWordPieces: MaxWordPieces, Pooling: poolingText, Truncated: []string{},
		RuntimeSHA256: e.Info.RuntimeSHA256, NotPinned: e.Info.NotPinned,
	}
}

// Encode returns the vector of each text, and for each whether it was cut off at MaxWordPieces.
func (e *Encoder) Encode(ctx context.Context, texts []string) (vectors [][]float32, truncated []bool, err error) {
	ids, truncated, err := e.tokenize(texts)
	if err != nil {
		return nil, nil, err
	}
	batches := plan(lengths(ids), batchPieces)
	vectors = make([][]float32, len(texts))
	err = e.run(ctx, ids, batches, all(len(batches)), func(b int, rows [][]float32) error {
		for i, row := range batches[b] {
			vectors[row] = rows[i]
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return vectors, truncated, nil
}

func (e *Encoder) tokenize(texts []string) (ids [][]int32, truncated []bool, err error) {
	ids, truncated = make([][]int32, len(texts)), make([]bool, len(texts))
	for i, text := range texts {
		pieces, cut, err := e.tokenizer.Encode(text, MaxWordPieces)
		if err != nil {
			return nil, nil, fmt.Errorf("encode: text %d of %d: %w", i+1, len(texts), err)
		}
		truncated[i] = cut
		ids[i] = make([]int32, len(pieces))
		for j, p := range pieces {
			if p.ID > math.MaxInt32 {
				return nil, nil, fmt.Errorf("encode: word piece %q has id %d, which no model has", p.Text, p.ID)
			}
			ids[i][j] = int32(p.ID)
		}
	}
	return ids, truncated, nil
}

func lengths(ids [][]int32) []int {
	out := make([]int, len(ids))
	for i := range ids {
		out[i] = len(ids[i])
	}
	return out
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// run encodes the batches named by todo, several side by side, and hands each to done, one at a time, as it is ready.
// The first error stops everything.
func (e *Encoder) run(ctx context.Context, ids [][]int32, batches [][]int, todo []int, done func(b int, rows [][]float32) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	var one sync.Mutex
	for range min(e.threads, len(todo)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(todo) {
					return
				}
				b := todo[n]
				laid := batch(batches[b], ids)
				err := e.model.Run(ctx, laid, func(hidden []float32) error {
					rows, err := poolBatch(hidden, laid, e.dimension)
					if err != nil {
						return err
					}
					one.Lock()
					defer one.Unlock()
					if ctx.Err() != nil {
						return ctx.Err()
					}
					return done(b, rows)
				})
				if err != nil {
					stop(err) // the first cause stays
					return
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
