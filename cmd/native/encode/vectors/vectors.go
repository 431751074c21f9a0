// Package vectors writes vector files and their sidecars so that there is never a half of one: work is kept in a part
// file that a later run goes on with, and the files appear whole, by renaming, when the work is done.
//
// Beside FILE, the vectors, stands its sidecar, FILE with the ending .json. While work goes on there is FILE.part: a
// line of JSON that says what is being made, then a record for each finished batch. A run that is given the same texts,
// model and settings takes up the finished batches; a run that is given others is refused. Records are checked, so that
// one that was being written when a machine stopped is made again.
package vectors

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"retrace/core/dense"
)

// ErrComplete is what Begin returns where the files are there already, whole and made with the same settings.
var ErrComplete = errors.New("vectors: already complete")

// SidecarPath returns where the sidecar of a vector file stands.
func SidecarPath(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".json"
}

// A Writer keeps finished batches in the part file until all are there.
type Writer struct {
	path    string
	sidecar dense.Sidecar // without Truncated's and SHA256's final values
	batches [][]int       // rows of each batch
	part    *lockedfile.File
	at      []int64 // where in the part file a batch's values begin; 0 for one that is to be made
	end     int64   // of the part file's last whole record
}

// header is the first line of a part file.
type header struct {
	Format  string        `json:"format"`
	Sidecar dense.Sidecar `json:"sidecar"`
	Batches string        `json:"batches"` // hash of the rows of each batch
}

const format = "retrace vectors part 1"

// Begin starts or takes up the writing of a vector file. sidecar says what is to be made (its SHA256 is found later);
// batches are the rows of each batch, every row in one of them. Only one program at a time works on a file: another
// waits here until the first has ended or ctx is done.
func Begin(ctx context.Context, path string, sidecar dense.Sidecar, batches [][]int) (*Writer, error) {
	if SidecarPath(path) == path {
		return nil, fmt.Errorf("vectors: %s: vectors cannot have the sidecar's ending .json: use .f32", path)
	}
	w := &Writer{path: path, sidecar: sidecar, batches: batches, at: make([]int64, len(batches))}
	if err := w.checkBatches(); err != nil {
		return nil, err
	}
	if err := w.lock(ctx); err != nil {
		return nil, err
	}
	if err := w.takeUp(); err != nil {
		w.part.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) checkBatches() error {
	seen := make([]bool, w.sidecar.Count)
	n := 0
	for _, b := range w.batches {
		for _, row := range b {
			if row < 0 || row >= len(seen) || seen[row] {
				return fmt.Errorf("vectors: row %d is in no batch's place: each of %d rows belongs to one batch", row, len(seen))
			}
			seen[row] = true
			n++
		}
	}
	if n != len(seen) {
		return fmt.Errorf("vectors: batches hold %d of %d rows", n, len(seen))
	}
	return nil
}

// lock opens the part file for this program alone. The file may be finished and removed while this waits for it, so
// that what was opened must still be what the name means.
func (w *Writer) lock(ctx context.Context) error {
	for {
		type result struct {
			file *lockedfile.File
			err  error
		}
		opened := make(chan result)
		go func() {
			f, err := lockedfile.OpenFile(w.partPath(), os.O_RDWR|os.O_CREATE, 0o666)
			select {
			case opened <- result{f, err}:
			case <-ctx.Done():
				if err == nil {
					f.Close()
				}
			}
		}()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-opened:
			if r.err != nil {
				return fmt.Errorf("vectors: %w", r.err)
			}
			mine, err := r.file.Stat()
			if err == nil {
				if current, err := os.Stat(w.partPath()); err == nil && os.SameFile(mine, current) {
					w.part = r.file
					return nil
				}
			}
			r.file.Close()
		}
	}
}

func (w *Writer) partPath() string { return w.path + ".part" }

