// Package cited checks that the functions that explanations cite are those that ran.
package cited

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"retrace/core/design"
	"retrace/core/study"
	kits "retrace/kit"
)

var covered = regexp.MustCompile(`(?m)^retrace/(core/\S+\.go):(\d+):\s+\S+\s+([0-9.]+)%$`)

// ran builds the native program so that it counts what runs, replays a study with it, and returns the functions of core that
// ran, as file:line.
func ran(t *testing.T, program, id string) map[string]bool {
	t.Helper()
	counts := t.TempDir()
	c := exec.Command(program, "replay", id, "--json")
	c.Env = append(os.Environ(), "GOCOVERDIR="+counts)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	out, err := exec.Command("go", "tool", "covdata", "func", "-i="+counts).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	functions := map[string]bool{}
	for _, m := range covered.FindAllStringSubmatch(string(out), -1) {
		functions[m[1]+":"+m[2]] = m[3] != "0.0"
	}
	return functions
}

func TestWhatIsCitedRan(t *testing.T) {
	program := filepath.Join(t.TempDir(), "native")
	c := exec.Command("go", "build", "-cover", "-coverpkg=retrace/core/...,retrace/cmd/native", "-o", program, "./cmd/native")
	c.Dir, c.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	ids, err := os.ReadDir("../../kit")
	if err != nil {
		t.Fatal(err)
	}
	studies := 0
	for _, folder := range ids {
		id := folder.Name()
		if _, err := os.Stat("../../kit/" + id + "/frozen/results.json"); err != nil {
			continue
		}
		studies++
		functions := ran(t, program, id)
		s, err := design.Load(kits.FS, id)
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Kit.Read(s.Protocol.FrozenResults(study.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := s.Numbers(results)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, n := range numbers {
			node, err := s.Explain(nil, n.Path)
			if err != nil {
				t.Fatalf("%s: %s: %v", id, n.Path, err)
			}
			at := node.Source.File + ":" + strconv.Itoa(node.Source.Line)
			did, known := functions[at]
			if (!known || !did) && !told[node.Source.Function] {
				told[node.Source.Function] = true
				t.Errorf("%s: %s cites %s (%s), which did not run in the replay", id, n.Path, node.Source.Function, at)
			}
		}
	}
	if studies < 3 {
		t.Errorf("%d studies were looked at", studies)
	}
}
