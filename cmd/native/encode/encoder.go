// Package encode makes embeddings of texts with a sentence-embedding model, in ONNX Runtime or in this project's own
// encoder, and holds the commands that do so: encode, merge and tokenize.
package encode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"retrace/cmd/native/encode/onnx"
	"retrace/cmd/native/encode/pinned"
	"retrace/core/dense"
	coreencoder "retrace/core/encoder"
	"retrace/core/encoder/packed"
	"retrace/core/encoder/weights"
	"retrace/core/encoder/wordpiece"
	"retrace/internal/lanes"
)

// Values of the protocols' dense method.
const (
	MaxWordPieces = 256 // of a text, with [CLS] and [SEP]
	poolingText   = "mean over attended tokens, in float64, then L2 norm, then rounded to float32"
	orderText     = "the file's order"
	clsText       = "the first token's state, L2 norm in float64, then rounded to float32"
	tokenizerText = "retrace, ids as tokenizers 0.23.3"
	coreRuntime   = "retrace encoder, float32, the same bits on every machine"
)

// batchPieces is the size of a batch in word pieces. Encoding the 3,000 definitions took all-MiniLM-L6-v2 12.1 s of
// processor time with 256, 11.8 with 512, 12.2 with 1024, 14.2 with 2048 (which leaves the cache) and 17.6 with 64 (about
// one text a batch).
const batchPieces = 512

// ErrMissing is wrapped by errors that say that model or runtime are not there.
var ErrMissing = errors.New("model or runtime missing")

// Engines. Core's vectors have the same bits on every machine; ONNX Runtime's vary in their last ones.
const (
	ONNX = "onnx"
	Core = "core"
)

// Options say which model to use and how. The zero value means what make model fetched.
type Options struct {
	Engine string // ONNX, Core, or empty: ONNX Runtime, or core where that is not to be had
	// folder with tokenizer.json and an .onnx file, or for core model.safetensors with its configuration or a packed model
	Model      string
	Runtime    string // ONNX Runtime's shared library
	AllowOther bool   // accept files with other hashes than the pinned ones
	Threads    int    // batches that run side by side, one thread each; 0: as many as the machine has cores
	Dimension  int    // of the model's vectors; 0: the pinned model's, 384
}

// Info says what an encoder's vectors are made with. Every output that rests on them must tell it.
type Info struct {
	Engine         string
	Model          dense.Model
	WeightsSHA256  string   // of model.safetensors, for core
	RuntimeVersion string   // of ONNX Runtime
	RuntimeSHA256  string   // of its library
	NotPinned      []string // of "model", "tokenizer", "runtime": those whose hash is not the pinned one
	Instead        string   // why core is used and not ONNX Runtime, where nobody asked for it
}

// Runtime is what ran the model, in words.
func (i Info) Runtime() string {
	if i.Engine == Core {
		return "retrace's own encoder (the same bits on every machine)"
	}
	return "ONNX Runtime " + i.RuntimeVersion
}

// String is a line for people.
func (i Info) String() string {
	file, sum, library := "onnx", i.Model.ONNXSHA256, fmt.Sprintf(" (%.12s)", i.RuntimeSHA256)
	if i.Engine == Core {
		file, sum, library = "weights", i.WeightsSHA256, ""
	}
	s := fmt.Sprintf("%s (%s %.12s, tokenizer %.12s), %s%s", i.Model.Name, file, sum, i.Model.TokenizerSHA256, i.Runtime(), library)
	if len(i.NotPinned) > 0 {
		return s + "; not the pinned " + strings.Join(i.NotPinned, ", ")
	}
	return s + "; pinned"
}

// An Encoder makes vectors of texts. It may be used by several goroutines.
type Encoder struct {
	Info      Info
	tokenizer *wordpiece.Tokenizer
	engine    engine
	threads   int
	dimension int
	limit     int // word pieces of a text
}

// An engine runs the model.
type engine interface {
	// encode returns the vectors of a few texts, given as ids. It runs on one thread and may be called side by side.
	encode(ctx context.Context, texts [][]int32) ([][]float32, error)
	Close() error
}

