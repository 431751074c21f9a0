package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/dense"
	"retrace/core/explain"
	"retrace/core/index"
	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/show"
)

// MaxInputs bounds the list of inputs of one explanation; the node says how many more there are.
const MaxInputs = 400

// Explain says how the number at a path came about. Paths are those of results, and those that explanations lead to: rows
// of every study stand in this file, those of a design beside its code. What was not observed yet is scored for the
// purpose; r may hold a finished replay, or be nil.
func (s *Study) Explain(r *Replay, at string) (*explain.Node, error) {
	keys, err := numpath.Split(at)
	if err != nil {
		return nil, err
	}
	if r == nil || r.results == nil {
		r = s.onDemand()
	}
	x := &Explainer{Study: s, Replay: r, Keys: keys}
	node, err := x.node()
	if err != nil {
		return nil, err
	}
	if node == nil {
		return nil, fmt.Errorf("study: nothing stands at %q: paths are those of the results JSON, such as methods.bm25.mrr10", at)
	}
	node.Path = at
	if node.Inputs == nil {
		node.Inputs = []explain.Input{}
	}
	if len(node.Inputs) > MaxInputs {
		node.More = len(node.Inputs) - MaxInputs
		node.Inputs = node.Inputs[:MaxInputs]
	}
	return node, nil
}

// node finds what stands at the path. A nil node means that nothing does.
func (x *Explainer) node() (*explain.Node, error) {
	row, ok := x.Study.row(x.Keys)
	if !ok {
		return nil, nil
	}
	x.style = row.Style
	return row.Explain(x)
}

// row returns the first row whose shape is the path's.
func (s *Study) row(keys []string) (Row, bool) {
	if s.rows == nil {
		for _, r := range append(commonRows(), s.Design.Rows()...) {
			s.rows = append(s.rows, shapedRow{strings.Split(r.Shape, "."), r})
		}
	}
	for _, r := range s.rows {
		if slices.EqualFunc(r.shape, keys, func(want, key string) bool { return want == "*" || want == key }) {
			return r.row, true
		}
	}
	return Row{}, false
}

type shapedRow struct {
	shape []string
	row   Row
}

// Style says how the number at a path of results is written; in the shortest form where no row has its shape.
func (s *Study) Style(path string) show.Style {
	keys, err := numpath.Split(path)
	if err != nil {
		return show.Plain
	}
	r, ok := s.row(keys)
	if !ok {
		return show.Plain
	}
	return r.Style
}

// Numbers lists every number of results (canonical JSON), written as the rows say.
func (s *Study) Numbers(results []byte) ([]show.Number, error) { return show.Numbers(results, s.Style) }

// onDemand returns a replay whose observations are made when they are first asked for.
func (s *Study) onDemand() *Replay {
	if s.lazy == nil {
		s.lazy = &Replay{study: s, observations: map[observationKey]Observation{}, onDemand: true}
	}
	return s.lazy
}

// OnDemand returns a finished replay as it is, and in the place of none one whose observations are made when they are
// first asked for.
func (s *Study) OnDemand(r *Replay) *Replay {
	if r == nil || r.results == nil {
		return s.onDemand()
	}
	return r
}

// demand scores a method on all questions of the split that a question is in.
func (r *Replay) demand(question, name string) error {
	s := r.study
	q, ok := s.Question(question)
	if !ok {
		return fmt.Errorf("study: no question %q", question)
	}
	t, err := s.ResolveSealed(name)
	if err != nil {
		return err
	}
	terms := []NamedTerm{{name, t}}
	var places []int
	for i := range s.Questions {
		if s.Questions[i].Split == q.Split {
			places = append(places, i)
		}
	}
	list, err := s.Run(Unit{"explain", terms, places, s.Protocol.Keep})
	if err != nil {
		return err
	}
	for _, o := range list {
		r.observations[observationKey{o.Question, o.Method}] = o
	}
	return nil
}

// An Explainer is what a row explains from: the study, a replay, and the keys of the path.
type Explainer struct {
	Study  *Study
	Replay *Replay
	Keys   []string
	style  show.Style
}

// Number makes a node of the number at the path.
func (x *Explainer) Number(title string, value float64, sentence, formula string, source any) *explain.Node {
	return &explain.Node{Title: title, Text: x.style.Text(value), Value: &value, Sentence: sentence, Formula: formula, Source: explain.SourceOf(source)}
}

// Key returns a key of the path, "" beyond its end.
func (x *Explainer) Key(i int) string {
	if i < len(x.Keys) {
		return x.Keys[i]
	}
	return ""
}

// Index returns a key of the path that is a place in a list of n; ok is false for other keys.
func (x *Explainer) Index(i, n int) (place int, ok bool) {
	place, err := strconv.Atoi(x.Key(i))
	return place, err == nil && place >= 0 && place < n && strconv.Itoa(place) == x.Key(i)
}

// Document returns the number of a document by its ID.
func (x *Explainer) Document(id string) (int, error) {
	doc, ok := x.Study.Collection.Number(id)
	if !ok {
		return 0, fmt.Errorf("study: no document %q in %s", id, x.Study.Collection.File)
	}
	return doc, nil
}

// Where returns file and line of a document.
func (x *Explainer) Where(doc int) string {
	return fmt.Sprintf("%s:%d", x.Study.Collection.File, x.Study.Collection.Docs[doc].Line)
}

// DocLabel names a document for people.
func (x *Explainer) DocLabel(doc int) string {
	d := &x.Study.Collection.Docs[doc]
	return d.Title + " (" + d.ID + ")"
}

