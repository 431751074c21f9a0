// Package study runs a study: its protocol (study.json), methods by name, selection and lock, observations, results and
// their comparison with what is frozen. It knows no study by name; what differs between studies is their protocol.
package study

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"retrace/core/collection"
	"retrace/core/method"
	"retrace/core/records"
)

// Format names the version of study.json that this engine reads.
const Format = "retrace-study/1"

// A Protocol is study.json: everything that a study fixes, as data. docs/studies.md explains it with an example,
// kit/study.schema.json describes it for other tools. Paths start at the kit's root.
type Protocol struct {
	Schema     string       `json:"$schema,omitempty"`
	Format     string       `json:"format"`
	ID         string       `json:"id"`
	Title      string       `json:"title"`               // the question that the study asks
	Authors    []string     `json:"authors"`             // whom to cite: 1 to 100 names of people or groups
	Summary    string       `json:"summary"`             // two sentences for a list of studies
	Version    string       `json:"version"`             // of the study's data
	Published  string       `json:"published,omitempty"` // date of publication, YYYY-MM-DD; archives need it
	Document   string       `json:"document"`            // the protocol in words
	Notes      string       `json:"notes,omitempty"`
	Licence    Licence      `json:"licence"`
	Provenance string       `json:"provenance"` // who made the data, and how far it can be trusted
	Readings   []string     `json:"readings"`   // where the protocol's words are open, what was taken them to mean
	Seed       uint64       `json:"seed"`
	Collection Collection   `json:"collection"`
	Questions  Questions    `json:"questions,omitzero"` // not where a design names files of needs
	Graphs     []GraphSpec  `json:"graphs"`
	Relations  *Relations   `json:"relations,omitempty"`
	Methods    []MethodSpec `json:"methods"`
	Keep       int          `json:"keep"` // how many of the best documents an observation holds
	Budgets    *Budgets     `json:"budgets,omitempty"`

	// The design: exactly one of these.
	KnownItem *KnownItem `json:"knownItem,omitempty"`
	Binary    *Binary    `json:"binary,omitempty"`
	Graded    *Graded    `json:"graded,omitempty"`
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
}

// Questions says what is asked.
type Questions struct {
	File    string `json:"file"` // queries.jsonl, BEIR layout
	Vectors string `json:"vectors,omitempty"`
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
}

// KnownItem is the design of studies in which each question was written for one target document, and questions come in
// families that share a target.
type KnownItem struct {
	Targets     string       `json:"targets"`  // family, target, band, split
	Kinds       []string     `json:"kinds"`    // one question of each kind in a family
	Cutoff      int          `json:"cutoff"`   // of the reciprocal rank
	HitsAt      []int        `json:"hitsAt"`   // cutoffs of hits
	Families    int          `json:"families"` // how many there must be
	Sample      Sample       `json:"sample"`
	Development Development  `json:"development"`
	Test        []string     `json:"test"` // methods that are scored on the test families, in the order of the tables
	Contrasts   []Contrast   `json:"contrasts"`
	Misses      MissesMethod `json:"misses"`
	KindNotes   string       `json:"kindNotes,omitempty"` // what must stand beside the results by kind
	Reader      *Reader      `json:"reader,omitempty"`
}

// A Reader is a pilot in which somebody answered questions from the first documents of two methods, without knowing
// which; see reader.go for the rule.
type Reader struct {
	Packet    string   `json:"packet"`  // what the reader saw
	Key       string   `json:"key"`     // which method and question stood behind each context
	Answers   string   `json:"answers"` // what the reader wrote
	Prefix    string   `json:"prefix"`  // hashed before the question's ID to choose questions
	Kind      string   `json:"kind"`    // of the questions
	Questions int      `json:"questions"`
	Top       int      `json:"top"`
	Stream    uint64   `json:"stream"`  // of the contexts' order
	Methods   []string `json:"methods"` // two, the baseline first
}

