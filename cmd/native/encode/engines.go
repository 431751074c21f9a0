package encode

import (
	"context"

	"retrace/cmd/native/encode/onnx"
	coreencoder "retrace/core/encoder"
)

// onnxEngine runs the model in ONNX Runtime.
type onnxEngine struct {
	model     *onnx.Model
	dimension int
}

func (e *onnxEngine) Close() error { return e.model.Close() }

func (e *onnxEngine) encode(ctx context.Context, texts [][]int32) (rows [][]float32, err error) {
	laid := batch(texts)
	err = e.model.Run(ctx, laid, func(hidden []float32) error {
		rows, err = poolBatch(hidden, laid, e.dimension)
		return err
	})
	return rows, err
}

// coreEngine runs it in this project's own encoder.
type coreEngine struct{ model *coreencoder.Encoder }

func (coreEngine) Close() error { return nil }

func (e coreEngine) encode(ctx context.Context, texts [][]int32) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.model.Encode(texts)
}
