// Package wordpiece turns a text into the token ids of a BERT tokenizer.json, the same ids as the reference, Hugging
// Face's tokenizers 0.23.3.
//
// The steps are the reference's: added tokens are found in the text as it stands; what lies between them is normalised
// (BertNormalizer), broken into words at spaces and punctuation (BertPreTokenizer), and each word is cut greedily into
// pieces of the vocabulary (WordPiece, Wu et al. 2016, arXiv:1609.08144). It is written here and not taken from
// github.com/sugarme/tokenizer, whose earlier steps (v0.3.0) give other words: accents stay where strip_accents is null,
// spaces and control characters are other sets, and special tokens are not found in the text. Its last step is the
// second opinion of this package's tests.
//
// What a character is, comes from tables.go, which testdata/tables.py printed by asking the reference about every
// character: its Unicode tables are of several ages, none of them Go's.
package wordpiece

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A Tokenizer encodes texts. It is read-only after Parse and may be shared.
type Tokenizer struct {
	raw, normalized matcher // added tokens, by whether they are looked for in the raw or the normalised text
	normalizer      normalizer
	vocabulary      vocabulary
	before, after   []Piece // what the post-processor sets around a text: [CLS], [SEP]
}

// A Piece is one word piece: its id in the vocabulary and how it is written there.
type Piece struct {
	ID   int
	Text string
}

// maxFile bounds a tokenizer.json; all-MiniLM-L6-v2's has half a megabyte.
const maxFile = 64 << 20

// MaxText bounds a text, in bytes: it is normalised whole before any of it is cut off.
const MaxText = 32 << 20

// Parse reads a tokenizer.json. Padding and truncation in it are ignored: how long a text may be is said to Encode, and
// texts are padded where batches are made. A declaration that this package does not carry out is an error.
func Parse(file []byte) (*Tokenizer, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("wordpiece: tokenizer.json has %d bytes: at most %d are read", len(file), maxFile)
	}
	var f struct {
		AddedTokens   []json.RawMessage `json:"added_tokens"`
		Normalizer    json.RawMessage   `json:"normalizer"`
		PreTokenizer  json.RawMessage   `json:"pre_tokenizer"`
		PostProcessor json.RawMessage   `json:"post_processor"`
		Model         json.RawMessage   `json:"model"`
	}
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, fmt.Errorf("wordpiece: tokenizer.json: %w", err)
	}
	t := &Tokenizer{}
	vocab, err := t.parseModel(f.Model)
	if err != nil {
		return nil, err
	}
	if err := t.parseNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	var pre struct {
		Type string `json:"type"`
	}
	if err := strict(f.PreTokenizer, "pre_tokenizer", "BertPreTokenizer", &pre); err != nil {
		return nil, err
	}
	added, err := t.parseAdded(f.AddedTokens, vocab)
	if err != nil {
		return nil, err
	}
	return t, t.parsePostProcessor(f.PostProcessor, func(token string) (int, bool) {
		id, ok := vocab[token]
		if !ok {
			id, ok = added[token]
		}
		return id, ok
	})
}

