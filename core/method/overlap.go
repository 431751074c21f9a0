package method

import (
	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/numpath"
	"retrace/core/rank"
)

var kindOverlap = Kind{
	Name:     "overlap",
	Needs:    Needs{Index: true},
	Sentence: "number of distinct question terms in the document, through postings",
	About:    "counts the distinct words of the question that the document has, looked up in an index",
	Score: func(e *Evaluator, _ Term, into []*rank.Scores) error {
		for i, q := range e.Queries {
			lexical.Overlap(e.Env.Index, q.Lexical, into[i])
		}
		return nil
	},
	Parts: sharedWords,
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		return node("overlap", x.Scores.Value[doc], "How many distinct terms of the question the document contains.",
			"#{t : t in question and document}", lexical.Overlap), nil
	},
}

// sharedWords is a part of 1 for each distinct word that question and document share.
func sharedWords(x *Scoring, doc int) []Part {
	var parts []Part
	for _, c := range x.Query.Lexical.Terms {
		if x.Env.Index.TF(c.Term, doc) > 0 {
			word := x.Env.Index.Terms[c.Term]
			parts = append(parts, Part{word, 1, numpath.Of("posting", word, x.Env.docID(doc))})
		}
	}
	return parts
}
