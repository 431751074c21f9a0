package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type thing struct{}

func (thing) value()    {}
func (*thing) pointer() {}

func plain() {}

// The line that is named holds the function's declaration.
func TestSourceOf(t *testing.T) {
	for name, f := range map[string]any{"explain.plain": plain, "explain.thing.value": thing.value, "explain.(*thing).pointer": (*thing).pointer, "explain.SourceOf": SourceOf} {
		s := SourceOf(f)
		if s.Function != name || !strings.HasPrefix(s.File, "core/explain/") {
			t.Errorf("%+v, want %s", s, name)
			continue
		}
		data, err := os.ReadFile(filepath.Base(s.File))
		if err != nil {
			t.Skip("no source beside the test")
		}
		line := strings.Split(string(data), "\n")[s.Line-1]
		if short := name[strings.LastIndexAny(name, ".")+1:]; !strings.HasPrefix(line, "func ") || !strings.Contains(line, short+"(") {
			t.Errorf("%s:%d holds %q, not the declaration of %s", s.File, s.Line, line, name)
		}
	}
}
