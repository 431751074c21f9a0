package design_test

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrace/core/design/knownitem"
	"retrace/core/kit"
	"retrace/core/numpath"
	"retrace/core/study"
	bundled "retrace/kit"
)

// r01 is the study, replayed once for all tests of this file and the next.
type replayed struct {
	study   *study.Study
	replay  *study.Replay
	outcome *study.Outcome
	results knownitem.Results
}

var r01 = sync.OnceValue(func() *replayed {
	r, err := replayAll(bundled.FS, "r01", study.Options{})
	if err != nil {
		panic(err)
	}
	return r
})

func TestR01IsFrozen(t *testing.T) {
	r := r01()
	if len(r.outcome.Files) != 3 {
		t.Errorf("%d files", len(r.outcome.Files))
	}
	for _, f := range r.outcome.Files {
		frozen, err := r.study.Kit.Read(f.Path)
		if err != nil {
			t.Error(err)
		} else if string(frozen) != string(f.Data) {
			list, n, err := study.CompareFiles(f.Path, frozen, f.Data)
			t.Errorf("%s differs at %d paths: %v %v", f.Path, n, list[:min(5, len(list))], err)
		}
	}
	if again, err := kit.Canonical(json.RawMessage(r.outcome.Results)); err != nil || string(again) != string(r.outcome.Results) {
		t.Error("the results are not canonical JSON")
	}
}

//go:embed testdata/r01-python.json
var r01Python []byte

type secondOpinion struct {
	Observations map[string]struct {
		SHA256 string
		Scores float64
	}
	Results map[string]any
}

