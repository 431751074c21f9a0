package author

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"
)

// Check says what would keep a study from being sealed, frozen or packed. It writes nothing.
func Check(dir, id string, with Listing, out io.Writer) error {
	s, err := check(dir, id, with, out)
	if err != nil {
		return err
	}
	seals, err := s.Kit.Seals(id)
	if err != nil {
		return err
	}
	next := study.CommandOf(study.SealProtocol)
	if stages := s.Protocol.Stages(); len(seals) > 0 {
		next = "pack"
		if len(seals) < len(stages) {
			next = study.CommandOf(stages[len(seals)])
		}
	}
	checkTargets(s, out)
	_, err = fmt.Fprintf(out, "%s: nothing stands in the way of `build %s %s`\n", id, next, id)
	return err
}

// check loads a study as its manifest will list it, and does everything that can be done without computing a result.
func check(dir, id string, with Listing, out io.Writer) (*study.Study, error) {
	m, left, err := list(dir, id, with)
	if err != nil {
		return nil, err
	}
	say(left, out)
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	disk := listed{os.DirFS(dir), kit.Memory{id + "/manifest.json": data}}
	s, err := design.Load(disk, id)
	if err != nil {
		return nil, err
	}
	if err := checkWords(disk, s, out); err != nil {
		return nil, err
	}
	if err := checkLater(dir, s); err != nil {
		return nil, err
	}
	return s, s.Rehearse()
}

// checkLater looks for what stands where later stages will write.
func checkLater(dir string, s *study.Study) error {
	id := s.Protocol.ID
	seals, err := s.Kit.Seals(id)
	if err != nil || len(seals) == len(s.Protocol.Stages()) {
		return err
	}
	frozen := filepath.Join(dir, id, "frozen")
	if entries, err := os.ReadDir(frozen); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s holds %s, and the study is not frozen yet: move it away, as build freeze overwrites nothing", frozen,
			entries[0].Name())
	}
	return nil
}

// A listed file system is a folder on disk, some files of which are others.
type listed struct {
	fs.FS
	instead kit.Memory
}

func (l listed) Open(name string) (fs.File, error) {
	if _, ok := l.instead[name]; ok {
		return l.instead.Open(name)
	}
	return l.FS.Open(name)
}
