package metrics

// A Definition is one row of the table of measures under ir_measures' names.
type Definition struct {
	Name       string
	Title      string // in words
	Text       string // what it is
	Formula    string
	Undefined  string // when it has no value; trec_eval has 0 there
	Citation   string
	TrecEval   string // trec_eval's name for it, "" for none
	Aliases    []Alias
	Parameters []string // in the order in which names print them
	Rel        int      // the parameter rel where a name doesn't say it
	Max        int      // the parameter max where a name doesn't say it
	At         At       // what stands behind the @
	Sum        bool     // over topics it is added up, not averaged

	compute func(l *List, m Metric) (value float64, defined bool, err error)
	worth   func(g Grade, m Metric) int // which of two tied documents it prefers first; nil: order means nothing to it
}

// An Alias is another name of a row, and the rel that it implies.
type Alias struct {
	Name string
	Rel  int
}

// At says what stands behind the @ of a name.
type At int

// The kinds of At.
const (
	AtNone     At = iota // nothing
	AtOptional           // a cutoff or nothing
	AtRequired           // a cutoff
	AtRecall             // a recall
)

const noRelevant = "no judged document is relevant"

// Definitions returns the table of measures, in listing order.
func Definitions() []Definition { return append([]Definition(nil), definitions...) }

// definitions in the order in which they are listed. Nobody writes to it.
var definitions = []Definition{
	{
		Name: "nDCG", Title: "normalised discounted cumulative gain", TrecEval: "ndcg",
		Text: "The gains of the documents, discounted by log2(rank + 1), over those of the best possible ranking of all judged " +
			"documents. The gain is the grade, or 2^grade − 1 with dcg='exp-log2'; documents without a judgement or with a negative grade gain 0.",
		Formula:   "nDCG@k = DCG@k / ideal DCG@k; DCG@k = Σ_{i ≤ k} gain(d_i)/log2(i + 1)",
		Undefined: "no judged document has a grade above 0",
		Citation:  "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418; exponential gain: Burges et al. 2005, doi:10.1145/1102351.1102363",
		Aliases:   []Alias{{Name: "NDCG"}}, Parameters: []string{"dcg", "judged_only"}, At: AtOptional,
		compute: ndcgOf, worth: worthGrade,
	},
	{
		Name: "AP", Title: "average precision", TrecEval: "map",
		Text: "The precision at the rank of each relevant document that was returned within the cutoff, added up and divided by " +
			"the number of all relevant documents.",
		Formula: "AP@k = (1/|R|) Σ_{i ≤ k, d_i ∈ R} P@i; R = {d : grade(d) ≥ rel}", Undefined: noRelevant,
		Citation: "Harman 1992, Evaluation issues in information retrieval; Buckley & Voorhees 2005, in TREC: Experiment and " +
			"Evaluation, chapter 3",
		Aliases: []Alias{{Name: "MAP"}}, Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtOptional,
		compute: apOf, worth: worthRelevant,
	},
	{
		Name: "P", Title: "precision", TrecEval: "P",
		Text:    "The share of the first k places that hold a relevant document; places that were not filled count as misses.",
		Formula: "P@k = |R ∩ S_k| / k; S_k the first k returned", Undefined: "never",
		Citation: "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Aliases:  []Alias{{Name: "Precision"}}, Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtRequired,
		compute: precisionOf, worth: worthRelevant,
	},
	{
		Name: "R", Title: "recall", TrecEval: "recall",
		Text:    "The share of all relevant documents that stand within the first k.",
		Formula: "R@k = |R ∩ S_k| / |R|", Undefined: noRelevant,
		Citation: "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Aliases:  []Alias{{Name: "Recall"}}, Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtRequired,
		compute: recallOf, worth: worthRelevant,
	},
	{
		Name: "RR", Title: "reciprocal rank", TrecEval: "recip_rank",
		Text:    "One over the rank of the first relevant document, if it stands within the cutoff; 0 otherwise.",
		Formula: "RR@k = 1/r if r ≤ k, else 0; r = min{i : d_i ∈ R}", Undefined: noRelevant,
		Citation: "Kantor & Voorhees 2000, doi:10.1023/A:1009902609570",
		Aliases:  []Alias{{Name: "MRR"}}, Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtOptional,
		compute: rrOf, worth: worthRelevant,
	},
	{
		Name: "Success", Title: "success (hit)", TrecEval: "success",
		Text:    "1 if a relevant document stands within the first k, else 0.",
		Formula: "Success@k = [R ∩ S_k ≠ ∅]", Undefined: noRelevant,
		Citation:   "Tomlinson, in trec_eval: m_success.c",
		Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtRequired,
		compute: successOf, worth: worthRelevant,
	},
	{
		Name: "Rprec", Title: "R-precision", TrecEval: "Rprec",
		Text:    "Precision, and recall, at the rank that equals the number of relevant documents.",
		Formula: "Rprec = |R ∩ S_|R|| / |R|", Undefined: noRelevant,
		Citation: "Buckley & Voorhees 2005, in TREC: Experiment and Evaluation, chapter 3; trec_eval: m_Rprec.c",
		Aliases:  []Alias{{Name: "RPrec"}}, Parameters: []string{"rel", "judged_only"}, Rel: 1,
		compute: rprecOf, worth: worthRelevant,
	},
	{
		Name: "Bpref", Title: "binary preference", TrecEval: "bpref",
		Text: "For each relevant document that was returned, the share of the first |R| documents judged not relevant that do not " +
			"stand above it; documents without a judgement, and with a negative grade, are passed over.",
		Formula:   "Bpref = (1/|R|) Σ_{r returned} (1 − min(n above r, |R|)/min(|N|, |R|)), 1 where none is above; N = {d : 0 ≤ grade(d) < rel}",
		Undefined: noRelevant,
		Citation:  "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000, as in trec_eval: m_bpref.c",
		Aliases:   []Alias{{Name: "BPref"}}, Parameters: []string{"rel"}, Rel: 1,
		compute: bprefOf, worth: worthBpref,
	},
	{
		Name: "RBP", Title: "rank-biased precision", TrecEval: "rbp",
		Text: "The gain per document of a reader who goes on to the next with probability p. The gain is 1 for grades of rel at " +
			"least, or grade/max where max is given instead.",
		Formula: "RBP@k = (1 − p) Σ_{i ≤ k} gain(d_i) p^(i−1)", Undefined: "never",
		Citation:   "Moffat & Zobel 2008, doi:10.1145/1416950.1416952",
		Parameters: []string{"p", "rel", "max"}, At: AtOptional,
		compute: rbpOf, worth: worthGrade,
	},
	{
		Name: "ERR", Title: "expected reciprocal rank",
		Text:    "One over the rank at which a reader stops, expected, where a document of grade g satisfies with probability (2^g − 1)/2^max.",
		Formula: "ERR@k = Σ_{i ≤ k} (1/i) r_i Π_{j < i} (1 − r_j); r_i = (2^grade(d_i) − 1)/2^max", Undefined: "never",
		Citation:   "Chapelle, Metzler, Zhang & Grinspan 2009, doi:10.1145/1645953.1646033; max = 4 as in TREC's gdeval.pl 1.2",
		Parameters: []string{"max"}, Max: 4, At: AtOptional,
		compute: errOf, worth: worthGrade,
	},
	{
		Name: "IPrec", Title: "interpolated precision at a recall", TrecEval: "iprec_at_recall",
		Text:    "The highest precision at any rank from the one on where the recall is reached; 0 where it is not.",
		Formula: "IPrec@r = max{P@i : |R ∩ S_i| ≥ c}, c = round(r·|R|), halves up; 0 if |R ∩ S| < c", Undefined: noRelevant,
		Citation:   "Buckley & Voorhees 2005, in TREC: Experiment and Evaluation, chapter 3; trec_eval 10: m_iprec_at_recall.c",
		Parameters: []string{"rel", "judged_only"}, Rel: 1, At: AtRecall,
		compute: iprecOf, worth: worthRelevant,
	},
	{
		Name: "Judged", Title: "share of judged documents",
		Text:    "The share of the first k returned documents that have a judgement, whatever its grade; of fewer where fewer were returned.",
		Formula: "Judged@k = |{d ∈ S_k : judged(d)}| / |S_k|", Undefined: "nothing was returned",
		Citation: "MacAvaney, Macdonald & Ounis 2022, doi:10.1007/978-3-030-99739-7_38 (ir_measures)",
		At:       AtOptional, compute: judgedOf, worth: worthJudged,
	},
	{
		Name: "SetP", Title: "set precision", TrecEval: "set_P",
		Text:    "The share of all returned documents that are relevant.",
		Formula: "SetP = |R ∩ S| / |S|", Undefined: "nothing was returned",
		Citation:   "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Parameters: []string{"rel", "judged_only"}, Rel: 1,
		compute: setPOf, worth: worthRelevant,
	},
	{
		Name: "SetR", Title: "set recall", TrecEval: "set_recall",
		Text:    "The share of all relevant documents that were returned.",
		Formula: "SetR = |R ∩ S| / |R|", Undefined: noRelevant,
		Citation:   "Cleverdon, Mills & Keen 1966, Factors Determining the Performance of Indexing Systems",
		Parameters: []string{"rel"}, Rel: 1,
		compute: setROf, worth: worthRelevant,
	},
	{
		Name: "SetF", Title: "set F measure", TrecEval: "set_F",
		Text: "The weighted harmonic mean of set precision and set recall. beta weighs recall linearly, as trec_eval's x and " +
			"ir_measures' beta do: it is the square of van Rijsbergen's β.",
		Formula: "SetF = (beta + 1)·SetP·SetR / (beta·SetP + SetR), 0 where nothing relevant was returned", Undefined: noRelevant,
		Citation:   "van Rijsbergen 1979, Information Retrieval, chapter 7; trec_eval: m_set_F.c",
		Parameters: []string{"rel", "beta", "judged_only"}, Rel: 1,
		compute: setFOf, worth: worthRelevant,
	},
	{
		Name: "SetAP", Title: "set average precision", TrecEval: "set_map",
		Text:    "Set precision times set recall.",
		Formula: "SetAP = SetP·SetR", Undefined: noRelevant,
		Citation:   "trec_eval: m_set_map.c",
		Parameters: []string{"rel", "judged_only"}, Rel: 1,
		compute: setAPOf, worth: worthRelevant,
	},
	{
		Name: "NumQ", Title: "number of topics", TrecEval: "num_q",
		Text: "The topics that the other figures are over.", Formula: "NumQ = 1 for each topic", Undefined: "never",
		Citation: "trec_eval: m_num_q.c", Sum: true, compute: numQOf,
	},
	{
		Name: "NumRet", Title: "number of returned documents", TrecEval: "num_ret",
		Text:    "The documents returned, or with rel those of them with at least that grade; NumRelRet is NumRet(rel=1).",
		Formula: "NumRet = |S|; NumRet(rel=r) = |{d ∈ S : grade(d) ≥ r}|", Undefined: "never",
		Citation: "trec_eval: m_num_ret.c, m_num_rel_ret.c",
		Aliases:  []Alias{{Name: "NumRelRet", Rel: 1}}, Parameters: []string{"rel"}, Sum: true,
		compute: numRetOf, worth: worthRelevant,
	},
	{
		Name: "NumRel", Title: "number of relevant documents", TrecEval: "num_rel",
		Text:    "The judged documents with at least the grade rel, returned or not.",
		Formula: "NumRel = |{d : grade(d) ≥ rel}|", Undefined: "never",
		Citation:   "trec_eval: m_num_rel.c",
		Parameters: []string{"rel"}, Rel: 1, Sum: true,
		compute: numRelOf,
	},
}
