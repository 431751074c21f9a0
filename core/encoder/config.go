package encoder

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Config is a model's shape and how a text's vector comes from its tokens'.
type Config struct {
	Hidden       int     `json:"hidden"`       // values of a token's state, and of a vector
	Layers       int     `json:"layers"`       //
	Heads        int     `json:"heads"`        // of attention; each has Hidden/Heads values
	Intermediate int     `json:"intermediate"` // values between the two products of a layer's second half
	Vocabulary   int     `json:"vocabulary"`   // word pieces
	Positions    int     `json:"positions"`    // places that the model has an embedding for
	Types        int     `json:"types"`        // token types; a text's tokens have type 0
	Epsilon      float64 `json:"epsilon"`      // added to a variance before its root is taken
	Pooling      Pooling `json:"pooling"`
	MaxTokens    int     `json:"maxTokens"` // word pieces of a text, with the special tokens; what is beyond is cut off
}

// Pooling says how a text's vector comes from its tokens' last states, before it is given the length 1.
type Pooling string

// The kinds of pooling (Sentence-BERT, arXiv:1908.10084, section 3).
const (
	Mean Pooling = "mean" // of all tokens
	CLS  Pooling = "cls"  // the first token's
)

// The files of a model's folder that say what it is, as sentence-transformers publishes it.
const (
	ConfigFile   = "config.json"
	ModulesFile  = "modules.json"
	LengthFile   = "sentence_bert_config.json"
	PoolingFile  = "1_Pooling/config.json" // where modules.json has it, by custom
	WeightsFile  = "model.safetensors"
	TokenizeFile = "tokenizer.json"
)

// maxConfig bounds a file of configuration.
const maxConfig = 1 << 20

// ParseConfig reads a model's configuration from its files by name: ConfigFile, ModulesFile, LengthFile and the pooling
// configuration that ModulesFile names. What a BERT sentence encoder of another kind would need, and is not computed
// here, is an error that names it.
func ParseConfig(files map[string][]byte) (Config, error) {
	var c Config
	if err := c.parseModel(files); err != nil {
		return c, err
	}
	folder, err := poolingFolder(files)
	if err != nil {
		return c, err
	}
	if err := c.parsePooling(files, path.Join(folder, "config.json")); err != nil {
		return c, err
	}
	var length struct {
		Max       *int  `json:"max_seq_length"`
		LowerCase *bool `json:"do_lower_case"` // applied to the text before the tokenizer
	}
	if err := read(files, LengthFile, &length); err != nil {
		return c, err
	}
	if length.Max == nil {
		return c, fmt.Errorf("encoder: %s: max_seq_length is missing: say how many word pieces a text may have", LengthFile)
	}
	if length.LowerCase != nil && *length.LowerCase {
		return c, unsupported(LengthFile, "do_lower_case", "true", "lower case is left to tokenizer.json")
	}
	c.MaxTokens = *length.Max
	return c, c.Check()
}

func read(files map[string][]byte, name string, into any) error {
	file, ok := files[name]
	if !ok {
		return fmt.Errorf("encoder: %s is missing: a sentence encoder in the layout of sentence-transformers is needed", name)
	}
	if len(file) > maxConfig {
		return fmt.Errorf("encoder: %s has %d bytes: at most %d are read", name, len(file), maxConfig)
	}
	if err := json.Unmarshal(file, into); err != nil {
		return fmt.Errorf("encoder: %s: %w", name, err)
	}
	return nil
}

func unsupported(file, field, is, only string) error {
	return fmt.Errorf("encoder: %s: %s is %s, which is not computed here: %s", file, field, is, only)
}

func (c *Config) parseModel(files map[string][]byte) error {
	var f struct {
		Type         *string  `json:"model_type"`
		Activation   *string  `json:"hidden_act"`
		Position     *string  `json:"position_embedding_type"`
		Decoder      bool     `json:"is_decoder"`
		Cross        bool     `json:"add_cross_attention"`
		Hidden       *int     `json:"hidden_size"`
		Layers       *int     `json:"num_hidden_layers"`
		Heads        *int     `json:"num_attention_heads"`
		Intermediate *int     `json:"intermediate_size"`
		Vocabulary   *int     `json:"vocab_size"`
		Positions    *int     `json:"max_position_embeddings"`
		Types        *int     `json:"type_vocab_size"`
		Epsilon      *float64 `json:"layer_norm_eps"`
	}
	if err := read(files, ConfigFile, &f); err != nil {
		return err
	}
	for _, field := range []struct {
		name string
		into *int
		from *int
	}{
		{"hidden_size", &c.Hidden, f.Hidden}, {"num_hidden_layers", &c.Layers, f.Layers}, {"num_attention_heads", &c.Heads, f.Heads},
		{"intermediate_size", &c.Intermediate, f.Intermediate}, {"vocab_size", &c.Vocabulary, f.Vocabulary},
		{"max_position_embeddings", &c.Positions, f.Positions}, {"type_vocab_size", &c.Types, f.Types},
	} {
		if field.from == nil {
			return fmt.Errorf("encoder: %s: %s is missing", ConfigFile, field.name)
		}
		*field.into = *field.from
	}
	switch {
	case f.Type == nil || *f.Type != "bert":
		return unsupported(ConfigFile, "model_type", quoted(f.Type), `only "bert" is`)
	case f.Activation == nil || *f.Activation != "gelu":
		return unsupported(ConfigFile, "hidden_act", quoted(f.Activation), `only "gelu" (by the error function) is`)
	case f.Position != nil && *f.Position != "absolute":
		return unsupported(ConfigFile, "position_embedding_type", quoted(f.Position), `only "absolute" is`)
	case f.Decoder || f.Cross:
		return unsupported(ConfigFile, "is_decoder or add_cross_attention", "true", "only encoders are")
	case f.Epsilon == nil:
		return fmt.Errorf("encoder: %s: layer_norm_eps is missing", ConfigFile)
	}
	c.Epsilon = *f.Epsilon
	return nil
}

