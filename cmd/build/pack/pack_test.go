package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study"
	"retrace/core/study/studytest"
	bundled "retrace/kit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"build": func() { // as cmd/build's main, with this package's commands
			root := &cobra.Command{Use: "build", SilenceUsage: true, SilenceErrors: true}
			root.AddCommand(Commands()...)
			if err := root.Execute(); err != nil {
				fmt.Fprintf(os.Stderr, "build: error: %v\n", err)
				var hinted interface{ Hint() string }
				var record *records.Error
				if errors.As(err, &hinted) {
					fmt.Fprintf(os.Stderr, "build: hint: %s\n", hinted.Hint())
				} else if errors.As(err, &record) {
					fmt.Fprintf(os.Stderr, "build: hint: %s\n", record.Hint)
				}
				os.Exit(1)
			}
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// hostile NAME FILE writes the archive of that name below.
			"hostile": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, h := range hostile {
					if h.name == strings.ReplaceAll(args[0], "_", " ") {
						ts.Check(os.WriteFile(ts.MkAbs(args[1]), h.data(), 0o644))
						return
					}
				}
				ts.Fatalf("no hostile archive %q", args[0])
			},
			// manifest FOLDER [REQUIRES] writes kit/FOLDER/manifest.json, as build manifest does.
			"manifest": func(ts *testscript.TestScript, _ bool, args []string) {
				m := kit.Manifest{Format: kit.ManifestFormat, Folder: args[0], Requires: append([]string{}, args[1:]...)}
				disk := os.DirFS(ts.MkAbs("kit"))
				ts.Check(fs.WalkDir(disk, args[0], func(p string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() || d.Name() == "manifest.json" {
						return err
					}
					data, err := fs.ReadFile(disk, p)
					m.Files = append(m.Files, kit.Describe(p, data))
					return err
				}))
				data, err := kit.Canonical(m)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs("kit/"+args[0]+"/manifest.json"), data, 0o644))
			},
			// frozen DIR writes the small study of studytest with all its seals and results, sealed DIR with its first seal alone.
			"frozen": func(ts *testscript.TestScript, _ bool, args []string) {
				m := studytest.Tiny()
				ts.Check(studytest.Freeze(m))
				writeKit(ts, args[0], m)
			},
			"sealed": func(ts *testscript.TestScript, _ bool, args []string) {
				m := studytest.Tiny()
				studytest.Seal(m, study.SealProtocol, []string{studytest.ProtocolFile}, nil)
				writeKit(ts, args[0], m)
			},
			// cut FILE N leaves out the last N bytes.
			"cut": func(ts *testscript.TestScript, _ bool, args []string) {
				data := ts.ReadFile(args[0])
				var n int
				_, err := fmt.Sscan(args[1], &n)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:len(data)-n]), 0o644))
			},
		},
	})
}

func writeKit(ts *testscript.TestScript, dir string, m kit.Memory) {
	for name, data := range m {
		file := ts.MkAbs(dir + "/" + name)
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
		ts.Check(os.WriteFile(file, data, 0o644))
	}
}

// A member is an entry of a tar that is made by hand.
type member struct {
	tar.Header
	data string
}

func file(name, data string) member {
	return member{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))}, data}
}

func special(kind byte, name, target string) member {
	return member{Header: tar.Header{Typeflag: kind, Name: name, Linkname: target}}
}

// listed are two files with an honest inventory, and further members that it does not list.
func listed(more ...member) []member {
	inventory := fmt.Sprintf(`{"files":[{"bytes":4,"path":"r01/a.txt","sha256":"%x"},{"bytes":4,"path":"r01/b.txt","sha256":"%x"}],`+
		`"format":"retrace archive 1","study":"r01"}`, sha256.Sum256([]byte("one\n")), sha256.Sum256([]byte("two\n")))
	return append([]member{file("INVENTORY.json", inventory), file("r01/a.txt", "one\n"), file("r01/b.txt", "two\n")}, more...)
}

func makeTar(members ...member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if err := w.WriteHeader(&m.Header); err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(m.data)); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func squeeze(plain []byte, options ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return w.EncodeAll(plain, nil)
}

func tarZst(members ...member) []byte { return squeeze(makeTar(members...)) }

