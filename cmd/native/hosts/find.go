package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"retrace/internal/wasmbuild"
)

// FindNode returns the path of Node: the one that is named, else PATH's.
func FindNode(named string) (string, error) {
	return find(named, "", []string{"node", "nodejs"}, "--node",
		"install Node.js 20 or newer from https://nodejs.org/ or with the system's package manager")
}

// FindChromium returns the path of Chromium or a browser made from it: the one that is named, else $CHROMIUM, else one
// that is where such browsers are.
func FindChromium(named string) (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"}
	switch runtime.GOOS {
	case "darwin":
		names = append(names, "/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
	case "windows":
		for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), os.Getenv("LocalAppData")} {
			if root != "" {
				names = append(names, filepath.Join(root, "Google", "Chrome", "Application", "chrome.exe"),
					filepath.Join(root, "Microsoft", "Edge", "Application", "msedge.exe"))
			}
		}
	}
	return find(named, "CHROMIUM", names, "--chromium", "install Chromium (Debian: chromium)")
}

func find(named, variable string, names []string, flag, install string) (string, error) {
	if named == "" && variable != "" {
		named = os.Getenv(variable)
	}
	if named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w: %s, or name it with %s PATH", names[0], ErrMissing, install, flag)
}

// FindEngine returns the WebAssembly engine: the file that is named; else what the site's build left in dist/ of the
// project that the working folder is in; else one that the go command builds there.
func FindEngine(ctx context.Context, named string) (Engine, error) {
	root, inside := project()
	if named != "" {
		return read(ctx, root, named)
	}
	if !inside {
		return Engine{}, fmt.Errorf("engine.wasm: %w: name a site's assets/engine.*.wasm with --wasm FILE, or run inside the project",
			ErrMissing)
	}
	if found, _ := filepath.Glob(filepath.Join(root, "dist", "assets", "engine.*.wasm")); len(found) == 1 {
		return read(ctx, root, found[0])
	}
	dir, err := os.MkdirTemp("", "retrace-wasm-")
	if err != nil {
		return Engine{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "engine.wasm")
	cmd := wasmbuild.Command(ctx, "./wasm", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return Engine{}, ctx.Err()
		}
		return Engine{}, fmt.Errorf("engine.wasm: %w in dist/, and the go command can't build it: make site, or name one with --wasm "+
			"FILE: %w\n%s", ErrMissing, err, out)
	}
	e, err := read(ctx, root, file)
	e.Origin = "built from ./wasm"
	return e, err
}

// read reads a WebAssembly file with the script for it: wasm_exec.js beside it, else the site's worker beside it, which
// carries that script, else the go command's.
func read(ctx context.Context, root, file string) (e Engine, err error) {
	e.Origin = file
	if e.Wasm, err = readFile(file); err != nil {
		return e, err
	}
	if !strings.HasPrefix(string(e.Wasm), "\x00asm") {
		return e, fmt.Errorf("%s is not a WebAssembly file", file)
	}
	dir := filepath.Dir(file)
	if e.Script, err = readFile(filepath.Join(dir, "wasm_exec.js")); err == nil {
		return e, nil
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "worker.*.js")); len(found) == 1 {
		e.Script, err = readFile(found[0])
		return e, err
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Dir = root // where go.mod may choose the Go
	out, err := cmd.Output()
	if err == nil {
		e.Script, err = readFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
	}
	if err != nil {
		return e, fmt.Errorf("wasm_exec.js: %w: put the one of the Go that compiled it beside %s: %w", ErrMissing, file, err)
	}
	return e, nil
}

// maxEngine bounds what is read whole, in bytes.
const maxEngine = 256 << 20

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxEngine:
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, maxEngine)
	}
	return os.ReadFile(path)
}

// project returns the folder of this project's go.mod, if the working folder is in it.
func project() (root string, inside bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, strings.HasPrefix(string(data), "module retrace\n")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
