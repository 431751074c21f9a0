package encode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/cmd/native/encode/onnx"
	"retrace/cmd/native/encode/pinned"
	"retrace/cmd/native/encode/texts"
	"retrace/cmd/native/encode/tiny"
	"retrace/cmd/native/encode/vectors"
	"retrace/core/dense"
)

// TestPool works out the mean by hand: of the attended tokens (1, 2), (5, 4) and (3, 6) it is (3, 4), whose length is 5.
func TestPool(t *testing.T) {
	hidden := []float32{1, 2, 5, 4, 100, 100, 3, 6}
	got, err := pool(hidden, []int64{1, 1, 0, 1}, 2)
	if want := []float32{0.6, 0.8}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		hidden []float32
		mask   []int64
	}{
		{"zero", []float32{1, -1, -1, 1}, []int64{1, 1}},
		{"nothing attended", []float32{1, 2}, []int64{0}},
		{"not a number", []float32{1, nan}, []int64{1}},
		{"infinite", []float32{float32(math.Inf(1)), 0}, []int64{1}},
	} {
		if v, err := pool(c.hidden, c.mask, 2); err == nil {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

func TestPlan(t *testing.T) {
	// By length, longest first, ties in the texts' order; 12 pieces hold one of 9, two of 5, four of 3.
	got := plan([]int{3, 9, 5, 3, 5, 3, 20}, 12)
	if want := [][]int{{6}, {1}, {2, 4}, {0, 3, 5}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 300), 0, 60).Draw(t, "lengths")
		limit := rapid.IntRange(1, 1000).Draw(t, "limit")
		var rows []int
		for _, b := range plan(lengths, limit) {
			longest := 0
			for _, row := range b {
				longest = max(longest, lengths[row])
			}
			if len(b) == 0 || len(b) > 1 && len(b)*longest > limit {
				t.Fatalf("batch %v of lengths %v", b, lengths)
			}
			rows = append(rows, b...)
		}
		slices.Sort(rows)
		if !slices.Equal(rows, all(len(lengths))) {
			t.Fatalf("rows %v of %d", rows, len(lengths))
		}
	})
}

func TestBatch(t *testing.T) {
	b := batch([][]int32{{4, 5, 6}, {7}})
	if b.Size != 2 || b.Length != 3 || !slices.Equal(b.IDs, []int64{4, 5, 6, 7, 0, 0}) || !slices.Equal(b.Mask, []int64{1, 1, 1, 1, 0, 0}) {
		t.Errorf("got %+v", b)
	}
}

