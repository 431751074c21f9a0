// Package kit reads the files of studies from an fs.FS, checks each against its hash, and makes manifests and seals.
package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"retrace/core/canonical"
	"retrace/core/digest"
	"retrace/core/order"
	"retrace/core/records"
)

// MaxFile is the largest file of a kit, in bytes.
const MaxFile = 256 << 20

// ManifestFormat and SealFormat name the versions of the two layouts below.
const (
	ManifestFormat = "retrace-manifest/1"
	SealFormat     = "retrace-seal/1"
)

// A File is one file of a kit: its path from the kit's root, size in bytes and SHA-256 in hexadecimal.
type File struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A Manifest lists the files of one folder of a kit (all but itself), and the folders that it builds on.
type Manifest struct {
	Format   string   `json:"format"`
	Folder   string   `json:"folder"`
	Requires []string `json:"requires"`          // other folders of the same kit
	Include  []string `json:"include,omitempty"` // files that are listed though Unwanted, since their author named them
	Files    []File   `json:"files"`             // ascending path
}

// A Seal fixes what a stage of a study rests on. Each seal holds the hash of the one before it, so that a chain can't be
// rewritten in the middle.
type Seal struct {
	Format   string          `json:"format"`
	Study    string          `json:"study"`
	Stage    string          `json:"stage"`
	Previous string          `json:"previous"` // SHA-256 of the seal before, empty for the first
	Files    []File          `json:"files"`    // what this stage fixes
	Lock     json.RawMessage `json:"lock,omitempty"`
	Because  string          `json:"because,omitempty"` // why the study was sealed again; the seals before are files of this one
}

// A Kit is a set of folders with hash-checked files.
type Kit struct {
	fsys  fs.FS
	files map[string]File
	list  []File // folder by folder in order of need, then ascending path

	withheld  []*Withheld
	manifests []File
	include   map[string]bool // files that manifests list by name
}

// Included reports whether a file that is Unwanted otherwise was named by the author of its folder's manifest.
func (k *Kit) Included(name string) bool { return k.include[name] }

// Open reads the manifest of a study's folder and of every folder that it requires. No file is read yet.
func Open(fsys fs.FS, study string) (*Kit, error) {
	k := &Kit{fsys: fsys, files: map[string]File{}, include: map[string]bool{}}
	seen := map[string]bool{}
	hint := "name a study whose folder has a manifest.json; `build seal` writes it"
	for queue := []string{study}; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		if len(seen) > 64 {
			return nil, records.Errorf(folder, 0, "a kit has at most 64 folders", "too many folders")
		}
		m, file, err := readManifest(fsys, folder, hint)
		if err != nil {
			return nil, err
		}
		k.manifests = append(k.manifests, file)
		for _, f := range m.Files {
			k.files[f.Path] = f
			k.list = append(k.list, f)
		}
		for _, name := range m.Include {
			k.include[name] = true
		}
		queue = append(queue, m.Requires...)
		hint = "the study requires this folder: `build manifest FOLDER` writes its manifest.json"
	}
	return k, nil
}