func quoted(s *string) string {
	if s == nil {
		return "missing"
	}
	return fmt.Sprintf("%q", *s)
}

// poolingFolder reads which steps a text takes. Normalize at the end may be missing: vectors have length 1 here always.
func poolingFolder(files map[string][]byte) (string, error) {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if err := read(files, ModulesFile, &modules); err != nil {
		return "", err
	}
	var kinds []string
	for _, m := range modules {
		kinds = append(kinds, strings.TrimPrefix(m.Type, "sentence_transformers.models."))
	}
	if !slices.Equal(kinds, []string{"Transformer", "Pooling"}) && !slices.Equal(kinds, []string{"Transformer", "Pooling", "Normalize"}) {
		return "", unsupported(ModulesFile, "the list of steps", strings.Join(kinds, ", "), "only Transformer, Pooling and, at the end, Normalize are")
	}
	if modules[0].Path != "" {
		return "", unsupported(ModulesFile, "the Transformer's path", fmt.Sprintf("%q", modules[0].Path), "it must be the folder itself")
	}
	return modules[1].Path, nil
}

func (c *Config) parsePooling(files map[string][]byte, name string) error {
	var f map[string]any
	if err := read(files, name, &f); err != nil {
		return err
	}
	var on []string
	for field, value := range f {
		if mode, ok := strings.CutPrefix(field, "pooling_mode_"); ok && value != false {
			on = append(on, mode)
		}
	}
	slices.Sort(on)
	switch strings.Join(on, " ") {
	case "mean_tokens":
		c.Pooling = Mean
	case "cls_token":
		c.Pooling = CLS
	default:
		return unsupported(name, "pooling", fmt.Sprintf("%q", on), "only pooling_mode_mean_tokens or pooling_mode_cls_token alone is")
	}
	if include, ok := f["include_prompt"]; ok && include != true {
		return unsupported(name, "include_prompt", fmt.Sprint(include), "only true is")
	}
	if d, ok := f["word_embedding_dimension"].(float64); ok && d != float64(c.Hidden) {
		return fmt.Errorf("encoder: %s: word_embedding_dimension is %v, but hidden_size is %d: the files are of several models", name, d, c.Hidden)
	}
	return nil
}

// Check says whether there can be such a model, within bounds that keep its size far from overflow.
func (c Config) Check() error {
	for _, f := range []struct {
		name       string
		value, max int
	}{
		{"hidden", c.Hidden, 1 << 13}, {"layers", c.Layers, 128}, {"heads", c.Heads, 1 << 10}, {"intermediate", c.Intermediate, 1 << 16},
		{"vocabulary", c.Vocabulary, 1 << 22}, {"positions", c.Positions, 1 << 13}, {"types", c.Types, 1 << 10}, {"max tokens", c.MaxTokens, 1 << 13},
	} {
		if f.value < 1 || f.value > f.max {
			return fmt.Errorf("encoder: the model's %s is %d: it must be 1 to %d", f.name, f.value, f.max)
		}
	}
	switch {
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("encoder: %d values cannot be shared out to %d heads", c.Hidden, c.Heads)
	case c.MaxTokens > c.Positions:
		return fmt.Errorf("encoder: a text may have %d word pieces, but there are embeddings for %d places", c.MaxTokens, c.Positions)
	case c.MaxTokens < 3:
		return fmt.Errorf("encoder: a text may have %d word pieces: with the special tokens at least 3 are needed", c.MaxTokens)
	case !(c.Epsilon > 0 && c.Epsilon < 1):
		return fmt.Errorf("encoder: epsilon is %v: it must lie between 0 and 1", c.Epsilon)
	case c.Pooling != Mean && c.Pooling != CLS:
		return fmt.Errorf("encoder: pooling is %q: it must be mean or cls", c.Pooling)
	}
	return nil
}
