package study

import (
	"fmt"
	"slices"

	"retrace/core/collection"
	"retrace/core/exact"
	"retrace/core/phrase"
	"retrace/core/records"
)

// Relations declares the overlay of typed relations, the cues that make a predicate count for more, and the sets of
// relations that typed walks may use.
type Relations struct {
	File       string                `json:"file"`
	Vocabulary collection.Vocabulary `json:"vocabulary"`
	Cues       string                `json:"cues,omitempty"` // predicate, pattern
	CueWeight  float64               `json:"cueWeight"`      // of a predicate that a cue in the question names; others weigh 1
	Sets       []RelationSet         `json:"sets"`
}

// A RelationSet names relations that walks may use: those of the file ("file"), another set with its asymmetric ones
// turned round ("reversed") or with its predicates permuted over the relations ("permuted"), or none ("empty").
type RelationSet struct {
	Name   string `json:"name"`
	From   string `json:"from"`
	Of     string `json:"of,omitempty"`     // reversed, permuted: the set to change, declared before
	Stream uint64 `json:"stream,omitempty"` // permuted: the random stream
}

func (r *Relations) check() error {
	v := r.Vocabulary
	switch {
	case r.File == "":
		return fmt.Errorf("relations.file is needed")
	case len(v.Predicates) == 0 || len(v.Predicates) > 64:
		return fmt.Errorf("relations.vocabulary.predicates: between 1 and 64")
	case !(r.CueWeight > 0) || r.CueWeight > 1e6:
		return fmt.Errorf("relations.cueWeight %v: above 0, at most 1e6", r.CueWeight)
	case len(r.Sets) == 0 || len(r.Sets) > maxGraphs:
		return fmt.Errorf("relations.sets: between 1 and %d", maxGraphs)
	}
	for i, p := range v.Predicates {
		if !Named(p) || slices.Contains(v.Predicates[:i], p) || slices.Contains(v.Reserved, p) {
			return fmt.Errorf("relations.vocabulary: predicate %q is malformed, listed twice or reserved", p)
		}
	}
	for _, p := range v.Symmetric {
		if !slices.Contains(v.Predicates, p) {
			return fmt.Errorf("relations.vocabulary: symmetric predicate %q is not in use", p)
		}
	}
	seen := map[string]bool{}
	for _, s := range r.Sets {
		if !Named(s.Name) || seen[s.Name] {
			return fmt.Errorf("relations.sets: name %q is malformed or used twice", s.Name)
		}
		switch s.From {
		case "file", "empty":
		case "reversed", "permuted":
			if !seen[s.Of] {
				return fmt.Errorf("relations.sets: %s changes %q, which must be declared before it", s.Name, s.Of)
			}
		default:
			return fmt.Errorf("relations.sets: %s: unknown kind %q: use file, reversed, permuted or empty", s.Name, s.From)
		}
		seen[s.Name] = true
	}
	return nil
}

// A cue is a pattern that names a predicate.
type cue struct {
	predicate int
	pattern   *phrase.Pattern
}

// cueColumns head a file of cues.
var cueColumns = []string{"predicate", "pattern (regular expression, RE2 syntax, matched case-insensitively between word boundaries)"}

const maxPattern = 2000 // bytes of a cue's pattern

// loadRelations reads the overlay and the cues, if the study has them.
func (s *Study) loadRelations() error {
	spec := s.Protocol.Relations
	if spec == nil {
		return nil
	}
	data, err := s.Kit.Read(spec.File)
	if err != nil {
		return err
	}
	if s.Relations, err = s.Collection.ParseRelations(spec.File, data, spec.Vocabulary); err != nil || spec.Cues == "" {
		return err
	}
	if data, err = s.Kit.Read(spec.Cues); err != nil {
		return err
	}
	return records.TSV(spec.Cues, data, cueColumns, func(line int, f []string) error {
		p := slices.Index(spec.Vocabulary.Predicates, f[0])
		if p < 0 {
			return records.Errorf(spec.Cues, line, "the protocol lists the predicates", "unknown predicate %q", f[0])
		}
		if len(f[1]) > maxPattern {
			return records.Errorf(spec.Cues, line, "split it into several lines", "a pattern of %d bytes, at most %d", len(f[1]), maxPattern)
		}
		pattern, err := phrase.Compile(f[1])
		if err != nil {
			return records.Errorf(spec.Cues, line, "name phrases by letters, spaces, |, (?:…) and ?", "%v", err)
		}
		if err := s.Index.Analyzer().CheckPhrases(spec.Cues, line, pattern.Phrases()); err != nil {
			return err
		}
		s.cues = append(s.cues, cue{p, pattern})
		return nil
	})
}

// Weights returns the weight of each predicate for a question's text, nil where the study has no relations. However many
// cues name a predicate, it is raised once.
func (s *Study) Weights(text string) []float64 {
	if s.Protocol.Relations == nil {
		return nil
	}
	weights := make([]float64, len(s.Protocol.Relations.Vocabulary.Predicates))
	for i := range weights {
		weights[i] = 1
	}
	for _, c := range s.cues {
		if weights[c.predicate] == 1 && c.pattern.Match(text) {
			weights[c.predicate] = s.Protocol.Relations.CueWeight
		}
	}
	return weights
}

// RelationSet returns the relations of a set by its name in the protocol.
func (s *Study) RelationSet(name string) ([]collection.Relation, error) {
	spec := s.Protocol.Relations
	if spec != nil {
		for _, set := range spec.Sets {
			if set.Name != name {
				continue
			}
			switch set.From {
			case "file":
				return s.Relations, nil
			case "empty":
				return nil, nil
			}
			of, err := s.RelationSet(set.Of)
			if err != nil {
				return nil, err
			}
			if set.From == "reversed" {
				return collection.Reversed(of, spec.Vocabulary.SymmetricAt()), nil
			}
			return collection.Relabelled(of, exact.NewStream(s.Protocol.Seed, set.Stream).Draw(len(of), len(of))), nil
		}
	}
	return nil, records.Errorf(s.Protocol.ID+"/study.json", 0, "declare it under relations.sets", "unknown set of relations %q", name)
}
