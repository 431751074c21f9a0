package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"

	"retrace/core/design"
	"retrace/core/proto"
	"retrace/kit"
)

// edge is a handler over the bundled study r01 without its vectors.
func edge(t testing.TB, heap uint64, read func([]string) ([][]byte, error)) http.Handler {
	t.Helper()
	k := Kit{Studies: []Study{{ID: "r01"}}, Read: read}
	for _, folder := range []string{"concepts", "r01"} {
		err := fs.WalkDir(kit.FS, folder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || entry.IsDir():
			case path.Ext(name) == ".f32":
				k.Left = append(k.Left, name)
			default:
				k.Studies[0].Files = append(k.Studies[0].Files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return New(k, heap)
}

func fromKit(names []string) (files [][]byte, err error) {
	for _, name := range names {
		data, err := kit.FS.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, data)
	}
	return files, nil
}

// roomy is a heap that no test fills.
const roomy = 1 << 40

func do(h http.Handler, method, target, body string) *http.Response {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t testing.TB, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// asNative answers a request as the native host does.
func asNative(request string) string {
	return string(proto.Handle(proto.NewSessionFS(design.All, kit.FS), []byte(request)))
}

func TestProblems(t *testing.T) {
	h := edge(t, roomy, fromKit)
	long := strings.Repeat("x", MaxBody)
	for name, c := range map[string]struct {
		method, target, body string
		status               int
		code                 string
	}{
		"unknown path":          {"GET", "/v1/nothing", "", 404, "not-found"},
		"unknown study":         {"GET", "/v1/studies/r99/results", "", 404, "unknown-study"},
		"badge of no study":     {"GET", "/badge/r99.svg", "", 404, "unknown-study"},
		"badge of another kind": {"GET", "/badge/r01.png", "", 404, "not-found"},
		"method":                {"DELETE", "/v1/studies", "", 405, "bad-method"},
		"get requests":          {"GET", "/v1/requests", "", 405, "bad-method"},
		"no JSON":               {"POST", "/v1/requests", "{", 400, "bad-request"},
		"empty":                 {"POST", "/v1/requests", "", 400, "bad-request"},
		"array":                 {"POST", "/v1/requests", "[]", 400, "bad-request"},
		"wrong type":            {"POST", "/v1/requests", `{"id":1,"kind":"search","study":7}`, 400, "bad-request"},
		"unknown kind":          {"POST", "/v1/requests", `{"id":1,"kind":"dance"}`, 400, "bad-request"},
		"unknown member":        {"POST", "/v1/requests", `{"id":1,"kind":"load","study":"r01","x":1}`, 400, "bad-request"},
		"study of a request":    {"POST", "/v1/requests", `{"id":1,"kind":"load","study":"../r01"}`, 404, "unknown-study"},
		"replay":                {"POST", "/v1/requests", `{"id":1,"kind":"replay","study":"r01"}`, 403, "run-at-home"},
		"unit":                  {"POST", "/v1/requests", `{"id":1,"kind":"unit","study":"r01"}`, 403, "run-at-home"},
		"add":                   {"POST", "/v1/requests", `{"id":1,"kind":"add"}`, 403, "run-at-home"},
		"close":                 {"POST", "/v1/requests", `{"id":1,"kind":"close"}`, 403, "run-at-home"},
		"figures":               {"POST", "/v1/requests", `{"id":1,"kind":"figures","study":"r01"}`, 403, "run-at-home"},
		"verify":                {"POST", "/v1/requests", `{"id":1,"kind":"verify","study":"r01"}`, 403, "run-at-home"},
		"dense": {"POST", "/v1/requests", `{"id":1,"kind":"search","study":"r01","query":"bees","method":"dense"}`, 403,
			"no-vectors"},
		"fused with dense": {"POST", "/v1/requests",
			`{"id":1,"kind":"search","study":"r01","query":"bees","method":"rrf(bm25,dense)","vector":[1,0]}`, 403, "no-vectors"},
		"named dense method": {"POST", "/v1/requests",
			`{"id":1,"kind":"question","study":"r01","question":"F001-boundary","methods":["bm25","dense+graph"]}`, 403, "no-vectors"},
		"dense number": {"POST", "/v1/requests", `{"id":1,"kind":"explain","study":"r01","path":"methods.dense.mrr10"}`, 403,
			"no-vectors"},
		"long body": {"POST", "/v1/requests", `{"id":1,"kind":"search","study":"r01","query":"` + long + `"}`, 413,
			"too-large"},
		"many documents": {"POST", "/v1/requests", `{"id":1,"kind":"search","study":"r01","query":"bees","k":101}`, 413,
			"too-large"},
		"long method": {"POST", "/v1/requests", `{"id":1,"kind":"search","study":"r01","query":"bees","method":"` +
			long[:MaxMethod+1] + `"}`, 413, "too-large"},
		"unknown question": {"POST", "/v1/requests", `{"id":1,"kind":"question","study":"r01","question":"F999"}`, 404, "not-found"},
		"nothing at the path": {"POST", "/v1/requests", `{"id":1,"kind":"explain","study":"r01","path":"methods.nothing"}`, 422,
			"failed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := do(h, c.method, c.target, c.body)
			var p struct {
				Type, Title, Detail, Code, Hint string
				Status                          int
				Reply                           json.RawMessage
			}
			body := bodyOf(t, r)
			if err := json.Unmarshal([]byte(body), &p); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if r.StatusCode != c.status || p.Status != c.status || p.Code != c.code || p.Type != "/v1/problems#"+c.code ||
				p.Title == "" || p.Detail == "" {
				t.Errorf("status %d, %s; want %d, %s", r.StatusCode, body, c.status, c.code)
			}
			if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			if p.Reply != nil && string(p.Reply) != asNative(c.body) {
				t.Errorf("reply %s; native replies %s", p.Reply, asNative(c.body))
			}
			if c.code == "run-at-home" && !strings.Contains(p.Hint, "go run ./cmd/native replay ") {
				t.Errorf("hint %q doesn't say how to replay", p.Hint)
			}
		})
	}
	r := httptest.NewRequest("POST", "/v1/requests", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "text/plain")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 415 {
		t.Errorf("a body of type text/plain: status %d; want 415", w.Code)
	}
}

func TestEveryProblemIsListed(t *testing.T) {
	body := bodyOf(t, do(edge(t, roomy, fromKit), "GET", "/v1/problems", ""))
	for _, k := range kinds {
		if !strings.Contains(body, `"code": "`+k.Code+`"`) {
			t.Errorf("%s is not in %s", k.Code, body)
		}
	}
}

// What is kept, dropped and loaded again changes no reply.
func TestRepliesDontDependOnWhatIsKept(t *testing.T) {
	requests := []string{
		`{"id":1,"kind":"studies"}`,
		`{"id":"two","kind":"load","study":"r01"}`,
		`{"id":null,"kind":"search","study":"r01","query":"why do bees dance","explain":true}`,
		`{"id":[4],"kind":"search","study":"r01","query":"heat that never becomes work","method":"graph","k":3}`,
		`{"id":5,"kind":"question","study":"r01","question":"F001-boundary","methods":["bm25","graph"]}`,
		`{"id":6,"kind":"explain","study":"r01","path":"rank.F001-boundary.graph"}`,
	}
	var want []string
	only := proto.NewSession(design.All) // r01 alone, as here
	k := edge(t, roomy, func(names []string) ([][]byte, error) {
		files, err := fromKit(names)
		for i, name := range names {
			only.AddFile(name, files[i])
		}
		return files, err
	})
	for _, q := range requests {
		do(k, "POST", "/v1/requests", q)
	}
	for _, q := range requests {
		want = append(want, string(proto.Handle(only, []byte(q))))
	}
	for name, heap := range map[string]uint64{"everything kept": roomy, "nothing kept": 0} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			h := edge(t, heap, func(names []string) ([][]byte, error) { reads++; return fromKit(names) })
			for range 2 {
				for i, q := range requests {
					if got := bodyOf(t, do(h, "POST", "/v1/requests", q)); got != want[i] {
						t.Errorf("%s: got\n%s\nwant\n%s", q, got, want[i])
					}
				}
			}
			if (reads == 2) != (heap == roomy) { // protocols, then the study
				t.Errorf("files were read %d times", reads)
			}
			if r := do(h, "GET", "/v1/studies/r01/results", ""); r.StatusCode != 200 {
				t.Errorf("results: %s", bodyOf(t, r))
			}
		})
	}
}

