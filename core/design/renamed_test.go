package design_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/core/verdict"
)

// renamed copies an unsealed study and what it requires under another name, with its files changed by replacing texts in
// study.json and in others, by the end of their path.
func renamed(t *testing.T, from, to string, folders []string, edit func(name, text string) string) kit.Memory {
	t.Helper()
	m := kit.Memory{}
	for _, folder := range append([]string{from}, folders...) {
		manifest := kit.Manifest{Format: kit.ManifestFormat, Folder: strings.Replace(folder, from, to, 1), Requires: []string{}}
		if folder == from {
			manifest.Requires = append(manifest.Requires, folders...)
		}
		err := fs.WalkDir(os.DirFS("../../kit"), folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Base(p) == "manifest.json" || strings.Contains(p, "/seals/") || strings.Contains(p, "/frozen/") {
				return err
			}
			data, err := os.ReadFile("../../kit/" + p)
			name := strings.Replace(p, from+"/", to+"/", 1)
			if !strings.HasSuffix(p, ".f32") {
				data = []byte(edit(name, string(data)))
			}
			m[name] = data
			manifest.Files = append(manifest.Files, kit.Describe(name, data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		m[manifest.Folder+"/manifest.json"] = data
	}
	return m
}

// said replays a study and returns everything that it says of its numbers, with the verdict.
func said(t *testing.T, m kit.Memory, id string) (all, sentence string, results []byte) {
	t.Helper()
	s, err := design.Load(m, id)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.Protocol.Spec.Verdict(s.Protocol, o.Results)
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := s.Numbers(o.Results)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	shapes := map[string]bool{}
	for _, n := range numbers {
		shape := digits.ReplaceAllString(n.Path, "#")
		if shapes[shape] {
			continue // one of each kind
		}
		shapes[shape] = true
		node, err := s.Explain(r, n.Path)
		if err != nil {
			t.Errorf("%s: %v", n.Path, err)
			continue
		}
		b.WriteString(strings.Join([]string{n.Path, node.Title, node.Sentence, node.Formula, node.Citation}, " | ") + "\n")
	}
	if s.Protocol.Design == "graded" { // what assessors said of the first document that they judged
		for i := range s.Collection.Docs {
			if node, err := s.Explain(r, "judgement."+s.Questions[0].ID+"."+s.Collection.Docs[i].ID); err == nil {
				b.WriteString(node.Sentence + "\n")
				break
			}
		}
	}
	for _, q := range s.Questions[:1] { // scores by every method, walks and their masses
		for _, method := range s.Protocol.Methods {
			best, err := r.Observation(q.ID, method.Name)
			if err != nil || len(best.Best) == 0 {
				continue
			}
			for _, kind := range []string{"score", "mass"} {
				if node, err := s.Explain(r, kind+"."+q.ID+`["`+method.Name+`"].`+best.Best[0].ID); err == nil {
					b.WriteString(strings.Join([]string{node.Title, node.Sentence, node.Formula, node.Citation}, " | ") + "\n")
				}
			}
		}
	}
	return b.String(), verdict.Text(parts), o.Results
}

var digits = regexp.MustCompile(`\b\d+\b`)

// replaced replaces texts in a file; each must be there.
func replaced(t *testing.T, name, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s does not hold %q", name, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// What a study is called, what it calls its methods, graphs, kinds and splits, its model and its cutoffs are its own: the
// engine says them after it, and nothing of another study's. Each bundled study is told again under other names.
func TestTheEngineKnowsNoStudyByItsKeys(t *testing.T) {
	t.Run("known-item", func(t *testing.T) {
		m := renamed(t, "r01", "p7", []string{"concepts"}, func(name, text string) string {
			switch {
			case name == "p7/study.json":
				var p map[string]any
				if err := json.Unmarshal([]byte(text), &p); err != nil {
					t.Fatal(err)
				}
				delete(p["knownItem"].(map[string]any), "reader") // its packet names what is renamed here
				data, err := json.Marshal(p)
				if err != nil {
					t.Fatal(err)
				}
				text = replaced(t, name, string(data), `"id":"r01"`, `"id":"p7"`, "r01/", "p7/", `"cutoff":10`, `"cutoff":4`, `"hitsAt":[1,10]`, `"hitsAt":[2,7]`,
					`"paraphrase"`, `"reworded"`, `"name":"links"`, `"name":"web"`, `edges=links`, `edges=web`, `"of":"links"`, `"of":"web"`,
					`"name":"graph"`, `"name":"stroll"`, `"method":"graph"`, `"method":"stroll"`, `"graph":"graph"`, `"graph":"stroll"`, `"graph","empty"`, `"stroll","empty"`,
					`"The links"`, `"The footpaths"`, `"label":"BM25"`, `"label":"Okapi"`, `"key":"blend"`, `"key":"mix"`, "${blend}", "${mix}")
				return text
			case strings.HasSuffix(name, "questions.jsonl"):
				return strings.ReplaceAll(text, `"paraphrase"`, `"reworded"`)
			case strings.HasSuffix(name, "vectors.json"):
				return strings.ReplaceAll(text, "all-MiniLM-L6-v2", "our-own-encoder")
			}
			return text
		})
		all, sentence, results := said(t, m, "p7")
		for _, want := range []string{"MRR@4, stroll", "methods.stroll.hits2", "methods.stroll.hits7", "within the first 7", "kinds.reworded.mrr4", "graph “web”", "development.lock.mix",
			"our-own-encoder", "1/12"} { // 12 is the least common multiple of 1 to 4
			if !strings.Contains(all, want) {
				t.Errorf("nothing says %q", want)
			}
		}
		for _, other := range []string{"MiniLM", "MRR@10", "mrr10", "RR@10", "“links”", "r01", "paraphrase", "β of"} {
			if strings.Contains(all, other) {
				t.Errorf("something says %q", other)
			}
		}
		if !strings.HasPrefix(sentence, "The footpaths ") || !strings.Contains(sentence, " MRR@4 ") {
			t.Error(sentence)
		}
		if !strings.Contains(string(results), `"mrr4":`) || strings.Contains(string(results), `"mrr10":`) {
			t.Error("the results name another cutoff")
		}
	})
	t.Run("binary", func(t *testing.T) {
		m := renamed(t, "first-baseline", "p8", nil, func(name, text string) string {
			if name != "p8/study.json" {
				return text
			}
			return replaced(t, name, text, `"first-baseline"`, `"p8"`, "first-baseline/", "p8/", `"label": "held-out"`, `"label": "blind"`,
				`{"key": "recall1", "measure": "R@1"}`, `{"key": "first", "measure": "P@2", "label": "Hit rate of two"}`, `{"key": "mrr3", "measure": "RR@3"}`, `{"key": "rr", "measure": "RR@2"}`,
				`"label": "Overlap"`, `"label": "Shared words"`)
		})
		all, sentence, _ := said(t, m, "p8")
		for _, want := range []string{"mean P@2, bm25", "mean RR@2", "splits.heldout.methods.bm25.first"} {
			if !strings.Contains(all, want) {
				t.Errorf("nothing says %q", want)
			}
		}
		// A precision has a value where nothing is relevant too, and its mean is over all needs: the sentence says so.
		if !strings.Contains(sentence, "blind needs that have a relevant passage, Shared words has Hit rate of two ") || !strings.Contains(sentence, "(over all 8 needs)") ||
			strings.Contains(sentence, "held") || strings.Contains(sentence, "Useful") {
			t.Error(sentence)
		}
		if strings.Contains(all, "mrr3") || strings.Contains(all, "recall1") || strings.Contains(all, "first-baseline") {
			t.Error("something names another study's measures")
		}
	})
	t.Run("graded", func(t *testing.T) {
		packets := []string{"packet", "key", "allocation"}
		m := renamed(t, "r02", "p9", []string{"concepts"}, func(name, text string) string {
			if strings.HasSuffix(name, "vectors.json") {
				return strings.ReplaceAll(text, "all-MiniLM-L6-v2", "our-own-encoder")
			}
			if name != "p9/study.json" || slices.Contains(packets, name) {
				return text
			}
			return replaced(t, name, text, `"id": "r02"`, `"id": "p9"`, "r02/", "p9/", `"key": "ndcg5"`, `"key": "gain"`, `"name": "ndcg5"`, `"name": "gain"`, `"measure": "ndcg5"`, `"measure": "gain"`,
				`"P(rel=2)@5"`, `"P(rel=3)@4"`, `"label": "Useful precision@5"`, `"label": "Worth@5"`, `"irrelevant", "related background"`, `"no use", "some use"`,
				`"label": "Typed relations"`, `"label": "Named ties"`, `"cueWeight": 2`, `"cueWeight": 2.0`)
		})
		all, sentence, _ := said(t, m, "p9")
		for _, want := range []string{"P(rel=3)@4", "final.typed.gain", "our-own-encoder", "no use"} {
			if !strings.Contains(all, want) {
				t.Errorf("nothing says %q", want)
			}
		}
		if strings.Contains(all, "MiniLM") || strings.Contains(all, "ndcg5") {
			t.Error("something says another study's words")
		}
		if !strings.HasPrefix(sentence, "Named ties ") || !strings.Contains(sentence, " in nDCG@5 ") {
			t.Error(sentence)
		}
	})
}
