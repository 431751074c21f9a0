//go:build js && wasm

// Command graded is the engine for studies of one design.
package main

import (
	"retrace/core/design/graded"
	"retrace/core/study"
	"retrace/wasm/engine"
)

func main() { engine.Run(study.Designs{graded.Design}) }
