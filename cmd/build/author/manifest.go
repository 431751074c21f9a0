package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/records"
)

// A Listing says what a manifest is to hold beyond a folder's usual files. What an existing manifest has stays where nothing
// is given here.
type Listing struct {
	Requires []string // folders that this one builds on
	Include  []string // files that are kit.Unwanted and wanted, by their paths from the kit's root
	Because  string   // why a study is sealed again
}

// WriteManifest lists the files of a folder, but for the manifest itself, and says to out what it leaves out.
func WriteManifest(dir, folder string, with Listing, out io.Writer) error {
	m, left, err := list(dir, folder, with)
	if err != nil {
		return err
	}
	say(left, out)
	return writeJSON(filepath.Join(dir, folder, "manifest.json"), m)
}

// leftOut is a file, or a folder with a slash at its end, that a manifest does not list.
type leftOut struct{ name, why string }

// withheldWhy is why a file is left out that study.json withholds: nothing lists it.
const withheldWhy = "withheld"

// say names what is left out.
func say(left []leftOut, out io.Writer) {
	for _, l := range left {
		if l.why == withheldWhy {
			fmt.Fprintf(out, "note: left out %s, which study.json withholds: it is neither packed nor published\n", l.name)
			continue
		}
		fmt.Fprintf(out, "note: left out %s (%s); --include %s lists it\n", l.name, l.why, l.name)
	}
}

// list makes a folder's manifest.
func list(dir, folder string, with Listing) (kit.Manifest, []leftOut, error) {
	m := kit.Manifest{Format: kit.ManifestFormat, Folder: folder, Requires: with.Requires, Include: with.Include, Files: []kit.File{}}
	held := heldManifest(dir, folder)
	if len(with.Requires) == 0 {
		m.Requires = held.Requires
	}
	if len(with.Include) == 0 {
		m.Include = held.Include
	}
	if m.Requires == nil {
		m.Requires = []string{}
	}
	slices.Sort(m.Include)
	withheld := withheldBy(dir, folder)
	var left []leftOut
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(dir, folder), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if withheld[name] {
			left = append(left, leftOut{name, withheldWhy})
			return nil
		}
		named := slices.Contains(m.Include, name)
		found[name] = named
		if why := kit.Unwanted(name); why != "" && !named && !(d.IsDir() && leadsTo(name, m.Include)) {
			if d.IsDir() {
				left = append(left, leftOut{name + "/", why})
				return fs.SkipDir
			}
			left = append(left, leftOut{name, why})
			return nil
		}
		if d.IsDir() || name == folder+"/manifest.json" {
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: a kit holds plain files only: put a copy in its place, or remove it", p)
		}
		data, err := readFile(p, name)
		if err != nil {
			return err
		}
		if kit.HoldsKey(data) && !named {
			left = append(left, leftOut{name, "holds a private key"})
			return nil
		}
		m.Files = append(m.Files, kit.Describe(name, data))
		return nil
	})
	if err != nil {
		return m, nil, err
	}
	gone := func(name string) bool { return !found[name] }
	if len(with.Include) == 0 {
		m.Include = slices.DeleteFunc(m.Include, gone) // removed since they were named
	}
	for _, name := range m.Include {
		if gone(name) {
			return m, nil, records.Errorf(name, 0, "give its path from the kit's root, as in "+folder+"/.zenodo.json",
				"--include names no file of %s/", folder)
		}
	}
	slices.SortFunc(m.Files, func(a, b kit.File) int { return strings.Compare(a.Path, b.Path) })
	return m, left, checkNames(m)
}

// withheldBy returns the paths that a folder's study withholds; none where there is no study that can be read, which is said when
// it is loaded.
func withheldBy(dir, folder string) map[string]bool {
	var p struct {
		Withheld map[string]json.RawMessage `json:"withheld"`
	}
	data, err := os.ReadFile(filepath.Join(dir, folder, "study.json"))
	if err != nil || json.Unmarshal(data, &p) != nil {
		return nil
	}
	paths := map[string]bool{}
	for name := range p.Withheld {
		paths[name] = true
	}
	return paths
}

// leadsTo reports whether one of the files stands in a folder.
func leadsTo(folder string, files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool { return strings.HasPrefix(name, folder+"/") })
}

// readFile reads a file that is not larger than a kit's may be.
func readFile(p, name string) ([]byte, error) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, err
	}
	if info.Size() > kit.MaxFile {
		return nil, records.Errorf(name, 0, "split the file, or move it out of the folder",
			"has %d bytes, and a kit's files have at most %d", info.Size(), int64(kit.MaxFile))
	}
	return os.ReadFile(p)
}

// checkNames refuses what no archive could hold, while names can still be changed: nothing is sealed by them yet.
func checkNames(m kit.Manifest) error {
	names := []string{path.Join(m.Folder, "manifest.json")}
	for _, f := range m.Files {
		names = append(names, f.Path)
	}
	err := archive.CheckNames(names)
	var refused *archive.Error
	if errors.As(err, &refused) {
		what := string(refused.Reason)
		if refused.Detail != "" {
			what += " (" + refused.Detail + ")"
		}
		return records.Errorf(refused.Path, 0,
			"rename it before it is sealed: letters, digits and . _ - + = , @ ( ), at most "+
				fmt.Sprint(archive.MaxPath)+" bytes with its folders", "%s", what)
	}
	return err
}

// heldManifest returns the manifest that a folder has, an empty one where there is none that can be read.
func heldManifest(dir, folder string) (m kit.Manifest) {
	data, err := os.ReadFile(filepath.Join(dir, folder, "manifest.json"))
	if err != nil || json.Unmarshal(data, &m) != nil {
		return kit.Manifest{}
	}
	return m
}

// manifestCommand writes a folder's manifest and says what it lists.
func manifestCommand(dir, folder string, with Listing, out io.Writer) error {
	if err := WriteManifest(dir, folder, with, out); err != nil {
		return err
	}
	m := heldManifest(dir, folder)
	var size int64
	for _, f := range m.Files {
		size += f.Bytes
	}
	rests := "requires nothing"
	if len(m.Requires) > 0 {
		rests = "requires " + strings.Join(m.Requires, ", ")
	}
	_, err := fmt.Fprintf(out, "wrote %s: %d files, %d bytes; %s\n", filepath.Join(dir, folder, "manifest.json"), len(m.Files), size, rests)
	return err
}
