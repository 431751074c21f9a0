package page

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrace/core/design"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// A recorder notes which files are read.
type recorder struct {
	fs.FS
	names map[string]bool
}

func (r *recorder) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(r.FS, name)
	if err == nil {
		r.names[name] = true
	}
	return data, err
}

// A page loads what a replay reads, no less and no more. The replay itself says what that is.
func TestNeededIsWhatAReplayReads(t *testing.T) {
	tiny := studytest.Tiny()
	if err := studytest.Freeze(tiny); err != nil {
		t.Fatal(err)
	}
	for id, fsys := range map[string]fs.FS{
		studytest.ID:     tiny,
		"r01":            os.DirFS("../../../kit"),
		"r02":            os.DirFS("../../../kit"),
		"first-baseline": os.DirFS("../../../kit"),
	} {
		t.Run(id, func(t *testing.T) {
			reads := &recorder{fsys, map[string]bool{}}
			st, err := design.Load(reads, id)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.RunAll(study.Options{WithoutVectors: st.PartsWithoutVectors()}, nil); err != nil {
				t.Fatal(err)
			}
			if p := st.Protocol; p.Collection.Vectors != "" && !st.PartsWithoutVectors() {
				for _, vectors := range []string{p.Collection.Vectors, p.Questions.Vectors} {
					delete(reads.names, vectors)
					delete(reads.names, study.SidecarOf(vectors))
				}
			}
			got, err := needed(st)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(reads.names)), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
