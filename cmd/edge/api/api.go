// Package api answers the edge's HTTP requests: studies and their frozen results, badges, and the cheap requests of
// core/proto. What it keeps between requests are files and parsed studies, which change no answer.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/method"
	"retrace/core/proto"
	"retrace/core/study"
)

// Bounds of one request; the shim bounds the time to receive one.
const (
	MaxBody   = 64 << 10 // bytes
	MaxMethod = 256      // bytes of one method's term
	MaxPlaces = 100      // documents of one ranking
)

// A Study names the kit's files that the edge holds for it, its own and those of folders that it requires.
type Study struct {
	ID    string   `json:"id"`
	Files []string `json:"files"`
}

// A Kit is where files come from.
type Kit struct {
	Studies []Study  `json:"studies"` // ascending ID
	Left    []string `json:"left"`    // listed by manifests, but not at the edge: vectors, and what only full replays read

	// Read gets files by their paths, all or none. It may wait; it is called without a lock being held.
	Read func(names []string) ([][]byte, error) `json:"-"`
}

type server struct {
	kit  Kit
	heap uint64 // bytes

	mu      sync.Mutex // one computation at a time: studies cache as they compute
	files   kit.Memory
	session *proto.Session
	made    map[string]content // by path and query, of which few lead to anything
}

// New returns the handler of everything below /v1/ and /badge/. More than heap bytes in use after a request make it drop
// what it keeps, which is loaded anew when needed.
func New(k Kit, heap uint64) http.Handler {
	s := &server{kit: k, heap: heap}
	s.forget()
	mux := http.NewServeMux()
	mux.Handle("/v1/studies", resource(s.once(s.studies)))
	mux.Handle("/v1/studies/{id}", resource(s.once(s.describe)))
	mux.Handle("/v1/studies/{id}/results", resource(s.once(s.results)))
	mux.Handle("/v1/studies/{id}/frozen", resource(s.once(s.frozen)))
	mux.Handle("/v1/problems", resource(problems))
	mux.Handle("/v1/requests", methods("POST", s.request))
	mux.Handle("/badge/{file}", resource(s.once(s.badge)))
	mux.Handle("/", methods("GET, HEAD, POST", func(_ http.ResponseWriter, r *http.Request) error {
		return problemf(notFound, "", "nothing stands at %s", r.URL.Path).
			hint("GET /v1/studies, /v1/studies/{id}, /v1/studies/{id}/results, /v1/studies/{id}/frozen, /v1/problems, " +
				"/badge/{id}.svg; POST /v1/requests")
	}))
	return mux
}

// methods wraps a handler: headers of every answer, CORS, allowed methods, errors and panics as problems.
func methods(allow string, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		// Answers hold public data and depend on no cookie, so that scripts of any origin may read them.
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		var err error
		switch allowed := strings.Split(allow, ", "); {
		case r.Method == http.MethodOptions:
			h.Set("Allow", allow+", OPTIONS")
			h.Set("Access-Control-Allow-Methods", allow)
			h.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match, Range")
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
		case !slices.Contains(allowed, r.Method):
			h.Set("Allow", allow+", OPTIONS")
			err = problemf(badMethod, "", "%s takes %s", r.URL.Path, allow)
		default:
			err = attempt(func() error { return handle(w, r) })
		}
		if err != nil {
			writeProblem(w, r, err)
		}
	})
}

// attempt turns a panic into an error: the program would end with it.
func attempt(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the engine stopped: %v", cause)
		}
	}()
	return do()
}

// content is what a resource consists of.
type content struct {
	mediaType string
	cache     string // Cache-Control; revalidated where ""
	body      []byte
}

// resource serves content with an entity tag, conditions, ranges and HEAD.
func resource(get func(*http.Request) (content, error)) http.Handler {
	return methods("GET, HEAD", func(w http.ResponseWriter, r *http.Request) error {
		c, err := get(r)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", c.mediaType)
		h.Set("Cache-Control", "no-cache")
		if c.cache != "" {
			h.Set("Cache-Control", c.cache)
		}
		h.Set("ETag", `"`+kit.Hash(c.body)+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(c.body))
		return nil
	})
}

const jsonType = "application/json"

func (s *server) find(id string) (Study, error) {
	i := slices.IndexFunc(s.kit.Studies, func(st Study) bool { return st.ID == id })
	if i < 0 {
		return Study{}, problemf(unknownStudy, "", "no study %q", id).hint("there are " + strings.Join(s.ids(), ", "))
	}
	return s.kit.Studies[i], nil
}

