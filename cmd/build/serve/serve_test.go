package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"retrace/cmd/build/site"
)

var files = fstest.MapFS{
	"index.html":                {Data: []byte("<p>first page")},
	"index.html.br":             {Data: []byte("BR")},
	"index.html.gz":             {Data: []byte("GZ")},
	"404.html":                  {Data: []byte("<p>nothing here")},
	"404.html.gz":               {Data: []byte("GZ404")},
	"r01/index.html":            {Data: []byte("<p>a study")},
	"assets/engine.0123.wasm":   {Data: []byte("\x00asm0123456789")},
	"kit/index.json":            {Data: []byte("{}")},
	"kit/files/vectors.abc.f32": {Data: []byte("0123456789")},
	"secret.exe":                {Data: []byte("no media type")},
}

func get(t *testing.T, base, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler(files, base).ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, base, url, accept string
		status                  int
		body, coding, mediaType string
	}{
		{"plain", "/", "/", "", 200, "<p>first page", "", "text/html; charset=utf-8"},
		{"brotli first", "/", "/", "gzip, deflate, br, zstd", 200, "BR", "br", "text/html; charset=utf-8"},
		{"gzip where brotli is refused", "/", "/index.html", "br;q=0, gzip;q=0.1", 200, "GZ", "gzip", "text/html; charset=utf-8"},
		{"any coding but brotli", "/", "/", "*, br;q=0", 200, "GZ", "gzip", "text/html; charset=utf-8"},
		{"a weight that is no number", "/", "/", "gzip;q=x", 200, "<p>first page", "", "text/html; charset=utf-8"},
		{"no variant", "/", "/kit/files/vectors.abc.f32", "br", 200, "0123456789", "", "application/octet-stream"},
		{"wasm", "/", "/assets/engine.0123.wasm", "br", 200, "\x00asm0123456789", "", "application/wasm"},
		{"folder", "/", "/r01/", "", 200, "<p>a study", "", "text/html; charset=utf-8"},
		{"folder without slash", "/", "/r01", "", 301, "", "", ""},
		{"unknown", "/", "/r02/", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"unknown, compressed", "/", "/r02", "gzip", 404, "GZ404", "gzip", "text/html; charset=utf-8"},
		{"variants are not files of their own", "/", "/index.html.br", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"kind that no site holds", "/", "/secret.exe", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"leaving the folder", "/", "/../serve.go", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"leaving the folder, encoded", "/", "/%2e%2e/serve.go", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"doubled slash", "/", "//index.html", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
		{"below a base", "/x/", "/x/r01/", "", 200, "<p>a study", "", "text/html; charset=utf-8"},
		{"base without slash", "/x/", "/x", "", 301, "", "", ""},
		{"outside the base", "/x/", "/r01/", "", 404, "<p>nothing here", "", "text/html; charset=utf-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, body := get(t, c.base, "GET", c.url, "Accept-Encoding", c.accept)
			if r.StatusCode != c.status || r.Header.Get("Content-Encoding") != c.coding {
				t.Errorf("status %d, coding %q; want %d, %q", r.StatusCode, r.Header.Get("Content-Encoding"), c.status, c.coding)
			}
			if c.status != 301 && (body != c.body || r.Header.Get("Content-Type") != c.mediaType) {
				t.Errorf("body %q of %q; want %q of %q", body, r.Header.Get("Content-Type"), c.body, c.mediaType)
			}
			if c.status == 200 && r.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("Vary %q", r.Header.Get("Vary"))
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	const immutable = "public, max-age=31536000, immutable"
	for url, want := range map[string]map[string]string{
		"/":                          {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": ""},
		"/assets/engine.0123.wasm":   {"Cache-Control": immutable, "Access-Control-Allow-Origin": ""},
		"/kit/index.json":            {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"},
		"/kit/files/vectors.abc.f32": {"Cache-Control": immutable, "Access-Control-Allow-Origin": "*"},
		"/missing":                   {"Cache-Control": "no-cache"},
	} {
		r, _ := get(t, "/", "GET", url)
		want["Content-Security-Policy"] = site.HeaderPolicy()
		want["X-Content-Type-Options"] = "nosniff"
		for name, value := range want {
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s: %s %q, want %q", url, name, got, value)
			}
		}
	}
}

func TestRevalidation(t *testing.T) {
	plain, _ := get(t, "/", "GET", "/")
	coded, _ := get(t, "/", "GET", "/", "Accept-Encoding", "br")
	tag := plain.Header.Get("ETag")
	if tag == "" || tag == coded.Header.Get("ETag") {
		t.Fatalf("entity tags %q and %q: want two, one a coding", tag, coded.Header.Get("ETag"))
	}
	if r, body := get(t, "/", "GET", "/", "If-None-Match", tag); r.StatusCode != 304 || body != "" {
		t.Errorf("status %d, body %q; want 304 without one", r.StatusCode, body)
	}
	if r, _ := get(t, "/", "GET", "/", "If-None-Match", tag, "Accept-Encoding", "br"); r.StatusCode != 200 {
		t.Errorf("status %d for the other coding's tag; want 200", r.StatusCode)
	}
}

func TestRangeIsOfThePlainFile(t *testing.T) {
	r, body := get(t, "/", "GET", "/index.html", "Range", "bytes=3-7", "Accept-Encoding", "br")
	if r.StatusCode != 206 || body != "first" || r.Header.Get("Content-Encoding") != "" {
		t.Errorf("status %d, body %q, coding %q; want 206, first, none", r.StatusCode, body, r.Header.Get("Content-Encoding"))
	}
}

func TestMethods(t *testing.T) {
	if r, body := get(t, "/", "HEAD", "/"); r.StatusCode != 200 || body != "" || r.Header.Get("Content-Length") != "13" {
		t.Errorf("HEAD: status %d, body %q, length %s; want 200, none, 13", r.StatusCode, body, r.Header.Get("Content-Length"))
	}
	if r, _ := get(t, "/", "HEAD", "/", "Accept-Encoding", "br"); r.Header.Get("Content-Length") != "2" {
		t.Errorf("HEAD of brotli: length %s; want 2", r.Header.Get("Content-Length"))
	}
	if r, _ := get(t, "/", "POST", "/"); r.StatusCode != 405 || !strings.Contains(r.Header.Get("Allow"), "GET") {
		t.Errorf("POST: status %d, Allow %q; want 405 and GET", r.StatusCode, r.Header.Get("Allow"))
	}
}
