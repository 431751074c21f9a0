package tsgen

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testdata/shapes.ts was written by hand from encoding/json's rules.
func TestShapes(t *testing.T) {
	want, err := os.ReadFile("testdata/shapes.ts")
	if err != nil {
		t.Fatal(err)
	}
	const root = "retrace/cmd/build/tsgen/testdata/shapes"
	got, err := Generate(".", root, root+"/")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	for root, want := range map[string]string{
		"retrace/cmd/build/tsgen/testdata/marshaler": "has its own MarshalJSON",
		"retrace/cmd/build/tsgen/testdata/channel":   "can't be written as JSON",
		"retrace/cmd/build/tsgen/testdata/missing":   "tsgen:",
	} {
		if _, err := Generate(".", root, root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one with %q", root, err, want)
		}
	}
}
