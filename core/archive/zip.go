package archive

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"

	"retrace/core/order"
)

// Record lengths, signatures and flags of the zip format (PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.4).
const (
	localLen, localSig           = 30, "PK\x03\x04"
	directoryLen, directorySig   = 46, "PK\x01\x02"
	endLen, endSig               = 22, "PK\x05\x06"
	descriptorLen, descriptorSig = 16, "PK\x07\x08"
	end64Len, end64Sig           = 20, "PK\x06\x07" // the locator, which stands right before the end record

	store, deflate = 0, 8

	flagEncrypted  = 1<<0 | 1<<6 | 1<<13
	flagLevel      = 1<<1 | 1<<2 // how hard the deflater tried: no meaning for the reader
	flagDescriptor = 1 << 3      // checksum and sizes follow the data
	flagUTF8       = 1 << 11

	modeType, modeFolder, modeFile, modeLink = 0o170000, 0o040000, 0o100000, 0o120000
)

// encode writes the canonical zip of sorted files: see the package comment. The files are within DefaultLimits, so that no
// number outgrows its field.
func encode(files []File) []byte {
	const (
		version  = 20     // of the format, made by and needed: 2.0, as every tool writes it
		unix     = 3 << 8 // made on Unix, so that the mode counts
		midnight = 0
		newYear  = 1<<5 | 1 // 1980-01-01
	)
	u16, u32 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	var out, directory []byte
	for _, f := range files {
		// From the version needed to the length of the extra field, both headers are the same.
		common := u16(nil, version)
		common = u16(common, 0) // flags
		common = u16(common, store)
		common = u16(common, midnight)
		common = u16(common, newYear)
		common = u32(common, crc32.ChecksumIEEE(f.Data))
		common = u32(common, uint32(len(f.Data)))
		common = u32(common, uint32(len(f.Data)))
		common = u16(common, uint16(len(f.Path)))
		common = u16(common, 0) // extra field

		directory = append(directory, directorySig...)
		directory = u16(directory, unix|version)
		directory = append(directory, common...)
		directory = u16(directory, 0) // comment
		directory = u16(directory, 0) // volume
		directory = u16(directory, 0) // internal attributes
		directory = u32(directory, (modeFile|0o644)<<16)
		directory = u32(directory, uint32(len(out)))
		directory = append(directory, f.Path...)

		out = append(out, localSig...)
		out = append(out, common...)
		out = append(out, f.Path...)
		out = append(out, f.Data...)
	}
	start := len(out)
	out = append(out, directory...)
	out = append(out, endSig...)
	out = u32(out, 0) // volumes
	out = u16(out, uint16(len(files)))
	out = u16(out, uint16(len(files)))
	out = u32(out, uint32(len(directory)))
	out = u32(out, uint32(start))
	return u16(out, 0) // comment
}

// Read checks a zip completely and returns its contents, or the one reason why not. It needs no trust in data: nothing is
// allocated by a number that data claims.
//
// inflate decompresses entries as compress/flate's NewReader does; where it is nil, deflated entries are refused, and only
// archives as Write makes them are taken. The page does so: the inflater would be 24 kB of its compressed engine.
func Read(data []byte, limits Limits, inflate func(io.Reader) io.Reader) (*Contents, error) {
	if int64(len(data)) > limits.Archive {
		return nil, refuse(ArchiveTooLarge, "", "%d bytes, at most %d", len(data), limits.Archive)
	}
	entries, err := directory(data, limits)
	if err != nil {
		return nil, err
	}
	in := NewIntake(limits, int64(len(data)))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.name, "/"); ok {
			if err := in.Folder(name); err != nil {
				return nil, err
			}
			continue
		}
		packed := bytes.NewReader(e.packed)
		r := io.Reader(packed)
		if e.method == deflate {
			if inflate == nil {
				return nil, refuse(Deflated, e.name, "")
			}
			r = inflate(packed)
		}
		if err := in.File(e.name, int64(e.size), r); err != nil {
			return nil, err
		}
		if packed.Len() > 0 {
			return nil, refuse(DataBetween, e.name, "%d bytes after its compressed data", packed.Len())
		}
		if got := crc32.ChecksumIEEE(in.files[len(in.files)-1].Data); got != e.crc {
			return nil, refuse(Damaged, e.name, "CRC-32 %08x, not %08x", got, e.crc)
		}
	}
	return in.Contents()
}

// entry is one file of a zip, in the words of the directory.
type entry struct {
	name                 string
	flags, method        uint16
	crc, packedLen, size uint32
	attributes           uint32
	offset               uint32 // of the local header
	packed               []byte // what lies between local header and next entry, set by place
}

