// Package channel has a field that encoding/json refuses.
package channel

// Pipe can't be written.
type Pipe struct{ C chan int }
