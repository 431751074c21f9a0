// Package other holds a type of the same name as one in shapes.
package other

// Point is another point.
type Point struct {
	Z float64 `json:"z"`
}
