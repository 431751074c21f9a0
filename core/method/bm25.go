package method

import (
	"slices"
	"strconv"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/show"
)

var kindBM25 = Kind{
	Name: "bm25",
	Params: []ParamKind{
		{Key: "k1", Default: "1.2", Min: 0, Max: 100, Meaning: "higher: repeated terms go on adding score for longer"},
		{Key: "b", Default: "0.75", Min: 0, Max: 1, Meaning: "higher: long documents are discounted more"},
	},
	Needs:    Needs{Index: true},
	Sentence: "BM25 over the terms of the question, each as often as it stands there",
	About: "adds, over the question’s words, how rare the word is times how often the document has it, with diminishing returns " +
		"and a correction for length",
	Prepare: func(e *Env, t Term) error {
		_, err := bm25(e, t)
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		m, err := bm25(e.Env, t)
		if err != nil {
			return err
		}
		for i, q := range e.Queries {
			m.Score(q.Lexical, into[i])
		}
		return nil
	},
	Parts: func(x *Scoring, doc int) []Part { return wordParts(x, doc, bm25Words(x, doc)) },
	Explain: func(x *Scoring, doc int) (*explain.Node, error) {
		n := node("BM25 score", x.Scores.Value[doc],
			"Sum over the question's terms that occur in the document, each times its frequency in the question, "+
				"in ascending order of the term.",
			"Σ qtf · (idf(t) · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)))", (*lexical.BM25).Score)
		n.Citation = "Robertson and Zaragoza 2009, doi:10.1561/1500000019; idf as in Kamphuis et al. 2020"
		return n, nil
	},
	Term: func(x *Scoring, doc int, word string) (*explain.Node, error) {
		c, err := wordPart(bm25Words(x, doc), word)
		if err != nil {
			return nil, err
		}
		n := node("what “"+word+"” adds", c.Score, "The term's weight in the document times its frequency in the question.",
			"qtf · idf · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)),  idf = ln(1 + (N − df + 0.5)/(df + 0.5))", (*lexical.BM25).Contributions)
		n.Inputs = append(wordInputs(x, doc, c), explain.Input{Label: "saturation", Text: show.Score(c.Saturation)},
			explain.Input{Label: "dl, kept tokens of the document", Text: strconv.Itoa(c.Length)},
			explain.Input{Label: "avgdl, their mean", Text: show.Score(c.AverageLength)},
			explain.Input{Label: "k1", Text: x.Term.Param("k1")}, explain.Input{Label: "b", Text: x.Term.Param("b")})
		return n, nil
	},
}

func bm25(e *Env, t Term) (*lexical.BM25, error) {
	return Keep(e, t.String(), func() (*lexical.BM25, error) {
		return lexical.NewBM25(e.Index, t.Number("k1"), t.Number("b")), nil
	})
}

func bm25Words(x *Scoring, doc int) []lexical.Contribution {
	m, err := bm25(x.Env, x.Term)
	if err != nil {
		return nil
	}
	return m.Contributions(x.Query.Lexical, doc)
}

// wordParts are the parts of a score that is a sum over words.
func wordParts(x *Scoring, doc int, words []lexical.Contribution) []Part {
	var parts []Part
	for _, c := range words {
		parts = append(parts, Part{c.Term, c.Score, x.termPath(doc, c.Term)})
	}
	return parts
}

func wordPart(words []lexical.Contribution, word string) (lexical.Contribution, error) {
	i := slices.IndexFunc(words, func(c lexical.Contribution) bool { return c.Term == word })
	if i < 0 {
		return lexical.Contribution{}, nothingAdded(word)
	}
	return words[i], nil
}

// wordInputs are what every word's part of a score is made of.
func wordInputs(x *Scoring, doc int, c lexical.Contribution) []explain.Input {
	return []explain.Input{
		{Label: "qtf, times in the question", Text: strconv.Itoa(c.QTF), Path: pathTo("question", x.Query.ID)},
		{Label: "tf, times in the document", Text: strconv.Itoa(c.TF),
			Path: pathTo("posting", c.Term, x.Env.docID(doc)), Where: x.Env.where(doc)},
		{Label: "df, documents with the term", Text: strconv.Itoa(c.DF), Path: pathTo("df", c.Term)},
		{Label: "N, documents", Text: show.Count(int64(x.Env.Index.N()))},
		{Label: "idf", Text: show.Score(c.IDF)},
	}
}
