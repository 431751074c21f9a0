package certificate

import (
	"fmt"
	"strings"

	"retrace/core/dense"
	"retrace/core/kit"
	"retrace/core/show"
)

// Here is what one side of a comparison knows of its own: the kit that it holds and what it computed from it.
type Here struct {
	Study   string
	Version string
	Kit     Kit
	Files   []kit.File   // made by a finished replay; else those that the kit holds frozen
	Replay  bool         // the files were computed here
	Model   *dense.Model // of the bundled vectors; nil where there are none, or they are not loaded
}

// States of a comparison.
const (
	Same    = "same"
	Differs = "differs"
	Open    = "open" // nothing here to compare with, or a statement of the certificate alone
)

// A Comparison is one line of a comparison, ready to be shown.
type Comparison struct {
	Group       string `json:"group"` // kit, results, platforms, embeddings
	Label       string `json:"label"`
	Certificate string `json:"certificate"`
	Here        string `json:"here"` // empty where there is nothing to compare with
	State       string `json:"state"`
}

// Compare lists what a certificate says beside what is known here. State is Differs where any row differs, Same where at
// least one result was compared and none differs, else Open.
func Compare(c *Certificate, here Here) (rows []Comparison, state, sentence string) {
	add := func(group, label, theirs, ours string) {
		s := Same
		switch {
		case ours == "":
			s = Open
		case theirs != ours:
			s = Differs
		}
		rows = append(rows, Comparison{group, label, Plain(theirs), ours, s})
	}
	tell := func(group, label, text string, good bool) {
		s := Open
		if !good {
			s = Differs
		}
		rows = append(rows, Comparison{group, label, Plain(text), "", s})
	}

	add("kit", "study", c.Study, here.Study)
	add("kit", "version", c.Version, here.Version)
	add("kit", "kit", c.Kit.SHA256, here.Kit.SHA256)
	ours := map[string]string{}
	for _, s := range here.Kit.Seals {
		ours[s.Stage] = s.SHA256
	}
	for _, s := range c.Kit.Seals {
		add("kit", "seal: "+Plain(s.Stage), s.SHA256, ours[s.Stage])
	}

	held := map[string]string{}
	for _, f := range here.Files {
		held[f.Path] = f.SHA256
	}
	compared := 0
	for _, p := range c.Platforms {
		for _, f := range p.Files {
			if held[f.Path] != "" {
				compared++
			}
			add("results", Plain(p.Name+": "+f.Path), f.SHA256, held[f.Path])
		}
	}

	for _, p := range c.Platforms {
		tell("platforms", Plain(p.Name), p.Runtime, true)
		if d := p.Difference; d != nil {
			tell("platforms", Plain(p.Name)+": first difference", fmt.Sprintf("%s %s: %s, here %s", d.File, d.Path, orNothing(d.Other), orNothing(d.Here)), false)
		}
	}
	m := c.Machine
	tell("platforms", "machine", fmt.Sprintf("%s/%s, %s, %d cores", m.OS, m.Arch, m.Processor, m.Cores), true)
	tell("platforms", "engine", fmt.Sprintf("%s, %s", c.Engine.Version, c.Engine.Go), true)
	if c.Engine.Wasm != "" {
		tell("platforms", "WebAssembly", c.Engine.Wasm, true)
	}
	for _, s := range c.Skipped {
		tell("platforms", Plain(s.Name)+": not run", s.Why, true)
	}
	for _, e := range c.encodings() {
		group := "embeddings"
		if e == c.Core {
			group = "embeddings by the project's own encoder"
		}
		e.tell(group, add, tell, here.Model)
	}

	state = Open
	if compared > 0 {
		state = Same
	}
	for _, r := range rows {
		if r.State == Differs {
			state = Differs
		}
	}
	if len(c.Problems()) > 0 {
		state = Differs
	}
	return rows, state, c.sentence(here, state, compared)
}

func (c *Certificate) sentence(here Here, state string, compared int) string {
	source := "the frozen files of this kit"
	if here.Replay {
		source = "what was computed here"
	}
	switch {
	case c.Study != here.Study:
		return "This certificate is of another study."
	case state == Open:
		return "Nothing was computed here that the certificate names: run the replay, with embeddings, then load it again."
	case state == Same:
		return fmt.Sprintf("All %d hashes that can be compared agree with %s.", compared, source)
	}
	if problems := c.Problems(); len(problems) > 0 {
		return Plain("The certificate itself states a difference: " + strings.Join(problems, "; ") + ".")
	}
	if c.Kit.SHA256 != here.Kit.SHA256 {
		return "The certificate was made from another kit than the one here, or the kit was changed since."
	}
	return "The certificate differs from " + source + "."
}

func (e *Encoding) tell(group string, add func(group, label, theirs, ours string), tell func(group, label, text string, good bool), here *dense.Model) {
	ours := dense.Model{}
	if here != nil {
		ours = *here
	}
	add(group, "bundled model", e.Bundled.ONNXSHA256, ours.ONNXSHA256)
	tell(group, "model", fmt.Sprintf("%s (onnx %.12s…, tokenizer %.12s…)", e.Model.Name, e.Model.ONNXSHA256, e.Model.TokenizerSHA256), true)
	ran := e.Runtime
	if e.RuntimeSHA256 != "" {
		ran = fmt.Sprintf("%s (%.12s…)", e.Runtime, e.RuntimeSHA256)
	}
	tell(group, "runtime", ran, true)
	if len(e.NotPinned) > 0 {
		tell(group, "not the pinned", strings.Join(e.NotPinned, ", "), true)
	}
	for _, part := range []struct {
		name string
		c    Cosines
	}{{"documents", e.Documents}, {"questions", e.Questions}} {
		tell(group, part.name, fmt.Sprintf("%s texts: cosine at least %s, mean %s; %s the same to the bit", show.Count(int64(part.c.Texts)), CosineText(part.c.Min), CosineText(part.c.Mean), show.Count(int64(part.c.Identical))), part.c.Min >= e.Budgets.MinCosine && part.c.SameCut)
	}
	if r := e.Runtimes; r != nil {
		least := min(r.Documents.Min, r.Questions.Min)
		tell(group, "beside ONNX Runtime", "cosine at least "+CosineText(least), least >= Agree)
	}
	tell(group, "target ranks changed", fmt.Sprintf("%s of %s", show.Count(int64(e.Ranks.Changed)), show.Count(int64(e.Ranks.Targets))), float64(e.Ranks.Changed) <= e.Budgets.RanksChanged*float64(e.Ranks.Targets))
	text := fmt.Sprintf("%s of %s numbers, the largest by %.6f", show.Count(int64(e.Metrics.Changed)), show.Count(int64(e.Metrics.Compared)), e.Metrics.Largest)
	if e.Metrics.Failed != "" {
		text = "no results: " + e.Metrics.Failed
	}
	tell(group, "results changed", text, e.Metrics.Failed == "" && e.Metrics.Largest <= e.Budgets.MetricChange)
	from := "by default"
	if e.Declared {
		from = "by the protocol"
	}
	tell(group, "budgets", fmt.Sprintf("cosine %v, ranks %v, metrics %v, %s", e.Budgets.MinCosine, e.Budgets.RanksChanged, e.Budgets.MetricChange, from), true)
}

// CosineText writes a cosine so that one can tell it from 1.
func CosineText(x float64) string {
	switch {
	case x == 1:
		return "1"
	case x >= Odd && x < 1:
		return fmt.Sprintf("1 − %.1e", 1-x)
	}
	return fmt.Sprintf("%.6f", x)
}

func orNothing(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return s
}
