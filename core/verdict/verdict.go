// Package verdict builds the sentence that says what a study found, from words and from numbers of its results with
// their paths. Each design writes its own, by fixed rules, so that a page can't say more than a replay gives.
package verdict

import (
	"fmt"
	"strings"

	"retrace/core/metrics"
	"retrace/core/show"
)

// A Part is a stretch of the sentence: words, or a number of the results with its path.
type Part struct {
	Text string `json:"text"`
	Path string `json:"path"` // of the number in the results; empty for words
}

// Text joins the parts.
func Text(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// A Sentence grows part by part.
type Sentence struct{ Parts []Part }

// Words adds words.
func (s *Sentence) Words(text string) { s.Parts = append(s.Parts, Part{Text: text}) }

// Number adds a number of the results.
func (s *Sentence) Number(path string, style show.Style, x float64) {
	s.Parts = append(s.Parts, Part{style.Text(x), path})
}

// Measure names a measure for people by its canonical name: Recall@3 for R@3, and for the mean of reciprocal ranks MRR@3.
func Measure(canonical string) string {
	m, err := metrics.Parse(canonical)
	if err != nil {
		return canonical
	}
	switch m.Family {
	case "P":
		return fmt.Sprintf("Precision@%d", m.Cutoff)
	case "Coverage":
		return fmt.Sprintf("Coverage@%d", m.Cutoff)
	case "R":
		return fmt.Sprintf("Recall@%d", m.Cutoff)
	case "RR":
		return fmt.Sprintf("MRR@%d", m.Cutoff)
	}
	return canonical
}
