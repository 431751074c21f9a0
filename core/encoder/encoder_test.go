package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/encoder"
	"retrace/core/encoder/weights"
	"retrace/core/exact"
	"retrace/internal/lanes"
	"retrace/internal/tinymodel"
)

func tiny(t testing.TB, edit func(*encoder.Config)) *encoder.Encoder {
	t.Helper()
	c := tinymodel.Config
	if edit != nil {
		edit(&c)
	}
	set, err := weights.NewSet(tinymodel.Tensors(c)...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.New(c, set)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestReference compares with testdata/reference.json, which testdata/reference.py computed from the published formulas in
// float64: every state of every token after every layer, and the vectors by both kinds of pooling. States are of size 1,
// so that 1e-5 is some ten roundings of a sum of 72 terms.
func TestReference(t *testing.T) {
	file, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		IDs       []int32
		Stages    [][]float64
		Mean, CLS []float64
	}
	if err := json.Unmarshal(file, &cases); err != nil || len(cases) != 4 {
		t.Fatal(len(cases), err)
	}
	var texts [][]int32
	for _, c := range cases {
		texts = append(texts, c.IDs)
	}
	near := func(what string, got []float32, want []float64, allowed float64) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
		}
		for i, x := range got {
			if d := math.Abs(float64(x) - want[i]); !(d <= allowed) {
				t.Fatalf("%s: value %d is %v, want %v", what, i, x, want[i])
			}
		}
	}
	stages := 0
	mean, err := tiny(t, nil).EncodeStages(texts, func(text, layer int, states []float32) {
		stages++
		near("states", states, cases[text].Stages[layer], 1e-5)
	})
	if err != nil || stages != 4*3 {
		t.Fatal(stages, err)
	}
	cls, err := tiny(t, func(c *encoder.Config) { c.Pooling = encoder.CLS }).Encode(texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		near("mean", mean[i], c.Mean, 2e-6)
		near("cls", cls[i], c.CLS, 2e-6)
	}
}

// TestSameBits: a text's vector depends neither on its company nor on the kernel.
func TestSameBits(t *testing.T) {
	e := tiny(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Int32Range(0, 230)
		texts := rapid.SliceOfN(rapid.SliceOfN(id, 1, 24), 1, 6).Draw(t, "texts")
		want, err := e.Encode(texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			alone, err := e.Encode([][]int32{text})
			if err != nil || !slices.Equal(alone[0], want[i]) {
				t.Fatalf("text %d alone has another vector, %v", i, err)
			}
		}
		for _, k := range lanes.All() {
			got, err := e.Use(k).Encode(texts)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("%s gives text %d another vector", k.Name, i)
				}
			}
		}
	})
}

