// Package judge holds what people or models say about results: relevance grades, binary labels, answers and their
// grades, with strict parsers that report every violation, and the agreement of two judges.
package judge

// A ContextItem is one document that a reader is supplied with, under its rank as a label.
type ContextItem struct {
	Label      int    `json:"label"`
	Name       string `json:"name"`
	Definition string `json:"definition"`
}
