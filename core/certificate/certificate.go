// Package certificate holds what a cross-check of a study found, as a document that others can check: which kit, engine
// and platforms, the hash of what each computed, and how far embeddings that were made again are from the bundled ones.
//
// It is evidence of agreement, not a signature: anybody can write one. What makes it worth something is that everything
// in it can be computed again and compared (Compare).
package certificate

import (
	"fmt"
	"strings"
	"unicode"

	"retrace/core/dense"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study"
)

// Format names the version of the layout below.
const Format = "retrace-certificate/1"

// MaxSize is the longest certificate that Parse reads, in bytes.
const MaxSize = 1 << 20

// A Certificate is the document, written as canonical JSON (RFC 8785).
type Certificate struct {
	Format    string     `json:"format"`
	Study     string     `json:"study"`
	Version   string     `json:"version"` // of the study's data
	Date      string     `json:"date"`    // YYYY-MM-DD as the writer gave it, or empty: nothing here looks at a clock
	Kit       Kit        `json:"kit"`
	Engine    Engine     `json:"engine"`
	Machine   Machine    `json:"machine"`
	Platforms []Platform `json:"platforms"` // native first
	Skipped   []Skipped  `json:"skipped"`
	Encoding  *Encoding  `json:"encoding"` // null where embeddings were not made again
	// Core is the same by the project's own encoder, where Encoding is ONNX Runtime's and both ran.
	Core *Encoding `json:"core,omitempty"`
}

// Kit says what was computed from.
type Kit struct {
	SHA256    string     `json:"sha256"`    // of the canonical JSON of manifests
	Manifests []kit.File `json:"manifests"` // ascending path; each lists the hash of every file of its folder
	Seals     []Seal     `json:"seals"`     // in order
}

// A Seal is one seal of the study's chain.
type Seal struct {
	Stage  string `json:"stage"`
	SHA256 string `json:"sha256"`
}

// Engine says which program computed.
type Engine struct {
	Version string `json:"version"` // the native program's module version or revision, "unknown" where it doesn't say
	Go      string `json:"go"`      // version of the native program's Go
	Wasm    string `json:"wasm"`    // SHA-256 of the WebAssembly engine; empty where none ran
}

// Machine says where it ran.
type Machine struct {
	OS        string `json:"os"`   // GOOS
	Arch      string `json:"arch"` // GOARCH of the native program
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
}

// A Platform is one host of the engine and what it computed.
type Platform struct {
	Name       string      `json:"name"`       // native, node or chromium
	Runtime    string      `json:"runtime"`    // with its version
	Results    string      `json:"results"`    // SHA-256 of the results (canonical JSON)
	Files      []kit.File  `json:"files"`      // everything that the replay made: the results first, then observations
	Difference *Difference `json:"difference"` // first one from the platform before all others, null where there is none
}

// A Difference is where two computations first differ. For the native platform the other one is what the kit holds
// frozen; for the others it is the native platform.
type Difference struct {
	File  string `json:"file"`
	Path  string `json:"path"`  // in the file; empty where the file as a whole differs
	Other string `json:"other"` // JSON; empty where there is nothing
	Here  string `json:"here"`
	Total int    `json:"total"` // differing paths in this file
}

// Skipped is a part of the cross-check that did not run.
type Skipped struct {
	Name string `json:"name"` // node, chromium or encode
	Why  string `json:"why"`
}

// Encoding compares embeddings that were made again with the bundled ones.
type Encoding struct {
	Model         dense.Model   `json:"model"`   // that made the fresh ones
	Bundled       dense.Model   `json:"bundled"` // that made the bundled ones
	Runtime       string        `json:"runtime"`
	RuntimeSHA256 string        `json:"runtimeSha256"` // of ONNX Runtime's library; empty where the project's own encoder ran
	NotPinned     []string      `json:"notPinned"`     // of model, tokenizer, runtime: those that are not the pinned ones
	Documents     Cosines       `json:"documents"`
	Questions     Cosines       `json:"questions"`
	Budgets       study.Budgets `json:"budgets"`
	Declared      bool          `json:"declared"` // the protocol declares the budgets; else they are the default ones
	Ranks         Ranks         `json:"ranks"`
	Metrics       Metrics       `json:"metrics"`
	// Runtimes compares the vectors with those of the other encoding of the certificate; only Core has it.
	Runtimes *Runtimes `json:"runtimes,omitempty"`
}

// Runtimes compare two encodings of the same texts with one model by their cosines.
type Runtimes struct {
	Documents Cosines `json:"documents"`
	Questions Cosines `json:"questions"`
}

