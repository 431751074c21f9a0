// Package method holds methods as terms, such as graph(bm25,teleport=0.5,blend=0.1): parsed once, printable, usable as a
// TREC run tag.
package method

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Term is a method by name, with the methods that it builds on and its named parameters.
type Term struct {
	Name   string
	Args   []Term
	Params []Param
}

// A Param is one key=value of a term. Its value is a number in shortest decimal form, or a name.
type Param struct{ Key, Value string }

// A Kind declares a method that the engine knows: how many methods it builds on, and its parameters with defaults.
type Kind struct {
	Name     string
	MinArgs  int
	MaxArgs  int
	Params   []ParamKind
	Sentence string // what it does, for people
}

// A ParamKind declares one parameter: numbers have bounds, names (Options nil, Name true) name a graph or overlay.
type ParamKind struct {
	Key      string
	Default  string
	Min, Max float64
	Integer  bool
	Name     bool
	Meaning  string // what raising it does
}

// Kinds lists every method that the engine knows.
var Kinds = []Kind{
	{"bm25", 0, 0, []ParamKind{
		{Key: "k1", Default: "1.2", Min: 0, Max: 100, Meaning: "higher: repeated terms go on adding score for longer"},
		{Key: "b", Default: "0.75", Min: 0, Max: 1, Meaning: "higher: long documents are discounted more"},
	}, "BM25 over the distinct terms of the question"},
	{"tfidf", 0, 0, nil, "cosine of TF-IDF vectors of question and document"},
	{"overlap", 0, 0, nil, "number of distinct question terms in the document, through postings"},
	{"scan", 0, 0, nil, "number of distinct question terms in the document, reading every document"},
	{"dense", 0, 0, nil, "cosine of the embeddings of question and document; every document is ranked"},
	{"degree", 0, 0, []ParamKind{{Key: "edges", Default: "links", Name: true}}, "every document by its number of neighbours, whatever the question"},
	{"top", 1, 1, []ParamKind{{Key: "n", Default: "100", Min: 1, Max: 1 << 20, Integer: true, Meaning: "how many of the best are kept"}}, "the best documents of another method"},
	{"rrf", 2, 16, []ParamKind{{Key: "k", Default: "60", Min: 0, Max: 1e6, Meaning: "higher: the first places count for less"}}, "reciprocal rank fusion of other methods"},
	{"graph", 1, 1, []ParamKind{
		{Key: "teleport", Default: "0.5", Min: 0, Max: 1, Meaning: "higher: mass stays closer to the seeds"},
		{Key: "blend", Default: "0.1", Min: 0, Max: 1, Meaning: "higher: the walk counts for more against the base score"},
		{Key: "edges", Default: "links", Name: true},
		{Key: "seeds", Default: "20", Min: 1, Max: 10000, Integer: true, Meaning: "how many of the best documents the walk starts from"},
		{Key: "steps", Default: "20", Min: 1, Max: 1000, Integer: true, Meaning: "how often mass is spread"},
	}, "another method's scores blended with a personalised-PageRank walk from its best documents"},
	{"typed", 1, 1, []ParamKind{
		{Key: "hops", Default: "1", Min: 1, Max: 2, Integer: true, Meaning: "how many edges a path may follow"},
		{Key: "blend", Default: "0.1", Min: 0, Max: 1, Meaning: "higher: the walk counts for more against the base score"},
		{Key: "edges", Default: "overlay", Name: true},
		{Key: "seeds", Default: "20", Min: 1, Max: 10000, Integer: true, Meaning: "how many of the best documents the walk starts from"},
	}, "another method's scores blended with a walk over typed relations"},
}

func kindOf(name string) *Kind {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &Kinds[i]
}

const maxTerm, maxDepth = 1024, 8

// Parse reads a term: name, name(arg,…), name(arg,…,key=value,…).
func Parse(s string) (Term, error) {
	if len(s) > maxTerm {
		return Term{}, fmt.Errorf("method: term of %d characters: at most %d", len(s), maxTerm)
	}
	p := parser{s: s}
	t, err := p.term(0)
	if err == nil && p.i < len(s) {
		err = p.fail("text after the term")
	}
	return t, err
}

type parser struct {
	s string
	i int
}

func (p *parser) fail(what string) error {
	return fmt.Errorf("method: %s at place %d of %q: write name or name(method,…,key=value,…)", what, p.i+1, p.s)
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.+:$", c) >= 0
}

func (p *parser) word() string {
	start := p.i
	for p.i < len(p.s) && nameByte(p.s[p.i]) {
		p.i++
	}
	return p.s[start:p.i]
}

func (p *parser) term(depth int) (t Term, err error) {
	if depth > maxDepth {
		return t, p.fail("terms nested too deeply")
	}
	if t.Name = p.word(); t.Name == "" {
		return t, p.fail("a name is missing")
	}
	if p.i == len(p.s) || p.s[p.i] != '(' {
		return t, nil
	}
	for {
		p.i++ // the bracket or comma
		start := p.i
		word := p.word()
		if word != "" && p.i < len(p.s) && p.s[p.i] == '=' {
			p.i++
			value := p.word()
			if value == "" {
				return t, p.fail("a value is missing")
			}
			if slices.ContainsFunc(t.Params, func(q Param) bool { return q.Key == word }) {
				return t, p.fail("parameter " + word + " twice")
			}
			t.Params = append(t.Params, Param{word, value})
		} else {
			p.i = start
			if len(t.Params) > 0 {
				return t, p.fail("methods go before parameters")
			}
			arg, err := p.term(depth + 1)
			if err != nil {
				return t, err
			}
			t.Args = append(t.Args, arg)
		}
		switch {
		case p.i < len(p.s) && p.s[p.i] == ',':
		case p.i < len(p.s) && p.s[p.i] == ')':
			p.i++
			return t, nil
		default:
			return t, p.fail("a comma or a closing bracket is missing")
		}
	}
}