// directory reads the directory and holds the whole of data against it: entries, directory and end record fill data.
func directory(data []byte, limits Limits) ([]entry, error) {
	at, err := endRecord(data)
	if err != nil {
		return nil, err
	}
	end := fields(data[at+4 : at+endLen])
	disk, diskStart, countHere, count := end.u16(), end.u16(), end.u16(), end.u16()
	size, start := end.u32(), end.u32()
	switch {
	case at >= end64Len && string(data[at-end64Len:at-end64Len+4]) == end64Sig || count == 0xffff || start == 0xffffffff:
		return nil, refuse(Feature, "", "zip64")
	case disk != 0 || diskStart != 0 || countHere != count:
		return nil, refuse(Feature, "", "more than one volume")
	case int(count) > limits.Files:
		return nil, refuse(TooManyFiles, "", "%d, at most %d", count, limits.Files)
	case uint64(start)+uint64(size) > uint64(at):
		return nil, refuse(Truncated, "", "the directory should end at byte %d, not %d", uint64(start)+uint64(size), at)
	case uint64(start)+uint64(size) < uint64(at):
		return nil, refuse(DataBefore, "", "%d bytes", uint64(at)-uint64(start)-uint64(size))
	}

	entries := make([]entry, 0, count)
	rest := data[start:at]
	for range count {
		var e entry
		if e, rest, err = directoryEntry(rest); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if len(rest) > 0 {
		return nil, refuse(DataBetween, "", "%d bytes in the directory beyond its %d entries", len(rest), count)
	}
	return entries, place(entries, data[:start])
}

// endRecord finds the end record, which is the last thing in a zip without comment.
func endRecord(data []byte) (int, error) {
	// A comment has at most 65,535 bytes, so an end record further up ends no zip.
	tail := data[max(0, len(data)-endLen-0xffff):]
	i := bytes.LastIndex(tail, []byte(endSig))
	if i < 0 || len(tail)-i < endLen {
		if bytes.HasPrefix(data, []byte(localSig)) {
			return 0, refuse(Truncated, "", "it has no end record")
		}
		return 0, refuse(NotArchive, "", "no zip")
	}
	after := len(tail) - i - endLen
	if after > 0 {
		return 0, refuse(DataAfter, "", "%d bytes", after)
	}
	if binary.LittleEndian.Uint16(tail[i+endLen-2:]) > 0 {
		return 0, refuse(Truncated, "", "its comment is missing")
	}
	return len(data) - endLen, nil
}

func directoryEntry(b []byte) (e entry, rest []byte, err error) {
	if len(b) < directoryLen || string(b[:4]) != directorySig {
		return e, nil, refuse(Damaged, "", "the directory has fewer entries than it counts")
	}
	f := fields(b[8:directoryLen]) // after signature and two versions
	e.flags, e.method = f.u16(), f.u16()
	f.u32() // time and date
	e.crc, e.packedLen, e.size = f.u32(), f.u32(), f.u32()
	name, extra, comment := int(f.u16()), int(f.u16()), int(f.u16())
	disk := f.u16()
	f.u16() // internal attributes
	e.attributes, e.offset = f.u32(), f.u32()
	b = b[directoryLen:]
	if len(b) < name+extra+comment {
		return e, nil, refuse(Damaged, "", "an entry of the directory runs past its end")
	}
	e.name = string(b[:name])
	if disk != 0 {
		return e, nil, refuse(Feature, e.name, "more than one volume")
	}
	if err := e.check(b[name : name+extra]); err != nil {
		return e, nil, err
	}
	return e, b[name+extra+comment:], nil
}

// check looks at what is neither name nor size: flags, method, kind of entry.
func (e entry) check(extra []byte) error {
	folder := strings.HasSuffix(e.name, "/")
	kind := e.attributes >> 16 & modeType // Unix modes stand in the high half, whatever made the zip
	switch {
	case e.flags&flagEncrypted != 0:
		return refuse(Encrypted, e.name, "")
	case e.flags&^(flagLevel|flagDescriptor|flagUTF8) != 0:
		return refuse(Feature, e.name, "flags %#04x", e.flags)
	case e.method != store && e.method != deflate:
		return refuse(Method, e.name, "method %d", e.method)
	case kind == modeLink:
		return refuse(Link, e.name, "")
	case kind != 0 && kind != modeFile && !(kind == modeFolder && folder), kind == modeFile && folder:
		return refuse(Special, e.name, "mode %07o", e.attributes>>16)
	case e.size == 0xffffffff || e.packedLen == 0xffffffff || e.offset == 0xffffffff:
		return refuse(Feature, e.name, "zip64")
	case folder && e.size|e.packedLen != 0:
		return refuse(Special, e.name, "a folder with data")
	case e.method == store && e.size != e.packedLen:
		return refuse(SizeDiffers, e.name, "%d bytes stored in %d", e.size, e.packedLen)
	}
	return checkExtra(e.name, extra)
}

// checkExtra refuses the extra fields that would give an entry another name, size or method than the one that was checked;
// the others hold times and owners, which are not used.
func checkExtra(name string, extra []byte) error {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		switch id {
		case 0x0001, 0x7075, 0x9901: // zip64, Unicode path, AES
			return refuse(Feature, name, "extra field %#04x", id)
		}
		if len(extra) < 4+n {
			break
		}
		extra = extra[4+n:]
	}
	if len(extra) > 0 {
		return refuse(Damaged, name, "its extra field is cut off")
	}
	return nil
}

