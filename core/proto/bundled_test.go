package proto

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"retrace/core/design"
	"retrace/core/kit"
	bundled "retrace/kit"
)

// draft01 is R01 without its seals, in memory.
var draft01 = sync.OnceValue(func() kit.Memory {
	m := kit.Memory{}
	for _, folder := range []string{"concepts", "r01"} {
		err := fs.WalkDir(bundled.FS, folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(p, "/seals/") || strings.Contains(p, "/frozen/") {
				return err
			}
			m[p], err = bundled.FS.ReadFile(p)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	relist(m, "r01")
	return m
})

// relist writes a folder's manifest anew.
func relist(m kit.Memory, folder string) {
	var manifest kit.Manifest
	if err := json.Unmarshal(m[folder+"/manifest.json"], &manifest); err != nil {
		panic(err)
	}
	manifest.Files = nil
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if strings.HasPrefix(name, folder+"/") && name != folder+"/manifest.json" {
			manifest.Files = append(manifest.Files, kit.Describe(name, m[name]))
		}
	}
	m[folder+"/manifest.json"] = []byte(marshal(manifest))
}

// What may be wrong with R01's own files: texts, the reader's pilot, embeddings.
func TestFaultsOfR01(t *testing.T) {
	const dense = `{"id":1,"kind":"question","study":"r01","question":"F001-boundary","methods":["dense"]}`
	for _, c := range []struct {
		name, file string
		change     func([]byte) []byte
		request    string // empty: a replay without vectors
		want       string
	}{
		{"link to nowhere", "concepts/links.tsv", swap("\n1\t", "\n3001\t"), `{"id":1,"kind":"load","study":"r01"}`, `concepts/links.tsv:2: unknown document "3001"`},
		{"question without family", "r01/questions.jsonl", swap(`"family": "F002"`, `"family": ""`), `{"id":1,"kind":"load","study":"r01"}`, `r01/questions.jsonl:4: question "F002-paraphrase" has no family: ""`},
		{"another split", "r01/targets.tsv", swap("\ttest\n", "\tdev\n"), `{"id":1,"kind":"load","study":"r01"}`, "r01/targets.tsv:2: family F001: the draw and the file disagree on its split, dev in the file"},
		{"another packet", "r01/reader/packet.jsonl", swap(`"name": "`, `"name": "X`), "", "r01/reader/packet.jsonl:1: differs from what the rule gives"},
		{"label that was not supplied", "r01/reader/answers.jsonl", swap(`"choice":`, `"choice":9`), "", "r01/reader/answers.jsonl:1: context X01: choice 9"},
		{"embedding that is no number", "r01/vectors.f32", func(b []byte) []byte { copy(b[4:], []byte{0, 0, 0xc0, 0x7f}); return b }, dense, "r01/vectors.f32: "},
		{"embeddings cut off", "r01/vectors.f32", func(b []byte) []byte { return b[:len(b)-4] }, dense, "r01/vectors.f32: "},
		{"embeddings of other questions", "r01/vectors.json", swap(`"count": 360`, `"count": 361`), dense, "r01/vectors.f32: "},
		{"embeddings without a sidecar", "r01/vectors.json", nil, dense, "r01/vectors.json: not in the manifest"},
	} {
		m := maps.Clone(draft01())
		if c.change == nil {
			delete(m, c.file)
		} else {
			before := m[c.file]
			if m[c.file] = c.change(slices.Clone(before)); bytes.Equal(before, m[c.file]) {
				t.Fatalf("%s: nothing was changed", c.name)
			}
		}
		folder, _, _ := strings.Cut(c.file, "/")
		relist(m, folder)
		var problem *Error
		if s := NewSessionFS(design.All, m); c.request != "" {
			_, problem = answerTo(t, s, c.request)
		} else {
			problem = replayProblem(t, s, "r01", true)
		}
		if problem == nil || !strings.HasPrefix(problem.Message, c.want) || problem.Hint == "" || problem.Code != "bad-kit" {
			t.Errorf("%s: %+v, want %s", c.name, problem, c.want)
		}
	}
}

func swap(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
}

// replayProblem replays a study until something is refused.
func replayProblem(t *testing.T, s *Session, id string, without bool) *Error {
	t.Helper()
	data, problem := answerTo(t, s, fmt.Sprintf(`{"id":1,"kind":"replay","study":%q,"withoutVectors":%v}`, id, without))
	for problem == nil {
		var state ReplayResult
		if err := json.Unmarshal(data, &state); err != nil {
			t.Fatal(err)
		}
		if state.Done {
			return nil
		}
		for _, u := range state.Units {
			if data, problem = answerTo(t, s, fmt.Sprintf(`{"id":2,"kind":"unit","study":%q,"unit":%s}`, id, marshal(u))); problem != nil {
				return problem
			}
			if _, problem = answerTo(t, s, `{"id":3,"kind":"add",`+string(data[1:])); problem != nil {
				return problem
			}
		}
		data, problem = answerTo(t, s, `{"id":4,"kind":"close"}`)
	}
	return problem
}
