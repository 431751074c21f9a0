package design_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrace/core/design"
	"retrace/core/design/adhoc"
	"retrace/core/kit"
	"retrace/core/proto"
	"retrace/core/records"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

func withheld(t *testing.T) (m, given kit.Memory) {
	t.Helper()
	m, given, err := studytest.Withheld()
	if err != nil {
		t.Fatal(err)
	}
	return m, given
}

// With its withheld files a study is loaded and gives what can be computed by hand.
func TestWithheldFilesGiven(t *testing.T) {
	m, given := withheld(t)
	maps.Copy(m, given)
	s, err := design.Load(m, studytest.WithheldID)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Kit.Missing()); got != 0 {
		t.Errorf("%d files are missing", got)
	}
	for _, f := range s.Kit.Files() {
		if given[f.Path] != nil {
			t.Errorf("%s is among the files that are packed and published", f.Path)
		}
	}
	data, err := s.Kit.Read("withheld/frozen/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var r adhoc.Results
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for name, want := range studytest.WithheldAP {
		if got := r.Systems[name].Means["ap"]; got == nil || *got != want {
			t.Errorf("AP of %s: %v, want %v", name, got, want)
		}
	}
}

// Without them loading names the file, its holder and how to get it; hashes are known, and given runs are computed all the same.
func TestWithheldFilesMissing(t *testing.T) {
	m, given := withheld(t)
	_, err := design.Load(m, studytest.WithheldID)
	var e *records.Error
	if !errors.As(err, &e) || e.File != "withheld/records.tar.gz" || e.Hint != "ask the village school for its records" ||
		e.What != "is withheld, since it is Village school's, and was not given" {
		t.Fatalf("%#v", err)
	}
	p, k, err := study.ReadProtocol(design.All, m, studytest.WithheldID)
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, w := range k.Missing() {
		missing = append(missing, w.Path)
		if f, ok := k.Expect(w.Path); !ok || f != kit.Describe(w.Path, given[w.Path]) || k.Has(w.Path) {
			t.Errorf("%s: %v, %v", w.Path, f, ok)
		}
	}
	if !cmp.Equal(missing, []string{"withheld/records.tar.gz", "withheld/topics.txt"}) {
		t.Error(missing)
	}
	figures, err := adhoc.Given(p, k)
	if err != nil || len(figures) != 1 || *figures["theirs"]["ap"] != studytest.WithheldAP["theirs"] {
		t.Error(figures, err)
	}
}

// A given file that is not the withheld one is refused, whether its size differs or its bytes.
func TestWithheldFilesOfOtherBytes(t *testing.T) {
	for _, one := range []struct {
		want   string
		change func([]byte) []byte
	}{
		{"withheld/topics.txt: what was given has 1 bytes and the SHA-256 2d711642", func([]byte) []byte { return []byte("x") }}, // printf x | sha256sum
		{"withheld/topics.txt: what was given has ", func(b []byte) []byte { return append(b[:len(b):len(b)], ' ') }},
		{"withheld/topics.txt: what was given has ", func(b []byte) []byte { return append([]byte("!"), b[1:]...) }},
	} {
		m, given := withheld(t)
		maps.Copy(m, given)
		m["withheld/topics.txt"] = one.change(m["withheld/topics.txt"])
		if _, err := design.Load(m, studytest.WithheldID); err == nil || !strings.HasPrefix(err.Error(), one.want) {
			t.Errorf("%v, want %s", err, one.want)
		}
	}
	m, given := withheld(t)
	maps.Copy(m, given)
	studytest.Manifests(m) // lists them
	if _, err := design.Load(m, studytest.WithheldID); err == nil ||
		err.Error() != "withheld/records.tar.gz: is withheld, and the manifest lists it" {
		t.Error(err)
	}
}

