package studytest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"
)

// WithheldID is the study's that withholds its documents and topics.
const WithheldID = "withheld"

// Figures of this study by hand. Topic 1 asks for kettles, which record T-1 alone has and is relevant: every system has AP 1 but the
// run that was given, which has it second: 1/2. Topic 2 asks for lanterns, which T-2 alone has, and T-3, which cites it, is relevant:
// BM25 does not find it, 0; the walk over citations finds it second, 1/2; the given run has it first, 1.
var WithheldAP = map[string]float64{"bm25": 0.5, "walk": 0.75, "theirs": 0.75}

// Withheld returns a small study, with frozen results, and the files that it withholds by their paths: records and topics.
func Withheld() (m, given kit.Memory, err error) {
	given = kit.Memory{
		"withheld/records.tar.gz": records([][2]string{
			{"T-1", "<html>\n<pre>\nKettle &amp; tea\n\n1\t5\t1\n</pre>\n</html>\n"},
			{"T-2", "<html>\n<pre>\nLantern\n\n3\t5\t2\n1\t4\t2\n</pre>\n</html>\n"},
			{"T-3", "<html>\n<pre>\nA flame in a caf\xe9\n</pre>\n</html>\n"},
		}),
		"withheld/topics.txt": []byte("<DOC>\n<DOCNO> 1 </DOCNO>\nkettle\n</DOC>\n<DOC>\n<DOCNO> 2 </DOCNO>\nlantern\n</DOC>\n"),
	}
	var p map[string]any
	if err := json.Unmarshal([]byte(withheldProtocol), &p); err != nil {
		return nil, nil, err
	}
	entries := map[string]study.Withheld{}
	for name, data := range given {
		entries[name] = study.Withheld{SHA256: kit.Hash(data), Bytes: len(data), Holder: "Village school", Terms: "for lessons",
			Get: "ask the village school for its records"}
	}
	p["withheld"] = entries
	m = kit.Memory{"withheld/study.json": encode(p), "withheld/PROTOCOL.md": []byte("# Protocol\n"),
		"withheld/qrels.txt":  []byte("1 0 T-1 1\n2 0 T-3 1\n"),
		"withheld/theirs.run": []byte("1 Q0 T-2 1 2 x\n1 Q0 T-1 2 1 x\n2 Q0 T-3 1 1 x\n")}
	Manifests(m)
	whole := maps.Clone(m)
	maps.Copy(whole, given)
	s, err := design.Load(whole, WithheldID)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		return nil, nil, err
	}
	o, err := r.Outcome()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range o.Files {
		m[f.Path] = f.Data
	}
	Manifests(m)
	return m, given, nil
}

func records(list [][2]string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, r := range list { // a buffer takes everything
		w.WriteHeader(&tar.Header{Name: r[0] + ".html", Size: int64(len(r[1])), Mode: 0o644, Format: tar.FormatUSTAR})
		w.Write([]byte(r[1]))
	}
	w.Close()
	z.Close()
	return out.Bytes()
}

const withheldProtocol = `{
  "format": "retrace-study/2",
  "id": "withheld",
  "title": "Do citations find what words don't?", "authors": ["Ada Author"],
  "summary": "Three records. A test.",
  "version": "1.0.0",
  "document": "withheld/PROTOCOL.md",
  "licence": {"data": "CC0-1.0", "code": "Apache-2.0"},
  "provenance": "Made up for tests.",
  "readings": [],
  "seed": 5,
  "collection": {"documents": "withheld/records.tar.gz", "format": "html-tar", "citations": 5, "indexed": ["text"], "analyzer": "english"},
  "questions": {"file": "withheld/topics.txt", "format": "doc"},
  "graphs": [{"name": "cites", "from": "undirected"}],
  "methods": [
    {"name": "bm25", "term": "bm25(k1=0.9,b=0.4,form=lucene1)", "role": "baseline", "label": "BM25"},
    {"name": "walk", "term": "graph(bm25,teleport=0.5,blend=0.5,edges=cites,seeds=1)", "role": "graph", "label": "Walk"}
  ],
  "keep": 10,
  "adhoc": {
    "judgements": [{"assessor": "one", "file": "withheld/qrels.txt"}],
    "runs": [{"name": "theirs", "file": "withheld/theirs.run", "role": "control", "label": "Their system"}],
    "measures": [{"key": "ap", "measure": "AP"}],
    "primary": "ap",
    "order": "trec_eval"
  }
}
`
