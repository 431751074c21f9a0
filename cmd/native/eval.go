package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrace/core/evaluate"
	"retrace/core/metrics"
	"retrace/core/records"
	"retrace/core/trec"
)

// evalFormats are the layouts of native eval.
var evalFormats = []string{"trec_eval", "table", "json", "csv", "md", "latex"}

// officialNames are what trec_eval prints without -m, by its names. runid and gm_map are no metrics.
var officialNames = []string{
	"runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall_0.00",
	"iprec_at_recall_0.10",
	"iprec_at_recall_0.20", "iprec_at_recall_0.30", "iprec_at_recall_0.40", "iprec_at_recall_0.50",
	"iprec_at_recall_0.60", "iprec_at_recall_0.70", "iprec_at_recall_0.80", "iprec_at_recall_0.90",
	"iprec_at_recall_1.00", "P_5", "P_10", "P_15", "P_20", "P_30", "P_100", "P_200", "P_500", "P_1000",
}

// tableNames are what the other layouts print without -m.
var tableNames = []string{"nDCG@10", "nDCG(dcg='exp-log2')@10", "AP", "P@10", "R@100", "RR@10", "Judged@10"}

// An evalCommandLine is what native eval was asked for.
type evalCommandLine struct {
	format, order, mean           string
	names                         []string
	perTopic, ties                bool
	compare, correction, interval string
	seed                          uint64
	replicates, depth, level      int
	extraColumns                  bool
	official                      bool // trec_eval's own list
	metrics                       []metrics.Metric
}

// An evaluated run is one run of the command line.
type evaluatedRun struct {
	path, label, tag string
	result           *evaluate.Result
}

