package collection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxID is the longest identifier, in bytes.
const MaxID = 256

// CheckID says what is wrong with an identifier: identifiers are also TREC columns, so they are non-empty and hold no
// space or control character. An empty result means that it may be used.
func CheckID(id string) string {
	switch {
	case id == "":
		return "empty ID"
	case len(id) > MaxID:
		return "ID longer than 256 bytes"
	case !utf8.ValidString(id):
		return "ID is not UTF-8"
	case strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return "ID with a space, control or format character"
	}
	return ""
}

// CompareID is the total order of identifiers that breaks every tie: decimal numbers (without leading zeros) by value
// and before all others, the others bytewise.
func CompareID(a, b string) int {
	na, nb := numeric(a), numeric(b)
	switch {
	case na && nb && len(a) != len(b):
		return len(a) - len(b)
	case na == nb:
		return strings.Compare(a, b)
	case na:
		return -1
	}
	return 1
}

func numeric(id string) bool {
	if id == "" || id[0] == '0' && len(id) > 1 {
		return false
	}
	for i := range len(id) {
		if id[i] < '0' || id[i] > '9' {
			return false
		}
	}
	return true
}
