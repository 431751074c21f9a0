//go:build js && wasm

// Command edge answers the edge's API in a JavaScript host of Cloudflare's kind: HTTP requests come and go through
// github.com/syumai/workers, files of the kit through the shim in worker/.
//
// One instance serves all requests of an isolate. The library's own shim starts a program for each; what ends a program
// there is the end of a body that it streams, so answers are handed over whole (WriteRawJSBody), which is also cheaper.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/syumai/workers"

	"retrace/cmd/edge/api"
)

// Bounds on memory, in bytes; workers have 128 MB for all. Beyond heap, parsed studies are dropped after a request; near
// memory, the garbage collector works harder.
const (
	heap   = 56 << 20
	memory = 80 << 20
)

func main() {
	debug.SetMemoryLimit(memory)
	host := js.Global().Get("context") // where the library looks for its binding, too
	var kit api.Kit
	if err := json.Unmarshal([]byte(host.Get("kit").String()), &kit); err != nil {
		fmt.Fprintln(os.Stderr, "edge: the bundle's list of kit files:", err)
		os.Exit(1)
	}
	kit.Read = func(names []string) ([][]byte, error) { return read(host, names) }
	workers.ServeNonBlock(whole{api.New(kit, heap)})
	workers.Ready()
	select {} // requests are answered until the host drops the instance
}

// whole collects a handler's answer and hands it over in one piece.
type whole struct{ handler http.Handler }

func (h whole) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The library cuts every header at its commas; entity tags and ranges need theirs.
	for name, values := range r.Header {
		r.Header[name] = []string{strings.Join(values, ",")}
	}
	a := &answer{header: w.Header(), status: http.StatusOK}
	h.handler.ServeHTTP(a, r)
	body := js.Null()
	if r.Method != http.MethodHead && a.body.Len() > 0 {
		body = js.Global().Get("Uint8Array").New(a.body.Len())
		js.CopyBytesToJS(body, a.body.Bytes())
	}
	w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(body)
	w.WriteHeader(a.status)
}

type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(data []byte) (int, error) { return a.body.Write(data) }

// read gets files from the shim's read(names): Promise<Uint8Array[]>.
func read(host js.Value, names []string) ([][]byte, error) {
	list := js.Global().Get("Array").New()
	for _, name := range names {
		list.Call("push", name)
	}
	type outcome struct {
		files [][]byte
		err   error
	}
	done := make(chan outcome, 1) // room for one: nobody may be left to receive it
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		files := make([][]byte, len(names))
		for i := range files {
			file := args[0].Index(i)
			files[i] = make([]byte, file.Get("byteLength").Int())
			js.CopyBytesToGo(files[i], file)
		}
		done <- outcome{files: files}
		return nil
	})
	catch := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer then.Release()
	defer catch.Release()
	host.Call("read", list).Call("then", then, catch)
	got := <-done
	return got.files, got.err
}
