package site

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"retrace/cmd/build/page"
)

func TestPackageOf(t *testing.T) {
	for input, want := range map[string]string{
		"src/main.ts":                                      "",
		"go:wasm_exec.js":                                  "",
		"node_modules/d3-array/src/sum.js":                 "d3-array",
		"node_modules/@observablehq/plot/src/plot.js":      "@observablehq/plot",
		"node_modules/a/node_modules/@b/c/index.js":        "a/node_modules/@b/c",
		"../other/node_modules/interval-tree-1d/index.js":  "interval-tree-1d",
		"node_modules/a/node_modules/internmap/src/map.js": "a/node_modules/internmap",
	} {
		if got := packageOf(input); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestEmptyFolderHasNoLicence(t *testing.T) {
	if _, err := licenceIn(t.TempDir()); err == nil {
		t.Error("no error")
	}
}

// What the scripts hold is found in another way than by the metafile: scripts that are not minified name their modules.
func TestNoticesNameEveryBundledPackage(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "web", "node_modules")); err != nil {
		t.Skip("web/node_modules is not there: run npm ci in web/")
	}
	b := bundler{root: root, files: map[string][]byte{}, readable: true}
	if b.wasmExec, err = wasmExec(root); err != nil {
		t.Fatal(err)
	}
	worker, err := b.worker()
	if err != nil {
		t.Fatal(err)
	}
	main, err := b.main("main.ts", page.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := notices(root, append(worker.packages, main.packages...))
	if err != nil {
		t.Fatal(err)
	}
	again, err := notices(root, append(worker.packages, main.packages...))
	if err != nil || !bytes.Equal(text, again) {
		t.Error("a second time gives another text", err)
	}
	// Unminified, esbuild writes each file's path before its code: in a comment, or as the name of a CommonJS module.
	found := map[string]bool{}
	for _, data := range b.files {
		for _, m := range regexp.MustCompile(`(?m)^\s*(?:// |")node_modules/((?:@[^/\n]+/)?[^/\n]+)/`).FindAllSubmatch(data, -1) {
			found[string(m[1])] = true
		}
	}
	if !found["@observablehq/plot"] || !found["d3-scale"] {
		t.Fatalf("the scripts hold %v", sortedKeys(found))
	}
	for _, name := range append(sortedKeys(found), "Go", "golang.org/x/text") {
		if !regexp.MustCompile(`(?m)^={72}\n` + regexp.QuoteMeta(name) + ` \d[^\n]*\n\n`).Match(text) {
			t.Errorf("%s is not named with its version", name)
		}
	}
	if bytes.Contains(text, []byte(root)) {
		t.Error("the text names this machine's folder")
	}
}
