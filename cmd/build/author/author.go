// Package author holds the commands that draw, seal, lock and freeze a study's kit.
package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/build/pack"
	"retrace/core/archive"
	"retrace/core/author"
	"retrace/core/design"
	"retrace/core/design/knownitem"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study"
)

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	var dir string
	var with Listing
	list := func(c *cobra.Command, what string) *cobra.Command {
		c.Flags().StringSliceVar(&with.Requires, "requires", nil, "folders that "+what+" builds on")
		c.Flags().StringSliceVar(&with.Include, "include", nil,
			"`FILE` to list though it is hidden, a cache, a backup or may be a secret: its path from the kit's root")
		return c
	}
	add := func(c *cobra.Command) *cobra.Command {
		c.Flags().StringVar(&dir, "kit", "kit", "the kit's root folder")
		return c
	}
	manifest := list(add(&cobra.Command{
		Use:   "manifest FOLDER",
		Short: "List a folder's files with sizes and hashes in its manifest.json",
		Long: `Writes manifest.json of a folder that holds a shared collection. Folders that it required stay required unless others
are named. Hidden files and folders (.git, .env), caches, editors' backups, what systems leave behind (.DS_Store, Thumbs.db)
and what may be a secret (*.pem, credentials) are left out, and the output says so; --include names one to list it all the
same. Names that an archive can't hold are refused here, where they can still be changed. Nothing else in the folder is touched.`,
		Example: "  build manifest concepts\n  build manifest r01 --requires concepts\n  build manifest concepts --include " +
			"concepts/.zenodo.json",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return manifestCommand(dir, args[0], with, c.OutOrStdout())
		},
	}), "this one")
	seal := list(add(&cobra.Command{
		Use:   "seal STUDY",
		Short: "Fix a study's data and protocol (first seal)",
		Long: `Checks the study as build check does, writes its manifest and the first seal: the hashes of the protocol and of every file
that it names. No result is computed. A kit that is sealed already is left as it is.`,
		Example: "  build seal r01\n  build seal mystudy --kit ./kits --requires mycollection",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return Seal(dir, args[0], with, c.OutOrStdout())
		},
	}), "the study")
	check := list(add(&cobra.Command{
		Use:   "check STUDY",
		Short: "Say what seal, freeze and pack would refuse, and write nothing",
		Long: `Loads a study as seal does, draws its sample again, runs every method on three questions of the development or first split,
and checks names, sizes, licences and what archives say. Questions are shown beside the documents that they were written for,
with a warning where the two share no word. Nothing is written, and no score is shown.

Exit codes: 0 the study can be sealed, 1 it can't.`,
		Example: "  build check mystudy --kit ./kits --requires mycollection",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return Check(dir, args[0], with, c.OutOrStdout())
		},
	}), "the study")
	reseal := list(add(&cobra.Command{
		Use:   "reseal STUDY --because TEXT",
		Short: "Seal a study that was sealed before anew, with the reason, as long as it isn't frozen",
		Long: `Moves the study's seals to resealed/ and seals it again as build seal does. The new seal holds the reason, and the old seals
among the files that it fixes, so that what was sealed when stays to be seen. What a lock chose is to be chosen again.
A frozen study can't be sealed again: its test questions were scored, so a change makes a new study.`,
		Example: "  build reseal mystudy --kit ./kits --because 'two questions named their targets'",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return Reseal(dir, args[0], with, c.OutOrStdout())
		},
	}), "the study")
	reseal.Flags().StringVar(&with.Because, "because", "", "why (required)")
	if err := reseal.MarkFlagRequired("because"); err != nil {
		panic(err) // the flag is defined above
	}
	draw := list(add(&cobra.Command{
		Use:   "draw STUDY",
		Short: "Draw a known-item study's targets and split from its seed",
		Long: `Writes the file that study.json names under knownItem.targets: the sample rule and the seed say which documents are
targets, and which families are development. Questions need not be there yet. A file that is there is never overwritten.
For whoever writes the questions, the output shows each target's title and the beginning of its text.`,
		Example: "  build draw mystudy --kit ./kits --requires mycollection",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return Draw(dir, args[0], with, c.OutOrStdout())
		},
	}), "the study")
	var source string
	engine := add(&cobra.Command{
		Use:   "engine STUDY",
		Short: "Fix the engine's source and tests (second seal of a study with splits)",
		Long: `Writes the hashes of the engine's source files and tests to a seal. In a study whose splits are evaluated one after the
other, only the first may be evaluated before. A seal is never overwritten.`,
		Example: "  build engine first-baseline",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return Engine(dir, args[0], source, c.OutOrStdout())
		},
	})
	engine.Flags().StringVar(&source, "source", ".", "the folder with the engine's go.mod")
	return []*cobra.Command{manifest, draw, check, seal, reseal,
		add(&cobra.Command{
			Use:   "lock STUDY",
			Short: "Run the development stage and write its choice (second seal)",
			Long: "Scores the development questions only, chooses by the protocol's rule, and writes the choice to a seal. A lock is " +
				"never overwritten.",
			Example: "  build lock r01",
			Args:    cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				return Lock(dir, args[0], c.OutOrStdout())
			},
		}),
		engine,
		add(&cobra.Command{
			Use:   "freeze STUDY",
			Short: "Run the study and freeze results and observations (third seal)",
			Long: "Needs the seal before it. Writes results and observations to frozen/ and seals their hashes. Nothing frozen is " +
				"ever overwritten.",
			Example: "  build freeze r01",
			Args:    cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				return Freeze(dir, args[0], c.OutOrStdout())
			},
		}),
	}
}

