// Package metrics holds the measures of a single question's ranking: one file per measure, and one table of their
// names, definitions, sources and functions.
//
// Conventions that hold for all: ranks start at 1; a ranking shorter than the cutoff is filled with nothing, not
// shortened; an unjudged document inside the cutoff is an error that names it, unless the topic says that unjudged means
// irrelevant; and a measure that has nothing to measure is undefined, (0, false), and never counts as 0 or 1 in a mean.
//
// There are two tables. Definitions holds the measures under ir_measures' names, for topics whose judgements are sparse:
// unjudged documents are told apart from grade 0, and values are trec_eval's also where it has 0 for want of a value.
// Families holds the older names that the bundled studies are sealed under; Measure.Metric says which is which.
package metrics
