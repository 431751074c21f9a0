package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"retrace/core/kit"
	"retrace/core/study/studytest"
)

// TestInput runs the program on small studies, good and bad. "tiny DIR" writes the small study, sealed and frozen, "draft
// DIR" without seals; "fault DIR NAME" a draft with one of studytest's faults; "manifests DIR"
// writes a kit's manifests anew.
func TestInput(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/input",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"tiny": func(ts *testscript.TestScript, _ bool, args []string) {
				m := studytest.Tiny()
				ts.Check(studytest.Freeze(m))
				ts.Check(write(m, ts.MkAbs(args[0])))
			},
			// textforms writes forms of a.run: compressed, cut off, in other encodings and with other line ends.
			"textforms": func(ts *testscript.TestScript, _ bool, _ []string) {
				for name, data := range textForms(ts, ts.ReadFile("a.run")) {
					ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o666))
				}
			},
			"draft": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(write(studytest.Tiny(), ts.MkAbs(args[0])))
			},
			"manifests": func(ts *testscript.TestScript, _ bool, args []string) {
				dir, m := ts.MkAbs(args[0]), kit.Memory{}
				ts.Check(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					rel, _ := filepath.Rel(dir, p)
					m[filepath.ToSlash(rel)], err = os.ReadFile(p)
					return err
				}))
				studytest.Manifests(m)
				ts.Check(write(m, dir))
			},
			"fault": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, f := range studytest.Faults {
					if f.Name == args[1] {
						m := studytest.Tiny()
						f.Change(m)
						ts.Check(write(m, ts.MkAbs(args[0])))
						return
					}
				}
				ts.Fatalf("no fault %q", args[1])
			},
		},
	})
}

func write(m kit.Memory, dir string) error {
	for name, data := range m {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Every fault that the engine knows ends the program with status 2, the file and line, and a hint, from files on disk.
func TestFaults(t *testing.T) {
	for _, f := range studytest.Faults {
		m := studytest.Tiny()
		f.Change(m)
		dir := t.TempDir()
		if err := write(m, dir); err != nil {
			t.Fatal(err)
		}
		var out, problem bytes.Buffer
		status := run(context.Background(), []string{"replay", "tiny", "--kit", dir}, &out, &problem)
		first, second, _ := strings.Cut(problem.String(), "\n")
		if status != exitError || out.Len() != 0 || !strings.HasPrefix(first, "native: error: "+visible(f.Error)) ||
			!strings.HasPrefix(second, "native: hint: ") || strings.Count(second, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %s", f.Name, status, out.String(), problem.String(), f.Error)
		}
		if i := strings.IndexFunc(problem.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: %q drives a terminal", f.Name, problem.String())
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 日本 <b>":                       "plain é 日本 <b>",
		"a\x1b[31mb\x00c\rd\te\nf":             "a�[31mb�c�d�e�f",
		"a\u202eb\u2066c\u200fd\ufeffe":        "a�b�c�d�e",
		"a\u2028b\u2029c\u0085d\u061ce\u00adf": "a�b�c�d�e�f",
		"a\U000e0041b":                         "a�b", // a tag: text that is not shown
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func textForms(ts *testscript.TestScript, run string) map[string][]byte {
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, err := g.Write([]byte(run))
	ts.Check(err)
	ts.Check(g.Close())
	z, err := zstd.NewWriter(&zst)
	ts.Check(err)
	_, err = z.Write([]byte(run))
	ts.Check(err)
	ts.Check(z.Close())
	utf16 := []byte{0xff, 0xfe}
	for _, b := range []byte(run) {
		utf16 = append(utf16, b, 0)
	}
	return map[string][]byte{
		"a.run.gz": gz.Bytes(), "a.run.zst": zst.Bytes(), "cut.run.gz": gz.Bytes()[:gz.Len()-12], "cut.run.zst": zst.Bytes()[:zst.Len()-6],
		"utf16.run": utf16, "latin1.run": []byte("1 Q0 caf\xe9 1 2 t\n"), "bom.run": []byte("\ufeff" + run),
		"crlf.run": []byte(strings.TrimSpace(strings.ReplaceAll(run, "\n", "\r\n"))), "nfd.run": []byte("1 Q0 cafe\u0301 1 2 t\n"),
	}
}
