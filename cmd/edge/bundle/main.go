// Command bundle makes the edge's deployable folder from the built site: the Go program as WebAssembly, the shim, a table
// of the site's files, the store of assets, and the configuration for wrangler and miniflare.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"retrace/cmd/build/site"
	"retrace/cmd/edge/api"
	"retrace/internal/wasmbuild"
)

func main() {
	from := flag.String("site", "dist", "`FOLDER` of the built site")
	out := flag.String("out", filepath.Join(".cache", "edge"), "`FOLDER` to write; an earlier one is replaced")
	flag.Parse()
	if err := bundle(*from, *out); err != nil {
		fmt.Fprintln(os.Stderr, "edge: "+err.Error())
		os.Exit(1)
	}
}

// file is what the shim knows of one file of the site.
type file struct {
	Type    string   `json:"type"`
	SHA256  string   `json:"sha256"`
	Bytes   int      `json:"bytes"`
	Headers int      `json:"headers"` // place in the list of header sets
	Codings [][3]any `json:"codings"` // content coding, suffix and bytes, the one to prefer first
}

// codings are those that workers pass on unchanged.
var codings = []string{"br", "gzip"}

func bundle(from, out string) error {
	fresh, err := os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".edge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	worker, assets := filepath.Join(fresh, "worker"), filepath.Join(fresh, "assets")
	for _, dir := range []string{worker, assets} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := shim(worker); err != nil {
		return err
	}
	if err := table(from, worker, assets); err != nil {
		return err
	}
	if err := copyFile(filepath.Join("cmd", "edge", "wrangler.json"), filepath.Join(fresh, "wrangler.json")); err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(fresh, out)
}

// shim puts the program and the scripts that run it into a folder.
func shim(to string) error {
	cmd := wasmbuild.Command(context.Background(), "./cmd/edge", filepath.Join(to, "edge.wasm"))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compiling ./cmd/edge: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	scripts, err := filepath.Glob(filepath.Join("cmd", "edge", "worker", "*.mjs"))
	if err != nil {
		return err
	}
	for _, script := range scripts {
		if err := copyFile(script, filepath.Join(to, filepath.Base(script))); err != nil {
			return err
		}
	}
	// The script that starts a Go program must be the one of the Go that compiled it. Hosts tell modules by ".mjs".
	return copyFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"), filepath.Join(to, "wasm_exec.mjs"))
}

// table copies the site's files into the store of assets and writes what the shim and the program need to know of them.
func table(from, worker, assets string) error {
	var built []site.BuiltFile
	if err := readJSON(filepath.Join(from, "site.json"), &built); err != nil {
		return fmt.Errorf("%w: build the site first (make site)", err)
	}
	suffixes := map[string]string{}
	for coding, suffix := range site.Variants {
		suffixes[coding] = suffix
	}
	files, sets, places := map[string]file{}, []map[string]string{}, map[string]int{}
	for _, b := range built {
		if b.Path == "_headers" { // for hosts that serve the folder themselves
			continue
		}
		mediaType, ok := site.MediaType(b.Path)
		if !ok {
			return fmt.Errorf("%s: no media type", b.Path)
		}
		key, set := fmt.Sprint(site.Headers(b.Path)), map[string]string{}
		if _, ok := places[key]; !ok {
			for _, h := range site.Headers(b.Path) {
				set[h.Name] = h.Value
			}
			places[key] = len(sets)
			sets = append(sets, set)
		}
		f := file{mediaType, b.SHA256, b.Bytes, places[key], [][3]any{}}
		names := []string{b.Path}
		for _, coding := range codings {
			if size, ok := b.Coded[coding]; ok {
				f.Codings = append(f.Codings, [3]any{coding, suffixes[coding], size})
				names = append(names, b.Path+suffixes[coding])
			}
		}
		files[b.Path] = f
		for _, name := range names {
			if err := copyFile(filepath.Join(from, filepath.FromSlash(name)), filepath.Join(assets, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	kit, urls, err := kitOf(filepath.Join(from, "kit", "index.json"))
	if err != nil {
		return err
	}
	var script bytes.Buffer
	script.WriteString("// Made by cmd/edge/bundle: the files of the site and of its kit.\n")
	for _, part := range []struct {
		name  string
		value any
	}{{"base", "/"}, {"headers", sets}, {"files", files}, {"kit", kit}, {"urls", urls}} {
		data, err := json.Marshal(part.value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&script, "export const %s = %s;\n", part.name, data)
	}
	return os.WriteFile(filepath.Join(worker, "site.mjs"), script.Bytes(), 0o644)
}

// kitOf reads the site's index of kit files: which the program may ask for, and where they are.
func kitOf(name string) (kit api.Kit, urls map[string]string, err error) {
	var index struct {
		Studies []struct {
			ID      string
			Folders []string
		}
		Files []struct{ Path, URL string }
	}
	if err := readJSON(name, &index); err != nil {
		return kit, nil, err
	}
	kit.Studies, kit.Left, urls = []api.Study{}, []string{}, map[string]string{}
	for _, f := range index.Files {
		if left(f.Path) {
			kit.Left = append(kit.Left, f.Path)
		} else {
			urls[f.Path] = "kit/" + f.URL
		}
	}
	for _, s := range index.Studies {
		study := api.Study{ID: s.ID, Files: []string{}}
		for _, f := range index.Files {
			folder, _, _ := strings.Cut(f.Path, "/")
			if slices.Contains(s.Folders, folder) && !left(f.Path) {
				study.Files = append(study.Files, f.Path)
			}
		}
		kit.Studies = append(kit.Studies, study)
	}
	return kit, urls, nil
}

// left says which files the edge leaves out: vectors, and observations, which only a full replay compares.
func left(name string) bool {
	return path.Ext(name) == ".f32" || strings.Contains(name, "/frozen/observations") && path.Ext(name) == ".jsonl"
}

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

// copyFile copies a file into a folder that it makes where needed.
func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: build the site first (make site)", err)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
