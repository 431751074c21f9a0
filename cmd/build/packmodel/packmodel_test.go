package packmodel

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retrace/core/encoder/packed"
	"retrace/internal/tinymodel"
)

// folder writes the tiny model.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	files := tinymodel.Files()
	tokenizer, err := os.ReadFile("../../../core/encoder/wordpiece/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	files["tokenizer.json"] = tokenizer
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSizes: the tiny model has 231·40 values in its table and 29,040 in its other matrices (40 places and 2 types of 40,
// two layers of 4·40² + 2·40·72), 4 bytes a row more in 8 bits; 80 + 2·(4·40 + 72 + 40 + 4·40) values of vectors in float32.
func TestSizes(t *testing.T) {
	dir := folder(t)
	const table, others, rows = 231 * 40, 42*40 + 2*(4*40*40+2*40*72), 42 + 2*(4*40+72+40)
	const vectors = 80 + 2*(4*40+72+40+4*40)
	for kind, want := range map[string]int{
		Float16: 2*table + 2*others,
		Int8:    table + 4*231 + others + 4*rows,
		Mixed:   table + 4*231 + 2*others,
	} {
		out := filepath.Join(t.TempDir(), "model")
		var said bytes.Buffer
		if err := run(&said, dir, out, kind); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := packed.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := int(r.Body) - r.Header.Tokenizer; got != want+4*vectors {
			t.Errorf("%s: %d bytes of tensors, want %d", kind, got, want+4*vectors)
		}
		if len(r.Header.Source) != 6 || r.Header.Name != "tiny" || !strings.Contains(said.String(), "tiny as "+kind) {
			t.Errorf("%+v, said %q", r.Header.Source, said.String())
		}
		if err := run(&said, dir, out, kind); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
			t.Errorf("a file that is there: %v", err)
		}
	}
}

func TestErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "model")
	for _, c := range []struct{ model, kind, want string }{
		{folder(t), "int4", "--store int4: the ways are"},
		{t.TempDir(), Float16, "make model fetches"},
	} {
		if err := run(&bytes.Buffer{}, c.model, out, c.kind); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