func gzip0(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func gzipped(members ...member) []byte { return gzip0(makeTar(members...)) }

// inside are the listed files in a folder.
func inside(folder string) []member {
	members := listed()
	for i := range members {
		members[i].Name = folder + members[i].Name
	}
	return members
}

func with(m member) func() []byte { return func() []byte { return tarZst(listed(m)...) } }

const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00junk"

// The hostile and the broken, each by its name, each with the one reason that it must give. Names and inventories are the
// intake's, which the tests of core/archive cover; here they show that a tar goes through it.
var hostile = []struct {
	name string
	data func() []byte
	want archive.Reason
}{
	{"nothing", func() []byte { return nil }, archive.NotArchive},
	{"text", func() []byte { return []byte("hello, world") }, archive.NotArchive},
	{"gzip's first bytes alone", func() []byte { return []byte("\x1f\x8b\x08\x00") }, archive.Truncated},
	{"gzip, last byte missing", func() []byte { d := gzipped(listed()...); return d[:len(d)-1] }, archive.Truncated},
	{"gzip, second half missing", func() []byte { d := gzipped(listed()...); return d[:len(d)/2] }, archive.Truncated},
	{"gzip, bytes after", func() []byte { return append(gzipped(listed()...), "more bytes than a header has"...) }, archive.DataAfter},
	{"gzip, a byte changed", func() []byte { d := gzipped(listed()...); d[len(d)-6] ^= 1; return d }, archive.Damaged},
	{"gzip, bomb", func() []byte { return gzipped(listed(file("r01/x", strings.Repeat("\x00", 5<<20)))...) }, archive.RatioTooHigh},
	{"gzip of something else", func() []byte { return gzip0([]byte("hello, world")) }, archive.Truncated},
	{"a tar cut short", func() []byte { d := makeTar(listed()...); return d[:len(d)-1024] }, archive.Truncated},
	{"a tar with a link out", func() []byte { return makeTar(listed(special(tar.TypeSymlink, "r01/x", "/etc/passwd"))...) }, archive.Link},
	{"a tar with a path up", func() []byte { return makeTar(listed(file("../x", ""))...) }, archive.PathParent},
	{"a wrapped tar with a file beside", func() []byte { return makeTar(append(inside("outer/"), file("x", ""))...) }, archive.Unlisted},
	{"zstd magic alone", func() []byte { return []byte(zstdMagic) }, archive.Truncated},
	{"last byte missing", func() []byte { d := tarZst(listed()...); return d[:len(d)-1] }, archive.Truncated},
	{"second half missing", func() []byte { d := tarZst(listed()...); return d[:len(d)/2] }, archive.Truncated},
	{"one byte after", func() []byte { return append(tarZst(listed()...), 0) }, archive.DataAfter},
	{"skippable frame after", func() []byte { return append(tarZst(listed()...), skippable...) }, archive.DataAfter},
	{"skippable frame before", func() []byte { return append([]byte(skippable), tarZst(listed()...)...) }, archive.NotArchive},
	{"second archive after", func() []byte { return append(tarZst(listed()...), tarZst(listed()...)...) }, archive.DataAfter},
	{"a byte changed", func() []byte { d := tarZst(listed()...); d[len(d)-2] ^= 1; return d }, archive.Damaged}, // of the checksum
	{"reserved block type", func() []byte { return []byte(zstdMagic + "\x00\x58\x07\x00\x00") }, archive.Damaged},
	{"reserved header bit", func() []byte { return []byte(zstdMagic + "\x08\x58\x01\x00\x00") }, archive.Damaged},
	{"dictionary", func() []byte { return []byte(zstdMagic + "\x01\x58\x07\x01\x00\x00") }, archive.Feature},
	// Window descriptor 0xa0: exponent 20, so 2^(10+20) bytes.
	{"window of a gigabyte", func() []byte { return []byte(zstdMagic + "\x00\xa0\x01\x00\x00") }, archive.Feature},
	// Frame content size of 8 bytes: 2^62.
	{"claims four exabytes", func() []byte { return []byte(zstdMagic + "\xe0\x00\x00\x00\x00\x00\x00\x00\x40\x01\x00\x00") },
		archive.RatioTooHigh},
	{"bomb", func() []byte { return squeeze(make([]byte, 8<<20)) }, archive.RatioTooHigh},
	{"bomb that claims no size", func() []byte {
		var b bytes.Buffer
		w, _ := zstd.NewWriter(&b)
		w.Write(make([]byte, 8<<20))
		w.Close()
		return b.Bytes()
	}, archive.RatioTooHigh},

	{"tar header cut", func() []byte { return squeeze(makeTar(listed()...)[:100]) }, archive.Truncated},
	{"tar data cut", func() []byte { return squeeze(makeTar(listed()...)[:514]) }, archive.Damaged},
	{"tar without end", func() []byte { d := makeTar(listed()...); return squeeze(d[:len(d)-1024]) }, archive.Truncated},
	{"tar with half an end", func() []byte { d := makeTar(listed()...); return squeeze(d[:len(d)-512]) }, archive.Truncated},
	{"tar after the tar", func() []byte { return squeeze(append(makeTar(listed()...), makeTar(listed()...)...)) }, archive.DataAfter},
	{"zeros after the tar", func() []byte { return squeeze(append(makeTar(listed()...), make([]byte, 20000)...)) }, archive.DataAfter},
	{"header with wrong checksum", func() []byte { d := makeTar(listed()...); d[0]++; return squeeze(d) }, archive.Damaged},
	{"not a tar", func() []byte { return squeeze([]byte(strings.Repeat("hello ", 200))) }, archive.Damaged},
	{"empty tar", func() []byte { return tarZst() }, archive.NoInventory},

	{"symbolic link", with(special(tar.TypeSymlink, "r01/x", "../../etc/passwd")), archive.Link},
	{"hard link", with(special(tar.TypeLink, "r01/x", "r01/a.txt")), archive.Link},
	{"character device", with(special(tar.TypeChar, "r01/x", "")), archive.Special},
	{"block device", with(special(tar.TypeBlock, "r01/x", "")), archive.Special},
	{"pipe", with(special(tar.TypeFifo, "r01/x", "")), archive.Special},
	{"sparse file", func() []byte { d := makeTar(listed(file("r01/x", ""))...); return squeeze(sparse(d)) }, archive.Special},
	{"sparse file by PAX", func() []byte { return squeeze(paxSparse()) }, archive.Special},
	{"global header", with(member{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g",
		PAXRecords: map[string]string{"comment": "x"}}}), archive.Special},
	{"empty folder", with(special(tar.TypeDir, "r01/x/", "")), archive.EmptyFolder},

	{"path up", with(file("../x", "")), archive.PathParent},
	{"folder up", with(special(tar.TypeDir, "../", "")), archive.PathParent},
	{"absolute", with(file("/tmp/x", "")), archive.PathAbsolute},
	{"drive letter", with(file("C:/x", "")), archive.PathDrive},
	{"backslash", with(file(`..\x`, "")), archive.PathBackslash},
	{"too long", with(file(strings.Repeat("x/", 150)+"x", "")), archive.PathLong},
	{"dot segment", with(file("./r01/x", "")), archive.PathSegment},
	{"composed", with(file("r01/\u00e9", "")), archive.PathCharacter},
	{"same name twice", with(file("r01/a.txt", "one\n")), archive.Duplicate},
	{"names that differ by case", with(file("r01/A.txt", "")), archive.CaseCollision},
	{"file below a file", with(file("r01/a.txt/x", "")), archive.FileAndFolder},

	{"many files", func() []byte {
		all := listed()
		for i := range 99 {
			all = append(all, file(fmt.Sprintf("r01/%d", i), ""))
		}
		return tarZst(all...)
	}, archive.TooManyFiles},
	{"large file", with(file("r01/x", noise(1<<20+1))), archive.FileTooLarge},
	{"large together", func() []byte {
		mega := noise(1 << 20)
		return tarZst(listed(file("r01/x", mega), file("r01/y", mega), file("r01/z", mega))...)
	}, archive.TotalTooLarge},
	{"large archive", func() []byte { return append([]byte(zstdMagic), make([]byte, 1<<22)...) }, archive.ArchiveTooLarge},

	{"no inventory", func() []byte { return tarZst(file("r01/a.txt", "one\n")) }, archive.NoInventory},
	{"a file too many", with(file("r01/c.txt", "")), archive.Unlisted},
	{"a file too few", func() []byte { return tarZst(listed()[:2]...) }, archive.Missing},
	{"wrong content", func() []byte { return tarZst(append(listed()[:2], file("r01/b.txt", "tWo\n"))...) }, archive.InventoryHash},
	{"wrong size", func() []byte { return tarZst(append(listed()[:2], file("r01/b.txt", "two"))...) }, archive.InventorySize},
}

