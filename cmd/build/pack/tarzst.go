package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"retrace/core/archive"
)

const (
	zipMagic  = "PK"
	zstdMagic = "\x28\xb5\x2f\xfd"
	gzipMagic = "\x1f\x8b"
	tarMagic  = "ustar" // at byte 257 (POSIX.1-1988)

	// maxWindow is the memory that every zstd decoder should grant (RFC 8878, 3.1.1.1.2), and what the encoder here uses.
	maxWindow = 8 << 20

	tarBlock  = 512
	tarRecord = 20 * tarBlock // GNU tar fills its output with zeros to a multiple of it
)

// Read checks an archive, of whichever container its first bytes tell, and returns its contents.
func Read(data []byte, limits archive.Limits) (*archive.Contents, error) {
	switch {
	case bytes.HasPrefix(data, []byte(zstdMagic)):
		return readCompressed(data, limits, decompress)
	case bytes.HasPrefix(data, []byte(gzipMagic)):
		return readCompressed(data, limits, gunzip)
	case len(data) > 262 && string(data[257:262]) == tarMagic:
		return readCompressed(data, limits, func(data []byte, _ archive.Limits) ([]byte, error) { return data, nil })
	case bytes.HasPrefix(data, []byte(zipMagic)):
		return archive.Read(data, limits)
	}
	return nil, refuse(archive.NotArchive, "", "it starts as neither zip nor zstd, gzip or tar do")
}

// ReadFile is Read of a file on disk. No more of it is read than the limits allow.
func ReadFile(name string, limits archive.Limits) (*archive.Contents, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, refuse(archive.NotArchive, "", "not a regular file"))
	}
	data, err := io.ReadAll(io.LimitReader(f, limits.Archive+1))
	if err != nil {
		return nil, err
	}
	c, err := Read(data, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func refuse(r archive.Reason, path, detail string, args ...any) error {
	return &archive.Error{Reason: r, Path: path, Detail: fmt.Sprintf(detail, args...)}
}

// encodeTarZst writes sorted files as a POSIX ustar archive and compresses it as one zstd frame. The tar depends on the files
// alone. The frame depends on the compressor's version too: level and window are stated here, the version in go.mod; one
// thread, and a fresh encoder, whose tables hold nothing of earlier inputs.
func encodeTarZst(files []archive.File) ([]byte, error) {
	plain, err := encodeTar(files)
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(maxWindow),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(plain, nil), nil
}

func encodeTar(files []archive.File) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Data)), Mode: 0o644, Format: tar.FormatUSTAR,
			ModTime: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)} // as in the zip
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readCompressed holds a tar, compressed or not, to the rules of archive.Read: one tar that fills what it is packed in, regular
// files and their folders alone, and the inventory.
func readCompressed(data []byte, limits archive.Limits, unpacked func([]byte, archive.Limits) ([]byte, error)) (*archive.Contents, error) {
	if int64(len(data)) > limits.Archive {
		return nil, refuse(archive.ArchiveTooLarge, "", "more than %d bytes", limits.Archive)
	}
	plain, err := unpacked(data, limits)
	if err != nil {
		return nil, err
	}
	in := archive.NewIntake(limits, int64(len(data)))
	in.Wrapped(tarNames(plain, limits))
	r := bytes.NewReader(plain)
	t := tar.NewReader(r)
	end := 0 // of the last file's data and padding
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) { // the intake looks at paths itself
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, refuse(archive.Truncated, "", "inside a tar header")
			}
			return nil, refuse(archive.Damaged, "", "%v", err)
		}
		if err := enter(in, h, t); err != nil {
			return nil, err
		}
		end = (len(plain) - r.Len() + tarBlock - 1) / tarBlock * tarBlock
	}
	if err := checkTarEnd(plain, end); err != nil {
		return nil, err
	}
	return in.Contents()
}

// tarNames lists the names of a tar's entries, up to the first fault, which reading it will meet again.
func tarNames(plain []byte, limits archive.Limits) (names []string) {
	t := tar.NewReader(bytes.NewReader(plain))
	for len(names) <= limits.Files {
		h, err := t.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			break
		}
		names = append(names, h.Name)
	}
	return names
}

