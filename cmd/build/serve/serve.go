// Package serve serves a built site over HTTP as the hosting notes ask of any host: compressed variants by negotiation,
// exact media types, entity tags, and the headers of package site.
package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"retrace/cmd/build/site"
)

// Handler serves the files of dir at addresses below base, which starts and ends with a slash.
func Handler(dir fs.FS, base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD are served", http.StatusMethodNotAllowed)
			return
		}
		name, below := strings.CutPrefix(r.URL.Path, base)
		if !below {
			if r.URL.Path+"/" == base {
				http.Redirect(w, r, base, http.StatusMovedPermanently)
				return
			}
			name = "404.html/" // is no file, so what follows answers 404
		}
		if name == "" || strings.HasSuffix(name, "/") && fs.ValidPath(strings.TrimSuffix(name, "/")) {
			name += "index.html"
		}
		switch status, err := serveFile(w, r, dir, name, http.StatusOK); {
		case err == nil:
		case status == http.StatusNotFound && isDir(dir, name):
			http.Redirect(w, r, base+name+"/", http.StatusMovedPermanently)
		default:
			if _, err := serveFile(w, r, dir, "404.html", status); err != nil {
				http.Error(w, http.StatusText(status), status)
			}
		}
	})
}

func isDir(dir fs.FS, name string) bool {
	info, err := fs.Stat(dir, name)
	return err == nil && info.IsDir()
}

// serveFile writes one file, in the best coding that the client takes. On an error nothing has been written and status
// says what went wrong.
func serveFile(w http.ResponseWriter, r *http.Request, dir fs.FS, name string, status int) (failed int, err error) {
	if !fs.ValidPath(name) {
		return http.StatusNotFound, fs.ErrNotExist
	}
	mediaType, ok := site.MediaType(name)
	if !ok {
		return http.StatusNotFound, fmt.Errorf("serve: %s: no media type", name)
	}
	if info, err := fs.Stat(dir, name); err != nil || !info.Mode().IsRegular() {
		return http.StatusNotFound, fs.ErrNotExist
	}
	// A range is of the coded bytes (RFC 9110, 14.2); asking for one gets the plain file, which is what a reader of a part wants.
	suffix, coding := "", ""
	if r.Header.Get("Range") == "" {
		suffix, coding = negotiate(dir, name, r.Header.Get("Accept-Encoding"))
	}
	data, err := fs.ReadFile(dir, name+suffix)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	header := w.Header()
	for _, h := range site.Headers(name) {
		header.Set(h.Name, h.Value)
	}
	header.Set("Content-Type", mediaType)
	header.Set("Vary", "Accept-Encoding")
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	if status != http.StatusOK {
		header.Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(data) // the client has gone; nothing to do about it
		}
		return 0, nil
	}
	sum := sha256.Sum256(data)
	header.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	if coding != "" {
		header.Set("Content-Length", strconv.Itoa(len(data))) // ServeContent leaves it out of coded answers
	}
	http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(data))
	return 0, nil
}

// negotiate picks the first variant that exists and that the Accept-Encoding field takes (RFC 9110, 12.5.3).
func negotiate(dir fs.FS, name, accept string) (suffix, coding string) {
	for c, s := range site.Variants {
		if accepts(accept, c) {
			if _, err := fs.Stat(dir, name+s); err == nil {
				return s, c
			}
		}
	}
	return "", ""
}

// accepts says whether an Accept-Encoding field takes a coding: named, or by "*", with a weight above 0.
func accepts(field, coding string) bool {
	any := false
	for part := range strings.SplitSeq(field, ",") {
		name, weight, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != coding && name != "*" {
			continue
		}
		q := 1.0
		if value, ok := strings.CutPrefix(strings.TrimSpace(weight), "q="); ok {
			var err error
			if q, err = strconv.ParseFloat(value, 64); err != nil {
				q = 0
			}
		}
		if name == coding {
			return q > 0
		}
		any = q > 0
	}
	return any
}
