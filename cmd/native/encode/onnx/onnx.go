// Package onnx runs one sentence-embedding model in ONNX Runtime: token ids in, the last hidden states out.
//
// The runtime is a shared library that is loaded while the program runs, through github.com/yalue/onnxruntime_go. A
// program built without cgo has no way to do that; there, Open says so and everything else of the project works.
package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Batch is texts of one length as token ids: Size × Length values each, a text after the other. Mask is 1 where a
// token is attended and 0 where a shorter text was filled up.
type Batch struct {
	Size, Length int
	IDs, Mask    []int64
}

// ErrNoRuntime is what Open returns in a program that cannot load the runtime at all.
var ErrNoRuntime = errors.New("onnx: this program was built without cgo, which loading ONNX Runtime needs: build it with CGO_ENABLED=1 " +
	"and a C compiler")

// A tensor is an input or output of a model as the model declares it; a dimension of -1 is not fixed.
type tensor struct {
	name  string
	kind  string // "int64", "float32" or another
	shape []int64
}

func (t tensor) String() string {
	dims := make([]string, len(t.shape))
	for i, d := range t.shape {
		if dims[i] = fmt.Sprint(d); d < 0 {
			dims[i] = "?"
		}
	}
	return fmt.Sprintf("%s (%s, %s)", t.name, t.kind, strings.Join(dims, "×"))
}

// Names of the inputs of BERT models; the last is 0 for a single text, and some exports leave it out.
const (
	inputIDs      = "input_ids"
	attentionMask = "attention_mask"
	tokenTypes    = "token_type_ids"
)

// A signature says by which names a model is called.
type signature struct {
	inputs []string // of inputIDs, attentionMask, tokenTypes
	output string   // batch × length × dimension, float32
}

// match finds how to call a model from what it declares. Inputs go by name. The output goes by shape, because exports
// name it differently (last_hidden_state, output_0, token_embeddings): float32, three dimensions, the last of them as
// wanted or not fixed.
func match(inputs, outputs []tensor, dimension int) (signature, error) {
	var s signature
	for _, in := range inputs {
		if in.name != inputIDs && in.name != attentionMask && in.name != tokenTypes {
			return s, fmt.Errorf("onnx: the model has an input %v, which is not known here: a BERT export with %s, %s and %s is needed",
				in, inputIDs, attentionMask, tokenTypes)
		}
		if in.kind != "int64" || len(in.shape) != 2 {
			return s, fmt.Errorf("onnx: the model's input %v is not int64, batch × length: export it so", in)
		}
		s.inputs = append(s.inputs, in.name)
	}
	for _, name := range []string{inputIDs, attentionMask} {
		if !slices.Contains(s.inputs, name) {
			return s, fmt.Errorf("onnx: the model has no input %s (it has %v): a BERT export is needed", name, inputs)
		}
	}
	var fits, other []tensor
	for _, out := range outputs {
		if out.kind != "float32" || len(out.shape) != 3 {
			continue
		}
		if d := out.shape[2]; d == int64(dimension) || d < 0 {
			fits = append(fits, out)
		} else {
			other = append(other, out)
		}
	}
	switch {
	case len(fits) == 1:
		s.output = fits[0].name
		return s, nil
	case len(fits) > 1:
		if i := slices.IndexFunc(fits, func(t tensor) bool { return t.name == "last_hidden_state" }); i >= 0 {
			s.output = fits[i].name
			return s, nil
		}
		return s, fmt.Errorf("onnx: several outputs could be the last hidden state: %v: export the model with one, or name it "+
			"last_hidden_state", fits)
	case len(other) > 0:
		return s, fmt.Errorf("onnx: the model gives vectors of another dimension than %d: %v: say --dimension if that is meant",
			dimension, other)
	}
	return s, fmt.Errorf("onnx: no output is float32, batch × length × %d (the outputs are %v): export the model with its last hidden "+
		"state", dimension, outputs)
}