// TestUnitLength: vectors have the length 1 up to the rounding of their values.
func TestUnitLength(t *testing.T) {
	vectors, err := tiny(t, nil).Encode([][]int32{{2, 3}, {2, 9, 9, 9, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("length² %v", sum)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	e := tiny(t, nil)
	for _, c := range []struct {
		name string
		ids  []int32
		want string
	}{
		{"nothing", nil, "text 2 of 2: it has no word pieces"},
		{"too long", make([]int32, 25), "25 word pieces: at most 24"},
		{"an id beyond the vocabulary", []int32{2, 231, 3}, "word piece 231: the model has 0 to 230"},
		{"a negative id", []int32{-1}, "word piece -1"},
	} {
		if v, err := e.Encode([][]int32{{2, 3}, c.ids}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want an error with %q", c.name, v, err, c.want)
		}
	}
}

// TestDamagedWeights: what a model of other files, or a damaged one, is told.
func TestDamagedWeights(t *testing.T) {
	good := func() []weights.Tensor { return tinymodel.Tensors(tinymodel.Config) }
	find := func(list []weights.Tensor, name string) int {
		return slices.IndexFunc(list, func(t weights.Tensor) bool { return t.Name == name })
	}
	const query = "encoder.layer.1.attention.self.query.weight"
	for _, c := range []struct {
		name string
		edit func([]weights.Tensor) []weights.Tensor
		want string
	}{
		{"a tensor less", func(l []weights.Tensor) []weights.Tensor { return l[:len(l)-1] }, "1 tensors are missing, such as encoder.layer.1.output.LayerNorm.bias"},
		{"a layer more", func(l []weights.Tensor) []weights.Tensor {
			return append(l, weights.FromValues("encoder.layer.2.output.dense.bias", make([]float32, 40), 40))
		}, "encoder.layer.2.output.dense.bias: a BERT encoder of 2 layers has none"},
		{"another shape", func(l []weights.Tensor) []weights.Tensor {
			l[find(l, query)] = weights.FromValues(query, make([]float32, 1600), 1600)
			return l
		}, query + " has the shape [1600]: by the configuration it is [40 40]"},
		{"not a number", func(l []weights.Tensor) []weights.Tensor {
			values := l[find(l, query)].Values()
			values[85] = float32(math.NaN())
			l[find(l, query)] = weights.FromValues(query, values, 40, 40)
			return l
		}, query + " has NaN in row 2, column 5"},
		{"infinite", func(l []weights.Tensor) []weights.Tensor {
			values := l[0].Values()
			values[0] = float32(math.Inf(-1))
			l[0] = weights.FromValues(l[0].Name, values, 231, 40)
			return l
		}, "has -Inf in row 0, column 0"},
	} {
		set, err := weights.NewSet(c.edit(good())...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := encoder.New(tinymodel.Config, set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	// What has no part in a vector may be there, and names may begin with "bert.".
	list := good()
	for i := range list {
		list[i].Name = "bert." + list[i].Name
	}
	for _, name := range []string{"embeddings.position_ids", "pooler.dense.weight", "cls.predictions.bias"} {
		list = append(list, weights.FromValues(name, []float32{1}, 1))
	}
	set, err := weights.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.New(tinymodel.Config, set)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := e.Encode([][]int32{{2, 50, 3}})
	b, _ := tiny(t, nil).Encode([][]int32{{2, 50, 3}})
	if !slices.Equal(a[0], b[0]) {
		t.Error("other names give another vector")
	}
}

// TestSoftmaxOfEqualScores: a model whose queries are all 0 attends to every token alike, so that each state of the first
// attention is the mean of the values; with 3 tokens and exact sums that can be seen in any state being the same for all.
func TestSoftmaxOfEqualScores(t *testing.T) {
	c := tinymodel.Config
	c.Layers = 1
	list := tinymodel.Tensors(c)
	for i, x := range list {
		if strings.Contains(x.Name, "self.query") || strings.Contains(x.Name, "position_embeddings") {
			list[i] = weights.FromValues(x.Name, make([]float32, x.Rows()*x.Width()), x.Shape...)
		}
	}
	set, err := weights.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoder.New(c, set)
	if err != nil {
		t.Fatal(err)
	}
	// Without places, the same token at several has the same state; and the order of the others does not matter to it.
	var first []float32
	e.EncodeStages([][]int32{{7, 7, 7, 7}, {7}}, func(text, layer int, states []float32) {
		if layer != 1 {
			return
		}
		if text == 0 {
			first = slices.Clone(states)
			return
		}
		for i, x := range first {
			if math.Abs(float64(x-states[i%40])) > 2e-6 {
				t.Fatalf("value %d: %v beside %v", i, x, states[i%40])
			}
		}
	})
}

func TestParseConfig(t *testing.T) {
	files := tinymodel.Files()
	got, err := encoder.ParseConfig(files)
	if err != nil || got != tinymodel.Config {
		t.Fatalf("%+v, %v", got, err)
	}
	replace := func(file, old, new string) func(map[string][]byte) {
		return func(f map[string][]byte) {
			if !strings.Contains(string(f[file]), old) {
				t.Fatalf("%s has no %s", file, old)
			}
			f[file] = []byte(strings.Replace(string(f[file]), old, new, 1))
		}
	}
	remove := func(file string) func(map[string][]byte) { return func(f map[string][]byte) { delete(f, file) } }
	for _, c := range []struct {
		name string
		edit func(map[string][]byte)
		want string
	}{
		{"no config", remove("config.json"), "config.json is missing"},
		{"no modules", remove("modules.json"), "modules.json is missing"},
		{"no pooling", remove("1_Pooling/config.json"), "1_Pooling/config.json is missing"},
		{"no length", remove("sentence_bert_config.json"), "sentence_bert_config.json is missing"},
		{"broken", replace("config.json", "{", "["), "config.json: invalid"},
		{"another family", replace("config.json", `"bert"`, `"mpnet"`), `model_type is "mpnet"`},
		{"another activation", replace("config.json", `"gelu"`, `"relu"`), `hidden_act is "relu"`},
		{"relative places", replace("config.json", "absolute", "relative_key"), `position_embedding_type is "relative_key"`},
		{"a decoder", replace("config.json", `"hidden_act"`, `"is_decoder": true, "hidden_act"`), "only encoders"},
		{"no heads", replace("config.json", "num_attention_heads", "heads"), "num_attention_heads is missing"},
		{"heads that don't fit", replace("config.json", `"num_attention_heads": 2`, `"num_attention_heads": 3`), "40 values cannot be shared out to 3 heads"},
		{"a huge size", replace("config.json", `"intermediate_size": 72`, `"intermediate_size": 4000000000`), "intermediate is 4000000000"},
		{"a negative size", replace("config.json", `"num_hidden_layers": 2`, `"num_hidden_layers": -2`), "layers is -2"},
		{"no epsilon", replace("config.json", `"layer_norm_eps": 1e-12`, `"layer_norm_eps": 0`), "epsilon is 0"},
		{"longer than there are places", replace("sentence_bert_config.json", "24", "41"), "41 word pieces, but there are embeddings for 40 places"},
		{"lower case before the tokenizer", replace("sentence_bert_config.json", "false", "true"), "do_lower_case is true"},
		{"a dense step", replace("modules.json", "models.Normalize", "models.Dense"), "Transformer, Pooling, Dense"},
		{"pooling by maximum", replace("1_Pooling/config.json", "mean_tokens", "max_tokens"), `pooling is ["max_tokens"]`},
		{"two poolings", replace("1_Pooling/config.json", `cls_token": false`, `cls_token": true`), `["cls_token" "mean_tokens"]`},
		{"pooling of another model", replace("1_Pooling/config.json", "40", "384"), "word_embedding_dimension is 384"},
	} {
		f := tinymodel.Files()
		c.edit(f)
		if got, err := encoder.ParseConfig(f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want an error with %q", c.name, got, err, c.want)
		}
	}
	cls := tinymodel.Files()
	cls["1_Pooling/config.json"] = []byte(`{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`)
	if got, err := encoder.ParseConfig(cls); err != nil || got.Pooling != encoder.CLS {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestProductOfUnits multiplies by a matrix with a single 1 in each column, so that every value can be seen to arrive.
func TestProductOfUnits(t *testing.T) {
	const rows, depth, panels = 7, 5, 3
	s := exact.NewStream(1, 1)
	a := make([]float32, rows*depth)
	for i := range a {
		a[i] = float32(s.IntN(1000))
	}
	b := make([]float32, panels*depth*encoder.Columns)
	for c := range panels * encoder.Columns {
		b[c/encoder.Columns*depth*encoder.Columns+c%depth*encoder.Columns+c%encoder.Columns] = 1
	}
	out := make([]float32, rows*panels*encoder.Columns)
	encoder.Multiply(out, panels*encoder.Columns, a, depth, rows, depth, b)
	for r := range rows {
		for c := range panels * encoder.Columns {
			if got, want := out[r*panels*encoder.Columns+c], a[r*depth+c%depth]; got != want {
				t.Fatalf("row %d, column %d: %v, want %v", r, c, got, want)
			}
		}
	}
}
