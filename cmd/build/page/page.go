// Package page writes the site's HTML: text and frozen numbers that can be read before any script runs.
package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

// Asset is a file of the site that a page loads: its path below the site's root and its subresource integrity.
type Asset struct{ Path, Integrity string }

// Engine is what the page's script needs to start workers.
type Engine struct{ Worker, Wasm Asset }

// Input is what the build knows when it asks for the pages.
type Input struct {
	Base    string  // path of the site on its host, with slashes at both ends; only pages that can be served from any address need it
	Policy  string  // Content-Security-Policy for a <meta> element
	Script  Asset   // ES module
	Style   Asset   // Path is "" where the script imports no style
	Preload []Asset // modules that the script imports at once
	Engine  Engine
	Studies []string // folders of Kit with a study.json, sorted
	Kit     fs.FS    // kit files by their paths in the kit, such as r01/frozen/results.json
}

// File is one page, by its path below the site's root.
type File struct {
	Path string
	Data []byte
}

// Root is the relative address of the site's root from a page, so that one build works under any folder.
func Root(pagePath string) string {
	return strings.Repeat("../", strings.Count(path.Clean(pagePath), "/"))
}

//go:embed placeholder.html
var placeholder string

// Render returns every page of the site. It must give index.html and 404.html, and equal input must give equal bytes.
func Render(in Input) ([]File, error) {
	t, err := template.New("page").Parse(placeholder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, p := range []struct{ path, root, title string }{
		{"index.html", Root("index.html"), "Retrace"},
		{"404.html", in.Base, "Nothing here"},
	} {
		var b bytes.Buffer
		if err := t.Execute(&b, map[string]any{"In": in, "Root": p.root, "Title": p.title, "Missing": p.path == "404.html"}); err != nil {
			return nil, err
		}
		files = append(files, File{p.path, b.Bytes()})
	}
	return files, nil
}