func evalCommand() *cobra.Command {
	var o evalCommandLine
	c := &cobra.Command{
		Use:   "eval QRELS RUN...",
		Short: "Evaluate TREC runs against judgements, and compare them",
		Long: `Reads judgements (TREC qrels, or BEIR's with header) and runs, plain or compressed with gzip or zstd, and prints measures
in trec_eval's layout or another. Measures have ir_measures' names (nDCG@10, AP(rel=2), RBP(p=0.9,rel=1)) or trec_eval's
(ndcg_cut_10, map); docs/measures.md defines them. Without -m the layout trec_eval prints what trec_eval prints.

By default every topic of the judgements counts, one that a run lacks as an empty ranking (trec_eval -c); --mean returned
leaves those out (trec_eval without -c), --mean defined those for which a measure has no value. Documents are ordered by
score, equal scores by document ID descending (--order trec_eval), whatever the ranks say.

--ties adds the lowest and highest value over all orders of documents with equal scores. --compare BASE compares every run
with BASE, topic by topic: mean difference with 95 % bootstrap interval, two-sided sign-flip p (exact up to 40 topics that
differ), p after correction over all comparisons printed, effect size d_z, and the smallest difference that so many topics
would have shown. A run is read as a stream if its topics' lines stand together; if not, it is held in memory.`,
		Example: `  native eval qrels.txt bm25.run
  native eval qrels.txt bm25.run.gz -m nDCG@10,AP --per-topic
  native eval qrels.txt *.run --format table --ties
  native eval qrels.txt bm25.run rrf.run dense.run --compare bm25.run -m nDCG@10,R@100
  native eval qrels.txt bm25.run --mean returned --depth 100 --level 2   (trec_eval -M100 -l2)
  zcat bm25.run.gz | native eval qrels.txt - --format json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(c); err != nil {
				return err
			}
			runs, err := o.evaluate(c, args[0], args[1:])
			if err != nil {
				return err
			}
			comparisons, err := o.comparisons(runs)
			if err != nil {
				return err
			}
			return o.print(c.OutOrStdout(), runs, comparisons)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&o.names, "measures", "m", nil,
		"`NAMES` of measures, separated by commas (default: trec_eval's own list, or "+strings.Join(tableNames, ", ")+")")
	f.StringVar(&o.format, "format", "trec_eval", strings.Join(evalFormats, ", "))
	f.BoolVarP(&o.perTopic, "per-topic", "q", false, "print every topic's values too")
	f.BoolVar(&o.ties, "ties", false, "print the range of each value over all orders of documents with equal scores")
	f.StringVar(&o.compare, "compare", "", "the `RUN` that the others are compared with; may be one of them (sets --format table)")
	f.StringVar(&o.correction, "correction", "holm", "of p over all comparisons: "+strings.Join(evaluate.Corrections, ", "))
	f.StringVar(&o.interval, "interval", "percentile", "bootstrap interval: percentile, bca")
	f.Uint64Var(&o.seed, "seed", 1, "of the bootstrap's and the sign flips' random streams")
	f.IntVar(&o.replicates, "replicates", 10_000, "of bootstrap and sign flips, 1 to 1,000,000")
	f.StringVar(&o.mean, "mean", string(metrics.Complete), "topics that count: complete (trec_eval -c), returned, defined")
	f.IntVar(&o.depth, "depth", 0, "documents of each topic that count (trec_eval -M); 0: all")
	f.IntVar(&o.level, "level", 1, "lowest relevant grade of measures under trec_eval's names (trec_eval -l)")
	f.StringVar(&o.order, "order", string(trec.TrecEval), "of equal scores: trec_eval, trec_eval-float32, ascending, ascending-bytewise")
	f.BoolVar(&o.extraColumns, "extra-columns", false, "pass over what stands behind a run's sixth column")
	return c
}

// check reads what the flags say.
func (o *evalCommandLine) check(c *cobra.Command) error {
	if o.compare != "" && !c.Flags().Changed("format") {
		o.format = "table"
	}
	_, orderErr := trec.ParseOrder(o.order)
	_, meanErr := metrics.ParseMeanRule(o.mean)
	switch {
	case !slices.Contains(evalFormats, o.format):
		return fmt.Errorf("--format %q: it is one of %s", o.format, strings.Join(evalFormats, ", "))
	case o.compare != "" && o.format == "trec_eval":
		return errors.New("--compare: trec_eval's layout has no place for comparisons: choose table, json, csv, md or latex")
	case orderErr != nil:
		return orderErr
	case meanErr != nil:
		return meanErr
	case o.depth < 0:
		return fmt.Errorf("--depth %d: 1 at least, or 0 for all documents", o.depth)
	case o.level < 1 || o.level > metrics.MaxRel:
		return fmt.Errorf("--level %d: 1 to %d", o.level, metrics.MaxRel)
	case o.replicates < 1 || o.replicates > 1_000_000:
		return fmt.Errorf("--replicates %d: 1 to 1,000,000", o.replicates)
	case o.interval != "percentile" && o.interval != "bca":
		return fmt.Errorf("--interval %q: percentile or bca", o.interval)
	}
	if err := evaluate.Correct(nil, o.correction); err != nil {
		return err
	}
	names := tableNames
	if len(o.names) > 0 {
		names = splitNames(strings.Join(o.names, ","))
	} else if o.format == "trec_eval" {
		o.official, names = true, officialNames
	}
	for _, name := range names {
		if o.official && (name == "runid" || name == "gm_map") {
			continue
		}
		m, err := metrics.ParseMetric(name)
		if byTrecEval, ok := metrics.ParseTrecEval(name, o.level); err != nil && ok {
			m, err = byTrecEval, nil
		}
		if err != nil {
			return err
		}
		if !slices.Contains(o.metrics, m) {
			o.metrics = append(o.metrics, m)
		}
	}
	return nil
}

// splitNames splits a list at commas outside brackets.
func splitNames(list string) (names []string) {
	depth, start := 0, 0
	for i, r := range list + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			names = append(names, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return names
}

// evaluate reads and measures every run; the one to compare with comes first where it is not among them.
func (o *evalCommandLine) evaluate(c *cobra.Command, qrels string, paths []string) ([]evaluatedRun, error) {
	if o.compare != "" && !slices.Contains(paths, o.compare) {
		paths = append([]string{o.compare}, paths...)
	}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return nil, fmt.Errorf("run %q stands there twice: name each run once", path)
		}
	}
	stderr := c.ErrOrStderr()
	files := &trecFiles{c.InOrStdin(), newProgress(stderr), func(w *records.Error) { printWarning(stderr, w) }, o.extraColumns}
	if qrels == "-" {
		return nil, errors.New("standard input holds a run, not the judgements: name their file")
	}
	q, err := files.qrels(qrels)
	if err != nil {
		return nil, err
	}
	options := evaluate.Options{Metrics: o.metrics, Order: trec.Order(o.order), Depth: o.depth, Mean: metrics.MeanRule(o.mean),
		Bands: o.ties || o.compare != ""}
	var runs []evaluatedRun
	for _, path := range paths {
		var e *evaluate.Evaluator
		info, err := files.run(path, options.Order, func() (func(string, []trec.Hit) error, error) {
			e, err = evaluate.New(q, options)
			if err != nil {
				return nil, err
			}
			return e.Topic, nil
		})
		if err != nil {
			return nil, err
		}
		r, err := e.Finish(path)
		if err != nil {
			return nil, err
		}
		for _, w := range r.Warnings {
			printWarning(stderr, w)
		}
		runs = append(runs, evaluatedRun{path, labelOf(path, paths), info.Tag, r})
	}
	return runs, nil
}

// printWarning prints what is odd and can still be evaluated.
func printWarning(w io.Writer, warning *records.Error) {
	fmt.Fprintf(w, "native: warning: %s\n", visible(warning.Error()))
	if warning.Hint != "" {
		fmt.Fprintf(w, "native: hint: %s\n", visible(warning.Hint))
	}
}

// labelOf is a run's file name, or its path where another run has the same name.
func labelOf(path string, paths []string) string {
	base := filepath.Base(path)
	for _, p := range paths {
		if p != path && filepath.Base(p) == base {
			return path
		}
	}
	return base
}

// A comparison is one run's with the base.
type comparison struct {
	base, run string
	evaluate.Comparison
}

// comparisons compares every run with the base on every measure that is no count, run by run; p is corrected over all of
// them. Comparison number i takes the random streams 2i and 2i+1.
func (o *evalCommandLine) comparisons(runs []evaluatedRun) ([]comparison, error) {
	if o.compare == "" {
		return nil, nil
	}
	at := slices.IndexFunc(runs, func(r evaluatedRun) bool { return r.path == o.compare })
	var list []comparison
	var plain []evaluate.Comparison
	for i, r := range runs {
		if i == at {
			continue
		}
		for k, m := range o.metrics {
			if d, _ := m.Definition(); d.Sum {
				continue
			}
			n := len(list)
			c, err := evaluate.Compare(runs[at].result, r.result, k, evaluate.CompareOptions{
				Seed: o.seed, Stream: uint64(2 * n), Replicates: o.replicates, BCa: o.interval == "bca",
			})
			if err != nil {
				return nil, err
			}
			list, plain = append(list, comparison{runs[at].label, r.label, c}), append(plain, c)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("--compare: name another run, and a measure that is no count")
	}
	if err := evaluate.Correct(plain, o.correction); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Comparison = plain[i]
	}
	return list, nil
}
