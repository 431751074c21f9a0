package metrics

// A Family is one kind of measure; a Measure is a family with its parameters.
type Family struct {
	Name       string // as in ir_measures where it has the measure
	Title      string // in words
	Definition string
	Formula    string
	Undefined  string // when it has no value
	Citation   string
	Rel        bool // takes rel, the lowest grade that counts as relevant
	Function   func(t *Topic, rel, k int) (value float64, defined bool, err error)
}

// families in the order in which they are listed. Nobody writes to it.
var families = [...]Family{
	{
		Name: "RR", Title: "reciprocal rank",
		Definition: "One over the rank of the first relevant document, if it stands within the cutoff; 0 otherwise.",
		Formula:    "RR@k = 1/r if r ≤ k, else 0; r = min{rank(d) : grade(d) ≥ rel}",
		Undefined:  "no judged document is relevant",
		Citation:   "Kantor & Voorhees 2000, doi:10.1023/A:1009902609570",
		Rel:        true, Function: reciprocalRank,
	},
	{
		Name: "Success", Title: "success (hit)",
		Definition: "1 if a relevant document stands within the cutoff, else 0.",
		Formula:    "Success@k = [min{rank(d) : grade(d) ≥ rel} ≤ k]",
		Undefined:  "no judged document is relevant",
		Citation:   "Tomlinson, in trec_eval: m_success.c",
		Rel:        true, Function: success,
	},
	{
		Name: "R", Title: "recall",
		Definition: "The share of all relevant documents that stand within the cutoff.",
		Formula:    "R@k = |R ∩ S_k| / |R|; R = {d : grade(d) ≥ rel}, S_k the first k returned",
		Undefined:  "no judged document is relevant",
		Citation:   "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Rel:        true, Function: recall,
	},
	{
		Name: "P", Title: "precision",
		Definition: "The share of the places up to the cutoff that hold a relevant document; unfilled places count as misses.",
		Formula:    "P@k = |R ∩ S_k| / k; R = {d : grade(d) ≥ rel}, S_k the first k returned",
		Undefined:  "never",
		Citation:   "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Rel:        true, Function: precision,
	},
	{
		Name: "nDCG", Title: "normalised discounted cumulative gain",
		Definition: "Gain 2^grade − 1 of the documents within the cutoff, discounted by log2(rank + 1), over that of the best " +
			"possible ranking of the judged pool (in ir_measures: dcg='exp-log2').",
		Formula:   "nDCG@k = DCG@k / ideal DCG@k; DCG@k = Σ_{i ≤ k} (2^grade(d_i) − 1)/log2(i + 1)",
		Undefined: "no judged document has a grade above 0",
		Citation:  "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418; gain: Burges et al. 2005, doi:10.1145/1102351.1102363",
		Function:  ndcg,
	},
	{
		Name: "Coverage", Title: "obligation coverage",
		Definition: "The share of the question's obligations that at least one document within the cutoff helps.",
		Formula:    "Coverage@k = |∪_{i ≤ k} helps(d_i)| / obligations",
		Undefined:  "the question has no obligations",
		Citation:   "subtopic recall: Zhai, Cohen & Lafferty 2003, doi:10.1145/860435.860440",
		Function:   coverage,
	},
}

// Families returns the table of measures, in listing order.
func Families() []Family { return append([]Family(nil), families[:]...) }
