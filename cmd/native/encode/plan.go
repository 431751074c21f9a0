package encode

import (
	"cmp"
	"slices"

	"retrace/cmd/native/encode/onnx"
)

// plan puts texts into batches by their length in word pieces: texts of like length go together, so that little is
// filled up, the longest first, so that the time left is not underestimated. A batch has at most batchPieces pieces
// with what is filled up, or one text. The plan depends on the lengths alone, so that a run that is taken up again
// makes the same batches.
func plan(lengths []int, batchPieces int) [][]int {
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	var batches [][]int
	for len(order) > 0 {
		n := min(len(order), max(1, batchPieces/max(1, lengths[order[0]])))
		batches = append(batches, order[:n:n])
		order = order[n:]
	}
	return batches
}

// batch lays out texts, given as ids, as the model takes them; shorter ones are filled up with 0, unattended.
func batch(texts [][]int32) onnx.Batch {
	b := onnx.Batch{Size: len(texts)}
	for _, ids := range texts {
		b.Length = max(b.Length, len(ids))
	}
	b.IDs, b.Mask = make([]int64, b.Size*b.Length), make([]int64, b.Size*b.Length)
	for i, ids := range texts {
		for j, id := range ids {
			b.IDs[i*b.Length+j], b.Mask[i*b.Length+j] = int64(id), 1
		}
	}
	return b
}
