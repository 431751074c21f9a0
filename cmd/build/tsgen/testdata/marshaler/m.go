// Package marshaler has a type that doesn't say what it writes.
package marshaler

// Odd writes something.
type Odd struct{ A int }

// MarshalJSON writes it.
func (Odd) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