// writeJSON writes indented JSON, in one step.
func writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(name, append(data, '\n'))
}

// writeFile writes a file beside its place and renames it, so that a stop leaves no half-written file.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	part := name + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	return os.Rename(part, name)
}

// Draw writes the targets of a known-item study.
func Draw(dir, id string, with Listing, out io.Writer) error {
	if err := WriteManifest(dir, id, with, out); err != nil {
		return err
	}
	place, data, err := knownitem.Targets(design.All, os.DirFS(dir), id)
	if err != nil {
		return err
	}
	if !fs.ValidPath(place) || !strings.HasPrefix(place, id+"/") {
		return records.Errorf(id+"/study.json", 0, "let knownItem.targets name a file of "+id+"/",
			"targets %q are outside the study's folder", place)
	}
	name := filepath.Join(dir, filepath.FromSlash(place))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return records.Errorf(place, 0, "`build seal` says whether it is what the seed draws; move it away to draw again",
			"exists and is never overwritten")
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "drew %d families: %s\n", strings.Count(string(data), "\n")-1, name)
	if err := writeTitles(dir, id, data, out); err != nil {
		return err
	}
	return WriteManifest(dir, id, Listing{}, io.Discard) // what it leaves out is said above
}

// checkWords checks what people will look for and no computation needs: the protocol in words, notes, licences.
func checkWords(fsys fs.FS, s *study.Study, out io.Writer) error {
	p := s.Protocol
	file := p.ID + "/study.json"
	for _, f := range []struct{ field, name string }{{"document", p.Document}, {"notes", p.Notes}} {
		if f.name == "" && f.field == "notes" {
			continue
		}
		if !s.Kit.Has(f.name) {
			return records.Errorf(file, 0, "write it, in Markdown, or correct the path, which starts at the kit's root",
				"%s names %q, and there is no such file", f.field, f.name)
		}
	}
	for _, l := range []struct{ field, spdx string }{{"data", p.Licence.Data}, {"code", p.Licence.Code}} {
		name := archive.LicencePath(l.spdx)
		if archive.CheckPath(name) != nil || strings.Contains(l.spdx, "/") {
			return records.Errorf(file, 0, "name the licence by its SPDX identifier, as in CC0-1.0", "licence.%s is %q", l.field, l.spdx)
		}
		if _, err := pack.LicenceText(fsys, l.spdx); errors.Is(err, fs.ErrNotExist) {
			return records.Errorf(file, 0,
				"put the licence's text into the kit's root folder as "+name+"; https://spdx.org/licenses/ has "+
					"it", "licence.%s is %s, whose text is not known here", l.field, l.spdx)
		} else if err != nil {
			return err
		}
	}
	data, err := s.Kit.Read(file)
	if err != nil {
		return err
	}
	meta, err := pack.MetaOf(p.ID, data, "2000-01-01") // a date that is there is checked, one that isn't is asked for below
	if err == nil {
		err = meta.Check()
	}
	if err != nil {
		return err
	}
	var size int64
	for _, f := range s.Kit.Files() {
		size += f.Bytes
	}
	if most := archive.DefaultLimits().Total; size > most {
		return records.Errorf(file, 0, "leave out what the study does not need",
			"the study and what it requires have %d bytes, and an archive at most %d", size, most)
	}
	if i := slices.IndexFunc(p.Authors, author.Author.Unclear); i >= 0 {
		fmt.Fprintf(out, "note: %s: archives call an author that is a plain name, as %q, an organisation: write people as "+
			"{\"given\": \"Ada\", \"family\": \"Author\"}, organisations as {\"name\": \"The Group\"}\n", file, p.Authors[i].String())
	}
	if p.Published == "" {
		fmt.Fprintf(out, "note: %s states no date of publication (\"published\"): `build pack` will ask for one\n", file)
	}
	return nil
}

