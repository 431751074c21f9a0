package onehash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"retrace/cmd/native/encode/pinned"
	"retrace/core/dense"
	"retrace/core/encoder"
	"retrace/core/encoder/weights"
	"retrace/core/encoder/wordpiece"
	"retrace/internal/tinymodel"
)

// sentences are the 20 texts that every platform encodes: short, because an emulated processor takes its time, and with
// what tokenizers and sums find hard.
var sentences = []string{
	"a", "", "b c", "hello world", "the naïve café", "Gödel, Escher, Bach", "東京", "x = y * z + 1", "[CLS] in the text",
	"What is a proof?", "É́", "unfathomable", "1 2 3 4 5 6 7 8 9", "a a a a a a a a a a a a a a a a a a a " +
		"a", "…«–»", "\u00a0spaces\u2003of\u2028kinds",
	"Σίσυφος", "a-b_c", "\U0001d160", "The quick brown fox jumps over the lazy dog.",
}

// TestOneEncoder encodes the texts on every processor: with the pinned model where make model fetched it, else with the
// model of random weights. What is expected is what this process computes in plain Go.
func TestOneEncoder(t *testing.T) {
	if os.Getenv("RETRACE_ONEHASH") == "" {
		t.Skip("takes minutes: set RETRACE_ONEHASH=1, or run make test")
	}
	dir := modelFolder(t)
	want, dimension := encodeHere(t, dir)
	texts := filepath.Join(t.TempDir(), "texts.jsonl")
	var lines strings.Builder
	for i, s := range sentences {
		line, err := json.Marshal(map[string]string{"_id": fmt.Sprint(i), "text": "." + s})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	if err := os.WriteFile(texts, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range platforms {
		t.Run("linux/"+p.arch, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "v.f32")
			command := []string{buildNative(t, p.arch), "encode", texts, "--engine", "core", "--model", dir, "--allow-other-model",
				"--dimension", fmt.Sprint(dimension), "--threads", "1", "--out", out}
			if p.arch != runtime.GOARCH {
				command = append([]string{p.qemu}, command...)
			}
			started := time.Now()
			if said, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			vectors, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(vectors)
			if got := hex.EncodeToString(sum[:]); got != want {
				t.Errorf("vectors have SHA-256 %s; in plain Go here they have %s", got, want)
			}
			t.Logf("%.1f s", time.Since(started).Seconds())
		})
	}
}

// modelFolder is the pinned model's, or a new one with random weights.
func modelFolder(t *testing.T) string {
	t.Helper()
	if dir, err := pinned.Dir(); err == nil {
		dir = pinned.ModelDir(dir)
		if _, err := os.Stat(filepath.Join(dir, encoder.WeightsFile)); err == nil {
			t.Log("with the pinned model")
			return dir
		}
	}
	t.Log("with random weights: make model fetches the pinned model")
	files := tinymodel.Files()
	tokenizer, err := os.ReadFile(root + "/core/encoder/wordpiece/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	files[encoder.TokenizeFile] = tokenizer
	dir := t.TempDir()
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

// encodeHere returns the hash of the vectors by the encoder's own code, and their dimension.
func encodeHere(t *testing.T, dir string) (hash string, dimension int) {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{encoder.ConfigFile, encoder.ModulesFile, encoder.LengthFile, encoder.PoolingFile, encoder.WeightsFile,
		encoder.TokenizeFile} {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = content
	}
	config, err := encoder.ParseConfig(files)
	if err != nil {
		t.Fatal(err)
	}
	set, err := weights.ParseSafetensors(files[encoder.WeightsFile])
	if err != nil {
		t.Fatal(err)
	}
	model, err := encoder.New(config, set)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := wordpiece.Parse(files[encoder.TokenizeFile])
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float32
	for _, s := range sentences {
		pieces, _, err := tokenizer.Encode("."+s, config.MaxTokens)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]int32, len(pieces))
		for i, p := range pieces {
			ids[i] = int32(p.ID)
		}
		vector, err := model.Encode([][]int32{ids})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, vector...)
	}
	sum := sha256.Sum256(dense.Bytes(rows...))
	return hex.EncodeToString(sum[:]), config.Hidden
}
