package adhoc_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"retrace/core/kit"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// cacm makes a study of CACM from the files as they are published, all of them withheld.
func cacm(t *testing.T) kit.Memory {
	dir := peers(t, "cacm")
	if _, err := os.Stat(filepath.Join(dir, "cacm.tar.gz")); err != nil {
		t.Skip("optional: the records of CACM, which are not ours to hand on, are not at " + dir)
	}
	var p map[string]any
	if err := json.Unmarshal([]byte(protocol), &p); err != nil {
		t.Fatal(err)
	}
	p["collection"] = map[string]any{"documents": "tiny/cacm.tar.gz", "format": "html-tar", "citations": 5, "indexed": []string{"text"},
		"analyzer": "english"}
	p["questions"] = map[string]any{"file": "tiny/topics.cacm.txt", "format": "doc"}
	p["graphs"] = []any{map[string]any{"name": "cites", "from": "undirected"}}
	p["keep"] = 1000
	p["methods"] = []any{
		map[string]any{"name": "lucene", "term": "bm25(k1=0.9,b=0.4,form=lucene1)", "role": "baseline", "label": "BM25, Lucene's bytes"},
		map[string]any{"name": "walk", "term": "graph(lucene,teleport=0.5,blend=0.5,edges=cites)", "role": "graph", "label": "Walk"},
	}
	p["adhoc"] = map[string]any{"judgements": []any{map[string]string{"assessor": "cacm", "file": "tiny/qrels.cacm.txt"}},
		"runs": []any{map[string]string{"name": "anserini", "file": "tiny/anserini-bm25.run", "role": "control", "label": "Anserini"}},
		"measures": []any{map[string]string{"key": "ap", "measure": "AP"}, map[string]string{"key": "p30", "measure": "P@30"},
			map[string]string{"key": "ndcg10", "measure": "nDCG@10"}},
		"primary": "ap", "order": "trec_eval"}
	m := kit.Memory{"tiny/PROTOCOL.md": []byte("# Protocol\n")}
	entries := map[string]study.Withheld{}
	given := kit.Memory{}
	for _, name := range []string{"cacm.tar.gz", "topics.cacm.txt", "qrels.cacm.txt", "anserini-bm25.run"} {
		data := read(t, filepath.Join(dir, name))
		given["tiny/"+name] = data
		entries["tiny/"+name] = study.Withheld{SHA256: kit.Hash(data), Bytes: len(data), Holder: "ACM", Terms: "not ours", Get: "ask"}
	}
	p["withheld"] = entries
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m["tiny/study.json"] = data
	studytest.Manifests(m)
	for name, data := range given {
		m[name] = data
	}
	return m
}

// The figures that trec_eval -c gives for Lucene 9.12.1's ranking of the plain parse at 1,000 documents a topic, and for the run
// that Anserini publishes, which holds 30. Its P@30 is what Anserini's documentation says of it, 0.1942.
func TestCACM(t *testing.T) {
	s, _, r, _ := run(t, cacm(t))
	if n := s.Collection.Len(); n != 3204 || len(s.Questions) != 64 || len(r.Topics) != 52 {
		t.Errorf("%d records, %d topics, %d of them judged: want 3204, 64 and 52", n, len(s.Questions), len(r.Topics))
	}
	for system, want := range map[string][3]string{"lucene": {"0.3115", "0.1917", "0.4520"}, "anserini": {"0.2744", "0.1942", "0.4543"}} {
		var got [3]string
		for i, key := range []string{"ap", "p30", "ndcg10"} {
			got[i] = show.Share(*r.Systems[system].Means[key])
		}
		if got != want {
			t.Errorf("%s: AP, P@30 and nDCG@10 are %v, want %v", system, got, want)
		}
	}
	// Pairs of different records that a line of kind 5 joins, by an awk program over the records.
	pairs := map[string]bool{}
	for _, l := range s.Links {
		if l.Source != l.Target {
			pairs[fmt.Sprint(min(l.Source, l.Target), max(l.Source, l.Target))] = true
		}
	}
	if len(pairs) != 2720 {
		t.Errorf("%d pairs of records are joined by citations, want 2720", len(pairs))
	}
}
