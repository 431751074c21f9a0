package vectors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retrace/core/dense"
)

const anyHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Five rows of dimension 2 in three batches, not in order.
var (
	rows    = [][]float32{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.6, 0.8}}
	batches = [][]int{{4, 0}, {2}, {1, 3}}
)

func sidecar() dense.Sidecar {
	return dense.Sidecar{
		Dimension: 2, Count: 5, DType: dense.DType, Model: dense.Model{Name: "tiny", ONNXSHA256: anyHash, TokenizerSHA256: anyHash},
		Runtime: "none", MaxWordPieces: 8, Truncated: []string{"b"}, Input: &dense.Input{SHA256: anyHash, IDsSHA256: anyHash},
	}
}

func begin(t *testing.T, path string) *Writer {
	t.Helper()
	w, err := Begin(context.Background(), path, sidecar(), batches)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func put(t *testing.T, w *Writer, some ...int) {
	t.Helper()
	for _, b := range some {
		var values [][]float32
		for _, row := range batches[b] {
			values = append(values, rows[row])
		}
		if err := w.Put(b, values); err != nil {
			t.Fatal(err)
		}
	}
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func finished(t *testing.T, path string) {
	t.Helper()
	m, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if !slices.Equal(m.Row(i), row) {
			t.Errorf("row %d is %v, want %v", i, m.Row(i), row)
		}
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"v.f32", "v.json"}) {
		t.Errorf("the folder holds %v", got)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.f32")
	w := begin(t, path)
	put(t, w, 1, 0)
	if _, err := w.Finish(); err == nil || !strings.Contains(err.Error(), "1 of 3 batches") {
		t.Errorf("finished too early: %v", err)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"v.f32.part"}) {
		t.Errorf("before the end the folder holds %v", got)
	}
	put(t, w, 2)
	s, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Truncated, []string{"b"}) || s.Count != 5 {
		t.Errorf("sidecar %+v", s)
	}
	finished(t, path)
	if _, err := Begin(context.Background(), path, sidecar(), batches); !errors.Is(err, ErrComplete) {
		t.Errorf("again: %v", err)
	}
	other := sidecar()
	other.MaxWordPieces = 9
	if _, err := Begin(context.Background(), path, other, batches); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
		t.Errorf("with other settings: %v", err)
	}
	finished(t, path)
}

// TestResume stops after every byte of a part file's records, as a machine might, and goes on.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "v.f32")
	w := begin(t, path)
	start := w.end
	put(t, w, 2, 0)
	w.Close()
	part, err := os.ReadFile(path + ".part")
	if err != nil {
		t.Fatal(err)
	}
	// Records have 8 + 4·values + 4 bytes: batches 2 and 0 of 4 values each are 28 bytes each.
	if int64(len(part)) != start+56 {
		t.Fatalf("part file has %d bytes after its first line of %d", int64(len(part))-start, start)
	}
	for cut := start; cut <= int64(len(part)); cut++ {
		path := filepath.Join(t.TempDir(), "v.f32")
		if err := os.WriteFile(path+".part", part[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		w := begin(t, path)
		want := []int{0, 1, 2}
		if cut >= start+28 {
			want = []int{0, 1}
		}
		if cut == start+56 {
			want = []int{1}
		}
		if todo := w.Todo(); !slices.Equal(todo, want) {
			t.Fatalf("cut at %d: to do %v, want %v", cut-start, todo, want)
		}
		put(t, w, w.Todo()...)
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		finished(t, path)
	}
}

func TestResumeDamaged(t *testing.T) {
	for _, c := range []struct {
		name   string
		at     int64 // byte after the first line that is changed
		redone []int
	}{
		{"another batch", 0, []int{0, 1, 2}},
		{"another size", 4, []int{0, 1, 2}},
		{"a value of the second", 28 + 9, []int{0, 1}},
		{"the checksum of the second", 28 + 25, []int{0, 1}},
	} {
		path := filepath.Join(t.TempDir(), "v.f32")
		w := begin(t, path)
		start := w.end
		put(t, w, 2, 0)
		w.Close()
		part, err := os.ReadFile(path + ".part")
		if err != nil {
			t.Fatal(err)
		}
		part[start+c.at] ^= 0x41
		if err := os.WriteFile(path+".part", part, 0o666); err != nil {
			t.Fatal(err)
		}
		w = begin(t, path)
		if todo := w.Todo(); !slices.Equal(todo, c.redone) {
			t.Errorf("%s: to do %v, want %v", c.name, todo, c.redone)
		}
		put(t, w, w.Todo()...)
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		finished(t, path)
	}
}

func TestBeginErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(s *dense.Sidecar)
		files map[string]string // beside the part file of another run
		want  string
	}{
		{"other texts", func(s *dense.Sidecar) { s.Input = &dense.Input{SHA256: strings.Repeat("f", 64), IDsSHA256: anyHash} }, nil,
			`input.sha256 was "0123`},
		{"another model", func(s *dense.Sidecar) { s.Model.ONNXSHA256 = strings.Repeat("f", 64) }, nil, "model.onnxSha256 was"},
		{"another shard", func(s *dense.Sidecar) { s.Shard = "1/2" }, nil, `shard was missing, is "1/2"`},
	} {
		path := filepath.Join(t.TempDir(), "v.f32")
		w := begin(t, path)
		put(t, w, 0)
		w.Close()
		s := sidecar()
		c.edit(&s)
		if _, err := Begin(context.Background(), path, s, batches); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
		w = begin(t, path) // refused, not spoilt
		if len(w.Todo()) != 2 {
			t.Errorf("%s: to do %v", c.name, w.Todo())
		}
		w.Close()
	}
	for _, c := range []struct{ file, text, want string }{
		{"v.f32.part", "something else\n", "not a part file"},
		{"v.f32.part", strings.Repeat("x", 1<<20), "not a part file"},
		{"v.f32", "someone's", "one is there"},
		{"v.json", "{}", "one is there"},
	} {
		path := filepath.Join(t.TempDir(), "v.f32")
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), c.file), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Begin(context.Background(), path, sidecar(), batches); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.file, err, c.want)
		}
		if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{c.file}) {
			t.Errorf("%s: the folder holds %v", c.file, got)
		}
	}
	for _, wrong := range [][][]int{{{0, 1, 2, 3}}, {{0, 1, 2, 3, 4}, {4}}, {{0, 1, 2, 3, 5}}, {{-1, 0, 1, 2, 3}}} {
		if _, err := Begin(context.Background(), filepath.Join(t.TempDir(), "v.f32"), sidecar(), wrong); err == nil {
			t.Errorf("batches %v accepted", wrong)
		}
	}
	if _, err := Begin(context.Background(), filepath.Join(t.TempDir(), "v.json"), sidecar(), batches); err == nil {
		t.Error("vectors and sidecar would be one file")
	}
}

