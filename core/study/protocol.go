// Package study runs a study: its protocol (study.json), methods by name, selection and lock, observations, results and
// their comparison with what is frozen. It knows no study by name; what differs between studies is their protocol.
package study

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/author"
	"retrace/core/collection"
	"retrace/core/method"
	"retrace/core/records"
)

// Format names the version of study.json that this engine writes; it reads the one before too.
const (
	Format  = "retrace-study/2"
	Format1 = "retrace-study/1"
)

// A Protocol is study.json: everything that a study fixes, as data. docs/studies.md explains it with an example,
// kit/study.schema.json describes it for other tools. Paths start at the kit's root.
type Protocol struct {
	Schema     string          `json:"$schema,omitempty"`
	Format     string          `json:"format"`
	ID         string          `json:"id"`
	Title      string          `json:"title"`               // the question that the study asks
	Authors    []author.Author `json:"authors"`             // whom to cite: 1 to 100 people, organisations, or names that may be either
	Summary    string          `json:"summary"`             // two sentences for a list of studies
	Version    string          `json:"version"`             // of the study's data
	Published  string          `json:"published,omitempty"` // date of publication, YYYY-MM-DD; archives need it
	Document   string          `json:"document"`            // the protocol in words
	Notes      string          `json:"notes,omitempty"`
	Licence    Licence         `json:"licence"`
	Provenance string          `json:"provenance"` // who made the data, and how far it can be trusted
	Readings   []string        `json:"readings"`   // where the protocol's words are open, what was taken them to mean
	Seed       uint64          `json:"seed"`
	Collection Collection      `json:"collection"`
	Questions  Questions       `json:"questions,omitzero"` // not where a design names files of needs
	Graphs     []GraphSpec     `json:"graphs"`
	Relations  *Relations      `json:"relations,omitempty"`
	Methods    []MethodSpec    `json:"methods"`
	Keep       int             `json:"keep"` // how many of the best documents an observation holds
	Budgets    *Budgets        `json:"budgets,omitempty"`

	Withheld map[string]Withheld `json:"withheld,omitempty"` // files that can't be handed on, by path

	Design string `json:"-"` // the key of the design's part, of which study.json has exactly one
	Spec   Spec   `json:"-"`
}

// A Licence names the licences of a study by their SPDX identifiers.
type Licence struct {
	Data string `json:"data"`
	Code string `json:"code"`
}

// A Collection says what is searched and how its text is processed.
type Collection struct {
	Documents string   `json:"documents"`           // corpus.jsonl, BEIR layout; passages.jsonl where there is a view
	Links     string   `json:"links,omitempty"`     // source, target
	Indexed   []string `json:"indexed"`             // fields joined by single spaces; a field may repeat
	Analyzer  string   `json:"analyzer"`            // ascii, unicode, whitespace or english: docs/studies.md, Analyzers
	Stopwords string   `json:"stopwords,omitempty"` // one word a line
	Vectors   string   `json:"vectors,omitempty"`   // .f32, in the documents' file order; its sidecar has the extension .json

	View *collection.View `json:"view,omitempty"` // which passages are searched

	Format    string `json:"format,omitempty"`    // beir (where none is named) or html-tar: a tar.gz of HTML records in Latin-1
	Citations int    `json:"citations,omitempty"` // html-tar: the kind of the records' lines "number, kind, number" that are links
}

// Questions says what is asked.
type Questions struct {
	File    string `json:"file"` // queries.jsonl, BEIR layout
	Vectors string `json:"vectors,omitempty"`
	Format  string `json:"format,omitempty"` // beir (where none is named) or doc: <DOC><DOCNO>ID</DOCNO>text</DOC>
}

