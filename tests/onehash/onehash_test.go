// Package onehash replays the bundled studies on every platform that can be had here and compares the SHA-256 of the
// results: processors under QEMU's user emulation, WebAssembly in Node and in Chromium.
//
// It takes minutes, so it runs only where RETRACE_ONEHASH is set, as "make test" does.
package onehash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"retrace/kit"
	"retrace/tests/hosts"
)

const root = "../.."

// studies to replay. What they give is compared with frozen/results.json, which is canonical JSON.
var studies = []string{"first-baseline", "r01", "r02"}

// platforms by GOARCH, with QEMU's name of each. Two orders of bytes, and processors that fuse and that don't.
var platforms = []struct{ arch, qemu string }{
	{"amd64", "qemu-x86_64"},
	{"arm64", "qemu-aarch64"},
	{"riscv64", "qemu-riscv64"},
	{"ppc64le", "qemu-ppc64le"},
	{"s390x", "qemu-s390x"},
}

func TestOneHash(t *testing.T) {
	if os.Getenv("RETRACE_ONEHASH") == "" {
		t.Skip("takes minutes: set RETRACE_ONEHASH=1, or run make test")
	}
	frozen := map[string]string{}
	for _, study := range studies {
		data, err := kit.FS.ReadFile(study + "/frozen/results.json")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		frozen[study] = hex.EncodeToString(sum[:])
	}
	check := func(t *testing.T, study, hash string, err error) {
		t.Helper()
		switch {
		case err != nil:
			t.Errorf("%s: %v", study, err)
		case hash != frozen[study]:
			t.Errorf("%s: results have SHA-256 %s; the frozen ones have %s", study, hash, frozen[study])
		}
	}
	for _, p := range platforms {
		t.Run("linux/"+p.arch, func(t *testing.T) {
			t.Parallel()
			native := buildNative(t, p.arch)
			for _, study := range studies {
				command := []string{native, "replay", study, "--hash"}
				if p.arch != runtime.GOARCH {
					command = append([]string{p.qemu}, command...)
				}
				started := time.Now()
				hash, err := output(exec.Command(command[0], command[1:]...))
				check(t, study, hash, err)
				t.Logf("%s: %.1f s", study, time.Since(started).Seconds())
			}
		})
	}
	t.Run("js/wasm in Node", func(t *testing.T) {
		t.Parallel()
		wasm, script, err := hosts.Wasm(root, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		node, err := hosts.StartNode(root, wasm, script)
		if err != nil {
			t.Fatal(err)
		}
		defer node.Close()
		if err := hosts.AddKit(node, kit.FS); err != nil {
			t.Fatal(err)
		}
		for _, study := range studies {
			hash, err := hosts.Replay(node, study)
			check(t, study, hash, err)
		}
	})
	t.Run("js/wasm in Chromium", func(t *testing.T) {
		t.Parallel()
		for _, study := range studies {
			hash, err := output(exec.Command("node", filepath.Join(root, "web", "test", "support", "hash.mjs"), study))
			check(t, study, hash, err)
		}
	})
}

func buildNative(t *testing.T, arch string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "native")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", name, "./cmd/native")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// output runs a command that prints a hash and nothing else.
func output(cmd *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	text := strings.TrimSpace(string(out))
	if !hash.MatchString(text) {
		return "", fmt.Errorf("%s printed %q; want a SHA-256", cmd, text)
	}
	return text, nil
}
