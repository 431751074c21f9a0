package study

// DenseResult says what the embeddings are that dense methods were computed from.
type DenseResult struct {
	Dimension int    `json:"dimension"`
	Documents int    `json:"documents"`
	Questions int    `json:"questions"`
	Truncated int    `json:"truncated"` // texts longer than the model takes
	Model     string `json:"model"`
	ONNX      string `json:"onnxSha256"`
	Tokenizer string `json:"tokenizerSha256"`
}

// DenseResult describes the study's vectors; nil where it names none.
func (s *Study) DenseResult() (*DenseResult, error) {
	if s.Protocol.Collection.Vectors == "" {
		return nil, nil
	}
	documents, questions, err := s.Vectors()
	if err != nil {
		return nil, err
	}
	d, q := documents.Sidecar(), questions.Sidecar()
	return &DenseResult{d.Dimension, d.Count, q.Count, len(d.Truncated) + len(q.Truncated), d.Model.Name, d.Model.ONNXSHA256, d.Model.TokenizerSHA256}, nil
}
