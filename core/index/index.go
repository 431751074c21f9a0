// Package index holds postings and document statistics of a collection: one index serves every lexical method.
package index

import (
	"slices"

	"retrace/core/text"
)

// A Posting says how often a term occurs in a document.
type Posting struct {
	Doc int32 // document number
	TF  int32 // term frequency, at least 1
}

// An Index is immutable. Terms are numbered in ascending (bytewise) order.
type Index struct {
	Terms    []string
	Postings [][]Posting // by term, ascending document number
	Length   []int32     // kept tokens of each document (dl)
	Total    int64       // sum of Length
	byTerm   map[string]int
	analyzer *text.Analyzer
	forward  [][]TermCount // by document, ascending term number
}

// A TermCount says how often a term occurs in a text.
type TermCount struct {
	Term int
	TF   int
}

// Build indexes the texts, one a document, in document order.
func Build(analyzer *text.Analyzer, texts []string) *Index {
	x := &Index{Length: make([]int32, len(texts)), analyzer: analyzer, forward: make([][]TermCount, len(texts))}
	first := map[string]int{} // term -> number in order of appearance
	for d, s := range texts {
		tokens := analyzer.Tokens(s)
		x.Length[d] = int32(len(tokens))
		x.Total += int64(len(tokens))
		numbers := make([]int, len(tokens))
		for i, t := range tokens {
			n, ok := first[t]
			if !ok {
				n = len(x.Terms)
				first[t] = n
				x.Terms = append(x.Terms, t)
			}
			numbers[i] = n
		}
		x.forward[d] = count(numbers)
	}
	// Renumber from order of appearance to sorted order.
	order := make([]int, len(x.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if x.Terms[a] < x.Terms[b] {
			return -1
		}
		return 1
	})
	number := make([]int, len(order))
	sorted := make([]string, len(order))
	for n, i := range order {
		number[i] = n
		sorted[n] = x.Terms[i]
	}
	df := make([]int, len(order))
	for d := range x.forward {
		for i, c := range x.forward[d] {
			x.forward[d][i].Term = number[c.Term]
			df[number[c.Term]]++
		}
	}
	x.Terms, x.byTerm = sorted, first
	for t, n := range x.Terms {
		x.byTerm[n] = t
	}
	x.Postings = make([][]Posting, len(sorted))
	for t := range x.Postings {
		x.Postings[t] = make([]Posting, 0, df[t])
	}
	for d, counts := range x.forward {
		for _, c := range counts {
			x.Postings[c.Term] = append(x.Postings[c.Term], Posting{int32(d), int32(c.TF)})
		}
	}
	// Written back term by term, each document's terms are in ascending order without a sort.
	written := make([]int, len(x.forward))
	for t, postings := range x.Postings {
		for _, p := range postings {
			x.forward[p.Doc][written[p.Doc]] = TermCount{t, int(p.TF)}
			written[p.Doc]++
		}
	}
	return x
}

// count turns term numbers into counts, ascending.
func count(numbers []int) []TermCount {
	slices.Sort(numbers)
	var counts []TermCount
	for _, n := range numbers {
		if last := len(counts) - 1; last >= 0 && counts[last].Term == n {
			counts[last].TF++
		} else {
			counts = append(counts, TermCount{n, 1})
		}
	}
	return counts
}

// N returns the number of documents.
func (x *Index) N() int { return len(x.Length) }

// DF returns the document frequency of a term: the number of documents that contain it.
func (x *Index) DF(term int) int { return len(x.Postings[term]) }

// AvgLength returns the mean document length in kept tokens (avgdl), 0 for documents without any token.
func (x *Index) AvgLength() float64 { return float64(x.Total) / float64(len(x.Length)) }

// Document returns the terms of a document with their frequencies, ascending term number.
func (x *Index) Document(doc int) []TermCount { return x.forward[doc] }

// TF returns how often a term occurs in a document.
func (x *Index) TF(term, doc int) int {
	i := x.Place(term, doc)
	if i < 0 {
		return 0
	}
	return int(x.Postings[term][i].TF)
}

// Place returns the place of a document in a term's postings, -1 where it has none.
func (x *Index) Place(term, doc int) int {
	i, found := slices.BinarySearchFunc(x.Postings[term], int32(doc), func(p Posting, d int32) int { return int(p.Doc - d) })
	if !found {
		return -1
	}
	return i
}

// A Query is a text seen through an index: its known terms with their frequencies in the query, in ascending order of
// term number (so of the term itself), which is the order in which contributions are summed.
type Query struct {
	Terms   []TermCount
	Unknown []string // tokens that no document contains, in order
}

// Query analyses a question's text.
func (x *Index) Query(s string) Query {
	var q Query
	tokens := x.analyzer.Tokens(s)
	numbers := make([]int, 0, len(tokens))
	for _, t := range tokens {
		if n, ok := x.byTerm[t]; ok {
			numbers = append(numbers, n)
		} else {
			q.Unknown = append(q.Unknown, t)
		}
	}
	q.Terms = count(numbers)
	return q
}

// Term returns the number of a term.
func (x *Index) Term(term string) (number int, ok bool) {
	number, ok = x.byTerm[term]
	return number, ok
}

// Analyzer returns the analyzer that documents and queries go through.
func (x *Index) Analyzer() *text.Analyzer { return x.analyzer }

// Has reports whether a query holds a term.
func (q *Query) Has(term int) bool {
	_, found := slices.BinarySearchFunc(q.Terms, term, func(c TermCount, t int) int { return c.Term - t })
	return found
}
