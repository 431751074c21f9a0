// Package encoder computes sentence embeddings with a BERT model (Devlin et al. 2018, arXiv:1810.04805; Sentence-BERT,
// Reimers and Gurevych 2019, arXiv:1908.10084), the same bits on every machine.
//
// Everything is float32 but where it says float64, each operation rounded by itself. A matrix product's sum begins with
// the bias and goes on in ascending order (Product); the sums of a normalisation and of a softmax are float64 in ascending
// order. A text's vector does not depend on what it is encoded together with.
package encoder

import (
	"fmt"
	"math"

	"retrace/core/encoder/weights"
	"retrace/core/exact"
)

// An Encoder makes vectors of texts given as word pieces. It is not changed after it was made and may be shared.
type Encoder struct {
	Config
	words            weights.Tensor // Vocabulary × Hidden, as it is stored: a text needs a few rows of it
	positions, types []float32
	norm             norm
	layers           []layer
	kernel           Kernel
}

// A layer is one block of the transformer: attention, then two products with GELU between, each added to what it was
// given and normalised.
type layer struct {
	query, key, value, attended linear
	attention                   norm
	wide, narrow                linear
	output                      norm
}

// A norm is a layer normalisation (Ba et al. 2016, arXiv:1607.06450).
type norm struct{ weight, bias []float32 }

// Use returns the encoder with another kernel; a kernel that keeps its promise changes no bit.
func (e *Encoder) Use(kernel Kernel) *Encoder {
	other := *e
	other.kernel = kernel
	return &other
}

// A Stage hears the states of a text's tokens after the embeddings (layer 0) and after each layer, from 1: tokens × Hidden
// values, which it must not keep.
type Stage func(text, layer int, states []float32)

// Encode returns the vector of each text, of length 1. A text is the ids of its word pieces with the special tokens, at
// most MaxTokens.
func (e *Encoder) Encode(texts [][]int32) ([][]float32, error) { return e.EncodeStages(texts, nil) }

// EncodeStages is Encode that shows what lies between; stage may be nil.
func (e *Encoder) EncodeStages(texts [][]int32, stage Stage) ([][]float32, error) {
	rows, longest := 0, 0
	for i, ids := range texts {
		if err := e.check(ids); err != nil {
			return nil, fmt.Errorf("encoder: text %d of %d: %w", i+1, len(texts), err)
		}
		rows += len(ids)
		longest = max(longest, len(ids))
	}
	w := e.workspace(rows, longest)
	e.embed(w.states, texts)
	e.show(stage, 0, w.states, texts)
	for i := range e.layers {
		e.layer(&e.layers[i], w, texts)
		e.show(stage, i+1, w.states, texts)
	}
	vectors := make([][]float32, len(texts))
	at := 0
	for i, ids := range texts {
		var err error
		if vectors[i], err = e.pool(w.states[at*w.hidden:(at+len(ids))*w.hidden], len(ids)); err != nil {
			return nil, fmt.Errorf("encoder: text %d of %d: %w", i+1, len(texts), err)
		}
		at += len(ids)
	}
	return vectors, nil
}

func (e *Encoder) check(ids []int32) error {
	if len(ids) == 0 {
		return fmt.Errorf("it has no word pieces, not even special tokens")
	}
	if len(ids) > e.MaxTokens {
		return fmt.Errorf("it has %d word pieces: at most %d are encoded: cut it off", len(ids), e.MaxTokens)
	}
	for _, id := range ids {
		if id < 0 || int(id) >= e.Vocabulary {
			return fmt.Errorf("word piece %d: the model has 0 to %d: the tokenizer is of another model", id, e.Vocabulary-1)
		}
	}
	return nil
}

// A workspace holds what one call computes. Rows of tokens stand at padded strides; what fills them up is 0.
type workspace struct {
	hidden                       int // stride of a token's state
	states, query, key, value    []float32
	context, added               []float32
	wide                         []float32
	scores, keyPanels, valPanels []float32 // of one head of one text
	head                         []float32
}

func (e *Encoder) workspace(rows, longest int) *workspace {
	h, size := padded(e.Hidden), e.Hidden/e.Heads
	w := &workspace{hidden: h}
	for _, s := range []*[]float32{&w.states, &w.query, &w.key, &w.value, &w.context, &w.added} {
		*s = make([]float32, rows*h)
	}
	w.wide = make([]float32, rows*padded(e.Intermediate))
	w.scores = make([]float32, longest*padded(longest))
	w.keyPanels = make([]float32, padded(longest)*size)
	w.valPanels = make([]float32, longest*padded(size))
	w.head = make([]float32, longest*padded(size))
	return w
}

// embed sums the embeddings of each token: (word + type 0) + position, then normalises.
func (e *Encoder) embed(states []float32, texts [][]int32) {
	h, row := padded(e.Hidden), make([]float32, e.Hidden)
	at := 0
	for _, ids := range texts {
		for place, id := range ids {
			e.words.Row(int(id), row)
			position := e.positions[place*e.Hidden:][:e.Hidden]
			for j, x := range row {
				row[j] = (x + e.types[j]) + position[j]
			}
			e.norm.apply(states[at*h:][:e.Hidden], row, e.Epsilon)
			at++
		}
	}
}