// readManifest returns a folder's manifest and what describes its file; the hint is for a folder that has none.
func readManifest(fsys fs.FS, folder, hint string) (*Manifest, File, error) {
	if folder == "" || strings.Contains(folder, "/") || !fs.ValidPath(folder) || folder == "." {
		return nil, File{}, records.Errorf("manifest.json", 0, "folders are named by one path segment", "bad folder name %q", folder)
	}
	name := path.Join(folder, "manifest.json")
	data, err := readAll(fsys, name, 16<<20)
	if err != nil {
		return nil, File{}, records.Errorf(name, 0, strings.ReplaceAll(hint, "FOLDER", folder), "no manifest: %v", err)
	}
	var m Manifest
	if err := records.Decode(name, 0, data, &m); err != nil {
		return nil, File{}, err
	}
	if m.Format != ManifestFormat {
		return nil, File{}, records.Errorf(name, 0, "this version reads "+ManifestFormat, "format %q", m.Format)
	}
	if m.Folder != folder {
		return nil, File{}, records.Errorf(name, 0, "a manifest stands in the folder that it names", "folder %q", m.Folder)
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case !fs.ValidPath(f.Path) || !strings.HasPrefix(f.Path, folder+"/") || f.Path == name || strings.ContainsAny(f.Path, `\:`) || strings.ContainsFunc(f.Path, unprintable):
			return nil, File{}, records.Errorf(name, 0, "paths start at the kit's root and stay inside "+folder+"/", "bad path %q", f.Path)
		case seen[f.Path]:
			return nil, File{}, records.Errorf(name, 0, "list every file once", "duplicate path %q", f.Path)
		case f.Bytes < 0 || f.Bytes > MaxFile:
			return nil, File{}, records.Errorf(name, 0, "no file is larger than 256 MiB", "%q has a size of %d bytes", f.Path, f.Bytes)
		}
		seen[f.Path] = true
	}
	for _, include := range m.Include {
		if !seen[include] {
			return nil, File{}, records.Errorf(name, 0, "`build manifest "+folder+"` writes it again", "includes %q, which it does not list", include)
		}
	}
	return &m, Describe(name, data), nil
}

