package method

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"retrace/core/collection"
	"retrace/core/dense"
	"retrace/core/digest"
	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/text"
)

// small is a study of three texts: "red wax" (d1), "wax wax candle flame" (d2) and "north star" (d3). d1 links to d2, and a
// relation "needs" leads from d1 to d2. The vectors are (1, 0), (0, 1) and (0.6, 0.8).
func small(t *testing.T, kinds Table) *Env {
	t.Helper()
	texts := []string{"red wax", "wax wax candle flame", "north star"}
	var docs []collection.Document
	for i, s := range texts {
		docs = append(docs, collection.Document{ID: fmt.Sprintf("d%d", i+1), Title: s, Text: s, Line: i + 1})
	}
	c, err := collection.New("texts.jsonl", docs)
	if err != nil {
		t.Fatal(err)
	}
	analyzer, err := text.New("ascii", nil)
	if err != nil {
		t.Fatal(err)
	}
	vectors := matrix(t, [][]float32{{1, 0}, {0, 1}, {0.6, 0.8}})
	links := []collection.Link{{Source: 0, Target: 1}}
	graphs := map[string]*graph.Graph{"links": graph.Undirected(3, links), "directed": graph.Directed(3, links)}
	return &Env{Kinds: kinds, Collection: c, Index: index.Build(analyzer, texts),
		Graph: func(name string) (*graph.Graph, error) {
			if g := graphs[name]; g != nil {
				return g, nil
			}
			return nil, fmt.Errorf("no graph %q", name)
		},
		GraphKind: func(name string) string {
			return map[string]string{"links": "undirected", "directed": "directed"}[name]
		},
		Overlay: &Overlay{File: "relations.jsonl", CueWeight: 3, Vocabulary: collection.Vocabulary{Predicates: []string{"needs"}},
			Set: func(string) ([]collection.Relation, error) {
				return []collection.Relation{{Source: 0, Target: 1, Evidence: collection.Evidence{Doc: 0, Text: "wax"}, Line: 1}}, nil
			}},
		Vectors: &Vectors{DocumentsFile: "d.f32", QuestionsFile: "q.f32", Documents: func() (*dense.Matrix, error) { return vectors, nil }}}
}

