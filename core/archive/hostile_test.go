package archive_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"retrace/core/archive"
)

// An item is an entry of a zip that is made by hand: edit changes what its headers say, packed replaces its bytes.
type item struct {
	path   string
	data   string
	edit   func(h *zip.FileHeader)
	packed []byte
}

func base() []item {
	return []item{{path: "r01/a.txt", data: "one\n"}, {path: "r01/b.txt", data: "two\n"}}
}

// listed adds an honest inventory of the items.
func listed(items ...item) []item {
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	var lines []string
	for _, it := range items {
		if !strings.HasSuffix(it.path, "/") {
			lines = append(lines, fmt.Sprintf(`{"bytes":%d,"path":"%s","sha256":"%x"}`, len(it.data), it.path, sha256.Sum256([]byte(it.data))))
		}
	}
	return append(items, inventory(`{"files":[`+strings.Join(lines, ",")+`],"format":"retrace archive 1","study":"r01"}`))
}

func inventory(text string) item { return item{path: "INVENTORY.json", data: text} }

func pack(items []item) []byte { return packAt(0, items) }

// packAt writes the zip with every offset moved by n.
func packAt(n int64, items []item) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.SetOffset(n)
	for _, it := range items {
		if it.packed == nil {
			it.packed = []byte(it.data)
		}
		h := &zip.FileHeader{Name: it.path, CRC32: crc32.ChecksumIEEE([]byte(it.data)),
			CompressedSize64: uint64(len(it.packed)), UncompressedSize64: uint64(len(it.data))}
		if it.edit != nil {
			it.edit(h)
		}
		entry, err := w.CreateRaw(h)
		if err != nil {
			panic(err)
		}
		if !strings.HasSuffix(it.path, "/") {
			if _, err := entry.Write(it.packed); err != nil {
				panic(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func deflated(data string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	io.WriteString(w, data)
	w.Close()
	return b.Bytes()
}

// with is the base with one more file, listed.
func with(path string) []byte { return pack(listed(append(base(), item{path: path, data: "x"})...)) }

// edited is the base with other headers for b.txt.
func edited(edit func(h *zip.FileHeader)) []byte {
	items := base()
	items[1].edit = edit
	return pack(listed(items...))
}

func mode(m uint32) func(h *zip.FileHeader) {
	return func(h *zip.FileHeader) { h.CreatorVersion, h.ExternalAttrs = 3<<8, m<<16 }
}

// patch replaces bytes at an offset counted from the nth occurrence of a signature.
func patch(data []byte, signature string, nth, offset int, bytes ...byte) []byte {
	data = slices.Clone(data)
	copy(data[index(data, signature, nth)+offset:], bytes)
	return data
}

func index(data []byte, signature string, nth int) int {
	at := 0
	for ; nth >= 0; nth-- {
		i := bytes.Index(data[at:], []byte(signature))
		if i < 0 {
			panic("no such signature")
		}
		at += i + len(signature)
	}
	return at - len(signature)
}

const localSig, directorySig, endSig = "PK\x03\x04", "PK\x01\x02", "PK\x05\x06"

// hidden leaves the second entry out of the directory, with numbers that agree.
func hidden() []byte {
	items := base()
	data := pack(append(listed(items[0]), items[1])) // order: a, inventory, b
	from, to := index(data, directorySig, 2), index(data, endSig, 0)
	size := binary.LittleEndian.Uint32(data[to+12:]) - uint32(to-from)
	data = slices.Delete(data, from, to)
	data = patch(data, endSig, 0, 8, 2, 0, 2, 0)
	return patch(data, endSig, 0, 12, binary.LittleEndian.AppendUint32(nil, size)...)
}

func bomb(name string, size int, claim uint64) item {
	zeros := strings.Repeat("\x00", size)
	return item{path: name, data: zeros, packed: deflated(zeros), edit: func(h *zip.FileHeader) {
		h.Method, h.UncompressedSize64 = zip.Deflate, claim
	}}
}

func many(n int) []item {
	items := base()
	for i := range n {
		items = append(items, item{path: fmt.Sprintf("r01/%d", i)})
	}
	return items
}

// The hostile and the broken, each by its name, each with the one reason that it must give.
var hostile = []struct {
	name string
	data func() []byte
	want archive.Reason
}{
	{"nothing", func() []byte { return nil }, archive.NotArchive},
	{"text", func() []byte { return []byte("hello, world; this is longer than an end record") }, archive.NotArchive},
	{"a tar.zst", func() []byte { return []byte("\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00") }, archive.NotArchive},
	{"last byte missing", func() []byte { d := pack(listed(base()...)); return d[:len(d)-1] }, archive.Truncated},
	{"second half missing", func() []byte { d := pack(listed(base()...)); return d[:len(d)/2] }, archive.Truncated},
	{"first half missing", func() []byte { d := pack(listed(base()...)); return d[len(d)/2:] }, archive.Truncated},
	{"end record alone", func() []byte { d := pack(listed(base()...)); return d[len(d)-22:] }, archive.Truncated},
	{"comment announced but missing", func() []byte { return patch(pack(listed(base()...)), endSig, 0, 20, 5, 0) }, archive.Truncated},
	{"one byte after", func() []byte { return append(pack(listed(base()...)), 0) }, archive.DataAfter},
	{"a comment and a byte more", func() []byte { return append(commented("hi"), 0) }, archive.DataAfter},
	{"a comment cut short", func() []byte { d := commented("hello"); return d[:len(d)-1] }, archive.Truncated},
	{"a comment that holds an end record's signature", func() []byte { return commented("see " + endSig + " there, and more than twenty-two bytes") }, archive.Truncated},
	{"an archive inside the comment of another", func() []byte { return commented(string(pack(listed(base()...)))) }, archive.DataBefore},
	{"one byte before", func() []byte { return append([]byte("#"), pack(listed(base()...))...) }, archive.DataBefore},
	{"script before, offsets adjusted", func() []byte { return append([]byte("#!/bin/sh\n"), packAt(10, listed(base()...))...) }, archive.DataBefore},
	{"two archives in a row", func() []byte { return append(pack(listed(base()...)), pack(listed(base()...))...) }, archive.DataBefore},
	{"entry hidden from the directory", hidden, archive.DataBetween},
	{"two names for the same bytes", func() []byte { return patch(pack(listed(base()...)), directorySig, 1, 42, 0, 0, 0, 0) }, archive.Overlap},
	{"data run into the directory", func() []byte {
		items := listed(base()...)
		items[2].edit = func(h *zip.FileHeader) { h.CompressedSize64 += 9; h.UncompressedSize64 += 9 }
		return pack(items)
	}, archive.Overlap},
	{"directory counts one more", func() []byte { return patch(pack(listed(base()...)), endSig, 0, 8, 4, 0, 4, 0) }, archive.Damaged},
	{"directory counts one less", func() []byte { return patch(pack(listed(base()...)), endSig, 0, 8, 2, 0, 2, 0) }, archive.DataBetween},
	{"local header without signature", func() []byte { return patch(pack(listed(base()...)), localSig, 1, 0, 'X') }, archive.HeadersDiffer},
	{"local header with another name", func() []byte { return patch(pack(listed(base()...)), localSig, 1, 30+4, 'c') }, archive.HeadersDiffer},
	{"local header with another method", func() []byte { return patch(pack(listed(base()...)), localSig, 1, 8, 8) }, archive.HeadersDiffer},
	{"local header with another size", func() []byte { return patch(pack(listed(base()...)), localSig, 1, 22, 3) }, archive.HeadersDiffer},
	{"local header with other flags", func() []byte { return patch(pack(listed(base()...)), localSig, 1, 6, 1) }, archive.HeadersDiffer},
	{"descriptor announced but missing", func() []byte {
		return patch(patch(pack(listed(base()...)), localSig, 1, 6, 8), directorySig, 1, 8, 8)
	}, archive.HeadersDiffer},
	{"descriptor with another size", func() []byte {
		data := edited(func(h *zip.FileHeader) { h.Flags = 8 })
		return patch(data, "PK\x07\x08", 0, 12, 5)
	}, archive.HeadersDiffer},
	{"wrong checksum", func() []byte { return edited(func(h *zip.FileHeader) { h.CRC32++ }) }, archive.Damaged},
	{"no deflate stream", func() []byte { return edited(func(h *zip.FileHeader) { h.Method = zip.Deflate }) }, archive.Damaged},
	{"bytes after the deflate stream", func() []byte {
		items := base()
		items[1].packed = append(deflated("two\n"), "more"...)
		items[1].edit = func(h *zip.FileHeader) { h.Method = zip.Deflate }
		return pack(listed(items...))
	}, archive.DataBetween},

	{"encrypted", func() []byte { return edited(func(h *zip.FileHeader) { h.Flags = 1 }) }, archive.Encrypted},
	{"strongly encrypted", func() []byte { return edited(func(h *zip.FileHeader) { h.Flags = 1 | 1<<6 }) }, archive.Encrypted},
	{"hidden headers", func() []byte { return edited(func(h *zip.FileHeader) { h.Flags = 1 << 13 }) }, archive.Encrypted},
	{"patch data", func() []byte { return edited(func(h *zip.FileHeader) { h.Flags = 1 << 5 }) }, archive.Feature},
	{"bzip2", func() []byte { return edited(func(h *zip.FileHeader) { h.Method = 12 }) }, archive.Method},
	{"zstd in zip", func() []byte { return edited(func(h *zip.FileHeader) { h.Method = 93 }) }, archive.Method},
	{"another name in an extra field", func() []byte {
		return edited(func(h *zip.FileHeader) { h.Extra = []byte("\x75\x70\x08\x00\x01\x00\x00\x00\x00../") })
	}, archive.Feature},
	{"zip64 sizes", func() []byte { return edited(func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 33 }) }, archive.SizeDiffers},
	{"zip64 sizes beyond all sums", func() []byte {
		return edited(func(h *zip.FileHeader) { h.UncompressedSize64, h.CompressedSize64 = 1<<63, 1<<63 })
	}, archive.FileTooLarge},
	{"zip64 sizes announced, but missing", func() []byte { return patch(pack(listed(base()...)), directorySig, 1, 24, 255, 255, 255, 255) }, archive.SizeDiffers},
	{"zip64 field cut off", func() []byte {
		return edited(func(h *zip.FileHeader) { h.UncompressedSize64, h.Extra = 0xffffffff, []byte("\x01\x00\x02\x00ab") })
	}, archive.Damaged},
	{"zip64 locator that leads nowhere", func() []byte {
		data := pack(listed(base()...))
		at := index(data, endSig, 0)
		return slices.Insert(data, at, []byte("PK\x06\x07\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00\x00")...)
	}, archive.Damaged},
	{"cut extra field", func() []byte { return edited(func(h *zip.FileHeader) { h.Extra = []byte("UT\x09\x00\x03") }) }, archive.Damaged},
	{"second volume", func() []byte { return patch(pack(listed(base()...)), endSig, 0, 4, 1, 0) }, archive.Feature},
	{"symbolic link", func() []byte { return edited(mode(0o120777)) }, archive.Link},
	{"symbolic link, maker not Unix", func() []byte { return edited(func(h *zip.FileHeader) { h.ExternalAttrs = 0o120777 << 16 }) }, archive.Link},
	{"device", func() []byte { return edited(mode(0o020644)) }, archive.Special},
	{"pipe", func() []byte { return edited(mode(0o010644)) }, archive.Special},
	{"folder's mode without slash", func() []byte { return edited(mode(0o040755)) }, archive.Special},
	{"file's mode with slash", func() []byte { return pack(listed(append(base(), item{path: "r01/x/", edit: mode(0o100644)})...)) }, archive.Special},
	{"empty folder", func() []byte { return pack(listed(append(base(), item{path: "r01/x/"})...)) }, archive.EmptyFolder},

	{"path up", func() []byte { return with("../x") }, archive.PathParent},
	{"path up from inside", func() []byte { return with("r01/../../x") }, archive.PathParent},
	{"path up at the end", func() []byte { return with("r01/..") }, archive.PathParent},
	{"folder up", func() []byte { return pack(listed(append(base(), item{path: "../"})...)) }, archive.PathParent},
	{"absolute", func() []byte { return with("/etc/passwd") }, archive.PathAbsolute},
	{"drive letter", func() []byte { return with("C:/x") }, archive.PathDrive},
	{"drive-relative", func() []byte { return with("C:x") }, archive.PathDrive},
	{"alternate stream", func() []byte { return with("r01/x:y") }, archive.PathDrive},
	{"backslash up", func() []byte { return pack(append(base(), item{path: `..\x`, edit: mode(0o100644)})) }, archive.PathBackslash},
	{"network share", func() []byte { return pack(append(base(), item{path: `\\host\x`, edit: mode(0o100644)})) }, archive.PathBackslash},
	{"backslash up, from Windows", func() []byte { return pack(append(base(), item{path: `..\x`})) }, archive.PathParent},
	{"network share, from Windows", func() []byte { return pack(append(base(), item{path: `\\host\x`})) }, archive.PathAbsolute},
	{"both slashes, from Windows", func() []byte { return pack(append(base(), item{path: `r01/..\x`})) }, archive.PathBackslash},
	{"NUL", func() []byte { return pack(append(base(), item{path: "r01/x\x00.txt"})) }, archive.PathControl},
	{"line break", func() []byte { return pack(append(base(), item{path: "r01/x\ny"})) }, archive.PathControl},
	{"escape sequence", func() []byte { return pack(append(base(), item{path: "r01/\x1b[2J"})) }, archive.PathControl},
	{"empty segment", func() []byte { return with("r01//x") }, archive.PathSegment},
	{"dot segment", func() []byte { return with("./r01/x") }, archive.PathSegment},
	{"no name", func() []byte { return with("") }, archive.PathSegment},
	{"slash alone", func() []byte { return pack(append(base(), item{path: "/"})) }, archive.PathSegment},
	{"too long", func() []byte { return with("r01/" + strings.Repeat("x", 97)) }, archive.PathLong},
	{"65,000 long", func() []byte { return with(strings.Repeat("x/", 32500) + "x") }, archive.PathLong},
	{"not UTF-8", func() []byte { return pack(append(base(), item{path: "r01/\xff"})) }, archive.PathEncoding},
	{"overlong slash", func() []byte { return pack(append(base(), item{path: "r01/..\xc0\xafx"})) }, archive.PathEncoding},
	{"composed and decomposed", func() []byte {
		return pack(listed(append(base(), item{path: "r01/\u00e9"}, item{path: "r01/e\u0301"})...))
	}, archive.PathCharacter},
	{"right-to-left override", func() []byte { return with("r01/\u202etxt.exe") }, archive.PathCharacter},
	{"full-width stop", func() []byte { return with("\uff0e\uff0e/x") }, archive.PathCharacter},
	{"wildcard", func() []byte { return with("r01/*") }, archive.PathCharacter},
	{"space at the end", func() []byte { return with("r01/x ") }, archive.PathCharacter},
	{"Windows device", func() []byte { return with("r01/Con.txt") }, archive.PathReserved},
	{"Windows port", func() []byte { return with("lpt1/x") }, archive.PathReserved},
	{"full stop at the end", func() []byte { return with("r01/a.txt.") }, archive.PathReserved},

	{"same name twice", func() []byte { return pack(append(listed(base()...), base()[0])) }, archive.Duplicate},
	{"inventory twice", func() []byte { return pack(append(listed(base()...), inventory("{}"))) }, archive.Duplicate},
	{"same folder twice", func() []byte { return pack(listed(append(base(), item{path: "r01/"}, item{path: "r01/"})...)) }, archive.Duplicate},
	{"names that differ by case", func() []byte { return with("r01/A.txt") }, archive.CaseCollision},
	{"folders that differ by case", func() []byte { return with("R01/x") }, archive.CaseCollision},
	{"inventory in lower case", func() []byte { return with("inventory.json") }, archive.CaseCollision},
	{"file below a file", func() []byte { return with("r01/a.txt/x") }, archive.FileAndFolder},
	{"file where a folder is", func() []byte { return with("r01") }, archive.FileAndFolder},
	{"file below a file, other case", func() []byte { return with("r01/A.TXT/x") }, archive.CaseCollision},

	{"many files", func() []byte { return pack(listed(many(99)...)) }, archive.TooManyFiles},
	{"large file", func() []byte {
		return pack(listed(append(base(), item{path: "r01/x", data: strings.Repeat("x", 1<<20+1)})...))
	}, archive.FileTooLarge},
	{"large inventory", func() []byte { return pack(append(base(), inventory(strings.Repeat(" ", 1<<20+1)))) }, archive.FileTooLarge},
	{"large together", func() []byte {
		mega := strings.Repeat("x", 1<<20)
		return pack(append(base(), item{path: "r01/x", data: mega}, item{path: "r01/y", data: mega}, item{path: "r01/z", data: mega}))
	}, archive.TotalTooLarge},
	{"large archive", func() []byte { return make([]byte, 1<<22+1) }, archive.ArchiveTooLarge},
	{"honest bomb", func() []byte { return pack(append(base(), bomb("r01/x", 1<<20, 1<<20), bomb("r01/y", 1<<20, 1<<20))) }, archive.RatioTooHigh},
	{"bomb that claims ten bytes", func() []byte { return pack(append(base(), bomb("r01/x", 1<<20, 10))) }, archive.SizeDiffers},
	{"bomb that claims four gigabytes", func() []byte { return pack(append(base(), bomb("r01/x", 1<<20, 1<<32-2))) }, archive.FileTooLarge},
	{"fewer bytes than claimed", func() []byte { return pack(append(base(), bomb("r01/x", 10, 1000))) }, archive.SizeDiffers},
	{"stored with two sizes", func() []byte { return edited(func(h *zip.FileHeader) { h.UncompressedSize64 = 1000 }) }, archive.SizeDiffers},

	{"no inventory", func() []byte { return pack(base()) }, archive.NoInventory},
	{"no files at all", func() []byte { return pack(nil) }, archive.NoInventory},
	{"inventory not JSON", func() []byte { return pack(append(base(), inventory("files: all"))) }, archive.InventoryForm},
	{"inventory null", func() []byte { return pack(append(base(), inventory("null"))) }, archive.InventoryForm},
	{"inventory of another format", func() []byte {
		return pack(append(base(), inventory(`{"files":[],"format":"retrace archive 2","study":"r01"}`)))
	}, archive.InventoryForm},
	{"inventory with spaces", func() []byte { return relisted(func(s string) string { return strings.Replace(s, ":", ": ", 1) }) }, archive.InventoryForm},
	{"inventory with trailing text", func() []byte { return relisted(func(s string) string { return s + "\n" }) }, archive.InventoryForm},
	{"inventory with unknown field", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"study"`, `"note":"","study"`, 1) })
	}, archive.InventoryForm},
	{"inventory with a field twice", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"study"`, `"study":"x","study"`, 1) })
	}, archive.InventoryForm},
	{"inventory with a file twice", func() []byte {
		return relisted(func(s string) string {
			i := strings.Index(s, ",{")
			return s[:i] + "," + s[len(`{"files":[`):i] + s[i:]
		})
	}, archive.InventoryForm},
	{"inventory out of order", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, "a.txt", "c.txt", 1) })
	}, archive.InventoryForm},
	{"a file too many", func() []byte { return pack(append(listed(base()...), item{path: "r01/c.txt"})) }, archive.Unlisted},
	{"a file too many before the others", func() []byte { return pack(append(listed(base()...), item{path: "A"})) }, archive.Unlisted},
	{"a file too few", func() []byte { return pack(listed(base()...)[1:]) }, archive.Missing},
	{"the last file too few", func() []byte { return pack(slices.Delete(listed(base()...), 1, 2)) }, archive.Missing},
	{"wrong size in the inventory", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"bytes":4`, `"bytes":5`, 1) })
	}, archive.InventorySize},
	{"negative size in the inventory", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"bytes":4`, `"bytes":-4`, 1) })
	}, archive.InventorySize},
	{"wrong hash in the inventory", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"sha256":"`, `"sha256":"0`, 1) })
	}, archive.InventoryHash},
	{"hash in capitals", func() []byte {
		return relisted(func(s string) string {
			i := strings.Index(s, `"sha256":"`) + 10
			return s[:i] + strings.ToUpper(s[i:i+64]) + s[i+64:]
		})
	}, archive.InventoryHash},
	{"a byte changed, checksum mended", func() []byte {
		items := listed(base()...)
		items[1].data = "tWo\n"
		return pack(items)
	}, archive.InventoryHash},
	{"SHA256SUMS of other files", func() []byte {
		return pack(listed(append(base(), item{path: "SHA256SUMS", data: "00  r01/a.txt\n"})...))
	}, archive.SumsDiffer},
	{"study without folder", func() []byte {
		return relisted(func(s string) string { return strings.Replace(s, `"study":"r01"`, `"study":"r02"`, 1) })
	}, archive.StudyHasNoFiles},
}

