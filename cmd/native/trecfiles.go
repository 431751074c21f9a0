package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"retrace/core/records"
	"retrace/core/trec"
)

// A textFile is a file of text, plain or compressed with gzip or zstd, as its first bytes say; "-" is standard input.
type textFile struct {
	io.Reader
	close []func()
}

func (f *textFile) Close() {
	for _, c := range f.close {
		c()
	}
}

// openText opens a text file. p draws how much of it is read.
func openText(path string, stdin io.Reader, p *progress) (*textFile, error) {
	f := &textFile{}
	var raw io.Reader = stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		f.close = append(f.close, func() { file.Close() })
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = records.Errorf(path, 0, "name the file inside it", "is a folder")
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		raw = &countingReader{file, path, info.Size(), 0, p, 0}
	}
	buffered := bufio.NewReaderSize(raw, 1<<16)
	magic, _ := buffered.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			f.Close()
			return nil, broken(path, err)
		}
		f.Reader = compressed{z, path}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			f.Close()
			return nil, broken(path, err)
		}
		f.close = append(f.close, z.Close)
		f.Reader = compressed{z, path}
	default:
		f.Reader = buffered
	}
	return f, nil
}

// compressed passes on the early end of data as such and names the file in every other fault of them.
type compressed struct {
	io.Reader
	path string
}

func (c compressed) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = broken(c.path, err)
	}
	return n, err
}

func broken(path string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return records.Errorf(path, 0, "it was cut off on its way: fetch or copy it again", "the compressed file ends early")
	}
	return records.Errorf(path, 0, "it was damaged on its way, or is no such file: fetch or copy it again",
		"the compressed file is broken: %v", err)
}

type countingReader struct {
	io.Reader
	path       string
	size, read int64
	p          *progress
	shown      int // per cent
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	if r.size > 0 && int(r.read*100/r.size) != r.shown {
		r.shown = int(r.read * 100 / r.size)
		r.p.step("reading "+visible(r.path)+", per cent", r.shown, 100)
	}
	return n, err
}

// trecFiles reads qrels and runs for a command.
type trecFiles struct {
	stdin        io.Reader
	progress     *progress
	warn         func(*records.Error)
	extraColumns bool
}

func (f *trecFiles) qrels(path string) (*trec.Qrels, error) {
	file, err := openText(path, f.stdin, f.progress)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	q, err := trec.ReadQrels(path, file)
	f.progress.clear()
	if err != nil {
		return nil, err
	}
	for _, w := range q.Warnings {
		f.warn(w)
	}
	return q, nil
}

// run reads a run as a stream, and again, stored, where its topics don't stand together: start is called before each
// attempt. Standard input can be read once, so it is stored.
func (f *trecFiles) run(path string, order trec.Order, start func() (yield func(topic string, hits []trec.Hit) error,
	err error)) (trec.RunInfo, error) {
	attempt := func(stored bool) (trec.RunInfo, error) {
		yield, err := start()
		if err != nil {
			return trec.RunInfo{}, err
		}
		file, err := openText(path, f.stdin, f.progress)
		if err != nil {
			return trec.RunInfo{}, err
		}
		defer file.Close()
		return trec.ReadRun(path, file, trec.Options{Order: order, Stored: stored, ExtraColumns: f.extraColumns}, yield)
	}
	info, err := attempt(path == "-")
	if errors.Is(err, trec.ErrInterleaved) && path != "-" {
		info, err = attempt(true)
	}
	f.progress.clear()
	if err != nil {
		return info, err
	}
	for _, w := range info.Warnings {
		f.warn(w)
	}
	return info, nil
}
