package main

import (
	"slices"
	"strings"
	"testing"

	"retrace/core/design"
	"retrace/core/design/designtest"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// Results of a design without a printer are listed number by number, each written as its row says: degree ranks all 12
// documents whatever is asked.
func TestADesignWithoutTablesIsListed(t *testing.T) {
	s, err := study.Load(append(slices.Clone(design.All), designtest.Design), designtest.Tiny(), studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	printTables(&b, s, o.Results)
	if !strings.Contains(b.String(), "means.degree  12.0000") {
		t.Errorf("%s", b.String())
	}
}