// commented is the base with a comment.
func commented(comment string) []byte {
	data := pack(listed(base()...))
	return append(patch(data, endSig, 0, 20, byte(len(comment)), byte(len(comment)>>8)), comment...)
}

// relisted is the base with an inventory that was changed.
func relisted(change func(string) string) []byte {
	items := listed(base()...)
	items[2].data = change(items[2].data)
	return pack(items)
}

// Limits that the hostile archives can exceed without being large themselves.
func small() archive.Limits {
	return archive.Limits{Archive: 1 << 22, Files: 64, File: 1 << 20, Total: 5 << 19, Ratio: 20}
}

func TestHostileArchivesGiveOneReasonEach(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			c, err := archive.Read(h.data(), small())
			if c != nil || !errors.Is(err, h.want) {
				t.Fatalf("got %v, want %q", err, h.want)
			}
			var e *archive.Error
			if !errors.As(err, &e) || e.Hint() == "" {
				t.Errorf("no way out: %v", err)
			}
			text := err.Error()
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || len(text) > 1000 || !strings.HasPrefix(text, "archive: ") {
				t.Errorf("the message is not one short line of plain text: %q", text)
			}
		})
	}
}

func TestTheBaseOfTheHostileIsSound(t *testing.T) {
	if _, err := archive.Read(pack(listed(base()...)), small()); err != nil {
		t.Error(err)
	}
}

