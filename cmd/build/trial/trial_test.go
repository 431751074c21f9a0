package trial

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"retrace/cmd/build/author"
)

const bundled = "../../../kit"

// draft copies what R02's authors had before the pool into a kit of its own, and the collection that it requires.
func draft(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for folder, names := range map[string][]string{
		"concepts": {"manifest.json", "corpus.jsonl", "links.tsv", "relations.jsonl", "vectors.f32", "vectors.json"},
		"r02":      {"study.json", "PROTOCOL.md", "NOTES.md", "cues.tsv", "stopwords.txt", "tasks.jsonl", "vectors.f32", "vectors.json"},
	} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(bundled, folder, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, folder, name), data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// values reads JSON Lines, or one JSON array, as values.
func values(t *testing.T, name string) []any {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []any
	if json.Unmarshal(data, &list) == nil {
		return list
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func sameLines(t *testing.T, got, want string) {
	t.Helper()
	a, b := values(t, got), values(t, want)
	if len(a) != len(b) {
		t.Errorf("%s: %d records, want %d", got, len(a), len(b))
		return
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("%s: record %d differs from %s:\n%v\n%v", got, i+1, want, a[i], b[i])
			return
		}
	}
}

// R02 from its questions to its frozen results, with the files that assessors, readers and graders wrote. Pool, key,
// packets and allocation must equal, line by line as JSON, those from which these people worked.
func TestTrialFromQuestionsToFrozen(t *testing.T) {
	dir := draft(t)
	original := func(name string) string { return filepath.Join(bundled, "r02", name) }
	made := func(name string) string { return filepath.Join(dir, "r02", name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	must(author.Seal(dir, "r02", author.Listing{Requires: []string{"concepts"}}, io.Discard))
	if err := author.Lock(dir, "r02", io.Discard); err == nil || !strings.Contains(err.Error(), "not judged yet") {
		t.Fatalf("locking without judgements gave %v", err)
	}
	must(Pool(dir, "r02", "", io.Discard))
	for _, name := range []string{"pool/key.jsonl", "pool/packet-a.jsonl", "pool/packet-b.jsonl"} {
		sameLines(t, made(name), original(name))
	}
	if err := Pool(dir, "r02", "", io.Discard); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("a second pool gave %v", err)
	}
	for _, a := range []string{"a", "b"} {
		must(ImportJudgements(dir, "r02", a, original("pool/judgements-"+a+".jsonl"), &out))
	}
	// An implementation in Python written from the protocol alone prints 0.9745011086474501 and 0.9746910492735236.
	if !strings.Contains(out.String(), "902 pairs, the same grade for 0.9745 of them, quadratic κ 0.9747, 23 disagreements") {
		t.Errorf("agreement: %s", out.String())
	}
	if err := ReaderPackets(dir, "r02", "", io.Discard); err == nil || !strings.Contains(err.Error(), "no lock yet") {
		t.Errorf("readers' packets before the lock gave %v", err)
	}
	must(author.Lock(dir, "r02", io.Discard))
	must(ReaderPackets(dir, "r02", "", io.Discard))
	for _, name := range []string{"answers/allocation.json", "answers/reader-a.jsonl", "answers/reader-b.jsonl"} {
		sameLines(t, made(name), original(name))
	}
	out.Reset()
	for _, r := range []string{"a", "b"} {
		must(ImportAnswers(dir, "r02", r, original("answers/answers-"+r+".jsonl"), &out))
	}
	if !strings.Contains(out.String(), "count from 0 (recognised: ") {
		t.Errorf("answers: %s", out.String())
	}
	must(GraderPackets(dir, "r02", "", io.Discard))
	for _, name := range []string{"answers/grader-a.jsonl", "answers/grader-b.jsonl"} {
		sameLines(t, made(name), original(name))
	}
	for _, g := range []string{"a", "b"} {
		must(ImportGrades(dir, "r02", g, original("answers/grades-"+g+".jsonl"), io.Discard))
	}
	must(author.Freeze(dir, "r02", io.Discard))
	for _, name := range []string{"frozen/results.json", "frozen/observations.jsonl", "frozen/observations-vectors.jsonl"} {
		got, err := os.ReadFile(made(name))
		must(err)
		want, err := os.ReadFile(original(name))
		must(err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the bundled one", name)
		}
	}
	if err := author.Freeze(dir, "r02", io.Discard); err == nil {
		t.Error("a second freeze was allowed")
	}
}

// What is taken in is checked first, and nothing is overwritten.
func TestImportsSayWhatIsWrong(t *testing.T) {
	edited := func(name, old, new string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(bundled, "r02", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), old, new, 1)
		if text == string(data) {
			t.Fatalf("%s: no %q to edit", name, old)
		}
		out := filepath.Join(t.TempDir(), "edited.jsonl")
		if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return out
	}
	judgements := func(name string) error { return ImportJudgements(bundled, "r02", "a", name, io.Discard) }
	answers := func(name string) error { return ImportAnswers(bundled, "r02", "a", name, io.Discard) }
	grades := func(name string) error { return ImportGrades(bundled, "r02", "a", name, io.Discard) }
	for _, c := range []struct {
		name, file, old, new string
		run                  func(string) error
		want                 string
	}{
		{"Boolean grade", "pool/judgements-a.jsonl", `"grade": 0`, `"grade": true`, judgements, "grade true is a Boolean"},
		{"fractional grade", "pool/judgements-a.jsonl", `"grade": 0`, `"grade": 0.5`, judgements,
			"grade 0.5 is not written as a whole number"},
		{"grade out of range", "pool/judgements-a.jsonl", `"grade": 0`, `"grade": 4`, judgements, "grade 4 is out of range 0 to 3"},
		{"label that was not supplied", "answers/answers-a.jsonl", `"cited": [1, 2]`, `"cited": [1, 2, 6]`, answers,
			"cited label 6 was not supplied"},
		{"citation that is not listed", "answers/answers-a.jsonl", `"cited": [1, 2]`, `"cited": [1]`, answers, "the answer cites [2]"},
		{"score out of range", "answers/grades-a.jsonl", `"role": 2`, `"role": 3`, grades, "role 3 is out of range 0 to 2"},
		{"flag as a number", "answers/grades-a.jsonl", `"unsupported": false`, `"unsupported": 0`, grades,
			"unsupported 0 is not a Boolean"},
		{"another file", "pool/judgements-a.jsonl", `"reason": "`, `"reason": "x `, judgements, "never overwritten"},
	} {
		if err := c.run(edited(c.file, c.old, c.new)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if err := ImportJudgements(bundled, "r02", "c", "x", io.Discard); err == nil ||
		!strings.Contains(err.Error(), "the protocol names a, b") {
		t.Errorf("an unknown assessor gave %v", err)
	}
	if err := Pool(bundled, "r01", t.TempDir()+"/x", io.Discard); err == nil || !strings.Contains(err.Error(), "no pool") {
		t.Errorf("the pool of a study without one gave %v", err)
	}
}
