package bigindex

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"retrace/core/records"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, c := range Commands() {
		if strings.HasPrefix(c.Use, args[0]+" ") {
			var out bytes.Buffer
			c.SetArgs(args[1:])
			c.SetOut(&out)
			c.SetErr(&out)
			c.SilenceUsage = true
			err := c.Execute()
			return out.String(), err
		}
	}
	t.Fatal(args)
	return "", nil
}

func TestIndexAndMerge(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := []string{`{"_id": "2", "title": "Kettle", "text": "boils the water"}`,
		`{"_id": "10", "title": "", "text": "the Kettle, kettle"}`}
	for name, text := range map[string]string{"all.jsonl": lines[1] + "\n" + lines[0] + "\n", "1.jsonl": lines[0], "2.jsonl": lines[1],
		"stop.txt": "the\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"all", "1", "2"} {
		out, err := run(t, "index", name+".jsonl", "--output", name+".index", "--stopwords", "stop.txt", "--memory", "1")
		if err != nil {
			t.Fatal(err)
		}
		// kettle boils water; kettle kettle
		if name == "all" && !strings.HasPrefix(out, "all.index: 2 documents, 3 terms, 5 tokens\n") {
			t.Error(out)
		}
	}
	if _, err := run(t, "merge-indexes", "1.index", "2.index", "-o", "merged.index"); err != nil {
		t.Fatal(err)
	}
	all, _ := os.ReadFile("all.index")
	merged, _ := os.ReadFile("merged.index")
	if !bytes.Equal(all, merged) {
		t.Error("parts give another index than the whole")
	}
	for want, args := range map[string][]string{
		"overwritten":         {"index", "all.jsonl", "-o", "all.index"},
		"does not come after": {"merge-indexes", "2.index", "1.index", "-o", "x.index"},
		"there already":       {"merge-indexes", "1.index", "2.index", "-o", "all.index"},
		"title and text":      {"index", "all.jsonl", "-o", "x.index", "--fields", "body"},
		"unknown analyzer":    {"index", "all.jsonl", "-o", "x.index", "--analyzer", "klingon"},
		"damaged or no":       {"merge-indexes", "stop.txt", "-o", "x.index"},
	} {
		_, err := run(t, args...)
		if err == nil || !strings.Contains(err.Error()+hint(err), want) {
			t.Errorf("%q: %v, want an error with %q", args, err, want)
		}
	}
	left, _ := filepath.Glob("*.part")
	if x, _ := filepath.Glob("x.index*"); len(left)+len(x) > 0 {
		t.Error("left behind:", left, x)
	}
}

func hint(err error) string {
	if r, ok := errors.AsType[*records.Error](err); ok {
		return " " + r.Hint
	}
	return ""
}
