package hosts

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

//go:embed host.js
var hostScript []byte

// maxReply bounds what a host may answer, in bytes.
const maxReply = 256 << 20

// startWithin is how long a host has until its engine answers for the first time.
const startWithin = 2 * time.Minute

// First bytes of frames. To the host: a file (path, NUL, content) or a request. From it: the version of what it runs in,
// the receipt of a file, a reply, or what went wrong.
const (
	frameFile    = 'f'
	frameRequest = 'r'
	frameVersion = 'v'
	frameError   = 'e'
)

// remote is an engine in another process, which fetches its work over HTTP from this one: Node and Chromium can both do
// that, so that one script serves for both and no debugging protocol is needed. The server listens on the loopback
// interface only, below a path that nobody else knows.
type remote struct {
	name    string
	version string
	cmd     *exec.Cmd
	said    *tail
	server  *http.Server
	work    chan []byte // to the host
	answers chan []byte // from it
	exited  chan struct{}
	status  error // once exited
	closing chan struct{}
	once    sync.Once
	clean   func()
}

// An Engine is the WebAssembly engine: the module and the script that defines Go's runtime for it.
type Engine struct {
	Wasm   []byte
	Script []byte
	Origin string // where it came from, for people
}

// StartNode runs the engine in Node.
func StartNode(ctx context.Context, path string, e Engine) (Host, error) {
	return start(ctx, "node", e, func(base string) (*exec.Cmd, func(), error) {
		cmd := exec.Command(path, "-", base)
		cmd.Stdin = bytes.NewReader(hostScript)
		return cmd, func() {}, nil
	})
}

// StartChromium runs the engine in a worker of Chromium or a browser made from it, without a window and with a profile
// of its own, which goes when the host is closed.
func StartChromium(ctx context.Context, path string, e Engine) (Host, error) {
	return start(ctx, "chromium", e, func(base string) (*exec.Cmd, func(), error) {
		profile, err := os.MkdirTemp("", "retrace-chromium-")
		if err != nil {
			return nil, nil, err
		}
		args := []string{"--headless", "--user-data-dir=" + profile, "--no-first-run", "--no-default-browser-check", "--disable-gpu",
			"--disable-quic", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--disable-dev-shm-usage",
			"--remote-debugging-port=0"} // keeps a browser without a window running
		if os.Geteuid() == 0 {
			args = append(args, "--no-sandbox") // Chromium does not start as root otherwise; it loads this program's pages only
		}
		cmd := exec.Command(path, append(args, base)...)
		// Chromium leaves a folder with a socket among the temporary ones when it is killed: keep that in the profile, if
		// the socket's name still fits into what a socket may be called (104 bytes).
		if len(profile)+len("/org.chromium.Chromium.XXXXXX/SingletonSocket") < 104 {
			cmd.Env = append(os.Environ(), "TMPDIR="+profile)
		}
		return cmd, func() { removeAll(profile) }, nil
	})
}

// removeAll removes a folder into which processes that were just killed may still have written.
func removeAll(dir string) {
	for range 20 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

const page = `<!doctype html><meta charset="utf-8"><title>crosscheck</title><link rel="icon" href="data:,">` +
	`<script>new Worker("host.js")</script>`

func start(ctx context.Context, name string, e Engine, command func(base string) (*exec.Cmd, func(), error)) (Host, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("hosts: %w", err)
	}
	path := "/" + rand.Text() + "/"
	r := &remote{name: name, said: &tail{}, work: make(chan []byte), answers: make(chan []byte), exited: make(chan struct{}),
		closing: make(chan struct{})}
	mux := http.NewServeMux()
	serve := func(file, media string, data []byte) {
		mux.HandleFunc("GET "+path+file, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Write(data)
		})
	}
	serve("{$}", "text/html; charset=utf-8", []byte(page))
	serve("host.js", "text/javascript; charset=utf-8", hostScript)
	serve("go.js", "text/javascript; charset=utf-8", e.Script)
	serve("engine.wasm", "application/wasm", e.Wasm)
	mux.HandleFunc("POST "+path+"exchange", r.exchange)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go r.server.Serve(listener)

	r.cmd, r.clean, err = command("http://" + listener.Addr().String() + path)
	if err != nil {
		r.server.Close()
		return nil, fmt.Errorf("hosts: %s: %w", name, err)
	}
	r.cmd.Stdout, r.cmd.Stderr = r.said, r.said
	r.cmd.WaitDelay = time.Second
	ownGroup(r.cmd)
	if err := r.cmd.Start(); err != nil {
		r.server.Close()
		r.clean()
		return nil, fmt.Errorf("hosts: %s does not start: %w", name, err)
	}
	go func() {
		r.status = r.cmd.Wait()
		close(r.exited)
	}()

	waiting, stop := context.WithTimeoutCause(ctx, startWithin, fmt.Errorf("no answer within %s", startWithin))
	defer stop()
	version, err := r.answer(waiting, frameVersion)
	if err != nil {
		r.Close()
		return nil, err
	}
	r.version = string(version)
	return r, nil
}

// exchange takes the host's answer to one frame and returns the next frame, when there is one.
func (r *remote) exchange(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxReply))
	if err != nil || len(body) == 0 {
		http.Error(w, "a frame is expected", http.StatusBadRequest)
		return
	}
	select {
	case r.answers <- body:
	case <-r.closing:
		return
	case <-q.Context().Done():
		return
	}
	select {
	case frame := <-r.work:
		w.Write(frame)
	case <-r.closing:
	case <-q.Context().Done():
	}
}

// answer waits for the host's next frame, which must be of a kind.
func (r *remote) answer(ctx context.Context, kind byte) ([]byte, error) {
	select {
	case frame := <-r.answers:
		switch frame[0] {
		case kind:
			return frame[1:], nil
		case frameError:
			return nil, fmt.Errorf("hosts: %s: %s", r.name, frame[1:])
		}
		return nil, fmt.Errorf("hosts: %s answered with %q where %q was expected", r.name, frame[0], kind)
	case <-r.exited:
		return nil, r.gone()
	case <-ctx.Done():
		if cause := context.Cause(ctx); cause != context.Canceled {
			return nil, fmt.Errorf("hosts: %s: %w%s", r.name, cause, r.said)
		}
		return nil, ctx.Err()
	}
}

func (r *remote) gone() error {
	status := "it ended"
	if r.status != nil {
		status = r.status.Error()
	}
	return fmt.Errorf("hosts: %s ended before it was done: %s%s", r.name, status, r.said)
}

func (r *remote) ask(ctx context.Context, frame []byte, kind byte) ([]byte, error) {
	select {
	case r.work <- frame:
	case <-r.exited:
		return nil, r.gone()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.answer(ctx, kind)
}

func (r *remote) Version() string { return r.version }

func (r *remote) AddFile(ctx context.Context, path string, data []byte) error {
	frame := append([]byte{frameFile}, path...)
	_, err := r.ask(ctx, append(append(frame, 0), data...), frameFile)
	return err
}

func (r *remote) Handle(ctx context.Context, request []byte) ([]byte, error) {
	return r.ask(ctx, append([]byte{frameRequest}, request...), frameRequest)
}

// Close ends the process with all that it started, and removes what it wrote.
func (r *remote) Close() error {
	r.once.Do(func() {
		close(r.closing)
		killGroup(r.cmd)
		<-r.exited
		r.server.Close()
		r.clean()
	})
	return nil
}

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String is what was said, indented on lines of its own; empty where nothing was.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
	if text == "" {
		return ""
	}
	return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// ErrMissing is wrapped by errors that say that a program is not there.
var ErrMissing = errors.New("not found")