// noise is text that doesn't compress, so that limits on sizes are met before the one on the ratio: SHA-256 in counter mode.
func noise(n int) string {
	var b []byte
	for i := 0; len(b) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, i))
		b = append(b, sum[:]...)
	}
	return string(b[:n])
}

// sparse turns the last member of a tar, which is empty, into an old GNU sparse file of 1 GiB of holes.
func sparse(d []byte) []byte {
	h := d[len(d)-1024-512:][:512]
	h[156] = 'S'
	copy(h[257:], "ustar  \x00")
	copy(h[386:], "10000000000\x00"+"00000000000\x00") // offset and length of the one piece of data
	copy(h[483:], "10000000000\x00")                   // real size
	sum := 8 * int(' ')
	for i, c := range h {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return d
}

// paxSparse holds a sparse file of 1 GiB of holes by PAX records, which archive/tar's Writer refuses to write: they are
// written under other keys of the same length.
func paxSparse() []byte {
	m := file("r01/x", "0\n"+strings.Repeat("\x00", 510))
	m.PAXRecords = map[string]string{"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.name": "r01/x",
		"XXX.sparse.realsize": "1073741824"}
	return bytes.ReplaceAll(makeTar(listed(m)...), []byte("XXX.sparse"), []byte("GNU.sparse"))
}

// Limits that the hostile archives can exceed without being large themselves.
func small() archive.Limits {
	return archive.Limits{Archive: 1 << 22, Files: 64, File: 1 << 20, Total: 5 << 19, Ratio: 20}
}

func TestHostileArchivesGiveOneReasonEach(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			c, err := Read(h.data(), small())
			if c != nil || !errors.Is(err, h.want) {
				t.Errorf("got %v, want %q", err, h.want)
			}
		})
	}
}

