package schemagen

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"retrace/core/design"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

const root = "../../.."

func schemaFile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(root + "/kit/study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSchemaIsFresh(t *testing.T) {
	got, err := Generate(Study(root))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, schemaFile(t)) {
		t.Error("kit/study.schema.json is stale: run make generate")
	}
}

// Fields of the Go structs and properties of the schema, both ways, by reflection: nothing shared with the generator.
func TestSchemaAgreesWithStructs(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(schemaFile(t), &schema); err != nil {
		t.Fatal(err)
	}
	defs := schema["$defs"].(map[string]any)
	seen := map[reflect.Type]bool{}
	used := map[string]bool{}
	var compare func(at string, typ reflect.Type, s map[string]any)
	compare = func(at string, typ reflect.Type, s map[string]any) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if either, ok := s["anyOf"].([]any); ok { // a string, or what follows
			if first := either[0].(map[string]any); len(either) != 2 || first["type"] != "string" {
				t.Errorf("%s: any of %v", at, either)
			}
			s = either[1].(map[string]any)
		}
		if ref, ok := s["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			if qualified(typ) != name || defs[name] == nil {
				t.Errorf("%s: %s for %s", at, ref, typ)
				return
			}
			s = defs[name].(map[string]any)
			used[name] = true
		}
		if seen[typ] {
			return
		}
		want := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer",
			reflect.Uint64: "integer", reflect.Float64: "number",
			reflect.Slice: "array", reflect.Array: "array", reflect.Struct: "object", reflect.Map: "object"}[typ.Kind()]
		if s["type"] != want {
			t.Errorf("%s: type %v for %s", at, s["type"], typ)
			return
		}
		switch typ.Kind() {
		case reflect.Slice, reflect.Array:
			compare(at+"[]", typ.Elem(), s["items"].(map[string]any))
		case reflect.Map:
			compare(at+"{}", typ.Elem(), s["additionalProperties"].(map[string]any))
		case reflect.Struct:
			seen[typ] = true
			properties := s["properties"].(map[string]any)
			if s["additionalProperties"] != false {
				t.Errorf("%s: other properties are allowed", at)
			}
			fields := map[string]bool{}
			for _, f := range reflect.VisibleFields(typ) {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous || name == "-" || name == "" {
					continue
				}
				fields[name] = true
				p, ok := properties[name].(map[string]any)
				if !ok {
					t.Errorf("%s has no property %q", at, name)
					continue
				}
				required, _ := s["required"].([]any)
				if slices.Contains(required, any(name)) == strings.HasPrefix(options, "omit") {
					t.Errorf("%s.%s: required or not", at, name)
				}
				compare(at+"."+name, f.Type, p)
			}
			for name := range properties {
				if !fields[name] {
					t.Errorf("%s has no field %q", at, name)
				}
			}
		}
	}
	compare("", whole(), schema)
	for name := range defs {
		if !used[name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// whole is a struct with the fields of every study and one for each design.
func whole() reflect.Type {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[study.Protocol]()) {
		fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
	}
	for _, d := range design.All {
		name := strings.ToUpper(d.Key[:1]) + d.Key[1:] + "Part"
		fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeOf(d.Spec()),
			Tag: reflect.StructTag(`json:"` + d.Key + `,omitempty"`)})
	}
	return reflect.StructOf(fields)
}

// qualified names a type as the schema does: bare in the package of protocols, with its package elsewhere.
func qualified(t reflect.Type) string {
	if t.PkgPath() == reflect.TypeFor[study.Protocol]().PkgPath() {
		return t.Name()
	}
	return t.String()
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestBundledStudiesAreValid(t *testing.T) {
	s := compiled(t)
	names, err := filepath.Glob(root + "/kit/*/study.json")
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The file names the schema where it stands.
		var p struct {
			Schema string `json:"$schema"`
		}
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), p.Schema)); p.Schema == "" || err != nil {
			t.Errorf("%s: $schema %q: %v", name, p.Schema, err)
		}
	}
	if err := valid(t, s, studytest.Tiny()[studytest.ProtocolFile]); err != nil {
		t.Error(err)
	}
}

// What the schema refuses the engine refuses, and of the faults in form the schema refuses each.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	form := []string{"unknown field of the protocol", "unknown field inside", "protocol's key in another case", "negative seed",
		"fraction for a seed", "another format", "protocol nested deeply",
		"no readings", "readings null", "method without a label", "author of another kind", "split without a stream", "no design"}
	for _, f := range studytest.Faults {
		m := studytest.Tiny()
		f.Change(m)
		data := m[studytest.ProtocolFile]
		var doc any
		if json.Unmarshal(data, &doc) != nil {
			continue
		}
		if err := valid(t, s, data); (err != nil) != slices.Contains(form, f.Name) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
