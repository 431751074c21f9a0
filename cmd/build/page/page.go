// Package page writes the site's HTML: text and frozen numbers that can be read before any script runs.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"retrace"
)

// Asset is a file of the site that a page loads: its path below the site's root and its subresource integrity.
type Asset struct{ Path, Integrity string }

// Engine is what the page's script needs to start workers.
type Engine struct {
	Worker, Wasm Asset
	Only         map[string]Asset // by a design's key: the engine that knows it alone, and loads sooner
}

// Input is what the build knows when it asks for the pages.
type Input struct {
	Base     string  // path of the site on its host, with slashes at both ends; only pages that can be served from any address need it
	Policy   string  // Content-Security-Policy for a <meta> element
	Script   Asset   // ES module
	Style    Asset   // Path is "" where the script imports no style
	Preload  []Asset // modules that the script imports at once
	Engine   Engine
	Studies  []string                    // folders of Kit with a study.json, sorted
	Kit      fs.FS                       // kit files by their paths in the kit, such as r01/frozen/results.json
	Address  func(kitPath string) string // of a kit's file, below the site's root; "" where it is not published
	Archives map[string]Archive          // sealed archives by study; a study may have none
	Notices  string                      // the licences of what the site is built with: path below its root, "" for none
}

// Archive is a study's sealed archive in its containers.
type Archive struct {
	Identity string // SHA-256 of its inventory
	Files    []ArchiveFile
}

// ArchiveFile is an archive in one container.
type ArchiveFile struct {
	Name    string // to save it under
	Address string // below the site's root
	SHA256  string
	Bytes   int64
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

//go:embed templates
var templates embed.FS

// frame is what every page has around its content.
type frame struct {
	Input
	Version     string // of the project
	Root        string // relative address of the site's root, "" or with a slash at its end
	Title       string
	Description string
	Study       string // its ID, "" on pages that show no study
	Script      bool   // whether the page loads the script
}

// A pageData is one page's frame and content.
type pageData struct {
	Frame  frame
	Layout string // template of the content: "article", "front" or "missing"
	*article
	List []*article // front page
}

// Render returns every page of the site. It must give index.html and 404.html, and equal input must give equal bytes.
// Each study has an article under its ID; the front page lists them, or is the article where there is one study alone.
func Render(in Input) ([]File, error) {
	if in.Address == nil {
		in.Address = func(string) string { return "" }
	}
	var files []File
	add := func(name, layout string, p *pageData) error {
		data, err := execute(layout, p)
		files = append(files, File{name, data})
		return err
	}
	front := &pageData{}
	for _, id := range in.Studies {
		a, err := newArticle(in, id)
		if err != nil {
			return nil, fmt.Errorf("page: study %s: %w", id, err)
		}
		front.List = append(front.List, a)
		name := id + "/index.html"
		if err := add(name, "article", a.page(in, name)); err != nil {
			return nil, err
		}
	}
	if len(front.List) == 1 {
		if err := add("index.html", "article", front.List[0].page(in, "index.html")); err != nil {
			return nil, err
		}
	} else {
		front.Frame = frame{Input: in, Root: Root("index.html"), Title: "Retrace",
			Description: "Retrieval studies that replay in this browser, number by number.", Script: true}
		if err := add("index.html", "front", front); err != nil {
			return nil, err
		}
	}
	missing := &pageData{Frame: frame{Input: in, Root: in.Base, Title: "Nothing here", Description: "There is no page at this address."}}
	return files, add("404.html", "missing", missing)
}

func execute(layout string, p *pageData) ([]byte, error) {
	p.Layout, p.Frame.Version = layout, retrace.Version
	page, err := parsed(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, p)
	return b.Bytes(), err
}

// parsed is the frame with all templates. Among what they may call is content, which fills in one of them by its name.
func parsed(p *pageData) (*template.Template, error) {
	page := template.New("index.html")
	call := functions(p)
	call["content"] = func(name string) (template.HTML, error) {
		var b strings.Builder
		err := page.ExecuteTemplate(&b, name, p)
		return template.HTML(b.String()), err
	}
	if _, err := page.Funcs(call).Parse(retrace.Frame); err != nil {
		return nil, err
	}
	return page.ParseFS(templates, "templates/*.html")
}
