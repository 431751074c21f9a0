// Package onehash replays the bundled studies, and encodes some texts, on every platform that can be had here and compares
// the SHA-256 of what comes out: processors under QEMU's user emulation, WebAssembly in Node and in Chromium.
//
// It takes minutes, so it runs only where RETRACE_ONEHASH is set, as "make test" does.
package onehash

import (
	"bytes"
	"context"
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

	"retrace/cmd/native/hosts"
	"retrace/kit"
	"retrace/tests/engines"
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
	for name, start := range map[string]func(hosts.Engine) (hosts.Host, error){
		"js/wasm in Node": func(e hosts.Engine) (hosts.Host, error) {
			path, err := hosts.FindNode("")
			if err != nil {
				return nil, err
			}
			return hosts.StartNode(context.Background(), path, e)
		},
		"js/wasm in Chromium": func(e hosts.Engine) (hosts.Host, error) {
			path, err := hosts.FindChromium("")
			if err != nil {
				return nil, err
			}
			return hosts.StartChromium(context.Background(), path, e)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, err := engines.Build(root, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			host, err := start(engine)
			if err != nil {
				t.Fatal(err)
			}
			defer host.Close()
			if err := engines.AddKit(host, kit.FS); err != nil {
				t.Fatal(err)
			}
			for _, study := range studies {
				outcome, err := hosts.Replay(context.Background(), host, study, nil)
				if err != nil {
					t.Fatal(err)
				}
				check(t, study, outcome.SHA256, nil)
			}
		})
	}
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
