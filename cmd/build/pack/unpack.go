package pack

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"retrace/core/archive"
	"retrace/core/design"
	"retrace/core/records"
	"retrace/core/study"
)

// unpack writes contents into a new folder. They are written to a folder beside it, which is renamed at the end and removed
// on every other way out, a cancelled context included.
func unpack(ctx context.Context, c *archive.Contents, dir string, verify bool) (err error) {
	if err := mustNotExist(dir); err != nil {
		return err
	}
	// The folder itself is made inside the private one, so that it has the user's usual mode, not MkdirTemp's.
	private, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".unpack-*")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(private); err == nil {
			err = removed
		}
	}()
	written := filepath.Join(private, "new")
	if err := os.Mkdir(written, 0o777); err != nil {
		return err
	}
	if err := writeFiles(ctx, c.Files(), written); err != nil {
		return err
	}
	if verify {
		if err := checkWritten(ctx, c, os.DirFS(written)); err != nil {
			return err
		}
	}
	if err := cancelled(ctx); err != nil {
		return err
	}
	if err := mustNotExist(dir); err != nil {
		return err
	}
	return os.Rename(written, dir)
}

func cancelled(ctx context.Context) error {
	if ctx.Err() != nil {
		return errors.New("pack: interrupted; nothing was left behind")
	}
	return nil
}

func mustNotExist(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return records.Errorf(dir, 0, "name a folder that is not there yet", "exists already")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeFiles writes through an os.Root: the paths are checked already, and the system holds them to the folder once more.
func writeFiles(ctx context.Context, files []archive.File, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := cancelled(ctx); err != nil {
			return err
		}
		if err := root.MkdirAll(path.Dir(f.Path), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(f.Path, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// checkWritten compares what is on the disk with the archive, and the archive with the study's manifests and seals.
func checkWritten(ctx context.Context, c *archive.Contents, disk fs.FS) error {
	for _, f := range c.Files() {
		if err := cancelled(ctx); err != nil {
			return err
		}
		data, err := fs.ReadFile(disk, f.Path)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, f.Data) {
			return records.Errorf(f.Path, 0, "check the disk", "came back from the disk with other bytes")
		}
	}
	if err := c.CheckKit(); err != nil || c.Draft() {
		return err
	}
	return study.CheckSealed(design.All, c, c.Study())
}
