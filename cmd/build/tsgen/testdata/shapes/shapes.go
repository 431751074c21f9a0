// Package shapes has one of each thing that the generator maps.
package shapes

import (
	"encoding/json"

	"retrace/cmd/build/tsgen/testdata/shapes/other"
)

// Grade is how good something is.
type Grade string

// The grades.
const (
	Good Grade = "good"
	Bad  Grade = "bad"
)

// Name is any string.
type Name string

// Head is embedded.
type Head struct {
	ID   int  `json:"id"`
	Kind Name `json:"kind"`
}

// Point has a name that another package uses too.
type Point struct{ X, Y float64 }

// Error would hide a global of TypeScript.
type Error struct {
	Code string `json:"code"`
}

// Ranks are written by hand.
//
//ts:type { [method: string]: number | null }
type Ranks struct{ Raw []byte }

// MarshalJSON is why the directive is needed.
func (r Ranks) MarshalJSON() ([]byte, error) { return r.Raw, nil }

// Label writes itself as text.
type Label struct{ Text string }

// MarshalText makes it a string.
func (l Label) MarshalText() ([]byte, error) { return []byte(l.Text), nil }

// LookAtRequest asks.
//
// It has two paragraphs, and */ in it.
//
//ts:kind look-at
type LookAtRequest struct {
	Head
	Depth int `json:"depth,omitempty"` // how far
}

// LookAtResult answers.
type LookAtResult struct {
	Grades []Grade            `json:"grades"`
	Ranks  []*int             `json:"ranks"`
	Best   *Point             `json:"best"`
	Other  *other.Point       `json:"other,omitempty"`
	Means  map[string]float64 `json:"means"`
	CI95   [2]float64         `json:"ci95"`
	Any    json.RawMessage    `json:"any"`
	Bytes  []byte             `json:"bytes"`
	Nested []struct {
		On bool `json:"on"`
	} `json:"nested"`
	ByMethod Ranks  `json:"by-method"`
	Label    Label  `json:"label"`
	Fault    *Error `json:"fault"`
	Hidden   string `json:"-"`
	secret   string
	Plain    string
	Big      int64 `json:"big,string"`
}

// PlainRequest has no directive.
type PlainRequest struct {
	Head
}

// PlainResult is empty.
type PlainResult struct{}

var _ = LookAtResult{}.secret

// Pair has a type of another package and one of its own.
type Pair struct {
	There other.Point `json:"there"`
	Here  Point       `json:"here"`
}
