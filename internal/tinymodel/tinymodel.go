// Package tinymodel makes a sentence encoder of random weights by a stated stream, for tests that must not need a real
// one. Its tokenizer is core/encoder/wordpiece/testdata/small.json.
package tinymodel

import (
	"fmt"
	"hash/fnv"

	"retrace/core/encoder"
	"retrace/core/encoder/weights"
)

// Config is the model's shape: sizes that are no multiples of a panel's width, so that what fills them up matters.
var Config = encoder.Config{
	Hidden: 40, Layers: 2, Heads: 2, Intermediate: 72, Vocabulary: 231, Positions: 40, Types: 2, Epsilon: 1e-12,
	Pooling: encoder.Mean, MaxTokens: 24,
}

// Files returns the model's folder but for tokenizer.json, by path.
func Files() map[string][]byte {
	file, err := weights.Safetensors(Tensors(Config)...)
	if err != nil {
		panic(err) // nothing here depends on anything
	}
	return map[string][]byte{
		encoder.ConfigFile: []byte(`{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 40,
  "num_hidden_layers": 2, "num_attention_heads": 2,
  "intermediate_size": 72, "vocab_size": 231, "max_position_embeddings": 40, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
  "position_embedding_type": "absolute"}`),
		encoder.ModulesFile: []byte(`[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
  {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
  {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]`),
		encoder.LengthFile:  []byte(`{"max_seq_length": 24, "do_lower_case": false}`),
		encoder.PoolingFile: []byte(`{"word_embedding_dimension": 40, "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`),
		encoder.WeightsFile: file,
	}
}

// Tensors returns a model's tensors. Value i of a tensor is centre + (u − ½)·width: u is the upper 24 bits, as a fraction
// of 2²⁴, of SplitMix64's output i (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195) seeded with the FNV-1a hash
// (64 bits) of the tensor's name. Products and sums are exact in float32. The centre is 1 for the weights of layer
// normalisations, else 0; the width is ½, for the weights of products 1.
func Tensors(c encoder.Config) []weights.Tensor {
	var list []weights.Tensor
	add := func(name string, centre, width float32, shape ...int) {
		h := fnv.New64a()
		h.Write([]byte(name))
		state, n := h.Sum64(), 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			state += 0x9e3779b97f4a7c15
			z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			u := float32((z^z>>31)>>40) * 0x1p-24
			values[i] = centre + float32((u-0.5)*width)
		}
		list = append(list, weights.FromValues(name, values, shape...))
	}
	norm := func(name string) {
		add(name+".weight", 1, 0.5, c.Hidden)
		add(name+".bias", 0, 0.5, c.Hidden)
	}
	linear := func(name string, in, out int) {
		add(name+".weight", 0, 1, out, in)
		add(name+".bias", 0, 0.5, out)
	}
	add("embeddings.word_embeddings.weight", 0, 0.5, c.Vocabulary, c.Hidden)
	add("embeddings.position_embeddings.weight", 0, 0.5, c.Positions, c.Hidden)
	add("embeddings.token_type_embeddings.weight", 0, 0.5, c.Types, c.Hidden)
	norm("embeddings.LayerNorm")
	for i := range c.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		linear(p+"attention.self.query", c.Hidden, c.Hidden)
		linear(p+"attention.self.key", c.Hidden, c.Hidden)
		linear(p+"attention.self.value", c.Hidden, c.Hidden)
		linear(p+"attention.output.dense", c.Hidden, c.Hidden)
		norm(p + "attention.output.LayerNorm")
		linear(p+"intermediate.dense", c.Hidden, c.Intermediate)
		linear(p+"output.dense", c.Intermediate, c.Hidden)
		norm(p + "output.LayerNorm")
	}
	return list
}