func TestEveryCutIsRefused(t *testing.T) {
	data := pack(listed(base()...))
	for n := range data {
		if _, err := archive.Read(data[:n], small()); !errors.Is(err, archive.Truncated) && !errors.Is(err, archive.NotArchive) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// No byte of a stored archive is without meaning but time, versions and comments: a changed one is refused, or the files are
// the same.
func TestEveryChangedByteIsRefusedOrHarmless(t *testing.T) {
	data := pack(listed(base()...))
	want, err := archive.Read(data, small())
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		changed := slices.Clone(data)
		changed[i] ^= 0x55
		if c, err := archive.Read(changed, small()); err == nil && c.Identity() != want.Identity() {
			t.Fatalf("byte %d changed gives other contents", i)
		}
	}
}

// What a person gets by unpacking an archive and zipping it again with common tools.
func TestZippedAgainIsAccepted(t *testing.T) {
	files := assemble(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, folder := range []string{"r01/", "r01/frozen/"} {
		if _, err := w.Create(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files { // deflated, with descriptors and an extended timestamp
		entry, err := w.Create(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := archive.Read(b.Bytes(), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if again := write(t, c.Files()); !bytes.Equal(again, write(t, files)) {
		t.Error("writing what was read does not give the canonical archive")
	}
}

// honest are zips of the base as other tools and people make them; each must be read as the base is. The layouts are of APPNOTE
// 6.3.10: 4.3.9 for descriptors (with or without a signature, 4.3.9.3), 4.5.3 for zip64's field, 4.3.14 to 4.3.16 for the ends.
var honest = []struct {
	name    string
	data    func() []byte
	ignored []string
}{
	{"as it is", func() []byte { return pack(listed(base()...)) }, nil},
	{"a comment, as git archive writes one", func() []byte { return commented("0bcb1eadc3b8c2f1d9a0e5f6b7c8d9e0f1a2b3c4") }, nil},
	{"a comment of the greatest length", func() []byte { return commented(strings.Repeat("x", 65535)) }, nil},
	{"a folder around everything", func() []byte { return pack(inside("r01 copy/")) }, nil},
	{"a folder with an accent, and its entry", func() []byte { return pack(append([]item{{path: "\u00c9tude/"}}, inside("\u00c9tude/")...)) }, nil},
	{"two folders around everything", func() []byte { return pack(inside("Downloads/r01/")) }, nil},
	{"what Finder adds", func() []byte {
		return pack(append(inside("r01/"), item{path: "__MACOSX/"}, item{path: "__MACOSX/r01/._INVENTORY.json", data: "Mac"}, item{path: "__MACOSX/._r01", data: "Mac"},
			item{path: "r01/.DS_Store", data: "store"}, item{path: "r01/r01/.DS_Store", data: "store"}))
	}, []string{"__MACOSX", "__MACOSX/r01/._INVENTORY.json", "__MACOSX/._r01", "r01/.DS_Store", "r01/r01/.DS_Store"}},
	{"what Explorer shows", func() []byte {
		return pack(append(inside("r01/"), item{path: "r01/r01/Thumbs.db", data: "db"}, item{path: "r01/desktop.ini"}))
	},
		[]string{"r01/r01/Thumbs.db", "r01/desktop.ini"}},
	{"a system file whose checksum is wrong", func() []byte {
		return pack(append(listed(base()...), item{path: "Thumbs.db", data: "db", edit: func(h *zip.FileHeader) { h.CRC32++ }}))
	}, []string{"Thumbs.db"}},
	{"backslashes, as PowerShell 5 writes them", func() []byte {
		items := listed(base()...)
		for i := range items {
			items[i].path = strings.ReplaceAll(items[i].path, "/", `\`)
		}
		return pack(items)
	}, nil},
	{"deflated", func() []byte { return each(func(it *item) { squeeze(it) }) }, nil},
	{"deflated, sizes in descriptors", func() []byte {
		return each(func(it *item) {
			squeeze(it)
			squeezed := it.edit
			it.edit = func(h *zip.FileHeader) { squeezed(h); h.Flags = 8 }
		})
	}, nil},
	{"descriptors without signature", func() []byte { return described(false, false) }, nil},
	{"descriptors of 64 bits", func() []byte { return described(true, true) }, nil},
	{"descriptors of 64 bits without signature", func() []byte { return described(false, true) }, nil},
	{"zip64's field for every number", zip64, nil},
	{"times and owners in extra fields", func() []byte {
		return each(func(it *item) {
			it.edit = func(h *zip.FileHeader) { h.Extra = []byte("UT\x05\x00\x01\x00\x00\x00\x00ux\x03\x00\x01\x00\x00") }
		})
	}, nil},
	{"the same name again in an extra field", func() []byte {
		return each(func(it *item) {
			name := it.path
			it.edit = func(h *zip.FileHeader) {
				h.Extra = append([]byte{0x75, 0x70, byte(5 + len(name)), 0, 1, 0, 0, 0, 0}, name...)
			}
		})
	}, nil},
}

// inside are the base's entries in a folder.
func inside(folder string) []item {
	items := listed(base()...)
	for i := range items {
		items[i].path = folder + items[i].path
	}
	return items
}

// each is the base with every entry changed.
func each(change func(it *item)) []byte {
	items := listed(base()...)
	for i := range items {
		change(&items[i])
	}
	return pack(items)
}

func squeeze(it *item) {
	it.packed = deflated(it.data)
	it.edit = func(h *zip.FileHeader) { h.Method = zip.Deflate }
}

// described is the base with checksum and sizes after the data, as a tool writes that does not know them before.
func described(signature, wide bool) []byte { return byHand(signature, wide, true) }

// zip64 is the base with every number that may stand in zip64's records there.
func zip64() []byte { return byHand(false, true, false) }

// byHand writes the base's zip record by record.
func byHand(signature, wide, descriptor bool) []byte {
	u16, u32, u64 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	var out, directory []byte
	items := listed(base()...)
	for _, it := range items {
		crc, n := crc32.ChecksumIEEE([]byte(it.data)), uint32(len(it.data))
		flags, known, size, localExtra, extra := uint16(0), crc, n, []byte(nil), []byte(nil)
		at := uint32(len(out))
		switch {
		case descriptor:
			flags, known, size = 8, 0, 0
		case wide:
			size = 0xffffffff
			localExtra = u64(u64(u16(u16(nil, 1), 16), uint64(n)), uint64(n))
			extra = u64(u64(u64(u16(u16(nil, 1), 24), uint64(n)), uint64(n)), uint64(at))
			at = 0xffffffff
		}
		header := func(b []byte, crc, size uint32, extra []byte) []byte {
			b = u32(u16(u16(u16(b, 45), flags), 0), 0) // version, flags, method, time
			b = u32(u32(u32(b, crc), size), size)
			return u16(u16(b, uint16(len(it.path))), uint16(len(extra)))
		}
		out = append(append(header(append(out, localSig...), known, size, localExtra), it.path...), localExtra...)
		out = append(out, it.data...)
		if descriptor {
			if signature {
				out = append(out, "PK\x07\x08"...)
			}
			if out = u32(out, crc); wide {
				out = u64(u64(out, uint64(n)), uint64(n))
			} else {
				out = u32(u32(out, n), n)
			}
		}
		if !wide || descriptor {
			size = n
		}
		directory = header(u16(append(directory, directorySig...), 45), crc, size, extra)
		directory = u32(u32(u16(u16(u16(directory, 0), 0), 0), 0), at) // comment, volume, attributes, offset
		directory = append(append(directory, it.path...), extra...)
	}
	start, count := len(out), uint16(len(items))
	out = append(out, directory...)
	size, offset := uint32(len(directory)), uint32(start)
	if wide && !descriptor {
		end := len(out)
		out = u32(u32(u16(u16(u64(append(out, "PK\x06\x06"...), 44), 45), 45), 0), 0)
		out = u64(u64(u64(u64(out, uint64(count)), uint64(count)), uint64(len(directory))), uint64(start))
		out = u32(u64(u32(append(out, "PK\x06\x07"...), 0), uint64(end)), 1)
		count, size, offset = 0xffff, 0xffffffff, 0xffffffff
	}
	out = u16(u16(u16(u16(append(out, endSig...), 0), 0), count), count)
	return u16(u32(u32(out, size), offset), 0)
}

func TestHonestZipsAreTheSame(t *testing.T) {
	want, err := archive.Read(pack(listed(base()...)), small())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range honest {
		t.Run(h.name, func(t *testing.T) {
			data := h.data()
			c, err := archive.Read(data, small())
			if err != nil {
				t.Fatal(err)
			}
			if c.Identity() != want.Identity() || len(c.Files()) != 3 || !slices.Equal(c.Ignored(), h.ignored) {
				t.Errorf("%d files, identity %s, ignored %q; want %q", len(c.Files()), c.Identity(), c.Ignored(), h.ignored)
			}
			for n := range data { // no half of one is taken for the whole
				if c, err := archive.Read(data[:n], small()); err == nil {
					t.Fatalf("the first %d of %d bytes: %v", n, len(data), c.Identity())
				}
				if len(data) > 10_000 && n == 2_000 {
					break
				}
			}
		})
	}
}

// A folder around everything must hold everything.
func TestBesideTheWrapper(t *testing.T) {
	for name, more := range map[string]item{"a file": {path: "more.txt"}, "a file of another folder": {path: "r02/x"}, "its name in capitals": {path: "OUTER/x"}} {
		if _, err := archive.Read(pack(append(inside("outer/"), more)), small()); !errors.Is(err, archive.Unlisted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A header's claim takes no memory: 200 MiB claimed by a few bytes, under limits that would allow them.
func TestClaimsTakeNoMemory(t *testing.T) {
	data := pack(append(base(), bomb("r01/x", 10, 200<<20)))
	limits := archive.DefaultLimits()
	limits.Ratio = 1 << 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := archive.Read(data, limits)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, archive.SizeDiffers) {
		t.Error(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes allocated", got)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	files := assemble(t)
	for name, c := range map[string]struct {
		add  archive.File
		want archive.Reason
	}{
		"unlisted":    {archive.File{Path: "r01/more"}, archive.Unlisted},
		"case":        {archive.File{Path: "R01/STUDY.json"}, archive.CaseCollision},
		"outside":     {archive.File{Path: "../x"}, archive.PathParent},
		"second time": {archive.File{Path: "r01/study.json"}, archive.Duplicate},
	} {
		if _, err := archive.Write(append(slices.Clone(files), c.add)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: nothing panics, and what is accepted means the same to archive/zip and to Read.
func FuzzRead(f *testing.F) {
	f.Add(pack(listed(base()...)))
	for _, h := range honest {
		if data := h.data(); len(data) < 1<<12 {
			f.Add(data)
		}
	}
	for _, h := range hostile {
		if data := h.data(); len(data) < 1<<12 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := archive.Read(data, small())
		if err != nil {
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("accepted, but archive/zip says %v", err)
		}
		theirs := map[string][]byte{}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, "/") && !slices.Contains(c.Ignored(), f.Name) {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				if theirs[f.Name], err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		wrapper := ""
		for _, f := range z.File { // theirs has what is ignored here, and the folder around everything
			if folder, ok := strings.CutSuffix(f.Name, "INVENTORY.json"); ok && (wrapper == "" || len(folder) < len(wrapper)) {
				wrapper = folder
			}
		}
		for name, data := range maps.Clone(theirs) {
			delete(theirs, name)
			theirs[strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), wrapper)] = data
		}
		if len(theirs) != len(c.Files()) {
			t.Fatalf("%d files, archive/zip has %d", len(c.Files()), len(theirs))
		}
		for _, f := range c.Files() {
			if !bytes.Equal(f.Data, theirs[f.Path]) {
				t.Fatalf("%s differs from archive/zip's", f.Path)
			}
		}
		if _, err := archive.Write(c.Files()); err != nil {
			t.Fatal(err)
		}
	})
}
