package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"retrace/core/kit"
)

// kitFile is one entry of kit/index.json, which web/src/engine/client.ts reads as KitFile.
type kitFile struct {
	Path   string `json:"path"`   // in the kit
	URL    string `json:"url"`    // relative to kit/index.json, content-addressed
	SHA256 string `json:"sha256"` // hex
	Bytes  int    `json:"bytes"`
}

// kitIndex is kit/index.json: small and always fetched afresh, it leads to files that never change.
type kitIndex struct {
	Format  int        `json:"format"`  // 1; another number when readers of 1 would misread it
	Studies []kitStudy `json:"studies"` // by ID
	Files   []kitFile  `json:"files"`   // by path
}

// kitStudy says which folders of the kit a study needs: its own and those that its manifest requires, the needed first.
type kitStudy struct {
	ID      string   `json:"id"`
	Folders []string `json:"folders"`
}

// foldersOf follows the manifests' requires from a study's folder.
func foldersOf(files map[string][]byte, study string) ([]string, error) {
	var order []string
	var visit func(folder string, above []string) error
	visit = func(folder string, above []string) error {
		if slices.Contains(above, folder) {
			return fmt.Errorf("site: %s/manifest.json: requires itself by way of %v", folder, above)
		}
		if slices.Contains(order, folder) {
			return nil
		}
		data, ok := files[folder+"/manifest.json"]
		if !ok {
			return fmt.Errorf("site: kit: %s has no manifest.json", folder)
		}
		var manifest struct{ Requires []string }
		if err := json.Unmarshal(data, &manifest); err != nil {
			return fmt.Errorf("site: %s/manifest.json: %w", folder, err)
		}
		for _, needed := range manifest.Requires {
			if err := visit(needed, append(above, folder)); err != nil {
				return err
			}
		}
		order = append(order, folder)
		return nil
	}
	return order, visit(study, nil)
}

// readKit reads the kit's files that are published: what the manifests of the studies and of the folders that they require
// list, those manifests, and texts of licences. Nothing else in a folder is: it may hold what its author keeps there. Folders
// with a study.json are studies, of which only those named are taken, all where none is named.
func readKit(fsys fs.FS, only []string) (files map[string][]byte, studies []string, err error) {
	all, err := kit.Studies(fsys)
	if err != nil {
		return nil, nil, fmt.Errorf("site: reading the kit: %w", err)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("site: reading the kit: no folder in it has a study.json: name the kit with --kit FOLDER")
	}
	for _, want := range only {
		if !slices.Contains(all, want) {
			return nil, nil, fmt.Errorf("site: no study %q in the kit: want a folder with a study.json", want)
		}
	}
	licences, err := fs.Glob(fsys, "LICENSES/*.txt")
	if err != nil {
		return nil, nil, err
	}
	names := slices.DeleteFunc(licences, func(name string) bool { return kit.Unwanted(name) != "" })
	for _, study := range all {
		if len(only) > 0 && !slices.Contains(only, study) {
			continue
		}
		studies = append(studies, study)
		k, err := kit.Open(fsys, study)
		if err != nil {
			return nil, nil, fmt.Errorf("site: reading the kit: %w", err)
		}
		for _, f := range slices.Concat(k.Manifests(), k.Files()) {
			names = append(names, f.Path)
		}
	}
	files = map[string][]byte{}
	for _, name := range names {
		if _, have := files[name]; have {
			continue
		}
		if files[name], err = fs.ReadFile(fsys, name); err != nil {
			return nil, nil, fmt.Errorf("site: reading the kit: %w", err)
		}
	}
	return files, studies, nil
}

// kitAddress says where a kit file is published, below the site's root; "" for a file that is not.
func kitAddress(files map[string][]byte) func(string) string {
	return func(name string) string {
		data, ok := files[name]
		if !ok {
			return ""
		}
		return addressed(KitFilesDir, name, data)
	}
}

// publishKit puts the kit's files under content-addressed names into out, with their index.
func publishKit(files map[string][]byte, studies []string, out map[string][]byte) error {
	index := kitIndex{Format: 1, Studies: []kitStudy{}, Files: []kitFile{}}
	for _, study := range studies {
		folders, err := foldersOf(files, study)
		if err != nil {
			return err
		}
		index.Studies = append(index.Studies, kitStudy{study, folders})
	}
	for _, name := range sortedKeys(files) {
		data := files[name]
		sum := sha256.Sum256(data)
		address := addressed(KitFilesDir, name, data)
		out[address] = data
		index.Files = append(index.Files, kitFile{
			Path:   name,
			URL:    strings.TrimPrefix(address, "kit/"),
			SHA256: hex.EncodeToString(sum[:]),
			Bytes:  len(data),
		})
	}
	data, err := json.MarshalIndent(index, "", " ")
	out["kit/index.json"] = append(data, '\n')
	return err
}
