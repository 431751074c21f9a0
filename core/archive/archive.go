// Package archive holds the sealed archive of a study: one zip that is made the same everywhere and that is checked
// completely before anything in it is used. It works on bytes in memory; files and other containers are cmd/build/pack's.
//
// # What "the same bytes" rests on
//
// A zip made by Write depends on the paths and bytes of its files and on nothing else: files stand in byte order of their
// paths, times are 1980-01-01 00:00 (zip's zero), modes 0644, no extra fields, no comments, no folders of their own.
// Files are stored, not deflated. Deflate is a format, not a function: Go, zlib and klauspost/compress give different
// bytes for the same input and may change them with any release, so a deflated archive is the same only as long as one
// encoder is kept for ever. Stored, the archive is a function that any zip writer computes (a test compares it with one
// made by Python's zipfile), and a reader without zip can still see the files in it as they are. The price is size: what
// travels over a network is compressed by the host (Content-Encoding) or taken as .tar.zst.
//
// The archive's identity is not the zip's hash but that of INVENTORY.json, which names every other file with its size and
// SHA-256 and is itself canonical JSON (RFC 8785): zip and tar.zst of one study have the same inventory.
//
// # What is accepted
//
// The zip format is read and written here, in some 300 lines, and not by archive/zip, which is lenient just where this must
// not be: it tolerates bytes before and after, and does not compare local headers with the directory. Here entries,
// directory and end record must fill the data without gap or overlap, and both headers must agree. (Tests hold every archive
// that is accepted against archive/zip's reading of it. Without archive/zip, the page's WebAssembly is 27 kB smaller after
// gzip, too.)
//
// Accepted, too, is what a person gets by zipping an unpacked archive again, with whatever honest tool: deflated entries, other
// times and modes, entries for folders that hold files, a folder around everything, sizes in data descriptors or in zip64's
// fields, a comment of the archive. What Finder and Explorer add (__MACOSX, .DS_Store, Thumbs.db) is not read; Ignored names
// it. Inventory and hashes decide.
//
// Names are restricted to letters, digits and a few signs of ASCII, so that a name is written the same way by every file
// system, zip tool and URL, and two names can collide by letter case only, which is checked; no two spellings of an accent can.
package archive

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"retrace/core/kit"
	"retrace/core/order"
)

// A File is one file of an archive: its path from the archive's root, with slashes, and its bytes, which are not to be
// changed.
type File struct {
	Path string
	Data []byte
}

// Limits bound what Read takes, in bytes and counts. They are checked before memory is taken for what they bound.
type Limits struct {
	Archive int64 // bytes of the archive itself
	Files   int   // entries: files, and folders where they have entries of their own
	File    int64 // bytes of one file
	Total   int64 // bytes of all files
	Ratio   int64 // bytes of all files for each byte of archive, beyond a first MiB
}

// DefaultLimits are far above the bundled studies (some 7 MB in some 40 files) and far below what would hurt a browser.
func DefaultLimits() Limits {
	return Limits{Archive: 256 << 20, Files: 4096, File: 256 << 20, Total: 512 << 20, Ratio: 200}
}

// Room is how many bytes all files of an archive of the given size may have, and the reason to give beyond it.
func (l Limits) Room(archive int64) (int64, Reason) {
	const free = 1 << 20
	if l.Ratio < (l.Total-free)/max(archive, 1) {
		return free + l.Ratio*archive, RatioTooHigh
	}
	return l.Total, TotalTooLarge
}

// Contents are the files of an archive whose every check has passed. They are an fs.FS (read only, in memory) of the
// archive's root.
type Contents struct {
	inventory Inventory
	identity  string
	files     []File
	memory    kit.Memory
	ignored   []string
}

// Study is the study that the archive was made of: the name of its folder.
func (c *Contents) Study() string { return c.inventory.Study }

// Draft reports whether the archive says of itself that the study's stages were not all sealed when it was packed.
func (c *Contents) Draft() bool { return c.inventory.Draft }

// Identity is the SHA-256 of INVENTORY.json in lower-case hexadecimal digits. It stands for every byte of every file,
// whichever container they came in.
func (c *Contents) Identity() string { return c.identity }

// Ignored are the names of what systems left in the archive, such as __MACOSX/ and Thumbs.db. Nothing of it was read.
func (c *Contents) Ignored() []string { return slices.Clone(c.ignored) }

// Files are all files in byte order of their paths. They are shared, not copied.
func (c *Contents) Files() []File { return slices.Clone(c.files) }

// Open implements fs.FS.
func (c *Contents) Open(name string) (fs.File, error) { return c.memory.Open(name) }

// newContents takes files that are sorted and checked.
func newContents(files []File, inventory Inventory, identity string) *Contents {
	memory := kit.Memory{}
	for _, f := range files {
		memory[f.Path] = f.Data
	}
	return &Contents{inventory, identity, files, memory, nil}
}

// Write returns the zip of the files, which are those that Assemble returns, in any order. It refuses what Read would
// refuse under the default limits.
func Write(files []File) ([]byte, error) {
	in := NewIntake(DefaultLimits(), DefaultLimits().Archive)
	for _, f := range files {
		if err := in.File(f.Path, int64(len(f.Data)), bytes.NewReader(f.Data)); err != nil {
			return nil, err
		}
	}
	c, err := in.Contents()
	if err != nil {
		return nil, err
	}
	return encode(c.files), nil
}

// sorted returns the files in byte order of their paths.
func sorted(files []File) []File {
	files = slices.Clone(files)
	order.Sort(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}
