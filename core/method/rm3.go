package method

import (
	"fmt"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
)

var kindRM3 = Kind{
	Name:    "rm3",
	MinArgs: 1, MaxArgs: 1,
	Params: []ParamKind{
		{Key: "docs", Default: "10", Min: 1, Max: 1000, Integer: true, Meaning: "from how many of the best documents words are taken"},
		{Key: "terms", Default: "10", Min: 1, Max: 1000, Integer: true, Meaning: "how many words are taken"},
		{Key: "original", Default: "0.5", Min: 0, Max: 1, Meaning: "higher: the question's own words count for more"},
	},
	Needs:    Needs{Index: true},
	Sentence: "another method of words asked again, with words of the best documents added to the question (RM3)",
	About: "takes the {terms} words that mark the {docs} best documents of its base method, adds them to the question, whose own words keep " +
		"{original} of the weight, and asks the base method again",
	Check: func(kinds Table, t Term) error {
		kind, err := kinds.Find(t.Args[0].Name)
		if err == nil && kind.Words == nil {
			err = fmt.Errorf("method: rm3(%s): %s does not score by weighted words: use bm25, bm25l, bm25+, bm25f, ql or ql-jm",
				kind.Name, kind.Name)
		}
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		base, err := e.Scores(t.Args[0])
		if err != nil {
			return err
		}
		m, err := e.Env.words(t.Args[0])
		if err != nil {
			return err
		}
		for i, q := range e.Queries {
			m.ScoreWeighted(rm3(e.Env, t, q, base[i]), into[i])
		}
		return nil
	},
	Parts: func(x *Scoring, doc int) []Part { return wordParts(x, doc, rm3Words(x, doc)) },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		base := x.Base()
		n := node("score after feedback", x.Scores.Value[doc],
			"The score by "+base.Name+" for the question that feedback has changed: its own words and the words of the best documents, weighted.",
			"weight(t) = original·qtf/|q| + (1 − original)·p(t|R)", lexical.RM3)
		n.Citation = "Lavrenko and Croft 2001, doi:10.1145/383952.383972; Abdul-Jaleel et al. 2004, UMass at TREC 2004"
		return n, nil
	},
	Term: func(x *Scoring, doc int, word string) (*explain.Node, error) {
		c, err := wordPart(rm3Words(x, doc), word)
		if err != nil {
			return nil, err
		}
		base := x.Base()
		n := node("what “"+word+"” adds", c.Score, "The term's weight in the document, by "+base.Name+", times its weight in the question after "+
			"feedback: its share in the question and its shares in the best documents, each by the document's share of their scores.",
			"(original·qtf/|q| + (1 − original)·p(t|R)) · weight,  p(t|R) from Σ s(d)·tf/dl", lexical.RM3)
		n.Inputs = append([]explain.Input{
			{Label: "weight in the question after feedback", Text: scientific(c.QueryWeight), Path: numpath.Of("question", x.Query.ID)},
			{Label: "weight in the document by " + base.Name, Text: show.Score(c.Weight)},
		}, feedbackInputs(x, base, word)...)
		if t, ok := x.Env.Index.Term(word); !ok || x.Query.Lexical.Has(t) {
			n.Inputs[1].Path = base.termPath(doc, word) // which explains the weight of the question's own words
		}
		if c.TF > 0 {
			n.Inputs = append(n.Inputs, wordInputs(x, doc, c)[1:3]...)
		}
		return n, nil
	},
}

// words is the model of words of a term.
func (e *Env) words(t Term) (lexical.Model, error) {
	kind, err := e.find(t.Name)
	if err != nil {
		return nil, err
	}
	if kind.Words == nil {
		return nil, fmt.Errorf("method: %s does not score by weighted words", t.Name)
	}
	return kind.Words(e, t)
}

// rm3 is a question after feedback from the best documents of the base method.
func rm3(e *Env, t Term, q Query, base *rank.Scores) []lexical.Weighted {
	return lexical.RM3(e.Index, q.Lexical, base.Seeds(t.Integer("docs")), t.Integer("terms"), t.Number("original"))
}

func rm3Words(x *Scoring, doc int) []lexical.Contribution {
	m, err := x.Env.words(x.Term.Args[0])
	if err != nil {
		return nil
	}
	return m.Contributions(rm3(x.Env, x.Term, x.Query, x.Base().Scores), doc)
}

// feedbackInputs are the best documents that have a word.
func feedbackInputs(x, base *Scoring, word string) []explain.Input {
	var inputs []explain.Input
	t, ok := x.Env.Index.Term(word)
	for i, h := range base.Scores.Seeds(x.Term.Integer("docs")) {
		if !ok || x.Env.Index.TF(t, h.Doc) == 0 { // the length of a document is no word
			continue
		}
		label := fmt.Sprintf("place %d, share %s of the scores: %d of %d tokens", i+1, scientific(h.Score),
			x.Env.Index.TF(t, h.Doc), x.Env.Index.Length[h.Doc])
		inputs = append(inputs, explain.Input{Label: label, Text: x.Env.docLabel(h.Doc), Path: numpath.Of("posting", word, x.Env.docID(h.Doc))})
	}
	return append(inputs, explain.Input{Label: "original", Text: x.Term.Param("original")})
}
