package adhoc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"retrace/core/kit"
	"retrace/core/metrics"
	"retrace/core/study/studytest"
)

// peers returns a folder of what other tools print, and skips the test where it isn't there.
func peers(t *testing.T, tool string) string {
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "peers", tool)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("optional: outputs of " + tool + " are not at " + dir)
	}
	return dir
}

func read(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// given makes a study of one given run; its topics are those of the qrels.
func given(t *testing.T, qrels, run string, keep int, measures []string) kit.Memory {
	var p map[string]any
	if err := json.Unmarshal([]byte(protocol), &p); err != nil {
		t.Fatal(err)
	}
	var specs []map[string]string
	for i, m := range measures {
		specs = append(specs, map[string]string{"key": fmt.Sprintf("m%d", i), "measure": m})
	}
	p["keep"] = keep
	p["adhoc"] = map[string]any{"judgements": []any{map[string]string{"assessor": "one", "file": "tiny/one.qrels"}},
		"runs":     []any{map[string]string{"name": "a", "file": "tiny/a.run", "role": "graph", "label": "A"}},
		"measures": specs, "primary": "m0", "order": "trec_eval"}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m := kit.Memory{"tiny/study.json": data, "tiny/PROTOCOL.md": []byte("# Protocol\n"),
		"tiny/corpus.jsonl": []byte(`{"_id":"d1","title":"","text":"nothing"}` + "\n"), "tiny/one.qrels": read(t, qrels)}
	for line := range strings.Lines(string(read(t, run))) { // some lines hold text behind the tag, which a kit's may not
		m["tiny/a.run"] = append(m["tiny/a.run"], strings.Join(strings.Fields(line)[:6], " ")+"\n"...)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(m["tiny/one.qrels"])) {
		if topic, _, _ := strings.Cut(line, " "); !seen[topic] {
			seen[topic] = true
			m["tiny/topics.jsonl"] = append(m["tiny/topics.jsonl"], fmt.Sprintf(`{"_id":%q,"text":"none"}`+"\n", topic)...)
		}
	}
	studytest.Manifests(m)
	return m
}

// What trec_eval -c prints in its own test, for every topic and over all, with at most 1,000 documents and with 100 (-M).
func TestTrecEval(t *testing.T) {
	dir := peers(t, "trec_eval")
	names := map[string]string{"map": "AP", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR", "P_5": "P@5", "P_100": "P@100",
		"recall_1000": "R@1000",
		"ndcg":        "nDCG", "ndcg_cut_10": "nDCG@10", "map_cut_100": "AP@100", "success_5": "Success@5",
		"set_P": "SetP", "num_rel_ret": "NumRet(rel=1)", "num_ret": "NumRet"}
	for output, keep := range map[string]int{"out.test.aqc": 1000, "out.test.aqcM": 100} {
		measures := []string{"AP"}
		key := map[string]string{"AP": "m0"}
		for _, m := range names {
			if m != "AP" {
				key[m] = fmt.Sprintf("m%d", len(measures))
				measures = append(measures, m)
			}
		}
		_, _, r, _ := run(t, given(t, filepath.Join(dir, "qrels.test"), filepath.Join(dir, "results.trunc"), keep, measures))
		compared := 0
		for line := range strings.Lines(string(read(t, filepath.Join(dir, output)))) {
			f := strings.Fields(line)
			k, ours := key[names[f[0]]]
			if !ours {
				continue
			}
			value := *r.Systems["a"].Means[k]
			if f[1] != "all" {
				value = 0 // of a topic without a value, as trec_eval prints it
				for i, topic := range r.Topics {
					if v := r.Values["a"][k][i]; topic.Topic == f[1] && v != nil {
						value = *v
					}
				}
			}
			text := strconv.FormatFloat(value, 'f', 4, 64)
			if !strings.Contains(f[2], ".") {
				text = strconv.FormatFloat(value, 'f', 0, 64)
			}
			if text != f[2] {
				t.Errorf("%s: %s of %s: %s, trec_eval prints %s", output, f[0], f[1], text, f[2])
			}
			compared++
		}
		if want := len(names) * (len(r.Topics) + 1); compared != want {
			t.Errorf("%s: %d values compared, want %d", output, compared, want)
		}
	}
}

// What ir_measures 0.4.3 gives for random qrels and runs with ties, gaps and negative grades, where its back end orders
// ties as trec_eval does.
func TestIRMeasures(t *testing.T) {
	dir := peers(t, "ir_measures")
	measures := []string{"nDCG@10", "AP", "AP(rel=2)", "P@5", "R@100", "Bpref", "Rprec", "Success@1", "SetF", "IPrec@0.5"}
	compared := 0
	for n := range 8 {
		base := filepath.Join(dir, strconv.Itoa(n))
		_, _, r, _ := run(t, given(t, base+".qrels", base+".run", 1000, measures))
		for i, name := range measures {
			if m, err := metrics.ParseMetric(name); err != nil || m.String() != name {
				t.Fatal(name, err)
			}
			k := fmt.Sprintf("m%d", i)
			for line := range strings.Lines(string(read(t, base+".expected.tsv"))) {
				f := strings.Split(strings.TrimSpace(line), "\t")
				want, err := strconv.ParseFloat(f[2], 64)
				if f[0] != name || err != nil {
					continue
				}
				got := *r.Systems["a"].Means[k]
				if f[1] != "all" {
					got = 0
					for i, topic := range r.Topics {
						if v := r.Values["a"][k][i]; topic.Topic == f[1] && v != nil {
							got = *v
						}
					}
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%d: %s of %s: %v, ir_measures gives %v", n, name, f[1], got, want)
				}
				compared++
			}
		}
	}
	if compared < 400 {
		t.Errorf("%d values compared", compared)
	}
}
