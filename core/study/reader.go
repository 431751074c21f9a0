package study

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/kit"
	"retrace/core/order"
	"retrace/core/records"
)

// A Context is what the reader of a pilot saw at once: a question and the first documents of one method.
type Context struct {
	Context  string        `json:"context"`
	Question string        `json:"question"`
	Items    []ContextItem `json:"items"`
}

// A ContextItem is one document of a context, under its rank as a label.
type ContextItem struct {
	Label      int    `json:"label"`
	Name       string `json:"name"`
	Definition string `json:"definition"`
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
func (k *knownItem) contexts(r *Replay) (packet []Context, key []ContextKey, err error) {
	spec, s := k.spec.Reader, k.study
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
		o, err := r.observation(q.ID, k.methodName(spec.Methods[p.side], r.lock))
		if err != nil {
			return nil, nil, err
		}
		if spec.Top > s.Protocol.Keep {
			return nil, nil, fmt.Errorf("study: reader: top %d of observations that keep %d", spec.Top, s.Protocol.Keep)
		}
		c := Context{Context: fmt.Sprintf("X%02d", i+1), Question: q.Text, Items: []ContextItem{}}
		about := ContextKey{Context: c.Context, Question: q.ID, Method: sides[p.side], Concepts: []string{}, Target: s.Collection.Docs[k.targetOf(p.place)].ID}
		for l, best := range o.Best[:min(spec.Top, len(o.Best))] {
			n, _ := s.Collection.Number(best.ID)
			c.Items = append(c.Items, ContextItem{l + 1, s.Collection.Docs[n].Title, s.Collection.Docs[n].Text})
			about.Concepts = append(about.Concepts, best.ID)
		}
		packet, key = append(packet, c), append(key, about)
	}
	return packet, key, nil
}

// readerResult rebuilds the packet, compares it with the kit's, and checks every answer; nil where there is no pilot.
func (k *knownItem) readerResult(r *Replay) (*ReaderResult, error) {
	spec, s := k.spec.Reader, k.study
	if spec == nil {
		return nil, nil
	}
	packet, key, err := k.contexts(r)
	if err != nil {
		return nil, err
	}
	if err := sameLines(s.Kit, spec.Packet, packet); err != nil {
		return nil, err
	}
	if err := sameLines(s.Kit, spec.Key, key); err != nil {
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
			n.Contexts++
			n.TargetPresent += one(mark.Present)
			n.TargetChosen += one(mark.Chosen)
			n.LiteralQuotes += one(mark.Literal)
		}
	}
	return out, nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readAnswers reads the pilot's answers: one for each context, choosing a label that was supplied.
func (k *knownItem) readAnswers(packet []Context) (map[string]ReaderAnswer, error) {
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

// sameLines compares rebuilt records with the lines of a kit's file, as JSON values.
func sameLines[T any](k *kit.Kit, file string, rebuilt []T) error {
	data, err := k.Read(file)
	if err != nil {
		return err
	}
	i := 0
	err = records.Lines(file, data, func(line int, text []byte) error {
		if i == len(rebuilt) {
			return records.Errorf(file, line, "the file follows from protocol and data; get the kit again", "a line more than the %d that the rule gives", len(rebuilt))
		}
		want, err := kit.Canonical(rebuilt[i])
		if err != nil {
			return err
		}
		got, err := kit.Canonical(json.RawMessage(text))
		if err != nil {
			return records.Errorf(file, line, "one JSON object a line", "%v", err)
		}
		if string(got) != string(want) {
			return records.Errorf(file, line, "the file follows from protocol and data; get the kit again", "differs from what the rule gives: %s", want)
		}
		i++
		return nil
	})
	if err == nil && i < len(rebuilt) {
		err = records.Errorf(file, 0, "the file follows from protocol and data; get the kit again", "%d lines, the rule gives %d", i, len(rebuilt))
	}
	return err
}

// DenseResult says what the embeddings are that dense methods were computed from.
type DenseResult struct {
	Dimension int    `json:"dimension"`
	Documents int    `json:"documents"`
	Questions int    `json:"questions"`
	Truncated int    `json:"truncated"` // texts longer than the model takes
	Model     string `json:"model"`
	ONNX      string `json:"onnxSha256"`
	Tokenizer string `json:"tokenizerSha256"`
}

// denseResult describes the study's vectors; nil where it names none.
func (s *Study) denseResult() (*DenseResult, error) {
	if s.Protocol.Collection.Vectors == "" {
		return nil, nil
	}
	documents, questions, err := s.Vectors()
	if err != nil {
		return nil, err
	}
	d, q := documents.Sidecar(), questions.Sidecar()
	return &DenseResult{d.Dimension, d.Count, q.Count, len(d.Truncated) + len(q.Truncated), d.Model.Name, d.Model.ONNXSHA256, d.Model.TokenizerSHA256}, nil
}
