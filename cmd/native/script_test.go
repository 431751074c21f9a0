package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"retrace/cmd/build/pack"
	"retrace/cmd/native/crosscheck/tinykit"
	"retrace/cmd/native/encode/pinned"
	"retrace/core/inverted"
	"retrace/core/study/studytest"
	"retrace/internal/indexfile"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"native": main})
}

// TestScripts runs the program as people do. Each script's folder has
//
//	kits/same, kits/swapped   the tiny study, with its vectors in order and in reverse
//	kits/withheld, given/     the study of studytest that withholds files, and those files
//	model/                    the tiny model that made them
//	engine/                   the WebAssembly engine, where the script's name starts with host
//
// and $RUNTIME, ONNX Runtime's library, where it is there. "status N COMMAND" runs a command that must end with status N.
func TestScripts(t *testing.T) {
	tokenizer, err := filepath.Abs("../../core/encoder/wordpiece/testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	library := ""
	if dir, err := pinned.Dir(); err == nil {
		if file := pinned.RuntimeFile(dir); exists(file) {
			library = file
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("RUNTIME", library)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache")) // no model but the script's
			model, err := tinykit.Model(filepath.Join(e.WorkDir, "model"), tokenizer)
			if err != nil {
				return err
			}
			for name, change := range map[string]func([][]float32){"same": nil,
				"swapped": func(rows [][]float32) { rows[0], rows[1] = rows[1], rows[0] }} {
				m, err := tinykit.Kit(tinykit.Options{Model: model, Documents: change, Frozen: func(*[]string) {}})
				if err != nil {
					return err
				}
				if err := tinykit.Write(m, filepath.Join(e.WorkDir, "kits", name)); err != nil {
					return err
				}
			}
			m, given, err := studytest.Withheld()
			if err != nil {
				return err
			}
			if err := tinykit.Write(m, filepath.Join(e.WorkDir, "kits", "withheld")); err != nil {
				return err
			}
			return tinykit.Write(given, filepath.Join(e.WorkDir, "given"))
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "runtime": // can be loaded by this program
				return library != "" && cgoEnabled, nil
			case "node", "chromium":
				_, err := exec.LookPath(name)
				return err == nil, nil
			}
			return false, errors.New("unknown condition")
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status N COMMAND")
				}
				got := 0
				var exit *exec.ExitError
				if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
					got = exit.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if args[0] != strconv.Itoa(got) {
					ts.Fatalf("status %d, want %s", got, args[0])
				}
			},
			// pack NAME writes the small study of studytest, frozen, as NAME.zip and NAME.tar.zst.
			"pack": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: pack NAME")
				}
				m := studytest.Tiny()
				ts.Check(studytest.Freeze(m))
				p, err := pack.Build(m, studytest.ID, pack.Options{Published: "2026-11-30"})
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]+".zip"), p.Zip, 0o666))
				ts.Check(os.WriteFile(ts.MkAbs(args[0]+".tar.zst"), p.TarZst, 0o666))
			},
			// build index CORPUS INDEX makes an index.
			"build": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 3 || args[0] != "index" {
					ts.Fatalf("usage: build index CORPUS INDEX")
				}
				source, done, err := indexfile.Corpus(ts.MkAbs(args[1]), []string{"title", "text"})
				ts.Check(err)
				defer done()
				about := inverted.About{Analyzer: "unicode", Fields: []string{"title", "text"}}
				ts.Check(indexfile.Build(context.Background(), ts.MkAbs(args[2]), source, indexfile.Options{About: about}))
			},
			// damage FILE OLD NEW writes a file anew with one string for another, as long.
			"damage": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 3 || len(args[1]) != len(args[2]) {
					ts.Fatalf("usage: damage FILE OLD NEW, OLD as long as NEW")
				}
				data := ts.ReadFile(args[0])
				if !strings.Contains(data, args[1]) {
					ts.Fatalf("%s does not hold %s", args[0], args[1])
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(data, args[1], args[2])), 0o666))
			},
			// engine compiles the WebAssembly engine into engine/.
			"engine": func(ts *testscript.TestScript, _ bool, _ []string) {
				cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", ts.MkAbs("engine/engine.wasm"), "./wasm")
				cmd.Dir = root
				cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
				if out, err := cmd.CombinedOutput(); err != nil {
					ts.Fatalf("%v\n%s", err, out)
				}
				goroot, err := exec.Command("go", "env", "GOROOT").Output()
				ts.Check(err)
				script, err := os.ReadFile(filepath.Join(string(goroot[:len(goroot)-1]), "lib", "wasm", "wasm_exec.js"))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs("engine/wasm_exec.js"), script, 0o666))
			},
		},
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
