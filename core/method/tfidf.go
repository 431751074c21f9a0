package method

import (
	"strings"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/show"
)

var kindTFIDF = Kind{
	Name: "tfidf",
	Params: []ParamKind{{Key: "form", Default: string(lexical.Smooth), Quiet: true,
		Options: []string{string(lexical.Smooth), string(lexical.Plain), string(lexical.Sublinear), string(lexical.LTC)},
		Meaning: "how a word's frequencies in the text and in the collection make its weight"}},
	Needs:    Needs{Index: true},
	Sentence: "cosine of TF-IDF vectors of question and document",
	About:    "takes the cosine between word vectors in which a word counts for how often it occurs times how rare it is",
	Prepare: func(e *Env, t Term) error {
		_, err := tfidf(e, t)
		return err
	},
	Score: func(e *Evaluator, t Term, into []*rank.Scores) error {
		m, err := tfidf(e.Env, t)
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
		weight, _, citation := tfidfFormulas(x.Term)
		n := node("TF-IDF cosine", x.Scores.Value[doc],
			"Cosine between the TF-IDF vectors of question and document, summed over shared terms in ascending order.",
			"Σ ("+inQuestion(weight)+"/‖q‖) · ("+weight+"/‖d‖)", (*lexical.TFIDF).Score)
		n.Citation = citation
		return n, nil
	},
	Term: func(x *Scoring, doc int, word string) (*explain.Node, error) {
		c, err := wordPart(tfidfWords(x, doc), word)
		if err != nil {
			return nil, err
		}
		weight, idf, _ := tfidfFormulas(x.Term)
		n := node("what “"+word+"” adds", c.Score, "The term's weight in the question's vector times its weight in the document's.",
			"("+inQuestion(weight)+"/‖q‖)·("+weight+"/‖d‖),  idf = "+idf, (*lexical.TFIDF).Contributions)
		n.Inputs = append(wordInputs(x, doc, c), explain.Input{Label: "weight in the question", Text: show.Score(c.QueryWeight)},
			explain.Input{Label: "weight in the document", Text: show.Score(c.Weight)})
		return n, nil
	},
}

func tfidf(e *Env, t Term) (*lexical.TFIDF, error) {
	return Keep(e, t.String(), func() (*lexical.TFIDF, error) { return lexical.NewTFIDFForm(e.Index, tfidfForm(t)), nil })
}

// tfidfForm is the form of a resolved term, which leaves the default out.
func tfidfForm(t Term) lexical.TFIDFForm {
	if form := t.Param("form"); form != "" {
		return lexical.TFIDFForm(form)
	}
	return lexical.Smooth
}

// tfidfFormulas returns the weight of a term in a text, its idf, and where both come from.
func tfidfFormulas(t Term) (weight, idf, citation string) {
	weight, idf, citation = "tf·idf", "ln((1+N)/(1+df)) + 1", "scikit-learn's TfidfVectorizer: smooth_idf, no sublinear_tf, norm l2"
	switch tfidfForm(t) {
	case lexical.Plain:
		idf, citation = "ln(N/df) + 1", "scikit-learn's TfidfVectorizer: no smooth_idf, no sublinear_tf, norm l2"
	case lexical.Sublinear:
		weight, citation = "(1 + ln tf)·idf", "scikit-learn's TfidfVectorizer: smooth_idf, sublinear_tf, norm l2"
	case lexical.LTC:
		weight, idf, citation = "(1 + ln tf)·idf", "ln(N/df)", "ltc.ltc of Salton and Buckley 1988, doi:10.1016/0306-4573(88)90021-0"
	}
	return weight, idf, citation
}

func tfidfWords(x *Scoring, doc int) []lexical.Contribution {
	m, err := tfidf(x.Env, x.Term)
	if err != nil {
		return nil
	}
	return m.Contributions(x.Query.Lexical, doc)
}

// inQuestion is a formula of tf for the question's side.
func inQuestion(formula string) string { return strings.Replace(formula, "tf", "qtf", 1) }