func TestPutErrors(t *testing.T) {
	w := begin(t, filepath.Join(t.TempDir(), "v.f32"))
	defer w.Close()
	for _, c := range []struct {
		rows [][]float32
		want string
	}{
		{[][]float32{{1, 0}}, "1 rows given for batch 0, which has 2"},
		{[][]float32{{1, 0}, {1, 0, 0}}, "row 0 has dimension 3, not 2"},
		{[][]float32{{1, 0}, {1, 1}}, "row 0: its length is 1.41421"},
	} {
		if err := w.Put(0, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	if len(w.Todo()) != 3 {
		t.Errorf("to do %v", w.Todo())
	}
}

// TestOneAtATime: a second writer waits for the first, can be stopped while it waits, and finds the work done.
func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.f32")
	w := begin(t, path)
	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Begin(short, path, sidecar(), batches); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("did not wait: %v", err)
	}
	second := make(chan error)
	go func() {
		_, err := Begin(context.Background(), path, sidecar(), batches)
		second <- err
	}()
	put(t, w, 0, 1, 2)
	time.Sleep(20 * time.Millisecond) // the second has begun to wait, or begins later: both must do
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := <-second; !errors.Is(err, ErrComplete) {
		t.Errorf("the second got %v", err)
	}
	finished(t, path)
}

// TestCrashAtTheEnd has the files in place but the part file not yet removed.
func TestCrashAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.f32")
	w := begin(t, path)
	put(t, w, 0, 1, 2)
	part, err := os.ReadFile(path + ".part")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".part", part, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(context.Background(), path, sidecar(), batches); !errors.Is(err, ErrComplete) {
		t.Errorf("with files and part: %v", err)
	}
	finished(t, path)
	// Vectors renamed, sidecar not yet.
	os.Remove(SidecarPath(path))
	if err := os.WriteFile(path+".part", part, 0o666); err != nil {
		t.Fatal(err)
	}
	w = begin(t, path)
	if todo := w.Todo(); len(todo) > 0 {
		t.Errorf("to do %v", todo)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	finished(t, path)
}

