package method

import (
	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/show"
)

var kindTFIDF = Kind{
	Name:     "tfidf",
	Needs:    Needs{Index: true},
	Sentence: "cosine of TF-IDF vectors of question and document",
	About:    "takes the cosine between word vectors in which a word counts for how often it occurs times how rare it is",
	Prepare: func(e *Env, _ Term) error {
		_, err := tfidf(e)
		return err
	},
	Score: func(e *Evaluator, _ Term, into []*rank.Scores) error {
		m, err := tfidf(e.Env)
		if err != nil {
			return err
		}
		for i, q := range e.Queries {
			m.Score(q.Lexical, into[i])
		}
		return nil
	},
	Parts: func(x *Scoring, doc int) []Part { return wordParts(x, doc, tfidfWords(x, doc)) },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("TF-IDF cosine", x.Scores.Value[doc],
			"Cosine between the TF-IDF vectors of question and document, summed over shared terms in ascending order.",
			"Σ (qtf·idf/‖q‖) · (tf·idf/‖d‖)", (*lexical.TFIDF).Score)
		n.Citation = "scikit-learn's TfidfVectorizer: smooth_idf, no sublinear_tf, norm l2"
		return n, nil
	},
	Term: func(x *Scoring, doc int, word string) (*explain.Node, error) {
		c, err := wordPart(tfidfWords(x, doc), word)
		if err != nil {
			return nil, err
		}
		n := node("what “"+word+"” adds", c.Score, "The term's weight in the question's vector times its weight in the document's.",
			"(qtf·idf/‖q‖)·(tf·idf/‖d‖),  idf = ln((1+N)/(1+df)) + 1", (*lexical.TFIDF).Contributions)
		n.Inputs = append(wordInputs(x, doc, c), explain.Input{Label: "weight in the question", Text: show.Score(c.QueryWeight)},
			explain.Input{Label: "weight in the document", Text: show.Score(c.Weight)})
		return n, nil
	},
}

func tfidf(e *Env) (*lexical.TFIDF, error) {
	return Keep(e, "tfidf", func() (*lexical.TFIDF, error) { return lexical.NewTFIDF(e.Index), nil })
}

func tfidfWords(x *Scoring, doc int) []lexical.Contribution {
	m, err := tfidf(x.Env)
	if err != nil {
		return nil
	}
	return m.Contributions(x.Query.Lexical, doc)
}