// A GraphSpec names a graph that walks may use: a projection of the links ("undirected", "directed"), no edges at all
// ("empty"), or a degree-preserving rewiring ("rewired") of another one.
type GraphSpec struct {
	Name         string `json:"name"`
	From         string `json:"from"`
	Of           string `json:"of,omitempty"`           // rewired: the graph to rewire
	Stream       uint64 `json:"stream,omitempty"`       // rewired: the random stream
	SwapsPerEdge int    `json:"swapsPerEdge,omitempty"` // rewired: successful swaps for each edge
}

// A MethodSpec gives a method a name in results.
type MethodSpec struct {
	Name  string `json:"name"`
	Term  string `json:"term"`  // as in bm25(k1=1.2,b=0.75): docs/studies.md, Methods
	Role  string `json:"role"`  // baseline, graph, dense or control: its colour and its table on the page
	Label string `json:"label"` // for people
	Note  string `json:"note,omitempty"`
	Adds  string `json:"adds,omitempty"` // what it adds to what it is compared with, as sentences begin: The links
}

// isDate reports whether a text has the form YYYY-MM-DD with a month and a day that can be.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return "01" <= s[5:7] && s[5:7] <= "12" && "01" <= s[8:] && s[8:] <= "31"
}

// Named reports whether a name may stand in results, terms and TREC run tags: 1 to 64 letters, digits and _.+:-, the first
// a letter or digit.
func Named(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		case i > 0 && strings.IndexByte("_.+:-", c) >= 0:
		default:
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 64
}

// ParseProtocol reads and checks study.json.
func ParseProtocol(designs Designs, file string, data []byte) (*Protocol, error) {
	p, err := designs.decode(file, data)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, records.Errorf(file, 0, "correct "+fieldOf(err)+"; $defs in study.schema.json and docs/studies.md say what may stand there", "%v", err)
	}
	return p, nil
}

// fieldOf is the field that an error of check begins with, as they all do.
func fieldOf(err error) string {
	field, _, _ := strings.Cut(err.Error(), ":")
	if field, _, _ = strings.Cut(field, " "); field == "" {
		return "the field"
	}
	return field
}

// Roles are what a method may be in a study.
var Roles = []string{"baseline", "graph", "dense", "control"}

// CheckRole refuses an unknown role.
func CheckRole(field, name, role string) error {
	if !slices.Contains(Roles, role) {
		return fmt.Errorf("%s: %s: unknown role %q: use one of %s", field, name, role, strings.Join(Roles, ", "))
	}
	return nil
}

// DistinctStreams finds random streams that two uses of a study would share: their draws would not be independent.
func DistinctStreams(field string, streams ...uint64) error {
	for i, s := range streams {
		if slices.Contains(streams[:i], s) {
			return fmt.Errorf("%s: stream %d is used twice: give every use a number of its own", field, s)
		}
	}
	return nil
}

// Bounds of what a protocol may ask for.
const MaxMethods, maxGraphs, MaxDraws = 512, 64, 1_000_000

