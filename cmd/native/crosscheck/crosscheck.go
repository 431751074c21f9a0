// Package crosscheck computes a study in several hosts of the engine and with embeddings that are made again, and writes
// down where the computations differ.
package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"retrace/cmd/native/hosts"
	"retrace/core/certificate"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/proto"
	"retrace/core/study"
)

// A Job says what to check.
type Job struct {
	Kit   fs.FS
	Study string
	Date  string // of the certificate, as given; may be empty

	Hosts   []Host                                  // beside the native one, in order
	Wasm    string                                  // SHA-256 of the WebAssembly engine that they run, empty where none does
	Encoder func(context.Context) (*Encoder, error) // nil: embeddings are not made again
	Core    func(context.Context) (*Encoder, error) // nil, or the project's own encoder, to compare with Encoder
	Skipped []certificate.Skipped                   // what the caller left out

	Progress func(what string, done, total int) // nil, or told how far the work is
}

// A Host is a place to run the engine in.
type Host struct {
	Name  string
	Start func(context.Context) (hosts.Host, error)
}

// Run does the job. Hosts and models that are not there (hosts.ErrMissing, encode.ErrMissing) are named under Skipped;
// everything else that fails is an error. The certificate's Problems tell whether all agree.
func Run(ctx context.Context, j Job) (*certificate.Certificate, error) {
	s, err := design.Load(j.Kit, j.Study)
	if err != nil {
		return nil, err
	}
	files, order, err := read(j.Kit, s.Kit)
	if err != nil {
		return nil, err
	}
	c := &certificate.Certificate{
		Format: certificate.Format, Study: s.Protocol.ID, Version: s.Protocol.Version, Date: j.Date,
		Engine:  certificate.Engine{Version: version(), Go: runtime.Version()},
		Machine: certificate.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Processor: processor(), Cores: runtime.NumCPU()},
		Skipped: append([]certificate.Skipped{}, j.Skipped...),
	}
	if c.Kit, err = proto.DescribeKit(s); err != nil {
		return nil, err
	}

	native := hosts.NewNative()
	first, err := j.platform(ctx, certificate.Native, native, files, order)
	if err != nil {
		return nil, err
	}
	frozen := certificate.Platform{Name: "frozen"}
	for _, f := range first.Files {
		if held, ok := s.Kit.Expect(f.Path); ok {
			frozen.Files = append(frozen.Files, held)
		} else {
			frozen.Files = append(frozen.Files, f) // nothing to compare with
		}
	}
	readNative := func(path string) ([]byte, error) { return made(ctx, native, path) }
	if first.Difference, err = difference(frozen, first, s.Kit.Read, readNative); err != nil {
		return nil, err
	}
	c.Platforms = append(c.Platforms, first)

	for _, h := range j.Hosts {
		p, err := j.other(ctx, h, first, readNative, files, order)
		var missing *missingError
		switch {
		case errors.As(err, &missing):
			c.Skipped = append(c.Skipped, certificate.Skipped{Name: h.Name, Why: missing.Error()})
		case err != nil:
			return nil, err
		default:
			c.Platforms = append(c.Platforms, p)
			c.Engine.Wasm = j.Wasm
		}
	}

	if j.Encoder != nil {
		results, err := readNative(first.Files[0].Path)
		if err != nil {
			return nil, err
		}
		if err := j.encode(ctx, c, s, results); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// missingError says that something is not there; the check goes on without it.
type missingError struct{ error }

// read reads every file that a study's replay may ask for, checked against the manifests, and lists their paths.
func read(fsys fs.FS, k *kit.Kit) (files kit.Memory, order []string, err error) {
	files = kit.Memory{}
	for _, f := range k.Manifests() {
		if files[f.Path], err = fs.ReadFile(fsys, f.Path); err != nil {
			return nil, nil, err
		}
		order = append(order, f.Path)
	}
	for _, f := range k.Files() {
		if !k.Present(f.Path) {
			continue // a study may name files that its users must get themselves
		}
		if files[f.Path], err = k.Read(f.Path); err != nil {
			return nil, nil, err
		}
		order = append(order, f.Path)
	}
	return files, order, nil
}

// platform replays the study on a host.
func (j *Job) platform(ctx context.Context, name string, h hosts.Host, files kit.Memory, order []string) (
	p certificate.Platform, err error,
) {
	j.tell(name+": loading", 0, 1)
	if err := hosts.AddFiles(ctx, h, files, order); err != nil {
		return p, err
	}
	o, err := hosts.Replay(ctx, h, j.Study, func(stage string, done, total int) { j.tell(name+": "+stage, done, total) })
	if err != nil {
		return p, err
	}
	p = certificate.Platform{Name: name, Runtime: h.Version(), Results: o.SHA256, Files: []kit.File{}}
	for _, f := range o.Files {
		p.Files = append(p.Files, kit.File{Path: f.Path, Bytes: int64(f.Bytes), SHA256: f.SHA256})
	}
	if len(p.Files) == 0 || p.Files[0].SHA256 != p.Results {
		return p, fmt.Errorf("crosscheck: %s: the first file of the outcome is not the results", name)
	}
	return p, nil
}

// other replays the study on a host beside the native one and compares.
func (j *Job) other(ctx context.Context, host Host, native certificate.Platform, readNative reader, files kit.Memory, order []string) (
	p certificate.Platform, err error,
) {
	j.tell(host.Name+": starting", 0, 1)
	h, err := host.Start(ctx)
	if errors.Is(err, hosts.ErrMissing) {
		return p, &missingError{err}
	}
	if err != nil {
		return p, err
	}
	defer h.Close()
	if p, err = j.platform(ctx, host.Name, h, files, order); err != nil {
		return p, &hostError{host.Name, err}
	}
	p.Difference, err = difference(native, p, readNative, func(path string) ([]byte, error) { return made(ctx, h, path) })
	return p, err
}

// hostError is an error of the engine in a host. The native engine replayed the same files before, so that the host's is
// most likely of another version.
type hostError struct {
	host string
	err  error
}

func (e *hostError) Error() string { return e.host + ": " + e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }
func (e *hostError) Hint() string {
	return "the WebAssembly engine may be of another version than this program: make site builds dist/ again, --wasm FILE names another"
}

func (j *Job) tell(what string, done, total int) {
	if j.Progress != nil {
		j.Progress(what, done, total)
	}
}

// A reader returns the content of a file that a computation made.
type reader func(path string) ([]byte, error)

// made asks a host for a file that its replay made.
func made(ctx context.Context, h hosts.Host, path string) ([]byte, error) {
	var file proto.OutcomeFileResult
	err := hosts.Ask(ctx, h, "outcomeFile", proto.OutcomeFileRequest{Path: path}, &file)
	return []byte(file.Text), err
}

// difference returns where the files of one computation first differ from those of another, nil where they are the same
// bytes.
func difference(other, here certificate.Platform, readOther, readHere reader) (*certificate.Difference, error) {
	held := map[string]string{}
	for _, f := range other.Files {
		held[f.Path] = f.SHA256
	}
	for _, f := range here.Files {
		want, ok := held[f.Path]
		delete(held, f.Path)
		if want == f.SHA256 {
			continue
		}
		d := &certificate.Difference{File: f.Path, Other: want, Here: f.SHA256, Total: 1}
		if !ok {
			return d, nil
		}
		a, err := readOther(f.Path)
		if err != nil {
			return nil, err
		}
		b, err := readHere(f.Path)
		var refusal *hosts.Refusal
		if errors.As(err, &refusal) {
			return d, nil // an engine that hands over no files: the hashes have to do
		}
		if err != nil {
			return nil, err
		}
		list, total, err := study.CompareFiles(f.Path, a, b)
		if err != nil {
			return nil, err
		}
		if total > 0 {
			d.Path, d.Other, d.Here, d.Total = list[0].Path, list[0].Frozen, list[0].Here, total
		}
		return d, nil
	}
	for _, f := range other.Files {
		if hash, ok := held[f.Path]; ok {
			return &certificate.Difference{File: f.Path, Other: hash, Total: 1}, nil
		}
	}
	return nil, nil
}