// A request that never gets its files, as of a client that went away, keeps no other from being answered.
func TestOneWaitsForAnother(t *testing.T) {
	first, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	h := edge(t, roomy, func(names []string) ([][]byte, error) {
		stuck := false
		once.Do(func() { stuck = true; close(first) })
		if stuck {
			<-release
			return nil, errors.New("gone")
		}
		return fromKit(names)
	})
	gone := make(chan int)
	go func() { gone <- do(h, "GET", "/v1/studies/r01/results", "").StatusCode }()
	<-first
	if r := do(h, "GET", "/v1/studies/r01/results", ""); r.StatusCode != 200 {
		t.Errorf("status %d; want 200", r.StatusCode)
	}
	close(release)
	if status := <-gone; status != 503 {
		t.Errorf("without its files: status %d; want 503", status)
	}
}

// After a panic, nothing is kept and everybody is answered.
func TestPanic(t *testing.T) {
	s := &server{heap: roomy}
	s.forget()
	s.files["x"] = nil
	h := methods("GET", func(http.ResponseWriter, *http.Request) error {
		return s.with([]string{"x"}, func() error { panic("at the disco") })
	})
	r := do(h, "GET", "/", "")
	if body := bodyOf(t, r); r.StatusCode != 500 || !strings.Contains(body, "the engine stopped: at the disco") {
		t.Errorf("status %d, %s", r.StatusCode, body)
	}
	if !s.mu.TryLock() || len(s.files) != 0 {
		t.Error("the lock is held, or files are kept")
	}
}

