// Package site builds the static site: engine, scripts, pages and kit, under names that say what is in them, with
// compressed variants and the headers that a host should send.
package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"retrace/cmd/build/page"
	"retrace/core/kit"
)

// Options say what to build, from where, to where.
type Options struct {
	Root    string   // of the project, with wasm/ and web/
	Out     string   // folder to write; an existing one is replaced if a build made it
	Kit     string   // folder of the studies
	Base    string   // path of the site on its host, such as / or /retrace/
	Studies []string // all where empty
	Entry   string   // script of web/src that pages load; main.ts where ""
	Cache   string   // folder for compressed variants by content; none where ""
}

// Built is what a build made.
type Built struct {
	Files     []BuiltFile // by path, without the compressed variants
	Inventory string      // SHA-256 of site.json, which stands for all files
	Notes     []string    // what the site lacks, and why
}

// BuiltFile is one file and its sizes.
type BuiltFile struct {
	Path   string         `json:"path"`
	SHA256 string         `json:"sha256"`
	Bytes  int            `json:"bytes"`
	Coded  map[string]int `json:"coded,omitempty"` // bytes by content coding, where a variant is worth having
}

// inventoryName is the list of all files; it also marks a folder as made by a build.
const inventoryName = "site.json"

// Build makes the site. Equal sources give equal files, whatever the folder.
func Build(o Options) (Built, error) {
	if err := CheckBase(o.Base); err != nil {
		return Built{}, err
	}
	files, notes, err := assemble(o)
	if err != nil {
		return Built{}, err
	}
	for name := range files {
		if _, ok := MediaType(name); !ok {
			return Built{}, fmt.Errorf("site: %s: no media type is known for this kind of file: add it to mediaTypes in "+
				"cmd/build/site/policy.go", name)
		}
	}
	built, all, err := compressAll(files, compressor{o.Cache})
	if err != nil {
		return Built{}, err
	}
	built.Notes = notes
	inventory, err := json.MarshalIndent(built.Files, "", " ")
	if err != nil {
		return Built{}, err
	}
	all[inventoryName] = append(inventory, '\n')
	sum := sha256.Sum256(all[inventoryName])
	built.Inventory = hex.EncodeToString(sum[:])
	return built, replace(o.Out, all)
}

// CheckBase returns an error unless base is a clean path with slashes at both ends.
func CheckBase(base string) error {
	if base == "/" || path.Clean("/"+base)+"/" == base && !strings.ContainsFunc(base, unsafeInBase) {
		return nil
	}
	return fmt.Errorf("site: base %q: want a path that starts and ends with a slash, such as /retrace/", base)
}

// unsafeInBase keeps out what would need escaping in one of the places where the base is written.
func unsafeInBase(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/-_.~", r))
}

// assemble makes every file of the site but its compressed variants.
func assemble(o Options) (files map[string][]byte, notes []string, err error) {
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	kitFiles, studies, err := readKit(os.DirFS(o.Kit), o.Studies)
	if err != nil {
		return nil, nil, err
	}
	engine, err := engines(root, kitFiles, studies, files)
	if err != nil {
		return nil, nil, err
	}

	b := bundler{root: root, files: files}
	if b.wasmExec, err = wasmExec(root); err != nil {
		return nil, nil, err
	}
	worker, err := b.worker()
	if err != nil {
		return nil, nil, err
	}
	engine.Worker = worker.script
	main, err := b.main(cmp.Or(o.Entry, "main.ts"), engine)
	if err != nil {
		return nil, nil, err
	}

	if err := publishKit(kitFiles, studies, files); err != nil {
		return nil, nil, err
	}
	archives, notes, err := publishArchives(kitFiles, studies, files)
	if err != nil {
		return nil, nil, err
	}

	if files[noticesName], err = notices(root,
		slices.Compact(slices.Sorted(slices.Values(slices.Concat(worker.packages, main.packages))))); err != nil {
		return nil, nil, err
	}
	pages, err := page.Render(page.Input{
		Base: o.Base, Policy: MetaPolicy(),
		Script: main.script, Style: main.style, Preload: main.preload, Engine: engine,
		Studies: studies, Kit: kit.Memory(kitFiles), Address: kitAddress(kitFiles), Archives: archives, Notices: noticesName,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("site: pages: %w", err)
	}
	for _, p := range pages {
		if _, taken := files[p.Path]; taken || !fs.ValidPath(p.Path) {
			return nil, nil, fmt.Errorf("site: pages: bad path %q: it leaves the site or is taken", p.Path)
		}
		files[p.Path] = p.Data
	}
	for _, need := range []string{"index.html", "404.html"} {
		if files[need] == nil {
			return nil, nil, fmt.Errorf("site: pages: no %s", need)
		}
	}
	files["_headers"] = headersFile(o.Base)
	return files, notes, nil
}

// compressAll adds the compressed variants of files and lists the files with their sizes.
func compressAll(files map[string][]byte, c compressor) (Built, map[string][]byte, error) {
	names := sortedKeys(files)
	coded := make([][][]byte, len(names))
	var jobs errgroup.Group
	jobs.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		coded[i] = make([][]byte, len(variants))
		if !compressible(name) {
			continue
		}
		for j, v := range variants {
			if path.Ext(name) == ".zip" {
				v.compress = v.archive
			}
			if v.compress == nil {
				continue
			}
			jobs.Go(func() error {
				data, err := c.variant(v, files[name])
				if err != nil {
					return fmt.Errorf("site: compressing %s: %w", name, err)
				}
				coded[i][j] = data
				return nil
			})
		}
	}
	if err := jobs.Wait(); err != nil {
		return Built{}, nil, err
	}
	built, all := Built{}, maps.Clone(files)
	for i, name := range names {
		sum := sha256.Sum256(files[name])
		file := BuiltFile{Path: name, SHA256: hex.EncodeToString(sum[:]), Bytes: len(files[name])}
		for j, v := range variants {
			if data := coded[i][j]; data != nil && worthwhile(file.Bytes, len(data)) {
				if file.Coded == nil {
					file.Coded = map[string]int{}
				}
				file.Coded[v.coding] = len(data)
				all[name+v.suffix] = data
			}
		}
		built.Files = append(built.Files, file)
	}
	return built, all, nil
}

// compressible leaves out what is compressed already, what gains too little (vectors), and what hosts read themselves. A
// study's .zip holds its files stored, so it gains by a third.
func compressible(name string) bool {
	switch path.Ext(name) {
	case ".f32", ".gz", ".png", ".woff2", ".zst":
		return false
	}
	return name != "_headers"
}

// replace writes files into a new folder beside out and puts it in out's place, so that a failed build changes nothing.
// A folder that no build made is left alone.
func replace(out string, files map[string][]byte) error {
	out = filepath.Clean(out)
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("site: %w", err)
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == inventoryName }) {
		return fmt.Errorf("site: %s holds files but no %s, so no build made it: choose another folder with --out, or empty it", out,
			inventoryName)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(out), ".site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	for _, name := range sortedKeys(files) {
		target := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, files[name], 0o644); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(fresh, out)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
