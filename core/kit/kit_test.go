package kit

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"retrace/core/records"
)

// problem returns an error's text; every error about a kit names a file and has a hint.
func problem(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *records.Error
	if !errors.As(err, &e) || e.Hint == "" || e.File == "" {
		t.Fatalf("no file or hint in %#v", err)
	}
	return err.Error()
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// manifest adds a folder's manifest to m, listing its files.
func manifest(m Memory, folder string, requires ...string) {
	out := Manifest{Format: ManifestFormat, Folder: folder, Requires: requires}
	for _, name := range sorted(m) {
		if strings.HasPrefix(name, folder+"/") && name != folder+"/manifest.json" {
			out.Files = append(out.Files, Describe(name, m[name]))
		}
	}
	m[folder+"/manifest.json"] = marshal(out)
}

func sorted(m Memory) []string {
	var names []string
	fs.WalkDir(m, ".", func(p string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	return names
}

func small() Memory {
	m := Memory{"s/study.json": []byte("{}"), "s/deep/er/x.txt": []byte("xyz"), "c/data": []byte("d")}
	manifest(m, "c")
	manifest(m, "s", "c")
	return m
}

func TestOpen(t *testing.T) {
	k, err := Open(small(), "s")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range k.Files() {
		names = append(names, f.Path)
	}
	if !cmp.Equal(names, []string{"s/deep/er/x.txt", "s/study.json", "c/data"}) {
		t.Error(names)
	}
	data, err := k.Read("s/deep/er/x.txt")
	// printf xyz | sha256sum
	if err != nil || string(data) != "xyz" || Hash(data) != "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282" {
		t.Error(string(data), err, Hash(data))
	}
	if !k.Has("c/data") || k.Has("c/manifest.json") || !k.Present("c/data") || k.Present("c/none") {
		t.Error("Has, Present")
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(Memory)
		read   string
		fault  string
	}{
		"one byte changed":   {func(m Memory) { m["c/data"] = []byte("e") }, "c/data", "c/data: hash differs: SHA-256 is 3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea, the manifest says 18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"},
		"a byte more":        {func(m Memory) { m["c/data"] = []byte("dd") }, "c/data", "c/data: has 2 bytes, the manifest says 1"},
		"a byte less":        {func(m Memory) { m["c/data"] = nil }, "c/data", "c/data: has 0 bytes, the manifest says 1"},
		"missing":            {func(m Memory) { delete(m, "c/data") }, "c/data", "c/data: missing or unreadable"},
		"not listed":         {func(m Memory) { m["c/more"] = []byte("x") }, "c/more", "c/more: not in the manifest"},
		"outside":            {func(m Memory) {}, "../etc/passwd", "../etc/passwd: not in the manifest: there is no such file"},
		"a folder of a name": {func(m Memory) { delete(m, "c/data"); m["c/data/x"] = nil }, "c/data", "c/data: missing or unreadable"},
	} {
		m := small()
		c.change(m)
		k, err := Open(m, "s")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Read(c.read); !strings.HasPrefix(problem(t, err), c.fault) {
			t.Errorf("%s: %v, want %s", name, err, c.fault)
		}
	}
}

// A clone under Git's core.autocrlf has CR LF where the hashed file has LF; the error says that nothing else differs.
func TestLineEnds(t *testing.T) {
	for _, c := range []struct{ listed, held, want string }{
		{"a\nb\n", "a\r\nb\r\n", "s/x: has 6 bytes, the manifest says 4: 2 line ends are CR LF that were LF, and nothing else differs"},
		{"a\nb\n", "a\r\nB\r\n", "s/x: has 6 bytes, the manifest says 4"},
		{"a\nb\n", "a\nb\nc\n", "s/x: has 6 bytes, the manifest says 4"},
	} {
		m := Memory{"s/x": []byte(c.listed)}
		manifest(m, "s")
		m["s/x"] = []byte(c.held)
		k, err := Open(m, "s")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Read("s/x"); problem(t, err) != c.want {
			t.Errorf("%q for %q: %v, want %s", c.held, c.listed, err, c.want)
		}
	}
}

func TestManifestRefuses(t *testing.T) {
	list := func(files ...File) []byte {
		return marshal(Manifest{Format: ManifestFormat, Folder: "s", Files: files})
	}
	for _, c := range []struct {
		name     string
		manifest []byte
		fault    string
	}{
		{"parent", list(File{"s/../c/data", 1, ""}), `bad path "s/../c/data"`},
		{"absolute", list(File{"/etc/passwd", 1, ""}), `bad path "/etc/passwd"`},
		{"another folder", list(File{"c/data", 1, ""}), `bad path "c/data"`},
		{"prefix only", list(File{"s2/data", 1, ""}), `bad path "s2/data"`},
		{"backslash", list(File{`s/..\..\x`, 1, ""}), "bad path"},
		{"drive", list(File{"s/c:x", 1, ""}), "bad path"},
		{"empty", list(File{"", 1, ""}), `bad path ""`},
		{"the folder", list(File{"s/", 1, ""}), `bad path "s/"`},
		{"control", list(File{"s/a\u202etxt.exe", 1, ""}), "bad path"},
		{"newline", list(File{"s/a\nb", 1, ""}), "bad path"},
		{"huge", list(File{"s/x", 1 << 40, ""}), "has a size of 1099511627776 bytes"},
		{"negative", list(File{"s/x", -1, ""}), "has a size of -1 bytes"},
		{"twice", list(File{"s/x", 1, ""}, File{"s/x", 1, ""}), `duplicate path "s/x"`},
		{"itself", list(File{"s/manifest.json", 1, ""}), `bad path "s/manifest.json"`},
		{"format", []byte(`{"format":"retrace-manifest/2","folder":"s","requires":[],"files":[]}`), `format "retrace-manifest/2"`},
		{"folder", []byte(`{"format":"retrace-manifest/1","folder":"t","requires":[],"files":[]}`), `folder "t"`},
		{"unknown field", []byte(`{"format":"retrace-manifest/1","folder":"s","requires":[],"files":[],"x":1}`), `unknown field "x"`},
		{"case", []byte(`{"Format":"retrace-manifest/1"}`), `unknown field "Format"`},
		{"huge number", []byte(`{"format":"retrace-manifest/1","folder":"s","requires":[],"files":[{"path":"s/x","bytes":1e99,"sha256":""}]}`), "files.bytes: number 1e99"},
		{"broken", []byte("{\n\"format\":"), "s/manifest.json:2: broken JSON"},
		{"deep", []byte(strings.Repeat("[", 1e5)), "nested too deeply"},
		{"include of what is not listed", marshal(Manifest{Format: ManifestFormat, Folder: "s", Include: []string{"s/.env"}}), `includes "s/.env", which it does not list`},
		{"requires outside", marshal(Manifest{Format: ManifestFormat, Folder: "s", Requires: []string{"../c"}}), `bad folder name "../c"`},
		{"requires here", marshal(Manifest{Format: ManifestFormat, Folder: "s", Requires: []string{"."}}), `bad folder name "."`},
		{"requires a path", marshal(Manifest{Format: ManifestFormat, Folder: "s", Requires: []string{"c/d"}}), `bad folder name "c/d"`},
		{"requires what is missing", marshal(Manifest{Format: ManifestFormat, Folder: "s", Requires: []string{"none"}}), "none/manifest.json: no manifest"},
	} {
		m := small()
		m["s/manifest.json"] = c.manifest
		_, err := Open(m, "s")
		if !strings.Contains(problem(t, err), c.fault) {
			t.Errorf("%s: %v, want %s", c.name, err, c.fault)
		}
	}
	for _, id := range []string{"", ".", "..", "/", "a/b", "none", "s/", "\x00"} {
		if _, err := Open(small(), id); problem(t, err) == "" {
			t.Errorf("%q was opened", id)
		}
	}
	// Folders that need each other are read once; too many are refused.
	m := small()
	manifest(m, "c", "s")
	if _, err := Open(m, "s"); err != nil {
		t.Error(err)
	}
	for i := range 100 {
		manifest(m, "f"+strings.Repeat("x", i), "f"+strings.Repeat("x", i+1))
	}
	if _, err := Open(m, "f"); !strings.Contains(problem(t, err), "too many folders") {
		t.Error(err)
	}
}

// sealed adds two seals to the small kit.
func sealed(change func(n int, s *Seal)) Memory {
	m := small()
	delete(m, "s/manifest.json")
	previous := ""
	for n, stage := range []string{"first", "second"} {
		s := Seal{Format: SealFormat, Study: "s", Stage: stage, Previous: previous, Files: []File{Describe("c/data", m["c/data"])}}
		change(n, &s)
		name := "s/seals/" + string(rune('1'+n)) + "-" + stage + ".json"
		m[name] = marshal(s)
		previous = Hash(m[name])
	}
	manifest(m, "s", "c")
	return m
}

func TestSeals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(int, *Seal)
		after  func(Memory)
		fault  string
	}{
		"whole":           {},
		"format":          {change: func(_ int, s *Seal) { s.Format = "x" }, fault: `s/seals/1-first.json: format "x"`},
		"another study's": {change: func(n int, s *Seal) { s.Study += strings.Repeat("2", n) }, fault: `s/seals/2-second.json: study "s2"`},
		"chain":           {change: func(n int, s *Seal) { s.Previous = "0000" }, fault: `s/seals/1-first.json: names "0000" as the seal before it, which has the hash ""`},
		"stage and name":  {change: func(_ int, s *Seal) { s.Stage = "other" }, fault: "s/seals/1-first.json: stage \"other\""},
		"file changed":    {after: func(m Memory) { m["c/data"] = []byte("e"); manifest(m, "c") }, fault: `s/seals/1-first.json: c/data is not what was sealed at stage "first"`},
		"file gone":       {after: func(m Memory) { delete(m, "c/data"); manifest(m, "c") }, fault: "c/data is not what was sealed"},
		"first seal edited": {after: func(m Memory) {
			m["s/seals/1-first.json"] = append(m["s/seals/1-first.json"], '\n')
			manifest(m, "s", "c")
		}, fault: "s/seals/2-second.json: names"},
		"edited unlisted": {after: func(m Memory) { m["s/seals/1-first.json"] = append(m["s/seals/1-first.json"], '\n') }, fault: "s/seals/1-first.json: has"},
		"first gone":      {after: func(m Memory) { delete(m, "s/seals/1-first.json"); manifest(m, "s", "c") }, fault: `s/seals/2-second.json: the seal at place 1 should start with "1-"`},
	} {
		if c.change == nil {
			c.change = func(int, *Seal) {}
		}
		m := sealed(c.change)
		if c.after != nil {
			c.after(m)
		}
		k, err := Open(m, "s")
		if err != nil {
			t.Fatal(err)
		}
		seals, err := k.Seals("s")
		if got := problem(t, err); !strings.Contains(got, c.fault) || (got == "") != (c.fault == "") {
			t.Errorf("%s: %v, want %s", name, err, c.fault)
		}
		if err == nil && (len(seals) != 2 || seals[1].Stage != "second") {
			t.Errorf("%s: %+v", name, seals)
		}
	}
}

func TestCanonical(t *testing.T) {
	// RFC 8785, section 3.2.2 and its example of sorting.
	got, err := Canonical(json.RawMessage(`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`))
	want := `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err := Canonical(map[string]string{"x": "<img src=x>&\u2028"}); err != nil || string(got) != "{\"x\":\"<img src=x>&\u2028\"}" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestStudies(t *testing.T) {
	m := Memory{"b/study.json": nil, "a/study.json": nil, "c/data": nil, "a/x/study.json": nil}
	if got, err := Studies(m); err != nil || !cmp.Equal(got, []string{"a", "b"}) {
		t.Error(got, err)
	}
	if got, err := Studies(Memory{}); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}

func TestMemoryIsAFileSystem(t *testing.T) {
	// ReadFile hands out the content itself, which TestFS writes to: it is left out here.
	if err := fstest.TestFS(struct{ fs.FS }{small()}, "s/study.json", "s/deep/er/x.txt", "c/data"); err != nil {
		t.Error(err)
	}
	if _, err := fs.Stat(small(), "../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// A hint names the command that mends what an author left out.
func TestHintsNameTheCommand(t *testing.T) {
	hint := func(err error) string {
		var r *records.Error
		if !errors.As(err, &r) {
			t.Fatalf("%v", err)
		}
		return r.What + "; " + r.Hint
	}
	m := small()
	k, err := Open(m, "s")
	if err != nil {
		t.Fatal(err)
	}
	m["c/data"], m["c/more"], m["other/x"] = []byte("dd"), []byte("x"), []byte("x")
	for name, want := range map[string]string{
		"c/data":  "has 2 bytes, the manifest says 1; get the kit again; if you changed the file, run `build manifest c`, and of a sealed study `build reseal STUDY --because TEXT`",
		"c/more":  "not in the manifest; list the file in its folder's manifest.json: `build manifest c` does",
		"other/x": "not in the manifest: the study does not require other/; name its folder: `build seal STUDY --requires other`",
		"c/none":  "not in the manifest: there is no such file; correct its path in study.json; paths start at the kit's root, as in s/study.json",
	} {
		if _, err := k.Read(name); hint(err) != want {
			t.Errorf("%s: %s, want %s", name, hint(err), want)
		}
	}
	delete(m, "c/manifest.json")
	if _, err := Open(m, "s"); !strings.HasSuffix(hint(err), "; the study requires this folder: `build manifest c` writes its manifest.json") {
		t.Errorf("%s", hint(err))
	}
}
