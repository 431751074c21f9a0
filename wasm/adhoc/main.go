//go:build js && wasm

// Command adhoc is the engine for studies of one design.
package main

import (
	"retrace/core/design/adhoc"
	"retrace/core/study"
	"retrace/wasm/engine"
)

func main() { engine.Run(study.Designs{adhoc.Design}) }
