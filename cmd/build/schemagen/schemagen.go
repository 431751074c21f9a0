// Package schemagen writes the JSON Schema (draft 2020-12) of a Go struct that is read strictly by its json tags:
// comments become descriptions, fields without omitempty or omitzero are required, and no other field may stand there.
//
// It says what a document is made of. What else must hold, such as that names are defined, the engine checks.
package schemagen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"retrace/core/design"
	"retrace/core/study"
)

// Options say what is described.
type Options struct {
	Dir     string // where the module is
	Package string // path of the package of the root type
	Own     string // comments are taken from packages whose paths start so
	Root    string // name of the root type
	Title   string // of the schema
	// Const fixes values of the root's fields.
	Const map[string]string
	// Load is the path of a package that imports all that is described.
	Load string
	// OneOf are further fields of the root, of which exactly one must stand there.
	OneOf []Member
}

// A Member is a field of the root whose type another package has.
type Member struct{ Name, Package, Type string }

// Generate returns the schema.
func Generate(o Options) ([]byte, error) {
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedDeps
	loaded, err := packages.Load(&packages.Config{Dir: o.Dir, Mode: mode}, o.Load)
	if err != nil {
		return nil, fmt.Errorf("schemagen: %w", err)
	}
	g := generator{comments: map[token.Pos]*ast.CommentGroup{}, names: map[string]*types.TypeName{}}
	byPath := map[string]*types.Package{}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			err = fmt.Errorf("schemagen: %s: %w", p.PkgPath, e)
		}
		byPath[p.PkgPath] = p.Types
		if strings.HasPrefix(p.PkgPath, o.Own) {
			for _, file := range p.Syntax {
				g.collectComments(file)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	g.root = o.Package
	t, err := named(byPath, o.Package, o.Root)
	if err != nil {
		return nil, err
	}
	s, ok := t.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("schemagen: %s is no struct", o.Root)
	}
	out, err := g.object(s)
	if err != nil {
		return nil, err
	}
	for _, m := range o.OneOf {
		t, err := named(byPath, m.Package, m.Type)
		if err != nil {
			return nil, err
		}
		p, err := g.schema(t.Type())
		if err != nil {
			return nil, err
		}
		p.Description = text(g.comments[t.Pos()])
		out.Properties = append(out.Properties, entry{m.Name, p})
		out.OneOf = append(out.OneOf, &node{Required: []string{m.Name}})
	}
	for name, value := range o.Const {
		p := out.Properties.get(name)
		if p == nil {
			return nil, fmt.Errorf("schemagen: %s has no field %q", o.Root, name)
		}
		p.Const = value
	}
	out.Schema, out.Title, out.Description = "https://json-schema.org/draft/2020-12/schema", o.Title, text(g.comments[t.Pos()])
	for len(g.queue) > 0 {
		name := g.queue[0]
		g.queue = g.queue[1:]
		def, err := g.define(g.names[name])
		if err != nil {
			return nil, err
		}
		out.Defs = append(out.Defs, entry{name, def})
	}
	slices.SortFunc(out.Defs, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(out)
	return b.Bytes(), err
}

// A node is one schema; its keys are written in this order.
type node struct {
	Schema      string   `json:"$schema,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Ref         string   `json:"$ref,omitempty"`
	Type        string   `json:"type,omitempty"`
	AnyOf       []*node  `json:"anyOf,omitempty"`
	Const       string   `json:"const,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Items       *node    `json:"items,omitempty"`
	MinItems    *int64   `json:"minItems,omitempty"`
	MaxItems    *int64   `json:"maxItems,omitempty"`
	Properties  entries  `json:"properties,omitempty"`
	Required    []string `json:"required,omitempty"`
	Additional  any      `json:"additionalProperties,omitempty"` // false, or the schema of a map's values
	OneOf       []*node  `json:"oneOf,omitempty"`
	Defs        entries  `json:"$defs,omitempty"`
}

// entries are an object's members in the order of the Go fields.
type entries []entry

type entry struct {
	name  string
	value *node
}

func (e entries) get(name string) *node {
	for _, x := range e {
		if x.name == name {
			return x.value
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (e entries) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, x := range e {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(x.name)
		if err != nil {
			return nil, err
		}
		b.Write(append(key, ':'))
		n := json.NewEncoder(b)
		n.SetEscapeHTML(false)
		if err := n.Encode(x.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// named finds a type.
func named(packages map[string]*types.Package, path, name string) (*types.TypeName, error) {
	if p := packages[path]; p != nil {
		if t, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("schemagen: no type %s in %s", name, path)
}

type generator struct {
	root     string                          // path of the package whose types go by their bare names
	comments map[token.Pos]*ast.CommentGroup // by the position of the name that they describe
	names    map[string]*types.TypeName
	queue    []string
}

func (g *generator) collectComments(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					g.comments[t.Name.Pos()] = cmp.Or(t.Doc, n.Doc, t.Comment)
				}
			}
		case *ast.Field:
			for _, name := range n.Names {
				g.comments[name.Pos()] = cmp.Or(n.Comment, n.Doc)
			}
		}
		return true
	})
}

// text is a comment as one line.
func text(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// orString reports whether a type's comment says that a string may stand in its place.
func (g *generator) orString(t *types.TypeName) bool {
	c := g.comments[t.Pos()]
	return c != nil && slices.ContainsFunc(c.List, func(line *ast.Comment) bool { return line.Text == "//schema:or string" })
}

func (g *generator) define(t *types.TypeName) (*node, error) {
	out := &node{}
	var err error
	if s, ok := t.Type().Underlying().(*types.Struct); ok {
		out, err = g.object(s)
	} else {
		out, err = g.schema(t.Type().Underlying())
	}
	if err == nil {
		out.Description = text(g.comments[t.Pos()])
	}
	return out, err
}

func (g *generator) object(s *types.Struct) (*node, error) {
	out := &node{Type: "object", Additional: false}
	for i := range s.NumFields() {
		field := s.Field(i)
		name, options, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		switch {
		case name == "-" || !field.Exported() && !field.Embedded():
			continue
		case field.Embedded() && name == "":
			inner, ok := field.Type().Underlying().(*types.Struct)
			if !ok {
				return nil, fmt.Errorf("schemagen: %s is embedded and no struct", field.Type())
			}
			flat, err := g.object(inner)
			if err != nil {
				return nil, err
			}
			out.Properties, out.Required = append(out.Properties, flat.Properties...), append(out.Required, flat.Required...)
			continue
		case name == "":
			return nil, fmt.Errorf("schemagen: field %s has no name in JSON", field.Name())
		}
		p, err := g.schema(field.Type())
		if err != nil {
			return nil, fmt.Errorf("%w (field %s)", err, field.Name())
		}
		p.Description = text(g.comments[field.Pos()])
		out.Properties = append(out.Properties, entry{name, p})
		if list := strings.Split(options, ","); !slices.Contains(list, "omitempty") && !slices.Contains(list, "omitzero") {
			out.Required = append(out.Required, name)
		}
	}
	return out, nil
}

func (g *generator) schema(t types.Type) (*node, error) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.String() == "encoding/json.RawMessage" {
			return &node{}, nil
		}
		either := g.orString(t.Obj())
		if m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, "UnmarshalJSON"); m != nil && !either {
			return nil, fmt.Errorf("schemagen: %s reads itself: say what more it reads with a line \"//schema:or string\" in its "+
				"comment", t)
		}
		name := t.Obj().Name()
		if p := t.Obj().Pkg(); p != nil && p.Path() != g.root {
			name = p.Name() + "." + name
		}
		if held, taken := g.names[name]; taken && held != t.Obj() {
			return nil, fmt.Errorf("schemagen: two types are called %s: %s and %s", name, held.Type(), t)
		} else if !taken {
			g.names[name] = t.Obj()
			g.queue = append(g.queue, name)
		}
		if either {
			return &node{AnyOf: []*node{{Type: "string"}, {Ref: "#/$defs/" + name}}}, nil
		}
		return &node{Ref: "#/$defs/" + name}, nil
	case *types.Pointer:
		return g.schema(t.Elem())
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsBoolean != 0:
			return &node{Type: "boolean"}, nil
		case info&types.IsString != 0:
			return &node{Type: "string"}, nil
		case info&types.IsInteger != 0:
			out := &node{Type: "integer"}
			if info&types.IsUnsigned != 0 {
				out.Minimum = new(int)
			}
			return out, nil
		case info&types.IsFloat != 0:
			return &node{Type: "number"}, nil
		}
	case *types.Slice:
		items, err := g.schema(t.Elem())
		return &node{Type: "array", Items: items}, err
	case *types.Array:
		items, err := g.schema(t.Elem())
		n := t.Len()
		return &node{Type: "array", Items: items, MinItems: &n, MaxItems: &n}, err
	case *types.Map:
		values, err := g.schema(t.Elem())
		return &node{Type: "object", Additional: values}, err
	case *types.Struct:
		return g.object(t)
	}
	return nil, fmt.Errorf("schemagen: %s has no schema", t)
}

// Study returns what describes study.json; dir is the module's folder.
func Study(dir string) Options {
	o := Options{Dir: dir, Package: "retrace/core/study", Load: "retrace/core/design", Own: "retrace/core/", Root: "Protocol",
		Title: "study.json",
		Const: map[string]string{"format": study.Format}}
	for _, d := range design.All {
		t := reflect.TypeOf(d.Spec()).Elem()
		o.OneOf = append(o.OneOf, Member{d.Key, t.PkgPath(), t.Name()})
	}
	return o
}