// layer computes one block in place.
func (e *Encoder) layer(l *layer, w *workspace, texts [][]int32) {
	rows := len(w.states) / w.hidden
	l.query.apply(e.kernel.Multiply, w.query, w.states, rows)
	l.key.apply(e.kernel.Multiply, w.key, w.states, rows)
	l.value.apply(e.kernel.Multiply, w.value, w.states, rows)
	at := 0
	for _, ids := range texts {
		for head := range e.Heads {
			e.attend(w, at, len(ids), head)
		}
		at += len(ids)
	}
	l.attended.apply(e.kernel.Multiply, w.added, w.context, rows)
	e.add(&l.attention, w, rows)
	l.wide.apply(e.kernel.Multiply, w.wide, w.states, rows)
	e.kernel.GELU(w.wide)
	l.narrow.apply(e.kernel.Multiply, w.added, w.wide, rows)
	e.add(&l.output, w, rows)
}

// add sets each state to the normalised sum of itself and what was computed from it.
func (e *Encoder) add(n *norm, w *workspace, rows int) {
	for r := range rows {
		state, added := w.states[r*w.hidden:][:e.Hidden], w.added[r*w.hidden:][:e.Hidden]
		for j, x := range added {
			added[j] = state[j] + x
		}
		n.apply(state, added, e.Epsilon)
	}
}

// attend computes one head of one text's attention (Vaswani et al. 2017, arXiv:1706.03762, formula 1):
// softmax(Q·Kᵀ/√d)·V.
func (e *Encoder) attend(w *workspace, at, tokens, head int) {
	d := e.Hidden / e.Heads
	wide, size := padded(tokens), padded(d)
	first := at*w.hidden + head*d
	for t := range wide {
		panel := w.keyPanels[t/Columns*d*Columns:]
		for j := range d {
			x := float32(0)
			if t < tokens {
				x = w.key[first+t*w.hidden+j]
			}
			panel[j*Columns+t%Columns] = x
		}
	}
	for p := 0; p < size; p += Columns {
		for t := range tokens {
			into := w.valPanels[(p*tokens + t*Columns):][:Columns]
			clear(into)
			copy(into, w.value[first+t*w.hidden+p:][:min(Columns, d-p)])
		}
	}
	scores, out := w.scores[:tokens*wide], w.head[:tokens*size]
	clear(scores)
	clear(out)
	e.kernel.Multiply(scores, wide, w.query[first:], w.hidden, tokens, d, w.keyPanels[:wide*d])
	root := float32(math.Sqrt(float64(d)))
	for t := range tokens {
		softmax(scores[t*wide:][:tokens], root)
	}
	e.kernel.Multiply(out, size, scores, wide, tokens, tokens, w.valPanels[:tokens*size])
	for t := range tokens {
		copy(w.context[first+t*w.hidden:][:d], out[t*size:])
	}
}

// softmax turns scores into shares: e^(x/root − m) divided by their sum, m being the greatest x/root, so that no power
// overflows. The sum is float64 in ascending order.
func softmax(scores []float32, root float32) {
	greatest := float32(math.Inf(-1))
	for i, x := range scores {
		x /= root
		scores[i] = x
		if x > greatest {
			greatest = x
		}
	}
	sum := 0.0
	for i, x := range scores {
		x = exact.Exp32(x - greatest)
		scores[i] = x
		sum += float64(x)
	}
	for i, x := range scores {
		scores[i] = float32(float64(x) / sum)
	}
}

// apply normalises a row: (x − mean)/√(variance + ε)·weight + bias in float64, rounded to float32 once. Mean and variance
// (of the population) are float64 sums in ascending order.
func (n *norm) apply(out, row []float32, epsilon float64) {
	sum := 0.0
	for _, x := range row {
		sum += float64(x)
	}
	count := float64(len(row))
	mean := sum / count
	square := 0.0
	for _, x := range row {
		d := float64(x) - mean
		square += float64(d * d)
	}
	root := math.Sqrt(square/count + epsilon)
	for j, x := range row {
		out[j] = float32(float64((float64(x)-mean)/root*float64(n.weight[j])) + float64(n.bias[j]))
	}
}

// pool makes a text's vector of its tokens' last states, in float64, and gives it the length 1; rounded to float32 at the
// end. The mean's sums are in the order of the tokens.
func (e *Encoder) pool(states []float32, tokens int) ([]float32, error) {
	h, sum := padded(e.Hidden), make([]float64, e.Hidden)
	pooled := tokens
	if e.Pooling == CLS {
		pooled = 1
	}
	for t := range pooled {
		for j, x := range states[t*h:][:e.Hidden] {
			sum[j] += float64(x)
		}
	}
	square := 0.0
	for j := range sum {
		sum[j] /= float64(pooled)
		square += float64(sum[j] * sum[j])
	}
	length := math.Sqrt(square)
	if !(length > 0) || math.IsInf(length, 0) { // not a number fails here too
		return nil, fmt.Errorf("the model gives a vector of length %v: it cannot be normalised, so the model does not fit the text", length)
	}
	vector := make([]float32, e.Hidden)
	for j, x := range sum {
		vector[j] = float32(x / length)
	}
	return vector, nil
}

func (e *Encoder) show(stage Stage, layer int, states []float32, texts [][]int32) {
	if stage == nil {
		return
	}
	h, at := padded(e.Hidden), 0
	for i, ids := range texts {
		var plain []float32
		for range ids {
			plain = append(plain, states[at*h:][:e.Hidden]...)
			at++
		}
		stage(i, layer, plain)
	}
}