// matrix makes vectors of a model that nobody knows.
func matrix(t *testing.T, rows [][]float32) *dense.Matrix {
	t.Helper()
	var data []byte
	for _, x := range slices.Concat(rows...) {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	hash := strings.Repeat("0", 64)
	sidecar, err := json.Marshal(dense.Sidecar{Dimension: len(rows[0]), Count: len(rows), DType: dense.DType,
		Model: dense.Model{Name: "otter-7", ONNXSHA256: hash, TokenizerSHA256: hash}, SHA256: digest.Hex(data)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := dense.Parse(data, sidecar, len(rows))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func score(t *testing.T, e *Env, term, question string) *Scoring {
	t.Helper()
	parsed, err := Parse(term)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := Scope{Kinds: e.Kinds}.Resolve(parsed)
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewScoring(e, term, resolved, Query{ID: "q", Text: question, Lexical: e.Index.Query(question),
		Vector: []float32{1, 0}, Weights: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A kind that nothing else knows of: documents by their length in tokens, counted in units.
var madeUp = Kind{
	Name: "length",
	Params: []ParamKind{{Key: "unit", Default: "1", Min: 1, Max: 10},
		{Key: "order", Default: "longest", Options: []string{"longest", "any"}}},
	Needs:    Needs{Index: true},
	Sentence: "documents by their length",
	About:    "counts the tokens of a document in units of {unit}",
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		for i := range e.Queries {
			for d, n := range e.Env.Index.Length {
				into[i].Add(int32(d), float64(n)/t.Number("unit"))
			}
		}
		return nil
	},
	Parts: func(x *Scoring, doc int) []Part { return []Part{{"tokens", x.Scores.Value[doc], ""}} },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		return node("length", x.Scores.Value[doc], "How long the document is.", "dl/unit", (*index.Index).N), nil
	},
}

// One value in a table is all that a kind takes: it is read, printed, scored alone and inside others, cut into parts,
// explained and put in a sentence.
func TestMadeUpKind(t *testing.T) {
	e := small(t, append(slices.Clone(Kinds), madeUp))
	x := score(t, e, "length(unit=2)", "wax")
	if got := x.Term.String(); got != "length(unit=2,order=longest)" {
		t.Errorf("prints %s", got)
	}
	if want := []float64{1, 2, 1}; !slices.Equal(x.Scores.Value, want) { // 2, 4 and 2 tokens
		t.Errorf("scores %v, want %v", x.Scores.Value, want)
	}
	n, err := x.Explain(1)
	if err != nil || *n.Value != 2 || n.Text != "2.0000" || n.Source.Function != "index.(*Index).N" || len(n.Inputs) != 3 ||
		n.Inputs[0].Label != "tokens" {
		t.Errorf("%+v, %v", n, err)
	}
	if got := e.Kinds.About(x.Term); got != "counts the tokens of a document in units of 2" {
		t.Error(got)
	}
	// Inside another: d2 is first of both rankings, d1 second of both, d3 third of the lengths (ties go to the smaller ID).
	fused := score(t, e, "rrf(overlap,length,k=0)", "wax candle")
	if want := []float64{0.5 + 0.5, 1 + 1, 1.0 / 3}; !slices.Equal(fused.Scores.Value, want) {
		t.Errorf("fused %v, want %v", fused.Scores.Value, want)
	}
	if parts := fused.Contributions(2); len(parts) != 1 || parts[0].Label != "length(unit=1,order=longest) rank 3" {
		t.Errorf("%+v", parts)
	}
	for term, fault := range map[string]string{
		"length(unit=11)":    "outside 1 to 10",
		"length(order=best)": "order=best: use one of longest, any",
	} {
		parsed, _ := Parse(term)
		if _, err := (Scope{Kinds: e.Kinds}).Resolve(parsed); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", term, err)
		}
	}
}

// Where the table lacks a kind, every way in says so and names those that it has.
func TestUnknownKind(t *testing.T) {
	e := small(t, Kinds)
	length := Term{Name: "length"}
	_, resolved := Scope{}.Resolve(length)
	_, scored := NewScoring(e, "length", length, Query{})
	evaluator := NewEvaluator(e)
	evaluator.Batch(make([]Query, 1))
	_, inside := evaluator.Scores(Term{Name: "top", Args: []Term{length}, Params: []Param{{"n", "1"}}})
	for what, err := range map[string]error{"resolved": resolved, "scored": scored, "inside": inside, "prepared": e.Prepare(length)} {
		want := `unknown method "length": use one of bm25, bm25l, bm25+, bm25f, tfidf, ql, ql-jm, rm3, overlap, scan, dense, degree, top, rrf, ` +
			`combsum, combmnz, graph, typed`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Every kind of the table scores, explains and speaks, and says what it needs.
func TestEveryKind(t *testing.T) {
	for _, k := range Kinds {
		term := Term{Name: k.Name}
		for i := range k.MinArgs {
			term.Args = append(term.Args, Term{Name: []string{"tfidf", "overlap"}[i%2]})
		}
		if k.Name == "rm3" {
			term.Args = []Term{{Name: "bm25"}}
		}
		if k.Name == "typed" {
			term.Params = []Param{{"edges", "overlay"}}
		}
		e := small(t, Kinds)
		x := score(t, e, term.String(), "wax north")
		if err := e.Prepare(x.Term); err != nil {
			t.Error(err)
		}
		for doc := range e.Collection.Docs {
			n, err := x.Explain(doc)
			if err != nil || n.Title == "" || n.Sentence == "" || n.Source.Line == 0 || *n.Value != x.Scores.Value[doc] {
				t.Errorf("%s: %+v, %v", k.Name, n, err)
			}
			sum, parts := 0.0, x.Contributions(doc)
			for _, p := range parts {
				sum += p.Score
			}
			if k.Parts != nil && sum != x.Scores.Value[doc] {
				t.Errorf("%s: parts %+v make %v, the score is %v", k.Name, parts, sum, x.Scores.Value[doc])
			}
		}
		if about := Kinds.About(x.Term); about == "" || strings.ContainsAny(about, "{}") || k.Sentence == "" {
			t.Errorf("%s: %q", k.Name, about)
		}
		named := map[Named]bool{}
		for _, p := range k.Params {
			named[p.Of] = true
		}
		if named[OfGraph] != k.Needs.Graph || named[OfRelations] != k.Needs.Relations {
			t.Errorf("%s needs %+v, its parameters name %v", k.Name, k.Needs, named)
		}
		if empty := (&Env{Kinds: Kinds, Collection: e.Collection}); k.Needs != (Needs{}) {
			if _, err := NewScoring(empty, k.Name, x.Term, x.Query); err == nil || !strings.Contains(err.Error(), "which the study does not have") {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
	}
}

// What is said of a score follows the study: a repeated word counts twice, cosines name the model that made the vectors, a
// degree the graph that it counts in, and a typed walk the weight of what a question names.
func TestExplanationsFollowTheStudy(t *testing.T) {
	e := small(t, Kinds)
	once, twice := score(t, e, "bm25", "wax"), score(t, e, "bm25", "wax wax")
	if a, b := once.Scores.Value[0], twice.Scores.Value[0]; b != 2*a || a <= 0 {
		t.Errorf("once %v, twice %v", a, b)
	}
	n, err := twice.Explain(0)
	if err != nil || !strings.Contains(n.Sentence, "times its frequency in the question") || strings.Contains(n.Sentence, "distinct") {
		t.Errorf("%+v, %v", n, err)
	}
	if n, err = score(t, e, "dense", "wax").Explain(2); err != nil || !strings.HasPrefix(n.Citation, "otter-7; ") || n.Text != "0.6000" {
		t.Errorf("%+v, %v", n, err)
	}
	for edges, want := range map[string][3]string{
		"links":    {"undirected graph", "1.0000", "1.0000"},
		"directed": {"directed graph", "1.0000", "0.0000"},
	} {
		x := score(t, e, "degree(edges="+edges+")", "")
		for doc, degree := range want[1:] {
			if n, err := x.Explain(doc); err != nil || !strings.Contains(n.Sentence, "in the "+want[0]) || n.Text != degree {
				t.Errorf("%s: %+v, %v", edges, n, err)
			}
		}
	}
	// d1 is the only seed (red), and its one relation takes all of it to d2.
	n, err = score(t, e, "typed(overlap)", "red").ExplainMass(1)
	if err != nil || *n.Value != 1 || !strings.Contains(n.Formula, "multiplied by 3 for predicates") || len(n.Inputs) != 1 ||
		n.Inputs[0].Where != "relations.jsonl:1" {
		t.Errorf("%+v, %v", n, err)
	}
	if _, err := once.ExplainMass(0); err == nil {
		t.Error("bm25 has a walk")
	}
	if _, err := score(t, e, "overlap", "wax").ExplainTerm(0, "wax"); err == nil {
		t.Error("a term of overlap")
	}
}

// Terms that differ in their blend share a walk, terms that differ in anything else don't.
func TestWalksAreShared(t *testing.T) {
	e := NewEvaluator(small(t, Kinds))
	e.Batch([]Query{{Lexical: e.Env.Index.Query("red")}})
	walked := func(text string) *rank.Scores {
		term, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if term, err = (Scope{}).Resolve(term); err != nil {
			t.Fatal(err)
		}
		mass, err := graphMass(e, term)
		if err != nil {
			t.Fatal(err)
		}
		return mass[0]
	}
	first := walked("graph(overlap,blend=0.1)")
	if walked("graph(overlap,blend=0.9)") != first {
		t.Error("the blend makes another walk")
	}
	for _, other := range []string{"graph(overlap,steps=3)", "graph(overlap,teleport=0.1)", "graph(overlap,edges=directed)",
		"graph(overlap,seeds=1)", "graph(bm25)"} {
		if walked(other) == first {
			t.Errorf("%s has the walk of another term", other)
		}
	}
}

func TestNeeds(t *testing.T) {
	s := scope(t, map[string]string{"baseline": "both"}, "both", "rrf(bm25,top(dense))", "dense", "dense", "circle", "top(around)", "around", "top(circle)",
		"bm25", "bm25(k1=0.9)", "walked", "graph($later)")
	for text, want := range map[string]Needs{
		"tfidf":            {Index: true},
		"bm25":             {Index: true},
		"both":             {Index: true, Vectors: true},
		"graph(both)":      {Index: true, Vectors: true, Graph: true},
		"typed($baseline)": {Index: true, Vectors: true, Relations: true},
		"walked":           {Graph: true}, // what $later will be is not known yet
		"circle":           {},
		"nothing":          {},
	} {
		term, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Needs(term); got != want {
			t.Errorf("%s needs %+v, want %+v", text, got, want)
		}
	}
}
