package archive_test

import (
	"strings"
	"testing"

	"retrace/core/archive"
	kitfiles "retrace/core/kit"
	"retrace/core/study/studytest"
)

// Each archive has an inventory that fits its files.
func TestCheckKitFindsWhatTheInventoryCannot(t *testing.T) {
	frozen := studytest.Tiny()
	if err := studytest.Freeze(frozen); err != nil {
		t.Fatal(err)
	}
	change := func(m kitfiles.Memory, name, from, to string) {
		if !strings.Contains(string(m[name]), from) {
			t.Fatalf("%s does not hold %q", name, from)
		}
		m[name] = []byte(strings.Replace(string(m[name]), from, to, 1))
	}
	for name, c := range map[string]struct {
		change func(m kitfiles.Memory)
		want   string
	}{
		"sound":           {func(kitfiles.Memory) {}, ""},
		"data changed":    {func(m kitfiles.Memory) { change(m, "village/corpus.jsonl", "Kettle", "Bottle") }, "village/corpus.jsonl: hash differs"},
		"data longer":     {func(m kitfiles.Memory) { m["village/links.tsv"] = append(m["village/links.tsv"], '\n') }, "village/links.tsv: has "},
		"file too few":    {func(m kitfiles.Memory) { delete(m, "village/links.tsv") }, "village/links.tsv: missing or unreadable"},
		"file too many":   {func(m kitfiles.Memory) { m["tiny/more"] = nil }, "tiny/more: in the archive, but in no manifest of study tiny"},
		"folder too many": {func(m kitfiles.Memory) { m["other/more"] = nil }, "other/more: in the archive, but in no manifest of study tiny"},
		"no manifest":     {func(m kitfiles.Memory) { delete(m, "tiny/manifest.json") }, "tiny/manifest.json: no manifest"},
		"manifest rewritten": {func(m kitfiles.Memory) { // to suit a change of sealed data
			before := kitfiles.Hash(m["village/corpus.jsonl"])
			change(m, "village/corpus.jsonl", "Kettle", "Bottle")
			change(m, "village/manifest.json", before, kitfiles.Hash(m["village/corpus.jsonl"]))
		}, "tiny/seals/1-protocol.json: village/corpus.jsonl is not what was sealed"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{"LICENSES/CC0-1.0.txt": []byte("CC0\n"), "LICENSES/Apache-2.0.txt": []byte("Apache\n")}
			m := kitfiles.Memory{}
			for path, data := range frozen {
				m[path] = append([]byte(nil), data...)
			}
			c.change(m)
			for path, data := range m {
				files[path] = data
			}
			about := meta()
			about.ID = studytest.ID
			var list []archive.File
			for path, data := range files {
				list = append(list, archive.File{Path: path, Data: data})
			}
			list, err := archive.Assemble(about, list)
			if err != nil {
				t.Fatal(err)
			}
			contents, err := archive.Read(write(t, list), archive.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			err = contents.CheckKit()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
