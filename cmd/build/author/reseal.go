package author

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"retrace/core/records"
)

// sealedHint is the one way on from a sealed study that has changed.
func sealedHint(id string) string {
	return "until it is frozen, `build reseal " + id + " --because TEXT` seals a change; after that, a changed study is a new one: " +
		"copy the folder without seals/ and frozen/ under another id"
}

// Reseal seals a study again that is not frozen yet. Where it is refused, everything is as before.
func Reseal(dir, id string, with Listing, out io.Writer) error {
	if strings.TrimSpace(with.Because) == "" {
		return records.Errorf(id, 0, "say what changed and why, for those who read the seal", "--because is empty")
	}
	folder := filepath.Join(dir, id)
	seals, err := os.ReadDir(filepath.Join(folder, "seals"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(seals) == 0 {
		return records.Errorf(id, 0, "run `build seal "+id+"`", "this study is not sealed")
	} else if err != nil {
		return err
	}
	for _, s := range seals {
		if strings.HasSuffix(s.Name(), "-frozen.json") {
			return records.Errorf(id, 0, "copy the folder without seals/ and frozen/ under another id",
				"this study is frozen: its test questions were scored, so a changed study is a new one")
		}
	}
	kept, err := nextFolder(filepath.Join(folder, "resealed"))
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(folder, "seals"), kept); err != nil {
		return err
	}
	if err := Seal(dir, id, with, out); err != nil {
		back := os.Rename(kept, filepath.Join(folder, "seals"))
		_ = os.Remove(filepath.Dir(kept)) // if nothing else is in it
		return errors.Join(err, back, WriteManifest(dir, id, Listing{}, io.Discard))
	}
	_, err = fmt.Fprintf(out, "the %d seals before are kept in %s\n", len(seals), kept)
	return err
}

// nextFolder makes a folder and returns the first of its numbered places that is free.
func nextFolder(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		place := filepath.Join(dir, fmt.Sprint(n))
		if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
			return place, nil
		} else if err != nil {
			return "", err
		}
	}
}
