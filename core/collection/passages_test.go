package collection

import (
	"strings"
	"testing"
)

const twoPassages = `{"passage": "P1", "source": "manual", "document": "guide", "version": 2, "status": "current", "access": "public", "text": "press Light twice"}
{"passage": "P2", "source": "manual", "document": "guide", "version": 1, "status": "superseded", "access": "public", "text": "press Light once"}
{"passage": "P3", "source": "bench", "document": "notes", "version": 1, "status": "current", "access": "restricted", "text": "the bench code"}
`

func TestViewAdmitsByStatusAndAccess(t *testing.T) {
	passages, err := ParsePassages("p.jsonl", []byte(twoPassages))
	if err != nil {
		t.Fatal(err)
	}
	view := View{Name: "baseline", Status: []string{"current"}, Access: []string{"public"}}
	c, others, err := view.Select("p.jsonl", passages)
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != 1 || c.Docs[0].ID != "P1" || *c.Docs[0].Reference != (Reference{"manual", "guide", 2, "P1"}) {
		t.Errorf("admitted %+v, want P1 with its reference", c.Docs)
	}
	if strings.Join(others, " ") != "P2 P3" {
		t.Errorf("others %v, want P2 (superseded) and P3 (restricted)", others)
	}
	if _, _, err := (View{Name: "none"}).Select("p.jsonl", passages); err == nil {
		t.Error("a view that admits nothing was accepted")
	}
}

func TestParsePassagesNamesTheFault(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"version below 1", `"version": 2`, `"version": 0`, "p.jsonl:1"},
		{"fractional version", `"version": 2`, `"version": 1.5`, "p.jsonl:1"},
		{"no source", `"source": "bench"`, `"source": ""`, "p.jsonl:3"},
		{"duplicate passage", `"P2"`, `"P1"`, `p.jsonl:2: duplicate passage "P1", first on line 1`},
		{"unknown field", `"access": "restricted"`, `"acces": "restricted"`, "p.jsonl:3"},
		{"no text", `"the bench code"`, `""`, `p.jsonl:3: passage "P3" has no text`},
	} {
		_, err := ParsePassages("p.jsonl", []byte(strings.Replace(twoPassages, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}
