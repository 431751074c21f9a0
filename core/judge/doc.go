// Package judge holds what people or models say about results: relevance grades, binary labels, answers and their
// grades, with strict parsers that report every violation, and the agreement of two judges.
package judge
