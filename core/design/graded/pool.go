package graded

import (
	"slices"

	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study"
)

// PoolSpec says which concepts are judged for each task: every method's first Depth, a few places more of some methods,
// and one concept drawn from the others. Assessors see them under opaque codes, each in an order of their own.
type PoolSpec struct {
	Depth        int         `json:"depth"`
	Extra        []PoolExtra `json:"extra"`
	RandomStream uint64      `json:"randomStream"`
	CodePrefix   string      `json:"codePrefix"`
	Top          int         `json:"top"`              // the highest grade
	Scale        []string    `json:"scale,omitempty"`  // what each grade from 0 on means, in words
	Useful       int         `json:"useful,omitempty"` // the lowest mean grade that counts as found; 1 where it isn't given
	Key          string      `json:"key"`              // task, code, concept
	Assessors    []Assessor  `json:"assessors"`
}

// PoolExtra are places of one method beyond the pool's depth; missing places are left out.
type PoolExtra struct {
	Method string `json:"method"`
	Ranks  []int  `json:"ranks"`
}

// An Assessor judges the pool.
type Assessor struct {
	Name       string `json:"name"`
	Stream     uint64 `json:"stream"` // of the order in which the pool is seen
	Packet     string `json:"packet"`
	Judgements string `json:"judgements"`
}

// A KeyLine says which concept stands behind a code.
type KeyLine struct {
	Task    string `json:"task"`
	Code    string `json:"code"`
	Concept string `json:"concept"`
}

// A PoolPacket is what an assessor sees of one task.
type PoolPacket struct {
	Task        string     `json:"task"`
	Need        string     `json:"need"`
	Obligations []string   `json:"obligations"`
	Role        string     `json:"role"`
	Conditions  []string   `json:"conditions"`
	Items       []PoolItem `json:"items"`
}

// A PoolItem is one concept to judge. Method, rank, split, ID and degree are withheld.
type PoolItem struct {
	Code       string `json:"code"`
	Name       string `json:"name"`
	Definition string `json:"definition"`
}

// A Pool is what assessors are given, and the key that is kept from them.
type Pool struct {
	Key     []KeyLine      // tasks in file order, concepts ascending
	Packets [][]PoolPacket // by assessor
}

// loadPool reads the key and the judgements, as far as the kit has them.
func (g *Loaded) loadPool() error {
	k, spec := g.study.Kit, g.spec.Pool
	if !k.Has(spec.Key) {
		return nil
	}
	data, err := k.Read(spec.Key)
	if err != nil {
		return err
	}
	last := map[string]int{}
	err = records.JSONLines(spec.Key, data, func(line int, l KeyLine) error {
		fail := func(format string, args ...any) error {
			return records.Errorf(spec.Key, line, "the key follows from protocol and data: make it with `build pool`", format, args...)
		}
		q, ok := g.study.Question(l.Task)
		if !ok {
			return fail("unknown task %q", l.Task)
		}
		doc, ok := g.study.Collection.Number(l.Concept)
		switch before, again := last[l.Task]; {
		case !ok:
			return fail("unknown concept %q", l.Concept)
		case l.Code != judge.Code(spec.CodePrefix, l.Task, l.Concept):
			return fail("task %s: concept %s has the code %q, want %q", l.Task, l.Concept, l.Code, judge.Code(spec.CodePrefix, l.Task, l.Concept))
		case again && before >= doc:
			return fail("task %s: concept %s stands twice or out of order", l.Task, l.Concept)
		}
		last[l.Task] = doc
		g.pool[l.Task] = append(g.pool[l.Task], len(g.pairs))
		g.pairs = append(g.pairs, judge.Pair{Task: l.Task, Code: l.Code, Concept: l.Concept, Obligations: len(g.tasks[q.Place()].Obligations)})
		return nil
	})
	if err != nil {
		return err
	}
	for i, a := range spec.Assessors {
		if !k.Has(a.Judgements) {
			continue
		}
		if data, err = k.Read(a.Judgements); err != nil {
			return err
		}
		if g.grades[i], err = g.checkJudgements(a.Judgements, data); err != nil {
			return err
		}
	}
	return nil
}

// checkJudgements reads judgements of the study's pool; what is wrong with them is an error that lists all of it.
func (g *Loaded) checkJudgements(file string, data []byte) ([]judge.Grade, error) {
	if g.pairs == nil {
		return nil, records.Errorf(g.spec.Pool.Key, 0, "run `build pool` and put the key into the kit", "the pool's key is missing")
	}
	return judge.ParseGrades(file, data, g.pairs, g.spec.Pool.Top)
}

