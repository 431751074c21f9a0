//go:build js && wasm

// Command binary is the engine for studies of one design.
package main

import (
	"retrace/core/design/binary"
	"retrace/core/study"
	"retrace/wasm/engine"
)

func main() { engine.Run(study.Designs{binary.Design}) }
