//go:build !cgo

package onnx

import "context"

// Open returns ErrNoRuntime.
func Open(library string) (version string, err error) { return "", ErrNoRuntime }

// A Model cannot be made without cgo.
type Model struct{}

// Load returns ErrNoRuntime.
func Load(file []byte, dimension int) (*Model, error) { return nil, ErrNoRuntime }

// Close does nothing.
func (m *Model) Close() error { return nil }

// Run returns ErrNoRuntime.
func (m *Model) Run(ctx context.Context, b Batch, use func(hidden []float32) error) error {
	return ErrNoRuntime
}