func (s *server) ids() []string {
	var ids []string
	for _, st := range s.kit.Studies {
		ids = append(ids, st.ID)
	}
	return ids
}

func (s *server) forget() {
	s.files = kit.Memory{}
	s.session = proto.NewSessionFS(design.All, s.files)
	s.made = map[string]content{}
}

// once keeps what a resource consists of: a bundle's kit never changes.
func (s *server) once(get func(*http.Request) (content, error)) func(*http.Request) (content, error) {
	return func(r *http.Request) (content, error) {
		key := fmt.Sprint(r.URL.Path, " ", withoutVectors(r))
		s.mu.Lock()
		c, ok := s.made[key]
		s.mu.Unlock()
		if ok {
			return c, nil
		}
		c, err := get(r)
		if err == nil {
			s.mu.Lock()
			s.made[key] = c
			s.mu.Unlock()
		}
		return c, err
	}
}

// with runs a computation while the named files are held.
func (s *server) with(names []string, compute func() error) error {
	for {
		s.mu.Lock()
		var missing []string
		for _, name := range names {
			if _, ok := s.files[name]; !ok {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			defer s.mu.Unlock()
			whole := false
			defer func() {
				if !whole { // a panic: what is kept may be in any state
					s.forget()
				}
			}()
			err := compute()
			whole = true
			s.trim()
			return err
		}
		s.mu.Unlock()
		// Not under the lock: a client may go away while its files are on their way, and then nobody would unlock.
		data, err := s.kit.Read(missing)
		if err != nil {
			return problemf(unavailable, "", "a file of the kit could not be read: %v", err).hint("try again")
		}
		s.mu.Lock()
		for i, name := range missing {
			s.files[name] = data[i]
		}
		s.mu.Unlock()
	}
}

// trim keeps memory bounded whatever is asked for: scorers of every parameter that was ever asked for are cached.
func (s *server) trim() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc < s.heap {
		return
	}
	runtime.GC()
	if runtime.ReadMemStats(&m); m.HeapAlloc >= s.heap {
		s.forget()
		runtime.GC()
	}
}

// protocolFiles are the files that protocols are read from; no data.
func protocolFiles(studies ...Study) (names []string) {
	for _, st := range studies {
		for _, f := range st.Files {
			if f == st.ID+"/study.json" || path.Base(f) == "manifest.json" {
				names = append(names, f)
			}
		}
	}
	return names
}

func (s *server) studies(*http.Request) (content, error) {
	return s.result(protocolFiles(s.kit.Studies...), proto.StudiesRequest{Head: head("studies")})
}

func withoutVectors(r *http.Request) bool { return r.URL.Query().Get("vectors") == "no" }

// results are the frozen file's bytes, so that the body's SHA-256 is the results' hash.
func (s *server) results(r *http.Request) (content, error) {
	data, err := s.frozenFile(r.PathValue("id"), withoutVectors(r))
	return content{jsonType, "", data}, err
}

