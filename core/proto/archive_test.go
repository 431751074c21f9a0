package proto

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"retrace/core/archive"
	"retrace/core/author"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study/studytest"
)

// pack returns the archive of a kit's files, whatever they are.
func pack(t *testing.T, m kit.Memory) []byte {
	t.Helper()
	return packAs(t, m, false)
}

func packAs(t *testing.T, m kit.Memory, draft bool) []byte {
	t.Helper()
	files := []archive.File{{Path: "LICENSES/CC0-1.0.txt", Data: []byte("CC0\n")}, {Path: "LICENSES/Apache-2.0.txt", Data: []byte("Apache\n")}}
	for name, data := range m {
		files = append(files, archive.File{Path: name, Data: data})
	}
	about := archive.Meta{ID: "tiny", Title: "T", Authors: []author.Author{author.Plain("N")}, Abstract: "A", Version: "1.0.0", Published: "2026-11-30", Provenance: "P", DataLicence: "CC0-1.0", CodeLicence: "Apache-2.0", Draft: draft}
	files, err := archive.Assemble(about, files)
	if err != nil {
		t.Fatal(err)
	}
	data, err := archive.Write(files)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// hand gives an archive to a session as a host does.
func hand(t *testing.T, s *Session, data []byte) (result *ArchiveResult, problem *Error) {
	t.Helper()
	var r struct {
		ID     json.RawMessage
		Kind   string
		Result *ArchiveResult
		Error  *Error
	}
	reply := HandleArchive(s, data)
	if err := json.Unmarshal(reply, &r); err != nil {
		t.Fatalf("%v: %.200q", err, reply)
	}
	if string(r.ID) != "null" || r.Kind != "archive" || (r.Result == nil) == (r.Error == nil) {
		t.Fatalf("%.200q", reply)
	}
	return r.Result, r.Error
}

// A session that held something else holds an archive and nothing else, and replays it.
func TestAddArchive(t *testing.T) {
	m := frozen(t)
	data := pack(t, m)
	s := NewSession(design.All)
	s.AddFile("other/study.json", []byte("{}"))
	r, problem := hand(t, s, data)
	if problem != nil {
		t.Fatalf("%+v", problem)
	}
	if r.Study != "tiny" || r.Title != "Do links help in a village?" || r.Version != "1.0.0" || r.DataLicence != "CC0-1.0" || r.CodeLicence != "Apache-2.0" || !r.Frozen {
		t.Errorf("%+v", r)
	}
	// Beside the kit's files: two licences, START-HERE.txt, CITATION.cff, ro-crate-metadata.json, SHA256SUMS, INVENTORY.json.
	if len(r.Files) != len(m)+7 {
		t.Errorf("%d files, want %d", len(r.Files), len(m)+7)
	}
	if c, err := archive.Read(data, archive.DefaultLimits()); err != nil || c.Identity() != r.Identity {
		t.Errorf("identity %s, %v", r.Identity, err)
	}
	sum := int64(0)
	for _, f := range r.Files {
		sum += f.Bytes
		if held, ok := m[f.Path]; ok && kit.Describe(f.Path, held) != f {
			t.Errorf("%+v is not the kit's", f)
		}
		if f.SHA256 == "" || f.Path == "INVENTORY.json" && f.SHA256 != r.Identity {
			t.Errorf("%+v", f)
		}
	}
	if sum != r.Bytes {
		t.Errorf("%d bytes, the files have %d", r.Bytes, sum)
	}
	if list := ask[StudiesResult](t, s, `{"id":1,"kind":"studies"}`); len(list.Studies) != 1 || list.Studies[0].ID != "tiny" {
		t.Errorf("%+v", list)
	}
	if o := replayIn(t, s, "tiny", func() *Session { return s }); !o.Identical || o.Same != len(o.Numbers) {
		t.Errorf("%d of %d numbers, %v", o.Same, len(o.Numbers), o.Differences)
	}
	// What was loaded and replayed goes with the files.
	if _, problem := hand(t, s, data); problem != nil || s.replay != nil || len(s.studies) > 0 {
		t.Errorf("%+v: the session keeps what another archive gave", problem)
	}
}

// An archive without frozen results can be replayed, too, if it says of itself that it is a draft.
func TestAddArchiveBeforeFreezing(t *testing.T) {
	r, problem := hand(t, NewSession(design.All), packAs(t, studytest.Tiny(), true))
	if problem != nil || r.Frozen || !r.Draft {
		t.Errorf("%+v, %+v", r, problem)
	}
	_, problem = hand(t, NewSession(design.All), pack(t, studytest.Tiny()))
	if want := `tiny/study.json: the study is not sealed: its stage "protocol" has no seal`; problem == nil || problem.Message != want {
		t.Errorf("%+v, want %s", problem, want)
	}
	part := frozen(t)
	delete(part, "tiny/seals/3-frozen.json")
	studytest.Manifests(part)
	_, problem = hand(t, NewSession(design.All), pack(t, part))
	if want := `tiny/study.json: the study is not sealed: its stage "frozen" has no seal`; problem == nil || problem.Message != want {
		t.Errorf("%+v, want %s", problem, want)
	}
}

// Every refusal is one clear error, and the session stays as it was. What is wrong with a container is tested in
// core/archive; here is one of each layer.
func TestAddArchiveRefuses(t *testing.T) {
	m := frozen(t)
	sound := pack(t, m)
	edited := func(change func(kit.Memory)) []byte {
		copied := kit.Memory{}
		for name, data := range m {
			copied[name] = bytes.Clone(data)
		}
		change(copied)
		return pack(t, copied)
	}
	deflated := bytes.Clone(sound)
	at := bytes.Index(deflated, []byte("CITATION.cff"))
	deflated[at-30+8] = 8 // the method, in the local header
	at = bytes.LastIndex(deflated, []byte("CITATION.cff"))
	deflated[at-46+10] = 8 // and in the directory
	for name, c := range map[string]struct {
		data             []byte
		code, message    string
		where, hintHolds string
	}{
		"nothing":         {nil, "bad-archive", "archive: this is not such an archive", "", "build pack"},
		"text":            {[]byte("hello"), "bad-archive", "archive: this is not such an archive", "", "build pack"},
		"zstd":            {[]byte("\x28\xb5\x2f\xfd\x00"), "bad-archive", "archive: this is compressed by zstd", "", "the .zip of the same study"},
		"cut":             {sound[:len(sound)/2], "bad-archive", "archive: the archive is cut short", "", "download or copy it again"},
		"something after": {append(bytes.Clone(sound), "more"...), "bad-archive", "archive: there are bytes after the archive's end (4 bytes)", "", "download"},
		"a changed byte":  {bytes.Replace(sound, []byte("boils water"), []byte("boils wader"), 1), "bad-archive", `archive: "village/corpus.jsonl": the data are damaged`, "village/corpus.jsonl", "download"},
		"not deflated":    {deflated, "bad-archive", `archive: "CITATION.cff": the data are damaged (inflate: `, "CITATION.cff", "download"},
		"too large":       {make([]byte, 64<<20+1), "bad-archive", "archive: the archive is too large", "", "limits"},
		"unsealed change": {edited(func(m kit.Memory) { m["village/corpus.jsonl"] = append(m["village/corpus.jsonl"], '\n') }), "bad-kit", "village/corpus.jsonl: has ", "village/corpus.jsonl", "get the kit again"},
		"a file on top":   {edited(func(m kit.Memory) { m["tiny/setup.exe"] = nil }), "bad-kit", "tiny/setup.exe: in the archive, but in no manifest", "tiny/setup.exe", "do not use"},
		"no study.json":   {edited(func(m kit.Memory) { delete(m, "tiny/study.json"); delete(m, "tiny/manifest.json"); m["tiny/x"] = nil }), "bad-kit", "tiny/manifest.json: no manifest", "tiny/manifest.json", "manifest.json"},
		"a later protocol": {edited(func(m kit.Memory) {
			for name := range m {
				if strings.Contains(name, "/seals/") || strings.Contains(name, "/frozen/") {
					delete(m, name)
				}
			}
			studytest.Edit(m, studytest.ProtocolFile, "retrace-study/2", "retrace-study/9")
		}), "bad-kit", "tiny/study.json: format", "tiny/study.json", "study.schema.json"},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(design.All)
			for path, data := range m {
				s.AddFile(path, data)
			}
			before := ask[StudiesResult](t, s, `{"id":1,"kind":"studies"}`)
			_, problem := hand(t, s, c.data)
			if problem == nil || problem.Code != c.code || !strings.HasPrefix(problem.Message, c.message) || problem.Where != c.where || !strings.Contains(problem.Hint, c.hintHolds) {
				t.Errorf("%+v", problem)
			}
			if after := ask[StudiesResult](t, s, `{"id":1,"kind":"studies"}`); !slices.Equal(after.Studies, before.Studies) {
				t.Errorf("the session holds %+v", after)
			}
		})
	}
}