// Manifests lists the manifests of the study's folder and of the folders that it requires, ascending path.
func (k *Kit) Manifests() []File {
	list := slices.Clone(k.manifests)
	order.Sort(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// Identity returns the SHA-256 of the canonical JSON of Manifests. As each manifest lists the hash of every file of its
// folder, seals included, two kits with one identity hold the same bytes.
func (k *Kit) Identity() (string, error) {
	data, err := Canonical(k.Manifests())
	return Hash(data), err
}

// unprintable finds control and format characters, which may make a path look like another one.
func unprintable(r rune) bool { return !strconv.IsPrint(r) } // as unicode.IsPrint, without its tables

// Files lists every file of the study and of what it requires.
func (k *Kit) Files() []File { return k.list }

// Has reports whether a file is the kit's to read: the manifest lists it, or it is withheld and was given.
func (k *Kit) Has(name string) bool {
	if k.withheldAs(name) != nil {
		return k.Present(name)
	}
	_, ok := k.files[name]
	return ok
}

// Expect returns what the manifest says of a file, or what is said of one that is withheld.
func (k *Kit) Expect(name string) (File, bool) {
	if w := k.withheldAs(name); w != nil {
		return w.File, true
	}
	f, ok := k.files[name]
	return f, ok
}

// A Withheld file is known by its hash alone: it belongs to somebody who doesn't let it be handed on. Whoever has it puts it in
// its place. It is in no manifest, so that nothing that publishes or packs a kit's files can take it along.
type Withheld struct {
	File
	Holder string // whose it is
	Get    string // how to get it
}

// withheldAs is what is said of a withheld file, nil for others.
func (k *Kit) withheldAs(name string) *Withheld {
	for _, w := range k.withheld {
		if w.Path == name {
			return w
		}
	}
	return nil
}

// Withhold makes a file known that no manifest lists.
func (k *Kit) Withhold(w *Withheld) error {
	if _, listed := k.files[w.Path]; listed {
		folder, _, _ := strings.Cut(w.Path, "/")
		return records.Errorf(w.Path, 0, "run `build manifest "+folder+"`, which leaves it out", "is withheld, and the manifest lists it")
	}
	k.withheld = append(k.withheld, w)
	return nil
}

// Missing lists the withheld files that were not given, in the order in which they were made known.
func (k *Kit) Missing() (list []*Withheld) {
	for _, w := range k.withheld {
		if !k.Present(w.Path) {
			list = append(list, w)
		}
	}
	return list
}

// readWithheld returns a withheld file's content if it was given and is the one that is meant.
func (k *Kit) readWithheld(w *Withheld) ([]byte, error) {
	if !k.Present(w.Path) {
		return nil, records.Errorf(w.Path, 0, w.Get, "is withheld, since it is %s's, and was not given", w.Holder)
	}
	data, err := readAll(k.fsys, w.Path, w.Bytes)
	if long, ok := err.(tooLong); ok {
		return nil, records.Errorf(w.Path, 0, w.Get, "what was given has %d bytes, and the withheld file has %d", long.size, w.Bytes)
	}
	if err != nil {
		return nil, records.Errorf(w.Path, 0, w.Get, "can't be read: %v", err)
	}
	if got := Hash(data); got != w.SHA256 {
		return nil, records.Errorf(w.Path, 0, w.Get, "what was given has %d bytes and the SHA-256 %s, the withheld file has %d and %s", len(data),
			got, w.Bytes, w.SHA256)
	}
	return data, nil
}

// Present reports whether a file is there to read; a reader's browser loads large files only when they are wanted.
func (k *Kit) Present(name string) bool {
	f, err := k.fsys.Open(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// Read returns a file's content after checking its size and hash against the manifest, or against what is said of it where it is
// withheld.
func (k *Kit) Read(name string) ([]byte, error) {
	if w := k.withheldAs(name); w != nil {
		return k.readWithheld(w)
	}
	want, ok := k.files[name]
	if !ok {
		return nil, k.unlisted(name)
	}
	folder, _, _ := strings.Cut(name, "/")
	changed := "get the kit again; if you changed the file, run `build manifest " + folder + "`, and of a sealed study `build reseal STUDY --because TEXT`"
	data, err := readAll(k.fsys, name, want.Bytes)
	if long, ok := err.(tooLong); ok {
		if n := k.lineEnds(name, want); n > 0 {
			return nil, records.Errorf(name, 0, "something put Windows' line ends into the file, as Git does under core.autocrlf: `git config core.autocrlf false`, then `git checkout -- .`; or get the kit as an archive",
				"has %d bytes, the manifest says %d: %d line ends are CR LF that were LF, and nothing else differs", long.size, want.Bytes, n)
		}
		return nil, records.Errorf(name, 0, changed, "has %d bytes, the manifest says %d", long.size, want.Bytes)
	}
	if err != nil {
		return nil, records.Errorf(name, 0, "get the kit again: the manifest lists this file", "missing or unreadable: %v", err)
	}
	if int64(len(data)) != want.Bytes {
		return nil, records.Errorf(name, 0, changed, "has %d bytes, the manifest says %d", len(data), want.Bytes)
	}
	if got := Hash(data); got != want.SHA256 {
		return nil, records.Errorf(name, 0, changed, "hash differs: SHA-256 is %s, the manifest says %s", got, want.SHA256)
	}
	return data, nil
}

// lineEnds returns how many line ends of a file are CR LF where the file that the manifest lists had LF, 0 where that is not
// all that differs.
func (k *Kit) lineEnds(name string, want File) int {
	data, err := readAll(k.fsys, name, min(2*want.Bytes, MaxFile))
	if err != nil {
		return 0
	}
	plain := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if int64(len(plain)) != want.Bytes || Hash(plain) != want.SHA256 {
		return 0
	}
	return len(data) - len(plain)
}

// unlisted says why a file that no manifest lists can't be read.
func (k *Kit) unlisted(name string) error {
	folder, _, inside := strings.Cut(name, "/")
	if _, err := fs.Stat(k.fsys, name); err != nil {
		return records.Errorf(name, 0, "correct its path in study.json; paths start at the kit's root, as in "+path.Dir(k.manifests[0].Path)+"/study.json", "not in the manifest: there is no such file")
	}
	required := slices.ContainsFunc(k.manifests, func(m File) bool { return path.Dir(m.Path) == folder })
	if inside && !required {
		return records.Errorf(name, 0, "name its folder: `build seal STUDY --requires "+folder+"`", "not in the manifest: the study does not require %s/", folder)
	}
	if why := Unwanted(name); why != "" {
		return records.Errorf(name, 0, "rename it, or name it: `build manifest "+folder+" --include "+name+"`", "not in the manifest, which leaves such files out (%s)", why)
	}
	return records.Errorf(name, 0, "list the file in its folder's manifest.json: `build manifest "+folder+"` does", "not in the manifest")
}

// tooLong is the error of a file that is longer than expected.
type tooLong struct{ size, limit int64 }

func (e tooLong) Error() string {
	return fmt.Sprintf("has %d bytes, at most %d are expected", e.size, e.limit)
}

// readAll reads a file of at most limit bytes (one more is read, so that a longer file is noticed, not held).
func readAll(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("is a folder")
	}
	if info.Size() > limit {
		return nil, tooLong{info.Size(), limit}
	}
	return fs.ReadFile(fsys, name)
}

// Hash returns the SHA-256 of data in hexadecimal.
func Hash(data []byte) string {
	return digest.Hex(data)
}

// Describe returns what a manifest says of a file with the given content.
func Describe(name string, data []byte) File {
	return File{name, int64(len(data)), Hash(data)}
}

// Canonical returns the canonical JSON (RFC 8785) of a value.
func Canonical(value any) ([]byte, error) {
	return canonical.Marshal(value)
}

// Seals reads the chain of seals of a study: seals/1-….json, seals/2-….json and so on, and checks that each names the
// hash of the one before it and that every file that it fixes is what the manifest lists.
func (k *Kit) Seals(study string) ([]Seal, error) {
	var names []string
	for _, f := range k.list {
		if strings.HasPrefix(f.Path, study+"/seals/") {
			names = append(names, f.Path)
		}
	}
	slices.Sort(names)
	var seals []Seal
	previous := ""
	for i, name := range names {
		if want := fmt.Sprintf("%d-", i+1); !strings.HasPrefix(path.Base(name), want) {
			return nil, records.Errorf(name, 0, "seals are numbered from 1 without a gap", "the seal at place %d should start with %q", i+1, want)
		}
		data, err := k.Read(name)
		if err != nil {
			return nil, err
		}
		var s Seal
		if err := records.Decode(name, 0, data, &s); err != nil {
			return nil, err
		}
		switch {
		case s.Format != SealFormat:
			return nil, records.Errorf(name, 0, "this version reads "+SealFormat, "format %q", s.Format)
		case s.Study != study:
			return nil, records.Errorf(name, 0, "a seal belongs to one study", "study %q", s.Study)
		case name != fmt.Sprintf("%s/seals/%d-%s.json", study, i+1, s.Stage):
			return nil, records.Errorf(name, 0, "a seal's file is named by its number and stage", "stage %q", s.Stage)
		case s.Previous != previous:
			return nil, records.Errorf(name, 0, "a seal was changed or left out: get the kit again", "names %q as the seal before it, which has the hash %q", s.Previous, previous)
		}
		for _, f := range s.Files {
			if have, ok := k.files[f.Path]; !ok || have != f {
				return nil, records.Errorf(name, 0, "get the kit again; until the study is frozen, `build reseal "+study+" --because TEXT` seals a change, and after that it is a new study", "%s is not what was sealed at stage %q", f.Path, s.Stage)
			}
		}
		previous = Hash(data)
		seals = append(seals, s)
	}
	return seals, nil
}

// Studies lists the folders of a kit that hold a study.json, ascending.
func Studies(fsys fs.FS) ([]string, error) {
	names, err := fs.Glob(fsys, "*/study.json")
	if err != nil {
		return nil, err
	}
	for i, n := range names {
		names[i] = path.Dir(n)
	}
	slices.Sort(names)
	return names, nil
}
