package knownitem

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/judge"
	"retrace/core/kit"
	"retrace/core/numpath"
	"retrace/core/order"
	"retrace/core/records"
	"retrace/core/show"
	"retrace/core/study"
)

// A Reader is a pilot in which somebody answered questions from the first documents of two methods, without knowing
// which; the rule is in contexts.
type Reader struct {
	Packet    string   `json:"packet"`  // what the reader saw
	Key       string   `json:"key"`     // which method and question stood behind each context
	Answers   string   `json:"answers"` // what the reader wrote
	Prefix    string   `json:"prefix"`  // hashed before the question's ID to choose questions
	Kind      string   `json:"kind"`    // of the questions
	Questions int      `json:"questions"`
	Top       int      `json:"top"`
	Stream    uint64   `json:"stream"`  // of the contexts' order
	Methods   []string `json:"methods"` // two, the baseline first
}

func (k *Spec) checkReader(p *study.Protocol) error {
	r := k.Reader
	switch {
	case r == nil:
		return nil
	case r.Questions < 1 || r.Questions > k.Families || r.Top < 1 || r.Top > p.Keep || len(r.Methods) != 2:
		return fmt.Errorf("reader: questions %d, top %d, %d methods: 1 to %d questions, the first 1 to %d (keep) documents of 2 methods",
			r.Questions, r.Top, len(r.Methods), k.Families, p.Keep)
	case !slices.Contains(k.Kinds, r.Kind):
		return fmt.Errorf("reader: unknown kind %q", r.Kind)
	}
	return k.tested("reader", r.Methods...)
}

// A Context is what the reader of a pilot saw at once: a question and the first documents of one method.
type Context struct {
	Context  string              `json:"context"`
	Question string              `json:"question"`
	Items    []judge.ContextItem `json:"items"`
}

// A ContextKey says what stood behind a context.
type ContextKey struct {
	Context  string   `json:"context"`
	Question string   `json:"question"`
	Method   string   `json:"method"` // baseline or graph
	Concepts []string `json:"concepts"`
	Target   string   `json:"target"`
}

// A ReaderAnswer is what the reader wrote about a context. Fit is the reader's own remark and enters no figure.
type ReaderAnswer struct {
	Context string `json:"context"`
	Choice  int    `json:"choice"` // a label
	Fit     string `json:"fit"`
	Answer  string `json:"answer"`
	Quote   string `json:"quote"`
}

// ReaderResult is what checking a pilot mechanically gave.
type ReaderResult struct {
	Total      ReaderCount   `json:"total"`
	Baseline   ReaderCount   `json:"baseline"`
	Graph      ReaderCount   `json:"graph"`
	Contexts   []ContextMark `json:"contexts"`   // the packet's order
	Reproduced bool          `json:"reproduced"` // packet and key, rebuilt, equal the kit's files as JSON values
}

// ReaderCount counts contexts.
type ReaderCount struct {
	Contexts      int `json:"contexts"`
	TargetPresent int `json:"targetPresent"` // the target is among the items
	TargetChosen  int `json:"targetChosen"`  // the reader chose it
	LiteralQuotes int `json:"literalQuotes"` // the quote is a non-empty literal part of the chosen concept's definition
}

// ContextMark is one context, checked.
type ContextMark struct {
	Context  string `json:"context"`
	Question string `json:"question"`
	Method   string `json:"method"`
	Present  bool   `json:"present"`
	Chosen   bool   `json:"chosen"`
	Literal  bool   `json:"literal"`
}

// sides are the names of the two methods in keys and results.
var sides = [2]string{"baseline", "graph"}

// contexts rebuilds the packet and its key: the test questions of one kind with the smallest hashes, each with both
// methods' first documents, in an order drawn from a stream.
func (k *Loaded) contexts(r *study.Replay) (packet []Context, key []ContextKey, err error) {
	spec, s := k.spec.Reader, k.study
	lock, err := k.lock(r)
	if err != nil {
		return nil, nil, err
	}
	type candidate struct {
		hash  string
		place int
	}
	var chosen []candidate
	for _, q := range k.questions(test) {
		if s.Questions[q].Kind == spec.Kind {
			chosen = append(chosen, candidate{kit.Hash([]byte(spec.Prefix + s.Questions[q].ID)), q})
		}
	}
	if len(chosen) < spec.Questions {
		return nil, nil, fmt.Errorf("study: reader: %d test questions of kind %s, want %d", len(chosen), spec.Kind, spec.Questions)
	}
	order.Sort(chosen, func(a, b candidate) int { return strings.Compare(a.hash, b.hash) })
	type pair struct {
		place, side int
	}
	var pairs []pair
	for _, c := range chosen[:spec.Questions] {
		pairs = append(pairs, pair{c.place, 0}, pair{c.place, 1})
	}
	for i, j := range exact.NewStream(s.Protocol.Seed, spec.Stream).Draw(len(pairs), len(pairs)) {
		p := pairs[j]
		q := s.Questions[p.place]
		o, err := r.Observation(q.ID, MethodName(spec.Methods[p.side], lock))
		if err != nil {
			return nil, nil, err
		}
		if spec.Top > s.Protocol.Keep {
			return nil, nil, fmt.Errorf("study: reader: top %d of observations that keep %d", spec.Top, s.Protocol.Keep)
		}
		c := Context{Context: fmt.Sprintf("X%02d", i+1), Question: q.Text, Items: []judge.ContextItem{}}
		about := ContextKey{Context: c.Context, Question: q.ID, Method: sides[p.side], Concepts: []string{}, Target: s.Collection.Docs[q.Target].ID}
		for l, best := range o.Best[:min(spec.Top, len(o.Best))] {
			n, _ := s.Collection.Number(best.ID)
			c.Items = append(c.Items, judge.ContextItem{Label: l + 1, Name: s.Collection.Docs[n].Title, Definition: s.Collection.Docs[n].Text})
			about.Concepts = append(about.Concepts, best.ID)
		}
		packet, key = append(packet, c), append(key, about)
	}
	return packet, key, nil
}

