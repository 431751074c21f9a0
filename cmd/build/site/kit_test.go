package site

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"
)

// What no manifest lists is not published, whatever stands in the folders: hidden files, notes, folders that no study needs.
func TestReadKit(t *testing.T) {
	fsys := fstest.MapFS{}
	put := func(name, data string) { fsys[name] = &fstest.MapFile{Data: []byte(data)} }
	put("kit.go", "package kit")
	put("s/study.json", "{}")
	put("s/data.tsv", "d")
	put("s/draft.md", "not to be published")
	put("s/.env", "PASSWORD=1")
	put("s/manifest.json", `{"format":"retrace-manifest/1","folder":"s","requires":["c"],"files":[`+
		`{"path":"s/study.json","bytes":2,"sha256":""},{"path":"s/data.tsv","bytes":1,"sha256":""}]}`)
	put("c/corpus.jsonl", "{}")
	put("c/.git/config", "url = https://me:token@example.org/")
	put("c/manifest.json", `{"format":"retrace-manifest/1","folder":"c","requires":[],"files":[`+
		`{"path":"c/corpus.jsonl","bytes":2,"sha256":""}]}`)
	put("other/corpus.jsonl", "{}")
	put("other/manifest.json", `{"format":"retrace-manifest/1","folder":"other","requires":[],"files":[]}`)
	put("LICENSES/X.txt", "x")
	put("LICENSES/.X.txt.swp", "x")
	files, studies, err := readKit(fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"LICENSES/X.txt", "c/corpus.jsonl", "c/manifest.json", "s/data.tsv", "s/manifest.json", "s/study.json"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) || !slices.Equal(studies, []string{"s"}) {
		t.Errorf("%q, %q; want %q", got, studies, want)
	}
}
