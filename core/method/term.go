package method

import (
	"fmt"
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

const maxTerm, maxDepth = 1024, 8

// Parse reads a term: name, name(arg,…), name(arg,…,key=value,…). Spaces around names, values and signs mean nothing. A
// value that a lock will fix stands as ${name}, for a method as for a parameter; $name, as format 1 has it, is read too.
func Parse(s string) (Term, error) {
	if len(s) > maxTerm {
		return Term{}, fmt.Errorf("method: term of %d characters: at most %d", len(s), maxTerm)
	}
	p := parser{s: s}
	t, err := p.term(0)
	if err == nil && p.skip() {
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

// skip passes over spaces and reports whether anything is left.
func (p *parser) skip() bool {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
	return p.i < len(p.s)
}

// next passes over spaces and reports whether c stands there.
func (p *parser) next(c byte) bool { return p.skip() && p.s[p.i] == c }

func (p *parser) word() string {
	p.skip()
	if rest, ok := strings.CutPrefix(p.s[p.i:], "${"); ok {
		if name, _, closed := strings.Cut(rest, "}"); closed && name != "" && !strings.ContainsFunc(name, func(c rune) bool { return c > 127 || !nameByte(byte(c)) }) {
			p.i += len("${}") + len(name)
			return "$" + name
		}
		return ""
	}
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
	if !p.next('(') {
		return t, nil
	}
	for {
		p.i++ // the bracket or comma
		if err := p.inside(&t, depth); err != nil {
			return t, err
		}
		switch {
		case p.next(','):
		case p.next(')'):
			p.i++
			return t, nil
		default:
			return t, p.fail("a comma or a closing bracket is missing")
		}
	}
}

// inside reads a method or a parameter between a term's brackets.
func (p *parser) inside(t *Term, depth int) error {
	start := p.i
	word := p.word()
	if word == "" || !p.next('=') {
		p.i = start
		if len(t.Params) > 0 {
			return p.fail("methods go before parameters")
		}
		arg, err := p.term(depth + 1)
		t.Args = append(t.Args, arg)
		return err
	}
	p.i++
	value := p.word()
	if value == "" {
		return p.fail("a value is missing")
	}
	if slices.ContainsFunc(t.Params, func(q Param) bool { return q.Key == word }) {
		return p.fail("parameter " + word + " twice")
	}
	t.Params = append(t.Params, Param{word, value})
	return nil
}

// printed writes a name or a value, ${name} for what a lock will fix.
func printed(word string) string {
	if name, ok := strings.CutPrefix(word, "$"); ok && name != "" {
		return "${" + name + "}"
	}
	return word
}

// String prints a term so that Parse reads it back.
func (t Term) String() string {
	if len(t.Args) == 0 && len(t.Params) == 0 {
		return printed(t.Name)
	}
	var b strings.Builder
	b.WriteString(printed(t.Name))
	separator := byte('(')
	for _, a := range t.Args {
		b.WriteByte(separator)
		b.WriteString(a.String())
		separator = ','
	}
	for _, p := range t.Params {
		b.WriteByte(separator)
		b.WriteString(p.Key + "=" + printed(p.Value))
		separator = ','
	}
	b.WriteByte(')')
	return b.String()
}

// MarshalText writes a term as it is printed: at the edges of the engine, terms are text.
func (t Term) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Term) UnmarshalText(text []byte) (err error) {
	*t, err = Parse(string(text))
	return err
}

// Equal reports whether two terms print equally.
func (t Term) Equal(u Term) bool {
	return t.Name == u.Name && slices.EqualFunc(t.Args, u.Args, Term.Equal) && slices.Equal(t.Params, u.Params)
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

// without prints a term without one of its parameters: what terms share that differ in it alone.
func (t Term) without(key string) string {
	u := t
	u.Name = "part of " + t.Name // no term's name, so that no term prints so
	u.Params = slices.DeleteFunc(slices.Clone(t.Params), func(p Param) bool { return p.Key == key })
	return u.String()
}

// depth is how deep methods stand inside a term; 0 for a name alone.
func (t Term) depth() int {
	deepest := -1
	for _, a := range t.Args {
		deepest = max(deepest, a.depth())
	}
	return deepest + 1
}

// Walk yields a term and every term inside it.
func (t Term) Walk(yield func(Term)) {
	yield(t)
	for _, a := range t.Args {
		a.Walk(yield)
	}
}

// FormatNumber prints a number in the shortest form that reads back to the same bits.
func FormatNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