// A Sample is the rule by which targets were drawn and families split, so that it can be run again.
type Sample struct {
	MinWords          int      `json:"minWords"` // whitespace-separated words of an eligible document's text
	BandWidth         int      `json:"bandWidth"`
	PerBand           int      `json:"perBand"`
	BandStreams       []uint64 `json:"bandStreams"` // one a band
	FamilyStream      uint64   `json:"familyStream"`
	DevelopmentStream uint64   `json:"developmentStream"`
	Development       int      `json:"development"` // families of the development split
}

// Development is the choice that is made on the development families: the best baseline, then the best candidate over
// it. Ties go to what stands first: baselines in their order, teleport ascending, then blend ascending.
type Development struct {
	Baselines []string  `json:"baselines"`
	Candidate string    `json:"candidate"` // a term with $baseline, $teleport and $blend
	Teleport  []float64 `json:"teleport"`
	Blend     []float64 `json:"blend"`
}

// A Contrast compares two methods, paired by family.
type Contrast struct {
	Name            string `json:"name"`
	Method          string `json:"method"`
	Against         string `json:"against"` // a method's name, or $baseline
	Replicates      int    `json:"replicates"`
	BootstrapStream uint64 `json:"bootstrapStream"`
	Draws           int    `json:"draws"`
	FlipStream      uint64 `json:"flipStream"`
}

