// Package commands runs the commands that a study's page prints, as they are printed.
package commands

import (
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"retrace/cmd/build/pack"
	"retrace/cmd/build/page"
	"retrace/core/kit"
	"retrace/core/study/studytest"
	bundled "retrace/kit"
)

var blocks = regexp.MustCompile(`(?s)<pre class="commands"[^>]*aria-label="Commands[^>]*><code>(.*?)</code></pre>`)

// Of a bundled study, of one that has an archive, and of one that has neither, each printed command succeeds. Where the page
// prints FOLDER, it says what that is.
func TestPrintedCommands(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"native", "build"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), "../../cmd/"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	tiny := studytest.Tiny()
	if err := studytest.Freeze(tiny); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, study string
		kit         fs.FS
		archive     bool
		commands    int
		holds       string
	}{
		{"bundled", "first-baseline", bundled.FS, false, 3, "go run ./cmd/native replay first-baseline\n"},
		{"bundled, with an archive", "first-baseline", bundled.FS, true, 6, "go run ./cmd/native replay first-baseline\n"},
		{"an author's, with an archive", studytest.ID, tiny, true, 6, "go run ./cmd/native replay tiny.zip\n"},
		{"an author's, without", studytest.ID, tiny, false, 3, "go run ./cmd/native replay tiny --kit FOLDER\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			in := page.Input{Base: "/", Studies: []string{c.study}, Kit: c.kit}
			if c.archive {
				p, err := pack.Build(c.kit, c.study, pack.Options{Published: "2026-11-30"})
				if err != nil {
					t.Fatal(err)
				}
				in.Archives = map[string]page.Archive{c.study: {Identity: p.Identity,
					Files: []page.ArchiveFile{{Name: p.Name + ".zip"}, {Name: p.Name + ".tar.zst"}}}}
				save(t, dir, kit.Memory{p.Name + ".zip": p.Zip, p.Name + ".tar.zst": p.TarZst})
			}
			if c.study == studytest.ID {
				save(t, filepath.Join(dir, "FOLDER"), tiny)
			}
			files, err := page.Render(in)
			if err != nil {
				t.Fatal(err)
			}
			article := files[slices.IndexFunc(files, func(f page.File) bool { return f.Path == c.study+"/index.html" })]
			n := 0
			for _, block := range blocks.FindAllSubmatch(article.Data, -1) {
				text := html.UnescapeString(string(block[1]))
				if n == c.commands-3 && !strings.Contains(text, c.holds) {
					t.Errorf("no %q in %s", c.holds, text)
				}
				for command := range strings.Lines(text) {
					n++
					run := exec.Command("bash", "-eo", "pipefail", "-c",
						regexp.MustCompile(`go run \./cmd/(\w+)`).ReplaceAllString(command, bin+"/$1"))
					run.Dir = dir
					if out, err := run.CombinedOutput(); err != nil {
						t.Errorf("%s: %v\n%s", strings.TrimSpace(command), err, out)
					}
				}
			}
			if n != c.commands {
				t.Errorf("%d commands, want %d", n, c.commands)
			}
		})
	}
}

func save(t *testing.T, dir string, files kit.Memory) {
	t.Helper()
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
