// Package studytest makes small studies for tests: a known-item study of twelve documents, and its seals.
package studytest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"retrace/core/design"
	"retrace/core/exact"
	"retrace/core/kit"
	"retrace/core/study"
)

// ID is the small study's.
const ID = "tiny"

const seed = 5

// texts are the documents' titles and texts, IDs ascending from 1.
var texts = [][2]string{
	{"Kettle", "boils water for tea with a whistle"}, {"Lantern", "holds a flame behind glass"}, {"Anchor", "keeps a ship from drifting away"},
	{"Compass", "points north for a ship at sea"}, {"Sail", "catches wind so that a ship moves"}, {"Mill", "grinds grain by wind or water"},
	{"Oven", "bakes bread from grain and water"}, {"Ladder", "reaches fruit in high trees"}, {"Orchard", "grows fruit trees in rows"},
	{"Cellar", "keeps fruit and bread cool"}, {"Candle", "gives a flame from wax"}, {"Beehive", "holds wax and honey of bees"},
}

// protocol is study.json.
const protocol = `{
  "format": "retrace-study/2",
  "id": "tiny",
  "title": "Do links help in a village?", "authors": ["Village school", "Ada Author"],
  "summary": "Twelve things. A test.",
  "version": "1.0.0",
  "document": "tiny/PROTOCOL.md",
  "licence": {"data": "CC0-1.0", "code": "Apache-2.0"},
  "provenance": "Made up for tests.",
  "readings": [],
  "seed": 5,
  "collection": {
    "documents": "village/corpus.jsonl",
    "links": "village/links.tsv",
    "indexed": ["title", "text"],
    "analyzer": "ascii",
    "stopwords": "tiny/stopwords.txt"
  },
  "questions": {"file": "tiny/questions.jsonl"},
  "graphs": [
    {"name": "links", "from": "undirected"},
    {"name": "directed", "from": "directed"},
    {"name": "empty", "from": "empty"},
    {"name": "rewired-1", "from": "rewired", "of": "links", "stream": 21, "swapsPerEdge": 2}
  ],
  "methods": [
    {"name": "bm25", "term": "bm25", "role": "baseline", "label": "BM25"},
    {"name": "tfidf", "term": "tfidf", "role": "baseline", "label": "TF-IDF"},
    {"name": "rrf", "term": "rrf(bm25,tfidf)", "role": "baseline", "label": "RRF"},
    {"name": "graph", "term": "graph(${baseline},teleport=${teleport},blend=${blend},edges=links,seeds=3)", "role": "graph", "label": "Graph", "adds": "The links"},
    {"name": "empty", "term": "graph(${baseline},teleport=${teleport},blend=${blend},edges=empty,seeds=3)", "role": "control", "label": "Empty"},
    {"name": "degree", "term": "degree", "role": "control", "label": "Degree"},
    {"name": "direction", "term": "graph(${baseline},teleport=${teleport},blend=${blend},edges=directed,seeds=3)", "role": "control", "label": "Direction"},
    {"name": "rewired-1", "term": "graph(${baseline},teleport=${teleport},blend=${blend},edges=rewired-1,seeds=3)", "role": "control", "label": "Rewired"}
  ],
  "keep": 10,
  "knownItem": {
    "targets": "tiny/targets.tsv",
    "kinds": ["part", "whole"],
    "cutoff": 10,
    "hitsAt": [1, 10],
    "families": 6,
    "sample": {"minWords": 4, "bandWidth": 6, "perBand": 3, "bandStreams": [1, 2], "familyStream": 3, "developmentStream": 4, "development": 2},
    "development": {
      "baselines": ["bm25", "tfidf", "rrf"],
      "candidate": "graph(${baseline},teleport=${teleport},blend=${blend},edges=links,seeds=3)",
      "grid": [{"key": "teleport", "values": ["0.15", "0.5"]}, {"key": "blend", "values": ["0.1", "0.3"]}]
    },
    "test": ["bm25", "tfidf", "rrf", "graph", "empty", "degree", "direction", "rewired-1"],
    "contrasts": [
      {"name": "primary", "method": "graph", "against": "${baseline}", "replicates": 50, "bootstrapStream": 11, "draws": 50, "flipStream": 12}
    ],
    "misses": {"baseline": "${baseline}", "graph": "graph"}
  }
}
`

// Files of the small study.
const (
	ProtocolFile  = "tiny/study.json"
	QuestionsFile = "tiny/questions.jsonl"
	TargetsFile   = "tiny/targets.tsv"
	CorpusFile    = "village/corpus.jsonl"
	LinksFile     = "village/links.tsv"
)