// Seal writes the first seal.
func Seal(dir, id string, with Listing, out io.Writer) error {
	name := filepath.Join(dir, id, "seals", "1-"+study.SealProtocol+".json")
	if _, err := os.Stat(name); err == nil {
		return records.Errorf(id, 0, sealedHint(id), "this study is sealed")
	}
	s, err := check(dir, id, with, out)
	if err != nil {
		return err
	}
	if err := WriteManifest(dir, id, with, io.Discard); err != nil {
		return err
	}
	if s, err = design.Load(os.DirFS(dir), id); err != nil {
		return err
	}
	seal := kit.Seal{Format: kit.SealFormat, Study: id, Stage: study.SealProtocol, Because: with.Because}
	for _, f := range s.Kit.Files() {
		if s.Protocol.StageOf(f.Path) == study.SealProtocol {
			seal.Files = append(seal.Files, f)
		}
	}
	if err := writeJSON(name, seal); err != nil {
		return err
	}
	fmt.Fprintf(out, "sealed %d files of %s: %s\n", len(seal.Files), id, name)
	return WriteManifest(dir, id, Listing{}, io.Discard) // what it leaves out is said above
}

// next opens a study whose seals end with the stage before the wanted one, and returns the wanted seal, with the files
// that it fixes, and its file.
func next(dir, id, stage string) (*study.Study, kit.Seal, string, error) {
	fail := func(err error) (*study.Study, kit.Seal, string, error) { return nil, kit.Seal{}, "", err }
	s, err := design.Load(os.DirFS(dir), id)
	if err != nil {
		return fail(err)
	}
	seals, err := s.Kit.Seals(id)
	if err != nil {
		return fail(err)
	}
	stages := s.Protocol.Stages()
	place := slices.Index(stages, stage)
	if place < 1 {
		return fail(fmt.Errorf("%s: this study has no stage %q: its stages are %s", id, stage, strings.Join(stages, ", ")))
	}
	n, after := len(seals), stages[place-1]
	if slices.ContainsFunc(seals, func(s kit.Seal) bool { return s.Stage == stage }) {
		return fail(fmt.Errorf("%s: the stage %q is sealed already and is never overwritten: copy the study under another id to run it "+
			"again", id, stage))
	}
	if n == 0 || seals[n-1].Stage != after {
		return fail(fmt.Errorf("%s: the stage %q comes after %q: run `build %s %s` first", id, stage, after, study.CommandOf(after), id))
	}
	last := fmt.Sprintf("%s/seals/%d-%s.json", id, n, seals[n-1].Stage)
	previous, _ := s.Kit.Expect(last)
	seal := kit.Seal{Format: kit.SealFormat, Study: id, Stage: stage, Previous: previous.SHA256, Files: []kit.File{}}
	for _, f := range s.Kit.Files() {
		if s.Protocol.StageOf(f.Path) == stage && !strings.HasPrefix(f.Path, id+"/frozen/") {
			seal.Files = append(seal.Files, f)
		}
	}
	return s, seal, filepath.Join(dir, id, "seals", fmt.Sprintf("%d-%s.json", n+1, stage)), nil
}

// Lock runs the development stages and seals the choice.
func Lock(dir, id string, out io.Writer) error {
	s, seal, name, err := next(dir, id, study.SealLock)
	if err != nil {
		return err
	}
	lock, err := s.Develop()
	if err != nil {
		return err
	}
	if seal.Lock, err = json.Marshal(lock); err != nil {
		return err
	}
	if err := writeJSON(name, seal); err != nil {
		return err
	}
	fmt.Fprintf(out, "locked %s: %s\n", seal.Lock, name)
	return WriteManifest(dir, id, Listing{}, out)
}

// Freeze runs the whole study and seals what it gave.
func Freeze(dir, id string, out io.Writer) error {
	s, seal, name, err := next(dir, id, study.SealFrozen)
	if err != nil {
		return err
	}
	variants := []study.Options{{}}
	if s.PartsWithoutVectors() {
		variants = append(variants, study.Options{WithoutVectors: true})
	}
	var files []study.OutcomeFile
	for _, options := range variants {
		r, err := s.RunAll(options, nil)
		if err != nil {
			return err
		}
		o, err := r.Outcome()
		if err != nil {
			return err
		}
		for _, f := range o.Files {
			// both variants give the observations that need no vectors
			if !slices.ContainsFunc(files, func(g study.OutcomeFile) bool { return g.Path == f.Path }) {
				files = append(files, f)
			}
		}
	}
	for _, f := range files { // before anything is written, so that nothing is half frozen
		file := filepath.Join(dir, filepath.FromSlash(f.Path))
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists and is never overwritten: move it away if it is not what was frozen", file)
		}
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Data); err != nil {
			return err
		}
		described := kit.Describe(f.Path, f.Data)
		seal.Files = append(seal.Files, described)
		fmt.Fprintf(out, "frozen %s  %s\n", described.SHA256, f.Path)
	}
	if err := writeJSON(name, seal); err != nil {
		return err
	}
	return WriteManifest(dir, id, Listing{}, out)
}
