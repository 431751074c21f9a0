package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"retrace/core/archive"
	"retrace/core/author"
)

func meta() archive.Meta {
	return archive.Meta{
		ID: "r01", Title: `Do links "help"? <b>Ünïcode</b>`, Authors: []author.Author{author.Plain(`Ada "A." Author`), author.Plain("The Group")}, Abstract: "First paragraph: with a colon.\n\nSecond.", Version: "1.0.0",
		Published: "2026-11-30", Provenance: "Written for a test.", DataLicence: "CC0-1.0", CodeLicence: "Apache-2.0",
	}
}

func kit() []archive.File {
	return []archive.File{
		{"r01/study.json", []byte(`{"id":"r01"}`)},
		{"r01/PROTOCOL.md", []byte("# Rules\n")},
		{"r01/seals/lock.json", []byte("{}")},
		{"r01/frozen/results.json", []byte(`{"n":1}`)},
		{"concepts/corpus.jsonl", []byte("{\"_id\":\"1\"}\n")},
		{"concepts/empty.tsv", nil},
		{"LICENSES/CC0-1.0.txt", []byte("CC0\n")},
		{"LICENSES/Apache-2.0.txt", []byte("Apache\n")},
	}
}

func assemble(t testing.TB) []archive.File {
	t.Helper()
	files, err := archive.Assemble(meta(), kit())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t testing.TB, files []archive.File) []byte {
	t.Helper()
	data, err := archive.Write(files)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Python 3.11.7 wrote the same zip of the same three files and printed its SHA-256; see testdata/zip.py. The inventory in
// it was written by Python's json with sort_keys and the separators "," and ":".
func TestWriteGivesTheBytesOfAnotherTool(t *testing.T) {
	files := []archive.File{
		{"r01/b.txt", []byte("two\n")},
		{"r01/a.txt", []byte("one\n")},
	}
	var entries []string
	for _, i := range []int{1, 0} {
		sum := sha256.Sum256(files[i].Data)
		entries = append(entries, fmt.Sprintf(`{"bytes":4,"path":"%s","sha256":"%x"}`, files[i].Path, sum))
	}
	inventory := `{"files":[` + strings.Join(entries, ",") + `],"format":"retrace archive 1","study":"r01"}`
	data := write(t, append(files, archive.File{"INVENTORY.json", []byte(inventory)}))
	sum := sha256.Sum256(data)
	const python = "43d843f977b9bfbf539f2c189113b3b2e04a70bfd8119c0b673e00d0efe40874"
	if got := hex.EncodeToString(sum[:]); got != python {
		t.Errorf("SHA-256 %s, Python's %s", got, python)
	}
}

func TestAssembleAddsTheFilesThatExplain(t *testing.T) {
	files := assemble(t)
	if dir := os.Getenv("ARCHIVE_DUMP"); dir != "" { // for validators of other makers
		if err := os.CopyFS(dir, asFS(files)); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	byPath := map[string]string{}
	for _, f := range files {
		paths = append(paths, f.Path)
		byPath[f.Path] = string(f.Data)
	}
	want := []string{"CITATION.cff", "INVENTORY.json", "LICENSES/Apache-2.0.txt", "LICENSES/CC0-1.0.txt", "SHA256SUMS", "START-HERE.txt",
		"concepts/corpus.jsonl", "concepts/empty.tsv", "r01/PROTOCOL.md", "r01/frozen/results.json", "r01/seals/lock.json", "r01/study.json",
		"ro-crate-metadata.json"}
	if d := cmp.Diff(want, paths); d != "" {
		t.Error(d)
	}

	canonical, err := jcs.Transform([]byte(byPath["INVENTORY.json"]))
	if err != nil || string(canonical) != byPath["INVENTORY.json"] {
		t.Errorf("the inventory is not canonical JSON: %v\n%s", err, byPath["INVENTORY.json"])
	}
	// printf '# Rules\n' | sha256sum (GNU coreutils 9.1)
	rules := "a3af2177809b3c009bfec4d1c507c6ee32757385e856bce9ae5ac3aec41a791b"
	if !strings.Contains(byPath["INVENTORY.json"], `{"bytes":8,"path":"r01/PROTOCOL.md","sha256":"`+rules+`"}`) {
		t.Errorf("no line for PROTOCOL.md in %s", byPath["INVENTORY.json"])
	}
	if !strings.Contains(byPath["SHA256SUMS"], rules+"  r01/PROTOCOL.md\n") {
		t.Errorf("no line for PROTOCOL.md in %s", byPath["SHA256SUMS"])
	}
	for _, line := range []string{
		`cff-version: "1.2.0"`, `title: "Do links \"help\"? <b>Ünïcode</b>"`, "authors:\n  - name: \"Ada \\\"A.\\\" Author\"\n  - name: \"The Group\"", `license: "CC0-1.0"`,
		`date-released: "2026-11-30"`, `abstract: "First paragraph: with a colon.\n\nSecond."`,
	} {
		if !strings.Contains(byPath["CITATION.cff"], line+"\n") {
			t.Errorf("CITATION.cff lacks %s:\n%s", line, byPath["CITATION.cff"])
		}
	}
	for _, p := range want {
		if !strings.Contains(byPath["START-HERE.txt"], "\n  "+p+"\n") {
			t.Errorf("START-HERE.txt does not list %s", p)
		}
	}
}

// What RO-Crate 1.1 says a crate must have, in its sections "Root Data Entity" and "Data Entities".
func TestCrateHasWhatItMust(t *testing.T) {
	files := assemble(t)
	var crate struct {
		Context string                       `json:"@context"`
		Graph   []map[string]json.RawMessage `json:"@graph"`
	}
	for _, f := range files {
		if f.Path == "ro-crate-metadata.json" {
			if err := json.Unmarshal(f.Data, &crate); err != nil {
				t.Fatal(err)
			}
		}
	}
	if crate.Context != "https://w3id.org/ro/crate/1.1/context" {
		t.Errorf("context %s", crate.Context)
	}
	entities := map[string]map[string]json.RawMessage{}
	for _, e := range crate.Graph {
		var id string
		if err := json.Unmarshal(e["@id"], &id); err != nil || entities[id] != nil {
			t.Errorf("@id %s: missing or twice", e["@id"])
		}
		entities[id] = e
	}
	descriptor, root := entities["ro-crate-metadata.json"], entities["./"]
	if string(descriptor["@type"]) != `"CreativeWork"` || !strings.Contains(string(descriptor["about"]), `"./"`) ||
		!strings.Contains(string(descriptor["conformsTo"]), `"https://w3id.org/ro/crate/1.1"`) {
		t.Errorf("descriptor %s", descriptor)
	}
	if string(root["@type"]) != `"Dataset"` || string(root["datePublished"]) != `"2026-11-30"` || root["name"] == nil ||
		root["description"] == nil || !strings.Contains(string(root["license"]), "https://spdx.org/licenses/CC0-1.0") {
		t.Errorf("root %s", root)
	}
	// Every reference to something in the crate leads somewhere, and every file is reached from the root through hasPart.
	reached := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		reached[id] = true
		var parts []struct {
			ID string `json:"@id"`
		}
		if raw := string(entities[id]["hasPart"]); raw != "" {
			if !strings.HasPrefix(raw, "[") {
				raw = "[" + raw + "]"
			}
			if err := json.Unmarshal([]byte(raw), &parts); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range parts {
			if entities[p.ID] == nil {
				t.Errorf("%s has part %s, which is not described", id, p.ID)
			}
			visit(p.ID)
		}
	}
	visit("./")
	for _, f := range files {
		if !reached[f.Path] && f.Path != "ro-crate-metadata.json" {
			t.Errorf("%s is not reached from the root", f.Path)
		}
	}
	for _, id := range []string{"https://spdx.org/licenses/CC0-1.0", "https://spdx.org/licenses/Apache-2.0", "#author-1", "#author-2", "#computation"} {
		if entities[id] == nil {
			t.Errorf("%s is not described", id)
		}
	}
}

// People, organisations and plain names, as CFF 1.2.0 ("authors": definitions.person and definitions.entity) and RO-Crate 1.1
// ("People", "Organizations as values") have them.
func TestAuthorsAreToldApart(t *testing.T) {
	m := meta()
	m.Authors = []author.Author{{Given: "Ada", Family: "Author", ORCID: "0000-0002-1825-0097", Affiliation: "The University"}, {Family: "Plato"},
		{Name: "The Group"}, author.Plain("Somebody")}
	files, err := archive.Assemble(m, kit())
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]string{}
	for _, f := range files {
		byPath[f.Path] = string(f.Data)
	}
	want := `authors:
  - family-names: "Author"
    given-names: "Ada"
    affiliation: "The University"
    orcid: "https://orcid.org/0000-0002-1825-0097"
  - family-names: "Plato"
  - name: "The Group"
  - name: "Somebody"
`
	if !strings.Contains(byPath["CITATION.cff"], want) {
		t.Errorf("%s, want %s", byPath["CITATION.cff"], want)
	}
	if !strings.Contains(byPath["START-HERE.txt"], "Ada Author, Plato, The Group, Somebody") {
		t.Error(byPath["START-HERE.txt"])
	}
	var crate struct {
		Graph []map[string]any `json:"@graph"`
	}
	if err := json.Unmarshal([]byte(byPath["ro-crate-metadata.json"]), &crate); err != nil {
		t.Fatal(err)
	}
	entities := map[any]map[string]any{}
	for _, e := range crate.Graph {
		entities[e["@id"]] = e
	}
	ref := func(id string) map[string]any { return map[string]any{"@id": id} }
	const ada = "https://orcid.org/0000-0002-1825-0097"
	for _, want := range []map[string]any{
		{"@id": ada, "@type": "Person", "name": "Ada Author", "givenName": "Ada", "familyName": "Author", "affiliation": ref("#affiliation-1")},
		{"@id": "#affiliation-1", "@type": "Organization", "name": "The University"},
		{"@id": "#author-2", "@type": "Person", "name": "Plato", "familyName": "Plato"},
		{"@id": "#author-3", "@type": "Organization", "name": "The Group"},
		{"@id": "#author-4", "@type": "Organization", "name": "Somebody"},
	} {
		if d := cmp.Diff(want, entities[want["@id"]]); d != "" {
			t.Error(d)
		}
	}
	if d := cmp.Diff([]any{ref(ada), ref("#author-2"), ref("#author-3"), ref("#author-4")}, entities["./"]["author"]); d != "" {
		t.Error(d)
	}
}

func TestAssembleRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*archive.Meta)
		drop   string
		add    string
		want   string
	}{
		"no title":            {change: func(m *archive.Meta) { m.Title = " " }, want: "r01/study.json: no title"},
		"no date":             {change: func(m *archive.Meta) { m.Published = "" }, want: `r01/study.json: date of publication ""`},
		"month 13":            {change: func(m *archive.Meta) { m.Published = "2026-13-01" }, want: `r01/study.json: date of publication "2026-13-01"`},
		"line break in title": {change: func(m *archive.Meta) { m.Title = "a\nb" }, want: `r01/study.json: title has a control character: "a\nb"`},
		"bidi in abstract":    {change: func(m *archive.Meta) { m.Abstract = "a\u202eb" }, want: `r01/study.json: abstract has a control character: "a\u202eb"`},
		"licence as path":     {change: func(m *archive.Meta) { m.DataLicence = "../x" }, want: `r01/study.json: data licence "../x" is no SPDX identifier`},
		"study as path":       {change: func(m *archive.Meta) { m.ID = "a/b" }, want: `study.json: the study's ID "a/b" can't name a folder`},
		"no licence text":     {drop: "LICENSES/CC0-1.0.txt", want: "r01/study.json: no text of licence CC0-1.0"},
		"own inventory":       {add: "INVENTORY.json", want: "INVENTORY.json: is made by packing"},
	} {
		m, files := meta(), kit()
		if c.change != nil {
			c.change(&m)
		}
		files = slices.DeleteFunc(files, func(f archive.File) bool { return f.Path == c.drop })
		if c.add != "" {
			files = append(files, archive.File{Path: c.add})
		}
		_, err := archive.Assemble(m, files)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

func TestReadGivesAFileSystem(t *testing.T) {
	c, err := archive.Read(write(t, assemble(t)), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(c, "r01/frozen/results.json", "concepts/corpus.jsonl", "START-HERE.txt"); err != nil {
		t.Error(err)
	}
	data, err := fs.ReadFile(c, "r01/frozen/results.json")
	if err != nil || string(data) != `{"n":1}` {
		t.Errorf("%q, %v", data, err)
	}
	inventory, err := fs.ReadFile(c, "INVENTORY.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(inventory)
	if c.Study() != "r01" || c.Identity() != hex.EncodeToString(sum[:]) {
		t.Errorf("study %s, identity %s", c.Study(), c.Identity())
	}
}

func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	want := write(t, assemble(t))
	reversed := kit()
	slices.Reverse(reversed)
	files, err := archive.Assemble(meta(), reversed)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(files)
	if !bytes.Equal(want, write(t, files)) {
		t.Error("the same files in another order give other bytes")
	}
}

// Whatever files a study has: what is written is read back, and writing that again gives the same bytes.
func TestRoundTrip(t *testing.T) {
	segment := rapid.StringMatching(`[a-z0-9_+=,@()-]{1,12}(\.[a-z0-9]{1,5})?`).Filter(func(s string) bool { return archive.CheckPath(s) == nil })
	rapid.Check(t, func(t *rapid.T) {
		files := kit()
		for _, name := range rapid.SliceOfNDistinct(segment, 0, 12, rapid.ID).Draw(t, "names") {
			folder := rapid.SampledFrom([]string{"r01/", "concepts/", "r01/more/", "other/"}).Draw(t, "folder")
			data := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data")
			if folder+name != "r01/more" && folder+name != "r01/seals" && folder+name != "r01/frozen" {
				files = append(files, archive.File{folder + name, data})
			}
		}
		all, err := archive.Assemble(meta(), files)
		if err != nil {
			t.Fatal(err)
		}
		data, err := archive.Write(all)
		if err != nil {
			t.Fatal(err)
		}
		c, err := archive.Read(data, archive.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Files()) != len(all) {
			t.Fatalf("%d files of %d", len(c.Files()), len(all))
		}
		for i, f := range c.Files() {
			if f.Path != all[i].Path || !bytes.Equal(f.Data, all[i].Data) {
				t.Fatalf("%s came back as %s", all[i].Path, f.Path)
			}
		}
		again, err := archive.Write(c.Files())
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("other bytes when written again, %v", err)
		}
	})
}

func asFS(files []archive.File) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		m[f.Path] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return m
}