// Agree is the least cosine between two runtimes of one model: both compute in float32, in other orders.
const Agree = 0.999999

// Cosines compare the vectors of some texts with the bundled ones.
type Cosines struct {
	Texts     int      `json:"texts"`
	Min       float64  `json:"min"`
	Mean      float64  `json:"mean"`
	Identical int      `json:"identical"` // vectors that are the same to the bit
	Below     int      `json:"below"`     // texts with a cosine below 0.9999
	Lowest    []Cosine `json:"lowest"`    // of those, the lowest, ascending; at most MaxListed
	SameCut   bool     `json:"sameCut"`   // the same texts were cut off as the bundled sidecar lists
}

// Odd is the cosine below which a text is listed.
const Odd = 0.9999

// MaxListed bounds the lists of a certificate.
const MaxListed = 100

// A Cosine is one text's.
type Cosine struct {
	ID     string  `json:"id"`
	Cosine float64 `json:"cosine"`
}

// Ranks compare every ranking by a method that needs embeddings, all questions of the study.
type Ranks struct {
	Methods  []string     `json:"methods"`
	Rankings int          `json:"rankings"` // methods × questions
	Targets  int          `json:"targets"`  // of them, those with a target
	Changed  int          `json:"changed"`  // targets that take another rank
	Places   int          `json:"places"`   // rankings whose kept documents are others or in another order
	List     []RankChange `json:"list"`     // changed targets; at most MaxListed
}

// A RankChange is a target that takes another rank.
type RankChange struct {
	Question string `json:"question"`
	Method   string `json:"method"`
	Bundled  int    `json:"bundled"` // 0: no rank
	Fresh    int    `json:"fresh"`
}

// Metrics compare the numbers of results.
type Metrics struct {
	Compared int            `json:"compared"` // numbers of results
	Changed  int            `json:"changed"`
	Largest  float64        `json:"largest"` // absolute change of a share, mean or difference (show.IsMetric)
	List     []MetricChange `json:"list"`    // every metric of a method that needs embeddings, and what else changed; at most MaxListed
	Failed   string         `json:"failed"`  // why the replay with fresh embeddings has no results, else empty
}

// A MetricChange is one number of results under both embeddings, as JSON.
type MetricChange struct {
	Path    string `json:"path"`
	Bundled string `json:"bundled"`
	Fresh   string `json:"fresh"`
}

// Bytes returns the document.
func (c *Certificate) Bytes() ([]byte, error) {
	data, err := kit.Canonical(c)
	return append(data, '\n'), err
}

// Parse reads a certificate and checks everything that can be checked without a study. Unknown fields are errors.
func Parse(data []byte) (*Certificate, error) {
	const name = "certificate"
	if len(data) > MaxSize {
		return nil, records.Errorf(name, 0, "load a file that `native crosscheck --certificate` wrote", "%d bytes: at most %d", len(data), MaxSize)
	}
	var c Certificate
	if err := records.Decode(name, 0, data, &c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, records.Errorf(name, 0, "load a file that `native crosscheck --certificate` wrote", "%v", err)
	}
	return &c, nil
}

func (c *Certificate) check() error {
	switch {
	case c.Format != Format:
		return fmt.Errorf("format %q: this version reads %q", c.Format, Format)
	case len(c.Platforms) == 0 || len(c.Platforms) > 16:
		return fmt.Errorf("%d platforms: between 1 and 16", len(c.Platforms))
	case c.Platforms[0].Name != Native:
		return fmt.Errorf("the first platform is %q: native comes first", c.Platforms[0].Name)
	case len(c.Kit.Manifests) > 64 || len(c.Kit.Seals) > 64 || len(c.Skipped) > 16:
		return fmt.Errorf("lists of manifests, seals and skipped parts are too long")
	}
	hashes := [][2]string{{"kit.sha256", c.Kit.SHA256}}
	if c.Engine.Wasm != "" {
		hashes = append(hashes, [2]string{"engine.wasm", c.Engine.Wasm})
	}
	for _, p := range c.Platforms {
		if len(p.Files) > 64 {
			return fmt.Errorf("platform %q: %d files: at most 64", p.Name, len(p.Files))
		}
		hashes = append(hashes, [2]string{"results of " + p.Name, p.Results})
		for _, f := range p.Files {
			hashes = append(hashes, [2]string{p.Name + ": " + f.Path, f.SHA256})
		}
	}
	for _, f := range c.Kit.Manifests {
		hashes = append(hashes, [2]string{f.Path, f.SHA256})
	}
	for _, s := range c.Kit.Seals {
		hashes = append(hashes, [2]string{"seal " + s.Stage, s.SHA256})
	}
	for _, h := range hashes {
		if !isHash(h[1]) {
			return fmt.Errorf("%s is %q: 64 lower-case hexadecimal digits are expected", h[0], h[1])
		}
	}
	if what := CheckDate(c.Date); what != "" {
		return fmt.Errorf("date: %s", what)
	}
	for _, e := range c.encodings() {
		if err := e.Budgets.Check(); err != nil {
			return err
		}
		lists := max(len(e.Documents.Lowest), len(e.Questions.Lowest), len(e.Ranks.List), len(e.Metrics.List))
		if r := e.Runtimes; r != nil {
			lists = max(lists, len(r.Documents.Lowest), len(r.Questions.Lowest))
		}
		if lists > MaxListed {
			return fmt.Errorf("encoding: lists hold at most %d entries", MaxListed)
		}
	}
	return nil
}