// strict reads one section of the file: of the one kind that is supported, with no field that is not.
func strict(raw json.RawMessage, section, kind string, into any) error {
	var head *struct {
		Type string `json:"type"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &head); err != nil {
			return fmt.Errorf("wordpiece: %s: %w", section, err)
		}
	}
	if head == nil {
		return fmt.Errorf("wordpiece: %s is missing: a BERT tokenizer with %s is needed", section, kind)
	}
	if head.Type != kind {
		return fmt.Errorf("wordpiece: %s is %q: only %s is supported", section, head.Type, kind)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("wordpiece: %s: %w", section, err)
	}
	return nil
}

func (t *Tokenizer) parseModel(raw json.RawMessage) (map[string]int, error) {
	var m struct {
		Type     string         `json:"type"`
		Unk      *string        `json:"unk_token"`
		Prefix   *string        `json:"continuing_subword_prefix"`
		MaxChars *int           `json:"max_input_chars_per_word"`
		Vocab    map[string]int `json:"vocab"`
	}
	if err := strict(raw, "model", "WordPiece", &m); err != nil {
		return nil, err
	}
	if m.Unk == nil || m.Prefix == nil || m.MaxChars == nil {
		return nil, errors.New("wordpiece: model: unk_token, continuing_subword_prefix and max_input_chars_per_word must be there")
	}
	if *m.MaxChars < 1 || *m.MaxChars > 1000 { // the work for a word grows with the square
		return nil, fmt.Errorf("wordpiece: model: max_input_chars_per_word is %d: it must be 1 to 1000", *m.MaxChars)
	}
	if _, ok := m.Vocab[*m.Unk]; !ok {
		return nil, fmt.Errorf("wordpiece: model: unk_token %q is not in vocab", *m.Unk)
	}
	ids := make([]int, 0, len(m.Vocab))
	for _, id := range m.Vocab {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		if id < 0 || i > 0 && ids[i-1] == id {
			return nil, fmt.Errorf("wordpiece: model: vocab gives id %d twice or below 0: each word piece has its own id from 0", id)
		}
	}
	t.vocabulary = newVocabulary(m.Vocab, *m.Unk, *m.Prefix, *m.MaxChars)
	return m.Vocab, nil
}

func (t *Tokenizer) parseNormalizer(raw json.RawMessage) error {
	var n struct {
		Type               string `json:"type"`
		CleanText          *bool  `json:"clean_text"`
		HandleChineseChars *bool  `json:"handle_chinese_chars"`
		StripAccents       *bool  `json:"strip_accents"`
		Lowercase          *bool  `json:"lowercase"`
	}
	if err := strict(raw, "normalizer", "BertNormalizer", &n); err != nil {
		return err
	}
	if n.CleanText == nil || n.HandleChineseChars == nil || n.Lowercase == nil {
		return errors.New("wordpiece: normalizer: clean_text, handle_chinese_chars and lowercase must be there")
	}
	t.normalizer = normalizer{cleanText: *n.CleanText, handleChineseChars: *n.HandleChineseChars, lowercase: *n.Lowercase}
	t.normalizer.stripAccents = *n.Lowercase // strip_accents null: as lowercase says
	if n.StripAccents != nil {
		t.normalizer.stripAccents = *n.StripAccents
	}
	return nil
}

func (t *Tokenizer) parseAdded(raw []json.RawMessage, vocab map[string]int) (map[string]int, error) {
	ids := map[string]int{}
	var rawText, normalText []*addedToken
	for i, r := range raw {
		var a struct {
			ID         *int    `json:"id"`
			Content    *string `json:"content"`
			SingleWord *bool   `json:"single_word"`
			LStrip     *bool   `json:"lstrip"`
			RStrip     *bool   `json:"rstrip"`
			Normalized *bool   `json:"normalized"`
			Special    *bool   `json:"special"`
		}
		d := json.NewDecoder(bytes.NewReader(r))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			return nil, fmt.Errorf("wordpiece: added_tokens[%d]: %w", i, err)
		}
		if a.ID == nil || a.Content == nil || a.SingleWord == nil || a.LStrip == nil || a.RStrip == nil || a.Normalized == nil || a.Special == nil {
			return nil, fmt.Errorf("wordpiece: added_tokens[%d]: id, content, single_word, lstrip, rstrip, normalized and special must be there", i)
		}
		if _, twice := ids[*a.Content]; twice || *a.Content == "" {
			return nil, fmt.Errorf("wordpiece: added_tokens[%d]: content %q is empty or there twice", i, *a.Content)
		}
		if id, ok := vocab[*a.Content]; ok && id != *a.ID {
			return nil, fmt.Errorf("wordpiece: added_tokens[%d]: %q has id %d here and %d in vocab", i, *a.Content, *a.ID, id)
		}
		ids[*a.Content] = *a.ID
		token := &addedToken{*a.ID, *a.Content, *a.SingleWord, *a.LStrip, *a.RStrip}
		if !*a.Normalized {
			rawText = append(rawText, token)
			continue
		}
		token.content = t.normalizer.normalize(token.content)
		normalText = append(normalText, token)
	}
	t.raw, t.normalized = newMatcher(rawText), newMatcher(normalText)
	return ids, nil
}

func (t *Tokenizer) parsePostProcessor(raw json.RawMessage, id func(string) (int, bool)) error {
	type element struct {
		SpecialToken *struct {
			ID     string `json:"id"`
			TypeID int    `json:"type_id"`
		} `json:"SpecialToken"`
		Sequence *struct {
			ID     string `json:"id"`
			TypeID int    `json:"type_id"`
		} `json:"Sequence"`
	}
	var p struct {
		Type    string          `json:"type"`
		Single  []element       `json:"single"`
		Pair    json.RawMessage `json:"pair"` // pairs of texts are not encoded here
		Special map[string]struct {
			ID     string   `json:"id"`
			IDs    []int    `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}
	if err := strict(raw, "post_processor", "TemplateProcessing", &p); err != nil {
		return err
	}
	sequences := 0
	for i, e := range p.Single {
		switch {
		case e.Sequence != nil && e.SpecialToken == nil && e.Sequence.ID == "A" && e.Sequence.TypeID == 0:
			sequences++
		case e.SpecialToken != nil && e.Sequence == nil && e.SpecialToken.TypeID == 0:
			s, ok := p.Special[e.SpecialToken.ID]
			if !ok || len(s.IDs) != 1 || len(s.Tokens) != 1 {
				return fmt.Errorf("wordpiece: post_processor: special token %q is not declared with one id and one token", e.SpecialToken.ID)
			}
			if known, ok := id(s.Tokens[0]); !ok || known != s.IDs[0] {
				return fmt.Errorf("wordpiece: post_processor: special token %q has id %d, which the vocabulary does not give it", s.Tokens[0], s.IDs[0])
			}
			piece := Piece{s.IDs[0], s.Tokens[0]}
			if sequences == 0 {
				t.before = append(t.before, piece)
			} else {
				t.after = append(t.after, piece)
			}
		default:
			return fmt.Errorf("wordpiece: post_processor: single[%d]: only special tokens around sequence A, all of type 0, are supported", i)
		}
	}
	if sequences != 1 {
		return fmt.Errorf("wordpiece: post_processor: single has sequence A %d times: it must be there once", sequences)
	}
	return nil
}

