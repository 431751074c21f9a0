package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"retrace/core/inverted"
	"retrace/core/show"
	"retrace/internal/indexfile"
)

// indexSearch is what search is asked to do with an index of its own.
type indexSearch struct {
	path  string
	k1, b float64
	check bool
}

// ofStudies are search's flags that mean nothing for an index.
var ofStudies = []string{"kit", "study", "method", "explain"}

func (x *indexSearch) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&x.path, "index", "", "search the `FILE` that build index made instead of a study")
	f.Float64Var(&x.k1, "k1", 1.2, "BM25's k1, with --index")
	f.Float64Var(&x.b, "b", 0.75, "BM25's b, with --index")
	f.BoolVar(&x.check, "check", false, "read the whole index first and check it, with --index")
}

// indexReply is what a search of an index prints as JSON.
type indexReply struct {
	Index   string     `json:"index"` // SHA-256 of its directory
	Method  string     `json:"method"`
	Unknown []string   `json:"unknown"` // terms that no document has
	Hits    []indexHit `json:"hits"`
}

type indexHit struct {
	Rank  int     `json:"rank"`
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

func (x *indexSearch) run(c *cobra.Command, question string, k int, asJSON bool) error {
	for _, name := range ofStudies {
		if c.Flags().Changed(name) {
			return fmt.Errorf("search: --%s is for studies: leave it out, or --index", name)
		}
	}
	if k < 1 || k > 1e6 {
		return fmt.Errorf("search: -k %d: 1 to 1000000 documents", k)
	}
	f, err := indexfile.Map(x.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if x.check {
		if err := f.Check(); err != nil {
			return err
		}
	}
	s, err := inverted.NewSearcher(f.File, x.k1, x.b, nil)
	if err != nil {
		return err
	}
	q := f.Query(question)
	hits, err := s.Best(q, k)
	if err != nil {
		return err
	}
	r := indexReply{Index: f.Hash(), Method: fmt.Sprintf("bm25(k1=%v,b=%v)", x.k1, x.b), Unknown: []string{}, Hits: []indexHit{}}
	for _, t := range q {
		if _, ok := f.Lookup(t.Term); !ok {
			r.Unknown = append(r.Unknown, t.Term)
		}
	}
	for i, h := range hits {
		r.Hits = append(r.Hits, indexHit{i + 1, f.ID(h.Doc), h.Score})
	}
	out := c.OutOrStdout()
	if asJSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	fmt.Fprintf(out, "%s over %d documents\n", r.Method, f.N())
	for _, u := range slices.Compact(r.Unknown) {
		fmt.Fprintf(out, "in no document: %s\n", visible(u))
	}
	for _, h := range r.Hits {
		fmt.Fprintf(out, "%3d  %s  %s\n", h.Rank, show.Score(h.Score), visible(h.ID))
	}
	return nil
}
