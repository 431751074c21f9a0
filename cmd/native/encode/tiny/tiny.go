// Package tiny makes ONNX models of a few hundred bytes, for tests that must not need the real one: a table with a
// vector for each token id, looked up without regard to context.
package tiny

import (
	"encoding/binary"
	"math"
)

// A Model has one operator, Gather(Rows, input_ids), so that what comes out can be worked out by hand.
type Model struct {
	Rows   [][]float32 // Rows[id] is the vector of token id
	Inputs []string    // int64, batch × length; the first is looked up
	Output string      // float32, batch × length × dimension
}

// Bytes returns the .onnx file: the protocol buffer of onnx.proto (github.com/onnx/onnx, IR version 8, opset 14).
func (m Model) Bytes() []byte {
	dimension := len(m.Rows[0])
	var raw []byte
	for _, row := range m.Rows {
		for _, x := range row {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	const float, integer = 1, 7 // TensorProto.DataType
	var graph message
	graph.sub(1, new(message).text(1, "table").text(1, m.Inputs[0]).text(2, m.Output).text(4, "Gather"))
	graph.text(2, "tiny")
	graph.sub(5, new(message).number(1, len(m.Rows)).number(1, dimension).number(2, float).text(8, "table").text(9, string(raw)))
	for _, name := range m.Inputs {
		graph.sub(11, value(name, integer, 0, 0))
	}
	graph.sub(12, value(m.Output, float, 0, 0, dimension))
	var model message
	model.number(1, 8).sub(7, &graph).sub(8, new(message).text(1, "").number(2, 14))
	return model
}

// value is a ValueInfoProto; a dimension of 0 is not fixed.
func value(name string, kind int, dims ...int) *message {
	var shape message
	for i, d := range dims {
		if d > 0 {
			shape.sub(1, new(message).number(1, d))
		} else {
			shape.sub(1, new(message).text(2, string(rune('a'+i))))
		}
	}
	return new(message).text(1, name).sub(2, new(message).sub(1, new(message).number(1, kind).sub(2, &shape)))
}

// A message is an encoded protocol buffer message; its methods append a field.
type message []byte

func (m *message) number(field, n int) *message {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(n))
	return m
}

func (m *message) text(field int, s string) *message {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
	return m
}

func (m *message) sub(field int, sub *message) *message { return m.text(field, string(*sub)) }
