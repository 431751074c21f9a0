// Package engines builds the WebAssembly engine for tests and gives a host the kit's files.
package engines

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"retrace/cmd/native/hosts"
	"retrace/internal/wasmbuild"
)

// Build compiles the engine into a folder, from the project's root.
func Build(root, dir string) (hosts.Engine, error) {
	file := filepath.Join(dir, "engine.wasm")
	cmd := wasmbuild.Command(context.Background(), "./wasm", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return hosts.Engine{}, fmt.Errorf("engines: compiling ./wasm: %w\n%s", err, out)
	}
	return hosts.FindEngine(context.Background(), file)
}

// AddKit gives a host every file of a kit.
func AddKit(h hosts.Host, kit fs.FS) error {
	return fs.WalkDir(kit, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(kit, path)
		if err != nil {
			return err
		}
		return h.AddFile(context.Background(), path, data)
	})
}