func (p *Protocol) check() error {
	if what := author.CheckAll(p.Authors); what != "" {
		return fmt.Errorf("authors: %s", what)
	}
	switch {
	case p.Format != Format && p.Format != Format1:
		return fmt.Errorf("format %q: this engine reads %q and %q", p.Format, Format, Format1)
	case !Named(p.ID):
		return fmt.Errorf("id %q: use letters, digits and -", p.ID)
	case len(p.Authors) < 1 || len(p.Authors) > 100:
		return fmt.Errorf("authors: name 1 to 100, as archives cite them: \"authors\": [{\"given\": \"Ada\", \"family\": \"Author\"}]")
	case p.Collection.Documents == "":
		return fmt.Errorf("collection.documents is needed")
	case len(p.Collection.Indexed) == 0 || len(p.Collection.Indexed) > 16:
		return fmt.Errorf("collection.indexed: name 1 to 16 fields")
	case p.Published != "" && !isDate(p.Published):
		return fmt.Errorf("published %q: a date as YYYY-MM-DD", p.Published)
	case p.Keep < 1 || p.Keep > MaxKeep:
		return fmt.Errorf("keep %d: between 1 and %d", p.Keep, MaxKeep)
	case len(p.Methods) == 0 || len(p.Methods) > MaxMethods:
		return fmt.Errorf("methods: between 1 and %d", MaxMethods)
	case len(p.Graphs) > maxGraphs:
		return fmt.Errorf("graphs: at most %d", maxGraphs)
	}
	if err := p.checkWithheld(); err != nil {
		return err
	}
	if err := p.checkFormats(); err != nil {
		return err
	}
	for _, f := range p.Collection.Indexed {
		if f != "title" && f != "text" {
			return fmt.Errorf("collection.indexed: unknown field %q: use title or text", f)
		}
	}
	names := map[string]bool{}
	for _, m := range p.Methods {
		if !Named(m.Name) || names[m.Name] {
			return fmt.Errorf("methods: name %q is malformed or used twice", m.Name)
		}
		names[m.Name] = true
		if err := CheckRole("methods", m.Name, m.Role); err != nil {
			return err
		}
		t, err := method.Parse(m.Term)
		if err != nil {
			return err
		}
		if err := checkName(m.Name, t); err != nil {
			return err
		}
	}
	graphs := map[string]bool{}
	for _, g := range p.Graphs {
		if !Named(g.Name) || graphs[g.Name] {
			return fmt.Errorf("graphs: name %q is malformed or used twice", g.Name)
		}
		switch g.From {
		case "undirected", "directed", "empty":
		case "rewired":
			if !graphs[g.Of] {
				return fmt.Errorf("graphs: %s rewires %q, which must be declared before it", g.Name, g.Of)
			}
			if g.SwapsPerEdge < 1 || g.SwapsPerEdge > 1000 {
				return fmt.Errorf("graphs: %s: swapsPerEdge %d: between 1 and 1000", g.Name, g.SwapsPerEdge)
			}
		default:
			return fmt.Errorf("graphs: %s: unknown kind %q: use undirected, directed, empty or rewired", g.Name, g.From)
		}
		graphs[g.Name] = true
	}
	if p.Relations != nil {
		if err := p.Relations.check(); err != nil {
			return err
		}
	}
	if p.Budgets != nil {
		if err := p.Budgets.Check(); err != nil {
			return err
		}
	}
	return p.Spec.Check(p)
}

// HasMethod reports whether the protocol defines a method.
func (p *Protocol) HasMethod(name string) bool {
	return slices.ContainsFunc(p.Methods, func(m MethodSpec) bool { return m.Name == name })
}

// Label names a method for people.
func (p *Protocol) Label(name string) string {
	if m, ok := p.Method(name); ok {
		return m.Label
	}
	return name
}

// NeedMethod refuses the name of a method that the protocol doesn't define.
func (p *Protocol) NeedMethod(field, name string) error {
	if !p.HasMethod(name) {
		return fmt.Errorf("%s: unknown method %q: define it under methods", field, name)
	}
	return nil
}

// Method returns a method's declaration by its name.
func (p *Protocol) Method(name string) (m MethodSpec, ok bool) {
	for _, m := range p.Methods {
		if m.Name == name {
			return m, true
		}
	}
	return m, false
}

// CheckTerm writes a term out under the protocol's methods and what a lock would fix: parameters out of bounds, unknown
// names and graphs, and circles are found before anything is scored.
func (p *Protocol) CheckTerm(field string, t method.Term, lock Lock) error {
	terms := map[string]method.Term{}
	for _, m := range p.Methods {
		terms[m.Name], _ = method.Parse(m.Term) // parsed before, by check
	}
	out, err := method.Scope{Methods: terms, Variables: lock}.Resolve(t)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	out.Walk(func(u method.Term) {
		for _, name := range method.Kinds.Names(u, method.OfGraph) {
			if !slices.ContainsFunc(p.Graphs, func(g GraphSpec) bool { return g.Name == name }) {
				err = fmt.Errorf("%s: unknown graph %q: declare it under graphs", field, name)
			}
		}
	})
	return err
}
