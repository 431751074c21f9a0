package encoder

import (
	"fmt"
	"slices"
	"strings"

	"retrace/core/encoder/weights"
)

// A Builder takes a model's tensors one by one, in any order, so that a page can lay out what has arrived while the rest
// is still on its way.
type Builder struct {
	e       *Encoder
	names   []string // of all tensors, in the order in which a text needs them
	missing map[string]target
}

// A target is where a tensor goes and what shape it must have.
type target struct {
	shape []int
	take  func(weights.Tensor)
}

// NewBuilder begins a model.
func NewBuilder(c Config) (*Builder, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	b := &Builder{e: &Encoder{Config: c, kernel: Plain, layers: make([]layer, c.Layers)}, missing: map[string]target{}}
	e, h := b.e, c.Hidden
	b.expect("embeddings.word_embeddings.weight", func(t weights.Tensor) { e.words = t }, c.Vocabulary, h)
	b.vector("embeddings.position_embeddings.weight", &e.positions, c.Positions, h)
	b.vector("embeddings.token_type_embeddings.weight", &e.types, c.Types, h)
	b.norm("embeddings.LayerNorm", &e.norm)
	for i := range e.layers {
		l, prefix := &e.layers[i], fmt.Sprintf("encoder.layer.%d.", i)
		b.linear(prefix+"attention.self.query", &l.query, h, h)
		b.linear(prefix+"attention.self.key", &l.key, h, h)
		b.linear(prefix+"attention.self.value", &l.value, h, h)
		b.linear(prefix+"attention.output.dense", &l.attended, h, h)
		b.norm(prefix+"attention.output.LayerNorm", &l.attention)
		b.linear(prefix+"intermediate.dense", &l.wide, h, c.Intermediate)
		b.linear(prefix+"output.dense", &l.narrow, c.Intermediate, h)
		b.norm(prefix+"output.LayerNorm", &l.output)
	}
	return b, nil
}

func (b *Builder) expect(name string, take func(weights.Tensor), shape ...int) {
	b.names = append(b.names, name)
	b.missing[name] = target{shape, take}
}

func (b *Builder) vector(name string, into *[]float32, shape ...int) {
	b.expect(name, func(t weights.Tensor) { *into = t.Values() }, shape...)
}

func (b *Builder) norm(name string, n *norm) {
	b.vector(name+".weight", &n.weight, b.e.Hidden)
	b.vector(name+".bias", &n.bias, b.e.Hidden)
}

func (b *Builder) linear(name string, l *linear, in, out int) {
	*l = linear{in: in, out: out}
	b.expect(name+".weight", func(t weights.Tensor) {
		l.panels = make([]float32, padded(out)*in)
		row := make([]float32, in)
		for c := range out {
			t.Row(c, row)
			l.place(c, row)
		}
	}, out, in)
	b.expect(name+".bias", func(t weights.Tensor) {
		l.bias = append(t.Values(), make([]float32, padded(out)-out)...)
	}, out)
}

// Names returns the tensors that a model has, in the order in which a text needs them.
func Names(c Config) ([]string, error) {
	b, err := NewBuilder(c)
	if err != nil {
		return nil, err
	}
	return b.names, nil
}

// Unused says whether a tensor of a BERT model has no part in a sentence's vector: the constant that counts places, and
// what stands on top of the encoder for other tasks.
func Unused(name string) bool {
	name = strings.TrimPrefix(name, "bert.")
	return name == "embeddings.position_ids" || strings.HasPrefix(name, "pooler.") || strings.HasPrefix(name, "cls.")
}

// Add takes a tensor. Its name may begin with "bert.", as it does where the encoder was saved as part of a larger model.
// A tensor that no BERT encoder of this shape has is an error: the model computes something else.
func (b *Builder) Add(t weights.Tensor) error {
	if Unused(t.Name) {
		return nil
	}
	name := strings.TrimPrefix(t.Name, "bert.")
	to, ok := b.missing[name]
	if !ok {
		return fmt.Errorf("encoder: tensor %s: a BERT encoder of %d layers has none of that name, or it is there twice: this model computes something else", t.Name, b.e.Layers)
	}
	if !slices.Equal(t.Shape, to.shape) {
		return fmt.Errorf("encoder: tensor %s has the shape %v: by the configuration it is %v: the files are of several models", t.Name, t.Shape, to.shape)
	}
	if !t.IsWeights() {
		return fmt.Errorf("encoder: tensor %s is stored as %s: F32, F16 and BF16 are read", t.Name, t.Type)
	}
	if err := t.Check(); err != nil {
		return err
	}
	to.take(t)
	delete(b.missing, name)
	return nil
}

// Encoder returns the model when every tensor has come.
func (b *Builder) Encoder() (*Encoder, error) {
	if len(b.missing) > 0 {
		var names []string
		for name := range b.missing {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("encoder: %d tensors are missing, such as %s: the file is not whole or of another model", len(names), names[0])
	}
	return b.e, nil
}

// New makes an encoder of a model's tensors.
func New(c Config, set *weights.Set) (*Encoder, error) {
	b, err := NewBuilder(c)
	if err != nil {
		return nil, err
	}
	for _, t := range set.All() {
		if err := b.Add(t); err != nil {
			return nil, err
		}
	}
	return b.Encoder()
}