// Setting explains a number that the protocol fixes.
func (x *Explainer) Setting(title string, value float64) *explain.Node {
	node := x.Number(title, value, "A setting that the protocol fixes.", "", ParseProtocol)
	node.Inputs = []explain.Input{{Label: "protocol", Text: x.Study.Protocol.Document, Path: "protocol"}}
	return node
}

// commonRows explain what every design has: scores, terms, postings, documents, vectors.
func commonRows() []Row {
	return []Row{
		{"rank.*.*", show.Integer, (*Explainer).rankNode},
		{"score.*.*.*", show.Measure, func(x *Explainer) (*explain.Node, error) { return x.scored((*method.Scoring).Explain) }},
		{"mass.*.*.*", show.Measure, func(x *Explainer) (*explain.Node, error) { return x.scored((*method.Scoring).ExplainMass) }},
		{"term.*.*.*.*", show.Measure, func(x *Explainer) (*explain.Node, error) {
			return x.scored(func(s *method.Scoring, doc int) (*explain.Node, error) { return s.ExplainTerm(doc, x.Keys[4]) })
		}},
		{"posting.*.*", show.Integer, (*Explainer).posting},
		{"df.*", show.Integer, (*Explainer).documentFrequency},
		{"document.*", show.Plain, (*Explainer).documentNode},
		{"question.*", show.Plain, (*Explainer).questionNode},
		{"neighbours.*.*", show.Integer, (*Explainer).neighbours},
		{"protocol", show.Plain, (*Explainer).protocolNode},
		{"dense.dimension", show.Integer, denseRow("dimension", "Values of each vector.", func(d *DenseResult) int { return d.Dimension })},
		{"dense.documents", show.Integer, denseRow("documents", "Documents with a vector.", func(d *DenseResult) int { return d.Documents })},
		{"dense.questions", show.Integer, denseRow("questions", "Questions with a vector.", func(d *DenseResult) int { return d.Questions })},
		{"dense.truncated", show.Integer, denseRow("truncated", "Texts longer than the model takes, which were cut off.",
			func(d *DenseResult) int { return d.Truncated })},
	}
}

// scoring scores the question and method that stand second and third in the path.
func (x *Explainer) scoring() (*Scoring, error) {
	q, err := x.Study.AnyQuestion(x.Keys[1])
	if err != nil {
		return nil, err
	}
	return x.Replay.Scoring(x.Keys[2], q)
}

// scored explains from the scoring and the document that the path names.
func (x *Explainer) scored(explains func(s *method.Scoring, doc int) (*explain.Node, error)) (*explain.Node, error) {
	scoring, err := x.scoring()
	if err != nil {
		return nil, err
	}
	doc, err := x.Document(x.Keys[3])
	if err != nil {
		return nil, err
	}
	return explains(scoring.Scoring, doc)
}

func (x *Explainer) rankNode() (*explain.Node, error) {
	scoring, err := x.scoring()
	if err != nil {
		return nil, err
	}
	return x.Rank(scoring)
}

func (x *Explainer) documentNode() (*explain.Node, error) {
	doc, err := x.Document(x.Keys[1])
	if err != nil {
		return nil, err
	}
	d := &x.Study.Collection.Docs[doc]
	node := &explain.Node{Title: "document " + d.ID, Text: d.Title, Sentence: d.Text, Source: explain.SourceOf(collection.New)}
	node.Inputs = []explain.Input{{Label: "record", Text: d.ID, Where: x.Where(doc)},
		{Label: "length in kept tokens (dl)", Text: show.Count(int64(x.Study.Index.Length[doc]))}}
	return node, nil
}

func (x *Explainer) questionNode() (*explain.Node, error) {
	q, err := x.Study.AnyQuestion(x.Keys[1])
	if err != nil {
		return nil, err
	}
	node := &explain.Node{Title: "question " + q.ID, Text: q.Text, Sentence: "The question as it was asked.", Source: explain.SourceOf((*index.Index).Query)}
	for _, c := range q.Query.Terms {
		term := x.Study.Index.Terms[c.Term]
		node.Inputs = append(node.Inputs, explain.Input{Label: term, Text: "document frequency " + show.Count(int64(x.Study.Index.DF(c.Term))), Path: numpath.Of("df", term)})
	}
	if q.Where() != "" {
		node.Inputs = append(node.Inputs, explain.Input{Label: "record", Text: q.ID, Where: q.Where()})
	}
	return node, nil
}

func (x *Explainer) protocolNode() (*explain.Node, error) {
	p := x.Study.Protocol
	node := &explain.Node{Title: "protocol", Text: p.Title, Sentence: "Everything that the study fixes, as data.", Source: explain.SourceOf(ParseProtocol)}
	node.Inputs = []explain.Input{{Label: "in words", Where: p.Document}, {Label: "as data", Where: p.ID + "/study.json"},
		{Label: "seed", Text: strconv.FormatUint(p.Seed, 10)}}
	for _, m := range p.Methods {
		node.Inputs = append(node.Inputs, explain.Input{Label: m.Name, Text: x.Study.TermOf(m.Name)})
	}
	return node, nil
}

func denseRow(what, sentence string, value func(*DenseResult) int) func(x *Explainer) (*explain.Node, error) {
	return func(x *Explainer) (*explain.Node, error) {
		d, err := x.Study.DenseResult()
		if err != nil || d == nil {
			return nil, err
		}
		node := x.Number("embeddings: "+what, float64(value(d)), sentence, "", dense.Parse)
		c, q := x.Study.Protocol.Collection, x.Study.Protocol.Questions
		node.Inputs = []explain.Input{{Label: "documents' vectors", Where: SidecarOf(c.Vectors)}, {Label: "questions' vectors", Where: SidecarOf(q.Vectors)}}
		return node, nil
	}
}
