package archive

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"

	"retrace/core/inflate"
	"retrace/core/order"
)

// Record lengths, signatures and flags of the zip format (PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.4).
const (
	localLen, localSig         = 30, "PK\x03\x04"
	directoryLen, directorySig = 46, "PK\x01\x02"
	endLen, endSig             = 22, "PK\x05\x06"
	descriptorSig              = "PK\x07\x08"
	end64Len, end64Sig         = 56, "PK\x06\x06" // zip64's, without extensible data
	locatorLen, locatorSig     = 20, "PK\x06\x07" // of zip64's end record; stands right before the end record

	most32 = 0xffffffff // in zip64, a number that stands elsewhere

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
func Read(data []byte, limits Limits) (*Contents, error) {
	if int64(len(data)) > limits.Archive {
		return nil, refuse(ArchiveTooLarge, "", "%d bytes, at most %d", len(data), limits.Archive)
	}
	entries, err := directory(data, limits)
	if err != nil {
		return nil, err
	}
	in := NewIntake(limits, int64(len(data)))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	in.Wrapped(names)
	for _, e := range entries {
		if err := e.enter(in); err != nil {
			return nil, err
		}
	}
	return in.Contents()
}

// enter hands the entry to the intake.
func (e *entry) enter(in *Intake) error {
	if name, ok := strings.CutSuffix(e.name, "/"); ok {
		return in.Folder(name)
	}
	source := &unpacker{e: e}
	before := len(in.files)
	if err := in.File(e.name, int64(e.size), source); err != nil {
		if source.err != nil {
			return source.err
		}
		return err
	}
	if len(in.files) == before { // ignored
		return nil
	}
	if got := crc32.ChecksumIEEE(in.files[before].Data); got != e.crc {
		return refuse(Damaged, e.name, "CRC-32 %08x, not %08x", got, e.crc)
	}
	return nil
}

// An unpacker reads an entry's data. It decompresses them when they are first asked for, once the intake knows the size.
type unpacker struct {
	e    *entry
	data *bytes.Reader
	err  error
}

func (u *unpacker) Read(p []byte) (int, error) {
	if u.data == nil && u.err == nil {
		u.data, u.err = u.e.open()
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.data.Read(p)
}

func (e *entry) open() (*bytes.Reader, error) {
	if e.method == store {
		return bytes.NewReader(e.packed), nil
	}
	out, rest, err := inflate.Bytes(e.packed, int(e.size))
	switch {
	case errors.Is(err, inflate.ErrLong):
		return nil, refuse(SizeDiffers, e.name, "more than the %d bytes announced", e.size)
	case err != nil:
		return nil, refuse(Damaged, e.name, "%v", err)
	case len(rest) > 0:
		return nil, refuse(DataBetween, e.name, "%d bytes after its compressed data", len(rest))
	}
	return bytes.NewReader(out), nil
}

// entry is one file of a zip, in the words of the directory.
type entry struct {
	raw             string // the name as both headers have it
	name            string
	flags, method   uint16
	crc             uint32
	packedLen, size uint64
	attributes      uint32
	offset          uint64 // of the local header
	packed          []byte // set by place
}

// directory reads the directory and holds the whole of data against it: entries, directory and end record fill data.
func directory(data []byte, limits Limits) ([]entry, error) {
	end, err := endRecord(data)
	if err != nil {
		return nil, err
	}
	switch {
	case end.count > uint64(limits.Files):
		return nil, refuse(TooManyFiles, "", "%d, at most %d", end.count, limits.Files)
	case end.start > end.at || end.size > end.at-end.start:
		return nil, refuse(Truncated, "", "the directory should have %d bytes from byte %d on, and ends at byte %d", end.size, end.start, end.at)
	case end.start+end.size < end.at:
		return nil, refuse(DataBefore, "", "%d bytes", end.at-end.start-end.size)
	}
	entries := make([]entry, 0, end.count)
	rest := data[end.start:end.at]
	for range end.count {
		var e entry
		if e, rest, err = directoryEntry(rest); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if len(rest) > 0 {
		return nil, refuse(DataBetween, "", "%d bytes in the directory beyond its %d entries", len(rest), end.count)
	}
	return entries, place(entries, data[:end.start])
}

// ending is what the end record says, or zip64's for it.
type ending struct {
	at          uint64 // where the first of the records that end the archive begins
	count       uint64
	size, start uint64 // of the directory
}

// endRecord finds the end record, the last thing in a zip but for its comment, and zip64's two records before it.
func endRecord(data []byte) (e ending, err error) {
	at, err := findEnd(data)
	if err != nil {
		return e, err
	}
	f := fields(data[at+4 : at+endLen])
	disk, diskStart, countHere, count := f.u16(), f.u16(), f.u16(), f.u16()
	e = ending{uint64(at), uint64(count), uint64(f.u32()), uint64(f.u32())}
	if disk != 0 && disk != 0xffff || diskStart != 0 && diskStart != 0xffff || countHere != count {
		return e, refuse(Feature, "", "more than one volume")
	}
	if at < locatorLen || string(data[at-locatorLen:at-locatorLen+4]) != locatorSig {
		return e, nil
	}
	f = fields(data[at-locatorLen+4 : at])
	disk64, start64, disks := f.u32(), f.u64(), f.u32()
	at -= locatorLen
	if disk64 != 0 || disks > 1 || start64 > uint64(at) || uint64(at)-start64 < end64Len || string(data[start64:start64+4]) != end64Sig {
		return e, refuse(Damaged, "", "zip64's end record is not where its locator says")
	}
	f = fields(data[start64+4 : start64+end64Len])
	length := f.u64()
	f.u32() // two versions
	disk64, start := f.u32(), f.u32()
	here, wide := f.u64(), ending{at: start64, count: f.u64(), size: f.u64(), start: f.u64()}
	switch {
	case length != uint64(at)-start64-12:
		return e, refuse(Damaged, "", "zip64's end record has another length")
	case disk64 != 0 || start != 0 || here != wide.count:
		return e, refuse(Feature, "", "more than one volume")
	case e.count != 0xffff && e.count != wide.count, e.size != most32 && e.size != wide.size, e.start != most32 && e.start != wide.start:
		return e, refuse(HeadersDiffer, "", "the two end records")
	}
	return wide, nil
}

// findEnd returns where the end record begins. Its comment must end the data and hold no other end record's signature, which
// other readers might find first.
func findEnd(data []byte) (int, error) {
	// A comment has at most 65,535 bytes, so an end record further up ends no zip.
	first := max(0, len(data)-endLen-0xffff)
	at := first + bytes.LastIndex(data[first:], []byte(endSig))
	if at < first || len(data)-at < endLen {
		if bytes.HasPrefix(data, []byte(localSig)) {
			return 0, refuse(Truncated, "", "it has no end record")
		}
		return 0, refuse(NotArchive, "", "no zip")
	}
	comment := int(binary.LittleEndian.Uint16(data[at+endLen-2:]))
	switch after := len(data) - at - endLen - comment; {
	case after < 0:
		return 0, refuse(Truncated, "", "its comment is cut short")
	case after > 0:
		return 0, refuse(DataAfter, "", "%d bytes", after)
	}
	return at, nil
}

func directoryEntry(b []byte) (e entry, rest []byte, err error) {
	if len(b) < directoryLen || string(b[:4]) != directorySig {
		return e, nil, refuse(Damaged, "", "the directory has fewer entries than it counts")
	}
	maker := b[5]
	f := fields(b[8:directoryLen]) // after signature and two versions
	e.flags, e.method = f.u16(), f.u16()
	f.u32() // time and date
	e.crc, e.packedLen, e.size = f.u32(), uint64(f.u32()), uint64(f.u32())
	name, extra, comment := int(f.u16()), int(f.u16()), int(f.u16())
	disk := f.u16()
	f.u16() // internal attributes
	e.attributes, e.offset = f.u32(), uint64(f.u32())
	b = b[directoryLen:]
	if len(b) < name+extra+comment {
		return e, nil, refuse(Damaged, "", "an entry of the directory runs past its end")
	}
	e.raw = string(b[:name])
	e.name = e.raw
	if maker == 0 && !strings.Contains(e.raw, "/") { // as PowerShell 5 and .NET before 4.6.1 wrote them
		e.name = strings.ReplaceAll(e.raw, `\`, "/")
	}
	if disk != 0 && disk != 0xffff {
		return e, nil, refuse(Feature, e.name, "more than one volume")
	}
	if err := checkExtra(e.raw, b[name:name+extra], &e.size, &e.packedLen, &e.offset); err != nil {
		return e, nil, err
	}
	return e, b[name+extra+comment:], e.check()
}

// check looks at what is neither name nor size: flags, method, kind of entry.
func (e entry) check() error {
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
	case folder && e.size != 0:
		return refuse(Special, e.name, "a folder with data")
	case e.method == store && e.size != e.packedLen:
		return refuse(SizeDiffers, e.name, "%d bytes stored in %d", e.size, e.packedLen)
	case e.size >= 1<<40 || e.packedLen >= 1<<40 || e.offset >= 1<<40: // so that sums of them don't overflow
		return refuse(FileTooLarge, e.name, "")
	}
	return nil
}

// checkExtra reads an entry's extra fields: zip64's for the numbers that its 32-bit fields don't hold, which are those at their
// most, in order. It refuses the fields that would give the entry another name than the one that was checked; the others hold
// times and owners, which are not used.
func checkExtra(name string, extra []byte, numbers ...*uint64) error {
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+n {
			break
		}
		field := extra[4 : 4+n]
		switch {
		case id == 0x0001:
			for _, number := range numbers {
				if *number == most32 {
					if len(field) < 8 {
						return refuse(Damaged, name, "its zip64 field is cut off")
					}
					*number, field = binary.LittleEndian.Uint64(field), field[8:]
				}
			}
		case id == 0x7075 && (n < 5 || string(field[5:]) != name), id == 0x9901: // Unicode path, AES
			return refuse(Feature, name, "extra field %#04x", id)
		}
		extra = extra[4+n:]
	}
	if len(extra) > 0 {
		return refuse(Damaged, name, "its extra field is cut off")
	}
	return nil
}

// place gives each entry its packed bytes. Taken in order of their offsets, the entries must fill body: what stands between
// the data of one and the header of the next is the first one's descriptor.
func place(entries []entry, body []byte) error {
	placed := make([]*entry, len(entries))
	for i := range entries {
		placed[i] = &entries[i]
	}
	order.Sort(placed, func(a, b *entry) int { return cmp.Compare(a.offset, b.offset) })
	if len(placed) > 0 && placed[0].offset > 0 {
		return refuse(DataBefore, "", "%d bytes", placed[0].offset)
	}
	for i, e := range placed {
		next := uint64(len(body))
		if i+1 < len(placed) {
			next = placed[i+1].offset
		}
		if next < e.offset || next > uint64(len(body)) || i+1 < len(placed) && next == e.offset {
			return refuse(Overlap, e.name, "at byte %d", e.offset)
		}
		if err := e.local(body[e.offset:next]); err != nil {
			return err
		}
	}
	if len(placed) == 0 && len(body) > 0 {
		return refuse(DataBetween, "", "%d bytes before the directory", len(body))
	}
	return nil
}

// local compares the local header at the beginning of b with the directory's words. b must be header, data and, where one is
// announced, descriptor.
func (e *entry) local(b []byte) error {
	if len(b) < localLen || string(b[:4]) != localSig {
		return refuse(HeadersDiffer, e.name, "no local header where the directory says")
	}
	f := fields(b[6:localLen]) // after signature and version
	flags, method := f.u16(), f.u16()
	f.u32() // time and date
	crc, packedLen, size := f.u32(), uint64(f.u32()), uint64(f.u32())
	name, extra := int(f.u16()), int(f.u16())
	start := uint64(localLen + name + extra)
	if uint64(len(b)) < start {
		return refuse(HeadersDiffer, e.name, "the local header runs past the data")
	}
	if err := checkExtra(e.raw, b[localLen+name:start], &size, &packedLen); err != nil {
		return err
	}
	described := e.flags&flagDescriptor != 0 // then what was not known yet is 0
	agrees := func(got, want uint64) bool { return got == want || described && got == 0 }
	switch {
	case string(b[localLen:localLen+name]) != e.raw:
		return refuse(HeadersDiffer, e.name, "name %.100q", b[localLen:localLen+name])
	case flags != e.flags || method != e.method:
		return refuse(HeadersDiffer, e.name, "flags or method")
	case !agrees(uint64(crc), uint64(e.crc)) || !agrees(packedLen, e.packedLen) || !agrees(size, e.size):
		return refuse(HeadersDiffer, e.name, "checksum or size")
	case uint64(len(b))-start < e.packedLen:
		return refuse(Overlap, e.name, "its data run into what follows")
	}
	e.packed = b[start : start+e.packedLen]
	after := b[start+e.packedLen:]
	switch {
	case described && !e.describedBy(after):
		return refuse(HeadersDiffer, e.name, "checksum or size after the data")
	case !described && len(after) > 0:
		return refuse(DataBetween, e.name, "%d bytes after it", len(after))
	}
	return nil
}

// describedBy reports whether b is the entry's descriptor: checksum and sizes, of 32 bits or zip64's 64, with or without a
// signature.
func (e *entry) describedBy(b []byte) bool {
	if len(b) == 16 || len(b) == 24 {
		if string(b[:4]) != descriptorSig {
			return false
		}
		b = b[4:]
	}
	f := fields(b)
	switch len(b) {
	case 12:
		return f.u32() == e.crc && uint64(f.u32()) == e.packedLen && uint64(f.u32()) == e.size
	case 20:
		return f.u32() == e.crc && f.u64() == e.packedLen && f.u64() == e.size
	}
	return false
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

func (f *fields) u64() uint64 {
	low := f.u32()
	return uint64(f.u32())<<32 | uint64(low)
}
