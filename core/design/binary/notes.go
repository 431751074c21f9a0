package binary

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The rank audit and the error notebook of a binary study: both are computed from needs, labels and rankings.

// A NeedAudit says for one need whether methods differ in their first result, and in which measures.
type NeedAudit struct {
	Split           string                         `json:"split"`
	Need            string                         `json:"need"`
	Slice           string                         `json:"slice"`
	First           map[string]*string             `json:"first"` // by method: passage, null where nothing is returned
	FirstChanged    bool                           `json:"firstChanged"`
	Values          map[string]map[string]*float64 `json:"values"` // by method and measure
	MeasuresChanged []string                       `json:"measuresChanged"`
}

func (b *Loaded) audit(place int, list []evaluation) NeedAudit {
	n := b.needs[place]
	a := NeedAudit{Split: n.split, Need: n.ID, Slice: n.Slice, First: map[string]*string{}, Values: map[string]map[string]*float64{}, MeasuresChanged: []string{}}
	for _, e := range list {
		a.First[e.Method], a.Values[e.Method] = nil, e.values
		if len(e.Best) > 0 {
			a.First[e.Method] = &e.Best[0].ID
		}
		a.FirstChanged = a.FirstChanged || first(e) != first(list[0])
	}
	for _, spec := range b.spec.Measures {
		reference := list[0].values[spec.Key]
		if slices.ContainsFunc(list, func(e evaluation) bool {
			v := e.values[spec.Key]
			return (v == nil) != (reference == nil) || v != nil && *v != *reference
		}) {
			a.MeasuresChanged = append(a.MeasuresChanged, spec.Key)
		}
	}
	return a
}

// first returns the first passage of a ranking, empty where there is none.
func first(e evaluation) string {
	if len(e.Best) == 0 {
		return ""
	}
	return e.Best[0].ID
}

// Kinds of notes.
const (
	NoteNoCandidates  = "no-candidates"  // relevant passages exist, a method returns nothing
	NoteNegativeFirst = "negative-first" // the first result is not relevant and says that there is nothing
	NoteCapacity      = "capacity"       // more relevant passages than a measure has places
	NoteSlice         = "slice"          // the trace contradicts what the slice's name claims
)

// A Note is one entry of the error notebook.
type Note struct {
	Kind     string   `json:"kind"`
	Split    string   `json:"split"`
	Need     string   `json:"need"`
	Slice    string   `json:"slice"`
	Methods  []string `json:"methods,omitempty"`  // that show it
	Passage  string   `json:"passage,omitempty"`  // negative-first
	Words    []string `json:"words,omitempty"`    // no-candidates: those of the query that no passage holds; negative-first: the negations
	Measure  string   `json:"measure,omitempty"`  // capacity
	Relevant int      `json:"relevant,omitempty"` // capacity: passages
	Places   int      `json:"places,omitempty"`   // capacity
	Best     *float64 `json:"best,omitempty"`     // capacity: the largest value that any ranking could reach
	Claim    string   `json:"claim,omitempty"`    // slice: what does not hold
}

func (b *Loaded) notes(place int, list []evaluation) []Note {
	n := b.needs[place]
	at := Note{Split: n.split, Need: n.ID, Slice: n.Slice}
	var notes []Note
	add := func(kind string, fill func(*Note)) {
		note := at
		note.Kind = kind
		fill(&note)
		notes = append(notes, note)
	}
	if n.Relevant() > 0 {
		var empty []string
		for _, e := range list {
			if e.Candidates == 0 {
				empty = append(empty, e.Method)
			}
		}
		if len(empty) > 0 {
			add(NoteNoCandidates, func(x *Note) { x.Methods, x.Words = empty, distinct(b.study.Questions[place].Query.Unknown) })
		}
	}
	var passages []string
	for _, e := range list {
		if p := first(e); p != "" && !slices.Contains(passages, p) {
			passages = append(passages, p)
		}
	}
	for _, p := range passages {
		doc, _ := b.study.Collection.Number(p)
		words := b.negations(doc)
		if n.Labels[doc] == 1 || len(words) == 0 {
			continue
		}
		add(NoteNegativeFirst, func(x *Note) {
			x.Passage, x.Words = p, words
			for _, e := range list {
				if first(e) == p {
					x.Methods = append(x.Methods, e.Method)
				}
			}
		})
	}
	for i, m := range b.measures {
		if m.Family == "R" && n.Relevant() > m.Cutoff {
			add(NoteCapacity, func(x *Note) {
				best := float64(m.Cutoff) / float64(n.Relevant())
				x.Measure, x.Relevant, x.Places, x.Best = b.spec.Measures[i].Key, n.Relevant(), m.Cutoff, &best
			})
		}
	}
	for _, s := range b.spec.Slices {
		if s.Name == n.Slice && !claims[s.Claim](b, place, list) {
			add(NoteSlice, func(x *Note) { x.Claim = s.Claim })
		}
	}
	return notes
}

