// Package pinned says which embedding model and which ONNX Runtime this project's vectors are made with, by hash, and
// where make model puts them.
//
// A file with another hash is another model for this project: its vectors may be as good, but they are not the bundled
// ones made again.
package pinned

import (
	"os"
	"path/filepath"
	"runtime"
)

// The model: all-MiniLM-L6-v2 (Sentence-BERT, arXiv:1908.10084) as ONNX in float32, and its weights and tokenizer as its
// authors publish them. The weights are the same in both files, bit for bit.
const (
	Name            = "all-MiniLM-L6-v2"
	ONNXSHA256      = "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4"
	TokenizerSHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
	WeightsSHA256   = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
	Dimension       = 384
)

// Configuration holds the hashes of the files that say how the weights are used, by their path in the model's folder.
var Configuration = map[string]string{
	"config.json":               "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
	"modules.json":              "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
	"sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
	"1_Pooling/config.json":     "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
}

// RuntimeVersion is the version of ONNX Runtime on every platform.
const RuntimeVersion = "1.32.0"

// A Library is ONNX Runtime's shared library as the Python package onnxruntime carries it for one platform.
type Library struct {
	Platform string // of the wheel, as pip's --platform takes it
	File     string // name in onnxruntime/capi
	SHA256   string
}

// Libraries are by GOOS/GOARCH. Only linux/amd64 was run by this project; of the others it knows the hash.
var Libraries = map[string]Library{
	"linux/amd64": {"manylinux_2_28_x86_64", "libonnxruntime.so.1.32.0",
		"6c1585d1bbf45b0712ea4a21b705c5fcb4ba04ff2e30f1fbf81a49faf658638f"},
	"linux/arm64": {"manylinux_2_28_aarch64", "libonnxruntime.so.1.32.0",
		"49852228a93995158b2a813d4df487d47a1b76b0eaa894507ef49e91b6d7954a"},
	"darwin/arm64": {"macosx_14_0_arm64", "libonnxruntime.1.32.0.dylib",
		"fa585fabbea65b823b9a8f7e27d46aee3989d1be7e36b528203d3a1fd613aae7"},
	"windows/amd64": {"win_amd64", "onnxruntime.dll", "e9feebaed867b76f741c14ae64e056a3da64a153a61994f1fb48eadc7f9b3ba8"},
}

// Host returns the library for the machine that this program runs on, if one is pinned.
func Host() (Library, bool) {
	l, ok := Libraries[runtime.GOOS+"/"+runtime.GOARCH]
	return l, ok
}

// Dir returns the folder that make model fills: retrace/models in the user's cache folder.
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "retrace", "models"), nil
}

// ModelDir returns the model's folder in dir; it holds model.onnx, model.safetensors, tokenizer.json and Configuration's
// files.
func ModelDir(dir string) string { return filepath.Join(dir, "all-minilm-l6-v2") }

// RuntimeFile returns the path of this machine's library in dir.
func RuntimeFile(dir string) string {
	l, ok := Host()
	if !ok {
		l.File = "libonnxruntime"
	}
	return filepath.Join(dir, "onnxruntime-"+RuntimeVersion+"-"+runtime.GOOS+"-"+runtime.GOARCH, l.File)
}
