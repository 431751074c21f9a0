//go:build cgo

package onnx_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"retrace/cmd/native/encode/onnx"
	"retrace/cmd/native/encode/pinned"
	"retrace/cmd/native/encode/tiny"
)

var bert = []string{"input_ids", "attention_mask", "token_type_ids"}

// library returns the path of a shared library made from C source.
func library(t *testing.T, source string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to make a library with: ", err)
	}
	path := filepath.Join(t.TempDir(), "libtest.so")
	command := exec.Command(compiler, "-shared", "-fPIC", "-x", "c", "-o", path, "-")
	command.Stdin = strings.NewReader(source)
	if out, err := command.CombinedOutput(); err != nil {
		t.Skipf("the C compiler makes no shared library: %v\n%s", err, out)
	}
	return path
}

func TestOpenErrors(t *testing.T) {
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("not a library\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"no file", filepath.Join(t.TempDir(), "none.so"), "cannot load"},
		{"a text", text, "cannot load"},
		{"another library", library(t, "int one(void) { return 1; }"), "not ONNX Runtime"},
		{"an old runtime", library(t, `
			static const void *get_api(unsigned version) { return version <= 12 ? "" : 0; }
			static const char *get_version(void) { return "1.12.0"; }
			static struct { const void *(*api)(unsigned); const char *(*version)(void); } base = { get_api, get_version };
			void *OrtGetApiBase(void) { return &base; }`), "whose API is too old"},
	} {
		if _, err := onnx.Open(c.path); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: got %v, want an error with %q and the file's name", c.name, err, c.want)
		}
	}
}

// open opens the runtime that make model fetched.
func open(t *testing.T) {
	t.Helper()
	dir, err := pinned.Dir()
	if err != nil {
		t.Skip(err)
	}
	path := pinned.RuntimeFile(dir)
	if _, err := os.Stat(path); err != nil {
		t.Skip("ONNX Runtime is not there (make model fetches it): ", err)
	}
	version, err := onnx.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if version != pinned.RuntimeVersion {
		t.Errorf("version %s, want %s", version, pinned.RuntimeVersion)
	}
}

func TestRun(t *testing.T) {
	open(t)
	if _, err := onnx.Open(filepath.Join(t.TempDir(), "other.so")); err == nil || !strings.Contains(err.Error(), "already open") {
		t.Errorf("a second runtime: %v", err)
	}
	file := tiny.Model{Rows: [][]float32{{1, 2}, {3, 4}, {5, 6}}, Inputs: bert, Output: "h"}.Bytes()
	m, err := onnx.Load(file, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	batch := onnx.Batch{Size: 2, Length: 2, IDs: []int64{2, 1, 0, 2}, Mask: []int64{1, 1, 1, 1}}
	var hidden []float32
	err = m.Run(context.Background(), batch, func(h []float32) error { hidden = slices.Clone(h); return nil })
	if want := []float32{5, 6, 3, 4, 1, 2, 5, 6}; err != nil || !slices.Equal(hidden, want) {
		t.Errorf("got %v, %v, want %v", hidden, err, want)
	}
	batch.IDs[0] = 3 // the table has no such row
	if err := m.Run(context.Background(), batch, func([]float32) error { return nil }); err == nil {
		t.Error("an id outside the table is accepted")
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := m.Run(stopped, batch, func([]float32) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	open(t)
	model := func(dimension int, inputs ...string) []byte {
		return tiny.Model{Rows: [][]float32{make([]float32, dimension)}, Inputs: inputs, Output: "h"}.Bytes()
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "empty file"},
		{"not a model", []byte("not a model"), "does not accept the model"},
		{"cut off", model(2, bert...)[:100], "does not accept the model"},
		{"other inputs", model(2, "ids", "attention_mask"), "input ids (int64, ?×?), which is not known"},
		{"another dimension", model(3, bert...), "another dimension than 2"},
	} {
		if _, err := onnx.Load(c.file, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}
