// Package pack holds the commands that make a study's sealed archive, as .zip and .tar.zst, and unpack one.
//
// What an archive holds and when it is refused is core/archive's; this package adds the second container and the disk.
package pack

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"retrace/core/archive"
	"retrace/core/author"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study"
)

// licences holds the texts of the bundled studies' licences, by SPDX identifier.
//
//go:embed licences
var licences embed.FS

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	var dir, output, published string
	var draft bool
	packCommand := &cobra.Command{
		Use:   "pack STUDY",
		Short: "Write a study's sealed archive, as STUDY.zip and STUDY.tar.zst",
		Long: `Writes a study with everything that it builds on, its seals and frozen results, licences, CITATION.cff, RO-Crate
metadata, a text for people who find it later, and an inventory with the size and SHA-256 of every file. Every file is
checked against the study's manifest and seals first, and every stage must be sealed. With --draft, a study that isn't is
packed as STUDY-draft.zip, and its inventory, metadata and first page say that it is a draft.

The zip's bytes depend on the files alone. Those of the .tar.zst depend also on the version of the compressor, which
go.mod fixes. Both have the same inventory, and its SHA-256 is printed. An archive that is there already is
never overwritten by another.`,
		Example: "  build pack r01 --output dist/archives\n  build pack mystudy --kit ./kits --output . --published 2026-11-30",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := Build(os.DirFS(dir), args[0], Options{Published: published, Draft: draft})
			if err != nil {
				return err
			}
			return p.write(output, c.OutOrStdout())
		},
	}
	packCommand.Flags().StringVar(&dir, "kit", "kit", "the kit's root folder")
	packCommand.Flags().StringVar(&output, "output", "", "folder to write to, made where it is missing (required)")
	packCommand.Flags().StringVar(&published, "published", "", "date of publication, YYYY-MM-DD, where study.json states none")
	packCommand.Flags().BoolVar(&draft, "draft", false, "pack a study whose stages are not all sealed, as a draft")
	if err := packCommand.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is defined above
	}

	var verify bool
	unpackCommand := &cobra.Command{
		Use:   "unpack ARCHIVE DIR",
		Short: "Check a sealed archive and unpack it into a new folder",
		Long: `Checks the whole archive (.zip, .tar, .tar.gz or .tar.zst, as its first bytes tell) against its inventory before anything is
written. A folder around everything and what Finder and Explorer leave in archives don't count. Then it is written beside
DIR and renames: DIR is there complete or not at all. With --verify, what was written is read back from the disk and
held against the archive, the study's manifests and its seals, of which none may be missing. A draft is called one.`,
		Example: "  build unpack --verify r01.zip r01-unpacked",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			contents, err := ReadFile(args[0], archive.DefaultLimits())
			if err != nil {
				return err
			}
			if err := unpack(ctx, contents, args[1], verify); err != nil {
				return err
			}
			if ignored := contents.Ignored(); len(ignored) > 0 {
				fmt.Fprintf(c.OutOrStdout(), "ignored, as no file of the study: %s\n", Shortened(ignored))
			}
			checked := "inventory"
			if verify {
				checked = "inventory, manifests and seals"
			}
			if contents.Draft() {
				fmt.Fprintf(c.OutOrStdout(), "DRAFT: when it was packed, not every stage of the study was sealed\n")
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: study %s, %d files, checked against %s\ninventory SHA-256 %s\n",
				args[1], contents.Study(), len(contents.Files()), checked, contents.Identity())
			return err
		},
	}
	unpackCommand.Flags().BoolVar(&verify, "verify", false, "also read everything back and check manifests and seals")
	return []*cobra.Command{packCommand, unpackCommand}
}

