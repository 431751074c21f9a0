package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"retrace/core/design"
	"retrace/core/design/adhoc"
	"retrace/core/kit"
	"retrace/core/show"
	"retrace/core/study"
)

// A withheldError says that files are missing that a study withholds.
type withheldError struct {
	protocol *study.Protocol
	kit      *kit.Kit
	missing  []*kit.Withheld
}

func (e *withheldError) Error() string {
	w := e.missing[0]
	text := fmt.Sprintf("%s is withheld, since it is %s's, and was not given", w.Path, w.Holder)
	if more := len(e.missing) - 1; more > 0 {
		text += fmt.Sprintf("; so are %d more", more)
	}
	return text
}

func (e *withheldError) Hint() string {
	return e.missing[0].Get + "; then name it with replay's --collection"
}

// withGiven lays what a reader gives of a study's withheld files over its kit. A file is known by its hash, whatever its name.
func withGiven(fsys fs.FS, id, given string) (fs.FS, error) {
	p, k, err := study.ReadProtocol(design.All, fsys, id)
	if err != nil {
		return nil, err
	}
	missing := k.Missing()
	if given != "" && len(p.Withheld) == 0 {
		return nil, fmt.Errorf("--collection %s: %s withholds nothing: leave the flag out", given, id)
	}
	if given != "" && len(missing) > 0 {
		files, err := match(missing, given)
		if err != nil {
			return nil, err
		}
		fsys = layered{files, fsys}
		if p, k, err = study.ReadProtocol(design.All, fsys, id); err != nil {
			return nil, err
		}
		missing = k.Missing()
	}
	if len(missing) > 0 {
		return nil, &withheldError{p, k, missing}
	}
	return fsys, nil
}

// match reads those of a reader's files that a study withholds.
func match(missing []*kit.Withheld, given string) (kit.Memory, error) {
	info, err := os.Stat(given)
	if err != nil {
		return nil, fmt.Errorf("--collection: %w", err)
	}
	names := []string{given}
	if info.IsDir() {
		entries, err := os.ReadDir(given)
		if err != nil {
			return nil, fmt.Errorf("--collection: %w", err)
		}
		names = nil
		for _, e := range entries {
			names = append(names, filepath.Join(given, e.Name()))
		}
	}
	files := kit.Memory{}
	var others []string
	for _, name := range names {
		other, err := matchFile(missing, name, len(names) == 1, files)
		if err != nil {
			return nil, fmt.Errorf("--collection: %w", err)
		}
		others = append(others, other...)
	}
	if len(files) > 0 {
		return files, nil
	}
	if len(others) == 0 {
		others = []string{"no file there has the size of one"}
	}
	return nil, fmt.Errorf("--collection %s: none of the files that the study withholds: %s", given, strings.Join(others, "; "))
}

// matchFile adds a file to those given, under the paths of the withheld files that it is. It says what others it is like: of their
// size, by their name, or any where no other file was given.
func matchFile(missing []*kit.Withheld, name string, only bool, files kit.Memory) (others []string, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	found := false
	for _, w := range missing {
		if info.Size() != w.Bytes {
			if only || filepath.Base(name) == path.Base(w.Path) {
				others = append(others, fmt.Sprintf("%s has %d bytes, and %s has %d", name, info.Size(), w.Path, w.Bytes))
			}
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if sum := kit.Hash(data); sum != w.SHA256 {
			others = append(others, fmt.Sprintf("%s has the size of %s, but another SHA-256: %s, not %s", name, w.Path, sum, w.SHA256))
			continue
		}
		files[w.Path], found = data, true
	}
	if found {
		return nil, nil
	}
	return others, nil
}

// layered is a file system over another one.
type layered struct {
	over  kit.Memory
	under fs.FS
}

func (l layered) Open(name string) (fs.File, error) {
	if _, ok := l.over[name]; ok {
		return l.over.Open(name)
	}
	return l.under.Open(name)
}

// report says which files are missing and how to get them, and what can be said without them: the frozen numbers, and the figures of
// given runs, computed from judgements where those are not withheld too. It ends as an error: nothing was replayed.
func (e *withheldError) report(w io.Writer) error {
	for _, m := range e.missing {
		spec := e.protocol.Withheld[m.Path]
		fmt.Fprintf(w, "withheld  %s  (%s bytes, SHA-256 %s)\n  holder: %s\n  terms: %s\n  how to get it: %s\n", m.Path, number(int(m.Bytes)), m.SHA256,
			visible(spec.Holder), visible(spec.Terms), visible(spec.Get))
	}
	name := e.protocol.FrozenResults(study.Options{})
	if !e.kit.Has(name) {
		fmt.Fprintln(w, "\nnothing is frozen yet")
		return e
	}
	results, err := e.kit.Read(name)
	if err != nil {
		return err
	}
	if adhoc.Of(e.protocol) == nil {
		fmt.Fprintf(w, "\nThe frozen numbers are in %s: not computed again.\n", name)
		return e
	}
	fmt.Fprintln(w, "\nThe frozen numbers, not computed again:")
	fmt.Fprintln(w)
	printTables(w, &study.Study{Protocol: e.protocol, Kit: e.kit}, results)
	if err := e.givenRuns(w, results); err != nil {
		return err
	}
	return e
}

// givenRuns computes the figures of given runs again.
func (e *withheldError) givenRuns(w io.Writer, results []byte) error {
	figures, err := adhoc.Given(e.protocol, e.kit)
	if err != nil {
		return err
	}
	var frozen adhoc.Results
	if err := json.Unmarshal(results, &frozen); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, run := range adhoc.Of(e.protocol).Runs {
		computed, ok := figures[run.Name]
		if !ok {
			fmt.Fprintf(w, "%s: given, and not computed again: its run or its judgements are withheld\n", run.Name)
			continue
		}
		var differs []string
		for _, m := range adhoc.Of(e.protocol).Measures {
			held := frozen.Systems[run.Name].Means[m.Key]
			if here := computed[m.Key]; (here == nil) != (held == nil) || here != nil && *here != *held {
				differs = append(differs, m.Measure+" "+figure(here)+", frozen "+figure(held))
			}
		}
		if len(differs) > 0 {
			fmt.Fprintf(w, "%s: computed again from the judgements: differs from frozen: %s\n", run.Name, strings.Join(differs, "; "))
			return errDiffers
		}
		fmt.Fprintf(w, "%s: computed again from the judgements: %d figures, identical to frozen\n", run.Name, len(computed))
	}
	return nil
}

func figure(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return show.Share(*x)
}
