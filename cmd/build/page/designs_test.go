package page

import (
	"strings"
	"testing"

	"retrace/cmd/build/page/embedded"
	"retrace/core/design"
	"retrace/core/study"
)

// Every design of the engine has a row here, a template, and a name for the script.
func TestEveryDesignHasAPage(t *testing.T) {
	for _, d := range design.All {
		row, ok := designPages[d.Key]
		if !ok {
			t.Errorf("designPages has no row for %s", d.Key)
			continue
		}
		if _, err := parsed(&pageData{}); err != nil {
			t.Fatal(err)
		}
		if all, _ := parsed(&pageData{}); all.Lookup(row.template) == nil {
			t.Errorf("%s: there is no template %q", d.Key, row.template)
		}
		if !embedded.Design(d.Key).Known() {
			t.Errorf("%s: the script has no name for it: add one to embedded.Design", d.Key)
		}
	}
	if len(designPages) != len(design.All) {
		t.Errorf("%d rows for %d designs", len(designPages), len(design.All))
	}
}

func TestUnknownDesignIsAnError(t *testing.T) {
	a := &article{Protocol: &study.Protocol{Design: "ladder"}}
	if err := a.buildDesign(); err == nil || !strings.Contains(err.Error(), `design "ladder"`) {
		t.Errorf("error %v; want one that names the design", err)
	}
}