func TestTheBaseOfTheHostileIsSound(t *testing.T) {
	if _, err := Read(tarZst(listed()...), small()); err != nil {
		t.Error(err)
	}
	// As GNU tar writes: folders, and zeros up to a record of 10,240 bytes.
	folders := append([]member{special(tar.TypeDir, "r01/", "")}, listed()...)
	plain := makeTar(folders...)
	if _, err := Read(squeeze(append(plain, make([]byte, 10240-len(plain)%10240)...)), small()); err != nil {
		t.Error(err)
	}
}

// Tars as other tools and people make them, compressed or not, are read as the .tar.zst is.
func TestHonestTarsAreTheSame(t *testing.T) {
	want, err := Read(tarZst(listed()...), small())
	if err != nil {
		t.Fatal(err)
	}
	apple := append([]member{special(tar.TypeDir, "r01 copy/", ""), file("r01 copy/._INVENTORY.json", "Mac"),
		file("r01 copy/.DS_Store", "store")}, inside("r01 copy/")...)
	for name, c := range map[string]struct {
		data    []byte
		ignored int
	}{
		"tar": {makeTar(listed()...), 0}, "tar.gz": {gzipped(listed()...), 0}, "tar.gz of a folder": {gzipped(inside("\u00c9tude/")...), 0},
		"tar -C folder -czf out .": {gzipped(append([]member{special(tar.TypeDir, "./", "")}, inside("./")...)...), 0},
		"tar.zst of a folder":      {tarZst(inside("r01 copy/")...), 0},
		"from a Mac":               {gzipped(apple...), 2},
	} {
		c1, err := Read(c.data, small())
		if err != nil || c1.Identity() != want.Identity() || len(c1.Files()) != 3 || len(c1.Ignored()) != c.ignored {
			t.Errorf("%s: %v, %+v", name, err, c1)
		}
	}
}

