package adhoc_test

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/design/adhoc"
	"retrace/core/kit"
	"retrace/core/numpath"
	"retrace/core/records"
	"retrace/core/stats"
	"retrace/core/study"
	"retrace/core/study/studytest"
	"retrace/core/verdict"
)

const protocol = `{
  "format": "retrace-study/2",
  "id": "tiny",
  "title": "Is a better than b?", "authors": ["Ada Author"],
  "summary": "Six things. A test.",
  "version": "1.0.0",
  "document": "tiny/PROTOCOL.md",
  "licence": {"data": "CC0-1.0", "code": "Apache-2.0"},
  "provenance": "Made up for tests.",
  "readings": [],
  "seed": 5,
  "collection": {"documents": "tiny/corpus.jsonl", "indexed": ["title", "text"], "analyzer": "ascii"},
  "questions": {"file": "tiny/topics.jsonl"},
  "graphs": [],
  "methods": [{"name": "bm25", "term": "bm25", "role": "baseline", "label": "BM25"}],
  "keep": 10,
  "adhoc": {
    "judgements": [{"assessor": "one", "file": "tiny/one.qrels"}],
    "runs": [
      {"name": "a", "file": "tiny/a.run", "role": "graph", "label": "System A"},
      {"name": "b", "file": "tiny/b.run", "role": "control", "label": "System B"}
    ],
    "measures": [
      {"key": "ndcg", "measure": "nDCG@10"}, {"key": "ap", "measure": "AP"}, {"key": "rel", "measure": "NumRelRet"}
    ],
    "primary": "ndcg",
    "order": "trec_eval",
    "groups": ["easy", "hard"],
    "contrasts": [{"name": "a-b", "system": "a", "against": "b"}, {"name": "b-bm25", "system": "b", "against": "bm25"}],
    "test": {"replicates": 200, "bootstrapStream": 1, "draws": 200, "flipStream": 2, "correction": "holm"}
  }
}
`

// tiny returns the files of a study whose figures are small enough to compute by hand.
func tiny() kit.Memory {
	m := kit.Memory{
		"tiny/study.json":  []byte(protocol),
		"tiny/PROTOCOL.md": []byte("# Protocol\n"),
		"tiny/topics.jsonl": []byte(`{"_id":"t1","text":"kettle","metadata":{"kind":"easy"}}
{"_id":"t2","text":"lantern","metadata":{"kind":"hard"}}
{"_id":"t3","text":"anchor","metadata":{"kind":"hard"}}
{"_id":"t4","text":"sail","metadata":{"kind":"easy"}}
`),
		"tiny/one.qrels": []byte("t1 0 d1 2\nt1 0 d2 1\nt1 0 d3 0\nt1 0 d4 -1\nt2 0 d5 1\nt3 0 d6 0\n"),
		"tiny/a.run":     []byte("t1 Q0 d1 1 3 a\nt1 Q0 d2 2 2 a\nt1 Q0 d5 3 1 a\nt2 Q0 d1 1 1 a\nt2 Q0 d5 2 1 a\n"),
		"tiny/b.run":     []byte("t1 Q0 d2 1 2 b\nt1 Q0 d1 2 1 b\nt2 Q0 d1 1 2 b\nt2 Q0 d5 2 1 b\nt3 Q0 d6 1 1 b\nt4 Q0 x9 1 1 b\n"),
	}
	var corpus strings.Builder
	for i, text := range []string{"kettle", "kettle tea", "kettle water", "kettle", "lantern", "anchor"} {
		corpus.WriteString(`{"_id":"d` + strconv.Itoa(i+1) + `","title":"","text":"` + text + `"}` + "\n")
	}
	m["tiny/corpus.jsonl"] = []byte(corpus.String())
	studytest.Manifests(m)
	return m
}

