package method

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Scope says what names mean: other methods by name, and values of $variables that a lock fixes.
type Scope struct {
	Kinds     Table // nil: Kinds
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
	switch n := len(out.String()); { // terms travel as text, which Parse has to read
	case n > maxTerm:
		return t, fmt.Errorf("method: %s has %d characters when written out: at most %d", t.Name, n, maxTerm)
	case out.depth() > maxDepth:
		return t, fmt.Errorf("method: %s is nested too deeply when written out: at most %d methods inside each other", t.Name, maxDepth)
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
			return t, fmt.Errorf("method: ${%s} has no value yet: it is fixed by the lock of the development stage", name)
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
	kind, err := s.kinds().Find(t.Name)
	if err != nil {
		return t, fmt.Errorf("%w, or a name that the study defines", err)
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
	if out.Params, err = s.params(kind, t.Params); err == nil && kind.Check != nil {
		err = kind.Check(s.kinds(), out)
	}
	return out, err
}

func (s Scope) kinds() Table {
	if s.Kinds == nil {
		return Kinds
	}
	return s.Kinds
}

// params writes out every parameter of a kind, in the order of their declaration.
func (s Scope) params(kind *Kind, given []Param) ([]Param, error) {
	var list []Param
	for _, p := range kind.Params {
		value := p.Default
		if i := slices.IndexFunc(given, func(q Param) bool { return q.Key == p.Key }); i >= 0 {
			value = given[i].Value
			given = slices.Delete(slices.Clone(given), i, i+1)
		}
		if name, ok := strings.CutPrefix(value, "$"); ok {
			if value, ok = s.Variables[name]; !ok {
				return nil, fmt.Errorf("method: ${%s} has no value yet: it is fixed by the lock of the development stage", name)
			}
		}
		value, err := p.value(kind.Name, value)
		if err != nil {
			return nil, err
		}
		if !p.Quiet || value != p.Default {
			list = append(list, Param{p.Key, value})
		}
	}
	if len(given) > 0 {
		return nil, fmt.Errorf("method: %s has no parameter %q", kind.Name, given[0].Key)
	}
	return list, nil
}

// value checks a parameter's text and returns it in its one form.
func (p ParamKind) value(kind, text string) (string, error) {
	switch {
	case p.Of != "":
		return text, nil
	case len(p.Options) > 0:
		if !slices.Contains(p.Options, text) {
			return "", fmt.Errorf("method: %s: %s=%s: use one of %s", kind, p.Key, text, strings.Join(p.Options, ", "))
		}
		return text, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return "", fmt.Errorf("method: %s: %s=%s is not a finite number", kind, p.Key, text)
	case x < p.Min || x > p.Max:
		return "", fmt.Errorf("method: %s: %s=%s is outside %v to %v", kind, p.Key, text, p.Min, p.Max)
	case p.Integer && x != math.Trunc(x):
		return "", fmt.Errorf("method: %s: %s=%s is not an integer", kind, p.Key, text)
	}
	return FormatNumber(x + 0), nil // −0 is 0, and prints so
}

// same reports whether a name is defined as the kind of the same name, as in bm25 = bm25(k1=1.2,b=0.75): then the
// definition is meant where the bare name stands, and the kind inside the definition.
func same(defined, t Term) bool {
	return defined.Name == t.Name && len(defined.Args) == 0 && len(defined.Params) == 0
}

// Needs returns what a term needs with everything inside it, names of the scope included. What a variable stands for is
// left out where it has no value yet. (Inside methods, a name may stand for the kind that it is defined by.)
func (s Scope) Needs(t Term) Needs {
	seen := map[string]bool{}
	var needs Needs
	var visit func(Term)
	visit = func(u Term) {
		for _, a := range u.Args {
			visit(a)
		}
		name := u.Name
		if variable, ok := strings.CutPrefix(name, "$"); ok {
			name = s.Variables[variable]
		}
		bare := len(u.Args) == 0 && len(u.Params) == 0
		if defined, ok := s.Methods[name]; ok && bare && !seen[name] {
			seen[name] = true
			visit(defined)
		} else if kind, err := s.kinds().Find(name); err == nil {
			needs = needs.and(kind.Needs)
		}
	}
	visit(t)
	return needs
}
