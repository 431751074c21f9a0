package method

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"retrace/core/explain"
	"retrace/core/lexical"
	"retrace/core/numpath"
	"retrace/core/show"
)

var bm25Params = []ParamKind{
	{Key: "k1", Default: "1.2", Min: 0, Max: 100, Meaning: "higher: repeated terms go on adding score for longer"},
	{Key: "b", Default: "0.75", Min: 0, Max: 1, Meaning: "higher: long documents are discounted more"},
}

// lucene1 is the form of BM25 that Lucene computes, with lengths in one byte and in float32.
const lucene1 = "lucene1"

var kindBM25 = wordsKind(Kind{
	Name: "bm25",
	Params: append(bm25Params[:2:2], ParamKind{Key: "form", Default: string(lexical.Scaled), Quiet: true,
		Options: []string{string(lexical.Scaled), string(lexical.Lucene), lucene1, string(lexical.Robertson), string(lexical.ATIRE)},
		Meaning: "scaled is lucene times k1 + 1; lucene1 has Lucene's one-byte lengths and float32"}),
	Sentence: "BM25 over the terms of the question, each as often as it stands there",
	About: "adds, over the question’s words, how rare the word is times how often the document has it, with diminishing returns " +
		"and a correction for length",
	Words: func(e *Env, t Term) (lexical.Model, error) {
		k1, b, form := t.Number("k1"), t.Number("b"), bm25Form(t)
		if form == lucene1 {
			return lexical.NewLuceneBM25(e.Index, k1, b), nil
		}
		return lexical.NewBM25Form(e.Index, lexical.BM25Form(form), k1, b, 0), nil
	},
},
	wordsNote{title: bm25Title, source: bm25Score, ofWord: bm25Word, idf: luceneIDF, weight: scaledWeight, citation: luceneCitation},
	wordsNote{form: string(lexical.Lucene), title: bm25Title, source: bm25Score, ofWord: bm25Word, idf: luceneIDF, weight: plainWeight,
		citation: luceneCitation},
	wordsNote{form: lucene1, title: bm25Title, source: (*lexical.LuceneBM25).ScoreWeighted, ofWord: (*lexical.LuceneBM25).Contributions,
		sentence: " Lengths have gone through Lucene's one byte; each operation and the sum are rounded to float32.",
		idf:      luceneIDF, weight: plainWeight, citation: "Lucene 9.12.1, BM25Similarity"},
	wordsNote{form: string(lexical.Robertson), title: bm25Title, source: bm25Score, ofWord: bm25Word, weight: plainWeight,
		idf: "ln((N − df + 0.5)/(df + 0.5)), 0 where negative", citation: "Robertson et al. 1994, Okapi at TREC-3; as in Kamphuis et al. 2020"},
	wordsNote{form: string(lexical.ATIRE), title: bm25Title, source: bm25Score, ofWord: bm25Word, weight: scaledWeight,
		idf: "ln(N/df)", citation: "Trotman, Jia and Crane 2012; as in Kamphuis et al. 2020"},
)

// What explanations say of several forms.
const (
	bm25Title      = "BM25 score"
	luceneIDF      = "ln(1 + (N − df + 0.5)/(df + 0.5))"
	luceneCitation = "Robertson and Zaragoza 2009, doi:10.1561/1500000019; idf as in Kamphuis et al. 2020"
	plainWeight    = "idf · tf/(tf + k1·(1 − b + b·dl/avgdl))"
	scaledWeight   = "idf · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl))"
)

var bm25Score, bm25Word any = (*lexical.BM25).ScoreWeighted, (*lexical.BM25).Contributions

// bm25Form is the form of a resolved term, which leaves the default out.
func bm25Form(t Term) string {
	if form := t.Param("form"); form != "" {
		return form
	}
	return string(lexical.Scaled)
}

func lowerBounded(name string, form lexical.BM25Form, delta, idf, weight, citation string) Kind {
	return wordsKind(Kind{
		Name: name,
		Params: append(bm25Params[:2:2],
			ParamKind{Key: "delta", Default: delta, Min: 0, Max: 100, Meaning: "higher: having a word at all counts for more in long documents"}),
		Sentence: strings.ToUpper(name) + ": BM25 that does not discount long documents without bound",
		About: "adds, over the question’s words, how rare the word is times how often the document has it, with diminishing returns and a " +
			"correction for length that leaves at least what δ = {delta} adds",
		Words: func(e *Env, t Term) (lexical.Model, error) {
			return lexical.NewBM25Form(e.Index, form, t.Number("k1"), t.Number("b"), t.Number("delta")), nil
		},
	}, wordsNote{title: bm25Title, source: bm25Score, ofWord: bm25Word, idf: idf, weight: weight, citation: citation})
}

var kindBM25L = lowerBounded("bm25l", lexical.L, "0.5", "ln((N + 1)/(df + 0.5))",
	"idf · (c + δ)·(k1+1)/(k1 + c + δ),  c = tf/(1 − b + b·dl/avgdl)", "Lv and Zhai 2011, doi:10.1145/2009916.2010070")

var kindBM25Plus = lowerBounded("bm25+", lexical.Plus, "1", "ln((N + 1)/df)",
	"idf · (tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)) + δ)", "Lv and Zhai 2011, doi:10.1145/2063576.2063584")

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
	inQuestion := "qtf, times in the question"
	if c.QTF != math.Trunc(c.QTF) {
		inQuestion = "qtf, its weight in the question after feedback"
	}
	return []explain.Input{
		{Label: inQuestion, Text: amount(c.QTF), Path: numpath.Of("question", x.Query.ID)},
		{Label: "tf, times in the document", Text: strconv.Itoa(c.TF),
			Path: numpath.Of("posting", c.Term, x.Env.docID(doc)), Where: x.Env.where(doc)},
		{Label: "df, documents with the term", Text: strconv.Itoa(c.DF), Path: numpath.Of("df", c.Term)},
		{Label: "N, documents", Text: show.Count(int64(x.Env.Index.N()))},
		{Label: "idf", Text: show.Score(c.IDF)},
	}
}

// amount writes a count as it is and a weight as a score.
func amount(x float64) string {
	if x == math.Trunc(x) {
		return FormatNumber(x)
	}
	return show.Score(x)
}