// takeUp reads what is there: finished files, a part file of the same work, or nothing.
func (w *Writer) takeUp() error {
	first, err := w.header()
	if err != nil {
		return err
	}
	info, err := w.part.Stat()
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if info.Size() == 0 {
		if err := w.existing(); err != nil {
			os.Remove(w.partPath()) // made by lock
			return err
		}
		if _, err := w.part.Write(first); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
		w.end = int64(len(first))
		return nil
	}
	if _, err := os.Stat(SidecarPath(w.path)); err == nil { // of a run that ended before it removed the part file, or another's
		if err = w.existing(); err == ErrComplete {
			os.Remove(w.partPath())
		}
		return err
	}
	r := bufio.NewReaderSize(w.part, 1<<20)
	line, err := readLine(r, len(first)+1<<16)
	if err != nil || !bytes.Equal(line, first) {
		if differ := differences(line, first); differ != "" {
			return fmt.Errorf("vectors: %s was begun for another run (%s): finish it with the same texts, model and settings, or remove "+
				"it", w.partPath(), differ)
		}
		return fmt.Errorf("vectors: %s is not a part file of this program: remove it, or choose another --out", w.partPath())
	}
	w.end = int64(len(line))
	for {
		batch, size := w.record(r)
		if batch < 0 {
			break
		}
		w.at[batch] = w.end + recordHead
		w.end += size
	}
	if err := w.part.Truncate(w.end); err != nil { // what follows is half a record
		return fmt.Errorf("vectors: %w", err)
	}
	return nil
}

func (w *Writer) header() ([]byte, error) {
	h := sha256.New()
	for _, b := range w.batches {
		fmt.Fprintln(h, b)
	}
	line, err := json.Marshal(header{format, w.sidecar, hex.EncodeToString(h.Sum(nil))})
	return append(line, '\n'), err
}

// readLine reads up to limit bytes.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for len(line) < limit {
		b, err := r.ReadByte()
		if err != nil {
			return line, err
		}
		if line = append(line, b); b == '\n' {
			return line, nil
		}
	}
	return line, errors.New("no end of line")
}

