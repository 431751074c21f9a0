package method

import (
	"retrace/core/index"
	"retrace/core/lexical"
)

var kindBM25F = wordsKind(Kind{
	Name: "bm25f",
	Params: append(bm25Params[:2:2],
		ParamKind{Key: "title", Default: "2", Min: 0, Max: 1000, Meaning: "higher: a word in the title counts for more"},
		ParamKind{Key: "text", Default: "1", Min: 0, Max: 1000, Meaning: "higher: a word in the text counts for more"}),
	Sentence: "BM25F: BM25 over title and text, each with its weight and its own length",
	About: "adds, over the question’s words, how rare the word is times how often the document has it, an occurrence in the title " +
		"counting {title} and one in the text {text}, each corrected for its field’s length",
	Words: func(e *Env, t Term) (lexical.Model, error) {
		var fields []lexical.Field
		for _, name := range []string{"title", "text"} {
			x, err := e.fieldIndex(name)
			if err != nil {
				return nil, err
			}
			fields = append(fields, lexical.Field{Index: x, Weight: t.Number(name)})
		}
		return lexical.NewBM25F(e.Index, t.Number("k1"), t.Number("b"), fields...), nil
	},
}, wordsNote{title: "BM25F score", source: (*lexical.BM25F).ScoreWeighted, ofWord: (*lexical.BM25F).Contributions,
	sentence: " tf′ adds up its frequencies in title and text, each times the field's weight and corrected for the field's length.",
	weight:   "idf · tf′/(k1 + tf′)", idf: "ln(1 + (N − df + 0.5)/(df + 0.5)),  " +
		"tf′ = Σ w·tf/(1 − b + b·dl/avgdl) over the fields",
	citation: "Robertson, Zaragoza and Taylor 2004, doi:10.1145/1031171.1031181; Zaragoza et al. 2004, TREC 13"})

// fieldIndex is an index of one field of the documents, cut as the study's own.
func (e *Env) fieldIndex(name string) (*index.Index, error) {
	return Keep(e, "index of "+name, func() (*index.Index, error) {
		texts := make([]string, e.Collection.Len())
		for d := range texts {
			texts[d] = e.Collection.Docs[d].Fields([]string{name})
		}
		return index.Build(e.Index.Analyzer(), texts), nil
	})
}
