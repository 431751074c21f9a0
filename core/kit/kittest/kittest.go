// Package kittest makes drafts of bundled studies for tests.
package kittest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"retrace/core/kit"
	"strings"
	"testing"
)

// Draft returns a folder of the kit at root as an unsealed study, with edits to its files, and any other folder that it
// requires; every manifest is written anew.
func Draft(t *testing.T, root, id string, requires []string, edit map[string]func(string) string) kit.Memory {
	t.Helper()
	m := kit.Memory{}
	for _, folder := range append([]string{id}, requires...) {
		manifest := kit.Manifest{Format: kit.ManifestFormat, Folder: folder, Requires: []string{}}
		if folder == id {
			manifest.Requires = requires
		}
		err := fs.WalkDir(os.DirFS(root), folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Base(p) == "manifest.json" || strings.Contains(p, "/seals/") || strings.Contains(p, "/frozen/") {
				return err
			}
			data, err := os.ReadFile(root + "/" + p)
			if e := edit[p]; e != nil {
				data = []byte(e(string(data)))
			}
			m[p] = data
			manifest.Files = append(manifest.Files, kit.Describe(p, data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		m[folder+"/manifest.json"] = data
	}
	return m
}
