package judge

import (
	"fmt"

	"retrace/core/digest"
)

// Code returns the opaque code of an item of a task: the first eight hexadecimal digits of
// SHA-256(prefix + task + ":" + item). The prefix names the study and the packet, as in "r02-pool:".
func Code(prefix, task, item string) string {
	return digest.Hex([]byte(prefix + task + ":" + item))[:8]
}

// Codes returns the codes of a task's items, in their order; two items with one code are an error.
func Codes(prefix, task string, items []string) ([]string, error) {
	codes := make([]string, len(items))
	first := make(map[string]string, len(items))
	for i, item := range items {
		codes[i] = Code(prefix, task, item)
		if other, taken := first[codes[i]]; taken {
			return nil, fmt.Errorf("judge: task %q: items %q and %q have the code %s: choose another prefix than %q",
				task, other, item, codes[i], prefix)
		}
		first[codes[i]] = item
	}
	return codes, nil
}