// enter hands one tar entry to the intake.
func enter(in *archive.Intake, h *tar.Header, data io.Reader) error {
	switch h.Typeflag {
	case tar.TypeReg:
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") { // its holes are bytes that nothing in the archive stands for
				return refuse(archive.Special, h.Name, "a sparse file")
			}
		}
		return in.File(h.Name, h.Size, data)
	case tar.TypeDir:
		return in.Folder(strings.TrimSuffix(h.Name, "/"))
	case tar.TypeSymlink, tar.TypeLink:
		return refuse(archive.Link, h.Name, "")
	}
	return refuse(archive.Special, h.Name, "tar type %q", h.Typeflag)
}

// checkTarEnd wants what archive/tar does not: two blocks of zeros after the last entry, and at most a record of zeros.
func checkTarEnd(plain []byte, end int) error {
	rest := plain[min(end, len(plain)):]
	if len(rest) < 2*tarBlock {
		return refuse(archive.Truncated, "", "the tar has no end")
	}
	if len(rest) > 2*tarBlock+tarRecord || len(bytes.Trim(rest, "\x00")) > 0 {
		return refuse(archive.DataAfter, "", "after the tar's end")
	}
	return nil
}

// tarRoom is how many bytes a tar within the limits may have.
func tarRoom(data []byte, limits archive.Limits) (int64, archive.Reason) {
	room, beyond := limits.Room(int64(len(data)))
	// The tar adds at most 3 KiB an entry (header, PAX header with its data, padding) and its end.
	return room + int64(limits.Files)*3<<10 + 2*tarBlock + tarRecord, beyond
}

// gunzip returns what data, as gzip packs it (RFC 1952), hold, at most what the limits allow.
func gunzip(data []byte, limits archive.Limits) ([]byte, error) {
	room, beyond := tarRoom(data, limits)
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, refuse(archive.Truncated, "", "%v", err)
	}
	return readWithin(r, room, beyond)
}

func readWithin(r io.Reader, room int64, beyond archive.Reason) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, room+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, refuse(archive.Truncated, "", "%v", err)
	case errors.Is(err, gzip.ErrHeader):
		return nil, refuse(archive.DataAfter, "", "%v", err)
	case err != nil:
		return nil, refuse(archive.Damaged, "", "%v", err)
	case n > room:
		return nil, refuse(beyond, "", "more than %d bytes", room)
	}
	return b.Bytes(), nil
}

// decompress returns the content of the one frame that data must be, at most what the limits allow.
func decompress(data []byte, limits archive.Limits) ([]byte, error) {
	room, beyond := tarRoom(data, limits)
	if err := checkFrame(data, room, beyond); err != nil {
		return nil, err
	}
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readWithin(r, room, beyond)
}

// checkFrame walks over the frame's blocks (RFC 8878, 3.1.1) without decoding them. A decoder would pass over frames that are
// to be skipped and go on with frames that follow.
func checkFrame(data []byte, room int64, beyond archive.Reason) error {
	var h zstd.Header
	switch err := h.Decode(data); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(archive.Truncated, "", "inside the zstd header")
	case err != nil:
		return refuse(archive.Damaged, "", "%v", err)
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	switch {
	case h.DictionaryID != 0:
		return refuse(archive.Feature, "", "zstd dictionary %d", h.DictionaryID)
	case h.HasFCS && h.FrameContentSize > uint64(room):
		return refuse(beyond, "", "%d bytes, at most %d", h.FrameContentSize, room)
	case window > maxWindow:
		return refuse(archive.Feature, "", "a zstd window of %d bytes, at most %d", window, maxWindow)
	}
	at := h.HeaderSize
	for last := false; !last; {
		if len(data) < at+3 {
			return refuse(archive.Truncated, "", "at byte %d", len(data))
		}
		block := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		last = block&1 != 0
		size := block >> 3
		switch block >> 1 & 3 {
		case 1: // one byte, repeated
			size = 1
		case 3:
			return refuse(archive.Damaged, "", "reserved block type at byte %d", at)
		}
		at += 3 + size
	}
	if h.HasCheckSum {
		at += 4
	}
	switch {
	case len(data) < at:
		return refuse(archive.Truncated, "", "%d of %d bytes", len(data), at)
	case len(data) > at:
		return refuse(archive.DataAfter, "", "%d bytes", len(data)-at)
	}
	return nil
}