// place gives each entry its packed bytes. Taken in order of their offsets, the entries must fill body.
func place(entries []entry, body []byte) error {
	placed := make([]*entry, len(entries))
	for i := range entries {
		placed[i] = &entries[i]
	}
	order.Sort(placed, func(a, b *entry) int { return int(int64(a.offset) - int64(b.offset)) })
	at := 0
	for i, e := range placed {
		switch {
		case int64(e.offset) < int64(at):
			return refuse(Overlap, e.name, "it starts at byte %d, inside the entry before it", e.offset)
		case i == 0 && e.offset > 0:
			return refuse(DataBefore, "", "%d bytes", e.offset)
		case int64(e.offset) > int64(at):
			return refuse(DataBetween, e.name, "%d bytes before it", int64(e.offset)-int64(at))
		}
		n, err := e.local(body[at:])
		if err != nil {
			return err
		}
		at += n
	}
	if at < len(body) {
		return refuse(DataBetween, "", "%d bytes before the directory", len(body)-at)
	}
	return nil
}

// local compares the local header at the beginning of b with the directory's words, and returns the length of header, data
// and descriptor.
func (e *entry) local(b []byte) (int, error) {
	if len(b) < localLen || string(b[:4]) != localSig {
		return 0, refuse(HeadersDiffer, e.name, "no local header where the directory says")
	}
	f := fields(b[6:localLen]) // after signature and version
	flags, method := f.u16(), f.u16()
	f.u32() // time and date
	crc, packedLen, size := f.u32(), f.u32(), f.u32()
	name, extra := int(f.u16()), int(f.u16())
	start := localLen + name + extra
	if len(b) < start {
		return 0, refuse(HeadersDiffer, e.name, "the local header runs past the data")
	}
	described := e.flags&flagDescriptor != 0
	unknown := described && crc|packedLen|size == 0
	switch {
	case string(b[localLen:localLen+name]) != e.name:
		return 0, refuse(HeadersDiffer, e.name, "name %.100q", b[localLen:localLen+name])
	case flags != e.flags || method != e.method:
		return 0, refuse(HeadersDiffer, e.name, "flags or method")
	case !unknown && (crc != e.crc || packedLen != e.packedLen || size != e.size):
		return 0, refuse(HeadersDiffer, e.name, "checksum or size")
	}
	if err := checkExtra(e.name, b[localLen+name:start]); err != nil {
		return 0, err
	}
	length := int64(start) + int64(e.packedLen)
	if described {
		length += descriptorLen
	}
	if int64(len(b)) < length {
		return 0, refuse(Overlap, e.name, "its data run into the directory")
	}
	e.packed = b[start : start+int(e.packedLen)]
	if described {
		d := fields(b[length-descriptorLen+4 : length])
		if string(b[length-descriptorLen:length-descriptorLen+4]) != descriptorSig ||
			d.u32() != e.crc || d.u32() != e.packedLen || d.u32() != e.size {
			return 0, refuse(HeadersDiffer, e.name, "checksum or size after the data")
		}
	}
	return int(length), nil
}

// fields reads little-endian numbers one after the other; callers have checked the length.
type fields []byte

func (f *fields) u16() uint16 {
	v := binary.LittleEndian.Uint16(*f)
	*f = (*f)[2:]
	return v
}

func (f *fields) u32() uint32 {
	v := binary.LittleEndian.Uint32(*f)
	*f = (*f)[4:]
	return v
}