// OpenEncoder opens tokenizer, model and, for ONNX, the runtime. Where a file is missing the error wraps ErrMissing and
// says what to do; a file whose hash is not the pinned one is an error unless the options allow it.
func OpenEncoder(o Options) (*Encoder, error) {
	e := &Encoder{threads: o.Threads, dimension: o.Dimension, limit: MaxWordPieces}
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
	named := o.Runtime != ""
	if err := o.fill(); err != nil {
		return nil, err
	}
	var err error
	if e.tokenizer, e.Info.Model.TokenizerSHA256, err = openTokenizer(o); err != nil {
		return nil, err
	}
	e.Info.Model.Name = pinned.Name
	switch o.Engine {
	case ONNX:
		err = e.openONNX(o)
	case Core:
		err = e.openCore(o)
	case "":
		err = e.openONNX(o)
		if errors.Is(err, ErrMissing) && !named && exists(filepath.Join(o.Model, coreencoder.WeightsFile)) {
			e.Info = Info{Model: dense.Model{Name: pinned.Name, TokenizerSHA256: e.Info.Model.TokenizerSHA256}, Instead: err.Error()}
			err = e.openCore(o)
		}
	default:
		err = fmt.Errorf("encode: engine %q: the engines are %s and %s", o.Engine, ONNX, Core)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// openONNX opens runtime and model.
func (e *Encoder) openONNX(o Options) error {
	modelFile, err := findONNX(o.Model)
	if err != nil {
		return err
	}
	model, err := readFile(modelFile)
	if err != nil {
		return err
	}
	library, err := readFile(o.Runtime)
	if err != nil {
		return err
	}
	host, _ := pinned.Host()
	e.Info.Engine, e.Info.Model.ONNXSHA256, e.Info.RuntimeSHA256 = ONNX, hash(model), hash(library)
	if err := e.pin(o, []file{
		{"model", modelFile, e.Info.Model.ONNXSHA256, pinned.ONNXSHA256},
		{"tokenizer", filepath.Join(o.Model, coreencoder.TokenizeFile), e.Info.Model.TokenizerSHA256, pinned.TokenizerSHA256},
		{"runtime", o.Runtime, e.Info.RuntimeSHA256, host.SHA256},
	}); err != nil {
		return err
	}
	if e.Info.RuntimeVersion, err = onnx.Open(o.Runtime); errors.Is(err, onnx.ErrNoRuntime) {
		return fmt.Errorf("encode: %w: %w", ErrMissing, err)
	} else if err != nil {
		return err
	}
	m, err := onnx.Load(model, e.dimension)
	if err != nil {
		return fmt.Errorf("%s: %w", modelFile, err)
	}
	e.engine = &onnxEngine{m, e.dimension}
	return nil
}

// openCore opens model.safetensors with the files that say what it is.
func (e *Encoder) openCore(o Options) error {
	model, sums, err := OpenModel(o.Model)
	if err != nil {
		return err
	}
	if model.Hidden != e.dimension {
		return fmt.Errorf("encode: %s gives vectors of dimension %d, not %d: say --dimension %d if that is meant", o.Model,
			model.Hidden, e.dimension, model.Hidden)
	}
	e.Info.Engine, e.Info.WeightsSHA256 = Core, sums[coreencoder.WeightsFile]
	files := []file{
		{"model", filepath.Join(o.Model, coreencoder.WeightsFile), e.Info.WeightsSHA256, pinned.WeightsSHA256},
		{"tokenizer", filepath.Join(o.Model, coreencoder.TokenizeFile), e.Info.Model.TokenizerSHA256, pinned.TokenizerSHA256},
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if name != coreencoder.WeightsFile && name != coreencoder.TokenizeFile {
			files = append(files, file{"model", filepath.Join(o.Model, filepath.FromSlash(name)), sums[name], pinned.Configuration[name]})
		}
	}
	if isPacked(o.Model) { // rounded weights: made from the pinned ones perhaps, but others
		files = append(files, file{"model", o.Model, "packed", ""})
	}
	if err := e.pin(o, files); err != nil {
		return err
	}
	// The pinned safetensors file holds the very weights of the pinned ONNX file: they are one model. Of another file no
	// such thing is known, so that its own hash has to do.
	e.Info.Model.ONNXSHA256 = e.Info.WeightsSHA256
	if !slices.Contains(e.Info.NotPinned, "model") {
		e.Info.Model.ONNXSHA256 = pinned.ONNXSHA256
	}
	e.limit = model.MaxTokens
	e.engine = coreEngine{model.Use(lanes.Best())}
	return nil
}

// OpenModel reads a sentence encoder in the layout of sentence-transformers, or as build pack-model packs it, with the hash
// of each file that says what it is and how it is used.
func OpenModel(path string) (*coreencoder.Encoder, map[string]string, error) {
	if isPacked(path) {
		r, err := readPacked(path)
		if err != nil {
			return nil, nil, err
		}
		model, _, err := r.Model()
		return model, r.Header.Source, err
	}
	files, sums := map[string][]byte{}, map[string]string{}
	for _, name := range append([]string{coreencoder.WeightsFile}, slices.Sorted(maps.Keys(pinned.Configuration))...) {
		content, err := readFile(filepath.Join(path, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, err
		}
		files[name], sums[name] = content, hash(content)
	}
	config, err := coreencoder.ParseConfig(files)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	set, err := weights.ParseSafetensors(files[coreencoder.WeightsFile])
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	model, err := coreencoder.New(config, set)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return model, sums, nil
}

// isPacked says whether a model is one file and no folder.
func isPacked(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func readPacked(path string) (*packed.Reader, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r, err := packed.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// A file is one part of what vectors are made with: its hash and the pinned one.
type file struct{ part, path, is, want string }

// pin checks hashes, or notes which are others where the options allow that.
func (e *Encoder) pin(o Options, files []file) error {
	for _, f := range files {
		if f.is == f.want {
			continue
		}
		if !o.AllowOther {
			return notPinned(f.part, f.path, f.is)
		}
		if !slices.Contains(e.Info.NotPinned, f.part) {
			e.Info.NotPinned = append(e.Info.NotPinned, f.part)
		}
		if f.part != "runtime" {
			e.Info.Model.Name = "other: " + filepath.Base(o.Model)
		}
	}
	return nil
}

func notPinned(part, path, hash string) error {
	return fmt.Errorf("encode: the %s %s has SHA-256 %s, which is not the pinned one: run make model for that, or say "+
		"--allow-other-model to use this and have it named in every output", part, path, hash)
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
	if isPacked(o.Model) {
		r, err := readPacked(o.Model)
		if err != nil {
			return nil, "", err
		}
		_, t, err := r.Model()
		sum := r.Header.Source[coreencoder.TokenizeFile]
		if err == nil && sum != pinned.TokenizerSHA256 && !o.AllowOther {
			err = notPinned("tokenizer", o.Model, sum)
		}
		return t, sum, err
	}
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
	return fmt.Errorf("encode: %w: there is no %s: run make model, which fetches %s and ONNX Runtime %s, or name copies with --model DIR "+
		"and --runtime FILE", ErrMissing, path, pinned.Name, pinned.RuntimeVersion)
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
func (e *Encoder) Close() error { return e.engine.Close() }

// Dimension returns the number of values of a vector.
func (e *Encoder) Dimension() int { return e.dimension }

// Sidecar returns what every sidecar of this encoder's vectors says.
func (e *Encoder) Sidecar() dense.Sidecar {
	made := fmt.Sprintf("onnxruntime %s, CPU, batches of like length, at most %d word pieces", e.Info.RuntimeVersion, batchPieces)
	if e.Info.Engine == Core {
		made = coreRuntime
	}
	return dense.Sidecar{
		Dimension: e.dimension, DType: dense.DType, Order: orderText, Model: e.Info.Model, Runtime: made,
		Tokenizer: tokenizerText, MaxWordPieces: e.limit, Pooling: e.pooling(), Truncated: []string{},
		RuntimeSHA256: e.Info.RuntimeSHA256, NotPinned: e.Info.NotPinned,
	}
}

func (e *Encoder) pooling() string {
	if c, ok := e.engine.(coreEngine); ok && c.model.Pooling == coreencoder.CLS {
		return clsText
	}
	return poolingText
}

// Encode returns the vector of each text, and for each whether it was cut off.
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
		pieces, cut, err := e.tokenizer.Encode(text, e.limit)
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
				texts := make([][]int32, len(batches[b]))
				for i, row := range batches[b] {
					texts[i] = ids[row]
				}
				rows, err := e.engine.encode(ctx, texts)
				if err == nil {
					one.Lock()
					if err = ctx.Err(); err == nil {
						err = done(b, rows)
					}
					one.Unlock()
				}
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
