//go:build js && wasm

// Command ending stands in for the edge's program in a test: it counts its requests and ends when asked to.
package main

import (
	"fmt"
	"net/http"
	"os"
	"syscall/js"

	"github.com/syumai/workers"
)

func main() {
	requests := 0
	workers.ServeNonBlock(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/exit":
			os.Exit(3)
		case "/v1/panic":
			panic("asked for")
		}
		requests++
		body := js.Global().Get("Blob").New([]any{fmt.Sprint(requests)})
		w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(body)
	}))
	workers.Ready()
	select {}
}
