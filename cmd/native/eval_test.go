package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestEvalPrintsTrecEval: without options but trec_eval's, native eval prints the bytes of trec_eval's own test output.
func TestEvalPrintsTrecEval(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "peers", "trec_eval")
	want, err := os.ReadFile(filepath.Join(dir, "out.test"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("optional: trec_eval's test files are not at " + dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"eval", filepath.Join(dir, "qrels.test"), filepath.Join(dir, "results.test"), "--mean",
		"returned"}, &stdout, &stderr)
	if code != exitSame || !bytes.Equal(stdout.Bytes(), want) {
		t.Errorf("code %d\n%s\n%s", code, stdout.String(), stderr.String())
	}
}
