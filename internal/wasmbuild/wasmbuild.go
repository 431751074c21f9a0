// Package wasmbuild says how the engine is compiled to WebAssembly, so that every host's build gives the same bytes.
package wasmbuild

import (
	"context"
	"os"
	"os/exec"
)

// hot are the packages whose functions may be inlined: a replay spends its time in them. Everywhere else inlining is off,
// which makes the compressed engine a tenth smaller.
var hot = []string{"rank", "walk", "lexical", "graph", "stats", "dense", "exact", "text", "index", "digest"}

// Command returns the command that compiles a package of the project to a WebAssembly file. Equal sources and an equal Go
// give equal bytes. The caller sets its folder and output.
func Command(ctx context.Context, pkg, out string) *exec.Cmd {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-gcflags=all=-l"}
	for _, p := range hot {
		args = append(args, "-gcflags=retrace/core/"+p+"=")
	}
	c := exec.CommandContext(ctx, "go", append(args, "-o", out, pkg)...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWASM=")
	return c
}
