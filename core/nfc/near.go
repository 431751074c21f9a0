package nfc

import (
	"fmt"
	"iter"
)

// Near says for a message about an unknown ID that it differs from a known one by normalization only, as names do that one
// system wrote composed and another decomposed; it is empty where that is not so.
func Near(id string, known iter.Seq[string]) string {
	form := String(id)
	for other := range known {
		if other != id && String(other) == form {
			return fmt.Sprintf(": it differs from %+q by Unicode normalization only (it is %+q)", other, id)
		}
	}
	return ""
}
