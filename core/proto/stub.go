// Package proto holds requests and replies as Go structs, and the one Handle that every host calls.
//
// This file is a placeholder with the four names that hosts need and one kind, "ping".
package proto

import (
	"encoding/json"
	"fmt"
)

// Session is what one host keeps between requests: the kit's files.
type Session struct {
	files map[string][]byte
}

// NewSession returns a session without files.
func NewSession() *Session { return &Session{files: map[string][]byte{}} }

// AddFile hands a kit file to the session under its path in the kit.
func (s *Session) AddFile(path string, data []byte) { s.files[path] = data }

// PingRequest asks whether the engine answers.
type PingRequest struct {
	ID   json.RawMessage `json:"id"`
	Kind string          `json:"kind"`
}

// PingResult says what the session holds.
type PingResult struct {
	Files int `json:"files"` // number of files added so far
}

// Error is a failure a reader can act on.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Where   string `json:"where,omitempty"`
}

type reply struct {
	ID     json.RawMessage `json:"id"`
	Kind   string          `json:"kind,omitempty"`
	Result any             `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Handle answers one JSON request with one JSON reply.
func Handle(s *Session, request []byte) []byte {
	var req PingRequest
	out := reply{ID: json.RawMessage("null")}
	if err := json.Unmarshal(request, &req); err != nil {
		out.Error = &Error{Code: "bad-request", Message: fmt.Sprintf("proto: %v", err), Hint: "send one JSON object"}
	} else {
		if req.ID != nil {
			out.ID = req.ID
		}
		switch req.Kind {
		case "ping":
			out.Kind, out.Result = req.Kind, PingResult{Files: len(s.files)}
		default:
			out.Error = &Error{Code: "unknown-kind", Message: fmt.Sprintf("proto: unknown kind %q", req.Kind), Hint: "kinds: ping"}
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return []byte(`{"id":null,"error":{"code":"internal","message":"proto: reply cannot be written"}}`)
	}
	return data
}
