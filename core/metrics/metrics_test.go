package metrics

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// topicOf ranks documents d1, d2, … with the given grades (in halves) and adds the rest of the pool, not returned.
func topicOf(ranked []Grade, rest ...Grade) *Topic {
	t := &Topic{ID: "t"}
	for i, g := range append(slices.Clone(ranked), rest...) {
		doc := "d" + strconv.Itoa(i+1)
		t.Judged = append(t.Judged, Judgement{Doc: doc, Grade: g})
		if i < len(ranked) {
			t.Ranked = append(t.Ranked, doc)
		}
	}
	return t
}

func TestByHand(t *testing.T) {
	graded := topicOf([]Grade{0, 2, 4, 3, 6}, 4) // grades 0, 1, 2, 1½, 3; one more of 2 not returned
	nothing := topicOf([]Grade{0, 0}, 0)
	half := topicOf([]Grade{1}, 0) // one assessor of two gave a 1
	short := topicOf([]Grade{2})
	empty := topicOf(nil, 2)
	for _, c := range []struct {
		name    string
		topic   *Topic
		want    float64
		defined bool
	}{
		{"RR@10", graded, 1. / 2, true},
		{"RR@1", graded, 0, true},
		{"RR(rel=2)@5", graded, 1. / 3, true},
		{"RR(rel=3)@5", graded, 1. / 5, true},
		{"RR@10", nothing, 0, false},
		{"RR@10", half, 0, false},
		{"RR@10", empty, 0, true},
		{"Success@1", graded, 0, true},
		{"Success@2", graded, 1, true},
		{"Success@2", nothing, 0, false},
		{"R@3", graded, 2. / 5, true},
		{"R(rel=2)@5", graded, 2. / 3, true},
		{"R(rel=3)@4", graded, 0, true},
		{"R@3", nothing, 0, false},
		{"P@5", graded, 4. / 5, true},
		{"P(rel=2)@5", graded, 2. / 5, true}, // 1½ isn't 2
		{"P@5", short, 1. / 5, true},
		{"P@5", nothing, 0, true},
		{"P@5", empty, 0, true},
		{"nDCG@1", graded, 0, true},
		{"nDCG@1", short, 1, true},
		{"nDCG@5", nothing, 0, false},
		{"nDCG@5", empty, 0, true},
		{"nDCG@1", half, 1, true},
		{"Coverage@5", graded, 0, false},
	} {
		m, err := Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got, defined, err := m.Compute(c.topic); got != c.want || defined != c.defined || err != nil {
			t.Errorf("%s = %v, %v, %v; want %v, %v", c.name, got, defined, err, c.want, c.defined)
		}
	}
	// One relevant document at rank 2: nDCG@10 = 1/log2(3) = 0.63092975…
	m, _ := Parse("nDCG@10")
	if got, _, _ := m.Compute(topicOf([]Grade{0, 2})); math.Abs(got-0.6309297535714575) > 1e-16 {
		t.Errorf("nDCG@10 = %v, want 1/log2(3)", got)
	}
}

func TestCoverage(t *testing.T) {
	topic := topicOf([]Grade{0, 2, 4}, 6)
	topic.Obligations = 4
	topic.Judged[0].Helps = []int{2}
	topic.Judged[1].Helps = []int{0, 2}
	topic.Judged[3].Helps = []int{1, 3} // not returned
	for k, want := range []float64{1: 0.25, 2: 0.5, 3: 0.5, 5: 0.5} {
		if k == 0 || k == 4 {
			continue
		}
		if got, defined, err := (Measure{"Coverage", 0, k}).Compute(topic); got != want || !defined || err != nil {
			t.Errorf("Coverage@%d = %v, %v, %v, want %v", k, got, defined, err, want)
		}
	}
}

// TestScikitLearn: scikit-learn 1.9.1 ndcg_score and dcg_score with relevance 2^g − 1, ignore_ties=True.
func TestScikitLearn(t *testing.T) {
	for _, c := range []struct {
		grades    []Grade // in halves
		k         int
		ndcg, dcg float64
	}{
		{[]Grade{6, 4, 6, 0, 2, 4}, 5, 0.8755943764161999, 12.779642067948915},
		{[]Grade{6, 4, 6, 0, 2, 4, 6, 4}, 5, 0.7357689654680096, 12.779642067948915},
		{[]Grade{1, 3, 0, 5, 6, 2}, 5, 0.5489153029762502, 6.281390247875201},
		{[]Grade{0, 0, 3, 0, 0, 6, 5}, 5, 0.08424097973529641, 0.9142135623730951},
		{[]Grade{2, 0, 4, 2}, 10, 0.7094472026641538, 2.930676558073393},
		{[]Grade{5, 5, 6}, 3, 0.9044906281905534, 11.095002153542803},
	} {
		got, defined, err := Measure{"nDCG", 0, c.k}.Compute(topicOf(c.grades))
		if math.Abs(got-c.ndcg) > 2e-16 || !defined || err != nil {
			t.Errorf("nDCG@%d of %v = %v, %v, %v; scikit-learn prints %v", c.k, c.grades, got, defined, err, c.ndcg)
		}
		if got := DCG(c.grades, c.k); math.Abs(got-c.dcg) > 4e-15 {
			t.Errorf("DCG@%d of %v = %v; scikit-learn prints %v", c.k, c.grades, got, c.dcg)
		}
	}
}

