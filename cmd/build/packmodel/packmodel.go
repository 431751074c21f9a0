// Package packmodel holds the command that packs an embedding model for a page.
package packmodel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/native/encode/pinned"
	"retrace/core/digest"
	"retrace/core/encoder"
	"retrace/core/encoder/packed"
	"retrace/core/encoder/weights"
)

// The ways to store a model: vectors (biases and normalisations, a thousandth of it) are float32 in all of them.
const (
	Float16 = "float16" // every matrix
	Int8    = "int8"    // every matrix, 8 bits and a scale for each row
	Mixed   = "mixed"   // the table of word pieces in 8 bits, the layers in float16
)

// kinds say how a tensor is stored.
var kinds = map[string]func(weights.Tensor) weights.Type{
	Float16: func(t weights.Tensor) weights.Type { return matrix(t, weights.F16) },
	Int8:    func(t weights.Tensor) weights.Type { return matrix(t, weights.I8) },
	Mixed: func(t weights.Tensor) weights.Type {
		if strings.HasPrefix(t.Name, "embeddings.word") {
			return weights.I8
		}
		return matrix(t, weights.F16)
	},
}

func matrix(t weights.Tensor, kind weights.Type) weights.Type {
	if len(t.Shape) < 2 {
		return weights.F32
	}
	return kind
}

// Commands returns pack-model.
func Commands() []*cobra.Command { return []*cobra.Command{command()} }

func command() *cobra.Command {
	var model, out, kind string
	c := &cobra.Command{
		Use:   "pack-model --out FILE",
		Short: "Pack the embedding model into one file that a page can load in parts",
		Long: `Pack a sentence encoder (model.safetensors with its configuration and tokenizer.json, by itself what make model fetched)
into one file: hashed in chunks of 1 MB, so that what arrives damaged is told at once, its tensors in the order in which a
text needs them.

--store says how matrices are stored: float16 (the default), int8 (8 bits and a scale for each row), or mixed (the table of
word pieces in 8 bits, the layers in float16). docs/encoder.md has what each costs in vectors and ranks; measure it with

  native crosscheck r01 --engine core --model FILE --allow-other-model

FILE must not be there yet. Exit codes: 0 when it is written, 1 when something went wrong.`,
		Example: `  build pack-model --out minilm.retrace-model
  build pack-model --out small.retrace-model --store int8
  build pack-model --model DIR --out other.retrace-model`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return run(c.OutOrStdout(), model, out, kind) },
	}
	f := c.Flags()
	f.StringVar(&model, "model", "", "`DIR` of the model (default: what make model fetched)")
	f.StringVarP(&out, "out", "o", "", "`FILE` to write")
	f.StringVar(&kind, "store", Float16, "float16, int8 or mixed")
	c.MarkFlagRequired("out")
	return c
}

func run(w io.Writer, model, out, kind string) error {
	if kinds[kind] == nil {
		return fmt.Errorf("--store %s: the ways are %s, %s and %s", kind, Float16, Int8, Mixed)
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists: name a new file, nothing is overwritten", out)
	}
	file, h, err := Make(model, kind)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, file, 0o644); err != nil {
		os.Remove(out)
		return err
	}
	fmt.Fprintf(w, "%s: %s as %s, %d bytes, sha256 %s\n", out, h.Name, kind, len(file), digest.Hex(file))
	return nil
}

// Make packs a model, by itself what make model fetched.
func Make(model, kind string) ([]byte, packed.Header, error) {
	var h packed.Header
	if model == "" {
		dir, err := pinned.Dir()
		if err != nil {
			return nil, h, err
		}
		model = pinned.ModelDir(dir)
	}
	files, sums := map[string][]byte{}, map[string]string{}
	for _, name := range append([]string{encoder.WeightsFile, encoder.TokenizeFile}, slices.Sorted(maps.Keys(pinned.Configuration))...) {
		content, err := os.ReadFile(filepath.Join(model, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, h, fmt.Errorf("%w: make model fetches %s, or name another model's folder with --model", err, pinned.Name)
		}
		if err != nil {
			return nil, h, err
		}
		files[name], sums[name] = content, digest.Hex(content)
	}
	config, err := encoder.ParseConfig(files)
	if err != nil {
		return nil, h, fmt.Errorf("%s: %w", model, err)
	}
	set, err := weights.ParseSafetensors(files[encoder.WeightsFile])
	if err != nil {
		return nil, h, fmt.Errorf("%s: %w", model, err)
	}
	if _, err := encoder.New(config, set); err != nil { // nothing is packed that cannot be run
		return nil, h, fmt.Errorf("%s: %w", model, err)
	}
	h = packed.Header{Name: filepath.Base(model), Source: sums, Config: config}
	file, err := packed.Write(h, files[encoder.TokenizeFile], set, kinds[kind])
	return file, h, err
}