// The engine takes files under their paths as a page hands them over: first without the withheld ones, then with them.
func TestEngineTakesWithheldFiles(t *testing.T) {
	m, given := withheld(t)
	s := proto.NewSession(design.All)
	for name, data := range m {
		s.AddFile(name, data)
	}
	ask := func(request string) (out struct {
		Result struct {
			Outcome *struct{ Identical bool }
			Units   []study.Unit
		}
		Error *proto.Error
	}) {
		t.Helper()
		if err := json.Unmarshal(proto.Handle(s, []byte(request)), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	load := `{"id":1,"kind":"load","study":"withheld"}`
	if e := ask(load).Error; e == nil || e.Code != "bad-kit" || e.Hint != "ask the village school for its records" {
		t.Fatalf("%+v", e)
	}
	for name, data := range given {
		s.AddFile(name, data)
	}
	if e := ask(load).Error; e != nil {
		t.Fatalf("%+v", e)
	}
	state := ask(`{"id":2,"kind":"replay","study":"withheld"}`)
	for len(state.Result.Units) > 0 {
		for _, u := range state.Result.Units {
			unit, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			var reply struct {
				Result struct{ Observations json.RawMessage }
			}
			data := proto.Handle(s, fmt.Appendf(nil, `{"id":3,"kind":"unit","study":"withheld","unit":%s}`, unit))
			if err := json.Unmarshal(data, &reply); err != nil || reply.Result.Observations == nil {
				t.Fatalf("%s", data)
			}
			if e := ask(fmt.Sprintf(`{"id":4,"kind":"add","observations":%s}`, reply.Result.Observations)).Error; e != nil {
				t.Fatalf("%+v", e)
			}
		}
		if state = ask(`{"id":5,"kind":"close"}`); state.Error != nil {
			t.Fatalf("%+v", state.Error)
		}
	}
	if o := state.Result.Outcome; o == nil || !o.Identical {
		t.Errorf("%+v: not what was frozen", state.Result)
	}
}

func TestWithheldRefuses(t *testing.T) {
	m, _ := withheld(t)
	var held struct {
		Withheld map[string]struct{ SHA256 string }
	}
	if err := json.Unmarshal(m["withheld/study.json"], &held); err != nil {
		t.Fatal(err)
	}
	sum := held.Withheld["withheld/topics.txt"].SHA256
	for _, one := range [][3]string{
		{`"withheld/topics.txt": {`, `"other/topics.txt": {`, `withheld: "other/topics.txt": name a file of the study's folder`},
		{`"withheld/topics.txt": {`, `"withheld/../x": {`, `withheld: "withheld/../x": name a file of the study's folder`},
		{`"withheld/topics.txt": {`, `"withheld/frozen/x": {`, `withheld: withheld/frozen/x: what says how`},
		{`"withheld/topics.txt": {`, `"withheld/study.json": {`, `withheld: withheld/study.json: what says how`},
		{sum, strings.ToUpper(sum), `withheld: withheld/topics.txt: sha256`},
		{sum, "ab", `withheld: withheld/topics.txt: sha256 "ab"`},
		{`"holder": "Village school"`, `"holder": ""`, "withheld: withheld/records.tar.gz: say whose it is"},
		{`"format": "html-tar"`, `"format": "zip"`, `collection.format "zip": use beir or html-tar`},
		{`"format": "html-tar"`, `"format": "beir"`, "collection.citations: only an html-tar has them"},
		{`"citations": 5`, `"citations": -1`, "collection.citations: name a kind"},
		{`"format": "doc"`, `"format": "sgml"`, `questions.format "sgml": use beir or doc`},
	} {
		text := string(m["withheld/study.json"])
		changed := strings.Replace(text, one[0], one[1], 1)
		if changed == text {
			t.Fatalf("%s is not in the protocol", one[0])
		}
		if _, err := study.ParseProtocol(design.All, "s", []byte(changed)); err == nil || !strings.HasPrefix(err.Error(), "s: "+one[2]) {
			t.Errorf("%s: %v, want %s", one[1], err, one[2])
		}
	}
}
