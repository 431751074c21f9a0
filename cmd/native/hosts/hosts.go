// Package hosts runs the engine in more than one place behind one interface: in this process, and as WebAssembly in Node
// and in Chromium.
package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/proto"
	"retrace/core/study"
)

// A Host answers requests with replies, as proto.Handle does. It serves one caller at a time.
type Host interface {
	// Version says what the engine runs in.
	Version() string
	// AddFile hands the engine a kit file.
	AddFile(ctx context.Context, path string, data []byte) error
	// Handle answers a request.
	Handle(ctx context.Context, request []byte) ([]byte, error)
	// Close ends the host and leaves nothing behind.
	Close() error
}

// NewNative returns the engine in this process, without files.
func NewNative() Host { return native{proto.NewSession(design.All)} }

type native struct{ session *proto.Session }

func (n native) Version() string { return runtime.Version() }
func (n native) Close() error    { return nil }

func (n native) AddFile(_ context.Context, path string, data []byte) error {
	n.session.AddFile(path, data)
	return nil
}

func (n native) Handle(ctx context.Context, request []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return proto.Handle(n.session, request), nil
}

// AddFiles hands a host files by their paths in the kit.
func AddFiles(ctx context.Context, h Host, files kit.Memory, order []string) error {
	for _, path := range order {
		if err := h.AddFile(ctx, path, files[path]); err != nil {
			return err
		}
	}
	return nil
}

// Replay runs a study's replay on one host, unit by unit, as a page does.
func Replay(ctx context.Context, h Host, id string, progress study.Progress) (*proto.OutcomeResult, error) {
	var state proto.ReplayResult
	if err := Ask(ctx, h, "replay", proto.ReplayRequest{Study: id}, &state); err != nil {
		return nil, err
	}
	for !state.Done {
		stage := state.Stages[state.Stage]
		for i, unit := range state.Units {
			if progress != nil {
				progress(stage, i, len(state.Units))
			}
			var done struct {
				Observations json.RawMessage `json:"observations"` // handed on as they are
			}
			if err := Ask(ctx, h, "unit", proto.UnitRequest{Study: id, Unit: unit}, &done); err != nil {
				return nil, err
			}
			if err := Ask(ctx, h, "add", done, &proto.AddResult{}); err != nil {
				return nil, err
			}
		}
		state = proto.ReplayResult{}
		if err := Ask(ctx, h, "close", proto.CloseRequest{}, &state); err != nil {
			return nil, err
		}
	}
	if state.Outcome == nil {
		return nil, fmt.Errorf("hosts: the replay of %s ended without an outcome", id)
	}
	return state.Outcome, nil
}

// Ask sends a request of a kind and reads the reply's result.
func Ask(ctx context.Context, h Host, kind string, request, result any) error {
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
	reply, err := h.Handle(ctx, body)
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage
		Error  *proto.Error
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return fmt.Errorf("hosts: %s: the reply is not JSON: %w", kind, err)
	}
	if answer.Error != nil {
		return &Refusal{kind, *answer.Error}
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("hosts: %s: the reply's result has another shape: %w", kind, err)
	}
	return nil
}

// A Refusal is an error that the engine replied with.
type Refusal struct {
	Kind  string // of the request
	About proto.Error
}

func (r *Refusal) Error() string { return r.Kind + ": " + r.About.Message }

// Hint says what to do.
func (r *Refusal) Hint() string { return r.About.Hint }
