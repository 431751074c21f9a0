package adhoc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"retrace/core/design"
	"retrace/core/exact"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// cranfield makes a study of the size of Cranfield's: 225 topics, 1,400 documents of some 90 words, three methods that
// return nearly everything, two given runs of 1,000 documents a topic, and sparse judgements.
func cranfield(topics, documents int) kit.Memory {
	src := exact.NewStream(1, 1)
	words := func(n int) string {
		var b strings.Builder
		for range n {
			r := src.IntN(2000)
			fmt.Fprintf(&b, "w%d ", src.IntN(r+1)) // low numbers are frequent
		}
		return b.String()
	}
	var corpus, questions, qrels strings.Builder
	for d := range documents {
		fmt.Fprintf(&corpus, `{"_id":"%d","title":"","text":%q}`+"\n", d+1, words(90))
	}
	runs := [2]strings.Builder{}
	for q := range topics {
		fmt.Fprintf(&questions, `{"_id":"q%d","text":%q}`+"\n", q+1, words(18))
		for _, d := range src.Draw(min(9, documents), documents) {
			fmt.Fprintf(&qrels, "q%d 0 %d %d\n", q+1, d+1, src.IntN(5)-1)
		}
		for r := range runs {
			for i, d := range src.Draw(min(1000, documents), documents) {
				fmt.Fprintf(&runs[r], "q%d Q0 %d %d %d given\n", q+1, d+1, i+1, 3000-i/2)
			}
		}
	}
	var p map[string]any
	if err := json.Unmarshal([]byte(protocol), &p); err != nil {
		panic(err)
	}
	p["keep"] = 1000
	p["methods"] = []any{map[string]string{"name": "bm25", "term": "bm25", "role": "baseline", "label": "BM25"},
		map[string]string{"name": "tfidf", "term": "tfidf", "role": "baseline", "label": "TF-IDF"},
		map[string]string{"name": "rrf", "term": "rrf(bm25,tfidf)", "role": "graph", "label": "RRF"}}
	part := p["adhoc"].(map[string]any)
	delete(part, "contrasts")
	delete(part, "groups")
	part["baseline"] = "bm25"
	part["measures"] = []any{map[string]string{"key": "ndcg", "measure": "nDCG@10"}, map[string]string{"key": "ap", "measure": "AP"},
		map[string]string{"key": "p", "measure": "P@10"}, map[string]string{"key": "r",
			"measure": "R@1000"}, map[string]string{"key": "rr", "measure": "RR"}}
	part["test"] = map[string]any{"replicates": 10000, "bootstrapStream": 1, "draws": 10000, "flipStream": 2, "correction": "holm"}
	data, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	m := kit.Memory{"tiny/study.json": data, "tiny/PROTOCOL.md": []byte("# Protocol\n"), "tiny/corpus.jsonl": []byte(corpus.String()),
		"tiny/topics.jsonl": []byte(questions.String()), "tiny/one.qrels": []byte(qrels.String()), "tiny/a.run": []byte(runs[0].String()),
		"tiny/b.run": []byte(runs[1].String())}
	studytest.Manifests(m)
	return m
}

// BenchmarkReplay loads and replays a study of Cranfield's size, as freezing does too.
func BenchmarkReplay(b *testing.B) {
	m := cranfield(225, 1400)
	var load, run, end time.Duration
	size := 0
	for b.Loop() {
		start := time.Now()
		s, err := design.Load(m, "tiny")
		if err != nil {
			b.Fatal(err)
		}
		load += time.Since(start)
		start = time.Now()
		r, err := s.RunAll(study.Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		run += time.Since(start)
		start = time.Now()
		o, err := r.Outcome()
		if err != nil {
			b.Fatal(err)
		}
		end += time.Since(start)
		size = len(o.Results)
	}
	for name, d := range map[string]time.Duration{"load-s/op": load, "run-s/op": run, "outcome-s/op": end} {
		b.ReportMetric(d.Seconds()/float64(b.N), name)
	}
	b.ReportMetric(float64(size), "results-bytes")
}
