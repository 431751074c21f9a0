//go:build js && wasm

// Command wasm is the engine with all designs.
package main

import (
	"retrace/core/design"
	"retrace/wasm/engine"
)

func main() { engine.Run(design.All) }
