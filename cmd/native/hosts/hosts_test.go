package hosts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"retrace/cmd/native/crosscheck/tinykit"
	"retrace/core/kit"
	"retrace/core/proto"

	"retrace/internal/wasmbuild"
)

const root = "../../.."

// engine compiles the engine once for all tests.
var engine = sync.OnceValues(func() (Engine, error) {
	dir, err := os.MkdirTemp("", "retrace-hosts-test-")
	if err != nil {
		return Engine{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "engine.wasm")
	cmd := wasmbuild.Command(context.Background(), "./wasm", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return Engine{}, errors.New(err.Error() + "\n" + string(out))
	}
	return read(context.Background(), root, file)
})

func replay(t *testing.T, h Host) *proto.OutcomeResult {
	t.Helper()
	m, err := tinykit.Kit(tinykit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for path := range m {
		order = append(order, path)
	}
	if err := AddFiles(t.Context(), h, m, order); err != nil {
		t.Fatal(err)
	}
	o, err := Replay(t.Context(), h, tinykit.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// shortTemp makes a folder for temporary files whose name is short enough for sockets.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// places are the hosts beside the native one; a test skips those that are not there.
var places = []struct {
	name    string
	find    func(string) (string, error)
	start   func(context.Context, string, Engine) (Host, error)
	version string
}{
	{"node", FindNode, StartNode, "Node.js "},
	{"chromium", FindChromium, StartChromium, "Chrom"},
}

func TestSameEverywhere(t *testing.T) {
	want := replay(t, NewNative())
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			path, err := p.find("")
			if err != nil {
				t.Skip(err)
			}
			temporary := shortTemp(t)
			h, err := p.start(t.Context(), path, e)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if !strings.HasPrefix(h.Version(), p.version) {
				t.Errorf("version %q", h.Version())
			}
			got := replay(t, h)
			if got.SHA256 != want.SHA256 || string(got.Results) != string(want.Results) {
				t.Errorf("results %s\n%s\nnative %s\n%s", got.SHA256, got.Results, want.SHA256, want.Results)
			}
			var file proto.OutcomeFileResult
			if err := Ask(t.Context(), h, "outcomeFile", proto.OutcomeFileRequest{Path: want.Files[1].Path}, &file); err != nil ||
				kit.Hash([]byte(file.Text)) != want.Files[1].SHA256 {
				t.Errorf("file %+v: %v", file, err)
			}
			var refusal *Refusal
			if err := Ask(t.Context(), h, "outcomeFile", proto.OutcomeFileRequest{Path: "tiny/no.json"}, &file); !errors.As(err,
				&refusal) || refusal.Hint() == "" {
				t.Errorf("error %v, want a refusal", err)
			}
			h.Close()
			if err := h.AddFile(t.Context(), "x", nil); err == nil {
				t.Error("a closed host took a file")
			}
			if left, _ := os.ReadDir(temporary); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestBroken(t *testing.T) {
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	node, err := FindNode("")
	if err != nil {
		t.Skip(err)
	}
	falsity, err := exec.LookPath("false")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name, path string
		engine     Engine
		want       string
	}{
		{"not WebAssembly", node, Engine{Wasm: []byte("\x00asm, but no more"), Script: e.Script}, "CompileError"},
		{"not a script", node, Engine{Wasm: e.Wasm, Script: []byte("}")}, "SyntaxError"},
		{"no Go in the script", node, Engine{Wasm: e.Wasm, Script: []byte("0")}, "Go is not defined"},
		{"no Node", falsity, e, "ended before it was done: exit status 1"},
		{"no program", filepath.Join(t.TempDir(), "node"), e, "does not start"},
	} {
		_, err := StartNode(t.Context(), c.path, c.engine)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestStopped ends the context while a host starts and while it works.
func TestStopped(t *testing.T) {
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		path, err := p.find("")
		if err != nil {
			t.Log(err)
			continue
		}
		temporary := shortTemp(t)
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		started := time.Now()
		h, err := p.start(ctx, path, e)
		stop()
		if err == nil {
			_, err = h.Handle(ctx, []byte("{}"))
			h.Close()
		}
		if err == nil || time.Since(started) > 20*time.Second {
			t.Errorf("%s: error %v after %v", p.name, err, time.Since(started))
		}
		if left, _ := os.ReadDir(temporary); len(left) > 0 {
			t.Errorf("%s left behind: %v", p.name, left)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := FindNode(filepath.Join(t.TempDir(), "node")); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "--node") {
		t.Errorf("error %v", err)
	}
	t.Setenv("CHROMIUM", filepath.Join(t.TempDir(), "chromium"))
	if _, err := FindChromium(""); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "install Chromium") {
		t.Errorf("error %v", err)
	}
}

func TestFindEngine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Chdir(dir)
	if _, err := FindEngine(t.Context(), ""); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "--wasm") {
		t.Errorf("outside the project: %v", err)
	}
	if _, err := FindEngine(t.Context(), write("text.wasm", "text")); err == nil ||
		!strings.Contains(err.Error(), "not a WebAssembly file") {
		t.Errorf("text: %v", err)
	}
	// A site's folder: the worker carries Go's runtime.
	write("dist/assets/worker.0.js", "worker")
	named := write("dist/assets/engine.0.wasm", "\x00asm site")
	e, err := FindEngine(t.Context(), named)
	if err != nil || string(e.Script) != "worker" || string(e.Wasm) != "\x00asm site" {
		t.Errorf("site: %+v, %v", e, err)
	}
	write("go.mod", "module retrace\n")
	write("deep/er/x", "")
	t.Chdir(filepath.Join(dir, "deep", "er"))
	if e, err := FindEngine(t.Context(), ""); err != nil || string(e.Wasm) != "\x00asm site" {
		t.Errorf("from inside the project: %+v, %v", e, err)
	}
	// A file of one's own, with the script beside it.
	write("own/wasm_exec.js", "script")
	if e, err := FindEngine(t.Context(), write("own/e.wasm", "\x00asm own")); err != nil || string(e.Script) != "script" {
		t.Errorf("own: %+v, %v", e, err)
	}
}
