package site

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"strings"
	"testing"

	"retrace/cmd/build/pack"
	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/study/studytest"
)

func TestArchives(t *testing.T) {
	dated := studytest.Tiny()
	studytest.Edit(dated, studytest.ProtocolFile, `"version": "1.0.0",`, `"version": "1.0.0", "published": "2026-11-30",`)
	if err := studytest.Freeze(dated); err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	archives, notes, err := publishArchives(dated, []string{"tiny"}, out)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	var index archiveIndex
	if err := json.Unmarshal(out["archives/index.json"], &index); err != nil {
		t.Fatal(err)
	}
	if index.Format != 1 || len(index.Archives) != 1 || index.Archives[0].Study != "tiny" || len(index.Archives[0].Files) != 2 ||
		len(out) != 3 {
		t.Fatalf("%+v, %d files", index, len(out))
	}
	entry, shown := index.Archives[0], archives["tiny"]
	for i, want := range []struct{ name, mediaType string }{{"tiny.zip", "application/zip"}, {"tiny.tar.zst", "application/zstd"}} {
		f := entry.Files[i]
		data := out[path.Join("archives", f.URL)]
		if f.Name != want.name || f.Type != want.mediaType || f.Bytes != len(data) || f.SHA256 != kit.Hash(data) ||
			f.URL != "files/"+strings.Replace(want.name, ".", "."+f.SHA256[:16]+".", 1) {
			t.Errorf("%+v", f)
		}
		if s := shown.Files[i]; s.Name != f.Name || s.Address != "archives/"+f.URL || s.SHA256 != f.SHA256 || s.Bytes != int64(f.Bytes) {
			t.Errorf("the page is told %+v", s)
		}
		c, err := pack.Read(data, archive.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if c.Study() != "tiny" || c.Identity() != entry.Identity || c.Identity() != shown.Identity {
			t.Errorf("%s: study %s, identity %s", f.Name, c.Study(), c.Identity())
		}
		if err := c.CheckKit(); err != nil {
			t.Error(err)
		}
	}
	again := map[string][]byte{}
	if _, _, err := publishArchives(maps.Clone(dated), []string{"tiny"}, again); err != nil || !maps.EqualFunc(out, again, bytes.Equal) {
		t.Errorf("a second time gives other files, %v", err)
	}
}

// Without a date there is no archive, and a note says why.
func TestArchiveNeedsDate(t *testing.T) {
	m, out := studytest.Tiny(), map[string][]byte{}
	archives, notes, err := publishArchives(m, []string{"tiny"}, out)
	if err != nil || len(archives) > 0 || len(notes) != 1 ||
		!strings.HasPrefix(notes[0], "tiny has no archive here: its study.json states no date") {
		t.Error(archives, notes, err)
	}
	if string(out["archives/index.json"]) != "{\n \"format\": 1,\n \"archives\": []\n}\n" || len(out) != 1 {
		t.Errorf("%q", out)
	}
}

// Nor is there one of a study that is not sealed.
func TestArchiveNeedsSeals(t *testing.T) {
	m := studytest.Tiny()
	studytest.Edit(m, studytest.ProtocolFile, `"version": "1.0.0",`, `"version": "1.0.0", "published": "2026-11-30",`)
	archives, notes, err := publishArchives(m, []string{"tiny"}, map[string][]byte{})
	want := `tiny has no archive here: tiny/study.json: the study is not sealed: its stage "protocol" has no seal`
	if err != nil || len(archives) > 0 || len(notes) != 1 || notes[0] != want {
		t.Error(archives, notes, err)
	}
}

// A study that was changed after it was sealed stops the build.
func TestArchiveOfBrokenStudy(t *testing.T) {
	m := studytest.Tiny()
	studytest.Edit(m, studytest.ProtocolFile, `"version": "1.0.0",`, `"version": "1.0.0", "published": "2026-11-30",`)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	m["village/links.tsv"] = append(m["village/links.tsv"], '\n')
	if _, _, err := publishArchives(m, []string{"tiny"}, map[string][]byte{}); err == nil ||
		!strings.Contains(err.Error(), "site: archive of tiny: village/links.tsv") {
		t.Error(err)
	}
}

// A zip is stored, so it has variants; what zstd has compressed has none.
func TestVariantsOfArchives(t *testing.T) {
	text := []byte(strings.Repeat("a line of text that says little\n", 1000))
	built, all, err := compressAll(map[string][]byte{"archives/files/a.zip": text, "archives/files/a.tar.zst": text}, compressor{})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 || all["archives/files/a.zip.br"] == nil || all["archives/files/a.zip.gz"] == nil {
		t.Errorf("%d files", len(all))
	}
	if len(built.Files[0].Coded) != 0 || len(built.Files[1].Coded) != 2 {
		t.Errorf("%+v", built.Files)
	}
}