// MissesMethod names the two methods whose misses are listed.
type MissesMethod struct {
	Baseline string `json:"baseline"`
	Graph    string `json:"graph"`
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

// named reports whether a name may stand in results, terms and TREC run tags: 1 to 64 letters, digits and _.+:-, the first
// a letter or digit.
func named(s string) bool {
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
func ParseProtocol(file string, data []byte) (*Protocol, error) {
	var p Protocol
	if err := records.Decode(file, 0, data, &p); err != nil {
		return nil, err
	}
	if p.Format == Format { // another version has other fields
		if field := missing(reflect.TypeFor[Protocol](), data, ""); field != "" {
			return nil, records.Errorf(file, 0, "study.schema.json says what every study has; a list may be empty: []", "%s is missing", field)
		}
	}
	if err := p.check(); err != nil {
		return nil, records.Errorf(file, 0, "see study.schema.json", "%v", err)
	}
	return &p, nil
}

// Roles are what a method may be in a study.
var Roles = []string{"baseline", "graph", "dense", "control"}

func checkRole(field, name, role string) error {
	if !slices.Contains(Roles, role) {
		return fmt.Errorf("%s: %s: unknown role %q: use one of %s", field, name, role, strings.Join(Roles, ", "))
	}
	return nil
}

// distinctStreams finds random streams that two uses of a study would share: their draws would not be independent.
func distinctStreams(field string, streams ...uint64) error {
	for i, s := range streams {
		if slices.Contains(streams[:i], s) {
			return fmt.Errorf("%s: stream %d is used twice: give every use a number of its own", field, s)
		}
	}
	return nil
}

const maxMethods, maxGraphs, maxDraws = 512, 64, 1_000_000

func (p *Protocol) check() error {
	switch {
	case p.Format != Format:
		return fmt.Errorf("format %q: this engine reads %q", p.Format, Format)
	case !named(p.ID):
		return fmt.Errorf("id %q: use letters, digits and -", p.ID)
	case len(p.Authors) < 1 || len(p.Authors) > 100:
		return fmt.Errorf("authors: name 1 to 100, as archives cite them: \"authors\": [\"Ada Author\"]")
	case slices.ContainsFunc(p.Authors, func(a string) bool { return strings.TrimSpace(a) == "" }):
		return fmt.Errorf("authors: an empty name")
	case p.Collection.Documents == "":
		return fmt.Errorf("collection.documents is needed")
	case (p.Questions.File == "") != (p.Binary != nil):
		return fmt.Errorf("questions.file is needed, but in a binary design, whose splits name files of needs")
	case len(p.Collection.Indexed) == 0 || len(p.Collection.Indexed) > 16:
		return fmt.Errorf("collection.indexed: name 1 to 16 fields")
	case p.Published != "" && !isDate(p.Published):
		return fmt.Errorf("published %q: a date as YYYY-MM-DD", p.Published)
	case p.Keep < 1 || p.Keep > 1000:
		return fmt.Errorf("keep %d: between 1 and 1000", p.Keep)
	case len(p.Methods) == 0 || len(p.Methods) > maxMethods:
		return fmt.Errorf("methods: between 1 and %d", maxMethods)
	case len(p.Graphs) > maxGraphs:
		return fmt.Errorf("graphs: at most %d", maxGraphs)
	case one(p.KnownItem != nil)+one(p.Binary != nil)+one(p.Graded != nil) != 1:
		return fmt.Errorf("give exactly one design: knownItem, binary or graded")
	}
	for _, f := range p.Collection.Indexed {
		if f != "title" && f != "text" {
			return fmt.Errorf("collection.indexed: unknown field %q: use title or text", f)
		}
	}
	names := map[string]bool{}
	for _, m := range p.Methods {
		if !named(m.Name) || names[m.Name] {
			return fmt.Errorf("methods: name %q is malformed or used twice", m.Name)
		}
		names[m.Name] = true
		if err := checkRole("methods", m.Name, m.Role); err != nil {
			return err
		}
		if _, err := method.Parse(m.Term); err != nil {
			return err
		}
	}
	graphs := map[string]bool{}
	for _, g := range p.Graphs {
		if !named(g.Name) || graphs[g.Name] {
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
	switch {
	case p.Binary != nil:
		return p.Binary.check(p, names)
	case p.Graded != nil:
		return p.Graded.check(p, names)
	}
	return p.KnownItem.check(p, names)
}

func (k *KnownItem) check(p *Protocol, methods map[string]bool) error {
	d, s := k.Development, k.Sample
	switch {
	case len(k.Kinds) == 0 || len(k.Kinds) > 32:
		return fmt.Errorf("kinds: between 1 and 32")
	case k.Cutoff != 10 || !slices.Equal(k.HitsAt, []int{1, 10}):
		return fmt.Errorf("cutoff %d, hitsAt %v: the results of this version name their measures mrr10, hits1 and hits10, so cutoff is 10 and hitsAt [1, 10]", k.Cutoff, k.HitsAt)
	case len(d.Baselines) == 0 || len(d.Teleport) == 0 || len(d.Blend) == 0:
		return fmt.Errorf("development: baselines, teleport and blend need at least one value each")
	case len(d.Teleport)*len(d.Blend) > maxMethods:
		return fmt.Errorf("development: a grid of %d candidates: at most %d", len(d.Teleport)*len(d.Blend), maxMethods)
	case s.BandWidth < 1 || s.BandWidth > collection.MaxDocuments || s.PerBand < 1 || s.PerBand > s.BandWidth || len(s.BandStreams) == 0 || len(s.BandStreams) > 1000:
		return fmt.Errorf("sample: bandWidth %d, perBand %d, %d bandStreams: 1 to 1000 bands of 1 to %d documents, of which perBand are drawn", s.BandWidth, s.PerBand, len(s.BandStreams), collection.MaxDocuments)
	case k.Families != s.PerBand*len(s.BandStreams):
		return fmt.Errorf("families %d: the sample draws %d", k.Families, s.PerBand*len(s.BandStreams))
	case s.Development < 1 || s.Development >= k.Families:
		return fmt.Errorf("sample.development %d: between 1 and %d", s.Development, k.Families-1)
	}
	if err := distinctStreams("sample", append(slices.Clone(s.BandStreams), s.FamilyStream, s.DevelopmentStream)...); err != nil {
		return err
	}
	for _, grid := range [][]float64{d.Teleport, d.Blend} {
		for i, x := range grid {
			if math.IsNaN(x) || x < 0 || x > 1 || i > 0 && x <= grid[i-1] {
				return fmt.Errorf("development: grid values lie between 0 and 1 and ascend, %v", grid)
			}
		}
	}
	for _, m := range p.Methods {
		if strings.HasPrefix(m.Name, gridPrefix) {
			return fmt.Errorf("methods: name %q: names that begin with %s are the grid's candidates", m.Name, gridPrefix)
		}
	}
	for _, list := range []struct {
		field string
		names []string
	}{{"kinds", k.Kinds}, {"development.baselines", d.Baselines}, {"test", k.Test}} {
		for i, name := range list.names {
			if !named(name) || slices.Contains(list.names[:i], name) {
				return fmt.Errorf("%s: name %q is malformed or stands there twice", list.field, name)
			}
			if list.field != "kinds" && !methods[name] {
				return fmt.Errorf("%s: unknown method %q: define it under methods", list.field, name)
			}
		}
	}
	tested := func(field string, names ...string) error {
		for _, name := range names {
			wanted := []string{name}
			if name == "$baseline" {
				wanted = d.Baselines // whichever is locked
			}
			for _, m := range wanted {
				if !slices.Contains(k.Test, m) {
					return fmt.Errorf("%s: method %q is not among the methods under test", field, m)
				}
			}
		}
		return nil
	}
	for i, c := range k.Contrasts {
		if !named(c.Name) || slices.ContainsFunc(k.Contrasts[:i], func(o Contrast) bool { return o.Name == c.Name }) {
			return fmt.Errorf("contrasts: name %q is malformed or used twice", c.Name)
		}
		if c.Replicates < 1 || c.Replicates > maxDraws || c.Draws < 1 || c.Draws > maxDraws {
			return fmt.Errorf("contrasts: %s: replicates and draws lie between 1 and %d", c.Name, maxDraws)
		}
		if err := distinctStreams("contrasts: "+c.Name, c.BootstrapStream, c.FlipStream); err != nil {
			return err
		}
		if err := tested("contrasts: "+c.Name, c.Method, c.Against); err != nil {
			return err
		}
	}
	if err := tested("misses", k.Misses.Baseline, k.Misses.Graph); err != nil {
		return err
	}
	if r := k.Reader; r != nil {
		switch {
		case r.Questions < 1 || r.Questions > k.Families || r.Top < 1 || r.Top > p.Keep || len(r.Methods) != 2:
			return fmt.Errorf("reader: questions %d, top %d, %d methods: 1 to %d questions, the first 1 to %d (keep) documents of 2 methods", r.Questions, r.Top, len(r.Methods), k.Families, p.Keep)
		case !slices.Contains(k.Kinds, r.Kind):
			return fmt.Errorf("reader: unknown kind %q", r.Kind)
		}
		if err := tested("reader", r.Methods...); err != nil {
			return err
		}
	}
	return k.checkTerms(p)
}

// checkTerms writes every method out as if the first settings of the grid had been chosen, for each baseline: parameters
// out of bounds, unknown names and graphs, and circles are found before anything is scored.
func (k *KnownItem) checkTerms(p *Protocol) error {
	terms := map[string]method.Term{}
	for _, m := range p.Methods {
		terms[m.Name], _ = method.Parse(m.Term) // parsed before, by check
	}
	candidate, err := method.Parse(k.Development.Candidate)
	if err != nil {
		return fmt.Errorf("development.candidate: %w", err)
	}
	for _, b := range k.Development.Baselines {
		if _, err := (method.Scope{Methods: terms}).Resolve(method.Term{Name: b}); err != nil {
			return fmt.Errorf("development.baselines: %s: %w", b, err)
		}
		lock := Lock{b, k.Development.Teleport[0], k.Development.Blend[0]}
		scope := method.Scope{Methods: terms, Variables: lock.variables()}
		check := func(field string, t method.Term) error {
			out, err := scope.Resolve(t)
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
		for _, m := range p.Methods {
			if err := check("methods: "+m.Name, method.Term{Name: m.Name}); err != nil {
				return err
			}
		}
		if err := check("development.candidate", candidate); err != nil {
			return err
		}
	}
	return nil
}
