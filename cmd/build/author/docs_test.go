package author

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"retrace/cmd/build/pack"
	"retrace/core/design/binary"
	"retrace/core/method"
	"retrace/core/metrics"
	"retrace/core/study"
	"retrace/core/text"
)

// guide is docs/studies.md.
func guide(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestGuide follows docs/studies.md: it writes the files that the text names before a block, and runs the commands.
func TestGuide(t *testing.T) {
	doc := guide(t)
	t.Chdir(t.TempDir())
	block := regexp.MustCompile("(?s)([^\n]*)\n\n```([a-z]+)\n(.*?)```\n")
	place := regexp.MustCompile("`(mykit/[^`]+)`")
	files, commands := 0, 0
	for _, m := range block.FindAllStringSubmatch(doc, -1) {
		before, kind, body := m[1], m[2], m[3]
		if kind == "sh" {
			for line := range strings.Lines(body) {
				args, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/build ")
				if !ok {
					t.Fatalf("not a command of build: %s", line)
				}
				root := &cobra.Command{Use: "build", SilenceUsage: true, SilenceErrors: true}
				root.AddCommand(append(Commands(), pack.Commands()...)...)
				root.SetArgs(strings.Fields(args))
				root.SetOut(io.Discard)
				if err := root.Execute(); err != nil {
					t.Fatalf("%s: %v", args, err)
				}
				commands++
			}
			continue
		}
		name := place.FindStringSubmatch(before)
		if name == nil {
			t.Fatalf("a block without its file, after %q", before)
		}
		files++
		if held, err := os.ReadFile(name[1]); err == nil { // a command wrote it
			if string(held) != body {
				t.Errorf("%s is\n%s, the guide says\n%s", name[1], held, body)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name[1]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name[1], []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if files != 6 || commands != 6 {
		t.Errorf("%d files and %d commands, want 6 and 6", files, commands)
	}
	data, err := os.ReadFile("mykit/finding/frozen/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Methods map[string]struct{ MRR10 float64 }
	}
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	// Ranks 1, 1 and none: "north" and "flame" stand in few texts, and nothing of F2's question in its target's.
	if got := results.Methods["bm25"].MRR10; got != 2.0/3 {
		t.Errorf("MRR@10 of BM25 is %v, the guide says 2/3", got)
	}
	if _, err := os.Stat("out/finding.zip"); err != nil {
		t.Error(err)
	}
}

// Everything that a study may name stands in the guide, with bounds and defaults as the engine has them.
func TestGuideListsEverything(t *testing.T) {
	doc := guide(t)
	row := func(cells ...string) {
		t.Helper()
		if want := "\n| " + strings.Join(cells, " | "); !strings.Contains(doc, want) {
			t.Errorf("docs/studies.md lacks %q", want)
		}
	}
	for _, k := range method.Kinds {
		args := fmt.Sprint(k.MinArgs)
		if k.MaxArgs != k.MinArgs {
			args += " to " + fmt.Sprint(k.MaxArgs)
		}
		var params []string
		for _, p := range k.Params {
			bounds := "a " + string(p.Of)
			switch {
			case len(p.Options) > 0:
				bounds = strings.Join(p.Options, ", ")
			case p.Of == "":
				bounds = method.FormatNumber(p.Min) + " to " + method.FormatNumber(p.Max)
			}
			if p.Integer {
				bounds += ", whole"
			}
			params = append(params, fmt.Sprintf("`%s` (%s; %s)", p.Key, p.Default, bounds))
		}
		row("`"+k.Name+"`", args, strings.Join(params, ", "), k.Sentence)
	}
	for _, f := range metrics.Families() {
		row("`"+f.Name+"@5`", f.Title+": "+f.Definition, f.Undefined)
	}
	for _, name := range slices.Concat(text.Names(), binary.Claims()) {
		row("`"+name+"`", "")
	}
	for _, role := range study.Roles {
		if !strings.Contains(doc, "`"+role+"`") {
			t.Errorf("docs/studies.md lacks the role %s", role)
		}
	}
}
