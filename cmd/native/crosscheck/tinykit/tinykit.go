// Package tinykit makes a study of four documents with embeddings that can be worked out by hand, and the model that
// gives them, for tests.
package tinykit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"retrace/cmd/native/encode/tiny"
	"retrace/core/author"
	"retrace/core/dense"
	"retrace/core/design"
	"retrace/core/design/knownitem"
	"retrace/core/design/paired"
	"retrace/core/exact"
	"retrace/core/kit"
	"retrace/core/study"
)

// ID is the study's.
const ID = "tiny"

// Documents are texts of words a, b and c, IDs 1 to 4.
var Documents = []string{"a a b", "b b c", "c c a", "a b c"}

// Vector is the embedding of such a text by Model: its words' counts, and 2 for [CLS] and [SEP], which share a
// dimension; divided by the length. The mean's divisor cancels.
func Vector(text string) []float32 {
	counts := []float64{0, 0, 2, 0}
	for _, word := range strings.Fields(text) {
		counts[strings.Index("ab.c", word)]++
	}
	square := 0.0
	for _, x := range counts {
		square += x * x
	}
	v := make([]float32, len(counts))
	for i, x := range counts {
		v[i] = float32(x / math.Sqrt(square))
	}
	return v
}

// Model writes the model into a folder. tokenizer is the path of core/encoder/wordpiece/testdata/small.json.
func Model(dir, tokenizer string) (dense.Model, error) {
	about := dense.Model{Name: "other: " + filepath.Base(dir)}
	file, err := os.ReadFile(tokenizer)
	if err != nil {
		return about, err
	}
	var f struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(file, &f); err != nil {
		return about, err
	}
	rows := make([][]float32, len(f.Model.Vocab))
	for i := range rows {
		rows[i] = []float32{0.5, 0.5, 0.5, 0.5}
	}
	for piece, row := range map[string][]float32{"[CLS]": {0, 0, 1, 0}, "[SEP]": {0, 0, 1, 0}, "a": {1, 0, 0, 0}, "b": {0, 1, 0, 0},
		"c": {0, 0, 0, 1}} {
		rows[f.Model.Vocab[piece]] = row
	}
	model := tiny.Model{Rows: rows, Inputs: []string{"input_ids", "attention_mask", "token_type_ids"}, Output: "hidden"}.Bytes()
	about.ONNXSHA256, about.TokenizerSHA256 = kit.Hash(model), kit.Hash(file)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return about, err
	}
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), file, 0o666); err != nil {
		return about, err
	}
	return about, os.WriteFile(filepath.Join(dir, "model.onnx"), model, 0o666)
}

// Options change the study.
type Options struct {
	Model     dense.Model             // that the sidecars name; hashes of zeros if empty
	Documents func(rows [][]float32)  // changes the documents' vectors
	Budgets   *study.Budgets          // of the protocol
	Frozen    func(results *[]string) // nil: nothing is frozen; else called with the lines of what the replay gives, one JSON value each
}

const seed = 7

