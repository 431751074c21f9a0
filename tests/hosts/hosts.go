// Package hosts gives tests the engine in more than one host behind one interface: bytes in, bytes out.
package hosts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"retrace/core/proto"

	"retrace/internal/wasmbuild"
)

// A Host answers requests with replies, as proto.Handle does.
type Host interface {
	AddFile(path string, data []byte) error
	Handle(request []byte) ([]byte, error)
}

// Native is the engine in this process.
type Native struct{ session *proto.Session }

// NewNative returns an engine without files.
func NewNative() Native { return Native{proto.NewSession()} }

// AddFile hands the engine a kit file.
func (n Native) AddFile(path string, data []byte) error {
	n.session.AddFile(path, data)
	return nil
}

// Handle answers a request.
func (n Native) Handle(request []byte) ([]byte, error) { return proto.Handle(n.session, request), nil }

// Node is the engine as WebAssembly in Node, by way of web/test/support/stdio.mjs.
type Node struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	end io.Closer
	out *bufio.Reader
}

// Wasm compiles the engine as the site's build does and returns the files' names: WebAssembly and Go's script for it.
func Wasm(project, dir string) (wasm, script string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", "", fmt.Errorf("hosts: go env GOROOT: %w", err)
	}
	wasm = filepath.Join(dir, "engine.wasm")
	cmd := wasmbuild.Command(context.Background(), "./wasm", wasm)
	cmd.Dir = project
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("hosts: compiling ./wasm: %w\n%s", err, out)
	}
	return wasm, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"), nil
}

// StartNode runs the engine in Node until Close.
func StartNode(project, wasm, script string) (*Node, error) {
	cmd := exec.Command("node", filepath.Join(project, "web", "test", "support", "stdio.mjs"), wasm, script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("hosts: node: %w", err)
	}
	return &Node{cmd: cmd, in: bufio.NewWriter(in), end: in, out: bufio.NewReader(out)}, nil
}

// Close ends Node.
func (n *Node) Close() error {
	return errors.Join(n.end.Close(), n.cmd.Wait())
}

// AddFile hands the engine a kit file.
func (n *Node) AddFile(path string, data []byte) error {
	_, err := n.exchange([]byte("f"+path+"\x00"), data)
	return err
}

// Handle answers a request.
func (n *Node) Handle(request []byte) ([]byte, error) { return n.exchange([]byte("r"), request) }

func (n *Node) exchange(parts ...[]byte) ([]byte, error) {
	frame := bytes.Join(parts, nil)
	if err := binary.Write(n.in, binary.LittleEndian, uint32(len(frame))); err != nil {
		return nil, err
	}
	if _, err := n.in.Write(frame); err != nil {
		return nil, err
	}
	if err := n.in.Flush(); err != nil {
		return nil, err
	}
	var length uint32
	if err := binary.Read(n.out, binary.LittleEndian, &length); err != nil {
		return nil, fmt.Errorf("hosts: node ended: %w", err)
	}
	reply := make([]byte, length)
	_, err := io.ReadFull(n.out, reply)
	return reply, err
}

// AddKit hands a host every file of a kit.
func AddKit(h Host, kit fs.FS) error {
	return fs.WalkDir(kit, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(kit, path)
		if err != nil {
			return err
		}
		return h.AddFile(path, data)
	})
}

// Replay runs a study's replay on one host, unit by unit, as a page does, and returns the SHA-256 of its results.
func Replay(h Host, study string) (hash string, err error) {
	var state proto.ReplayResult
	if err := ask(h, "replay", proto.ReplayRequest{Study: study}, &state); err != nil {
		return "", err
	}
	for !state.Done {
		for _, unit := range state.Units {
			var done proto.UnitResult
			if err := ask(h, "unit", proto.UnitRequest{Study: study, Unit: unit}, &done); err != nil {
				return "", err
			}
			if err := ask(h, "add", proto.AddRequest{Observations: done.Observations}, &proto.AddResult{}); err != nil {
				return "", err
			}
		}
		state = proto.ReplayResult{}
		if err := ask(h, "close", proto.CloseRequest{}, &state); err != nil {
			return "", err
		}
	}
	return state.Outcome.SHA256, nil
}

// ask sends a request of a kind and reads the reply's result. The kind stands in the request's embedded Head.
func ask(h Host, kind string, request, result any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	fields["id"], fields["kind"] = json.RawMessage("1"), json.RawMessage(`"`+kind+`"`)
	if body, err = json.Marshal(fields); err != nil {
		return err
	}
	reply, err := h.Handle(body)
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage
		Error  *proto.Error
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return fmt.Errorf("hosts: %s: reply is not JSON: %w", kind, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("hosts: %s: %s", kind, answer.Error.Message)
	}
	return json.Unmarshal(answer.Result, result)
}