func TestResults(t *testing.T) {
	h := edge(t, roomy, fromKit)
	file, err := kit.FS.ReadFile("r01/frozen/results.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	r := do(h, "GET", "/v1/studies/r01/results", "")
	if body := bodyOf(t, r); body != string(file) || r.Header.Get("ETag") != `"`+hash+`"` {
		t.Errorf("ETag %s, %d bytes; want %s, %d", r.Header.Get("ETag"), len(body), hash, len(file))
	}
	without, err := kit.FS.ReadFile("r01/frozen/results-without-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if body := bodyOf(t, do(h, "GET", "/v1/studies/r01/results?vectors=no", "")); body != string(without) {
		t.Error("vectors=no doesn't give the results without vectors")
	}
	badge := bodyOf(t, do(h, "GET", "/badge/r01.svg", ""))
	var svg struct {
		Role  string `xml:"role,attr"`
		Title string `xml:"title"`
		Width int    `xml:"width,attr"`
	}
	if err := xml.Unmarshal([]byte(badge), &svg); err != nil {
		t.Fatal(err)
	}
	// 11 and 12 characters of 7 units, each text with 8 on both sides
	if svg.Role != "img" || svg.Width != 11*7+12*7+4*8 || !strings.Contains(svg.Title, "r01") ||
		!strings.Contains(svg.Title, hash[:12]) || !strings.Contains(badge, ">"+hash[:12]+"<") {
		t.Errorf("badge %s", badge)
	}
}

func TestBadgeIsText(t *testing.T) {
	if err := xml.NewDecoder(bytes.NewReader(drawBadge(`<a>&"'`, strings.Repeat("0", 64)))).Decode(new(any)); err != nil && err != io.EOF {
		t.Error(err)
	}
	if strings.Contains(string(drawBadge("<b>", strings.Repeat("0", 64))), "<b>") {
		t.Error("a study's ID became an element")
	}
}

func TestConditions(t *testing.T) {
	h := edge(t, roomy, fromKit)
	etag := do(h, "GET", "/v1/studies", "").Header.Get("ETag")
	for field, want := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200} {
		r := httptest.NewRequest("GET", "/v1/studies", nil)
		r.Header.Set("If-None-Match", field)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("If-None-Match: %s: status %d; want %d", field, w.Code, want)
		}
	}
	r := do(h, "OPTIONS", "/v1/requests", "")
	if r.StatusCode != 204 || r.Header.Get("Access-Control-Allow-Origin") != "*" ||
		r.Header.Get("Access-Control-Allow-Methods") != "POST" ||
		!strings.Contains(r.Header.Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("preflight: %s", fmt.Sprint(r.StatusCode, r.Header))
	}
}
