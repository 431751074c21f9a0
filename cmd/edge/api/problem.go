package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"retrace/core/proto"
	"retrace/core/records"
)

// A kind of problem: its code, its HTTP status and its title, which is the same every time.
type kind struct {
	Code   string `json:"code"`
	Status int    `json:"status"`
	Title  string `json:"title"`
}

var (
	badRequest   = kind{"bad-request", 400, "The request is not one of the protocol's"}
	runAtHome    = kind{"run-at-home", 403, "The edge answers cheap requests only"}
	noVectors    = kind{"no-vectors", 403, "Vectors are not kept at the edge"}
	notFound     = kind{"not-found", 404, "There is nothing of this name"}
	unknownStudy = kind{"unknown-study", 404, "There is no such study"}
	badMethod    = kind{"bad-method", 405, "The resource does not take this method"}
	tooSlow      = kind{"too-slow", 408, "The request took too long to arrive"} // the shim says so
	tooLarge     = kind{"too-large", 413, "The request asks for too much at once"}
	badType      = kind{"bad-type", 415, "The body is of another type than JSON"}
	failed       = kind{"failed", 422, "The request cannot be answered"}
	fault        = kind{"fault", 500, "The program is at fault"} // the shim says so, too
	badKit       = kind{"bad-kit", 500, "The kit's files are not as they should be"}
	unavailable  = kind{"unavailable", 503, "A file cannot be had right now"}
)

var kinds = []kind{badRequest, runAtHome, noVectors, notFound, unknownStudy, badMethod, tooSlow, tooLarge, badType, failed, fault,
	badKit, unavailable}

// home says where a full replay runs.
type home struct {
	Page    string `json:"page"`    // address of the page that replays in the browser
	Command string `json:"command"` // in a copy of the project
}

// problem is an error in the form of RFC 9457.
type problem struct {
	kind   kind
	where  string
	detail string
	way    string
	home   *home
	reply  json.RawMessage // of core/proto, as every host gives it
}

func (p *problem) Error() string { return p.detail }

func (p *problem) hint(way string) *problem { p.way = way; return p }

func problemf(k kind, where, format string, args ...any) *problem {
	return &problem{kind: k, where: where, detail: fmt.Sprintf(format, args...)}
}

func denseProblem(study, format string, args ...any) *problem {
	command := "go run ./cmd/native request"
	p := problemf(noVectors, "", format, args...).hint("ask the page, which loads them into your browser, or run " + command +
		" in a copy of the project; or take a method without vectors, such as bm25")
	p.home = &home{Page: "/", Command: command}
	return p
}

// asProblem turns an error reply of core/proto into a problem.
func asProblem(raw []byte, left []string) error {
	var r struct{ Error proto.Error }
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	if slices.Contains(left, r.Error.Where) {
		return denseProblem("", "this needs %s, which is not kept at the edge", r.Error.Where)
	}
	k := failed
	for _, other := range []kind{badRequest, notFound, badKit} {
		if other.Code == r.Error.Code {
			k = other
		}
	}
	p := problemf(k, r.Error.Where, "%s", r.Error.Message).hint(r.Error.Hint)
	p.reply = raw
	return p
}

func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	var bad *records.Error
	switch {
	case errors.As(err, &p):
	case errors.As(err, &bad):
		p = problemf(badKit, bad.File, "%v", bad).hint(bad.Hint)
	default:
		p = problemf(fault, "", "%v", err).hint("please report this with the request that caused it")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // strings and checked JSON can always be written
		Type   string          `json:"type"`
		Title  string          `json:"title"`
		Status int             `json:"status"`
		Detail string          `json:"detail"`
		Code   string          `json:"code"`
		Hint   string          `json:"hint,omitempty"`
		Where  string          `json:"where,omitempty"`
		Home   *home           `json:"home,omitempty"`
		Reply  json.RawMessage `json:"reply,omitempty"`
	}{"/v1/problems#" + p.kind.Code, p.kind.Title, p.kind.Status, p.detail, p.kind.Code, p.way, p.where, p.home, p.reply})
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Encoding", "Last-Modified"} {
		h.Del(name)
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(p.kind.Status)
	_, _ = w.Write(b.Bytes()) // the client has gone; nothing to do about it
}

// problems lists the kinds of problems: what a problem's type leads to.
func problems(*http.Request) (content, error) {
	data, err := json.MarshalIndent(map[string][]kind{"problems": kinds}, "", " ")
	return content{jsonType, "", append(data, '\n')}, err
}
