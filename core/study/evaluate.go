package study

import (
	"fmt"

	"retrace/core/index"
	"retrace/core/lexical"
	"retrace/core/method"
	"retrace/core/rank"
	"retrace/core/walk"
)

// A Query is a question's text as the methods see it.
type Query struct {
	Lexical index.Query
	Vector  []float32 // nil where there is none
	Weights []float64 // of the relations' predicates; nil where there are none
}

// An Evaluator scores a batch of at most walk.Lanes questions by resolved terms. A term that occurs in several others is
// computed once for the batch. Results hold until the next call of Batch.
type Evaluator struct {
	study   *Study
	queries []Query
	memo    map[string][]*rank.Scores
	pool    []*rank.Scores
	used    []*rank.Scores
	cosines []float64 // scratch, in the documents' file order
}

// NewEvaluator returns an evaluator for a study.
func (s *Study) NewEvaluator() *Evaluator {
	return &Evaluator{study: s, memo: map[string][]*rank.Scores{}, cosines: make([]float64, s.Collection.Len())}
}

// Batch starts on new questions.
func (e *Evaluator) Batch(queries []Query) {
	if len(queries) > walk.Lanes {
		panic(fmt.Sprintf("study: batch of %d questions: at most %d", len(queries), walk.Lanes))
	}
	e.queries = queries
	for _, s := range e.used {
		s.Reset()
		e.pool = append(e.pool, s)
	}
	e.used = e.used[:0]
	clear(e.memo)
}

func (e *Evaluator) fresh() *rank.Scores {
	var s *rank.Scores
	if n := len(e.pool); n > 0 {
		s, e.pool = e.pool[n-1], e.pool[:n-1]
	} else {
		s = rank.New(e.study.Collection.Len())
	}
	e.used = append(e.used, s)
	return s
}

// Scores returns the scores of the batch's questions by a resolved term.
func (e *Evaluator) Scores(t method.Term) ([]*rank.Scores, error) {
	key := t.String()
	if scores, ok := e.memo[key]; ok {
		return scores, nil
	}
	scores := make([]*rank.Scores, len(e.queries))
	for i := range scores {
		scores[i] = e.fresh()
	}
	if err := e.score(t, scores); err != nil {
		return nil, err
	}
	e.memo[key] = scores
	return scores, nil
}

// score is the one place that says which code a method's name stands for.
func (e *Evaluator) score(t method.Term, into []*rank.Scores) error {
	s := e.study
	switch t.Name {
	case "bm25":
		m := s.BM25(t)
		for i, q := range e.queries {
			m.Score(q.Lexical, into[i])
		}
	case "tfidf":
		m := s.TFIDF()
		for i, q := range e.queries {
			m.Score(q.Lexical, into[i])
		}
	case "overlap":
		for i, q := range e.queries {
			lexical.Overlap(s.Index, q.Lexical, into[i])
		}
	case "scan":
		for i, q := range e.queries {
			lexical.Scan(s.Index, q.Lexical, into[i])
		}
	case "dense":
		documents, _, err := s.Vectors()
		if err != nil {
			return err
		}
		for i, q := range e.queries {
			if len(q.Vector) != documents.Dimension() {
				return fmt.Errorf("study: a question has %d embedding values, the documents have %d: encode the question with the same model", len(q.Vector), documents.Dimension())
			}
			documents.ScoresInto(e.cosines, q.Vector)
			for row, x := range e.cosines {
				into[i].Value[s.Collection.Order[row]] = x
			}
			into[i].All = true
		}
	case "degree":
		g, err := s.Graph(t.Param("edges"))
		if err != nil {
			return err
		}
		for i := range e.queries {
			for v := range into[i].Value {
				into[i].Value[v] = float64(g.Degree(v))
			}
			into[i].All = true
		}
	case "top":
		base, err := e.Scores(t.Args[0])
		if err != nil {
			return err
		}
		for i := range e.queries {
			for _, h := range base[i].Best(t.Integer("n")) {
				into[i].Add(int32(h.Doc), h.Score)
			}
		}
	case "rrf":
		rankings := make([][][]rank.Hit, len(t.Args))
		for a, arg := range t.Args {
			// A cut list is fused as it stands: its last places may hold scores that would not rank by themselves.
			cut := s.Collection.Len()
			if arg.Name == "top" {
				arg, cut = arg.Args[0], arg.Integer("n")
			}
			scores, err := e.Scores(arg)
			if err != nil {
				return err
			}
			for i := range e.queries {
				rankings[a] = append(rankings[a], scores[i].Best(cut))
			}
		}
		for i := range e.queries {
			for a := range rankings {
				rank.RRF(into[i], t.Number("k"), rankings[a][i])
			}
		}
	case "graph":
		base, err := e.Scores(t.Args[0])
		if err != nil {
			return err
		}
		mass, err := e.mass(t, base)
		if err != nil {
			return err
		}
		for i := range e.queries {
			rank.Blend(into[i], base[i], mass[i], t.Number("blend"))
		}
	case "typed":
		base, err := e.Scores(t.Args[0])
		if err != nil {
			return err
		}
		signal, err := e.signal(t, base)
		if err != nil {
			return err
		}
		for i := range e.queries {
			rank.Blend(into[i], base[i], signal[i], t.Number("blend"))
		}
	default:
		return fmt.Errorf("study: method %q can't be scored here", t.Name)
	}
	return nil
}