// readerResult rebuilds the packet, compares it with the kit's, and checks every answer; nil where there is no pilot.
func (k *Loaded) readerResult(r *study.Replay) (*ReaderResult, error) {
	spec, s := k.spec.Reader, k.study
	if spec == nil {
		return nil, nil
	}
	packet, key, err := k.contexts(r)
	if err != nil {
		return nil, err
	}
	if err := kit.SameLines(s.Kit, spec.Packet, packet); err != nil {
		return nil, err
	}
	if err := kit.SameLines(s.Kit, spec.Key, key); err != nil {
		return nil, err
	}
	answers, err := k.readAnswers(packet)
	if err != nil {
		return nil, err
	}
	out := &ReaderResult{Reproduced: true}
	counts := map[string]*ReaderCount{sides[0]: &out.Baseline, sides[1]: &out.Graph}
	for i, c := range packet {
		a, about := answers[c.Context], key[i]
		mark := ContextMark{Context: c.Context, Question: about.Question, Method: about.Method,
			Present: slices.Contains(about.Concepts, about.Target),
			Chosen:  about.Concepts[a.Choice-1] == about.Target,
			Literal: judge.LiteralQuote(a.Quote, c.Items[a.Choice-1].Definition)}
		out.Contexts = append(out.Contexts, mark)
		for _, n := range []*ReaderCount{&out.Total, counts[about.Method]} {
			n.add(mark)
		}
	}
	return out, nil
}

// readAnswers reads the pilot's answers: one for each context, choosing a label that was supplied.
func (k *Loaded) readAnswers(packet []Context) (map[string]ReaderAnswer, error) {
	file := k.spec.Reader.Answers
	data, err := k.study.Kit.Read(file)
	if err != nil {
		return nil, err
	}
	items := map[string]int{}
	for _, c := range packet {
		items[c.Context] = len(c.Items)
	}
	answers := map[string]ReaderAnswer{}
	err = records.JSONLines(file, data, func(line int, a ReaderAnswer) error {
		n, ok := items[a.Context]
		switch {
		case !ok:
			return records.Errorf(file, line, "answers name contexts of "+k.spec.Reader.Packet, "unknown context %q", a.Context)
		case answers[a.Context].Context != "":
			return records.Errorf(file, line, "answer every context once", "a second answer to context %s", a.Context)
		case a.Choice < 1 || a.Choice > n:
			return records.Errorf(file, line, fmt.Sprintf("choose a label from 1 to %d", n), "context %s: choice %d was not supplied", a.Context, a.Choice)
		}
		answers[a.Context] = a
		return nil
	})
	if err == nil && len(answers) != len(packet) {
		err = records.Errorf(file, 0, "answer every context once", "%d answers for %d contexts", len(answers), len(packet))
	}
	return answers, err
}

func (n *ReaderCount) add(m ContextMark) {
	for _, f := range marked {
		if f.counts(m) {
			*f.of(n)++
		}
	}
}

// marked are the counts of contexts: which contexts count, and where.
var marked = []struct {
	key, sentence string
	counts        func(ContextMark) bool
	of            func(*ReaderCount) *int
}{
	{"contexts", "How many contexts the reader saw.", func(ContextMark) bool { return true }, func(n *ReaderCount) *int { return &n.Contexts }},
	{"targetPresent", "How many contexts held the question's target.", func(m ContextMark) bool { return m.Present },
		func(n *ReaderCount) *int { return &n.TargetPresent }},
	{"targetChosen", "In how many contexts the reader chose the target.", func(m ContextMark) bool { return m.Chosen },
		func(n *ReaderCount) *int { return &n.TargetChosen }},
	{"literalQuotes", "How many quotes stand literally in the chosen concept's definition.", func(m ContextMark) bool { return m.Literal },
		func(n *ReaderCount) *int { return &n.LiteralQuotes }},
}

// readerRows explain the pilot's counts.
func (k *Loaded) readerRows() []study.Row {
	var rows []study.Row
	for _, f := range marked {
		rows = append(rows, study.Row{Shape: "reader.*." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			result, err := k.readerResult(x.Replay)
			if err != nil || result == nil {
				return nil, err
			}
			group, of := x.Key(1), &result.Total
			switch group {
			case "total":
			case sides[0]:
				of = &result.Baseline
			case sides[1]:
				of = &result.Graph
			default:
				return nil, nil
			}
			node := x.Number("reader pilot: "+f.key, float64(*f.of(of)), f.sentence, "checked mechanically", (*Loaded).readerResult)
			for _, c := range result.Contexts {
				if (group == "total" || c.Method == group) && f.counts(c) {
					node.Inputs = append(node.Inputs, explain.Input{Label: c.Context + ", " + c.Method, Text: c.Question, Path: numpath.Of("question", c.Question)})
				}
			}
			return node, nil
		}})
	}
	return rows
}
