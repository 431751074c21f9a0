// Package site checks the built site as a whole: that it is reproducible, that it works as built under a web server that
// is not the project's own, and that it keeps to its size.
package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"retrace/cmd/build/site"
)

const root = "../.."

// options build a project's site into out, with compressed variants from the folder that other builds use too.
func options(project, out string) site.Options {
	return site.Options{Root: project, Kit: filepath.Join(project, "kit"), Out: out, Base: "/",
		Cache: filepath.Join(root, ".cache", "site")}
}

// built is the project's site, built once for all tests of this package.
var built = sync.OnceValues(func() (site.Built, error) { return site.Build(options(root, filepath.Join(work, "dist"))) })

// work is a folder that is deleted after the tests.
var work string

func TestMain(m *testing.M) {
	var err error
	if work, err = os.MkdirTemp("", "retrace-site-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(work)
	os.Exit(status)
}

func build(t *testing.T) (dir string, b site.Built) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the whole site: not with -short")
	}
	if _, err := os.Stat(filepath.Join(root, "web", "node_modules")); err != nil {
		t.Skip("web/node_modules is missing: run make site once")
	}
	b, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(work, "dist"), b
}

func TestReproducible(t *testing.T) {
	_, here := build(t)
	copied := filepath.Join(t.TempDir(), "a folder of another name")
	copyProject(t, copied)
	there, err := site.Build(options(copied, filepath.Join(copied, "public")))
	if err != nil {
		t.Fatal(err)
	}
	if here.Inventory != there.Inventory {
		t.Errorf("two builds differ:\n%s", cmp.Diff(here.Files, there.Files))
	}
}

// copyProject copies what a build reads: sources and the npm packages that are bundled.
func copyProject(t *testing.T, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"go.mod", "go.sum", "core", "kit", "wasm", "web"} {
		from := filepath.Join(root, part)
		err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if entry.IsDir() {
				switch entry.Name() {
				case "typescript", "@typescript", "playwright-core", "axe-core", "test", "testdata":
					return filepath.SkipDir
				}
				return os.MkdirAll(filepath.Join(to, relative), 0o755)
			}
			if !entry.Type().IsRegular() {
				return nil // links to commands in node_modules/.bin
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(to, relative), data, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestVariantsHoldTheFile(t *testing.T) {
	out, b := build(t)
	decoders := map[string]func(io.Reader) (io.Reader, error){
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderMaxWindow(8<<20)) }, // what browsers take
	}
	seen := map[string]int{}
	for _, file := range b.Files {
		plain := read(t, filepath.Join(out, file.Path))
		for coding, suffix := range site.Variants {
			if _, ok := file.Coded[coding]; !ok {
				continue
			}
			seen[coding]++
			r, err := decoders[coding](bytes.NewReader(read(t, filepath.Join(out, file.Path+suffix))))
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(decoded, plain) {
				t.Errorf("%s%s doesn't hold %s (%v)", file.Path, suffix, file.Path, err)
			}
		}
	}
	if seen["br"] == 0 || seen["br"] != seen["gzip"] {
		t.Errorf("variants by coding: %v; want some, as many of each", seen)
	}
}

// Budgets of the design, in bytes as brotli sends them: code on every visit, and what a study's replay loads.
func TestSizes(t *testing.T) {
	out, b := build(t)
	code, article := 0, 0
	sizes, engines := map[string]int{}, map[string]int{}
	for _, file := range b.Files {
		sizes[file.Path] = size(file, "br")
		switch {
		case strings.HasSuffix(file.Path, ".wasm"):
			name, _, _ := strings.Cut(strings.TrimPrefix(file.Path, site.AssetsDir+"/"), ".")
			engines[name] = sizes[file.Path]
		case strings.HasPrefix(file.Path, site.AssetsDir+"/") || file.Path == "index.html":
			code += sizes[file.Path]
		case strings.HasSuffix(file.Path, ".html"):
			article = max(article, sizes[file.Path])
		}
	}
	t.Logf("first page, scripts and styles: %d bytes; engines: %v; the largest article with its frozen numbers: %d", code, engines, article)
	// A study's page loads the engine that knows its design alone; the engine that knows all is for archives that are opened.
	for name, most := range map[string]int{"engine-knownItem": 1_300_000, "engine-binary": 1_300_000, "engine-graded": 1_350_000} {
		if engines[name] == 0 || code+engines[name] > most {
			t.Errorf("first page, scripts, styles and %s take %d bytes compressed; want at most %d", name, code+engines[name], most)
		}
	}
	index := readIndex(t, out)
	for _, study := range index.Studies {
		data := 0
		for _, file := range index.Files {
			folder, _, _ := strings.Cut(file.Path, "/")
			// Vectors load when a dense method is looked at; a replay's observations are compared by their hash alone.
			if slices.Contains(study.Folders, folder) && !strings.HasSuffix(file.Path, ".f32") &&
				!strings.Contains(file.Path, "/frozen/observations") {
				data += sizes["kit/"+file.URL]
			}
		}
		t.Logf("%s without vectors: %d bytes", study.ID, data)
		if data == 0 || study.ID == "r01" && data > 500_000 {
			t.Errorf("%s without vectors takes %d bytes compressed; want at most 500,000, and some", study.ID, data)
		}
	}
}

