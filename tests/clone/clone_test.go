// Package clone checks that a clone has the bytes that were committed, however Git is set up where it is made: everything in
// kit/ is hashed, and so are the engine's sources, generated files and what tests compare with.
package clone

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"retrace/core/kit"
)

const root = "../.."

func git(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = root
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// Git for Windows is installed with core.autocrlf=true, which on Linux writes CR LF too. Every file of the index, checked out under
// each setting, is the file that is here; without .gitattributes, those of kit/ were not.
func TestLineEnds(t *testing.T) {
	if err := exec.Command("git", "-C", root, "rev-parse", "--is-inside-work-tree").Run(); err != nil {
		t.Skipf("this is no clone, or there is no git: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(git(t, "ls-files", "-z")), "\x00"), "\x00")
	if len(names) < 300 {
		t.Fatalf("%d files", len(names))
	}
	committed := map[string][]byte{}
	for _, name := range names {
		committed[name] = git(t, "cat-file", "blob", ":"+name)
	}
	for _, setting := range []string{"core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf"} {
		dir := t.TempDir()
		git(t, "-c", setting, "checkout-index", "--all", "--prefix="+dir+"/")
		for _, name := range names {
			got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if want := committed[name]; !bytes.Equal(got, want) {
				t.Errorf("%s: %s: %d bytes, %d were committed", setting, name, len(got), len(want))
			}
		}
		for _, study := range []string{"first-baseline", "r01", "r02"} {
			k, err := kit.Open(os.DirFS(filepath.Join(dir, "kit")), study)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range k.Files() {
				if _, err := k.Read(f.Path); err != nil {
					t.Errorf("%s: %v", setting, err)
				}
			}
		}
	}
}