func FuzzReadTarZst(f *testing.F) {
	f.Add(makeTar(listed()...))
	for _, h := range hostile {
		if data := h.data(); len(data) < 1<<12 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range [][]byte{data, squeeze(data)} { // most mutations of a compressed tar stop at its checksum
			if c, err := Read(d, small()); err == nil {
				if _, err := archive.Write(c.Files()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// GNU tar 1.34 wrote the same tar of the same files; see testdata/tar.sh, which prints the SHA-256.
func TestTarIsTheOneOfAnotherTool(t *testing.T) {
	plain, err := encodeTar([]archive.File{{Path: "r01/a.txt", Data: []byte("one\n")}, {Path: "r01/b.txt", Data: []byte("two\n")}})
	if err != nil {
		t.Fatal(err)
	}
	const gnu = "d5875d17d1c872e5e531017229d856d878bff608d09ef96366ca26720a26a1cd"
	if got := kit.Hash(plain); got != gnu {
		t.Errorf("SHA-256 %s, GNU tar's %s", got, gnu)
	}
}

// The compressor's output, frozen: published archives have it. It was the same on amd64 (with and without assembly), 386, arm64,
// riscv64 and s390x. Should an upgrade of github.com/klauspost/compress change it, .tar.zst archives packed afterwards get other bytes
// (their inventories don't), and the changelog has to say so.
func TestTarZstIsFrozen(t *testing.T) {
	text := strings.Repeat("Two questions, one answer; one question, two answers.\n", 5000)
	data, err := encodeTarZst([]archive.File{{Path: "r01/noise", Data: []byte(noise(300_000))}, {Path: "r01/text", Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	const frozen = "89adb4785d7c2b1537a7e2698adc14b94840c8257232629f74915ed0320c14aa"
	if got := kit.Hash(data); got != frozen {
		t.Errorf("SHA-256 %s, frozen %s", got, frozen)
	}
}

// The bundled study, packed twice, is the same, verifies from either container, and both hold the same.
func TestBundledStudy(t *testing.T) {
	p, err := Build(bundled.FS, "r01", Options{Published: "2026-11-30"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(bundled.FS, "r01", Options{Published: "2026-11-30"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.Zip, again.Zip) || !bytes.Equal(p.TarZst, again.TarZst) {
		t.Error("packing twice gives different bytes")
	}
	zip, err := Read(p.Zip, archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := Read(p.TarZst, archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if zip.Identity() != tarball.Identity() || zip.Identity() != p.Identity {
		t.Error("zip and tar.zst have different inventories")
	}
	for _, c := range []*archive.Contents{zip, tarball} {
		if err := c.CheckKit(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"r01/study.json", "r01/PROTOCOL.md", "r01/frozen/results.json", "r01/seals/1-protocol.json",
		"concepts/corpus.jsonl", "LICENSES/CC0-1.0.txt"} {
		want, err := fs.ReadFile(bundled.FS, name)
		if name == "LICENSES/CC0-1.0.txt" {
			want, err = fs.ReadFile(licences, "licences/CC0-1.0.txt")
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(zip, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the kit's, %v", name, err)
		}
	}
	t.Logf("zip %d bytes, tar.zst %d bytes", len(p.Zip), len(p.TarZst))
}

// stopAfter is a context that is cancelled when it has been asked n times.
type stopAfter struct {
	context.Context
	n int
}

func (s *stopAfter) Err() error {
	if s.n--; s.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestInterruptedUnpackLeavesNothing(t *testing.T) {
	c, err := Read(tarZst(listed()...), small())
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	for n := range 4 { // before each file, and before the rename
		err := unpack(&stopAfter{t.Context(), n}, c, filepath.Join(parent, "new"), false)
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Fatalf("after %d steps: %v", n, err)
		}
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			t.Fatalf("after %d steps: left %v", n, left)
		}
	}
	if err := unpack(&stopAfter{t.Context(), 4}, c, filepath.Join(parent, "new"), false); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 1 || left[0].Name() != "new" {
		t.Errorf("left %v, %v", left, err)
	}
	data, err := os.ReadFile(filepath.Join(parent, "new", "r01", "a.txt"))
	if err != nil || string(data) != "one\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestCheckWrittenReadsTheDisk(t *testing.T) {
	c, err := Read(tarZst(listed()...), small())
	if err != nil {
		t.Fatal(err)
	}
	disk := fstest.MapFS{}
	for _, f := range c.Files() {
		disk[f.Path] = &fstest.MapFile{Data: slices.Clone(f.Data)}
	}
	disk["r01/b.txt"].Data[0] ^= 1
	err = checkWritten(t.Context(), c, disk)
	if err == nil || err.Error() != "r01/b.txt: came back from the disk with other bytes" {
		t.Error(err)
	}
}