// makePool builds the pool from what every method returned for every task.
func (g *Loaded) makePool(look study.Look) (*Pool, error) {
	s, spec := g.study, g.spec.Pool
	out := &Pool{Packets: make([][]PoolPacket, len(spec.Assessors))}
	random := exact.NewStream(s.Protocol.Seed, spec.RandomStream)
	orders := make([]*exact.Stream, len(spec.Assessors))
	for i, a := range spec.Assessors {
		orders[i] = exact.NewStream(s.Protocol.Seed, a.Stream)
	}
	for _, t := range g.tasks {
		pooled := make([]bool, s.Collection.Len())
		add := func(p study.Hit) {
			if doc, ok := s.Collection.Number(p.ID); ok {
				pooled[doc] = true
			}
		}
		for _, m := range s.Protocol.Methods {
			o, err := look(t.ID, m.Name)
			if err != nil {
				return nil, err
			}
			for _, p := range o.Best[:min(spec.Depth, len(o.Best))] {
				add(p)
			}
		}
		for _, x := range spec.Extra {
			o, err := look(t.ID, x.Method)
			if err != nil {
				return nil, err
			}
			for _, rank := range x.Ranks {
				if rank >= 1 && rank <= len(o.Best) {
					add(o.Best[rank-1])
				}
			}
		}
		var inside, others []int
		for doc, in := range pooled {
			if in {
				inside = append(inside, doc)
			} else {
				others = append(others, doc)
			}
		}
		if len(others) > 0 {
			inside = append(inside, others[random.IntN(len(others))])
			slices.Sort(inside)
		}
		ids := make([]string, len(inside))
		for i, doc := range inside {
			ids[i] = s.Collection.Docs[doc].ID
		}
		codes, err := judge.Codes(spec.CodePrefix, t.ID, ids)
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			out.Key = append(out.Key, KeyLine{t.ID, codes[i], id})
		}
		for a := range spec.Assessors {
			packet := PoolPacket{t.ID, t.Need, t.Obligations, t.Role, t.Conditions, []PoolItem{}}
			for _, i := range orders[a].Draw(len(inside), len(inside)) {
				d := &s.Collection.Docs[inside[i]]
				packet.Items = append(packet.Items, PoolItem{codes[i], d.Title, d.Text})
			}
			out.Packets[a] = append(out.Packets[a], packet)
		}
	}
	return out, nil
}

// MakePool scores every method on every task and builds the pool. No judgement is looked at.
func (g *Loaded) MakePool(progress study.Progress) (*Pool, error) {
	s := g.study
	methods, err := s.NamedTerms(s.Protocol.AllMethods(), nil)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(g.tasks))
	for i := range all {
		all[i] = i
	}
	look, err := s.Observe(s.Units("pool", methods, all), progress)
	if err != nil {
		return nil, err
	}
	return g.makePool(look)
}

// A PoolResult says what building the pool again gave.
type PoolResult struct {
	Pairs      int  `json:"pairs"`
	Smallest   int  `json:"smallest"` // of a task
	Largest    int  `json:"largest"`
	Reproduced bool `json:"reproduced"` // key and packets, rebuilt, equal the kit's files as JSON values
}

// checkPool builds the pool again and compares it with the kit's files.
func (g *Loaded) checkPool(look study.Look) (PoolResult, error) {
	pool, err := g.makePool(look)
	if err != nil {
		return PoolResult{}, err
	}
	if err := kit.SameLines(g.study.Kit, g.spec.Pool.Key, pool.Key); err != nil {
		return PoolResult{}, err
	}
	for i, a := range g.spec.Pool.Assessors {
		if err := kit.SameLines(g.study.Kit, a.Packet, pool.Packets[i]); err != nil {
			return PoolResult{}, err
		}
	}
	out := g.poolSize()
	out.Reproduced = true
	return out, nil
}

func (g *Loaded) poolSize() PoolResult {
	out := PoolResult{Pairs: len(g.pairs), Smallest: len(g.pairs)}
	for _, t := range g.tasks {
		n := len(g.pool[t.ID])
		out.Smallest, out.Largest = min(out.Smallest, n), max(out.Largest, n)
	}
	return out
}

// AgreementResult is how far the assessors agree.
type AgreementResult struct {
	Pairs         int            `json:"pairs"`
	Exact         float64        `json:"exact"` // share of pairs with the same grade
	Kappa         *float64       `json:"kappa"` // quadratic weights; null where undefined
	Matrix        [][]int        `json:"matrix"`
	Disagreements int            `json:"disagreements"`
	List          []Disagreement `json:"list"`
}

// A Disagreement is a pair with different grades.
type Disagreement struct {
	Task    string `json:"task"`
	Concept string `json:"concept"`
	A       int    `json:"a"`
	B       int    `json:"b"`
}

// Judged reports whether the pool is there and all assessors have judged it.
func (g *Loaded) Judged() bool { return g.grades[0] != nil && g.grades[1] != nil }

// Agreement returns how far the assessors agree; ok is false before both have judged the pool.
func (g *Loaded) Agreement() (a AgreementResult, ok bool) {
	if !g.Judged() {
		return a, false
	}
	return g.agreement(), true
}

func (g *Loaded) agreement() AgreementResult {
	var grades [2][]int
	for i := range grades {
		for _, one := range g.grades[i] {
			grades[i] = append(grades[i], one.Grade)
		}
	}
	a := judge.Agree(grades[0], grades[1], g.spec.Pool.Top)
	out := AgreementResult{Pairs: a.Pairs, Matrix: a.Matrix, Disagreements: len(a.Disagree), List: []Disagreement{}}
	out.Exact, _ = a.Exact()
	if a.KappaDefined {
		out.Kappa = &a.Kappa
	}
	for _, i := range a.Disagree {
		out.List = append(out.List, Disagreement{g.pairs[i].Task, g.pairs[i].Concept, grades[0][i], grades[1][i]})
	}
	return out
}
