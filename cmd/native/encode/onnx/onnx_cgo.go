//go:build cgo

package onnx

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// ONNX Runtime keeps one environment a process, so that the first library opened is the only one.
var (
	opening sync.Mutex
	opened  string // absolute path of the library, once it is open
)

// Open loads the runtime's shared library and returns its version. Opening the same file again does nothing; another
// file is an error.
func Open(library string) (version string, err error) {
	path, err := filepath.Abs(library) // a bare name would be looked for on the system's paths
	if err != nil {
		return "", err
	}
	opening.Lock()
	defer opening.Unlock()
	if opened == path {
		return ort.GetVersion(), nil
	}
	if opened != "" {
		return "", fmt.Errorf("onnx: %s is already open: a program uses one runtime, so start another for %s", opened, path)
	}
	runtime.LockOSThread() // dlerror tells only the thread that failed
	defer runtime.UnlockOSThread()
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		switch {
		case strings.Contains(err.Error(), "OrtGetApiBase"):
			return "", fmt.Errorf("onnx: %s is a shared library, but not ONNX Runtime: name libonnxruntime (make model fetches it)", path)
		case strings.Contains(err.Error(), "setting ORT API base"):
			return "", fmt.Errorf("onnx: %s is an ONNX Runtime whose API is too old for this program: 1.24 or newer is needed (make "+
				"model fetches one)", path)
		}
		return "", fmt.Errorf("onnx: cannot load %s as a shared library of this machine: %w", path, err)
	}
	opened = path
	return ort.GetVersion(), nil
}

// A Model is ready to run. Its methods may be called side by side.
type Model struct {
	session   *ort.DynamicAdvancedSession
	signature signature
	dimension int
}

// Load prepares a model, the bytes of an .onnx file, whose vectors have the given dimension. Each Run uses one thread:
// texts are many, so that running batches side by side keeps cores busier than sharing one out.
func Load(file []byte, dimension int) (*Model, error) {
	if len(file) == 0 {
		return nil, fmt.Errorf("onnx: the model is an empty file")
	}
	ins, outs, err := ort.GetInputOutputInfoWithONNXData(file)
	if err != nil {
		return nil, fmt.Errorf("onnx: the runtime does not accept the model: %w", err)
	}
	s, err := match(tensors(ins), tensors(outs), dimension)
	if err != nil {
		return nil, err
	}
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer options.Destroy()
	if err := options.SetIntraOpNumThreads(1); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	session, err := ort.NewDynamicAdvancedSessionWithONNXData(file, s.inputs, []string{s.output}, options)
	if err != nil {
		return nil, fmt.Errorf("onnx: the runtime does not accept the model: %w", err)
	}
	return &Model{session, s, dimension}, nil
}

func tensors(infos []ort.InputOutputInfo) []tensor {
	out := make([]tensor, len(infos))
	for i, info := range infos {
		kind := info.DataType.String()
		switch {
		case info.OrtValueType != ort.ONNXTypeTensor:
			kind = info.OrtValueType.String()
		case info.DataType == ort.TensorElementDataTypeInt64:
			kind = "int64"
		case info.DataType == ort.TensorElementDataTypeFloat:
			kind = "float32"
		}
		out[i] = tensor{info.Name, kind, info.Dimensions}
	}
	return out
}

// Close frees the model.
func (m *Model) Close() error { return m.session.Destroy() }

// Run computes the last hidden states of a batch, Size × Length × dimension values, and hands them to use, after which
// they are gone. A cancelled ctx stops it.
func (m *Model) Run(ctx context.Context, b Batch, use func(hidden []float32) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	shape := ort.NewShape(int64(b.Size), int64(b.Length))
	inputs := make([]ort.Value, len(m.signature.inputs))
	for i, name := range m.signature.inputs {
		data := b.IDs
		switch name {
		case attentionMask:
			data = b.Mask
		case tokenTypes:
			data = make([]int64, b.Size*b.Length)
		}
		t, err := ort.NewTensor(shape, data)
		if err != nil {
			return fmt.Errorf("onnx: %w", err)
		}
		defer t.Destroy()
		inputs[i] = t
	}
	options, err := ort.NewRunOptions()
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	defer options.Destroy()
	terminated := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { options.Terminate(); close(terminated) })
	outputs := []ort.Value{nil} // made by the runtime
	err = m.session.RunWithOptions(inputs, outputs, options)
	if !stop() {
		<-terminated // options must outlive it
	}
	if outputs[0] != nil {
		defer outputs[0].Destroy()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err() // whatever the runtime says of being stopped
	case err != nil:
		return fmt.Errorf("onnx: running the model: %w", err)
	}
	t, ok := outputs[0].(*ort.Tensor[float32])
	want := ort.NewShape(int64(b.Size), int64(b.Length), int64(m.dimension))
	if !ok || !t.GetShape().Equals(want) {
		return fmt.Errorf("onnx: output %s has shape %v for a batch of %d × %d: %v was expected", m.signature.output,
			outputs[0].GetShape(), b.Size, b.Length, want)
	}
	return use(t.GetData())
}