// index is kit/index.json.
type index struct {
	Studies []struct {
		ID      string
		Folders []string
	}
	Files []struct {
		Path, URL, SHA256 string
		Bytes             int
	}
}

func readIndex(t *testing.T, out string) (x index) {
	t.Helper()
	if err := json.Unmarshal(read(t, filepath.Join(out, "kit", "index.json")), &x); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestKitIndex(t *testing.T) {
	out, _ := build(t)
	index := readIndex(t, out)
	for _, file := range index.Files {
		published := read(t, filepath.Join(out, "kit", file.URL))
		if source := read(t, filepath.Join(root, "kit", file.Path)); !bytes.Equal(published, source) || len(source) != file.Bytes {
			t.Errorf("%s at %s is not the kit's file", file.Path, file.URL)
		}
	}
	found := false
	for _, study := range index.Studies {
		if study.ID == "r01" {
			found = true
			if diff := cmp.Diff([]string{"concepts", "r01"}, study.Folders); diff != "" {
				t.Error(diff)
			}
		}
	}
	if !found {
		t.Errorf("r01 is not among the studies %v", index.Studies)
	}
}

func TestRefusals(t *testing.T) {
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*site.Options)
		want   string
	}{
		"base without slashes":  {func(o *site.Options) { o.Base = "x" }, "slash"},
		"base that climbs":      {func(o *site.Options) { o.Base = "/a/../b/" }, "slash"},
		"base with a quote":     {func(o *site.Options) { o.Base = `/"/` }, "slash"},
		"unknown study":         {func(o *site.Options) { o.Studies = []string{"r99"} }, `no study "r99"`},
		"no kit":                {func(o *site.Options) { o.Kit = filepath.Join(o.Out, "none") }, "reading the kit"},
		"folder of someone's":   {func(o *site.Options) { o.Out = foreign }, "no build made it"},
		"project without wasm/": {func(o *site.Options) { o.Root = t.TempDir() }, "compiling ./wasm"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "folder of someone's" || name == "no kit" || name == "unknown study" {
				build(t) // skips where it must
			}
			o := options(root, filepath.Join(t.TempDir(), "dist"))
			c.change(&o)
			if _, err := site.Build(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
	if string(read(t, filepath.Join(foreign, "thesis.txt"))) != "mine" {
		t.Error("a refused build changed the folder")
	}
}

// The example configuration, in Debian's nginx, answers as the project's own rules say.
func TestNginx(t *testing.T) {
	out, b := build(t)
	url := startNginx(t, out)
	for _, file := range b.Files {
		if file.Path == "_headers" {
			continue
		}
		for _, coding := range []string{"", "gzip", "br"} {
			response, body := get(t, url+file.Path, coding)
			want := ""
			if _, ok := file.Coded[coding]; ok {
				want = coding
			}
			if response.StatusCode != 200 || response.Header.Get("Content-Encoding") != want {
				t.Errorf("%s for coding %q: status %d, coding %q; want 200, %q", file.Path, coding, response.StatusCode,
					response.Header.Get("Content-Encoding"), want)
			}
			if want := size(file, coding); len(body) != want {
				t.Errorf("%s for coding %q: %d bytes; want %d", file.Path, coding, len(body), want)
			}
			check(t, file.Path, response.Header)
		}
	}
	response, _ := get(t, url+"no/such/page", "")
	if response.StatusCode != 404 {
		t.Errorf("an unknown address: status %d; want 404", response.StatusCode)
	}
	check(t, "404.html", response.Header)
	if response, _ := get(t, url+"kit/", ""); response.StatusCode != 404 {
		t.Errorf("a folder without a page: status %d; want 404", response.StatusCode)
	}
	if response, _ := get(t, url+"kit", ""); response.StatusCode != 301 || response.Header.Get("Location") != "/kit/" {
		t.Errorf("a folder without its slash: status %d to %q; want 301 to /kit/", response.StatusCode, response.Header.Get("Location"))
	}
}

// TestFirstLoad measures what nginx sends for R01's article, and then for its replay, with each coding: what Chromium asks
// for is asked for again, so that bodies can be counted. It runs where RETRACE_BENCH is set, as "make bench" does.
func TestFirstLoad(t *testing.T) {
	if os.Getenv("RETRACE_BENCH") == "" {
		t.Skip("measures: set RETRACE_BENCH=1, or run make bench")
	}
	out, _ := build(t)
	url := startNginx(t, out)
	asked, err := exec.Command("node", filepath.Join(root, "web", "bench", "requests.mjs"), url).Output()
	if err != nil {
		t.Fatal(err)
	}
	article, replay, _ := strings.Cut(strings.TrimSpace(string(asked)), "\n\n")
	for _, coding := range []string{"", "gzip", "br"} {
		name, bytes := coding, [2]int{}
		if name == "" {
			name = "identity"
		}
		for i, paths := range []string{article, replay} {
			for _, path := range strings.Fields(paths) {
				response, body := get(t, url+strings.TrimPrefix(path, "/"), coding)
				if response.StatusCode != 200 {
					t.Fatalf("%s: status %d", path, response.StatusCode)
				}
				bytes[i] += len(body)
			}
		}
		t.Logf("%-8s  article %7d bytes, then engine and data for a replay %7d bytes", name, bytes[0], bytes[1])
	}
}

// check compares headers with the project's rules for a file.
func check(t *testing.T, name string, got http.Header) {
	t.Helper()
	for _, h := range site.Headers(name) {
		if values := got.Values(h.Name); len(values) != 1 || values[0] != h.Value {
			t.Errorf("%s: %s %q; want %q once", name, h.Name, values, h.Value)
		}
	}
	if want, _ := site.MediaType(name); got.Get("Content-Type") != want {
		t.Errorf("%s: Content-Type %q; want %q", name, got.Get("Content-Type"), want)
	}
}

func startNginx(t *testing.T, dir string) string {
	t.Helper()
	const (
		nginx  = "/usr/sbin/nginx"
		module = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so"
	)
	for _, needed := range []string{nginx, module} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("%s is missing: run tools/need nginx nginx-brotli", needed)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()

	// The committed example, but for folder and port.
	server := string(read(t, filepath.Join(root, "deploy", "nginx.conf")))
	for old, new := range map[string]string{"/var/www/retrace": dir, "listen 8080;": "listen " + address + ";", "listen [::]:8080;": ""} {
		if strings.Count(server, old) != 1 {
			t.Fatalf("deploy/nginx.conf: %q is not there once", old)
		}
		server = strings.Replace(server, old, new, 1)
	}
	work := t.TempDir()
	config := fmt.Sprintf("load_module %s;\ndaemon off;\nmaster_process off;\npid %s/pid;\nerror_log %s/error.log;\nevents {}\nhttp "+
		"{\naccess_log off;\nclient_body_temp_path %[2]s;\nproxy_temp_path %[2]s;\nfastcgi_temp_path %[2]s;\nuwsgi_temp_path "+
		"%[2]s;\nscgi_temp_path %[2]s;\n%[4]s}\n", module, work, work, server)
	file := filepath.Join(work, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, nginx, "-c", file, "-p", work, "-e", work+"/error.log")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address + "/"
		}
		time.Sleep(50 * time.Millisecond)
	}
	log, _ := os.ReadFile(work + "/error.log")
	t.Fatalf("nginx doesn't answer: %s%s", stderr.String(), log)
	return ""
}

func get(t *testing.T, url, coding string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if coding == "" {
		coding = "identity" // without the field, Go's client would ask for gzip
	}
	request.Header.Set("Accept-Encoding", coding)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// size is the number of bytes that a host sends for a file.
func size(file site.BuiltFile, coding string) int {
	if coded, ok := file.Coded[coding]; ok {
		return coded
	}
	return file.Bytes
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
