package study

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"retrace/core/collection"
	"retrace/core/collection/plain"
	"retrace/core/dense"
	"retrace/core/exact"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/kit"
	"retrace/core/method"
	"retrace/core/records"
	"retrace/core/text"
	"retrace/core/walk"
)

// A Question is one question of a study.
type Question struct {
	ID       string
	Text     string
	Family   string
	Kind     string
	Split    string // "" where the design has none
	Target   int    // the document that it was written for; -1 where there is no single one
	File     string
	Line     int
	Query    index.Query
	position int // among the study's questions, from 0; -1 for a reader's own
}

// Where returns file and line of a study's question, "" for a reader's own.
func (q *Question) Where() string {
	if q.position < 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", q.File, q.Line)
}

// Place returns the question's place among the study's, from 0; -1 for a reader's own.
func (q *Question) Place() int { return q.position }

// A Study is a loaded study: its protocol and everything that methods compute from. It caches what is expensive, so it
// serves one goroutine at a time.
type Study struct {
	Protocol   *Protocol
	Kit        *kit.Kit
	Collection *collection.Collection
	Links      []collection.Link
	Relations  []collection.Relation // the overlay, in file order
	Index      *index.Index
	Questions  []Question // in file order
	Terms      map[string]method.Term
	Outside    []string // passages that the view does not admit
	Design     Loaded
	Spread     walk.Spread // a host's own step of walks, given before anything is scored; nil for plain Go

	byQuestion map[string]int
	graphs     map[string]*graph.Graph
	rewirings  map[string]graph.Rewiring
	vectors    *dense.Matrix // of the documents, in file order
	asked      *dense.Matrix // of the questions, in file order
	variables  Lock          // what the sealed lock fixes
	cues       []cue
	seen       *method.Env       // what methods see of the study
	names      map[string]string // of the protocol's methods, by their terms written out and printed
	lazy       *Replay           // observations made on demand, for explanations
	rows       []shapedRow       // of explanations
}

