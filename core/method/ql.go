package method

import (
	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/numpath"
	"retrace/core/show"
)

const likelihoodCitation = "Ponte and Croft 1998; Zhai and Lafferty 2001, doi:10.1145/383952.384019"

const likelihoodSentence = " It is the logarithm of how much likelier the document makes the question than an empty document does; " +
	"documents that make it no likelier have no rank."

var kindQL = withLength(wordsKind(Kind{
	Name: "ql",
	Params: []ParamKind{
		{Key: "mu", Default: "1000", Min: 1, Max: 1e6, Meaning: "higher: the collection counts for more against the document"},
	},
	Sentence: "query likelihood with Dirichlet smoothing",
	About: "asks how likely each document makes the question’s words, as if {mu} words of the collection were added to it (query " +
		"likelihood, Dirichlet smoothing)",
	Words: func(e *Env, t Term) (lexical.Model, error) { return lexical.NewDirichlet(e.Index, t.Number("mu")), nil },
}, wordsNote{title: "query likelihood", sentence: likelihoodSentence, weight: "ln(1 + tf/(μ·p(t|C)))", rest: " + |q|·ln(μ/(dl + μ))",
	citation: likelihoodCitation, source: (*lexical.Likelihood).ScoreWeighted, ofWord: (*lexical.Likelihood).Contributions}))

var kindJelinekMercer = wordsKind(Kind{
	Name: "ql-jm",
	Params: []ParamKind{
		{Key: "lambda", Default: "0.1", Min: 0.001, Max: 0.999, Meaning: "higher: the collection counts for more against the document"},
	},
	Sentence: "query likelihood with Jelinek-Mercer smoothing",
	About: "asks how likely each document makes the question’s words, its own words mixed with {lambda} of the collection’s (query " +
		"likelihood, Jelinek-Mercer smoothing)",
	Words: func(e *Env, t Term) (lexical.Model, error) {
		return lexical.NewJelinekMercer(e.Index, t.Number("lambda")), nil
	},
}, wordsNote{title: "query likelihood", sentence: likelihoodSentence, weight: "ln(1 + (1 − λ)·(tf/dl)/(λ·p(t|C)))",
	citation: likelihoodCitation, source: (*lexical.Likelihood).ScoreWeighted, ofWord: (*lexical.Likelihood).Contributions})

// withLength explains the part of a score that is the document's length, which is no word's.
func withLength(k Kind) Kind {
	ofWord := k.Term
	k.Term = func(x *Scoring, doc int, word string) (*explain.Node, error) {
		if word != lexical.LengthTerm {
			return ofWord(x, doc, word)
		}
		for _, c := range x.lengthParts(doc) {
			n := node("what the document's length takes", c.Score,
				"A longer document is diluted less by the collection's words, so each word of the question that it lacks counts against it more.",
				"|q|·ln(μ/(dl + μ))", (*lexical.Likelihood).Contributions)
			n.Inputs = append([]explain.Input{
				{Label: "|q|, tokens of the question that the collection has", Text: amount(c.QueryWeight), Path: numpath.Of("question", x.Query.ID)},
				{Label: "ln(μ/(dl + μ))", Text: show.Score(c.Weight)},
				{Label: "μ", Text: x.Term.Param("mu")},
			}, lengthInputs(c)...)
			return n, nil
		}
		return nil, nothingAdded(word)
	}
	return k
}

// lengthParts are the parts of a score that are the document's length: one, or none.
func (x *Scoring) lengthParts(doc int) []lexical.Contribution {
	m, err := x.kind.Words(x.Env, x.Term)
	if err != nil {
		return nil
	}
	parts := m.Contributions(lexical.Weigh(x.Query.Lexical), doc)
	for len(parts) > 0 && parts[0].Term != lexical.LengthTerm {
		parts = parts[1:]
	}
	return parts
}
