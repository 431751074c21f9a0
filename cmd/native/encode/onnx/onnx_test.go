package onnx

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	ids := tensor{"input_ids", "int64", []int64{-1, -1}}
	mask := tensor{"attention_mask", "int64", []int64{-1, -1}}
	types := tensor{"token_type_ids", "int64", []int64{-1, -1}}
	hidden, pooled := tensor{"output_0", "float32", []int64{-1, -1, 384}}, tensor{"882", "float32", []int64{-1, 384}}
	bert := []tensor{ids, mask, types}
	for _, c := range []struct {
		name            string
		inputs, outputs []tensor
		output, err     string
	}{
		{"langchain4j's export", bert, []tensor{hidden, pooled}, "output_0", ""},
		{"no token types", []tensor{mask, ids}, []tensor{pooled, hidden}, "output_0", ""},
		{"dimension not fixed", bert, []tensor{{"x", "float32", []int64{-1, -1, -1}}}, "x", ""},
		{"two candidates, one named", bert, []tensor{hidden, {"last_hidden_state", "float32", []int64{-1, -1, 384}}},
			"last_hidden_state", ""},
		{"two candidates", bert, []tensor{hidden, {"y", "float32", []int64{-1, -1, 384}}}, "", "several outputs"},
		{"another input", append([]tensor{{"pixel_values", "float32", []int64{-1, 3, 224, 224}}}, bert...), []tensor{hidden}, "",
			"pixel_values (float32, ?×3×224×224), which is not known"},
		{"no mask", []tensor{ids}, []tensor{hidden}, "", "no input attention_mask"},
		{"32-bit ids", []tensor{{"input_ids", "int32", []int64{-1, -1}}, mask}, []tensor{hidden}, "", "not int64"},
		{"another dimension", bert, []tensor{{"h", "float32", []int64{-1, -1, 768}}}, "", "another dimension than 384"},
		{"pooled output only", bert, []tensor{pooled}, "", "no output is float32, batch × length × 384"},
		{"half precision", bert, []tensor{{"h", "float16", []int64{-1, -1, 384}}}, "", "no output is float32"},
	} {
		s, err := match(c.inputs, c.outputs, 384)
		if c.err == "" && (err != nil || s.output != c.output || len(s.inputs) != len(c.inputs)) {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.err)
		}
	}
}