// differences names the fields in which two headers differ; it is empty if was is no header.
func differences(was, is []byte) string {
	var a, b map[string]any
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil || a["format"] != format {
		return ""
	}
	var out []string
	var walk func(path string, a, b any)
	walk = func(path string, a, b any) {
		x, isX := a.(map[string]any)
		y, isY := b.(map[string]any)
		if !isX || !isY {
			if ja, jb := jsonOf(a), jsonOf(b); ja != jb {
				out = append(out, fmt.Sprintf("%s was %s, is %s", path, ja, jb))
			}
			return
		}
		keys := map[string]bool{}
		for k := range x {
			keys[k] = true
		}
		for k := range y {
			keys[k] = true
		}
		for k := range keys {
			walk(strings.TrimPrefix(strings.TrimPrefix(path+"."+k, "."), "sidecar."), x[k], y[k])
		}
	}
	walk("", a, b)
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func jsonOf(v any) string {
	if v == nil {
		return "missing"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}

// A record is a batch's number and number of values (4 bytes each, little-endian), its values, and a CRC-32C of all that.
const (
	recordHead = 8
	recordTail = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// record reads the next record; batch is -1 where there is no whole one, or one that is not of this work.
func (w *Writer) record(r *bufio.Reader) (batch int, size int64) {
	head, err := r.Peek(recordHead)
	if err != nil {
		return -1, 0
	}
	batch, values := int(binary.LittleEndian.Uint32(head)), int(binary.LittleEndian.Uint32(head[4:]))
	if batch >= len(w.batches) || values != len(w.batches[batch])*w.sidecar.Dimension || w.at[batch] > 0 {
		return -1, 0
	}
	whole := make([]byte, recordHead+4*values+recordTail)
	if _, err := io.ReadFull(r, whole); err != nil {
		return -1, 0
	}
	body, sum := whole[:len(whole)-recordTail], binary.LittleEndian.Uint32(whole[len(whole)-recordTail:])
	if crc32.Checksum(body, castagnoli) != sum {
		return -1, 0
	}
	return batch, int64(len(whole))
}

// existing says what the files are that stand where ours would: none (nil), ours (ErrComplete) or others.
func (w *Writer) existing() error {
	sidecar, errSidecar := os.ReadFile(SidecarPath(w.path))
	_, errVectors := os.Stat(w.path)
	if errors.Is(errSidecar, os.ErrNotExist) && errors.Is(errVectors, os.ErrNotExist) {
		return nil
	}
	if errSidecar != nil || errVectors != nil {
		return fmt.Errorf("vectors: of %s and %s one is there: nothing is overwritten, so remove it or choose another --out", w.path,
			SidecarPath(w.path))
	}
	vectors, err := os.ReadFile(w.path)
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	m, err := dense.Parse(vectors, sidecar, -1)
	if err != nil {
		return fmt.Errorf("vectors: %s is there, but: %w", w.path, err)
	}
	have, want := m.Sidecar(), w.sidecar
	have.SHA256 = want.SHA256
	if jsonOf(have) != jsonOf(want) {
		return fmt.Errorf("vectors: %s is there, made from other texts or with other settings: nothing is overwritten, so remove it with "+
			"its sidecar or choose another --out", w.path)
	}
	return ErrComplete
}

// Todo returns the batches that are to be made, in order.
func (w *Writer) Todo() []int {
	var out []int
	for b, at := range w.at {
		if at == 0 {
			out = append(out, b)
		}
	}
	return out
}

// Put keeps a finished batch: a unit vector for each of its rows, in their order.
func (w *Writer) Put(batch int, rows [][]float32) error {
	if len(rows) != len(w.batches[batch]) {
		return fmt.Errorf("vectors: %d rows given for batch %d, which has %d", len(rows), batch, len(w.batches[batch]))
	}
	record := binary.LittleEndian.AppendUint32(nil, uint32(batch))
	record = binary.LittleEndian.AppendUint32(record, uint32(len(rows)*w.sidecar.Dimension))
	for i, row := range rows {
		if len(row) != w.sidecar.Dimension {
			return fmt.Errorf("vectors: row %d has dimension %d, not %d", w.batches[batch][i], len(row), w.sidecar.Dimension)
		}
		if err := dense.CheckUnit(row); err != nil {
			return fmt.Errorf("vectors: row %d: %w", w.batches[batch][i], err)
		}
		for _, x := range row {
			record = binary.LittleEndian.AppendUint32(record, math.Float32bits(x))
		}
	}
	record = binary.LittleEndian.AppendUint32(record, crc32.Checksum(record, castagnoli))
	if _, err := w.part.WriteAt(record, w.end); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	w.at[batch] = w.end + recordHead
	w.end += int64(len(record))
	return nil
}

// Close ends the work for now; the part file stays.
func (w *Writer) Close() error { return w.part.Close() }

// Finish writes the vector file and its sidecar and removes the part file. Every batch must be there.
func (w *Writer) Finish() (dense.Sidecar, error) {
	if todo := w.Todo(); len(todo) > 0 {
		return dense.Sidecar{}, fmt.Errorf("vectors: %d of %d batches are not made yet", len(todo), len(w.batches))
	}
	at := make([]int64, w.sidecar.Count) // of each row
	width := int64(4 * w.sidecar.Dimension)
	for b, rows := range w.batches {
		for i, row := range rows {
			at[row] = w.at[b] + int64(i)*width
		}
	}
	done, err := write(w.path, w.sidecar, func(out io.Writer) error {
		row := make([]byte, width)
		for _, offset := range at {
			if _, err := w.part.ReadAt(row, offset); err != nil {
				return err
			}
			if _, err := out.Write(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	// Removed before it is closed, so that no other program begins the work again; where the system does not allow
	// that (Windows), after.
	early := os.Remove(w.partPath())
	err = w.part.Close()
	if early != nil {
		err = errors.Join(err, os.Remove(w.partPath()))
	}
	return done, err
}

// write makes a vector file and then its sidecar, each under another name first.
func write(path string, sidecar dense.Sidecar, fill func(out io.Writer) error) (dense.Sidecar, error) {
	h := sha256.New()
	if err := replace(path, func(out io.Writer) error { return fill(io.MultiWriter(out, h)) }); err != nil {
		return sidecar, err
	}
	sidecar.SHA256 = hex.EncodeToString(h.Sum(nil))
	text, err := json.MarshalIndent(sidecar, "", " ")
	if err != nil {
		return sidecar, err
	}
	return sidecar, replace(SidecarPath(path), func(out io.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	})
}

// replace writes a file under another name, sees it safely on the disk and then gives it its name.
func replace(path string, fill func(out io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp*")
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	defer os.Remove(f.Name()) // not there any more if all went well
	out := bufio.NewWriterSize(f, 1<<20)
	err = errors.Join(fill(out), out.Flush(), f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("vectors: writing %s: %w", path, err)
	}
	return nil
}