// String prints a term so that Parse reads it back.
func (t Term) String() string {
	if len(t.Args) == 0 && len(t.Params) == 0 {
		return t.Name
	}
	var b strings.Builder
	b.WriteString(t.Name)
	separator := byte('(')
	for _, a := range t.Args {
		b.WriteByte(separator)
		b.WriteString(a.String())
		separator = ','
	}
	for _, p := range t.Params {
		b.WriteByte(separator)
		b.WriteString(p.Key + "=" + p.Value)
		separator = ','
	}
	b.WriteByte(')')
	return b.String()
}

// Param returns a parameter's text, "" where there is none.
func (t Term) Param(key string) string {
	for _, p := range t.Params {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Number returns a parameter of a resolved term as a number.
func (t Term) Number(key string) float64 {
	x, _ := strconv.ParseFloat(t.Param(key), 64)
	return x
}

// Integer returns a parameter of a resolved term as an integer.
func (t Term) Integer(key string) int { return int(t.Number(key)) }

// A Scope says what names mean: other methods by name, and values of $variables that a lock fixes.
type Scope struct {
	Methods   map[string]Term
	Variables map[string]string
}

// Resolve returns the term with names of the scope replaced by what they stand for and every parameter written out in
// the order of its declaration, so that equal methods print equally. Unknown names, missing or absurd parameters are
// errors.
func (s Scope) Resolve(t Term) (Term, error) {
	budget := maxTerm // names inside names multiply; a term has fewer parts than characters
	out, err := s.resolve(t, 0, &budget)
	if err != nil {
		return out, err
	}
	if _, err := Parse(out.String()); err != nil { // too long or too deep, now that names are written out
		return t, err
	}
	return out, nil
}

func (s Scope) resolve(t Term, depth int, budget *int) (Term, error) {
	if depth > 2*maxDepth {
		return t, fmt.Errorf("method: %s is defined by itself, or nested too deeply: break the circle", t.Name)
	}
	if *budget--; *budget < 0 {
		return t, fmt.Errorf("method: %s stands for too large a term: at most %d characters when written out", t.Name, maxTerm)
	}
	if name, ok := strings.CutPrefix(t.Name, "$"); ok {
		value, ok := s.Variables[name]
		if !ok {
			return t, fmt.Errorf("method: $%s has no value yet: it is fixed by the lock of the development stage", name)
		}
		inner, err := Parse(value)
		if err != nil {
			return t, err
		}
		return s.resolve(inner, depth+1, budget)
	}
	if defined, ok := s.Methods[t.Name]; ok && len(t.Args) == 0 && len(t.Params) == 0 && !same(defined, t) {
		return s.resolve(defined, depth+1, budget)
	}
	kind := kindOf(t.Name)
	if kind == nil {
		return t, fmt.Errorf("method: unknown method %q: use one of %s, or a name that the study defines", t.Name, kindNames())
	}
	if len(t.Args) < kind.MinArgs || len(t.Args) > kind.MaxArgs {
		return t, fmt.Errorf("method: %s builds on %d to %d methods, %d given", t.Name, kind.MinArgs, kind.MaxArgs, len(t.Args))
	}
	out := Term{Name: t.Name}
	for _, a := range t.Args {
		r, err := s.resolve(a, depth+1, budget)
		if err != nil {
			return t, err
		}
		out.Args = append(out.Args, r)
	}
	given := t.Params
	for _, p := range kind.Params {
		value := p.Default
		if i := slices.IndexFunc(given, func(q Param) bool { return q.Key == p.Key }); i >= 0 {
			value = given[i].Value
			given = slices.Delete(slices.Clone(given), i, i+1)
		}
		if name, ok := strings.CutPrefix(value, "$"); ok {
			if value, ok = s.Variables[name]; !ok {
				return t, fmt.Errorf("method: $%s has no value yet: it is fixed by the lock of the development stage", name)
			}
		}
		if !p.Name {
			x, err := strconv.ParseFloat(value, 64)
			switch {
			case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
				return t, fmt.Errorf("method: %s: %s=%s is not a finite number", t.Name, p.Key, value)
			case x < p.Min || x > p.Max:
				return t, fmt.Errorf("method: %s: %s=%s is outside %v to %v", t.Name, p.Key, value, p.Min, p.Max)
			case p.Integer && x != math.Trunc(x):
				return t, fmt.Errorf("method: %s: %s=%s is not an integer", t.Name, p.Key, value)
			}
			value = FormatNumber(x + 0) // −0 is 0, and prints so
		}
		out.Params = append(out.Params, Param{p.Key, value})
	}
	if len(given) > 0 {
		return t, fmt.Errorf("method: %s has no parameter %q", t.Name, given[0].Key)
	}
	return out, nil
}

// same reports whether a name is defined as the kind of the same name, as in bm25 = bm25(k1=1.2,b=0.75): then the
// definition is meant where the bare name stands, and the kind inside the definition.
func same(defined, t Term) bool {
	return defined.Name == t.Name && len(defined.Args) == 0 && len(defined.Params) == 0
}

// FormatNumber prints a number in the shortest form that reads back to the same bits.
func FormatNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func kindNames() string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Walk yields a term and every term inside it.
func (t Term) Walk(yield func(Term)) {
	yield(t)
	for _, a := range t.Args {
		a.Walk(yield)
	}
}

// Uses reports whether a term or one inside it has the given name.
func (t Term) Uses(name string) bool {
	found := false
	t.Walk(func(u Term) { found = found || u.Name == name })
	return found
}
