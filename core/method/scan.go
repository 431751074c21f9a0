package method

import (
	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
)

var kindScan = Kind{
	Name:     "scan",
	Needs:    Needs{Index: true},
	Sentence: "number of distinct question terms in the document, reading every document",
	About:    "counts the distinct words of the question that the document has, by reading every document",
	Score: func(e *Evaluator, _ Term, into []*rank.Scores) error {
		for i, q := range e.Queries {
			lexical.Scan(e.Env.Index, q.Lexical, into[i])
		}
		return nil
	},
	Parts: sharedWords,
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		return node("overlap by scanning", x.Scores.Value[doc],
			"How many distinct terms of the question the document contains, found by reading it.", "#{t : t in question and document}", lexical.Scan), nil
	},
}
