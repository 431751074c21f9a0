package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/build/pack"
	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/study"
	bundled "retrace/kit"
)

// kitFlag adds the flag that chooses where studies come from.
func kitFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "kit", "", "a kit's root `FOLDER` instead of the bundled studies")
}

// open returns the file system that a study stands in, and the study's ID. The argument is an ID, or the path of an
// archive, whose every file is checked against its inventory, manifests and seals before it is used.
func open(dir, arg string) (fs.FS, string, error) {
	if strings.HasSuffix(arg, ".zip") || strings.HasSuffix(arg, ".tar.zst") {
		contents, err := pack.ReadFile(arg, archive.DefaultLimits())
		if err != nil {
			return nil, "", err
		}
		if err := contents.CheckKit(); err != nil {
			return nil, "", fmt.Errorf("%s: %w", arg, err)
		}
		return contents, contents.Study(), nil
	}
	if dir == "" {
		return bundled.FS, arg, nil
	}
	return os.DirFS(dir), arg, nil
}

// load opens and loads a study.
func load(dir, arg string) (*study.Study, error) {
	fsys, id, err := open(dir, arg)
	if err != nil {
		return nil, err
	}
	studies, err := kit.Studies(fsys)
	if err != nil {
		return nil, err
	}
	for _, s := range studies {
		if s == id {
			return study.Load(fsys, id)
		}
	}
	return nil, fmt.Errorf("no study %q: there are %s", id, strings.Join(studies, ", "))
}