// Kit returns the study as files: two families of one question each, one for development and one for the test, each
// question the very text of its target.
func Kit(o Options) (kit.Memory, error) {
	if o.Model.ONNXSHA256 == "" {
		o.Model = dense.Model{Name: "hand", ONNXSHA256: strings.Repeat("0", 64), TokenizerSHA256: strings.Repeat("0", 64)}
	}
	// The draw, as the protocol of R01 has it: one band of four, two targets; stream 2 orders the families, 3 splits them.
	drawn := exact.NewStream(seed, 1).Draw(2, 4)
	order := exact.NewStream(seed, 2).Draw(2, 2)
	dev := exact.NewStream(seed, 3).Draw(1, 2)
	var corpus, questions strings.Builder
	targets := "family\ttarget\tband\tsplit\n"
	var rows, asked [][]float32
	for i, text := range Documents {
		fmt.Fprintf(&corpus, `{"_id":"%d","title":"%s","text":"%s"}`+"\n", i+1, text, text)
		rows = append(rows, Vector(text))
	}
	for i, j := range order {
		split := "test"
		if slices.Contains(dev, i) {
			split = "dev"
		}
		target := drawn[j]
		targets += fmt.Sprintf("F%d\t%d\t1\t%s\n", i+1, target+1, split)
		fmt.Fprintf(&questions, `{"_id":"F%d-q","text":"%s","metadata":{"family":"F%d","kind":"q"}}`+"\n", i+1, Documents[target], i+1)
		asked = append(asked, Vector(Documents[target]))
	}
	if o.Documents != nil {
		o.Documents(rows)
	}
	protocol := study.Protocol{
		Format: study.Format, ID: ID, Title: "Tiny", Authors: []author.Author{author.Plain("Tiny")}, Summary: "Four documents.",
		Version: "1", Document: ID + "/PROTOCOL.md", Readings: []string{}, Seed: seed,
		Collection: study.Collection{Documents: ID + "/corpus.jsonl", Links: ID + "/links.tsv", Indexed: []string{"text"},
			Analyzer: "ascii", Vectors: ID + "/vectors.f32"},
		Questions: study.Questions{File: ID + "/questions.jsonl", Vectors: ID + "/questions.f32"},
		Graphs:    []study.GraphSpec{{Name: "links", From: "undirected"}},
		Methods: []study.MethodSpec{
			{Name: "bm25", Term: "bm25", Role: "baseline", Label: "BM25"},
			{Name: "graph", Term: "graph(${baseline},teleport=${teleport},blend=${blend},edges=links)", Role: "graph", Label: "Graph"},
			{Name: "dense", Term: "dense", Role: "dense", Label: "Dense"},
		},
		Keep: 4, Budgets: o.Budgets,
	}
	spec := &knownitem.Spec{
		Targets: ID + "/targets.tsv", Kinds: []string{"q"}, Cutoff: 10, HitsAt: []int{1, 10}, Families: 2,
		Sample: knownitem.Sample{MinWords: 1, BandWidth: 4, PerBand: 2, BandStreams: []uint64{1}, FamilyStream: 2, DevelopmentStream: 3,
			Development: 1},
		Development: knownitem.Development{Baselines: []string{"bm25"},
			Candidate: "graph(${baseline},teleport=${teleport},blend=${blend},edges=links)",
			Grid:      []paired.Axis{{Key: "teleport", Values: []string{"0.5"}}, {Key: "blend", Values: []string{"0.1"}}}},
		Test: []string{"bm25", "graph", "dense"},
		Contrasts: []knownitem.Contrast{{Name: "primary", Method: "graph", Against: "${baseline}", Replicates: 10, BootstrapStream: 11,
			Draws: 10, FlipStream: 12}},
		Misses: knownitem.MissesMethod{Baseline: "${baseline}", Graph: "graph"},
	}
	about, err := json.Marshal(struct {
		study.Protocol
		KnownItem *knownitem.Spec `json:"knownItem"`
	}{protocol, spec})
	if err != nil {
		return nil, err
	}
	m := kit.Memory{
		ID + "/study.json": about, ID + "/PROTOCOL.md": []byte("# Tiny\n"), ID + "/targets.tsv": []byte(targets),
		ID + "/corpus.jsonl": []byte(corpus.String()), ID + "/questions.jsonl": []byte(questions.String()),
		ID + "/links.tsv": []byte("source\ttarget\n1\t2\n2\t3\n3\t4\n"),
	}
	for name, rows := range map[string][][]float32{"vectors": rows, "questions": asked} {
		file := dense.Bytes(rows...)
		sidecar, err := json.Marshal(dense.Sidecar{Dimension: 4, Count: len(rows), DType: dense.DType, Order: "the file's order",
			Model:   o.Model,
			Runtime: "by hand", Tokenizer: "by hand", MaxWordPieces: 256, Pooling: "mean", Truncated: []string{}, SHA256: kit.Hash(file)})
		if err != nil {
			return nil, err
		}
		m[ID+"/"+name+".f32"], m[ID+"/"+name+".json"] = file, sidecar
	}
	if err := list(m); err != nil {
		return nil, err
	}
	if o.Frozen == nil {
		return m, nil
	}
	s, err := design.Load(m, ID)
	if err != nil {
		return nil, err
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		return nil, err
	}
	out, err := r.Outcome()
	if err != nil {
		return nil, err
	}
	for _, f := range out.Files {
		lines := strings.Split(string(f.Data), "\n")
		o.Frozen(&lines)
		m[f.Path] = []byte(strings.Join(lines, "\n"))
	}
	return m, list(m)
}

// list writes the manifest of what is there.
func list(m kit.Memory) error {
	manifest := kit.Manifest{Format: kit.ManifestFormat, Folder: ID, Requires: []string{}}
	delete(m, ID+"/manifest.json")
	for path, data := range m {
		manifest.Files = append(manifest.Files, kit.Describe(path, data))
	}
	slices.SortFunc(manifest.Files, func(a, b kit.File) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.Marshal(manifest)
	m[ID+"/manifest.json"] = data
	return err
}

// Write puts a kit into a folder.
func Write(m kit.Memory, dir string) error {
	for path, data := range m {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