func distinct(words []string) []string {
	list := slices.Clone(words)
	slices.Sort(list)
	return slices.Compact(list)
}

// negations returns the words of a passage that the protocol lists as negations, in the protocol's order.
func (b *Loaded) negations(doc int) []string {
	var list []string
	for _, w := range b.spec.Negation {
		if t, ok := b.study.Index.Term(w); ok && b.study.Index.TF(t, doc) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// claims are what a slice's name may claim of a need; each says whether the trace bears it out.
var claims = map[string]func(b *Loaded, place int, list []evaluation) bool{
	// Some relevant passage holds every word of the query.
	"every-word-in-one-relevant": func(b *Loaded, place int, _ []evaluation) bool {
		q := b.study.Questions[place].Query
		return len(q.Unknown) == 0 && b.anyRelevant(place, func(doc int) bool { return b.shared(place, doc) == len(q.Terms) })
	},
	// No relevant passage holds a word of the query, and there is a relevant passage.
	"no-word-in-any-relevant": func(b *Loaded, place int, _ []evaluation) bool {
		return b.needs[place].Relevant() > 0 && !b.anyRelevant(place, func(doc int) bool { return b.shared(place, doc) > 0 })
	},
	// The query repeats a word.
	"repeats-a-word": func(b *Loaded, place int, _ []evaluation) bool {
		tokens := b.study.Index.Analyzer().Tokens(b.study.Questions[place].Text)
		return len(distinct(tokens)) < len(tokens)
	},
	// A word of the query with a digit stands in exactly one passage.
	"identifier-in-one-passage": func(b *Loaded, place int, _ []evaluation) bool {
		x := b.study.Index
		for _, c := range b.study.Questions[place].Query.Terms {
			if strings.ContainsAny(x.Terms[c.Term], "0123456789") && x.DF(c.Term) == 1 {
				return true
			}
		}
		return false
	},
	// A relevant passage holds a word of the query that is not plain ASCII.
	"accented-word-in-relevant": func(b *Loaded, place int, _ []evaluation) bool {
		x := b.study.Index
		return b.anyRelevant(place, func(doc int) bool {
			for _, c := range b.study.Questions[place].Query.Terms {
				if t := x.Terms[c.Term]; len(t) > utf8.RuneCountInString(t) && x.TF(c.Term, doc) > 0 {
					return true
				}
			}
			return false
		})
	},
	// No passage is relevant.
	"nothing-relevant": func(b *Loaded, place int, _ []evaluation) bool { return b.needs[place].Relevant() == 0 },
	// Two relevant passages have the same text.
	"relevant-text-repeats": func(b *Loaded, place int, _ []evaluation) bool {
		seen := map[string]bool{}
		return b.anyRelevant(place, func(doc int) bool {
			text := b.study.Collection.Docs[doc].Text
			again := seen[text]
			seen[text] = true
			return again
		})
	},
	// A passage that is not relevant is longer than some relevant one and holds at least as many words of the query: a
	// relevant one that is short and to the point stands against it.
	"longer-rival": func(b *Loaded, place int, _ []evaluation) bool {
		x := b.study.Index
		return b.anyRelevant(place, func(doc int) bool {
			for rival, label := range b.needs[place].Labels {
				if label == 0 && x.Length[rival] > x.Length[doc] && b.shared(place, rival) >= max(b.shared(place, doc), 1) {
					return true
				}
			}
			return false
		})
	},
}

// shared counts the distinct words of a query that a document holds.
func (b *Loaded) shared(place, doc int) int {
	n := 0
	for _, c := range b.study.Questions[place].Query.Terms {
		if b.study.Index.TF(c.Term, doc) > 0 {
			n++
		}
	}
	return n
}

// anyRelevant reports whether a condition holds for a relevant document; it is asked in ascending order.
func (b *Loaded) anyRelevant(place int, holds func(doc int) bool) bool {
	for doc, label := range b.needs[place].Labels {
		if label == 1 && holds(doc) {
			return true
		}
	}
	return false
}
