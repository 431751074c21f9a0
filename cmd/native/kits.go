package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/build/pack"
	"retrace/core/archive"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/internal/lanes"
	bundled "retrace/kit"
)

// kitFlag adds the flag that chooses where studies come from.
func kitFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "kit", "", "a kit's root `FOLDER` instead of the bundled studies")
}

// open returns the file system that a study stands in, and the study's ID. The argument is an ID, or the path of an
// archive, whose every file is checked against its inventory, manifests and seals before it is used.
func open(dir, arg string) (fs.FS, string, error) {
	if strings.ContainsAny(arg, `./\`) { // no study's ID has one of them
		contents, err := pack.ReadFile(arg, archive.DefaultLimits())
		if err != nil {
			return nil, "", err
		}
		if ignored := contents.Ignored(); len(ignored) > 0 {
			fmt.Fprintf(os.Stderr, "native: note: ignored, as no file of the study: %s\n", pack.Shortened(ignored))
		}
		if err := contents.CheckKit(); err != nil {
			return nil, "", fmt.Errorf("%s: %w", arg, err)
		}
		if contents.Draft() {
			fmt.Fprintf(os.Stderr, "native: note: %s is a draft: when it was packed, not every stage of the study was sealed\n", arg)
		} else if err := study.CheckSealed(design.All, contents, contents.Study()); err != nil {
			return nil, "", fmt.Errorf("%s: %w", arg, err)
		}
		return contents, contents.Study(), nil
	}
	if dir == "" {
		return bundled.FS, arg, nil
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("--kit %s: there is no such folder", dir)
	case err != nil:
		return nil, "", err
	case !info.IsDir():
		return nil, "", fmt.Errorf("--kit %s is no folder: name an archive in the study's place, without --kit", dir)
	}
	return os.DirFS(dir), arg, nil
}

// load opens and loads a study.
func load(dir, arg string) (*study.Study, error) { return loadGiven(dir, arg, "") }

// loadGiven is load with a file that the study withholds, or a folder of such files; given is empty where there is none.
func loadGiven(dir, arg, given string) (*study.Study, error) {
	fsys, id, err := open(dir, arg)
	if err != nil {
		return nil, err
	}
	studies, err := studiesOf(fsys, dir)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(studies, id) {
		return nil, fmt.Errorf("no study %q: there are %s", id, strings.Join(studies, ", "))
	}
	if fsys, err = withGiven(fsys, id, given); err != nil {
		return nil, err
	}
	s, err := design.Load(fsys, id)
	if err == nil {
		s.Spread = lanes.Spread()
	}
	return s, err
}

// studiesOf lists the studies of a kit, of which there must be one; dir is what --kit named.
func studiesOf(fsys fs.FS, dir string) ([]string, error) {
	studies, err := kit.Studies(fsys)
	if err == nil && len(studies) == 0 {
		err = fmt.Errorf("--kit %s: the folder has no studies: name the one whose folders have a study.json", dir)
	}
	return studies, err
}

// defaultStudy is the study of a kit that is meant where none is named: the usual one, else the only one.
func defaultStudy(fsys fs.FS, dir, usual string) (string, error) {
	studies, err := studiesOf(fsys, dir)
	switch {
	case err != nil:
		return "", err
	case slices.Contains(studies, usual):
		return usual, nil
	case len(studies) == 1:
		return studies[0], nil
	}
	return "", fmt.Errorf("--kit %s has no %s: name one with --study: %s", dir, usual, strings.Join(studies, ", "))
}
