// Package extending checks that the examples of docs/extending.md are code that is tried.
package extending

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var example = regexp.MustCompile("(?s)From `([^`]+)`:\n\n```go\n(.*?)```")

// Every example stands, as it is, in the test or the package that it says it is from.
func TestExamplesAreTried(t *testing.T) {
	doc, err := os.ReadFile("../../docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	found := example.FindAllStringSubmatch(string(doc), -1)
	if len(found) < 5 || len(found) != strings.Count(string(doc), "```go") {
		t.Fatalf("%d examples name where they are from, of %d", len(found), strings.Count(string(doc), "```go"))
	}
	for _, m := range found {
		source, err := os.ReadFile("../../" + m[1])
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(source), m[2]) {
			t.Errorf("%s does not hold this:\n%s", m[1], m[2])
		}
	}
}
