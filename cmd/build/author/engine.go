package author

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"retrace/core/kit"
	"retrace/core/study"
)

// An EngineSeal is what the seal of an engine holds: the engine's source files and tests. A file's path starts at the
// module's root; SHA256 is that of the lines "hash  path\n" in order, which `sha256sum` prints and checks.
type EngineSeal struct {
	Package string     `json:"package"` // the listed files are its own, and those of what it imports inside the module
	Go      string     `json:"go"`
	SHA256  string     `json:"sha256"`
	Files   []kit.File `json:"files"` // ascending path
}

// Engine seals the hashes of the engine's source and tests.
func Engine(dir, id, module string, out io.Writer) error {
	s, seal, name, err := next(dir, id, study.SealEngine)
	if err != nil {
		return err
	}
	engine, err := describeEngine(os.DirFS(module), "core/study")
	if err != nil {
		return err
	}
	if seal.Lock, err = json.Marshal(engine); err != nil {
		return err
	}
	if err := writeJSON(name, seal); err != nil {
		return err
	}
	fmt.Fprintf(out, "sealed %d engine files for %s: %s\n", len(engine.Files), s.Protocol.ID, engine.SHA256)
	return WriteManifest(dir, id, Listing{}, out)
}

// describeEngine lists the files of a package of the module, and of every package of the module that it or its tests
// import.
func describeEngine(module fs.FS, pkg string) (*EngineSeal, error) {
	name, err := moduleName(module)
	if err != nil {
		return nil, err
	}
	out := &EngineSeal{Package: pkg, Go: runtime.Version()}
	seen := map[string]bool{}
	for queue := []string{pkg}; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		err := fs.WalkDir(module, folder, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != folder && path.Base(p) != "testdata" && !strings.Contains(p, "/testdata/"):
				return fs.SkipDir // another package
			case d.IsDir() || strings.HasPrefix(path.Base(p), "."):
				return nil
			}
			data, err := fs.ReadFile(module, p)
			if err != nil {
				return err
			}
			out.Files = append(out.Files, kit.Describe(p, data))
			if path.Ext(p) != ".go" || path.Dir(p) != folder {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), p, data, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range f.Imports {
				imported, _ := strconv.Unquote(i.Path.Value)
				if inside, ok := strings.CutPrefix(imported, name+"/"); ok {
					queue = append(queue, inside)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out.Files, func(a, b kit.File) int { return strings.Compare(a.Path, b.Path) })
	var list strings.Builder
	for _, f := range out.Files {
		fmt.Fprintf(&list, "%s  %s\n", f.SHA256, f.Path)
	}
	out.SHA256 = kit.Hash([]byte(list.String()))
	return out, nil
}

func moduleName(module fs.FS) (string, error) {
	data, err := fs.ReadFile(module, "go.mod")
	if err != nil {
		return "", fmt.Errorf("engine: %w: name the folder of the engine's source with --source", err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), "module ")
	if !ok {
		return "", fmt.Errorf("engine: go.mod: the first line must name the module")
	}
	return strings.TrimSpace(name), nil
}
