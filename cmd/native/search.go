package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"retrace/cmd/native/encode"
	"retrace/core/dense"
	"retrace/core/method"
	"retrace/core/proto"
	"retrace/core/study"
)

// abbreviations are methods that people ask for by a name that a study may not define: its own names go first.
var abbreviations = map[string]string{
	"hybrid":      "rrf(bm25,top(dense,n=100),k=60)", // reciprocal rank fusion of words and embeddings
	"dense+graph": "graph(dense)",
}

// methodOf returns what a method that was asked for means in a study: the study's own, or what an abbreviation stands for.
func methodOf(s *study.Study, name string) string {
	if _, ok := s.Terms[name]; ok {
		return name
	}
	if term, ok := abbreviations[name]; ok && s.HasVectors() {
		return term
	}
	return name
}

// needsVector reports whether a method needs the question's embedding.
func needsVector(s *study.Study, name string) bool {
	t, err := s.ResolveSealed(name)
	return err == nil && method.Kinds.Needs(t).Vectors // of an error, the search itself says what is wrong
}

// encoded is a question's embedding and what made it.
type encoded struct {
	Vector []float32
	By     encode.Info
	Cut    bool // the question was too long for the model
}

// encodeQuestion makes the embedding of one question, with the model that made the study's vectors.
func encodeQuestion(ctx context.Context, s *study.Study, o encode.Options, text string) (*encoded, error) {
	documents, _, err := s.Vectors()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("search: the question is empty")
	}
	e, err := encode.OpenEncoder(o)
	if errors.Is(err, encode.ErrMissing) {
		return nil, fmt.Errorf("search: this method needs the question's embedding: %w; or choose a method without embeddings, such "+
			"as bm25", err)
	}
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if e.Dimension() != documents.Dimension() {
		return nil, fmt.Errorf("search: the model gives vectors of dimension %d, the study's have %d: use the model that made them",
			e.Dimension(), documents.Dimension())
	}
	if made := documents.Sidecar().Model; !sameModel(made, e.Info.Model) && !o.AllowOther {
		return nil, fmt.Errorf("search: the study's vectors were made with %s (onnx %.12s), this model is another (onnx %.12s): use that "+
			"one, or say --allow-other-model", made.Name, made.ONNXSHA256, e.Info.Model.ONNXSHA256)
	}
	vectors, cut, err := e.Encode(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return &encoded{vectors[0], e.Info, cut[0]}, nil
}

func sameModel(a, b dense.Model) bool {
	return a.ONNXSHA256 == b.ONNXSHA256 && a.TokenizerSHA256 == b.TokenizerSHA256
}

// searchReply is what search prints as JSON: the engine's reply, and what encoded the question.
type searchReply struct {
	proto.SearchResult
	Encoder *encoder `json:"encoder,omitempty"`
}

type encoder struct {
	Model         dense.Model `json:"model"`
	Runtime       string      `json:"runtime"`
	RuntimeSHA256 string      `json:"runtimeSha256,omitempty"`
	NotPinned     []string    `json:"notPinned"`
	Truncated     bool        `json:"truncated"`
}

func (e *encoded) about() *encoder {
	if e == nil {
		return nil
	}
	return &encoder{e.By.Model, e.By.Runtime(), e.By.RuntimeSHA256, append([]string{}, e.By.NotPinned...), e.Cut}
}