// tinyModel writes a model of dimension 4 whose tokenizer is wordpiece's small.json: "a" is (1,0,0,0), "b" (0,1,0,0),
// "c" (0,0,0,1), [CLS] and [SEP] are (0,0,1,0), and what fills a text up is (9,9,9,9), which would show.
func tinyModel(t testing.TB) (dir string) {
	t.Helper()
	file, err := os.ReadFile("../../../core/encoder/wordpiece/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	rows := make([][]float32, len(f.Model.Vocab))
	for i := range rows {
		rows[i] = []float32{0.5, 0.5, 0.5, float32(i)}
	}
	for piece, row := range map[string][]float32{
		"[PAD]": {9, 9, 9, 9}, "[CLS]": {0, 0, 1, 0}, "[SEP]": {0, 0, 1, 0}, "a": {1, 0, 0, 0}, "b": {0, 1, 0, 0}, "c": {0, 0, 0, 1},
	} {
		rows[f.Model.Vocab[piece]] = row
	}
	dir = t.TempDir()
	model := tiny.Model{Rows: rows, Inputs: []string{"input_ids", "attention_mask", "token_type_ids"}, Output: "hidden"}.Bytes()
	for name, file := range map[string][]byte{"tokenizer.json": file, "tiny.onnx": model} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runtimeFile returns the runtime that make model fetched.
func runtimeFile(t testing.TB) string {
	t.Helper()
	dir, err := pinned.Dir()
	if err != nil {
		t.Skip(err)
	}
	path := pinned.RuntimeFile(dir)
	if !exists(path) {
		t.Skipf("%s is not there: make model fetches it", path)
	}
	if _, err := onnx.Open(path); errors.Is(err, onnx.ErrNoRuntime) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// tinyOptions are the options to encode with a tiny model through the real runtime.
func tinyOptions(t testing.TB) Options {
	return Options{Model: tinyModel(t), Runtime: runtimeFile(t), AllowOther: true, Threads: 2, Dimension: 4}
}

func TestEncode(t *testing.T) {
	e, err := OpenEncoder(tinyOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !slices.Equal(e.Info.NotPinned, []string{"model", "tokenizer"}) ||
		!strings.Contains(e.Info.String(), "not the pinned model, tokenizer") {
		t.Errorf("info %v", e.Info)
	}
	got, truncated, err := e.Encode(context.Background(), []string{"a b", "A", strings.Repeat("c ", 300), ""})
	if err != nil {
		t.Fatal(err)
	}
	// [CLS] a b [SEP]: mean (1,1,2,0)/4, length √6/4. [CLS] a [SEP]: (1,0,2,0)/√5. 254 c's between [CLS] and [SEP]:
	// (0,0,2,254)/√(4+64516). [CLS] [SEP]: (0,0,1,0).
	root := func(x float64) func(float64) float32 {
		return func(n float64) float32 { return float32(n / math.Sqrt(x)) }
	}
	r6, r5, r254 := root(6), root(5), root(64520)
	want := [][]float32{{r6(1), r6(1), r6(2), 0}, {r5(1), 0, r5(2), 0}, {0, 0, r254(2), r254(254)}, {0, 0, 1, 0}}
	for i := range want {
		for j := range want[i] {
			if math.Abs(float64(got[i][j]-want[i][j])) > 1e-7 {
				t.Errorf("text %d: got %v, want %v", i, got[i], want[i])
				break
			}
		}
	}
	if !slices.Equal(truncated, []bool{false, false, true, false}) {
		t.Errorf("truncated %v", truncated)
	}
	if _, _, err := e.Encode(context.Background(), []string{"fine", "a\xff"}); err == nil || !strings.Contains(err.Error(), "text 2 of 2") {
		t.Errorf("text that is not UTF-8: %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := e.Encode(stopped, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if v, _, err := e.Encode(context.Background(), nil); err != nil || len(v) != 0 {
		t.Errorf("no texts: %v, %v", v, err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir, library := tinyModel(t), filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(library, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	two := tinyModel(t)
	if err := os.WriteFile(filepath.Join(two, "second.onnx"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		options Options
		missing bool
		want    string
	}{
		{"no model", Options{Model: empty, Runtime: library, AllowOther: true}, true, "run make model"},
		{"no runtime", Options{Model: dir, Runtime: filepath.Join(empty, "none"), AllowOther: true}, true, "run make model"},
		{"another model", Options{Model: dir, Runtime: library}, false, "not the pinned one: run make model"},
		{"a folder as runtime", Options{Model: dir, Runtime: empty, AllowOther: true}, false, "is not a file"},
		{"two models", Options{Model: two, Runtime: library, AllowOther: true}, false, "several .onnx files"},
		{"threads", Options{Model: dir, Runtime: library, Threads: -1}, false, "-1 threads"},
		{"dimension", Options{Model: dir, Runtime: library, Dimension: -1}, false, "dimension -1"},
	} {
		_, err := OpenEncoder(c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrMissing) != c.missing {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	o := tinyOptions(t)
	if _, err := OpenEncoder(Options{Model: dir, Runtime: library, AllowOther: true}); err == nil ||
		!strings.Contains(err.Error(), "already open") {
		t.Errorf("a second runtime: %v", err)
	}
	o.Dimension = 384
	if _, err := OpenEncoder(o); err == nil || !strings.Contains(err.Error(), "another dimension than 384: [hidden (float32, ?×?×4)]") {
		t.Errorf("wrong dimension: %v", err)
	}
}

// corpus writes a file of n texts of one to about 40 words and returns its path.
func corpus(t testing.TB, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"_id": "%d", "title": "%c", "text": "%s"}`+"\n", i+1, 'a'+rune(i%3),
			strings.TrimSpace(strings.Repeat("a b c ", i%13)))
	}
	fmt.Fprintf(&b, `{"_id": "long", "text": "%s"}`+"\n", strings.Repeat("hello world ", 200))
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRunEncode makes one file in one run, in two and in three shards, and gets the same.
func TestRunEncode(t *testing.T) {
	o, file, dir := tinyOptions(t), corpus(t, 400), t.TempDir()
	run := func(out, shard string) (string, error) {
		var both bytes.Buffer
		err := runEncode(context.Background(), job{file: file, out: filepath.Join(dir, out), shard: shard, fields: texts.Default,
			options: o}, &both, &both)
		return both.String(), err
	}
	said, err := run("whole.f32", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"401 vectors of dimension 4", "not the pinned model, tokenizer",
		"cut off at 256 word pieces: 1 texts: long\n", "2 threads"} {
		if !strings.Contains(said, want) {
			t.Errorf("said %q, without %q", said, want)
		}
	}
	whole := mustRead(t, filepath.Join(dir, "whole.f32"))
	m, err := dense.Parse(whole, mustRead(t, filepath.Join(dir, "whole.json")), 401)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Sidecar(); !slices.Equal(s.Truncated, []string{"long"}) || !slices.Equal(s.NotPinned, []string{"model", "tokenizer"}) ||
		!strings.HasPrefix(s.Model.Name, "other: ") {
		t.Errorf("sidecar %+v", s)
	}
	if said, err := run("whole.f32", ""); err != nil || !strings.Contains(said, "already there, 401 vectors") {
		t.Errorf("again: %q, %v", said, err)
	}

	// Runs that are stopped after two batches each, until none is left.
	runs := 0
	for stopped := true; stopped; runs++ {
		ctx, stop := context.WithCancel(context.Background())
		n := 0
		j := job{file: file, out: filepath.Join(dir, "stopped.f32"), fields: texts.Default, options: o, kept: func() {
			if n++; n == 2 {
				stop()
			}
		}}
		var said bytes.Buffer
		err := runEncode(ctx, j, &said, &said)
		stopped = err != nil
		if stopped && (!errors.Is(err, context.Canceled) || exists(j.out) ||
			!strings.Contains(err.Error(), "goes on from "+j.out+".part")) {
			t.Fatal(err)
		}
		if runs > 0 && !strings.Contains(said.String(), "going on with") {
			t.Errorf("run %d said %q", runs, said.String())
		}
		stop()
	}
	if runs < 3 {
		t.Errorf("only %d runs: the texts are too few for this test", runs)
	}
	if !bytes.Equal(mustRead(t, filepath.Join(dir, "stopped.f32")), whole) {
		t.Error("a run that was stopped and taken up gives other vectors")
	}

	var parts []string
	for _, shard := range []string{"3/3", "1/3", "2/3"} {
		if _, err := run(shard[:1]+".f32", shard); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, filepath.Join(dir, shard[:1]+".f32"))
	}
	if _, err := vectors.Merge(filepath.Join(dir, "merged.f32"), parts); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{".f32", ".json"} {
		if !bytes.Equal(mustRead(t, filepath.Join(dir, "merged"+ending)), mustRead(t, filepath.Join(dir, "whole"+ending))) {
			t.Errorf("shards together give another %s", ending)
		}
	}

	o.AllowOther = false
	if _, err := run("other.f32", ""); err == nil || !strings.Contains(err.Error(), "--allow-other-model") {
		t.Errorf("a model that is not pinned: %v", err)
	}
}

// TestCommands has the flags and errors that a person meets.
func TestCommands(t *testing.T) {
	dir := tinyModel(t)
	call := func(stdin string, args ...string) (string, error) {
		for _, c := range Commands() {
			if c.Name() == args[0] {
				var out bytes.Buffer
				c.SetArgs(args[1:])
				c.SetIn(strings.NewReader(stdin))
				c.SetOut(&out)
				c.SetErr(&out)
				c.SilenceErrors, c.SilenceUsage = true, true
				err := c.Execute()
				return out.String(), err
			}
		}
		return "", fmt.Errorf("no command %s", args[0])
	}
	t.Run("tokenize", func(t *testing.T) {
		for _, c := range []struct {
			stdin, want string
			args        []string
		}{
			{`"a b"` + "\n" + `"Na\u00efve!"` + "\n", `["[CLS]","a","b","[SEP]"]` + "\n" + `["[CLS]","naive","!","[SEP]"]` + "\n",
				[]string{"--pieces"}},
			{`"<a>"`, `["[CLS]","<","a",">","[SEP]"]` + "\n", []string{"--pieces"}},
			{`"a\u0000b"`, `["[CLS]","a","##b","[SEP]"]` + "\n", []string{"--pieces"}},
			{`""`, "[2,3]\n", nil},
			{`"a b c"`, `["[CLS]","a","[SEP]"]` + "\n", []string{"--pieces", "--limit", "3"}},
			{"", "", nil},
		} {
			got, err := call(c.stdin, append([]string{"tokenize", "--model", dir, "--allow-other-model"}, c.args...)...)
			_, got, _ = strings.Cut(got, "not the pinned one\n") // said on standard error
			if err != nil || got != c.want {
				t.Errorf("%s %v: got %q, %v, want %q", c.stdin, c.args, got, err, c.want)
			}
		}
		for _, c := range []struct{ stdin, want string }{
			{"\"a\"\n5\n", "line 2: not a JSON string"},
			{`"\ud800"`, "line 1: half of a surrogate pair"},
			{"\"a\xff\"", "line 1: not valid UTF-8"},
			{"\n", "line 1: not a JSON string"},
		} {
			if _, err := call(c.stdin, "tokenize", "--model", dir, "--allow-other-model"); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: got %v, want an error with %q", c.stdin, err, c.want)
			}
		}
		if _, err := call("", "tokenize", "--model", dir); err == nil || !strings.Contains(err.Error(), "--allow-other-model") {
			t.Errorf("a tokenizer that is not pinned: %v", err)
		}
	})
	t.Run("errors", func(t *testing.T) {
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"encode", "none.jsonl", "--out", "v.f32"}, "none.jsonl"},
			{[]string{"encode", "none.jsonl"}, `"out" not set`},
			{[]string{"encode", corpus(t, 1), "--out", "v.f32", "--shard", "2"}, "write it as I/N"},
			{[]string{"encode", corpus(t, 1), "--out", "v.f32", "--model", t.TempDir(), "--runtime", "none"}, "run make model"},
			{[]string{"merge", "--out", "v.f32"}, "at least 1 arg"},
			{[]string{"merge", "none.f32", "--out", filepath.Join(t.TempDir(), "v.f32")}, "none.json"},
		} {
			if _, err := call("", c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: got %v, want an error with %q", c.args, err, c.want)
			}
		}
	})
}

// TestFrozen makes some of the studies' vectors again with the real model, where all is there.
func TestFrozen(t *testing.T) {
	const folder = "../../../../shared/data/"
	runtime := runtimeFile(t)
	file, err := os.ReadFile(folder + "concepts/corpus.jsonl")
	if err != nil {
		t.Skip("the studies' data are not beside the project: ", err)
	}
	e, err := OpenEncoder(Options{Runtime: runtime})
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	set, err := texts.Parse("corpus.jsonl", file, texts.Default)
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := dense.Parse(mustRead(t, folder+"concepts/vectors.f32"), mustRead(t, folder+"concepts/vectors.json"), len(set.Texts))
	if err != nil {
		t.Fatal(err)
	}
	const some = 60
	fresh, _, err := e.Encode(context.Background(), set.Texts[:some])
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range fresh {
		if cosine := dense.Dot(v, frozen.Row(i)); cosine < 0.99999 {
			t.Errorf("%s: cosine to the frozen vector %v", set.IDs[i], cosine)
		}
	}
}

// TestStudies compares the hashes of all ids of the studies' texts with what tokenizers 0.23.3 printed.
func TestStudies(t *testing.T) {
	const folder = "../../../../shared/data/"
	var o Options
	if err := o.fill(); err != nil {
		t.Skip(err)
	}
	tokenizer, _, err := openTokenizer(o)
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(folder + "tokenizer/studies.json")
	if err != nil {
		t.Skip("the studies' data are not beside the project: ", err)
	}
	type study struct {
		Texts, IDs int
		SHA256     string
	}
	var want struct{ Concepts, R01, R02 study }
	if err := json.Unmarshal(file, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file   string
		fields texts.Fields
		want   study
	}{
		{"concepts/corpus.jsonl", texts.Default, want.Concepts},
		{"r01/questions.jsonl", texts.Default, want.R01},
		{"r02/tasks.jsonl", texts.Fields{ID: "id", Text: []string{"need"}}, want.R02},
	} {
		set, err := texts.Parse(c.file, mustRead(t, folder+c.file), c.fields)
		if err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		ids := 0
		for _, text := range set.Texts {
			pieces, _, err := tokenizer.Encode(text, MaxWordPieces)
			if err != nil {
				t.Fatal(err)
			}
			ids += len(pieces)
			for i, p := range pieces {
				if i > 0 {
					lines.WriteByte(' ')
				}
				fmt.Fprint(&lines, p.ID)
			}
			lines.WriteByte('\n')
		}
		if got := (study{len(set.Texts), ids, hash([]byte(lines.String()))}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.file, got, c.want)
		}
	}
	for line := range bytes.Lines(mustRead(t, folder+"tokenizer/cases.jsonl")) {
		var c struct {
			Text      string
			IDs       []int
			Truncated bool
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		pieces, truncated, err := tokenizer.Encode(c.Text, MaxWordPieces)
		var ids []int
		for _, p := range pieces {
			ids = append(ids, p.ID)
		}
		if err != nil || !slices.Equal(ids, c.IDs) || truncated != c.Truncated {
			t.Errorf("%+q: got %v, truncated %v, %v", c.Text, pieces, truncated, err)
		}
	}
}

// BenchmarkDefinitions encodes the 3,000 definitions with the real model, tokens to unit vectors, by both engines;
// tools/bench-encode compares them with Python's onnxruntime. RETRACE_THREADS sets the threads.
func BenchmarkDefinitions(b *testing.B) {
	file, err := os.ReadFile("../../../kit/concepts/corpus.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	set, err := texts.Parse("corpus.jsonl", file, texts.Default)
	if err != nil {
		b.Fatal(err)
	}
	threads, _ := strconv.Atoi(os.Getenv("RETRACE_THREADS")) // unset: 0, one for each core
	for _, engine := range []string{ONNX, Core} {
		b.Run(engine, func(b *testing.B) {
			e, err := OpenEncoder(Options{Engine: engine, Threads: threads})
			if errors.Is(err, ErrMissing) {
				b.Skip(err)
			} else if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			for b.Loop() {
				if _, _, err := e.Encode(context.Background(), set.Texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(set.Texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}