func TestGain(t *testing.T) {
	// Python 3.11.7 prints these for 2**g − 1; the power is rounded before 1 is taken off.
	for g, want := range []float64{0, 0.41421356237309515, 1, 1.8284271247461903, 3, 4.656854249492381, 7} {
		if got := gain(Grade(g)); got != want {
			t.Errorf("gain of grade %v = %v, want %v", Grade(g).Float(), got, want)
		}
	}
}

func TestReciprocalParts(t *testing.T) {
	for _, c := range []struct {
		k    int
		want int64
	}{{1, 1}, {3, 6}, {5, 60}, {10, 2520}, {20, 232792560}, {40, 5342931457063200}} {
		if unit, ok := ReciprocalUnit(c.k); unit != c.want || !ok {
			t.Errorf("unit of %d = %d, %v, want %d", c.k, unit, ok, c.want)
		}
	}
	for rank := range 12 {
		parts, ok := ReciprocalParts(rank, 10)
		if float64(parts)/2520 != ReciprocalRank(rank, 10) || !ok {
			t.Errorf("rank %d: %d/2520 is not %v", rank, parts, ReciprocalRank(rank, 10))
		}
	}
	if parts, _ := ReciprocalParts(7, 10); parts != 360 {
		t.Errorf("rank 7 is %d parts, want 360", parts)
	}
	if _, ok := ReciprocalParts(1, 41); ok {
		t.Error("a unit beyond 2^53 is ok")
	}
}

func TestErrors(t *testing.T) {
	unjudged := topicOf([]Grade{2, 2})
	unjudged.Ranked[1] = "stranger"
	twice := topicOf([]Grade{2, 0, 0})
	twice.Ranked[2] = "d1"
	negative := topicOf([]Grade{2, -2})
	steep := topicOf([]Grade{2, MaxGrade + 1})
	obligation := topicOf([]Grade{2})
	obligation.Obligations = 3
	obligation.Judged[0].Helps = []int{3}
	for _, f := range Families() {
		m := Measure{f.Name, 1, 3}
		for _, c := range []struct {
			topic *Topic
			want  string
		}{
			{unjudged, `topic "t": document "stranger" at rank 2 is not judged`},
			{twice, `document "d1" is returned at ranks 1 and 3`},
			{negative, `document "d2" has grade -1`},
			{steep, `document "d2" has grade 32.5`},
			{obligation, `document "d1" helps obligation 3: the topic has 3`},
		} {
			if _, defined, err := m.Compute(c.topic); defined || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want an error with %s", m, err, c.want)
			}
		}
	}
	// Beyond the cutoff nothing needs a judgement, and by declaration unjudged may mean irrelevant.
	if got, _, err := (Measure{"P", 1, 1}).Compute(unjudged); got != 1 || err != nil {
		t.Errorf("P@1 = %v, %v", got, err)
	}
	unjudged.UnjudgedIrrelevant = true
	if got, _, err := (Measure{"P", 1, 2}).Compute(unjudged); got != 0.5 || err != nil {
		t.Errorf("P@2 = %v, %v", got, err)
	}
	if _, _, err := (Measure{"P", 1, 0}).Compute(unjudged); err == nil {
		t.Error("a cutoff of 0 is no error")
	}
	if _, _, err := (Measure{"ERR", 1, 5}).Compute(unjudged); err == nil || !strings.Contains(err.Error(), "known are RR, Success") {
		t.Errorf("an unknown measure: %v", err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]Measure{
		"RR@10": {"RR", 1, 10}, "Success@1": {"Success", 1, 1}, "R@3": {"R", 1, 3}, "P(rel=2)@5": {"P", 2, 5},
		"nDCG@5": {"nDCG", 0, 5}, "Coverage@5": {"Coverage", 0, 5}, "RR@1000": {"RR", 1, 1000},
	} {
		if got, err := Parse(name); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", "RR", "RR@", "RR@0", "RR@-1", "RR@+1", "RR@010", "RR@1001", "RR@1e3", "rr@10", "MAP@5", "P(rel=1)@5", "P(rel=02)@5", "P(rel=33)@5",
		"P()@5", "P(rel=2@5", "P(rel=2)x@5", "P(2)@5", "nDCG(rel=2)@5", "nDCG(dcg='log2')@5", "RR@10@10", " RR@10", strings.Repeat("x", 1000),
	} {
		m, err := Parse(name)
		if err == nil {
			t.Errorf("Parse(%q) = %v, no error", name, m)
		} else if len(err.Error()) > 250 {
			t.Errorf("a name of %d bytes gives an error of %d", len(name), len(err.Error()))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"RR@10", "P(rel=2)@5", "nDCG@5", "R(rel=32)@1000", "P(rel=2", "@"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if m, err := Parse(name); err == nil && m.String() != name {
			t.Errorf("%q prints as %q", name, m)
		}
	})
}

