//go:build js && wasm

// Package engine is the engine in a browser or in Node: bytes in, proto.Handle, bytes out, nothing else. The commands beside it
// run it: wasm with all designs, the folders below with one each, so that a study's page loads no other design's code.
//
// It sets globalThis.retrace = { addFile(path: string, data: Uint8Array): void, handle(request: Uint8Array): Uint8Array,
// addArchive(data: Uint8Array): Uint8Array } and calls globalThis.retraceReady(), if the host has defined it, once both can be called.
package engine

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"retrace/core/proto"
	"retrace/core/study"
)

// Run serves requests until the host ends the worker.
func Run(designs study.Designs) {
	session := proto.NewSession(designs)
	api := js.Global().Get("Object").New()
	api.Set("addFile", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 || args[0].Type() != js.TypeString || !isBytes(args[1]) {
			return jsError("wasm: addFile: want (path: string, data: Uint8Array)")
		}
		session.AddFile(args[0].String(), goBytes(args[1]))
		return nil
	}))
	api.Set("handle", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || !isBytes(args[0]) {
			return jsBytes(failure(nil, "bad-request", "wasm: handle: want (request: Uint8Array)"))
		}
		return jsBytes(handle(session, goBytes(args[0])))
	}))
	api.Set("addArchive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || !isBytes(args[0]) {
			return jsBytes(failure(nil, "bad-request", "wasm: addArchive: want (data: Uint8Array)"))
		}
		return jsBytes(proto.HandleArchive(session, goBytes(args[0])))
	}))
	js.Global().Set("retrace", api)
	if ready := js.Global().Get("retraceReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {} // the functions above are called until the host ends the worker
}

// handle answers a request; a panic in the engine becomes an error reply, so that the page can show it and go on.
func handle(session *proto.Session, request []byte) (reply []byte) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = failure(request, "panic", fmt.Sprintf("wasm: the engine stopped: %v\n%s", cause, debug.Stack()))
		}
	}()
	return proto.Handle(session, request)
}

// failure builds an error reply in proto's shape; the id is the request's where it can be read, else null.
func failure(request []byte, code, message string) []byte {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(request, &head) != nil || head.ID == nil {
		head.ID = json.RawMessage("null")
	}
	type fault struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	reply, err := json.Marshal(struct {
		ID    json.RawMessage `json:"id"`
		Error fault           `json:"error"`
	}{head.ID, fault{code, message, "report this with the request that caused it; reload the page to go on"}})
	if err != nil { // an id that json.Unmarshal accepted can always be written
		panic(err)
	}
	return reply
}

func isBytes(v js.Value) bool { return v.InstanceOf(js.Global().Get("Uint8Array")) }

func goBytes(v js.Value) []byte {
	data := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(data, v)
	return data
}

func jsBytes(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// jsError is returned, not thrown: a Go function called from JavaScript has no way to throw.
func jsError(message string) js.Value { return js.Global().Get("Error").New(message) }
