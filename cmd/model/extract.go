package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxInner bounds a file in a package: the largest that is expected has 91 MB.
const maxInner = 512 << 20

// extract takes a file out of a zip (jars and wheels are zips) and, where inner has several paths, out of the zip that
// it is.
func extract(archive string, inner []string) ([]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var from io.ReaderAt = file
	size := info.Size()
	var found []byte
	for _, path := range inner {
		z, err := zip.NewReader(from, size)
		if err != nil {
			return nil, fmt.Errorf("%s is not a zip: %w", archive, err)
		}
		if found, err = member(z, path); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		from, size = bytes.NewReader(found), int64(len(found))
	}
	return found, nil
}

func member(z *zip.Reader, path string) ([]byte, error) {
	f, err := z.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInner+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(b) > maxInner {
		return nil, fmt.Errorf("%s is larger than %d bytes: this is not the package that is pinned", path, maxInner)
	}
	return b, nil
}

// install checks a file's hash and gives it its place, whole or not at all.
func install(dest string, file []byte, want string) error {
	sum := sha256.Sum256(file)
	if got := hex.EncodeToString(sum[:]); got != want {
		return fmt.Errorf("the package's file has SHA-256 %s, not the pinned %s: it was not installed", got, want)
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(dest), filepath.Base(dest)+".tmp*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // not there any more if all goes well
	if _, err = f.Write(file); err == nil {
		err = f.Chmod(0o644)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), dest)
	}
	return err
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