func TestParseShard(t *testing.T) {
	for _, s := range []string{"", "1", "0/2", "3/2", "1/2/3", "1/ 2", "+1/2", "01/2", "-1/2", "1/99999999", "a/b"} {
		if shard, err := ParseShard(s); err == nil {
			t.Errorf("%q taken for %v", s, shard)
		}
	}
	// 10 texts in 3: 10·1/3 = 3, 10·2/3 = 6.
	for i, want := range [][2]int{{0, 3}, {3, 6}, {6, 10}} {
		shard, err := ParseShard(Shard{i + 1, 3}.String())
		if first, last := shard.Range(10); err != nil || first != want[0] || last != want[1] {
			t.Errorf("%v: %d to %d, %v", shard, first, last, err)
		}
	}
}

// shards writes the rows in three parts (5·1/3 = 1, 5·2/3 = 3) and returns their paths.
func shards(t *testing.T, dir string, edit func(i int, s *dense.Sidecar)) []string {
	t.Helper()
	var paths []string
	for i, r := range [][2]int{{0, 1}, {1, 3}, {3, 5}} {
		s := sidecar()
		s.Count, s.Shard, s.Truncated = r[1]-r[0], Shard{i + 1, 3}.String(), []string{string(rune('a' + i))}
		edit(i, &s)
		path := filepath.Join(dir, s.Shard[:1]+"of3.f32")
		if _, err := write(path, s, func(out io.Writer) error {
			_,
				err := out.Write(dense.Bytes(rows[r[0]:r[1]]...))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestMerge(t *testing.T) {
	p := shards(t, t.TempDir(), func(int, *dense.Sidecar) {})
	path := filepath.Join(t.TempDir(), "v.f32")
	s, err := Merge(path, []string{p[2], p[0], p[1]})
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != 5 || s.Shard != "" || !slices.Equal(s.Truncated, []string{"a", "b", "c"}) {
		t.Errorf("sidecar %+v", s)
	}
	finished(t, path)
	if _, err := Merge(path, p); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
		t.Errorf("over what is there: %v", err)
	}
}

func TestMergeErrors(t *testing.T) {
	damage := func(path string) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(bytes.Clone(file[:len(file)-1]), file[len(file)-1]^1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		edit func(i int, s *dense.Sidecar)
		pick func(p []string) []string
		want string
	}{
		{"one lacks", nil, func(p []string) []string { return p[:2] }, "shard 3/3 is not among"},
		{"one twice", nil, func(p []string) []string { return []string{p[0], p[1], p[1]} }, "both shard 2/3"},
		{"none", nil, func(p []string) []string { return nil }, "no shards"},
		{"no shard", func(i int, s *dense.Sidecar) { s.Shard = [...]string{"1/3", "2/3", "3/3"}[i] }, func(p []string) []string {
			file := strings.Replace(readAll(t, SidecarPath(p[0])), `"shard": "1/3"`, `"shard": ""`, 1)
			os.WriteFile(SidecarPath(p[0]), []byte(file), 0o666)
			return p
		}, "is not a shard"},
		{"other texts", func(i int, s *dense.Sidecar) { s.Input = &dense.Input{SHA256: strings.Repeat(string(rune('a'+i)), 64)} }, nil,
			"made from other texts"},
		{"another runtime", func(i int, s *dense.Sidecar) { s.RuntimeSHA256 = string(rune('a' + i)) }, nil,
			"made from other texts, or with another model, runtime"},
		{"a value changed", nil, func(p []string) []string { damage(p[1]); return p }, "it was changed"},
		{"sidecars swapped", nil, func(p []string) []string {
			a, b := readAll(t, SidecarPath(p[1])), readAll(t, SidecarPath(p[2]))
			os.WriteFile(SidecarPath(p[1]), []byte(b), 0o666)
			os.WriteFile(SidecarPath(p[2]), []byte(a), 0o666)
			return p
		}, "another file's sidecar"},
		{"no sidecar", nil, func(p []string) []string { os.Remove(SidecarPath(p[0])); return p }, "no such file"},
	} {
		if c.edit == nil {
			c.edit = func(int, *dense.Sidecar) {}
		}
		p := shards(t, t.TempDir(), c.edit)
		if c.pick != nil {
			p = c.pick(p)
		}
		dir := t.TempDir()
		if _, err := Merge(filepath.Join(dir, "v.f32"), p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
		if got := names(t, dir); len(got) > 0 {
			t.Errorf("%s: left behind %v", c.name, got)
		}
	}
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// TestSidecarText: what is written is what dense reads, and people can read it.
func TestSidecarText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.f32")
	w := begin(t, path)
	put(t, w, 0, 1, 2)
	s, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	text := readAll(t, SidecarPath(path))
	back, err := dense.ParseSidecar([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(s)
	b, _ := json.Marshal(back)
	if string(a) != string(b) || !strings.HasPrefix(text, "{\n \"dimension\": 2,\n") || !strings.HasSuffix(text, "}\n") {
		t.Errorf("written %s", text)
	}
}