// Tiny returns the files of a known-item study without seals: six families of two questions over twelve documents in
// two bands. The first test family's first question has no word that the collection knows.
func Tiny() kit.Memory {
	m := kit.Memory{"tiny/study.json": []byte(protocol), "tiny/PROTOCOL.md": []byte("# Protocol\n"), "tiny/stopwords.txt": []byte("a\nand\nby\nfor\nfrom\nin\nof\nor\nwith\n")}
	var corpus, questions, targets strings.Builder
	for i, t := range texts {
		fmt.Fprintf(&corpus, `{"_id":"%d","title":%q,"text":%q,"metadata":{"n":%d}}`+"\n", i+1, t[0], t[1], i)
	}
	var drawn []int
	for band, stream := range []uint64{1, 2} {
		for _, i := range exact.NewStream(seed, stream).Draw(3, 6) {
			drawn = append(drawn, band*6+i)
		}
	}
	split := slices.Repeat([]string{"test"}, 6)
	for _, i := range exact.NewStream(seed, 4).Draw(2, 6) {
		split[i] = "dev"
	}
	targets.WriteString("family\ttarget\tband\tsplit\n")
	for i, j := range exact.NewStream(seed, 3).Draw(6, 6) {
		target := drawn[j]
		fmt.Fprintf(&targets, "F%d\t%d\t%d\t%s\n", i+1, target+1, j/3+1, split[i])
		words := strings.Fields(texts[target][1])
		for kind, text := range map[string]string{"part": words[0] + " " + words[len(words)-1], "whole": texts[target][1]} {
			if kind == "part" && i == slices.Index(split, "test") {
				text = "xylophone"
			}
			line := fmt.Sprintf(`{"_id":"F%d-%s","text":%q,"metadata":{"family":"F%d","kind":%q}}`+"\n", i+1, kind, text, i+1, kind)
			m["q/"+fmt.Sprint(i)+kind] = []byte(line)
		}
		for _, kind := range []string{"part", "whole"} {
			questions.Write(m["q/"+fmt.Sprint(i)+kind])
			delete(m, "q/"+fmt.Sprint(i)+kind)
		}
	}
	m[CorpusFile], m[QuestionsFile], m[TargetsFile] = []byte(corpus.String()), []byte(questions.String()), []byte(targets.String())
	m[LinksFile] = []byte("source\ttarget\n1\t6\n1\t7\n2\t11\n11\t12\n3\t4\n4\t5\n5\t3\n5\t6\n6\t7\n8\t9\n9\t10\n10\t7\n9\t8\n12\t12\n")
	Manifests(m)
	return m
}

// Edit replaces a part of a file, which must be there, and writes the manifests anew.
func Edit(m kit.Memory, file, old, new string) {
	if !strings.Contains(string(m[file]), old) {
		panic(fmt.Sprintf("studytest: %s does not hold %q", file, old))
	}
	m[file] = []byte(strings.Replace(string(m[file]), old, new, 1))
	Manifests(m)
}

// Manifests writes the manifest of each folder anew; the study requires every other folder.
func Manifests(m kit.Memory) {
	folders := map[string][]kit.File{}
	for name, data := range m {
		folder, rest, _ := strings.Cut(name, "/")
		if rest != "manifest.json" {
			folders[folder] = append(folders[folder], kit.Describe(name, data))
		}
	}
	for folder, files := range folders {
		slices.SortFunc(files, func(a, b kit.File) int { return strings.Compare(a.Path, b.Path) })
		manifest := kit.Manifest{Format: kit.ManifestFormat, Folder: folder, Requires: []string{}, Files: files}
		if folder == ID {
			for other := range folders {
				if other != ID {
					manifest.Requires = append(manifest.Requires, other)
				}
			}
			slices.Sort(manifest.Requires)
		}
		m[folder+"/manifest.json"] = encode(manifest)
	}
}

func encode(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

// Seal adds a seal with the next number.
func Seal(m kit.Memory, stage string, files []string, lock any) {
	seals, _ := fs.Glob(m, ID+"/seals/*.json")
	s := kit.Seal{Format: kit.SealFormat, Study: ID, Stage: stage, Files: []kit.File{}}
	if len(seals) > 0 {
		s.Previous = kit.Hash(m[seals[len(seals)-1]])
	}
	for _, name := range files {
		s.Files = append(s.Files, kit.Describe(name, m[name]))
	}
	if lock != nil {
		s.Lock = encode(lock)
	}
	m[fmt.Sprintf("%s/seals/%d-%s.json", ID, len(seals)+1, stage)] = encode(s)
	Manifests(m)
}

// Freeze seals the protocol, runs development and seals its lock, runs everything and seals what it gave.
func Freeze(m kit.Memory) error {
	var files []string
	for name := range m {
		if !strings.HasSuffix(name, "/manifest.json") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	Seal(m, study.SealProtocol, files, nil)
	s, err := design.Load(m, ID)
	if err != nil {
		return err
	}
	lock, err := s.Develop()
	if err != nil {
		return err
	}
	Seal(m, study.SealLock, nil, lock)
	if s, err = design.Load(m, ID); err != nil {
		return err
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		return err
	}
	o, err := r.Outcome()
	if err != nil {
		return err
	}
	files = nil
	for _, f := range o.Files {
		m[f.Path] = f.Data
		files = append(files, f.Path)
	}
	Seal(m, study.SealFrozen, files, nil)
	return nil
}
