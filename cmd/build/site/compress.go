package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// variant is one precompressed form of a file, beside it under the file's name and suffix.
type variant struct {
	coding   string // as in Content-Encoding
	suffix   string
	compress func([]byte) ([]byte, error)
	archive  func([]byte) ([]byte, error) // the same for a study's .zip; nil for none
}

// variants in the order in which a server should prefer them: smallest first.
var variants = []variant{
	{"br", ".br", brotliBest, brotliFast},
	{"zstd", ".zst", zstdBest, nil}, // whoever takes zstd takes brotli too, or the .tar.zst
	{"gzip", ".gz", gzipBest, gzipBest},
}

// worthwhile says whether a browser gains by a compressed variant: it must save a tenth, which vectors don't.
func worthwhile(original, compressed int) bool { return compressed < original-original/10 }

// compressor makes variants and keeps them in a folder by content, since brotli at its best takes seconds for a
// megabyte. The folder may be deleted at any time.
type compressor struct{ cache string }

func (c compressor) variant(v variant, data []byte) ([]byte, error) {
	if c.cache == "" {
		return v.compress(data)
	}
	sum := sha256.Sum256(data)
	name := filepath.Join(c.cache, hex.EncodeToString(sum[:])+"-"+libraryVersions()+v.suffix)
	if cached, err := os.ReadFile(name); err == nil {
		return cached, nil
	}
	out, err := v.compress(data)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.cache, 0o755); err != nil {
		return nil, err
	}
	// Written beside and renamed: two builds may share the folder.
	tmp, err := os.CreateTemp(c.cache, "new-*")
	if err != nil {
		return nil, err
	}
	_, err = tmp.Write(out)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(tmp.Name())
		return nil, err
	}
	return out, os.Rename(tmp.Name(), name)
}

// libraryVersions keeps variants of another library version, or made with other settings, from being taken for this one's.
func libraryVersions() string {
	h := sha256.New()
	fmt.Fprintln(h, "settings 2") // another number whenever a setting below changes
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.GoVersion)
		for _, dep := range info.Deps {
			if dep.Path == "github.com/andybalholm/brotli" || dep.Path == "github.com/klauspost/compress" {
				fmt.Fprintln(h, dep.Path, dep.Version)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

func brotliBest(data []byte) ([]byte, error) { return brotliAt(11, data) }

// brotliFast is for archives, mostly vectors, of which nothing makes much less: for R01, quality 11 takes 27 times as long
// as 9 and saves 3 % more.
func brotliFast(data []byte) ([]byte, error) { return brotliAt(9, data) }

// brotliAt has a window of 8 MiB, as zstdBest: the engine is larger than 4.
func brotliAt(quality int, data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 23})
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// gzipBest leaves name and time out of the header, so that equal data gives equal bytes.
func gzipBest(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// zstdBest keeps the window at 8 MiB, the most that browsers take (RFC 9659).
func zstdBest(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

// Variants calls yield with the content coding and the suffix of each kind of variant, the one to prefer first.
func Variants(yield func(coding, suffix string) bool) {
	for _, v := range variants {
		if !yield(v.coding, v.suffix) {
			return
		}
	}
}
