package encode

import (
	"fmt"
	"math"

	"retrace/cmd/native/encode/onnx"
)

// pool makes a text's vector from its tokens' last hidden states, length × dimension values: their mean over the
// attended tokens, divided by its Euclidean length; summed in float64 in the order of the tokens, rounded to float32 at
// the end (Sentence-BERT, arXiv:1908.10084, mean pooling).
func pool(hidden []float32, mask []int64, dimension int) ([]float32, error) {
	sum := make([]float64, dimension)
	attended := 0
	for token, m := range mask {
		if m == 0 {
			continue
		}
		attended++
		for j, x := range hidden[token*dimension : (token+1)*dimension] {
			sum[j] += float64(x)
		}
	}
	square := 0.0
	for j := range sum {
		sum[j] /= float64(attended)
		square += float64(sum[j] * sum[j])
	}
	norm := math.Sqrt(square)
	if !(norm > 0) || math.IsInf(norm, 0) { // not a number fails here too
		return nil, fmt.Errorf("encode: the model gives a vector of length %v: it cannot be normalised, so the model does not fit the "+
			"text", norm)
	}
	vector := make([]float32, dimension)
	for j := range sum {
		vector[j] = float32(sum[j] / norm)
	}
	return vector, nil
}

// poolBatch pools each text of a batch.
func poolBatch(hidden []float32, b onnx.Batch, dimension int) ([][]float32, error) {
	rows := make([][]float32, b.Size)
	for i := range rows {
		from, to := i*b.Length, (i+1)*b.Length
		row, err := pool(hidden[from*dimension:to*dimension], b.Mask[from:to], dimension)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}