// Encode returns the word pieces of text with the special tokens around them, at most limit in all; truncated says
// whether any were cut off at the end. A limit of 0 is none. Text that is not UTF-8 is an error, as in the reference, and
// so is one of more than MaxText bytes.
func (t *Tokenizer) Encode(text string, limit int) (pieces []Piece, truncated bool, err error) {
	if len(text) > MaxText {
		return nil, false, fmt.Errorf("wordpiece: text of %d bytes: at most %d are read: give a part of it", len(text), MaxText)
	}
	if !utf8.ValidString(text) {
		return nil, false, errors.New("wordpiece: text is not valid UTF-8: convert it first")
	}
	room := -1
	if limit > 0 {
		if room = limit - len(t.before) - len(t.after); room < 0 {
			return nil, false, fmt.Errorf("wordpiece: a limit of %d leaves no place for the special tokens: at least %d are needed", limit, len(t.before)+len(t.after))
		}
	}
	var body []Piece
	full := func() bool { return room >= 0 && len(body) > room } // one more than fits: what follows is cut off anyway
	word := func(w string) bool {
		body = t.vocabulary.cut(w, body)
		return !full()
	}
	for _, outer := range t.raw.parts(text) {
		if outer.token != nil {
			body = append(body, Piece{outer.token.id, outer.token.content})
		} else {
			for _, inner := range t.normalized.parts(t.normalizer.normalize(outer.text)) {
				if inner.token != nil {
					body = append(body, Piece{inner.token.id, inner.token.content})
				} else {
					split(inner.text, word)
				}
				if full() {
					break
				}
			}
		}
		if full() {
			break
		}
	}
	if full() {
		body, truncated = body[:room], true
	}
	return slices.Concat(t.before, body, t.after), truncated, nil
}
