package plain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path"
	"strings"

	"retrace/core/collection"
	"retrace/core/inflate"
	"retrace/core/records"
)

// Bounds of an archive: bytes once decompressed, bytes of one record, and members.
const (
	MaxBytes   = 256 << 20
	MaxRecord  = 10 << 20
	maxMembers = 2 * collection.MaxDocuments
)

// A member is one record of an archive.
type member struct {
	name string
	data []byte // not a copy
}

const extension = ".html"

func (m member) id() string { return strings.TrimSuffix(path.Base(m.name), extension) }

const asTar = "make it with `tar --format=ustar -czf`"

// gunzip decompresses a file of one gzip member (RFC 1952).
func gunzip(file string, data []byte) ([]byte, error) {
	fail := func(format string, args ...any) ([]byte, error) {
		return nil, records.Errorf(file, 0, "get the file again, or "+asTar, format, args...)
	}
	const head = 10
	if len(data) < head || data[0] != 0x1f || data[1] != 0x8b || data[2] != 8 || data[3]&0xe0 != 0 {
		return fail("is not compressed with gzip")
	}
	flags, body := data[3], data[head:]
	if flags&4 != 0 { // extra fields
		if len(body) < 2 || len(body)-2 < int(binary.LittleEndian.Uint16(body)) {
			return fail("ends early")
		}
		body = body[2+int(binary.LittleEndian.Uint16(body)):]
	}
	for _, flag := range []byte{8, 16} { // name, comment
		if flags&flag != 0 {
			_, rest, ok := bytes.Cut(body, []byte{0})
			if !ok {
				return fail("ends early")
			}
			body = rest
		}
	}
	if flags&2 != 0 { // check of the header
		if len(body) < 2 {
			return fail("ends early")
		}
		body = body[2:]
	}
	out, rest, err := inflate.Bytes(body, MaxBytes)
	switch {
	case errors.Is(err, inflate.ErrLong):
		return nil, records.Errorf(file, 0, "split the collection", "more than %d bytes once decompressed", MaxBytes)
	case errors.Is(err, inflate.ErrTruncated) || err == nil && len(rest) < 8:
		return fail("ends early")
	case err != nil:
		return fail("the compressed data are damaged")
	case binary.LittleEndian.Uint32(rest) != crc32.ChecksumIEEE(out) || binary.LittleEndian.Uint32(rest[4:]) != uint32(len(out)):
		return fail("the compressed data are damaged: their check differs")
	case len(rest) > 8:
		return fail("something follows the compressed data")
	}
	return out, nil
}

// archive lists the records of a tar.gz, in its order.
func archive(file string, data []byte) ([]member, error) {
	data, err := gunzip(file, data)
	if err != nil {
		return nil, err
	}
	var list []member
	for n := 0; ; n++ {
		if len(data) < block {
			return nil, records.Errorf(file, 0, "get the file again", "the archive ends early")
		}
		head := data[:block]
		data = data[block:]
		if len(bytes.Trim(head, "\x00")) == 0 { // the end
			return list, nil
		}
		if n == maxMembers {
			return nil, records.Errorf(file, 0, "split the collection", "more than %d members", maxMembers)
		}
		name, size, ok := header(head)
		switch kind := head[156]; {
		case !ok:
			return nil, records.Errorf(file, 0, "get the file again, or "+asTar, "member %d has no header of a tar archive", n+1)
		case kind != '0' && kind != 0 && kind != '5':
			return nil, records.Errorf(file, 0, asTar, "member %d (%q) is neither file nor folder, or its name is too long", n+1, name)
		case size > int64(len(data)):
			return nil, records.Errorf(file, 0, "get the file again", "the archive ends early: %q has %d bytes", name, size)
		case kind != '5' && strings.HasSuffix(name, extension):
			if size > MaxRecord {
				return nil, records.Errorf(file, 0, "split the record", "%q has %d bytes, more than %d", name, size, MaxRecord)
			}
			list = append(list, member{name, data[:size]})
		}
		padded := (size + block - 1) / block * block
		data = data[min(padded, int64(len(data))):]
	}
}

// block is the unit of a tar archive, in bytes.
const block = 512

// header reads a member's name and size from its header (POSIX.1-1988, ustar, and its forerunner), whose sum must agree.
func header(h []byte) (name string, size int64, ok bool) {
	sum := int64(0)
	for i, c := range h {
		if 148 <= i && i < 156 {
			c = ' ' // the sum itself counts as spaces
		}
		sum += int64(c)
	}
	stated, good := octal(h[148:156])
	size, ok = octal(h[124:136])
	name = text(h[:100])
	if prefix := text(h[345:500]); string(h[257:263]) == "ustar\x00" && prefix != "" {
		name = prefix + "/" + name
	}
	return name, size, ok && good && stated == sum
}

// text is a field up to its first zero byte.
func text(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}

// octal reads a number in octal digits between spaces and zero bytes.
func octal(field []byte) (n int64, ok bool) {
	field = bytes.Trim(field, " \x00")
	for _, c := range field {
		if c < '0' || c > '7' {
			return 0, false
		}
		n = n*8 + int64(c-'0')
	}
	return n, len(field) > 0
}