// walkKey is the term of a graph method's walk alone: candidates that differ in their blend share it.
func walkKey(t method.Term) string {
	return "walk(" + t.Args[0].String() + ",teleport=" + t.Param("teleport") + ",edges=" + t.Param("edges") + ",seeds=" + t.Param("seeds") + ",steps=" + t.Param("steps") + ")"
}

// mass returns the walk's mass from the best documents of a base method.
func (e *Evaluator) mass(t method.Term, base []*rank.Scores) ([]*rank.Scores, error) {
	key := walkKey(t)
	if scores, ok := e.memo[key]; ok {
		return scores, nil
	}
	w, err := e.study.walker(t.Param("edges"))
	if err != nil {
		return nil, err
	}
	mass := make([]*rank.Scores, len(base))
	seeds := make([][]rank.Hit, len(base))
	for i := range base {
		mass[i] = e.fresh()
		seeds[i] = base[i].Seeds(t.Integer("seeds"))
	}
	w.Run(seeds, t.Number("teleport"), t.Integer("steps"), mass)
	e.memo[key] = mass
	return mass, nil
}

// signalKey is the term of a typed method's walk alone: settings that differ in their blend share it.
func signalKey(t method.Term) string {
	return "typedwalk(" + t.Args[0].String() + ",hops=" + t.Param("hops") + ",edges=" + t.Param("edges") + ",seeds=" + t.Param("seeds") + ")"
}

// signal returns what a typed walk delivers from the best documents of a base method.
func (e *Evaluator) signal(t method.Term, base []*rank.Scores) ([]*rank.Scores, error) {
	key := signalKey(t)
	if scores, ok := e.memo[key]; ok {
		return scores, nil
	}
	w, err := e.study.typedWalker(t.Param("edges"))
	if err != nil {
		return nil, err
	}
	signal := make([]*rank.Scores, len(base))
	for i := range base {
		signal[i] = e.fresh()
		w.Run(base[i].Seeds(t.Integer("seeds")), e.queries[i].Weights, t.Integer("hops"), signal[i])
	}
	e.memo[key] = signal
	return signal, nil
}

// A TypedPath is one path of a typed walk, for display. It suggests a document; it asserts nothing.
type TypedPath struct {
	Seed  string      `json:"seed"`
	Share float64     `json:"share"` // of the seeds' mass that starts here
	Steps []TypedStep `json:"steps"` // one or two
	Mass  float64     `json:"mass"`  // delivered at its end
}

// A TypedStep is one relation of a path, with what it rests on.
type TypedStep struct {
	To            string `json:"to"`
	Predicate     string `json:"predicate"`
	Backward      bool   `json:"backward"` // a symmetric relation, followed from its target
	Cued          bool   `json:"cued"`     // a word of the question names the predicate
	Evidence      string `json:"evidence"` // literal words of EvidenceDoc's text
	EvidenceDoc   string `json:"evidenceDoc"`
	Facet         string `json:"facet"`
	Modality      string `json:"modality"`
	Qualification string `json:"qualification"`
	Where         string `json:"where"` // file and line of the relation
}

// typedPaths returns the paths of a typed method for one question of the batch, in the order in which their masses are
// added: those that end at a document, or all where doc is negative.
func (e *Evaluator) typedPaths(t method.Term, lane, doc int) ([]TypedPath, error) {
	s := e.study
	base, err := e.Scores(t.Args[0])
	if err != nil {
		return nil, err
	}
	w, err := s.typedWalker(t.Param("edges"))
	if err != nil {
		return nil, err
	}
	relations, err := s.RelationSet(t.Param("edges"))
	if err != nil {
		return nil, err
	}
	spec, weights := s.Protocol.Relations, e.queries[lane].Weights
	list := []TypedPath{}
	w.Paths(base[lane].Seeds(t.Integer("seeds")), weights, t.Integer("hops"), func(p walk.Path) {
		if doc >= 0 && p.End() != doc {
			return
		}
		path := TypedPath{Seed: s.Collection.Docs[p.Seed.Doc].ID, Share: p.Seed.Score, Mass: p.Mass}
		for _, a := range p.Arcs[:p.Hops] {
			r := relations[a.Relation]
			path.Steps = append(path.Steps, TypedStep{To: s.Collection.Docs[a.To].ID, Predicate: spec.Vocabulary.Predicates[a.Predicate], Backward: a.Backward,
				Cued: weights[a.Predicate] != 1, Evidence: r.Evidence.Text, EvidenceDoc: s.Collection.Docs[r.Evidence.Doc].ID, Facet: r.Facet,
				Modality: r.Modality, Qualification: r.Qualification, Where: fmt.Sprintf("%s:%d", spec.File, r.Line)})
		}
		list = append(list, path)
	})
	return list, nil
}
