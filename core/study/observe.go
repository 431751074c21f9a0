package study

import (
	"bytes"
	"encoding/json"
	"fmt"

	"retrace/core/kit"
	"retrace/core/method"
	"retrace/core/rank"
	"retrace/core/records"
	"retrace/core/walk"
)

// An Observation is what one method returned for one question. Its fields stand in the order of their JSON names.
type Observation struct {
	Best       []Hit  `json:"best"`       // the best documents, as many as the protocol keeps
	Candidates int    `json:"candidates"` // how many documents have a rank
	Method     string `json:"method"`
	Question   string `json:"question"`
	Rank       *int   `json:"rank"` // of the question's target; null where it has none, or where there is no single target
}

// A Hit is one document of an observation.
type Hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// A NamedTerm is a resolved term under its name in results.
type NamedTerm struct {
	Name string      `json:"name"`
	Term method.Term `json:"term"`
}

// A Unit is a piece of work that can run anywhere: some methods on some questions (places in the questions' file).
// Whoever runs it gets the same observations.
type Unit struct {
	Stage     string      `json:"stage"`
	Methods   []NamedTerm `json:"methods"`
	Questions []int       `json:"questions"`
	Best      int         `json:"best"` // how many of the best documents to keep; 0 where only ranks are needed
}

// maxPlaces bounds the documents that one unit keeps in all, so that no request can ask for more than fits in memory.
const maxPlaces = 1 << 24

// Run scores a unit: methods in order within each question.
func (s *Study) Run(u Unit) ([]Observation, error) {
	if len(u.Methods) > MaxMethods || len(u.Questions) > len(s.Questions) || len(u.Methods)*len(u.Questions)*max(u.Best, 1) > maxPlaces {
		return nil, records.Errorf(s.Protocol.ID, 0, "cut it into smaller units", "a unit of %d methods on %d questions", len(u.Methods), len(u.Questions))
	}
	terms := make([]method.Term, len(u.Methods))
	vectors := false
	for i, m := range u.Methods {
		var err error
		if terms[i], err = s.Resolve(m.Term, nil); err != nil { // a unit may come from anywhere
			return nil, err
		}
		vectors = vectors || s.env().Kinds.Needs(terms[i]).Vectors
	}
	if u.Best < 0 || u.Best > MaxKeep {
		return nil, records.Errorf(s.Protocol.ID, 0, fmt.Sprintf("between 0 and %d", MaxKeep), "a unit keeps %d documents", u.Best)
	}
	for _, q := range u.Questions {
		if q < 0 || q >= len(s.Questions) {
			return nil, records.Errorf(s.Protocol.Questions.File, 0, "units name places in the questions' file", "no question at place %d", q)
		}
	}
	if vectors {
		if _, _, err := s.Vectors(); err != nil {
			return nil, err
		}
	}
	e := method.NewEvaluator(s.env())
	out := []Observation{}
	for from := 0; from < len(u.Questions); from += walk.Lanes {
		batch := u.Questions[from:min(from+walk.Lanes, len(u.Questions))]
		queries := make([]method.Query, len(batch))
		for i, q := range batch {
			queries[i] = s.query(&s.Questions[q], nil)
			if vectors {
				queries[i].Vector = s.asked.Row(q)
			}
		}
		e.Batch(queries)
		start := len(out)
		out = append(out, make([]Observation, len(batch)*len(terms))...)
		for m, t := range terms {
			scores, err := e.Scores(t)
			if err != nil {
				return nil, err
			}
			for i, q := range batch {
				out[start+i*len(terms)+m] = s.observe(q, u.Methods[m].Name, scores[i], u.Best)
			}
		}
	}
	return out, nil
}

func (s *Study) observe(q int, name string, scores *rank.Scores, best int) Observation {
	o := Observation{Question: s.Questions[q].ID, Method: name, Candidates: scores.Count(), Best: []Hit{}}
	if target := s.Questions[q].Target; target >= 0 {
		if r := scores.Rank(target); r > 0 {
			o.Rank = &r
		}
	}
	for _, h := range scores.Best(best) {
		o.Best = append(o.Best, Hit{s.Collection.Docs[h.Doc].ID, h.Score})
	}
	return o
}

// Resolve writes a term out under the study's methods and the values that a lock fixed.
func (s *Study) Resolve(t method.Term, variables Lock) (method.Term, error) {
	return method.Scope{Methods: s.Terms, Variables: variables}.Resolve(t)
}

// NamedTerms writes methods of the protocol out.
func (s *Study) NamedTerms(names []string, variables Lock) ([]NamedTerm, error) {
	var list []NamedTerm
	for _, name := range names {
		t, err := s.Resolve(method.Term{Name: name}, variables)
		if err != nil {
			return nil, err
		}
		list = append(list, NamedTerm{name, t})
	}
	return list, nil
}

// AllMethods lists the names of the protocol's methods.
func (p *Protocol) AllMethods() []string {
	var names []string
	for _, m := range p.Methods {
		names = append(names, m.Name)
	}
	return names
}

// canonical returns the canonical JSON of an observation. Its fields stand in the order of their names and encoding/json
// writes numbers as RFC 8785 does, so that only a line with an escape in it needs another look.
func (o Observation) canonical() ([]byte, error) {
	line, err := json.Marshal(o)
	if err != nil || !bytes.ContainsRune(line, '\\') {
		return line, err
	}
	return kit.Canonical(o)
}

// EncodeObservations writes observations as JSON Lines, each line canonical (RFC 8785).
func EncodeObservations(list []Observation) ([]byte, error) {
	var b bytes.Buffer
	for _, o := range list {
		line, err := o.canonical()
		if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// DecodeObservations reads what EncodeObservations wrote.
func DecodeObservations(file string, data []byte) ([]Observation, error) {
	var list []Observation
	err := records.JSONLines(file, data, func(_ int, o Observation) error {
		list = append(list, o)
		return nil
	})
	return list, err
}

// A Look gives what a method returned for a question.
type Look func(question, method string) (Observation, error)

// Observe runs units here and returns what they observed.
func (s *Study) Observe(units []Unit, progress Progress) (Look, error) {
	seen := map[observationKey]Observation{}
	for i, u := range units {
		if progress != nil {
			progress(u.Stage, i, len(units))
		}
		observations, err := s.Run(u)
		if err != nil {
			return nil, err
		}
		for _, o := range observations {
			seen[observationKey{o.Question, o.Method}] = o
		}
	}
	return func(question, method string) (Observation, error) { return seen[observationKey{question, method}], nil }, nil
}
