package vectors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"retrace/core/dense"
)

// A Shard is part Index of Of of a list of texts: a run of them, so that the parts one after the other are the list.
type Shard struct {
	Index, Of int // 1 ≤ Index ≤ Of
}

// maxShards bounds the parts of one list.
const maxShards = 1 << 16

// ParseShard reads "I/N".
func ParseShard(s string) (Shard, error) {
	var shard Shard
	if _, err := fmt.Sscanf(s, "%d/%d", &shard.Index, &shard.Of); err != nil || shard.String() != s ||
		shard.Index < 1 || shard.Index > shard.Of || shard.Of > maxShards {
		return Shard{}, fmt.Errorf("vectors: shard %q: write it as I/N with I from 1 to N, such as 2/8", s)
	}
	return shard, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Range returns the texts of the shard, first to before last, of count in all. Sizes differ by 1 at most.
func (s Shard) Range(count int) (first, last int) {
	return count * (s.Index - 1) / s.Of, count * s.Index / s.Of
}

// Merge writes the vector file that the shards in paths, given in any order, make up together. Each must be whole, all
// must come from the same texts, model, runtime and settings, and none may lack.
func Merge(path string, paths []string) (dense.Sidecar, error) {
	var none dense.Sidecar
	if SidecarPath(path) == path {
		return none, fmt.Errorf("vectors: %s: vectors cannot have the sidecar's ending .json: use .f32", path)
	}
	for _, p := range []string{path, SidecarPath(path)} {
		if _, err := os.Lstat(p); !errors.Is(err, os.ErrNotExist) {
			return none, fmt.Errorf("vectors: %s is there: nothing is overwritten, so remove it or choose another --out", p)
		}
	}
	ordered, merged, err := order(paths)
	if err != nil {
		return none, err
	}
	return write(path, merged, func(out io.Writer) error {
		for _, p := range ordered {
			m, err := read(p)
			if err != nil {
				return err
			}
			for i := range m.Count() {
				if _, err := out.Write(dense.Bytes(m.Row(i))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// order puts shards in order and returns the sidecar of the whole, checking sidecars alone.
func order(paths []string) ([]string, dense.Sidecar, error) {
	var merged dense.Sidecar
	var ordered []string
	var parts []dense.Sidecar
	var same string
	for _, p := range paths {
		file, err := os.ReadFile(SidecarPath(p))
		if err != nil {
			return nil, merged, fmt.Errorf("vectors: %w", err)
		}
		s, err := dense.ParseSidecar(file)
		if err != nil {
			return nil, merged, fmt.Errorf("vectors: %s: %w", p, err)
		}
		shard, err := ParseShard(s.Shard)
		if err != nil {
			return nil, merged, fmt.Errorf("vectors: %s is not a shard: encode with --shard I/N", p)
		}
		if ordered == nil {
			ordered, parts = make([]string, shard.Of), make([]dense.Sidecar, shard.Of)
		}
		if shard.Of != len(ordered) {
			return nil, merged, fmt.Errorf("vectors: %s is shard %s, but there are others of %d: merge the shards of one division", p,
				s.Shard, len(ordered))
		}
		if other := ordered[shard.Index-1]; other != "" {
			return nil, merged, fmt.Errorf("vectors: %s and %s are both shard %s", other, p, s.Shard)
		}
		ordered[shard.Index-1], parts[shard.Index-1] = p, s
		// Beside what is each shard's own, sidecars must say the same.
		s.Shard, s.Count, s.Truncated, s.SHA256 = "", 0, nil, ""
		this, err := json.Marshal(s)
		if err != nil {
			return nil, merged, err
		}
		if same == "" {
			same, merged = string(this), s
		}
		if string(this) != same {
			return nil, merged, fmt.Errorf("vectors: %s was made from other texts, or with another model, runtime or settings than %s: "+
				"compare their sidecars", p, paths[0])
		}
	}
	merged.Truncated = []string{}
	for i, p := range ordered {
		if p == "" {
			return nil, merged, fmt.Errorf("vectors: shard %s is not among the files: name every one", Shard{i + 1, len(ordered)})
		}
		merged.Count += parts[i].Count
		merged.Truncated = append(merged.Truncated, parts[i].Truncated...)
	}
	for i, p := range ordered {
		shard := Shard{i + 1, len(ordered)}
		if first, last := shard.Range(merged.Count); parts[i].Count != last-first {
			return nil, merged, fmt.Errorf("vectors: %s holds %d vectors, but shard %s of %d has %d", p, parts[i].Count, shard,
				merged.Count, last-first)
		}
	}
	if len(ordered) == 0 {
		return nil, merged, errors.New("vectors: no shards to merge: name their files")
	}
	return ordered, merged, nil
}

func read(path string) (*dense.Matrix, error) {
	vectors, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	sidecar, err := os.ReadFile(SidecarPath(path))
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	m, err := dense.Parse(vectors, sidecar, -1)
	if err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", path, err)
	}
	return m, nil
}