// encodings are those that are there.
func (c *Certificate) encodings() []*Encoding {
	var list []*Encoding
	for _, e := range []*Encoding{c.Encoding, c.Core} {
		if e != nil {
			list = append(list, e)
		}
	}
	return list
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// CheckDate says what is wrong with a date; an empty one is allowed.
func CheckDate(date string) string {
	if date == "" {
		return ""
	}
	ok := len(date) == 10
	for i := 0; ok && i < len(date); i++ {
		if i == 4 || i == 7 {
			ok = date[i] == '-'
		} else {
			ok = '0' <= date[i] && date[i] <= '9'
		}
	}
	if ok {
		month, day := date[5:7], date[8:10]
		ok = "01" <= month && month <= "12" && "01" <= day && day <= "31"
	}
	if !ok {
		return fmt.Sprintf("%q is not a date: write it as 2026-12-01", date)
	}
	return ""
}

// Names of platforms.
const (
	Native   = "native"
	Node     = "node"
	Chromium = "chromium"
)

// Problems lists, as sentences, everything in which the computations disagree beyond what is allowed; none where all
// agree. It goes by the figures, not by a verdict that the document might state.
func (c *Certificate) Problems() []string {
	var list []string
	first := c.Platforms[0]
	if d := first.Difference; d != nil {
		list = append(list, fmt.Sprintf("native differs from the frozen %s at %s", d.File, d.at()))
	}
	for _, p := range c.Platforms[1:] {
		switch d := p.Difference; {
		case d != nil:
			list = append(list, fmt.Sprintf("%s differs from native in %s at %s", p.Name, d.File, d.at()))
		case p.Results != first.Results || !sameFiles(p.Files, first.Files):
			list = append(list, p.Name+" gives other hashes than native")
		}
	}
	for _, e := range c.encodings() {
		for _, what := range e.Exceeded() {
			if e == c.Core {
				what = "the project's own encoder: " + what
			}
			list = append(list, what)
		}
	}
	return list
}

func (d *Difference) at() string {
	if d.Path == "" {
		return "its start"
	}
	return d.Path
}

func sameFiles(a, b []kit.File) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Exceeded lists, as sentences, what goes beyond the budgets.
func (e *Encoding) Exceeded() []string {
	var list []string
	for _, part := range []struct {
		name string
		c    Cosines
	}{{"documents", e.Documents}, {"questions", e.Questions}} {
		if part.c.Min < e.Budgets.MinCosine {
			list = append(list, fmt.Sprintf("%s: the least cosine is %s, the budget is %v", part.name, CosineText(part.c.Min), e.Budgets.MinCosine))
		}
		if !part.c.SameCut {
			list = append(list, part.name+": other texts were cut off than the bundled sidecar lists")
		}
	}
	if r := e.Runtimes; r != nil && min(r.Documents.Min, r.Questions.Min) < Agree {
		list = append(list, fmt.Sprintf("the least cosine to the other runtime's vectors is %s, below %v", CosineText(min(r.Documents.Min, r.Questions.Min)), Agree))
	}
	if float64(e.Ranks.Changed) > e.Budgets.RanksChanged*float64(e.Ranks.Targets) {
		list = append(list, fmt.Sprintf("%d of %d target ranks changed, the budget is %v of them", e.Ranks.Changed, e.Ranks.Targets, e.Budgets.RanksChanged))
	}
	if e.Metrics.Failed != "" {
		list = append(list, "no results with fresh embeddings: "+e.Metrics.Failed)
	} else if e.Metrics.Largest > e.Budgets.MetricChange {
		list = append(list, fmt.Sprintf("a metric changed by %.6f, the budget is %v", e.Metrics.Largest, e.Budgets.MetricChange))
	}
	return list
}

// Plain replaces control and format characters, so that a certificate's text can't drive a terminal.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
