package nfc

import (
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	known := slices.Values([]string{"cafe", "caf\u00e9", "\u1e9b\u0323"})
	for id, want := range map[string]string{
		"cafe\u0301": `: it differs from "caf\u00e9" by Unicode normalization only (it is "cafe\u0301")`,
		// The Unicode Standard, Annex #15, figure 6: the canonical forms of U+1E9B U+0323.
		"\u017f\u0323\u0307": `: it differs from "\u1e9b\u0323" by Unicode normalization only (it is "\u017f\u0323\u0307")`,
		"caf\u00e9":          "",
		"CAFE":               "",
		"coffee":             "",
	} {
		if got := Near(id, known); got != want {
			t.Errorf("%+q: %s, want %s", id, got, want)
		}
	}
}
