package design_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/explain"
	"retrace/core/numpath"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// expensive paths draw thousands of resamples; the rest is explained in full.
var expensive = regexp.MustCompile(`^(contrasts|reader)\.`)

// Every number of the frozen results is explained by a node of the very value, whose inputs' paths lead somewhere; some
// are followed one step further.
func TestEveryNumberOfR01IsExplained(t *testing.T) {
	r := r01()
	frozen, err := r.study.Kit.Read("r01/frozen/results.json")
	if err != nil {
		t.Fatal(err)
	}
	checkExplanations(t, r.study, r.replay, frozen, 60)
}

// The same from observations that are made on demand, as when nothing was replayed.
func TestEveryNumberOfTheSmallStudyIsExplained(t *testing.T) {
	m := tiny(t)
	s, err := design.Load(m, studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkExplanations(t, s, nil, m["tiny/frozen/results.json"], 1)
}

func checkExplanations(t *testing.T, s *study.Study, r *study.Replay, frozen []byte, every int) {
	t.Helper()
	numbers, err := s.Numbers(frozen)
	if err != nil {
		t.Fatal(err)
	}
	followed, seen := 0, map[string]bool{}
	ask := func(from, at string) *explain.Node {
		node, err := s.Explain(r, at)
		if err != nil {
			t.Errorf("%s (from %s): %v", at, from, err)
			return nil
		}
		checkNode(t, s, at, node)
		return node
	}
	for i, n := range numbers {
		if expensive.MatchString(n.Path) && !strings.Contains(n.Path, "primary") && every > 1 && i%5 != 0 {
			continue
		}
		node := ask("results", n.Path)
		if node == nil {
			continue
		}
		want, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || node.Value == nil || *node.Value != want {
			t.Errorf("%s: explained as %v, frozen %v", n.Path, node.Value, n.Value)
		} else if node.Text != n.Text {
			t.Errorf("%s: %q beside %q", n.Path, node.Text, n.Text)
		}
		if len(node.Inputs) == 0 && want != 0 { // a count of none may have none
			t.Errorf("%s: no inputs", n.Path)
		}
		for j, in := range node.Inputs {
			if in.Path == "" || seen[in.Path] || (i+j)%every != 0 {
				continue
			}
			seen[in.Path] = true
			followed++
			if child := ask(n.Path, in.Path); child != nil && j%2 == 0 {
				for _, grand := range child.Inputs[:min(3, len(child.Inputs))] {
					if grand.Path != "" && !seen[grand.Path] {
						seen[grand.Path] = true
						ask(in.Path, grand.Path)
					}
				}
			}
		}
	}
	if followed < 100 {
		t.Errorf("%d inputs were followed", followed)
	}
}

var declared = map[string]bool{} // file:line of functions that were looked up

// checkNode checks what every explanation holds: the path it was asked for, words, and a function that stands there.
func checkNode(t *testing.T, s *study.Study, at string, node *explain.Node) {
	t.Helper()
	if node.Path != at || node.Title == "" || node.Sentence == "" && !strings.HasPrefix(node.Title, "document") {
		t.Errorf("%s: %+v", at, node)
	}
	for _, in := range node.Inputs {
		if in.Label == "" || in.Text == "" && in.Path == "" && in.Where == "" {
			t.Errorf("%s: an empty input: %+v", at, in)
		}
		if _, err := numpath.Split(in.Path); in.Path != "" && err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if file, _, _ := strings.Cut(in.Where, ":"); file != "" && !s.Kit.Has(file) {
			t.Errorf("%s: %s is not in the kit", at, in.Where)
		}
	}
	if _, err := json.Marshal(node); err != nil {
		t.Errorf("%s: %v", at, err)
	}
	source := fmt.Sprintf("%s:%d", node.Source.File, node.Source.Line)
	if declared[source] {
		return
	}
	declared[source] = true
	data, err := os.ReadFile("../../" + node.Source.File)
	if err != nil {
		if _, inFS := os.Stat("../../core"); inFS != nil {
			return // no source tree, as under js
		}
		t.Errorf("%s: %v", at, err)
		return
	}
	lines := strings.Split(string(data), "\n")
	name := node.Source.Function[strings.LastIndexAny(node.Source.Function, ".)")+1:]
	if node.Source.Line < 1 || node.Source.Line > len(lines) || !strings.HasPrefix(lines[node.Source.Line-1], "func ") || !strings.Contains(lines[node.Source.Line-1], name+"(") {
		t.Errorf("%s: no function %s in %s", at, node.Source.Function, source)
	}
}

// value asks for a path that has a number.
func value(t *testing.T, s *study.Study, at string) float64 {
	t.Helper()
	node, err := s.Explain(nil, at)
	if err != nil || node.Value == nil {
		t.Fatalf("%s: %v, %v", at, node, err)
	}
	return *node.Value
}

// children asks for the inputs of a path whose own paths begin with a kind.
func children(t *testing.T, s *study.Study, at, kind string) (values []float64, nodes []*explain.Node) {
	t.Helper()
	node, err := s.Explain(nil, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range node.Inputs {
		if strings.HasPrefix(in.Path, kind+".") {
			child, err := s.Explain(nil, in.Path)
			if err != nil {
				t.Fatal(err)
			}
			x := 0.0
			if child.Value != nil {
				x = *child.Value
			}
			values, nodes = append(values, x), append(nodes, child)
		}
	}
	return values, nodes
}

func sum(values []float64) (total float64) {
	for _, x := range values {
		total += x
	}
	return total
}

// What an explanation says that a number is made of makes the number again: with fresh arithmetic, from the values that
// its inputs' own explanations give. Exact where the engine adds in the same order, else within the rounding of sums.
func TestExplanationsAddUp(t *testing.T) {
	s := r01().study
	near := func(at string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance*max(1, math.Abs(want)) {
			t.Errorf("%s: its inputs make %v, it is %v", at, got, want)
		}
	}
	for _, question := range []string{"F002-boundary", "F005-application", "F040-paraphrase"} {
		node, err := s.Explain(nil, "rank."+question+".bm25")
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range node.Inputs[len(node.Inputs)-3:] { // of the ten best, three
			for _, method := range []string{"bm25", "tfidf"} { // scores are sums of terms
				at := strings.Replace(in.Path, ".bm25.", "."+method+".", 1)
				if parts, _ := children(t, s, at, "term"); value(t, s, at) > 0 {
					near(at, sum(parts), value(t, s, at), 0)
				}
			}
			// The fused score is a sum of reciprocal ranks.
			doc := in.Path[strings.LastIndexByte(in.Path, '.')+1:]
			fused := 0.0
			for _, method := range []string{"bm25", "tfidf"} {
				q, _ := s.Question(question)
				x, err := s.NewScoring(method, q, nil)
				if err != nil {
					t.Fatal(err)
				}
				n, _ := s.Collection.Number(doc)
				for i, h := range x.Scores.Sorted() {
					if h.Doc == n {
						fused += 1 / float64(60+i+1)
					}
				}
			}
			near("score."+question+".rrf."+doc, fused, value(t, s, "score."+question+".rrf."+doc), 1e-15)
			// The blend, with maxima found among the ten best of base and walk.
			base, mass := value(t, s, in.Path), value(t, s, "mass."+question+".graph."+doc)
			best, _ := children(t, s, "rank."+question+".bm25", "score")
			top := 0.0
			for _, x := range best {
				top = max(top, x)
			}
			most := 0.0 // the walk's maximum: an input without a path, written with five digits
			graph, err := s.Explain(nil, "score."+question+".graph."+doc)
			if err != nil {
				t.Fatal(err)
			}
			for _, input := range graph.Inputs {
				if input.Label == "max(x)" {
					if most, err = strconv.ParseFloat(input.Text, 64); err != nil {
						t.Fatal(err)
					}
				}
			}
			near("score."+question+".graph."+doc, 0.9*base/top+0.1*mass/most, *graph.Value, 1e-5)
		}
	}
	// A method's mean is that of its families, a family's that of its questions' reciprocal ranks.
	families, nodes := children(t, s, "methods.bm25.mrr10", "family")
	near("methods.bm25.mrr10", sum(families)/80, value(t, s, "methods.bm25.mrr10"), 1e-14)
	for i, node := range nodes[:10] {
		ranks, _ := children(t, s, node.Path, "rank")
		reciprocal := 0.0
		for _, r := range ranks {
			if r > 0 && r <= 10 {
				reciprocal += 1 / r
			}
		}
		near(node.Path, reciprocal/3, families[i], 1e-15)
	}
	differences, _ := children(t, s, "contrasts.primary.difference", "difference")
	near("contrasts.primary.difference", sum(differences)/80, value(t, s, "contrasts.primary.difference"), 1e-15)
	up, _ := children(t, s, "contrasts.primary.up", "difference")
	near("contrasts.primary.up", float64(len(up)), value(t, s, "contrasts.primary.up"), 0)
	hits, _ := children(t, s, "methods.graph.hits10", "rank")
	near("methods.graph.hits10", float64(len(hits)), value(t, s, "methods.graph.hits10"), 0)
	neighbours, _ := children(t, s, "neighbours.links.12", "neighbours")
	near("neighbours.links.12", float64(len(neighbours)), value(t, s, "neighbours.links.12"), 0)
	postings, _ := children(t, s, "df.heat", "posting")
	near("df.heat", float64(len(postings)), value(t, s, "df.heat"), 0)
}

// One step of the walk from what its explanation lists: shares received, mass returned and teleported, to the five
// digits that the inputs are written with.
func TestMassAddsUp(t *testing.T) {
	s := r01().study
	node, err := s.Explain(nil, "rank.F002-boundary.graph")
	if err != nil {
		t.Fatal(err)
	}
	seeds := 0
	for _, in := range node.Inputs {
		if !strings.HasPrefix(in.Path, "score.") {
			continue
		}
		at := strings.Replace(in.Path, "score.", "mass.", 1)
		mass, err := s.Explain(nil, at)
		if err != nil {
			t.Fatal(err)
		}
		var received, share, lost, alpha float64
		for _, x := range mass.Inputs {
			v, err := strconv.ParseFloat(x.Text, 64)
			switch {
			case err != nil:
				t.Fatal(err)
			case strings.HasPrefix(x.Label, "α"):
				alpha = v
			case strings.HasPrefix(x.Label, "s,"):
				share = v
				seeds++
			case strings.HasPrefix(x.Label, "d,"):
				lost = v
			case strings.HasPrefix(x.Label, "from "):
				received += v
			}
		}
		if got := (1-alpha)*(received+lost*share) + alpha*share; math.Abs(got-*mass.Value) > 5e-5*(*mass.Value) {
			t.Errorf("%s: its inputs make %v, it is %v", at, got, *mass.Value)
		}
	}
	if seeds < 5 {
		t.Errorf("%d seeds", seeds)
	}
}

// The small study's links lead from 1 to 6 and 7, and none leads to 1; 6 has links from 1 and 5, and one to 7.
func TestNeighboursFollowTheGraph(t *testing.T) {
	s, err := design.Load(tiny(t), studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]struct {
		n        float64
		sentence string
	}{
		"neighbours.links.6":    {3, "Documents that share a link with it in the graph “links”."},
		"neighbours.directed.6": {1, "Documents to which its links lead in the graph “directed”."},
	} {
		node, err := s.Explain(nil, at)
		if err != nil || *node.Value != want.n || node.Sentence != want.sentence {
			t.Errorf("%s: %+v, %v", at, node, err)
		}
	}
}

func TestNothingStandsThere(t *testing.T) {
	s, err := design.Load(tiny(t), studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"", ".", "x", "methods", "methods.bm25", "methods.bm26.mrr10", "methods.bm25.mrr10.x", "methods.bm25.mrr11", "methods.bm25.kinds.other.mrr10", "methods.bm25.kinds.part",
		"methods.bm25.kinds.part.mrr10.x", "graph", "graph.nodes.x", "graph.degrees.99.nodes", "graph.degrees.-1.nodes", "graph.degrees.0.other", "graph.attempts", "graph.degrees", "rewired.1.swaps", "rewired.0", "rewired.0.swaps.x", "rewired.x.swaps",
		"misses.0", "misses.0.ranks", "misses.1.ranks.graph", "misses.-1.ranks.graph", "misses.0.ranks.other", "misses.0.ranks.graph.x", "contrasts.primary", "contrasts.other.p", "contrasts.primary.p.x", "contrasts.primary.ci95", "contrasts.primary.ci95.2",
		"contrasts.primary.ci95.0.x", "families.0", "families.4.graph", "families.0.graph.x", "development.grid.4.mrr10", "development.grid.0", "development.grid.0.mrr10.x", "development.lock.other", "development.lock.blend.x", "development.baselines.bm25.x", "development.baselines.graph",
		"sample.bands.2.first", "sample.bands.0.other", "sample.other", "sample.eligible.x", "sample.bands.0.first.x", "reader.total.contexts", "dense.dimension", "directed.other", "directed.links.x", "directed.pairs", "rank.F9-part.bm25", "rank.F1-part.bm26", "rank.F1-part", "rank.?own.bm25", "score.F1-part.bm25.99", "score.F1-part.bm25",
		"term.F1-part.bm25.1.zebra", "term.F1-part.degree.1.wax", "mass.F1-part.bm25.1", "posting.zebra.1", "posting.wax.99", "df.zebra", "document.99", "question.F9", "neighbours.other.1", "neighbours.links.99", "difference.F3.other", "difference.F9.primary", "family.F9.bm25", "family.F3.bm26", "family.F3",
		"protocol.x", `score.F1-part["graph(bm25,steps=1e9)"].1`, `rank.F1-part["rrf(bm25"]`, strings.Repeat("a.", 5000) + "a"} {
		if node, err := s.Explain(nil, at); err == nil {
			t.Errorf("%.60s: %+v", at, node)
		}
	}
}
