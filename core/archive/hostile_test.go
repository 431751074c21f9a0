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

func inflate(r io.Reader) io.Reader { return flate.NewReader(r) }

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
	{"a comment", func() []byte { return append(patch(pack(listed(base()...)), endSig, 0, 20, 2, 0), "hi"...) }, archive.DataAfter},
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
	{"zip64 extra field", func() []byte {
		return edited(func(h *zip.FileHeader) { h.Extra = make([]byte, 20); h.Extra[0], h.Extra[2] = 1, 16 })
	}, archive.Feature},
	{"zip64 sizes", func() []byte { return edited(func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 33 }) }, archive.Feature},
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
	{"backslash up", func() []byte { return pack(append(base(), item{path: `..\x`})) }, archive.PathBackslash},
	{"network share", func() []byte { return pack(append(base(), item{path: `\\host\x`})) }, archive.PathBackslash},
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
			c, err := archive.Read(h.data(), small(), inflate)
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
	if _, err := archive.Read(pack(listed(base()...)), small(), inflate); err != nil {
		t.Error(err)
	}
}

func TestEveryCutIsRefused(t *testing.T) {
	data := pack(listed(base()...))
	for n := range data {
		if _, err := archive.Read(data[:n], small(), inflate); !errors.Is(err, archive.Truncated) && !errors.Is(err, archive.NotArchive) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// No byte of a stored archive is without meaning but time, versions and comments: a changed one is refused, or the files are
// the same.
func TestEveryChangedByteIsRefusedOrHarmless(t *testing.T) {
	data := pack(listed(base()...))
	want, err := archive.Read(data, small(), inflate)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		changed := slices.Clone(data)
		changed[i] ^= 0x55
		if c, err := archive.Read(changed, small(), inflate); err == nil && c.Identity() != want.Identity() {
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
	c, err := archive.Read(b.Bytes(), archive.DefaultLimits(), inflate)
	if err != nil {
		t.Fatal(err)
	}
	if again := write(t, c.Files()); !bytes.Equal(again, write(t, files)) {
		t.Error("writing what was read does not give the canonical archive")
	}
	if _, err := archive.Read(b.Bytes(), archive.DefaultLimits(), nil); !errors.Is(err, archive.Deflated) {
		t.Errorf("without an inflater: %v", err)
	}
	if stored, err := archive.Read(write(t, files), archive.DefaultLimits(), nil); err != nil || stored.Identity() != c.Identity() {
		t.Errorf("without an inflater of the canonical archive: %v", err)
	}
}

// A header's claim takes no memory: 200 MiB claimed by a few bytes, under limits that would allow them.
func TestClaimsTakeNoMemory(t *testing.T) {
	data := pack(append(base(), bomb("r01/x", 10, 200<<20)))
	limits := archive.DefaultLimits()
	limits.Ratio = 1 << 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := archive.Read(data, limits, inflate)
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
	for _, h := range hostile {
		if data := h.data(); len(data) < 1<<12 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := archive.Read(data, small(), inflate)
		if err != nil {
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("accepted, but archive/zip says %v", err)
		}
		theirs := map[string][]byte{}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, "/") {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				if theirs[f.Name], err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			}
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
