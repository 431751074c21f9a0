// Package bridge checks that a request gets the same reply, byte for byte, natively and through WebAssembly.
package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"retrace/cmd/native/hosts"
	"retrace/core/design"
	"retrace/core/proto"
	"retrace/core/study/studytest"
	"retrace/kit"
	"retrace/tests/engines"
)

const root = "../.."

func startNode(t *testing.T) hosts.Host {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the engine to WebAssembly: not with -short")
	}
	path, err := hosts.FindNode("")
	if err != nil {
		t.Skip(err)
	}
	engine, err := engines.Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node, err := hosts.StartNode(context.Background(), path, engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.Close(); err != nil {
			t.Error("node:", err)
		}
	})
	return node
}

// compare sends a request to both hosts and returns the reply.
func compare(t *testing.T, name string, request []byte, native, node hosts.Host) []byte {
	t.Helper()
	want, err := native.Handle(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	got, err := node.Handle(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s: replies differ:\nnative %s\nnode   %s", name, clip(want), clip(got))
	}
	if !json.Valid(want) {
		t.Errorf("%s: reply is not JSON: %s", name, clip(want))
	}
	return want
}

func clip(data []byte) string {
	if len(data) > 600 {
		return fmt.Sprintf("%q… (%d bytes)", data[:600], len(data))
	}
	return fmt.Sprintf("%q", data)
}

// testdata/requests.jsonl holds one request a line, in the order in which a page might ask.
func TestRequestFile(t *testing.T) {
	node := startNode(t)
	native := hosts.NewNative()
	for _, h := range []hosts.Host{native, node} {
		if err := engines.AddKit(h, kit.FS); err != nil {
			t.Fatal(err)
		}
	}
	requests, err := os.ReadFile("testdata/requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, request := range bytes.Split(bytes.TrimSpace(requests), []byte("\n")) {
		reply := compare(t, fmt.Sprintf("line %d", i+1), request, native, node)
		if bytes.Contains(reply, []byte(`"error":{`)) {
			t.Errorf("line %d: %s: an error: %s", i+1, request, clip(reply))
		}
	}
}

func TestHostileRequests(t *testing.T) {
	node := startNode(t)
	native := hosts.NewNative()
	for name, request := range map[string]string{
		"empty":               "",
		"not JSON":            "{",
		"a list":              "[]",
		"null":                "null",
		"two objects":         `{"id":1,"kind":"studies"}{}`,
		"trailing text":       `{"id":1,"kind":"studies"} x`,
		"no kind":             `{"id":1}`,
		"unknown kind":        `{"id":1,"kind":"shutdown"}`,
		"kind is markup":      `{"id":"<b>","kind":"<img src=x onerror=alert(1)>"}`,
		"kind is a number":    `{"id":1,"kind":7}`,
		"unknown field":       `{"id":1,"kind":"studies","also":true}`,
		"unknown study":       `{"id":1,"kind":"load","study":"none"}`,
		"study leaves folder": `{"id":1,"kind":"load","study":"../../etc"}`,
		"id is a long string": `{"id":"` + strings.Repeat("x", 1000) + `","kind":"studies"}`,
		"id is an object":     `{"id":{"a":[1]},"kind":"studies"}`,
		"deeply nested":       strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000),
		"NUL":                 "{\"id\":1,\"kind\":\"stu\x00dies\"}",
		"invalid UTF-8":       "{\"id\":1,\"kind\":\"\xff\xfe\"}",
		"lone surrogate":      `{"id":1,"kind":"\ud800"}`,
		"bidirectional":       "{\"id\":1,\"kind\":\"\u202estudies\u202c\"}",
		"number out of range": `{"id":1e999,"kind":"search","k":1e999}`,
		"ten megabytes":       `{"id":1,"kind":"` + strings.Repeat("a", 10<<20) + `"}`,
		"over the limit":      `{"id":1,"kind":"search","query":"` + strings.Repeat("a", 17<<20) + `"}`,
	} {
		reply := compare(t, name, []byte(request), native, node)
		if name != "id is an object" && name != "id is a long string" && !bytes.Contains(reply, []byte(`"error":{`)) {
			t.Errorf("%s: not an error: %s", name, clip(reply))
		}
	}
}

// Files of a kit are as hostile as requests: the errors must name the same place in both hosts.
func TestBrokenKits(t *testing.T) {
	node := startNode(t)
	native := hosts.NewNative()
	for name, files := range map[string]map[string]string{
		"no files":            {},
		"study is not JSON":   {"r01/study.json": "{", "r01/manifest.json": "{}"},
		"manifest of nothing": {"r01/manifest.json": `{"format":"retrace-manifest/1","folder":"r01","requires":[],"files":[]}`},
		"manifest is markup":  {"r01/manifest.json": "<html>"},
		"requires itself":     {"r01/manifest.json": `{"format":"retrace-manifest/1","folder":"r01","requires":["r01"],"files":[]}`},
		"long line":           {"r01/manifest.json": strings.Repeat("x", 10<<20)},
		"path leaves the kit": {"r01/manifest.json": `{"format":"retrace-manifest/1","folder":"r01","requires":[],` +
			`"files":[{"path":"../x","bytes":1,"sha256":""}]}`},
		"NUL and invalid text": {"r01/manifest.json": "\x00\xff"},
	} {
		for path, data := range files {
			for _, h := range []hosts.Host{native, node} {
				if err := h.AddFile(context.Background(), path, []byte(data)); err != nil {
					t.Fatal(err)
				}
			}
		}
		reply := compare(t, name, []byte(`{"id":1,"kind":"load","study":"r01"}`), native, node)
		if !bytes.Contains(reply, []byte(`"error":{`)) {
			t.Errorf("%s: not an error: %s", name, clip(reply))
		}
	}
}

// Every fault of a study that shows in loading it: the same file, line and hint in both hosts.
func TestFaults(t *testing.T) {
	node := startNode(t)
	native := hosts.NewNative()
	compared := 0
	for _, f := range studytest.Faults {
		m := studytest.Tiny()
		files := len(m)
		f.Change(m)
		request := []byte(`{"id":1,"kind":"load","study":"tiny"}`)
		if len(m) < files || !bytes.Contains(proto.Handle(proto.NewSessionFS(design.All, m), request), []byte(`"error":{`)) {
			continue // files can't be taken back from a host; what loads would be kept there
		}
		for path, data := range m {
			for _, h := range []hosts.Host{native, node} {
				if err := h.AddFile(context.Background(), path, data); err != nil {
					t.Fatal(err)
				}
			}
		}
		if reply := compare(t, f.Name, request, native, node); !bytes.Contains(reply, []byte(`"code":"bad-kit"`)) {
			t.Errorf("%s: %s", f.Name, clip(reply))
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("%d faults were compared", compared)
	}
}
