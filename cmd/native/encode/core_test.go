package encode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retrace/cmd/native/encode/pinned"
	"retrace/cmd/native/encode/texts"
	"retrace/core/dense"
	coreencoder "retrace/core/encoder"
	"retrace/core/encoder/packed"
	"retrace/core/encoder/weights"
	"retrace/internal/tinymodel"
	"retrace/kit"
)

// randomModel writes the model of internal/tinymodel with wordpiece's small.json.
func randomModel(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	files := tinymodel.Files()
	files[coreencoder.TokenizeFile] = mustRead(t, "../../../core/encoder/wordpiece/testdata/small.json")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCoreEngine encodes with a model of random weights, whose vectors core/encoder's own test holds to a second
// computation: here it matters that texts come in their order, cut off where the model says.
func TestCoreEngine(t *testing.T) {
	o := Options{Engine: Core, Model: randomModel(t), AllowOther: true, Threads: 2, Dimension: 40}
	e, err := OpenEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if i := e.Info; !slices.Equal(i.NotPinned, []string{"model", "tokenizer"}) || i.Instead != "" ||
		!strings.Contains(i.String(), "retrace's own encoder (the same bits on every machine); not the pinned model, tokenizer") {
		t.Errorf("info %v", i)
	}
	some := []string{"a b", strings.Repeat("c ", 300), ""}
	got, cut, err := e.Encode(context.Background(), some)
	if err != nil || !slices.Equal(cut, []bool{false, true, false}) {
		t.Fatal(cut, err)
	}
	set, err := weights.NewSet(tinymodel.Tensors(tinymodel.Config)...)
	if err != nil {
		t.Fatal(err)
	}
	model, err := coreencoder.New(tinymodel.Config, set)
	if err != nil {
		t.Fatal(err)
	}
	// [CLS] is 2, [SEP] 3, "a", "b", "c" 49 to 51; of 300 c's 22 are left.
	long := []int32{2}
	for range 22 {
		long = append(long, 51)
	}
	want, err := model.Encode([][]int32{{2, 49, 50, 3}, append(long, 3), {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("text %d has another vector", i)
		}
	}
	if s := e.Sidecar(); s.MaxWordPieces != 24 || s.RuntimeSHA256 != "" || s.Runtime != coreRuntime || madeWith(s).Engine != Core {
		t.Errorf("sidecar %+v", s)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := e.Encode(stopped, some); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestPackedModel: a packed file stands for the folder it was made from; stored as float32 it gives the same vectors. It is
// told as another model than the pinned one, whatever it was made from.
func TestPackedModel(t *testing.T) {
	set, err := weights.NewSet(tinymodel.Tensors(tinymodel.Config)...)
	if err != nil {
		t.Fatal(err)
	}
	source := map[string]string{coreencoder.WeightsFile: pinned.WeightsSHA256, coreencoder.TokenizeFile: pinned.TokenizerSHA256}
	file, err := packed.Write(packed.Header{Name: "tiny", Source: source, Config: tinymodel.Config},
		mustRead(t, "../../../core/encoder/wordpiece/testdata/small.json"), set,
		func(weights.Tensor) weights.Type { return weights.F32 })
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tiny.retrace-model")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	some := []string{"a b c", "hello world"}
	var both [2][][]float32
	for i, model := range []string{path, randomModel(t)} {
		e, err := OpenEncoder(Options{Engine: Core, Model: model, AllowOther: true, Dimension: 40})
		if err != nil {
			t.Fatal(err)
		}
		if both[i], _, err = e.Encode(context.Background(), some); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(e.Info.NotPinned, "model") {
			t.Errorf("info %v", e.Info)
		}
	}
	for i := range some {
		if !slices.Equal(both[0][i], both[1][i]) {
			t.Errorf("%q has another vector", some[i])
		}
	}
	if _, err := OpenEncoder(Options{Engine: Core, Model: path, Dimension: 40}); err == nil ||
		!strings.Contains(err.Error(), "--allow-other-model") {
		t.Errorf("a packed model is not the pinned one: %v", err)
	}
	if err := os.WriteFile(path, file[:len(file)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEncoder(Options{Engine: Core, Model: path, AllowOther: true, Dimension: 40}); err == nil ||
		!strings.Contains(err.Error(), "cut short") {
		t.Errorf("cut short: %v", err)
	}
}

// TestInstead: core comes in where ONNX Runtime is not to be had and nobody asked for it by name; and it is said.
func TestInstead(t *testing.T) {
	dir := randomModel(t) // without an .onnx file
	o := Options{Model: dir, AllowOther: true, Dimension: 40}
	e, err := OpenEncoder(o)
	if err != nil || e.Info.Engine != Core || !strings.Contains(e.Info.Instead, "there is no "+filepath.Join(dir, "model.onnx")) {
		t.Fatalf("%+v, %v", e, err)
	}
	var out, said bytes.Buffer
	j := job{file: corpus(t, 5), out: filepath.Join(t.TempDir(), "v.f32"), fields: texts.Default, options: o}
	if err := runEncode(context.Background(), j, &out, &said); err != nil ||
		!strings.Contains(said.String(), "with this program's own engine, because ONNX Runtime is not to be had") {
		t.Errorf("said %q, %v", said.String(), err)
	}
	if !strings.Contains(out.String(), "6 vectors of dimension 40") {
		t.Errorf("said %q", out.String())
	}
	for _, c := range []struct {
		name string
		edit func(*Options)
		want string
	}{
		{"onnx by name", func(o *Options) { o.Engine = ONNX }, "there is no"},
		{"a runtime by name", func(o *Options) { o.Runtime = "nowhere.so" }, "there is no"},
		{"an unknown engine", func(o *Options) { o.Engine = "cuda" }, `engine "cuda": the engines are onnx and core`},
		{"another dimension", func(o *Options) { o.Dimension = 384 }, "vectors of dimension 40, not 384: say --dimension 40"},
		{"a model that is not pinned", func(o *Options) { o.AllowOther = false }, "--allow-other-model"},
	} {
		other := o
		c.edit(&other)
		if _, err := OpenEncoder(other); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// TestBadModel: a file cut short, altered, of another model, or missing is told by name.
func TestBadModel(t *testing.T) {
	whole := tinymodel.Files()[coreencoder.WeightsFile]
	for _, c := range []struct {
		name, file string
		content    []byte
		want       string
	}{
		{"cut short", "model.safetensors", whole[:len(whole)-1], "cut short"},
		{"altered", "model.safetensors", slices.Replace(slices.Clone(whole), len(whole)-4, len(whole), 0, 0, 0xc0, 0x7f),
			"encoder.layer.1.output.LayerNorm.bias has NaN"},
		{"empty", "model.safetensors", nil, "cut short"},
		{"of another shape", "config.json", bytes.Replace(tinymodel.Files()["config.json"], []byte("72"), []byte("80"), 1),
			"the files are of several models"},
		{"of another family", "config.json", bytes.Replace(tinymodel.Files()["config.json"], []byte(`"bert"`), []byte(`"roberta"`), 1),
			`model_type is "roberta"`},
	} {
		dir := randomModel(t)
		if err := os.WriteFile(filepath.Join(dir, c.file), c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := OpenEncoder(Options{Engine: Core, Model: dir, AllowOther: true, Dimension: 40})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	dir := randomModel(t)
	os.Remove(filepath.Join(dir, "modules.json"))
	if _, err := OpenEncoder(Options{Engine: Core, Model: dir, AllowOther: true, Dimension: 40}); !errors.Is(err, ErrMissing) {
		t.Errorf("a file that is missing: %v", err)
	}
}

// pinnedCore is the pinned model in this project's own encoder.
func pinnedCore(t testing.TB) *Encoder {
	t.Helper()
	e, err := OpenEncoder(Options{Engine: Core})
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestLayers compares the states of tokens after every layer with what ONNX Runtime gave from Python
// (testdata/layers.py): an error shows where it is made. They are of size 1 and rounded to 7 places; two sums of some
// hundred terms in other orders differ by a few units of 1e-6.
func TestLayers(t *testing.T) {
	e := pinnedCore(t)
	var cases []struct {
		Text    string
		IDs     []int
		Columns []int
		Stages  [][][]float64
	}
	if err := json.Unmarshal(mustRead(t, "testdata/layers.json"), &cases); err != nil || len(cases) != 3 {
		t.Fatal(len(cases), err)
	}
	worst, values := 0.0, 0
	for _, c := range cases {
		ids, _, err := e.tokenize([]string{c.Text})
		if err != nil || !slices.EqualFunc(ids[0], c.IDs, func(a int32, b int) bool { return int(a) == b }) {
			t.Fatalf("%q: ids %v, want %v, %v", c.Text, ids[0], c.IDs, err)
		}
		model := e.engine.(coreEngine).model
		if _, err := model.EncodeStages(ids, func(_, layer int, states []float32) {
			for token, want := range c.Stages[layer] {
				for i, column := range c.Columns {
					d := math.Abs(float64(states[token*model.Hidden+column]) - want[i])
					worst, values = max(worst, d), values+1
					if d > 5e-6 {
						t.Errorf("%q: layer %d, token %d, value %d: %v, want %v", c.Text, layer, token, column,
							states[token*model.Hidden+column], want[i])
					}
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d values, none further than %.1e", values, worst)
}

// TestAgreement compares the pinned model here with ONNX Runtime, on every 17th of the studies' 3,408 texts; native
// crosscheck compares all. The cosine of two float32 vectors that differ in their last bits is 1 − 1e-12 or so.
func TestAgreement(t *testing.T) {
	core, runtime := pinnedCore(t), runtimeFile(t)
	other, err := OpenEncoder(Options{Engine: ONNX, Runtime: runtime})
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if core.Info.Model != other.Info.Model || len(core.Info.NotPinned) > 0 {
		t.Errorf("one model is told as two: %v, %v", core.Info, other.Info)
	}
	var all []string
	for _, f := range []struct {
		path   string
		fields texts.Fields
	}{
		{"concepts/corpus.jsonl", texts.Default}, {"r01/questions.jsonl", texts.Default},
		{"r02/tasks.jsonl", texts.Fields{ID: "id", Text: []string{"need"}}},
	} {
		file, err := kit.FS.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		set, err := texts.Parse(f.path, file, f.fields)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, set.Texts...)
	}
	if len(all) != 3408 {
		t.Fatalf("%d texts", len(all))
	}
	var some []string
	for i := 0; i < len(all); i += 17 {
		some = append(some, all[i])
	}
	a, cutA, err := core.Encode(context.Background(), some)
	if err != nil {
		t.Fatal(err)
	}
	b, cutB, err := other.Encode(context.Background(), some)
	if err != nil || !slices.Equal(cutA, cutB) {
		t.Fatal(cutA, cutB, err)
	}
	worst := 1.0
	for i := range a {
		cosine := dense.Dot(a[i], b[i]) / math.Sqrt(dense.Dot(a[i], a[i])*dense.Dot(b[i], b[i]))
		worst = min(worst, cosine)
		if !(cosine >= 0.999999) {
			t.Errorf("%q: cosine %v", some[i], cosine)
		}
	}
	t.Logf("%d texts, least cosine 1 − %.1e", len(a), 1-worst)
}

// TestSameWeights: the pinned ONNX file holds every weight of the pinned safetensors file, bit for bit: its initializers
// are those bytes. It is why both are called one model.
func TestSameWeights(t *testing.T) {
	dir, err := pinned.Dir()
	if err != nil {
		t.Skip(err)
	}
	folder := pinned.ModelDir(dir)
	if !exists(filepath.Join(folder, "model.onnx")) || !exists(filepath.Join(folder, "model.safetensors")) {
		t.Skip("make model fetches both files")
	}
	onnxFile := mustRead(t, filepath.Join(folder, "model.onnx"))
	set, err := weights.ParseSafetensors(mustRead(t, filepath.Join(folder, "model.safetensors")))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, x := range set.All() {
		if coreencoder.Unused(x.Name) {
			continue
		}
		_, width := x.Rows(), x.Width()
		raw := dense.Bytes(x.Values())
		// a product's weights stand transposed
		if len(x.Shape) == 2 && !strings.Contains(x.Name, "embeddings") && !bytes.Contains(onnxFile, raw) {
			values := x.Values()
			turned := make([]float32, 0, len(values))
			for k := range width {
				for c := range x.Rows() {
					turned = append(turned, values[c*width+k])
				}
			}
			raw = dense.Bytes(turned)
		}
		if !bytes.Contains(onnxFile, raw) {
			t.Errorf("%s is not in the ONNX file", x.Name)
		}
		found++
	}
	if found != 101 {
		t.Errorf("%d tensors, want 5 + 6 · 16", found)
	}
}
