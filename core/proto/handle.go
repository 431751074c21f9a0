// Package proto holds requests and replies as Go structs, and the one Handle that every host calls: bytes in, bytes out.
package proto

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"unicode/utf8"

	"retrace/core/archive"
	"retrace/core/kit"
	"retrace/core/lab"
	"retrace/core/records"
	"retrace/core/study"
)

// MaxRequest is the longest request, in bytes.
const MaxRequest = 16 << 20

// A Session is what one host keeps between requests: the kit's files, loaded studies and one replay.
type Session struct {
	designs study.Designs
	files   kit.Memory
	fsys    fs.FS
	studies map[string]*study.Study
	replay  *study.Replay
	labs    map[string]*lab.Lab
}

// NewSession returns a session that knows the given designs, to which files are added one by one.
func NewSession(designs study.Designs) *Session {
	m := kit.Memory{}
	return &Session{designs: designs, files: m, fsys: m, studies: map[string]*study.Study{}}
}

// NewSessionFS returns a session that reads its files from fsys.
func NewSessionFS(designs study.Designs, fsys fs.FS) *Session {
	return &Session{designs: designs, files: kit.Memory{}, fsys: fsys, studies: map[string]*study.Study{}}
}

// AddFile hands a kit file to the session under its path in the kit. The session keeps data; it must not be changed.
func (s *Session) AddFile(path string, data []byte) { s.files[path] = data }

// Study returns a loaded study, loading it at first use.
func (s *Session) Study(id string) (*study.Study, error) {
	if st, ok := s.studies[id]; ok {
		return st, nil
	}
	st, err := study.Load(s.designs, s.fsys, id)
	if err != nil {
		return nil, err
	}
	s.studies[id] = st
	return st, nil
}

// fail is an error with a code and a hint.
type fail struct {
	about  Error
	noJSON bool // the request is no JSON at all, so that its id says nothing
}

func (f *fail) Error() string { return f.about.Message }