func run(t *testing.T, m kit.Memory) (*study.Study, *study.Replay, *adhoc.Results, []byte) {
	t.Helper()
	s, err := design.Load(m, "tiny")
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
	if len(o.Files) != 1 || o.Files[0].Path != "tiny/frozen/results.json" {
		t.Errorf("files %v: results alone are frozen", o.Files)
	}
	var out adhoc.Results
	if err := json.Unmarshal(o.Results, &out); err != nil {
		t.Fatal(err)
	}
	return s, r, &out, o.Results
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand, with l = log2(3). Topic t1 has grades 2 and 1, so the ideal DCG is 2 + 1/l. A returns it: 1; B returns 1, 2:
// (1 + 2/l)/(2 + 1/l). Topic t2 has one relevant document, d5: A returns it tied with d1, and trec_eval's order puts d5
// first: 1, at worst 1/l; B returns it second: 1/l. Topic t3 has none, and A does not answer it: 0 for both.
func TestByHand(t *testing.T) {
	l := math.Log2(3)
	_, _, r, _ := run(t, tiny())
	b1 := (1 + 2/l) / (2 + 1/l)
	a, b := r.Systems["a"], r.Systems["b"]
	near(t, "nDCG of A", *a.Means["ndcg"], 2.0/3)
	near(t, "nDCG of B", *b.Means["ndcg"], (b1+1/l)/3)
	near(t, "AP of A", *a.Means["ap"], 2.0/3) // 1, 1, 0
	near(t, "AP of B", *b.Means["ap"], 0.5)   // (1 + 2/2)/2, 1/2, 0
	near(t, "relevant of A", *a.Means["rel"], 3)
	near(t, "lowest nDCG of A", a.Bands["ndcg"][0], (1+1/l)/3)
	near(t, "highest nDCG of A", a.Bands["ndcg"][1], 2.0/3)
	if len(b.Bands) != 0 {
		t.Errorf("bands of B %v: nothing is tied", b.Bands)
	}
	near(t, "judged of A", *a.Judged, (2.0/3+1.0/2)/2) // d5 in t1 and d1 in t2 were not judged
	near(t, "judged of B", *b.Judged, (1+0.5+1)/3)
	if a.Answered != 2 || strings.Join(a.Missing, " ") != "t3" || a.Returned != 5 || b.Returned != 5 || b.Unknown != 0 {
		t.Errorf("%+v %+v", a, b)
	}
	j := r.Judgements
	if j.Topics != 3 || j.Lines != 6 || j.Grades["0"] != 2 || j.Grades["-1"] != 1 || j.Grades["1"] != 2 || strings.Join(j.Empty,
		" ") != "t3" ||
		strings.Join(j.Unjudged, " ") != "t4" || j.Agreement != nil || r.JudgedAt != 10 {
		t.Errorf("%+v", j)
	}
	if v := r.Values["a"]["ndcg"]; *v[0] != 1 || v[2] != nil {
		t.Errorf("values of A: a topic without a relevant document has no value, %v", v)
	}
	c := r.Contrasts["a-b"]
	near(t, "difference", c.Difference, ((1-b1)+(1-1/l))/3)
	if c.N != 3 || c.Up != 2 || c.Down != 0 || c.Tied != 1 {
		t.Errorf("%+v", c)
	}
	near(t, "exact p", *c.PExact, 0.5)      // two of the four patterns of two signs
	near(t, "smallest p", c.SmallestP, 0.5) // the same two
	near(t, "worst order", c.Readings[adhoc.ReadTiesLow].Difference, (1-b1)/3)
	if _, ok := c.Readings[adhoc.ReadTiesHigh]; ok {
		t.Error("no order of ties is better for A than trec_eval's")
	}
	// Exponential gains are 3 and 1 for t1, and the same as linear ones for t2.
	near(t, "other gain", c.Readings[adhoc.ReadGain].Difference, ((1-(1+3/l)/(3+1/l))+(1-1/l))/3)
	// Without unjudged documents B's d1 goes in t2, and d5 stands first.
	near(t, "judged only", c.Readings[adhoc.ReadJudged].Difference, (1-b1)/3)
	near(t, "group", r.Groups["hard"].Differences["a-b"], (1-1/l)/2)
	near(t, "AP difference", c.Measures["ap"].Difference, 2.0/3-0.5)
}

// Draws that are shared are those that each contrast would have drawn alone.
func TestDraws(t *testing.T) {
	s, _, r, _ := run(t, tiny())
	var differences []float64
	for i, a := range r.Values["a"]["ndcg"] {
		b := r.Values["b"]["ndcg"][i]
		if a == nil { // counts as 0
			differences = append(differences, 0)
			continue
		}
		differences = append(differences, *a-*b)
	}
	plan := adhoc.Of(s.Protocol).Plan(s.Protocol)
	sample := stats.Sample{Values: differences, Den: 1}
	if got, want := r.Contrasts["a-b"].CI95, stats.Interval(plan.Bootstrap(sample), 0.95); got != want {
		t.Errorf("interval %v, want %v", got, want)
	}
	if got, want := r.Contrasts["a-b"].P, plan.SignFlip(sample).P; got != want {
		t.Errorf("p %v, want %v", got, want)
	}
	p := []float64{r.Contrasts["a-b"].P, r.Contrasts["b-bm25"].P}
	for i, want := range stats.Holm(p) {
		if got := r.Contrasts[[]string{"a-b", "b-bm25"}[i]].PAdjusted; got != want {
			t.Errorf("corrected p %v, want %v", got, want)
		}
	}
}

// second is another assessor, who judged t1 and t2: the same grade for d2 and d5, another one for d1.
func second() kit.Memory {
	m := tiny()
	m["tiny/two.qrels"] = []byte("t1 0 d1 1\nt1 0 d2 1\nt2 0 d5 1\n")
	studytest.Edit(m, "tiny/study.json", `"file": "tiny/one.qrels"}`,
		`"file": "tiny/one.qrels"}, {"assessor": "two", "file": "tiny/two.qrels"}`)
	return m
}

func TestTwoAssessors(t *testing.T) {
	l := math.Log2(3)
	_, _, r, _ := run(t, second())
	if r.Judgements.Grades["1.5"] != 1 || r.Judgements.Agreement.Documents != 3 || r.Judgements.Agreement.Same != 2 {
		t.Errorf("%+v", r.Judgements)
	}
	near(t, "B on t1, the mean of grades", *r.Values["b"]["ndcg"][0], (1+1.5/l)/(1.5+1/l))
	near(t, "B by one", r.Systems["b"].Alone["one"]["ndcg"], ((1+2/l)/(2+1/l)+1/l)/3)
	near(t, "B by two", r.Systems["b"].Alone["two"]["ndcg"], (1+1/l)/2) // both grades of t1 are 1; t3 was not judged
}

// Every number has a row, whose explanation has its value; what inputs lead to has one too.
func TestEveryNumberIsExplained(t *testing.T) {
	for name, m := range map[string]kit.Memory{"one assessor": tiny(), "two": second()} {
		s, r, _, results := run(t, m)
		numbers, err := s.Numbers(results)
		if err != nil {
			t.Fatal(err)
		}
		for _, replay := range []*study.Replay{r, nil} {
			seen := map[string]bool{}
			for _, n := range numbers {
				node, err := s.Explain(replay, n.Path)
				if err != nil {
					t.Errorf("%s: %s: %v", name, n.Path, err)
					continue
				}
				want, _ := strconv.ParseFloat(n.Value, 64)
				if node.Title == "" || node.Sentence == "" || node.Value == nil || *node.Value != want || node.Text != n.Text {
					t.Errorf("%s: %s: %+v, frozen %s", name, n.Path, node, n.Value)
				}
				if len(node.Inputs) == 0 && node.Text != "0" && node.Text != "0.0000" {
					t.Errorf("%s: %s: no inputs", name, n.Path)
				}
				for _, in := range node.Inputs {
					if in.Label == "" || in.Text == "" && in.Path == "" && in.Where == "" {
						t.Errorf("%s: %s: an empty input: %+v", name, n.Path, in)
					}
					if in.Path == "" || seen[in.Path] {
						continue
					}
					seen[in.Path] = true
					if _, err := s.Explain(replay, in.Path); err != nil {
						t.Errorf("%s: %s leads to %s: %v", name, n.Path, in.Path, err)
					}
				}
			}
		}
	}
}

// The verdict's numbers are those of the results; what it can't tell it says.
func TestVerdict(t *testing.T) {
	s, _, _, results := run(t, tiny())
	parts, err := s.Protocol.Spec.Verdict(s.Protocol, results)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(verdict.Text(parts), "\u00a0", " "), "\u202f", "")
	for _, want := range []string{"Too few topics to tell System A from System B: nDCG@10 +0.1698", "over 3 topics",
		"a share of 0.5833 for System A and 0.8333 for System B", "p would be 0.5000 at best"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	numbers, _ := s.Numbers(results)
	held := map[string]string{}
	for _, n := range numbers {
		held[n.Path] = n.Text
	}
	for _, p := range parts {
		if p.Path != "" && held[p.Path] != p.Text {
			t.Errorf("%s: %q, the results have %q", p.Path, p.Text, held[p.Path])
		}
	}
}

// What a conclusion hangs on is another outcome under another reading, never another number alone.
func TestHangs(t *testing.T) {
	spec := &adhoc.Spec{Judgements: []adhoc.Judgements{{}, {Assessor: "x"}}}
	c := adhoc.ContrastResult{Difference: 0.0123, PAdjusted: 0.03, Readings: map[string]adhoc.Reading{
		adhoc.ReadGain: {Difference: 0.009, PAdjusted: 0.124}, adhoc.ReadJudged: {Difference: 0.001, PAdjusted: 0.04},
		adhoc.ReadTiesLow: {Difference: -0.02, PAdjusted: 0.01}, adhoc.ReadAlone + "x": {Difference: 0.02, PAdjusted: 0.05},
	}}
	if got := strings.Join(spec.Hangs(c), " "); got != "gain tiesLow alone:x" {
		t.Errorf("hangs on %s", got)
	}
}

func TestJudgedInterface(t *testing.T) {
	s, _, _, _ := run(t, tiny())
	d := adhoc.From(s)
	q, _ := s.Question("t1")
	list, err := d.Judgements(q)
	if err != nil || len(list) != 4 || list[3].Text != "grade "+
		"-1" || list[3].Useful || !list[0].Useful || list[2].Grades[0].Where != "tiny/one.qrels:3" {
		t.Errorf("%+v, %v", list, err)
	}
	measures, err := d.Measures(q, "bm25")
	if err != nil || len(measures) != 3 || measures[0].Path != numpath.Of("values", "bm25", "ndcg", "0") {
		t.Errorf("%+v, %v", measures, err)
	}
	if list, err := d.Qrels(""); err != nil || len(list) != 6 || list[3].Grade != -1 {
		t.Errorf("%+v, %v", list, err)
	}
	two, _, _, _ := run(t, second())
	if _, err := adhoc.From(two).Qrels(""); err == nil {
		t.Error("a grade of 1.5 stands in qrels")
	}
	f, err := s.Figures(nil, study.Options{})
	if err != nil || len(f.Contrasts) != 2 || len(f.Contrasts[0].Bootstrap.Counts) == 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no judgements":   {`[{"assessor": "one", "file": "tiny/one.qrels"}]`, `[]`, "between 1 and"},
		"primary":         {`"primary": "ndcg"`, `"primary": "x"`, "name the key"},
		"a count":         {`"primary": "ndcg"`, `"primary": "rel"`, "a count"},
		"measure":         {`"nDCG@10"`, `"nDCG@@"`, "measure"},
		"order":           {`"order": "trec_eval"`, `"order": "best"`, "order"},
		"run named twice": {`"name": "b", "file"`, `"name": "bm25", "file"`, "a method's"},
		"contrast":        {`"against": "b"}`, `"against": "c"}`, "unknown system"},
		"both":            {`"contrasts"`, `"baseline": "bm25", "contrasts"`, "or pairs"},
		"correction":      {`"holm"`, `"tukey"`, "correction"},
		"streams":         {`"flipStream": 2`, `"flipStream": 1`, "used twice"},
		"rule":            {`"order": "trec_eval"`, `"order": "trec_eval", "over": "some"`, "over"},
		"combine":         {`"order": "trec_eval"`, `"order": "trec_eval", "combine": "mode"`, "median"},
		"group":           {`"hard"]`, `"harder"]`, "group"},
	} {
		m := tiny()
		studytest.Edit(m, "tiny/study.json", c.old, c.new)
		if _, err := design.Load(m, "tiny"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := tiny()
	studytest.Edit(m, "tiny/one.qrels", "t3 0", "t9 0")
	_, err := design.Load(m, "tiny")
	var e *records.Error
	if !errors.As(err, &e) || e.Line != 6 || e.Hint == "" {
		t.Errorf("a topic that no question has: %v", err)
	}
}
