//go:build js && wasm

// Command knownitem is the engine for studies of one design.
package main

import (
	"retrace/core/design/knownitem"
	"retrace/core/study"
	"retrace/wasm/engine"
)

func main() { engine.Run(study.Designs{knownitem.Design}) }