func second(t *testing.T) (s secondOpinion) {
	t.Helper()
	if err := json.Unmarshal(r01Python, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Every figure against an implementation in another language: counts exactly, fractions to one part in 10⁹.
func TestR01Figures(t *testing.T) {
	want := second(t).Results
	var got map[string]any
	if err := json.Unmarshal(r01().outcome.Results, &got); err != nil {
		t.Fatal(err)
	}
	// What it states in a form of its own: each family's difference of each contrast, questions without a known term.
	contrasts := want["contrasts"].(map[string]any)
	for i, f := range contrasts["primary"].(map[string]any)["families"].([]any) {
		entry, about := got["families"].([]any)[i].(map[string]any), f.(map[string]any)
		if entry["family"] != about["family"] || !close9(entry["difference"].(float64), about["difference"].(float64)) {
			t.Errorf("family %v: %v, want %v", about["family"], entry["difference"], about["difference"])
		}
	}
	for _, c := range contrasts {
		delete(c.(map[string]any), "families")
	}
	if unknown := want["noKnownTerm"].([]any); len(unknown) != 0 {
		t.Errorf("questions without a known term: %v", unknown)
	}
	delete(want, "noKnownTerm")

	covered := map[string]bool{}
	compared := 0
	var walk func(at string, want, got any)
	walk = func(at string, want, got any) {
		switch w := want.(type) {
		case map[string]any:
			g, ok := got.(map[string]any)
			if !ok {
				t.Errorf("%s: %v, want %v", at, got, want)
				return
			}
			for key, v := range w {
				walk(numpath.Join(at, key), v, g[key])
			}
		case []any:
			g, ok := got.([]any)
			if !ok || len(g) != len(w) {
				t.Errorf("%s: %d places, want %d", at, len(g), len(w))
				return
			}
			for i := range w {
				walk(numpath.Join(at, fmt.Sprint(i)), w[i], g[i])
			}
		case float64:
			g, ok := got.(float64)
			whole := w == math.Trunc(w) && math.Abs(w) > 1
			if !ok || whole && g != w || !close9(g, w) {
				t.Errorf("%s: %v, want %v", at, got, want)
			}
			covered[at] = true
			compared++
		default:
			if got != want {
				t.Errorf("%s: %v, want %v", at, got, want)
			}
			compared++
		}
	}
	walk("", want, got)
	if compared < 890 {
		t.Errorf("%d values were compared", compared)
	}
	// Every other number is checked by TestR01Beyond; a new one must be added there, or printed by a second implementation.
	numbers, err := r01().study.Numbers(r01().outcome.Results)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		known := slices.ContainsFunc(beyond, func(pattern string) bool { ok, _ := path.Match(pattern, n.Path); return ok })
		if covered[n.Path] == known {
			t.Errorf("%s: compared with the second implementation: %v, checked otherwise: %v", n.Path, covered[n.Path], known)
		}
	}
}

// close9 is equality to one part in 10⁹.
func close9(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// beyond lists the numbers that the second implementation does not print.
var beyond = []string{"sample.*", "directed.*", "families.*", "methods.*.unanswered", "rewired.*.nodes", "rewired.*.degrees.*", "contrasts.*.families",
	"dense.dimension", "dense.documents", "dense.questions"}

func TestR01Beyond(t *testing.T) {
	r := r01()
	x := r.results
	// The targets' file, counted line by line.
	data, err := r.study.Kit.Read("r01/targets.tsv")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.Split(line, "\t")
		count["band "+f[2]]++
		count[f[3]]++
	}
	eligible := 0
	for b, band := range x.Sample.Bands {
		in := 0
		for i := range r.study.Collection.Docs {
			d := &r.study.Collection.Docs[i]
			var id int
			fmt.Sscan(d.ID, &id)
			if id > 500*b && id <= 500*(b+1) && len(strings.Fields(d.Text)) >= 12 {
				in++
			}
		}
		eligible += in
		if band.First != 500*b+1 || band.Last != 500*(b+1) || band.Drawn != count[fmt.Sprint("band ", b+1)] || band.Eligible != in {
			t.Errorf("band %d: %+v, %d eligible", b+1, band, in)
		}
	}
	if s := x.Sample; s.Eligible != eligible || s.Families != 120 || s.Development != count["dev"] || s.Test != count["test"] || s.Questions != 360 || !s.Reproduced {
		t.Errorf("%+v, counted %v, %d eligible", s, count, eligible)
	}
	// Directed links, as a set of pairs.
	pairs, out, in := map[string]bool{}, map[string]bool{}, map[string]bool{}
	if data, err = r.study.Kit.Read("concepts/links.tsv"); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		if f := strings.Split(line, "\t"); f[0] != f[1] {
			pairs[line], out[f[0]], in[f[1]] = true, true, true
		}
	}
	if d := x.Directed; d.Nodes != 3000 || d.Links != len(pairs) || d.NoOutgoing != 3000-len(out) || d.NoIncoming != 3000-len(in) {
		t.Errorf("%+v, counted %d links, %d sources, %d targets", d, len(pairs), len(out), len(in))
	}
	// Rewiring keeps degrees.
	for _, g := range x.Rewired {
		if !cmp.Equal(g.Degrees, x.Graph.Degrees) || g.Nodes != 3000 {
			t.Errorf("%s has other degrees than the graph", g.Name)
		}
	}
	// Families average to the methods' figures, and differences are differences.
	base, walked := 0.0, 0.0
	for _, f := range x.Families {
		base, walked = base+f.Baseline, walked+f.Graph
		if math.Abs(f.Graph-f.Baseline-f.Difference) > 1e-15 {
			t.Errorf("%+v", f)
		}
	}
	if !close9(base/80, x.Methods["bm25"].MRR) || !close9(walked/80, x.Methods["graph"].MRR) || len(x.Families) != 80 {
		t.Errorf("families average %v and %v", base/80, walked/80)
	}
	for name, m := range x.Methods {
		if m.Unanswered != 0 { // the second implementation finds no question without a known term
			t.Errorf("%s leaves %d questions unanswered", name, m.Unanswered)
		}
	}
	for name, c := range x.Contrasts {
		if c.Families != 80 || c.Up+c.Down+c.Tied != 80 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if d := x.Dense; d.Dimension != 384 || d.Documents != 3000 || d.Questions != 360 {
		t.Errorf("%+v", d)
	}
}

// Ranks and ten best of every question and method, as a digest for each method; scores by their sum.
func TestR01Rankings(t *testing.T) {
	r, want := r01(), second(t).Observations
	lines, sums := map[string]*strings.Builder{}, map[string]float64{}
	byKey := map[string]study.Observation{}
	for _, f := range r.outcome.Files {
		if strings.HasSuffix(f.Path, ".jsonl") {
			list, err := study.DecodeObservations(f.Path, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				byKey[o.Method+" "+o.Question] = o
			}
		}
	}
	// Development questions, on which most methods are not scored in a replay.
	u := study.Unit{Best: 10}
	for method := range want {
		u.Methods = append(u.Methods, study.NamedTerm{Name: method, Term: r.study.WrittenOut(method)})
	}
	for i := range r.study.Questions {
		if r.study.Questions[i].Split == "dev" {
			u.Questions = append(u.Questions, i)
		}
	}
	list, err := r.study.Run(u)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		if held, ok := byKey[o.Method+" "+o.Question]; ok && !cmp.Equal(held, o) {
			t.Errorf("%s by %s: %+v in the replay, %+v alone", o.Question, o.Method, held, o)
		}
		byKey[o.Method+" "+o.Question] = o
	}
	for method := range want {
		lines[method] = &strings.Builder{}
		for _, q := range r.study.Questions {
			o, ok := byKey[method+" "+q.ID]
			if !ok {
				t.Fatalf("%s was not scored by %s", q.ID, method)
			}
			rank := "-"
			if o.Rank != nil {
				rank = fmt.Sprint(*o.Rank)
			}
			fmt.Fprintf(lines[method], "%s %s %s", q.ID, method, rank)
			for _, p := range o.Best {
				lines[method].WriteString(" " + p.ID)
				sums[method] += p.Score
			}
			lines[method].WriteByte('\n')
		}
	}
	if len(want) != 14 {
		t.Errorf("%d methods", len(want))
	}
	for method, w := range want {
		sum := sha256.Sum256([]byte(lines[method].String()))
		if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
			t.Errorf("%s: other ranks or documents: %s, want %s", method, got, w.SHA256)
		}
		if !close9(sums[method], w.Scores) {
			t.Errorf("%s: scores sum to %v, want %v", method, sums[method], w.Scores)
		}
	}
}

// The attempts of the five rewired graphs, on their own: a wrong draw anywhere in 77,000 shows here.
func TestR01Rewiring(t *testing.T) {
	var got []int
	for _, g := range r01().results.Rewired {
		got = append(got, g.Attempts)
	}
	if !cmp.Equal(got, []int{77295, 77311, 77287, 77316, 77314}) {
		t.Errorf("attempts %v", got)
	}
}

// Without edges the walk changes no rank.
func TestR01EmptyEdges(t *testing.T) {
	m := r01().results.Methods
	if !cmp.Equal(m["empty"], m["bm25"]) {
		t.Errorf("%+v, baseline %+v", m["empty"], m["bm25"])
	}
}