// TestTable: every measure explains itself.
func TestTable(t *testing.T) {
	for _, f := range Families() {
		if f.Name == "" || f.Title == "" || f.Definition == "" || f.Formula == "" || f.Undefined == "" || f.Citation == "" || f.Function == nil {
			t.Errorf("%q is incomplete: %+v", f.Name, f)
		}
	}
}

// TestOrderOfPool: the order in which the pool is listed changes nothing, and every value lies in [0, 1].
func TestOrderOfPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var grades []Grade
		for _, g := range rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(t, "grades") {
			grades = append(grades, Grade(g))
		}
		n := rapid.IntRange(0, len(grades)).Draw(t, "returned")
		topic := topicOf(grades[:n], grades[n:]...)
		topic.Obligations = 3
		for i := range topic.Judged {
			topic.Judged[i].Helps = rapid.SliceOfN(rapid.IntRange(0, 2), 0, 3).Draw(t, "helps")
		}
		shuffled := *topic
		shuffled.Judged = rapid.Permutation(topic.Judged).Draw(t, "pool")
		for _, f := range Families() {
			m := Measure{f.Name, rapid.IntRange(1, 3).Draw(t, "rel"), rapid.IntRange(1, 12).Draw(t, "k")}
			a, definedA, errA := m.Compute(topic)
			b, definedB, errB := m.Compute(&shuffled)
			if a != b || definedA != definedB || errA != nil || errB != nil || a < 0 || a > 1 {
				t.Fatalf("%s: %v %v %v, shuffled %v %v %v", m, a, definedA, errA, b, definedB, errB)
			}
		}
	})
}

// TestTrecEval compares with trec_eval's own test outputs, which print four decimals: out.test.aq is
// "trec_eval -a -q qrels.test results.test" (grades 0 and 1, where the gains coincide), out.test.aql is
// "trec_eval -a -q -l 2 qrels.rel_level results.test". Ties there are broken by document ID, descending.
func TestTrecEval(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "peers", "trec_eval")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("optional: trec_eval's test files are not at " + dir)
	}
	fields := func(name string) (lines [][]string) {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			lines = append(lines, strings.Fields(s.Text()))
		}
		return lines
	}
	type hit struct {
		doc   string
		score float64
	}
	for _, c := range []struct {
		qrels, output string
		names         map[string]string // trec_eval's name to ours
	}{
		{"qrels.test", "out.test.aq", map[string]string{
			"recip_rank": "RR@1000", "success_1": "Success@1", "success_5": "Success@5", "success_10": "Success@10",
			"P_5": "P@5", "P_10": "P@10", "P_1000": "P@1000", "recall_5": "R@5", "recall_100": "R@100", "recall_1000": "R@1000",
			"ndcg_cut_5": "nDCG@5", "ndcg_cut_10": "nDCG@10", "ndcg_cut_100": "nDCG@100", "ndcg_cut_1000": "nDCG@1000",
		}},
		{"qrels.rel_level", "out.test.aql", map[string]string{
			"recip_rank": "RR(rel=2)@1000", "success_5": "Success(rel=2)@5", "P_10": "P(rel=2)@10", "P_100": "P(rel=2)@100", "recall_100": "R(rel=2)@100",
		}},
	} {
		judged := map[string][]Judgement{}
		for _, f := range fields(c.qrels) {
			grade, err := strconv.Atoi(f[3])
			if err != nil {
				t.Fatal(err)
			}
			judged[f[0]] = append(judged[f[0]], Judgement{Doc: f[2], Grade: Whole(max(grade, 0))}) // −1: pooled, not judged
		}
		hits := map[string][]hit{}
		for _, f := range fields("results.test") {
			score, err := strconv.ParseFloat(f[4], 64)
			if err != nil {
				t.Fatal(err)
			}
			hits[f[0]] = append(hits[f[0]], hit{f[2], float64(float32(score))}) // trec_eval keeps scores as float
		}
		compared := 0
		for _, f := range fields(c.output) {
			name, wanted := c.names[f[0]]
			if !wanted || f[1] == "all" {
				continue
			}
			topic := &Topic{ID: f[1], Judged: judged[f[1]], UnjudgedIrrelevant: true}
			slices.SortFunc(hits[f[1]], func(a, b hit) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
			})
			for _, h := range hits[f[1]] {
				topic.Ranked = append(topic.Ranked, h.doc)
			}
			m, err := Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := m.Compute(topic)
			if err != nil || strconv.FormatFloat(got, 'f', 4, 64) != f[2] {
				t.Errorf("%s, topic %s: %s = %.6f, %v; trec_eval prints %s", c.qrels, f[1], name, got, err, f[2])
			}
			compared++
		}
		if compared != 3*len(c.names) {
			t.Errorf("%s: %d values compared, want %d", c.output, compared, 3*len(c.names))
		}
	}
}
