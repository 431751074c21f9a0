package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/kit"
	"retrace/core/numpath"
)

// Stages of seals, in order.
const (
	SealProtocol = "protocol" // data and protocol
	SealLock     = "lock"     // what development chose
	SealEngine   = "engine"   // the engine's source and tests
	SealFrozen   = "frozen"   // results and observations
)

// Stages returns the stages of a study's seals, in order.
func (p *Protocol) Stages() []string { return p.Spec.Seals() }

// StageOf returns the stage whose seal fixes a file of a study, empty for seals themselves.
func (p *Protocol) StageOf(path string) string {
	switch {
	case strings.HasPrefix(path, p.ID+"/seals/"):
		return ""
	case strings.HasPrefix(path, p.ID+"/frozen/"):
		return SealFrozen
	}
	if part, ok := p.Spec.(Stager); ok {
		return part.StageOf(path)
	}
	return SealProtocol
}

// PartsWithoutVectors reports whether a replay without vectors gives results of its own.
func (p *Protocol) PartsWithoutVectors() bool {
	part, ok := p.Spec.(Partial)
	return ok && part.PartsWithoutVectors() && p.Collection.Vectors != ""
}

// PartsWithoutVectors reports whether a replay without vectors gives results of its own.
func (s *Study) PartsWithoutVectors() bool { return s.Protocol.PartsWithoutVectors() }

// ResultsFormat names the layout of results.
const ResultsFormat = "retrace-results/1"

// FrozenResults returns where the frozen results of a replay with the given options stand in a kit.
func (p *Protocol) FrozenResults(options Options) string {
	if options.WithoutVectors && p.PartsWithoutVectors() {
		return p.ID + "/frozen/results-without-vectors.json"
	}
	return p.ID + "/frozen/results.json"
}

// FrozenObservations returns where frozen observations stand: of methods that need vectors, or of the others.
func (p *Protocol) FrozenObservations(vectors bool) string {
	if vectors {
		return p.ID + "/frozen/observations-vectors.jsonl"
	}
	return p.ID + "/frozen/observations.jsonl"
}

// A Difference is one path at which two results differ, each side as JSON, empty where there is nothing.
type Difference struct {
	Path   string `json:"path"`
	Frozen string `json:"frozen"`
	Here   string `json:"here"`
}

// MaxDifferences bounds the list that Compare returns.
const MaxDifferences = 1000

// Compare lists the paths at which two JSON documents differ, in ascending order of keys; none where they are the same
// bytes. total counts them all, also beyond MaxDifferences.
func Compare(frozen, here []byte) (list []Difference, total int, err error) {
	if bytes.Equal(frozen, here) {
		return nil, 0, nil
	}
	a, err := decodeTree(frozen)
	if err != nil {
		return nil, 0, fmt.Errorf("study: frozen results are not JSON: %w", err)
	}
	b, err := decodeTree(here)
	if err != nil {
		return nil, 0, fmt.Errorf("study: results are not JSON: %w", err)
	}
	add := func(d Difference) {
		if total++; len(list) < MaxDifferences {
			list = append(list, d)
		}
	}
	compareTrees("", a, b, add)
	if total == 0 {
		add(Difference{"", "(other bytes for the same values: not canonical JSON)", ""})
	}
	return list, total, nil
}

func decodeTree(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

func compareTrees(path string, a, b any, add func(Difference)) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := []string{}
			for k := range x {
				keys = append(keys, k)
			}
			for k := range y {
				if _, ok := x[k]; !ok {
					keys = append(keys, k)
				}
			}
			slices.Sort(keys)
			for _, k := range keys {
				p, inX := x[k]
				q, inY := y[k]
				if inX && inY {
					compareTrees(numpath.Join(path, k), p, q, add)
				} else {
					add(Difference{numpath.Join(path, k), encodeLeaf(p, inX), encodeLeaf(q, inY)})
				}
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				p := numpath.Join(path, strconv.Itoa(i))
				switch {
				case i >= len(x):
					add(Difference{p, "", encodeLeaf(y[i], true)})
				case i >= len(y):
					add(Difference{p, encodeLeaf(x[i], true), ""})
				default:
					compareTrees(p, x[i], y[i], add)
				}
			}
			return
		}
	}
	if p, q := encodeLeaf(a, true), encodeLeaf(b, true); p != q {
		add(Difference{path, p, q})
	}
}

func encodeLeaf(v any, there bool) string {
	if !there {
		return ""
	}
	data, err := kit.Canonical(v)
	if err != nil {
		return "?"
	}
	if len(data) > 200 {
		return string(data[:200]) + "…"
	}
	return string(data)
}

// CompareFiles is Compare for a file that a replay makes: JSON, or JSON Lines, whose paths start with the line's number.
func CompareFiles(name string, frozen, here []byte) (list []Difference, total int, err error) {
	if !strings.HasSuffix(name, ".jsonl") {
		return Compare(frozen, here)
	}
	a, b := bytes.Split(bytes.TrimSuffix(frozen, []byte{'\n'}), []byte{'\n'}), bytes.Split(bytes.TrimSuffix(here, []byte{'\n'}), []byte{'\n'})
	for i := range max(len(a), len(b)) {
		line := fmt.Sprintf("%s:%d", name, i+1)
		var found []Difference
		switch {
		case i >= len(a):
			found = []Difference{{"", "", string(b[i])}}
		case i >= len(b):
			found = []Difference{{"", string(a[i]), ""}}
		default:
			if found, _, err = Compare(a[i], b[i]); err != nil {
				return nil, 0, err
			}
		}
		for _, d := range found {
			total++
			if len(list) < MaxDifferences {
				list = append(list, Difference{strings.TrimSpace(line + " " + d.Path), d.Frozen, d.Here})
			}
		}
	}
	return list, total, nil
}