// ReadProtocol reads a study's protocol, and opens its kit, without reading its data.
func ReadProtocol(designs Designs, fsys fs.FS, id string) (*Protocol, *kit.Kit, error) {
	k, err := kit.Open(fsys, id)
	if err != nil {
		return nil, nil, err
	}
	name := id + "/study.json"
	data, err := k.Read(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := ParseProtocol(designs, name, data)
	if err != nil {
		return nil, nil, err
	}
	if p.ID != id {
		return nil, nil, records.Errorf(name, 0, "the folder is named as the study", "id %q in folder %q", p.ID, id)
	}
	if err := p.withhold(k); err != nil {
		return nil, nil, err
	}
	return p, k, nil
}

// Load reads a study from a kit, checking hashes and everything that can be checked without scoring.
func Load(designs Designs, fsys fs.FS, id string) (*Study, error) {
	s, err := Open(designs, fsys, id)
	if err != nil {
		return nil, err
	}
	if err := s.loadIndex(); err != nil {
		return nil, err
	}
	if err := s.loadRelations(); err != nil {
		return nil, err
	}
	s.Design, err = s.Protocol.Spec.Load(s)
	return s, err
}

// Open reads a study's protocol and documents alone: nothing can be scored yet.
func Open(designs Designs, fsys fs.FS, id string) (*Study, error) {
	p, k, err := ReadProtocol(designs, fsys, id)
	if err != nil {
		return nil, err
	}
	s := New(p, k, nil, nil)
	return s, s.loadDocuments()
}

// New returns a study of the given documents and their index, without questions.
func New(p *Protocol, k *kit.Kit, c *collection.Collection, x *index.Index) *Study {
	s := &Study{Protocol: p, Kit: k, Collection: c, Index: x, byQuestion: map[string]int{}, graphs: map[string]*graph.Graph{},
		rewirings: map[string]graph.Rewiring{}, Terms: map[string]method.Term{}}
	for _, m := range p.Methods {
		s.Terms[m.Name], _ = method.Parse(m.Term) // parsed before, by check
	}
	return s
}

// loadDocuments reads the documents, and nothing that is computed from them.
func (s *Study) loadDocuments() error {
	c := s.Protocol.Collection
	data, err := s.Kit.Read(c.Documents)
	if err != nil {
		return err
	}
	switch {
	case c.Format == formatHTMLTar:
		if s.Collection, err = plain.Documents(c.Documents, data); err == nil && c.Citations != 0 {
			s.Links, err = plain.Citations(c.Documents, data, s.Collection, c.Citations)
		}
	case c.View != nil:
		var passages []collection.Passage
		if passages, err = collection.ParsePassages(c.Documents, data); err != nil {
			return err
		}
		s.Collection, s.Outside, err = c.View.Select(c.Documents, passages)
	default:
		s.Collection, err = collection.ParseBEIR(c.Documents, data)
	}
	return err
}

// loadIndex reads links and stop words and builds the index.
func (s *Study) loadIndex() error {
	c := s.Protocol.Collection
	if c.Links != "" {
		data, err := s.Kit.Read(c.Links)
		if err != nil {
			return err
		}
		if s.Links, err = s.Collection.ParseLinks(c.Links, data); err != nil {
			return err
		}
	}
	analyzer, err := text.New(c.Analyzer, nil)
	if err != nil {
		return records.Errorf(s.Protocol.ID+"/study.json", 0, "name one of text's analyzers", "%v", err)
	}
	if c.Stopwords != "" {
		data, err := s.Kit.Read(c.Stopwords)
		if err != nil {
			return err
		}
		stopwords, err := analyzer.ReadWords(c.Stopwords, data)
		if err != nil {
			return err
		}
		if analyzer, err = text.New(c.Analyzer, stopwords); err != nil {
			return err
		}
	}
	texts := make([]string, s.Collection.Len())
	for d := range texts {
		texts[d] = s.Collection.Docs[d].Fields(c.Indexed)
	}
	s.Index = index.Build(analyzer, texts)
	return nil
}

type beirQuestion struct {
	ID       string `json:"_id"`
	Text     string `json:"text"`
	Metadata struct {
		Family string `json:"family"`
		Kind   string `json:"kind"`
	} `json:"metadata"`
}

// LoadQuestions reads the questions' file.
func (s *Study) LoadQuestions() error {
	file := s.Protocol.Questions.File
	data, err := s.Kit.Read(file)
	if err != nil {
		return err
	}
	if s.Protocol.Questions.Format == formatDoc {
		err = s.addTopics(file, data)
	} else {
		err = records.JSONLines(file, data, func(line int, q beirQuestion) error {
			return s.AddQuestion(Question{ID: q.ID, Text: q.Text, Family: q.Metadata.Family, Kind: q.Metadata.Kind, Target: -1, File: file, Line: line})
		})
	}
	if err == nil && len(s.Questions) == 0 {
		err = records.Errorf(file, 0, "a study needs at least one question", "no questions")
	}
	return err
}

func (s *Study) addTopics(file string, data []byte) error {
	topics, err := plain.Topics(file, data)
	for _, t := range topics {
		if err == nil {
			err = s.AddQuestion(Question{ID: t.ID, Text: t.Text, Target: -1, File: file, Line: t.Line})
		}
	}
	return err
}

// AddQuestion adds a question at the next place, while a study is loaded: the places of vectors follow from the order.
func (s *Study) AddQuestion(q Question) error {
	if what := collection.CheckID(q.ID); what != "" {
		return records.Errorf(q.File, q.Line, "give it an ID without spaces", "%s: %q", what, q.ID)
	}
	if strings.HasPrefix(q.ID, Own) {
		return records.Errorf(q.File, q.Line, "give it an ID that begins otherwise", "ID %q: %q marks a reader's own question", q.ID, Own)
	}
	if first, ok := s.Question(q.ID); ok {
		return records.Errorf(q.File, q.Line, "give each an ID of its own", "duplicate ID %q, first at %s", q.ID, first.Where())
	}
	q.position = len(s.Questions)
	q.Query = s.Index.Query(q.Text)
	s.byQuestion[q.ID] = q.position
	s.Questions = append(s.Questions, q)
	return nil
}

// Question returns a question by its ID.
func (s *Study) Question(id string) (*Question, bool) {
	i, ok := s.byQuestion[id]
	if !ok {
		return nil, false
	}
	return &s.Questions[i], true
}

// Graph returns a graph by its name in the protocol.
func (s *Study) Graph(name string) (*graph.Graph, error) {
	if g, ok := s.graphs[name]; ok {
		return g, nil
	}
	spec, err := s.graphSpec(name)
	if err != nil {
		return nil, err
	}
	var g *graph.Graph
	n := s.Collection.Len()
	switch spec.From {
	case "undirected":
		g = graph.Undirected(n, s.Links)
	case "directed":
		g = graph.Directed(n, s.Links)
	case "empty":
		g = graph.Empty(n)
	case "rewired":
		of, err := s.Graph(spec.Of)
		if err != nil {
			return nil, err
		}
		r, ok := graph.Rewire(of, exact.NewStream(s.Protocol.Seed, spec.Stream), spec.SwapsPerEdge, 1000*(1+spec.SwapsPerEdge)*(1+len(s.Links)))
		if !ok {
			return nil, records.Errorf(s.Protocol.Collection.Links, 0, "a graph this dense or this small can't be rewired: leave the control out", "graph %s: only %d swaps succeeded in %d attempts", name, r.Swaps, r.Attempts)
		}
		s.rewirings[name] = r
		g = r.Graph
	}
	s.graphs[name] = g
	return g, nil
}

func (s *Study) graphSpec(name string) (*GraphSpec, error) {
	for i := range s.Protocol.Graphs {
		if s.Protocol.Graphs[i].Name == name {
			return &s.Protocol.Graphs[i], nil
		}
	}
	return nil, records.Errorf(s.Protocol.ID+"/study.json", 0, "declare it under graphs", "unknown graph %q", name)
}

func (s *Study) graphKind(name string) string {
	if spec, err := s.graphSpec(name); err == nil {
		return spec.From
	}
	return ""
}

// Rewiring returns how a rewired graph was made.
func (s *Study) Rewiring(name string) (graph.Rewiring, error) {
	_, err := s.Graph(name)
	return s.rewirings[name], err
}

// Vectors returns the embeddings of the documents and of the questions, each in the order of its file. They are read
// when first asked for: a reader's browser loads them only for a dense method.
func (s *Study) Vectors() (documents, questions *dense.Matrix, err error) {
	if s.vectors == nil {
		ids := make([]string, s.Collection.Len())
		for i, d := range s.Collection.Order {
			ids[i] = s.Collection.Docs[d].ID
		}
		if documents, err = s.readVectors(s.Protocol.Collection.Vectors, ids); err != nil {
			return nil, nil, err
		}
		ids = ids[:0]
		for _, q := range s.Questions {
			ids = append(ids, q.ID)
		}
		if questions, err = s.readVectors(s.Protocol.Questions.Vectors, ids); err != nil {
			return nil, nil, err
		}
		if err := dense.CheckComparable(questions, documents); err != nil {
			return nil, nil, records.Errorf(s.Protocol.Questions.Vectors, 0, "encode questions and documents with one model", "%v", err)
		}
		s.vectors, s.asked = documents, questions
	}
	return s.vectors, s.asked, nil
}

func (s *Study) readVectors(file string, ids []string) (*dense.Matrix, error) {
	if file == "" {
		return nil, records.Errorf(s.Protocol.ID+"/study.json", 0, "name vectors under collection and questions; `native encode` makes them", "a dense method needs vectors")
	}
	data, err := s.Kit.Read(file)
	if err != nil {
		return nil, err
	}
	sidecar, err := s.Kit.Read(SidecarOf(file))
	if err != nil {
		return nil, err
	}
	m, err := dense.Parse(data, sidecar, len(ids))
	if err == nil {
		err = m.CheckOrder(ids)
	}
	if err != nil {
		return nil, records.Errorf(file, 0, "encode the texts again with `native encode`", "%v", err)
	}
	return m, nil
}

// SidecarOf returns the path of a vector file's sidecar: the same name with the extension .json.
func SidecarOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) + ".json" }
