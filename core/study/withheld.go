package study

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"retrace/core/digest"
	"retrace/core/kit"
)

// A Withheld is a file that a study rests on and can't hand on, since it is somebody else's. The protocol fixes its hash, and
// whoever has the file replays the study with it.
type Withheld struct {
	SHA256 string `json:"sha256"` // in lower-case hexadecimal
	Bytes  int    `json:"bytes"`
	Holder string `json:"holder"` // whose it is
	Terms  string `json:"terms"`  // on what terms they let it be used
	Get    string `json:"get"`    // how to get it, as a reader is told
}

// Formats of documents and of questions, beside BEIR's.
const (
	formatBEIR    = "beir"
	formatHTMLTar = "html-tar"
	formatDoc     = "doc"
)

// maxWithheld bounds the files that a study withholds.
const maxWithheld = 64

// withheldPaths lists the withheld files, ascending.
func (p *Protocol) withheldPaths() []string {
	paths := make([]string, 0, len(p.Withheld))
	for name := range p.Withheld {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	return paths
}

func (p *Protocol) checkWithheld() error {
	if len(p.Withheld) > maxWithheld {
		return fmt.Errorf("withheld: at most %d files", maxWithheld)
	}
	for _, name := range p.withheldPaths() {
		w := p.Withheld[name]
		inside, ok := strings.CutPrefix(name, p.ID+"/")
		switch {
		case !ok || !fs.ValidPath(name) || strings.ContainsAny(name, `\:`):
			return fmt.Errorf("withheld: %q: name a file of the study's folder, as in %s/corpus.tar.gz", name, p.ID)
		case inside == "study.json" || inside == "manifest.json" || name == p.Document || name == p.Notes ||
			strings.HasPrefix(inside, "seals/") || strings.HasPrefix(inside, "frozen/"):
			return fmt.Errorf("withheld: %s: what says how a study was made, and what it gave, can't be withheld", name)
		case len(w.SHA256) != 2*digest.Size || strings.Trim(w.SHA256, "0123456789abcdef") != "":
			return fmt.Errorf("withheld: %s: sha256 %q: give 64 hexadecimal digits in lower case", name, w.SHA256)
		case w.Bytes < 1 || w.Bytes > kit.MaxFile:
			return fmt.Errorf("withheld: %s: bytes %d: between 1 and %d", name, w.Bytes, kit.MaxFile)
		case w.Holder == "" || w.Terms == "" || w.Get == "":
			return fmt.Errorf("withheld: %s: say whose it is (holder), on what terms (terms) and how to get it (get)", name)
		}
	}
	return nil
}

func (p *Protocol) checkFormats() error {
	c := p.Collection
	switch {
	case c.Format != "" && c.Format != formatBEIR && c.Format != formatHTMLTar:
		return fmt.Errorf("collection.format %q: use beir or html-tar", c.Format)
	case c.Format == formatHTMLTar && c.View != nil:
		return fmt.Errorf("collection.view: an html-tar holds no passages to choose from")
	case c.Format != formatHTMLTar && c.Citations != 0:
		return fmt.Errorf("collection.citations: only an html-tar has them")
	case c.Citations < 0 || c.Citations > 0 && c.Links != "":
		return fmt.Errorf("collection.citations: name a kind of line above 0, and no file of links beside it")
	case p.Questions.Format != "" && p.Questions.Format != formatBEIR && p.Questions.Format != formatDoc:
		return fmt.Errorf("questions.format %q: use beir or doc", p.Questions.Format)
	}
	return nil
}

// withhold tells a kit of the withheld files.
func (p *Protocol) withhold(k *kit.Kit) error {
	for _, name := range p.withheldPaths() {
		w := p.Withheld[name]
		known := &kit.Withheld{File: kit.File{Path: name, Bytes: int64(w.Bytes), SHA256: w.SHA256}, Holder: w.Holder, Get: w.Get}
		if err := k.Withhold(known); err != nil {
			return err
		}
	}
	return nil
}
