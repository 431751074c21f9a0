package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"retrace/core/collection"
	"retrace/core/rank"
	"retrace/core/records"
	"retrace/core/trec"
)

var fuseMethods = []string{"rrf", "combsum", "combmnz"}

// A fuseCommandLine is what native fuse was asked for.
type fuseCommandLine struct {
	method, norm, order, tag string
	k                        float64
	depth, top               int
	extraColumns             bool
}

func fuseCommand() *cobra.Command {
	var o fuseCommandLine
	c := &cobra.Command{
		Use:   "fuse RUN RUN...",
		Short: "Fuse TREC runs into one",
		Long: `Reads runs, plain or compressed with gzip or zstd, and writes one that fuses them, topic by topic:

  rrf      Σ 1/(k + rank) over the runs that return the document (Cormack, Clarke & Büttcher 2009)
  combsum  Σ of normalized scores (Fox & Shaw 1994)
  combmnz  the same, times the number of runs that return the document

--norm brings each run's scores of a topic to one scale first: minmax (from 0 to 1), zscore (in standard deviations above
the run's lowest), or none. Ranks are by score, equal scores by --order. The fused run's equal scores are ordered by
document ID ascending; trec_eval orders them descending. Every topic of any run is fused.

Runs whose topics come in ascending order, by number or bytewise, are read side by side as streams; others are held in memory.`,
		Example: `  native fuse bm25.run dense.run > rrf.run
  native fuse bm25.run dense.run.gz --method combsum --norm minmax > combsum.run
  native fuse a.run b.run c.run --method rrf --k 60 --depth 100 --top 1000 --tag fused`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			stderr := c.ErrOrStderr()
			warn := func(w *records.Error) { printWarning(stderr, w) }
			files := &trecFiles{c.InOrStdin(), newProgress(stderr), warn, o.extraColumns}
			return o.fuse(files, args, c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", "rrf", strings.Join(fuseMethods, ", "))
	f.StringVar(&o.norm, "norm", "minmax", "of combsum and combmnz: minmax, zscore, none")
	f.Float64Var(&o.k, "k", 60, "of rrf, above 0")
	f.IntVar(&o.depth, "depth", 0, "documents of each run and topic that count; 0: all")
	f.IntVar(&o.top, "top", 1000, "documents of each topic that are written; 0: all")
	f.StringVar(&o.tag, "tag", "", "of the fused run (default: the method)")
	f.StringVar(&o.order, "order", string(trec.TrecEval),
		"of equal scores in the runs: trec_eval, trec_eval-float32, ascending, ascending-bytewise")
	f.BoolVar(&o.extraColumns, "extra-columns", false, "pass over what stands behind a run's sixth column")
	return c
}

func (o *fuseCommandLine) check(args []string) error {
	_, orderErr := trec.ParseOrder(o.order)
	_, normErr := rank.ParseNormalization(o.norm)
	if o.tag == "" {
		o.tag = o.method
	}
	switch {
	case !slices.Contains(fuseMethods, o.method):
		return fmt.Errorf("--method %q: it is one of %s", o.method, strings.Join(fuseMethods, ", "))
	case orderErr != nil:
		return orderErr
	case normErr != nil:
		return normErr
	case !(o.k > 0 && o.k <= 1e9):
		return fmt.Errorf("--k %v: above 0", o.k)
	case o.depth < 0 || o.top < 0:
		return errors.New("--depth and --top: 1 at least, or 0 for all")
	case collection.CheckID(o.tag) != "":
		return fmt.Errorf("--tag %q: %s", o.tag, collection.CheckID(o.tag))
	}
	for i, path := range args {
		if slices.Contains(args[:i], path) {
			return fmt.Errorf("run %q stands there twice: name each run once", path)
		}
	}
	return nil
}

// A runTopic is one topic of one run.
type runTopic struct {
	topic string
	hits  []trec.Hit
}

// fuse fuses as streams where every run's topics ascend in one common order, which a first reading finds out, and from
// memory otherwise. Warnings come from the first reading alone.
func (o *fuseCommandLine) fuse(files *trecFiles, paths []string, w io.Writer) error {
	out := bufio.NewWriter(w)
	compare, err := o.commonOrder(files, paths)
	if err != nil {
		return err
	}
	if compare == nil {
		err = o.fromMemory(files, paths, out)
	} else {
		err = o.asStreams(files, paths, compare, out)
	}
	return errors.Join(err, out.Flush())
}

// commonOrder reads every run once and returns the order that all their topics ascend in, nil where there is none or a run
// can be read once only.
func (o *fuseCommandLine) commonOrder(files *trecFiles, paths []string) (func(a, b string) int, error) {
	if slices.Contains(paths, "-") {
		return nil, nil
	}
	ascends := []func(a, b string) int{collection.CompareID, strings.Compare}
	interleaved := false
	for _, path := range paths {
		attempts := 0
		last, started := "", false
		_, err := files.run(path, trec.Order(o.order), func() (func(string, []trec.Hit) error, error) {
			attempts++
			started = false
			return func(topic string, _ []trec.Hit) error {
				if started {
					ascends = slices.DeleteFunc(ascends, func(c func(a, b string) int) bool { return c(last, topic) >= 0 })
				}
				last, started = topic, true
				return nil
			}, nil
		})
		if err != nil {
			return nil, err
		}
		interleaved = interleaved || attempts > 1
	}
	if interleaved || len(ascends) == 0 {
		return nil, nil
	}
	return ascends[0], nil
}

// asStreams merges the runs' topics in their common order.
func (o *fuseCommandLine) asStreams(files *trecFiles, paths []string, compare func(a, b string) int, out *bufio.Writer) error {
	quiet := *files
	quiet.warn = func(*records.Error) {}
	next := make([]func() (runTopic, error, bool), len(paths))
	heads := make([]*runTopic, len(paths))
	advance := func(i int) error {
		t, err, ok := next[i]()
		if heads[i] = &t; !ok {
			heads[i] = nil
		}
		return err
	}
	for i, path := range paths {
		topics := func(yield func(runTopic, error) bool) {
			_, err := quiet.run(path, trec.Order(o.order), func() (func(string, []trec.Hit) error, error) {
				return func(topic string, hits []trec.Hit) error {
					if !yield(runTopic{topic, hits}, nil) {
						return errStopped
					}
					return nil
				}, nil
			})
			if err != nil && !errors.Is(err, errStopped) {
				yield(runTopic{}, err)
			}
		}
		var stop func()
		next[i], stop = iter.Pull2(iter.Seq2[runTopic, error](topics))
		defer stop()
		if err := advance(i); err != nil {
			return err
		}
	}
	for {
		first := ""
		for _, h := range heads {
			if h != nil && (first == "" || compare(h.topic, first) < 0) {
				first = h.topic
			}
		}
		if first == "" {
			return nil
		}
		rankings := make([][]trec.Hit, len(paths))
		for i, h := range heads {
			if h != nil && h.topic == first {
				rankings[i] = h.hits
			}
		}
		if err := o.topic(out, first, rankings); err != nil {
			return err
		}
		for i, h := range heads {
			if h != nil && h.topic == first {
				if err := advance(i); err != nil {
					return err
				}
			}
		}
	}
}

var errStopped = errors.New("stopped")

// fromMemory holds every run and fuses topics in the order of their IDs.
func (o *fuseCommandLine) fromMemory(files *trecFiles, paths []string, out *bufio.Writer) error {
	runs := make([]map[string][]trec.Hit, len(paths))
	quiet := *files
	if !slices.Contains(paths, "-") { // otherwise nothing was read before
		quiet.warn = func(*records.Error) {}
	}
	var topics []string
	for i, path := range paths {
		_, err := quiet.run(path, trec.Order(o.order), func() (func(string, []trec.Hit) error, error) {
			runs[i] = map[string][]trec.Hit{}
			return func(topic string, hits []trec.Hit) error {
				if o.depth > 0 {
					hits = hits[:min(o.depth, len(hits))]
				}
				runs[i][topic] = slices.Clone(hits)
				return nil
			}, nil
		})
		if err != nil {
			return err
		}
		for topic := range runs[i] {
			topics = append(topics, topic)
		}
	}
	slices.SortFunc(topics, collection.CompareID)
	for _, topic := range slices.Compact(topics) {
		rankings := make([][]trec.Hit, len(paths))
		for i := range runs {
			rankings[i] = runs[i][topic]
		}
		if err := o.topic(out, topic, rankings); err != nil {
			return err
		}
	}
	return nil
}

// topic fuses one topic's rankings and writes the result. Documents are numbered in the order of their IDs, which is how
// package rank orders equal scores.
func (o *fuseCommandLine) topic(out *bufio.Writer, topic string, rankings [][]trec.Hit) error {
	var docs []string
	for i, ranking := range rankings {
		if o.depth > 0 {
			rankings[i] = ranking[:min(o.depth, len(ranking))]
		}
		for _, h := range rankings[i] {
			docs = append(docs, h.Doc)
		}
	}
	slices.SortFunc(docs, collection.CompareID)
	docs = slices.Compact(docs)
	number := make(map[string]int, len(docs))
	for i, doc := range docs {
		number[doc] = i
	}
	lists := make([][]rank.Hit, len(rankings))
	for i, ranking := range rankings {
		for _, h := range ranking {
			lists[i] = append(lists[i], rank.Hit{Doc: number[h.Doc], Score: h.Score})
		}
	}
	var fused []rank.Hit
	switch o.method {
	case "combsum":
		fused = rank.CombSUM(rank.Normalization(o.norm), lists...)
	case "combmnz":
		fused = rank.CombMNZ(rank.Normalization(o.norm), lists...)
	default:
		scores := rank.New(len(docs))
		rank.RRF(scores, o.k, lists...)
		fused = scores.Sorted()
	}
	if o.top > 0 {
		fused = fused[:min(o.top, len(fused))]
	}
	for i, h := range fused {
		out.WriteString(topic + " Q0 " + docs[h.Doc] + " " + strconv.Itoa(i+1) + " " + strconv.FormatFloat(h.Score, 'g', -1,
			64) + " " + o.tag + "\n")
	}
	return nil
}
