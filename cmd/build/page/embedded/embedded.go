// Package embedded says what a study's page holds for its script: beside the frozen results, what figures and views need to
// know of the protocol. TypeScript's types are generated from it.
package embedded

import (
	"encoding/json"

	"retrace/core/design/adhoc"
	"retrace/core/design/binary"
	"retrace/core/design/graded"
	"retrace/core/design/knownitem"
	"retrace/core/proto"
)

// A Design is a kind of study, by its key in study.json.
type Design string

// The designs that have views.
const (
	DesignKnownItem Design = knownitem.Key
	DesignGraded    Design = graded.Key
	DesignBinary    Design = binary.Key
	DesignAdhoc     Design = adhoc.Key
)

// Known reports whether the script has views for a design.
func (d Design) Known() bool {
	return d == DesignKnownItem || d == DesignGraded || d == DesignBinary || d == DesignAdhoc
}

// Page is what the script finds in the page.
type Page struct {
	Study     string              `json:"study"`
	Design    Design              `json:"design"`
	Views     Views               `json:"views"`
	Parts     bool                `json:"parts"`   // a replay without vectors has results of its own
	Needs     []string            `json:"needs"`   // files that a replay reads, those for vectors left out
	Vectors   []string            `json:"vectors"` // files for vectors
	Late      bool                `json:"late"`    // nothing can be computed without the vectors; they are loaded when something is
	Documents int                 `json:"documents"`
	Methods   []proto.MethodInfo  `json:"methods"`
	Frozen    []Frozen            `json:"frozen"` // what a replay without vectors gives first; the last holds every number
	Results   json.RawMessage     `json:"results"`
	Texts     map[string]string   `json:"texts"` // of numbers by path; the build leaves out those that the page's text holds
	Figures   proto.FiguresResult `json:"figures"`
}

// Frozen is a file of frozen results.
type Frozen struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Numbers int    `json:"numbers"`
}

// Views hold what a design's figures and views need beside its results, under the design's key. A study whose page shows
// its numbers alone has none.
type Views struct {
	KnownItem *KnownItem `json:"knownItem,omitempty"`
	Graded    *Graded    `json:"graded,omitempty"`
	Binary    *Binary    `json:"binary,omitempty"`
	Adhoc     *Adhoc     `json:"adhoc,omitempty"`
}

// Far is the distance from the graph method beyond which a control's mark would press all others of the figure together: the
// figure leaves it out, and the caption names it.
const Far = 0.1

// KnownItem is what a known-item study's page needs.
type KnownItem struct {
	Cutoff   int               `json:"cutoff"`
	Measure  string            `json:"measure"`  // key of the mean reciprocal rank in results
	Primary  string            `json:"primary"`  // name of the primary contrast
	Baseline string            `json:"baseline"` // method
	Graph    string            `json:"graph"`    // method that the primary contrast holds against it
	Families map[string]Family `json:"families"`
}

// Family is a family of questions.
type Family struct {
	Target   string `json:"target"`   // title
	Question string `json:"question"` // the first of its questions
}

// Graded is what a graded study's page needs.
type Graded struct {
	Measure   string            `json:"measure"`  // key of the one that selects
	Measured  string            `json:"measured"` // for people
	Baseline  string            `json:"baseline"` // method of the trial's first row
	Typed     string            `json:"typed"`    // and of its second
	Base      string            `json:"base"`     // names of these rows
	Row       string            `json:"row"`
	Top       int               `json:"top"`
	Rows      []Row             `json:"rows"`
	Contrasts []Contrast        `json:"contrasts"`
	Tasks     map[string]string `json:"tasks"`    // of final tasks: domain and origin
	Settings  []Setting         `json:"settings"` // every method on the development tasks
	Bases     []string          `json:"bases"`    // labels of the baselines
}

// Row is one method that is compared on the final tasks.
type Row struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Role  string `json:"role"`
}

// Contrast is a comparison of the two rows.
type Contrast struct {
	Name     string `json:"name"`
	Measured string `json:"measured"` // the measure for people
	Random   string `json:"random"`   // what is drawn at random, in words
}

// Setting is one method on the development tasks.
type Setting struct {
	Method string `json:"method"`
	Path   string `json:"path"` // of its number
	Family string `json:"family"`
	Role   string `json:"role"`
	Base   int    `json:"base"` // place among the baselines
	Locked bool   `json:"locked"`
}

// Binary is what a binary study's page needs.
type Binary struct {
	Methods  []string  `json:"methods"` // side by side in the question view: those that differ
	Splits   []Split   `json:"splits"`
	Measures []Measure `json:"measures"`
	Top      int       `json:"top"` // how many passages the view admits
}

// Split is a part of the needs.
type Split struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// Measure is a measure by its key in results.
type Measure struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// Adhoc is what the page of a study of topics, judgements and systems needs.
type Adhoc struct {
	Methods  []string  `json:"methods"` // side by side in the topic view
	Measures []Measure `json:"measures"`
	Primary  string    `json:"primary"` // key of the measure that decides
	Top      int       `json:"top"`     // how many documents the topic view shows
}
