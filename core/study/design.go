package study

import (
	"reflect"
	"strings"

	"retrace/core/explain"
	"retrace/core/method"
	"retrace/core/records"
	"retrace/core/show"
	"retrace/core/verdict"
)

// A Design is a kind of study: under which key its part stands in study.json, and an empty part to decode into. What reads
// protocols is given a table of designs; this package imports none.
type Design struct {
	Key  string
	Spec func() Spec // a pointer to a struct
}

// Designs is a table of designs.
type Designs []Design

// A Spec is a design's part of study.json. It may also be a Stager or Partial.
type Spec interface {
	// Check says what is wrong with the part, whose protocol has passed its own check, but for this.
	Check(p *Protocol) error
	// Seals lists the stages of the study's seals, in order.
	Seals() []string
	// Load reads the design's own data into a study that holds documents, links and relations, and adds its questions.
	Load(s *Study) (Loaded, error)
	// Verdict says in a sentence what results (canonical JSON) show; no parts where there is nothing to say.
	Verdict(p *Protocol, results []byte) ([]verdict.Part, error)
}

// A Stager is a part some of whose files are fixed by a later stage than the first.
type Stager interface {
	StageOf(path string) string
}

// Partial is a part whose studies have results of their own without vectors.
type Partial interface {
	PartsWithoutVectors() bool
}

// A Loaded is a design with a study's data. It may also be Judged, Figured or a Namer.
type Loaded interface {
	// Stages are what a replay runs, in order.
	Stages() []Stage
	// Rows explain every number of the design's results, and what those explanations lead to.
	Rows() []Row
}

// Judged is a loaded design that holds judgements.
type Judged interface {
	// Asked returns what stands beside a question: its need in words, its task; nothing for other questions.
	Asked(q *Question) (need string, task *TaskView, err error)
	// Judgements returns what judges said of documents for a question, in the order in which a page lists them.
	Judgements(q *Question) ([]DocumentJudgement, error)
	// Measures returns the measures of a method's ranking for a question.
	Measures(q *Question, method string) ([]MeasureView, error)
}

// A Qreler is a loaded design that gives judgements as TREC qrels have them: by an assessor's name, or by the design's own
// rule where that is empty.
type Qreler interface {
	Qrels(assessor string) ([]Qrel, error)
}

// Figured is a loaded design that has figures beyond the numbers of its results.
type Figured interface {
	Figures(r *Replay, options Options, out *Figures) error
}

// A Namer is a loaded design that names methods beyond those of the protocol.
type Namer interface {
	// Named returns the term behind such a name; ok is false for other names.
	Named(name string) (t method.Term, ok bool, err error)
}

// A Row explains the numbers whose paths have one shape, and says how they are written. It stands beside the code that
// computes them.
type Row struct {
	Shape   string // keys joined by dots; * is any key
	Style   show.Style
	Explain func(x *Explainer) (*explain.Node, error) // nil without error where nothing stands there after all
}

// decode reads study.json: what every study has, and the part of exactly one design.
func (d Designs) decode(file string, data []byte) (*Protocol, error) {
	p := &Protocol{}
	parts := map[string]any{}
	for _, one := range d {
		parts[one.Key] = one.Spec()
	}
	there, err := records.DecodeParts(file, data, p, parts)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, one := range d {
		if _, ok := there[one.Key]; ok {
			keys = append(keys, one.Key)
		}
	}
	if len(keys) != 1 {
		return nil, records.Errorf(file, 0, "the key says which design the study has", "give exactly one design (%s): here are %d",
			strings.Join(d.Keys(), ", "), len(keys))
	}
	p.Design, p.Spec = keys[0], parts[keys[0]].(Spec)
	if p.Format != Format && p.Format != Format1 {
		return p, nil // another version has other fields
	}
	field := missing(reflect.TypeFor[Protocol](), data, "")
	if field == "" {
		field = missing(reflect.TypeOf(p.Spec), there[p.Design], p.Design)
	}
	if field != "" {
		return nil, records.Errorf(file, 0, "add it, even if it is an empty list: []; docs/studies.md shows an example", "%s is missing", field)
	}
	return p, nil
}

// Keys lists the designs' keys.
func (d Designs) Keys() []string {
	var keys []string
	for _, one := range d {
		keys = append(keys, one.Key)
	}
	return keys
}
