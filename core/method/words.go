package method

import (
	"strconv"
	"strings"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/show"
)

// A wordsNote is what explanations say of a model of words.
type wordsNote struct {
	form            string // of which form of the kind it is said; the first of a kind's notes is that of its default
	title, sentence string // sentence goes on from the common one
	weight, idf     string // formulas: of a word's weight in a document, of its idf where there is one
	rest            string // of the formula: what is no word's
	citation        string
	source, ofWord  any // the functions that score and that split a score
}

// wordsKind makes a kind of a model that scores documents by weighted words: all but its name, parameters and texts is common
// to such models.
func wordsKind(k Kind, notes ...wordsNote) Kind {
	note := func(t Term) *wordsNote {
		form := t.Param("form")
		for i := range notes {
			if notes[i].form == form {
				return &notes[i]
			}
		}
		return &notes[0]
	}
	build := k.Words
	k.Words = func(e *Env, t Term) (lexical.Model, error) {
		return Keep(e, t.String(), func() (lexical.Model, error) { return build(e, t) })
	}
	k.Needs.Index = true
	k.Prepare = func(e *Env, t Term) error {
		_, err := k.Words(e, t)
		return err
	}
	k.Score = func(e *Evaluator, t Term, into []*rank.Scores) error {
		m, err := k.Words(e.Env, t)
		if err != nil {
			return err
		}
		for i, q := range e.Queries {
			m.ScoreWeighted(lexical.Weigh(q.Lexical), into[i])
		}
		return nil
	}
	words := func(x *Scoring, doc int) []lexical.Contribution {
		m, err := k.Words(x.Env, x.Term)
		if err != nil {
			return nil
		}
		return m.Contributions(lexical.Weigh(x.Query.Lexical), doc)
	}
	k.Parts = func(x *Scoring, doc int) []Part { return wordParts(x, doc, words(x, doc)) }
	k.Explain = func(x *Scoring, doc int) (*explain.Node, error) {
		about := note(x.Term)
		n := node(about.title, x.Scores.Value[doc],
			"Sum over the question's terms that occur in the document, each times its frequency in the question, "+
				"in ascending order of the term."+about.sentence,
			"Σ qtf · ("+strings.Replace(about.weight, "idf ", "idf(t) ", 1)+")"+about.rest, about.source)
		n.Citation = about.citation
		return n, nil
	}
	k.Term = func(x *Scoring, doc int, word string) (*explain.Node, error) {
		c, err := wordPart(words(x, doc), word)
		if err != nil {
			return nil, err
		}
		return explainWord(x, doc, c, note(x.Term)), nil
	}
	return k
}

// explainWord explains what one word adds to a document's score by a model of words.
func explainWord(x *Scoring, doc int, c lexical.Contribution, about *wordsNote) *explain.Node {
	formula := "qtf · " + about.weight
	if about.idf != "" {
		formula += ",  idf = " + about.idf
	}
	n := node("what “"+c.Term+"” adds", c.Score, "The term's weight in the document times its frequency in the question.",
		formula, about.ofWord)
	if n.Inputs = wordInputs(x, doc, c); about.idf == "" {
		n.Inputs = n.Inputs[:3]
	}
	if c.Saturation != 0 {
		n.Inputs = append(n.Inputs, explain.Input{Label: "saturation", Text: show.Score(c.Saturation)})
	}
	n.Inputs = append(n.Inputs, lengthInputs(c)...)
	for _, p := range x.Term.Params {
		n.Inputs = append(n.Inputs, explain.Input{Label: p.Key, Text: p.Value})
	}
	return n
}

func lengthInputs(c lexical.Contribution) []explain.Input {
	return []explain.Input{
		{Label: "dl, kept tokens of the document", Text: strconv.Itoa(c.Length)},
		{Label: "avgdl, their mean", Text: show.Score(c.AverageLength)},
	}
}