func failf(code, hint, format string, args ...any) error {
	return &fail{about: Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

// kinds names every request. A table rather than a switch, so that a list of them can be printed.
var kinds = map[string]func(*Session, []byte) (any, error){
	"studies":   answer((*Session).listStudies),
	"load":      answer((*Session).load),
	"describe":  answer((*Session).describe),
	"verify":    answer((*Session).verify),
	"replay":    answer((*Session).startReplay),
	"unit":      answer((*Session).unit),
	"add":       answerOnce((*Session).add),
	"close":     answer((*Session).closeStage),
	"frozen":    answer((*Session).frozen),
	"explain":   answer((*Session).explain),
	"question":  answer((*Session).question),
	"questions": answer((*Session).questions),
	"search":    answer((*Session).search),
	"figures":   answer((*Session).figures),

	"outcomeFile": answer((*Session).outcomeFile),
	"certificate": answer((*Session).certificate),

	"labPlan":   answer((*Session).labPlan),
	"labUnit":   answer((*Session).labUnit),
	"labReport": answer((*Session).labReport),
	"labKnobs":  answer((*Session).labKnobs),
	"labTry":    answer((*Session).labTry),
}

func answer[Q, R any](f func(*Session, Q) (R, error)) func(*Session, []byte) (any, error) {
	return func(s *Session, data []byte) (any, error) {
		var q Q
		if err := records.Decode("request", 0, data, &q); err != nil {
			var e *records.Error
			errors.As(err, &e)
			return nil, badRequest(data, e.What)
		}
		return f(s, q)
	}
}

// answerOnce is answer for the one request that comes by the megabyte in every replay: it is read in one pass instead of
// three. Repeated keys pass, the last one counts; what the observations say is checked as strictly as ever.
func answerOnce[Q, R any](f func(*Session, Q) (R, error)) func(*Session, []byte) (any, error) {
	return func(s *Session, data []byte) (any, error) {
		var q Q
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		err := d.Decode(&q)
		if err == nil && len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
			err = errors.New("text after the JSON value")
		}
		if err != nil {
			return nil, badRequest(data, err.Error())
		}
		return f(s, q)
	}
}

// badRequest says what is wrong with a request that can't be decoded.
func badRequest(request []byte, what string) error {
	var any json.RawMessage
	if err := json.Unmarshal(request, &any); err != nil {
		return notJSON(err)
	}
	return failf("bad-request", "see the request types in core/proto/types.go", "request: %s", what)
}

func notJSON(err error) error {
	return &fail{Error{Code: "bad-request", Message: fmt.Sprintf("request is not JSON: %v", err), Hint: "send one JSON object with id and kind"}, true}
}

// headOf reads a request's id and kind. Hosts put them first: then the rest is not looked at twice.
func headOf(request []byte) (head Head, err error) {
	d := json.NewDecoder(bytes.NewReader(request))
	if token, err := d.Token(); err == nil && token == json.Delim('{') {
		var id, kind bool
		for !(id && kind) && d.More() {
			key, err := d.Token()
			if err != nil {
				break
			}
			switch key {
			case "id":
				id = d.Decode(&head.ID) == nil
			case "kind":
				kind = d.Decode(&head.Kind) == nil
			default:
				id, kind = false, false
			}
			if !id && !kind {
				break
			}
		}
		if id && kind {
			return head, nil
		}
	}
	head = Head{}
	return head, json.Unmarshal(request, &head)
}

type reply struct {
	ID     json.RawMessage `json:"id"`
	Kind   string          `json:"kind"`
	Result any             `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Handle answers one JSON request with one JSON reply, which holds a result or an error, never neither. A panic, which is
// a fault of the program, becomes an error reply, so that a host can show it and go on.
func Handle(s *Session, request []byte) []byte {
	return respond(reply{ID: json.RawMessage("null")}, func(out *reply) (any, error) {
		switch {
		case len(request) > MaxRequest:
			return nil, failf("bad-request", "send less at once", "request of %d bytes: at most %d", len(request), MaxRequest)
		case !utf8.Valid(request):
			return nil, failf("bad-request", "send UTF-8", "request is not UTF-8")
		}
		head, err := headOf(request)
		if err != nil {
			return nil, notJSON(err)
		}
		if len(head.ID) > 0 && len(head.ID) <= maxName {
			out.ID = head.ID
		}
		f, ok := kinds[head.Kind]
		if !ok {
			return nil, failf("bad-request", "see the request types in core/proto/types.go", "unknown kind %.*q", maxName, head.Kind)
		}
		out.Kind = head.Kind
		return f(s, request)
	})
}

// respond writes the reply with what answer returns. answer may fill in the reply's ID and kind.
func respond(out reply, answer func(*reply) (any, error)) []byte {
	result, err := func() (result any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = failf("panic", "this is a fault of the program: please report it with the request; start the replay again to go on", "%v\n%s", cause, debug.Stack())
			}
		}()
		return answer(&out)
	}()
	if err != nil {
		var f *fail
		if errors.As(err, &f) && f.noJSON {
			out.ID, out.Kind = json.RawMessage("null"), ""
		}
		out.Error = describe(err)
	} else {
		out.Result = result
	}
	data, err := encode(out)
	if err != nil { // a result that JSON can't hold, such as NaN
		data, _ = encode(reply{ID: out.ID, Kind: out.Kind, Error: &Error{Code: "failed", Message: err.Error(), Hint: "this is a fault of the program: please report it"}})
	}
	return data
}

// maxName bounds what a reply repeats of a request.
const maxName = 256

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// describe turns any error into what a reply holds.
func describe(err error) *Error {
	var f *fail
	if errors.As(err, &f) {
		return &f.about
	}
	var r *records.Error
	if errors.As(err, &r) {
		where := r.File
		if r.Line > 0 {
			where = fmt.Sprintf("%s:%d", r.File, r.Line)
		}
		return &Error{Code: "bad-kit", Message: err.Error(), Hint: r.Hint, Where: where}
	}
	var a *archive.Error
	if errors.As(err, &a) {
		return &Error{Code: "bad-archive", Message: err.Error(), Hint: a.Hint(), Where: a.Path}
	}
	return &Error{Code: "failed", Message: err.Error()}
}

func (s *Session) listStudies(StudiesRequest) (StudiesResult, error) {
	out := StudiesResult{Studies: []StudySummary{}}
	ids, err := kit.Studies(s.fsys)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		p, _, err := study.ReadProtocol(s.designs, s.fsys, id) // not its data: a list is there before anything large is loaded
		if err != nil {
			return out, err
		}
		out.Studies = append(out.Studies, StudySummary{p.ID, p.Title, p.Summary, p.Version})
	}
	return out, nil
}

func (s *Session) load(q LoadRequest) (LoadResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return LoadResult{}, err
	}
	if q.Prepare {
		if err := st.Prepare(); err != nil {
			return LoadResult{}, err
		}
	}
	p := st.Protocol
	out := LoadResult{Study: p.ID, Title: p.Title, Documents: st.Collection.Len(), Questions: len(st.Questions), Terms: len(st.Index.Terms), Links: len(st.Links), Methods: []MethodInfo{}, Vectors: []string{}}
	for _, m := range p.Methods {
		out.Methods = append(out.Methods, MethodInfo{m.Name, st.TermOf(m.Name), m.Role, m.Label, m.Note, st.NeedsVectors(m.Name)})
	}
	for _, f := range []string{p.Collection.Vectors, p.Questions.Vectors} {
		if f != "" {
			out.Vectors = append(out.Vectors, f, study.SidecarOf(f))
		}
	}
	return out, nil
}

func (s *Session) describe(q DescribeRequest) (DescribeResult, error) {
	loaded, err := s.load(LoadRequest{Head: q.Head, Study: q.Study})
	return DescribeResult{loaded}, err
}

func (s *Session) verify(q VerifyRequest) (VerifyResult, error) {
	out := VerifyResult{Files: []FileState{}, Seals: []SealState{}}
	k, err := kit.Open(s.fsys, q.Study)
	if err != nil {
		return out, err
	}
	for _, f := range k.Files() {
		state := FileState{File: f, State: "same"}
		if info, err := fs.Stat(s.fsys, f.Path); err == nil && info.Size() > kit.MaxFile { // too large to be read and hashed
			state.State = "differs"
			out.Files = append(out.Files, state)
			continue
		}
		switch data, err := fs.ReadFile(s.fsys, f.Path); {
		case errors.Is(err, fs.ErrNotExist):
			state.State = "absent"
		case err != nil:
			return out, err
		default:
			if found := kit.Hash(data); found != f.SHA256 {
				state.State, state.Found = "differs", found
			}
		}
		out.Files = append(out.Files, state)
	}
	seals, err := k.Seals(q.Study)
	if err != nil {
		return out, err
	}
	for i, seal := range seals {
		file := fmt.Sprintf("%s/seals/%d-%s.json", q.Study, i+1, seal.Stage)
		expect, _ := k.Expect(file)
		out.Seals = append(out.Seals, SealState{file, seal.Stage, expect.SHA256, len(seal.Files), string(seal.Lock)})
	}
	return out, nil
}

func (s *Session) startReplay(q ReplayRequest) (ReplayResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return ReplayResult{}, err
	}
	if s.replay, err = st.NewReplay(study.Options{WithoutVectors: q.WithoutVectors}); err != nil {
		return ReplayResult{}, err
	}
	return s.replayState()
}

func (s *Session) replayState() (ReplayResult, error) {
	out := ReplayResult{Stages: s.replay.Stages(), Units: []study.Unit{}}
	name, units, done := s.replay.Stage()
	if out.Done = done; !done {
		out.Units = append(out.Units, units...) // a list, not null, where there is none
		for out.Stages[out.Stage] != name {
			out.Stage++
		}
		return out, nil
	}
	out.Stage = len(out.Stages)
	outcome, err := s.outcome()
	out.Outcome = outcome
	return out, err
}

func (s *Session) unit(q UnitRequest) (UnitResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return UnitResult{}, err
	}
	list, err := st.Run(q.Unit)
	return UnitResult{list}, err
}

var errNoReplay = failf("bad-request", "send a replay request first", "no replay in this session")

func (s *Session) add(q AddRequest) (AddResult, error) {
	if s.replay == nil {
		return AddResult{}, errNoReplay
	}
	err := s.replay.Add(q.Observations)
	return AddResult{s.replay.Pending()}, err
}

func (s *Session) closeStage(CloseRequest) (CloseResult, error) {
	if s.replay == nil {
		return CloseResult{}, errNoReplay
	}
	if err := s.replay.Close(); err != nil {
		return CloseResult{}, err
	}
	state, err := s.replayState()
	return CloseResult{state}, err
}

// outcome compares a finished replay with what is frozen.
func (s *Session) outcome() (*OutcomeResult, error) {
	o, err := s.replay.Outcome()
	if err != nil {
		return nil, err
	}
	st := s.replay.Study()
	out := &OutcomeResult{Results: o.Results, SHA256: o.SHA256, Differences: []study.Difference{}, Files: []OutcomeFile{}}
	if out.Numbers, err = st.Numbers(o.Results); err != nil {
		return nil, err
	}
	if out.Verdict, err = st.Protocol.Spec.Verdict(st.Protocol, o.Results); err != nil {
		return nil, err
	}
	for _, f := range o.Files {
		file := OutcomeFile{Path: f.Path, SHA256: kit.Hash(f.Data), Bytes: len(f.Data)}
		if frozen, ok := st.Kit.Expect(f.Path); ok {
			file.Frozen, file.Identical = frozen.SHA256, frozen.SHA256 == file.SHA256
		}
		out.Files = append(out.Files, file)
	}
	name := o.Files[0].Path
	if !st.Kit.Has(name) {
		return out, nil // a study that is not frozen yet
	}
	frozen, err := st.Kit.Read(name)
	if err != nil {
		return nil, err
	}
	if out.Differences, out.Total, err = study.Compare(frozen, o.Results); err != nil {
		return nil, err
	}
	if out.Identical = out.Total == 0; out.Identical {
		out.Differences, out.Same = []study.Difference{}, len(out.Numbers)
		return out, nil
	}
	numbers, err := st.Numbers(frozen)
	if err != nil {
		return nil, err
	}
	held := make(map[string]string, len(numbers))
	for _, n := range numbers {
		held[n.Path] = n.Value
	}
	for _, n := range out.Numbers {
		if held[n.Path] == n.Value {
			out.Same++
		}
	}
	return out, nil
}

func (s *Session) frozen(q FrozenRequest) (FrozenResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return FrozenResult{}, err
	}
	name := st.Protocol.FrozenResults(study.Options{WithoutVectors: q.WithoutVectors})
	data, err := st.Kit.Read(name)
	if err != nil {
		return FrozenResult{}, err
	}
	numbers, err := st.Numbers(data)
	return FrozenResult{data, kit.Hash(data), numbers}, err
}