// Shortened is a list of names for a message, at most five of them.
func Shortened(names []string) string {
	quoted := make([]string, min(len(names), 5))
	for i := range quoted {
		quoted[i] = strconv.QuoteToASCII(names[i])
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - len(quoted); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Packed is a study's archive in both containers.
type Packed struct {
	Name     string // of both files, without their endings
	Identity string // SHA-256 of the inventory, the same in both
	Zip      []byte
	TarZst   []byte
}

// Options say how a study is packed.
type Options struct {
	Published string // date of publication, for a study whose study.json states none
	Draft     bool   // pack it as a draft: not every stage is sealed
}

// Build packs a study of a kit, with the folders that it requires, after checking them.
func Build(fsys fs.FS, id string, o Options) (*Packed, error) {
	name := id
	if o.Draft {
		name += "-draft"
	}
	switch err := study.CheckSealed(design.All, fsys, id); {
	case err != nil && !o.Draft:
		return nil, err
	case err == nil && o.Draft:
		return nil, records.Errorf(id+"/study.json", 0, "pack it without --draft", "every stage of the study is sealed: it is no draft")
	}
	meta, files, err := gather(fsys, id, o.Published)
	if err != nil {
		return nil, err
	}
	meta.Draft = o.Draft
	if files, err = archive.Assemble(meta, files); err != nil {
		return nil, err
	}
	p := &Packed{Name: name}
	if p.Zip, err = archive.Write(files); err != nil {
		return nil, err
	}
	if p.TarZst, err = encodeTarZst(files); err != nil {
		return nil, err
	}
	// Whoever gets them reads them under the same limits, so they are read here first.
	for _, data := range [][]byte{p.Zip, p.TarZst} {
		c, err := Read(data, archive.DefaultLimits())
		if err != nil {
			return nil, fmt.Errorf("pack: the archive of %s would be refused: %w", id, err)
		}
		p.Identity = c.Identity()
	}
	return p, nil
}

// LicenceText returns the text of a licence: its own copy of those of the bundled studies, or the kit's file
// LICENSES/<SPDX identifier>.txt, which a study under another licence brings.
func LicenceText(fsys fs.FS, spdx string) ([]byte, error) {
	text, err := fs.ReadFile(licences, "licences/"+spdx+".txt")
	if errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(fsys, archive.LicencePath(spdx))
	}
	return text, err
}

// MetaOf returns what study.json says to those who find an archive. published is the date where it states none; it must not
// be empty then.
func MetaOf(id string, data []byte, published string) (archive.Meta, error) {
	meta, name := archive.Meta{ID: id}, id+"/study.json"
	var words struct { // the rest of study.json is core/study's
		Title, Summary, Version, Provenance, Published string
		Authors                                        []author.Author
		Licence                                        struct{ Data, Code string }
	}
	if err := json.Unmarshal(data, &words); err != nil {
		return meta, records.Errorf(name, 0, "check the file as JSON", "%v", err)
	}
	if words.Published == "" {
		words.Published = published
	}
	if words.Published == "" {
		return meta, records.Errorf(name, 0,
			"give one as --published YYYY-MM-DD; no clock is read, so that every run gives the same bytes", "no date of publication")
	}
	meta.Title, meta.Authors, meta.Abstract = words.Title, words.Authors, words.Summary
	meta.Version, meta.Published = words.Version, words.Published
	meta.Provenance, meta.DataLicence, meta.CodeLicence = words.Provenance, words.Licence.Data, words.Licence.Code
	return meta, nil
}

// gather reads what the manifests list, and what study.json says of the study.
func gather(fsys fs.FS, id, published string) (archive.Meta, []archive.File, error) {
	meta := archive.Meta{ID: id}
	k, err := kit.Open(fsys, id)
	if err != nil {
		return meta, nil, err
	}
	if _, err := k.Seals(id); err != nil {
		return meta, nil, err
	}
	var files []archive.File
	add := func(name string, data []byte, err error) error {
		files = append(files, archive.File{Path: name, Data: data})
		return err
	}
	folders := map[string]bool{}
	for _, f := range k.Files() {
		if folder, _, _ := strings.Cut(f.Path, "/"); !folders[folder] {
			folders[folder] = true
			name := path.Join(folder, "manifest.json")
			data, err := fs.ReadFile(fsys, name)
			if err := add(name, data, err); err != nil {
				return meta, nil, err
			}
		}
		data, err := k.Read(f.Path)
		if err := add(f.Path, data, err); err != nil {
			return meta, nil, err
		}
		if err := wanted(k, f.Path, data); err != nil {
			return meta, nil, err
		}
	}

	name := id + "/study.json"
	data, err := k.Read(name)
	if err != nil {
		return meta, nil, err
	}
	if meta, err = MetaOf(id, data, published); err != nil {
		return meta, nil, err
	}
	have := map[string]bool{}
	for _, licence := range []string{meta.DataLicence, meta.CodeLicence} {
		name := archive.LicencePath(licence)
		if have[name] || archive.CheckPath(name) != nil { // Assemble refuses it with the study's words
			continue
		}
		have[name] = true
		text, err := LicenceText(fsys, licence)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Assemble says so
		}
		if err := add(name, text, err); err != nil {
			return meta, nil, err
		}
	}
	return meta, files, nil
}

// wanted refuses a file that no author would want in an archive, unless the manifest says that this one does.
func wanted(k *kit.Kit, name string, data []byte) error {
	why := kit.Unwanted(name)
	if why == "" && kit.HoldsKey(data) {
		why = "holds a private key"
	}
	if why == "" || k.Included(name) {
		return nil
	}
	folder, _, _ := strings.Cut(name, "/")
	return records.Errorf(name, 0,
		"`build manifest "+folder+"` leaves it out; `build manifest "+folder+" --include "+name+"` says that it is meant",
		"listed in the manifest, but not packed unless it is named there (%s)", why)
}

// write puts both archives into a folder, or neither where one is there with other bytes, and reports them.
func (p *Packed) write(dir string, out io.Writer) error {
	both := []archive.File{{Path: p.Name + ".zip", Data: p.Zip}, {Path: p.Name + ".tar.zst", Data: p.TarZst}}
	var missing []archive.File
	for _, f := range both {
		name := filepath.Join(dir, f.Path)
		have, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, archive.File{Path: name, Data: f.Data})
		case err != nil:
			return err
		case kit.Hash(have) != kit.Hash(f.Data):
			return records.Errorf(name, 0, "move it away, or give another --output", "is there with other bytes (SHA-256 %s, not %s)",
				kit.Hash(have), kit.Hash(f.Data))
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range missing {
		if err := writeWhole(f.Path, f.Data); err != nil {
			return err
		}
	}
	for _, f := range both {
		if _, err := fmt.Fprintf(out, "%-12s %9d bytes  SHA-256 %s\n", f.Path, len(f.Data), kit.Hash(f.Data)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%-12s %15s  SHA-256 %s\n", "inventory", "", p.Identity)
	return err
}

// writeWhole writes a file beside its name and renames it, so that a stopped run leaves no half of one under the name.
func writeWhole(name string, data []byte) error {
	t, err := os.CreateTemp(filepath.Dir(name), ".pack-*")
	if err != nil {
		return err
	}
	defer os.Remove(t.Name()) // after the rename there is nothing to remove
	_, err = t.Write(data)
	if err == nil {
		err = t.Chmod(0o644) // CreateTemp's is 0600, and an archive is to be published
	}
	if closed := t.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(t.Name(), name)
}