func (s *server) frozenFile(id string, without bool) (data []byte, err error) {
	st, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var name string
	files := protocolFiles(st)
	err = s.with(files, func() error {
		p, _, err := study.ReadProtocol(design.All, s.files, id)
		if err == nil {
			name = p.FrozenResults(study.Options{WithoutVectors: without})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(st.Files, name) {
		return nil, problemf(notFound, "", "study %s has no frozen results of this kind", id)
	}
	err = s.with(append(files, name), func() error {
		k, err := kit.Open(s.files, id)
		if err == nil {
			data, err = k.Read(name)
		}
		return err
	})
	return data, err
}

// result is the result of one request of core/proto, as a resource.
func (s *server) result(files []string, request any) (content, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return content{}, err
	}
	out, err := s.answer(files, body)
	return content{jsonType, "", out.Result}, err
}

func (s *server) describe(r *http.Request) (content, error) {
	st, err := s.find(r.PathValue("id"))
	if err != nil {
		return content{}, err
	}
	return s.result(st.Files, proto.LoadRequest{Head: head("load"), Study: st.ID})
}

func (s *server) frozen(r *http.Request) (content, error) {
	st, err := s.find(r.PathValue("id"))
	if err != nil {
		return content{}, err
	}
	if _, err := s.frozenFile(st.ID, withoutVectors(r)); err != nil {
		return content{}, err // not there
	}
	return s.result(st.Files, proto.FrozenRequest{Head: head("frozen"), Study: st.ID, WithoutVectors: withoutVectors(r)})
}

func head(kind string) proto.Head { return proto.Head{ID: json.RawMessage("null"), Kind: kind} }

// atHome are the requests that read every file or score every question.
var atHome = []string{"add", "close", "figures", "replay", "unit", "verify"}

// asked is what is looked at before a request is handed on.
type asked struct {
	proto.Head
	Study          string
	Method         string
	Methods        []string
	K              int
	WithoutVectors bool
}

// request answers POST /v1/requests with the reply that every host gives.
func (s *server) request(w http.ResponseWriter, r *http.Request) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != jsonType {
		return problemf(badType, "", "Content-Type %q", r.Header.Get("Content-Type")).hint("send Content-Type: " + jsonType)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return problemf(badRequest, "", "the body could not be read: %v", err)
	}
	if len(body) > MaxBody {
		return problemf(tooLarge, "", "a request of more than %d bytes", MaxBody).
			hint("send less, or ask an engine of your own: go run ./cmd/native request")
	}
	var q asked
	if err := json.Unmarshal(body, &q); err != nil {
		// The types of the members that are looked at here are those of every request, so that this is core/proto's to say.
		return asProblem(proto.Handle(proto.NewSession(design.All), body), s.kit.Left)
	}
	var files []string
	switch {
	case slices.Contains(atHome, q.Kind):
		return s.sendHome(q)
	case q.Kind == "studies":
		files = protocolFiles(s.kit.Studies...)
	case slices.Contains([]string{"describe", "load", "frozen", "explain", "question", "questions", "search"}, q.Kind):
		st, err := s.find(q.Study)
		if err != nil {
			return err
		}
		files = st.Files
	default:
		return problemf(badRequest, "", "unknown kind %q", q.Kind).
			hint("the edge answers describe, explain, frozen, load, question, questions, search and studies")
	}
	if q.K > MaxPlaces {
		return problemf(tooLarge, "", "k is %d: at most %d here", q.K, MaxPlaces).
			hint("ask for fewer documents, or ask an engine of your own: go run ./cmd/native request")
	}
	terms := append([]string{q.Method}, q.Methods...)
	for _, t := range terms {
		if len(t) > MaxMethod {
			return problemf(tooLarge, "", "a method's term of %d bytes: at most %d here", len(t), MaxMethod).
				hint("name one of the study's methods, or ask an engine of your own: go run ./cmd/native request")
		}
	}
	dense := ""
	if len(s.kit.Left) > 0 && (q.Kind == "search" || q.Kind == "question") {
		err := s.with(files, func() error {
			st, err := s.session.Study(q.Study)
			if err == nil {
				dense = firstDense(st, terms)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if dense != "" {
		return denseProblem(q.Study, "%s needs vectors, which are not kept at the edge", dense)
	}
	out, err := s.answer(files, body)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(out.raw)))
	_, err = w.Write(out.raw)
	return err
}

// firstDense returns the first of some methods that needs vectors.
func firstDense(st *study.Study, terms []string) string {
	for _, text := range terms {
		if text == "" {
			continue
		}
		t, err := method.Parse(text)
		if err != nil {
			continue // the engine says what is wrong with it
		}
		if st.Needs(t).Vectors {
			return text
		}
	}
	return ""
}

type reply struct {
	Result json.RawMessage
	Error  *proto.Error
	raw    []byte
}

// answer hands a request to the engine. A reply that holds an error is returned as a problem that holds the reply.
func (s *server) answer(files []string, body []byte) (out reply, err error) {
	err = s.with(files, func() error {
		out.raw = proto.Handle(s.session, body)
		return nil
	})
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(out.raw, &out); err != nil {
		return out, err
	}
	if out.Error != nil {
		return out, asProblem(out.raw, s.kit.Left)
	}
	return out, nil
}

func (s *server) sendHome(q asked) error {
	id := q.Study
	if _, err := s.find(id); err != nil { // some kinds name no study
		id = "STUDY"
	}
	command := "go run ./cmd/native replay " + id
	if q.WithoutVectors {
		command += " --without-vectors"
	}
	p := problemf(runAtHome, "", "%s reads or scores a whole study, which the edge does not do", q.Kind)
	p.home = &home{Page: "/", Command: command}
	return p.hint("press Replay on the page, which runs in your browser, or run " + command + " in a copy of the project")
}
