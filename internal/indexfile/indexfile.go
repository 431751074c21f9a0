// Package indexfile makes indexes (core/inverted) on disk from corpora of any size in bounded memory, and opens them.
package indexfile

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"retrace/core/collection"
	"retrace/core/inverted"
)

// An Open index is mapped into memory until it is closed.
type Open struct {
	*inverted.File
	unmap func() error
}

// Map opens an index. The file must not be changed meanwhile.
func Map(path string) (*Open, error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	f, err := inverted.Parse(path, data)
	if err != nil {
		return nil, errors.Join(err, unmap())
	}
	return &Open{f, unmap}, nil
}

// Close ends the use of an index.
func (o *Open) Close() error { return o.unmap() }

// DefaultMemory is how many bytes postings may take before they are written to a segment.
const DefaultMemory = 256 << 20

// Options say how an index is made.
type Options struct {
	About    inverted.About
	Memory   int                 // bytes for postings; 0 is DefaultMemory
	Progress func(documents int) // nil, or called after every thousand documents
}

// A Source yields documents until it is empty or yield returns an error, which it returns.
type Source func(yield func(id, text string) error) error

// Build makes the index of a source's documents, which come in ascending order of ID. It writes segments beside the
// output as memory fills and puts them together at the end; output appears when it is whole, and must not exist.
func Build(ctx context.Context, output string, source Source, o Options) error {
	if _, err := os.Lstat(output); err == nil {
		return fmt.Errorf("%s is there already: nothing is overwritten, choose another name or delete it", output)
	}
	b, err := inverted.NewBuilder(o.About)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(output), "."+filepath.Base(output)+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var segments []string
	spill := func() error {
		segments = append(segments, filepath.Join(dir, fmt.Sprint(len(segments))))
		return write(segments[len(segments)-1], func(w *bufio.Writer) error { return b.Segment(w) })
	}
	memory := cmp.Or(o.Memory, DefaultMemory)
	n := 0
	err = source(func(id, text string) error {
		if err := b.Add(id, text); err != nil {
			return err
		}
		if n++; n%1000 == 0 {
			if o.Progress != nil {
				o.Progress(n)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if b.Size() >= memory {
			return spill()
		}
		return nil
	})
	if err == nil && (b.Documents() > 0 || len(segments) == 0) {
		err = spill()
	}
	if err != nil {
		return err
	}
	if len(segments) == 1 {
		return place(segments[0], output)
	}
	merged := filepath.Join(dir, "merged")
	if err := merge(merged, segments); err != nil {
		return err
	}
	return place(merged, output)
}

// Merge puts the indexes of consecutive parts of a collection together, after checking each whole. Output must not exist.
func Merge(output string, parts []string) error {
	if _, err := os.Lstat(output); err == nil {
		return fmt.Errorf("%s is there already: nothing is overwritten, choose another name or delete it", output)
	}
	for _, path := range parts {
		f, err := Map(path)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Check(), f.Close()); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(output), "."+filepath.Base(output)+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	merged := filepath.Join(dir, "merged")
	if err := merge(merged, parts); err != nil {
		return err
	}
	return place(merged, output)
}

func merge(output string, parts []string) error {
	files := make([]*inverted.File, len(parts))
	for i, path := range parts {
		f, err := Map(path)
		if err != nil {
			return err
		}
		defer f.Close()
		files[i] = f.File
	}
	return write(output, func(w *bufio.Writer) error { return inverted.Merge(w, files) })
}

// place gives a finished file its name, unless that is taken.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: it appeared meanwhile", to)
	}
	if _, err := os.Lstat(to); err == nil { // a file system without links
		return fmt.Errorf("%s is there already", to)
	}
	return os.Rename(from, to)
}

func write(path string, fill func(*bufio.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(fill(w), w.Flush(), f.Close())
}

// Corpus returns the documents of a corpus.jsonl in BEIR's layout as a source, in ascending order of their IDs, whatever
// the file's; the text is the fields' joined by single spaces. Where the file is in that order already, its documents are
// read one after the other and nothing is kept of them.
func Corpus(path string, fields []string) (source Source, closeFile func() error, err error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, nil, err
	}
	ascending, before := true, ""
	err = eachLine(path, data, func(_, _ int, d *collection.Document) error {
		if before != "" && collection.CompareID(before, d.ID) >= 0 {
			ascending = false
		}
		before = d.ID
		return nil
	})
	if err != nil {
		return nil, nil, errors.Join(err, unmap())
	}
	if ascending {
		return func(yield func(id, text string) error) error {
			return eachLine(path, data, func(_, _ int, d *collection.Document) error { return yield(d.ID, d.Fields(fields)) })
		}, unmap, nil
	}
	return func(yield func(id, text string) error) error { return sorted(path, data, fields, yield) }, unmap, nil
}

// sorted yields documents by ID, each read from where it stands.
func sorted(path string, data []byte, fields []string, yield func(id, text string) error) error {
	type line struct {
		id       string
		at, line int
	}
	var lines []line
	err := eachLine(path, data, func(n, at int, d *collection.Document) error {
		lines = append(lines, line{d.ID, at, n})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(collection.CompareID(a.id, b.id), a.line-b.line) })
	for i, l := range lines {
		if i > 0 && lines[i-1].id == l.id {
			return fmt.Errorf("%s:%d: duplicate ID %q, first on line %d", path, l.line, l.id, lines[i-1].line)
		}
		text, _ := cutLine(data[l.at:])
		d, err := parseDocument(path, l.line, text)
		if err == nil {
			err = yield(d.ID, d.Fields(fields))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
