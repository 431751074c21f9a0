package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Question is what one reader was asked about a task: the labels of the supplied definitions and how many obligations.
type Question struct {
	Task        string
	Labels      []int // of the supplied context, positive, in its order
	Obligations int   // at most MaxObligations
}

// An Answer is a reader's answer to a Question.
type Answer struct {
	Text         string
	Cited        []int // labels, in the reader's order
	Insufficient []int // obligations for which the context did not suffice, from 0, in the reader's order
	Line         int
}

type answerLine struct {
	Task         string          `json:"task"`
	Answer       json.RawMessage `json:"answer"`
	Cited        json.RawMessage `json:"cited"`
	Insufficient json.RawMessage `json:"insufficient"`
}

// maxLabel bounds labels, so that lists stay small.
const maxLabel = 999

// ParseAnswers reads a reader's file (JSON Lines of task, answer, cited, insufficient) and returns one answer for each
// question, in the order of questions. The labels in cited must be exactly those that stand in the answer as literal
// citations ([1], [2] …), and all of them must have been supplied. Indices of insufficient obligations may count from 0
// or from 1: base says which, or RecogniseBase, and the returned Rebase records what was done to them.
// All violations are reported (see Problems).
func ParseAnswers(file string, data []byte, questions []Question, base Base) ([]Answer, Rebase, error) {
	r := &reader{file: file}
	at := make(map[string]int, len(questions))
	for i, q := range questions {
		at[q.Task] = i
	}
	answers := make([]Answer, len(questions))
	toTheEnd := jsonLines(r, data, func(line int, l answerLine) {
		where := "task " + name(l.Task)
		i, known := at[l.Task]
		switch {
		case !known:
			r.addf(line, "answer what the packet asks", "unknown task %s", name(l.Task))
			return
		case answers[i].Line > 0:
			r.addf(line, "keep one of the two", "%s is answered twice, first at line %d", where, answers[i].Line)
			return
		}
		a, q := &answers[i], questions[i]
		a.Line = line
		var what string
		if a.Text, what = text(l.Answer); what != "" {
			r.addf(line, "give an answer in words", "%s: answer %s %s", where, show(l.Answer), what)
		}
		if a.Insufficient, what = indices(l.Insufficient, q.Obligations); what != "" { // 0 … n covers both bases
			r.addf(line, "list indices of obligations, [] for none", "%s: insufficient %s %s", where, show(l.Insufficient), what)
		}
		if a.Cited, what = indices(l.Cited, maxLabel); what != "" {
			r.addf(line, "list the labels that the answer cites, [] for none", "%s: cited %s %s", where, show(l.Cited), what)
			return
		}
		literal := Citations(a.Text)
		for _, label := range a.Cited {
			if !slices.Contains(q.Labels, label) {
				r.addf(line, "cite labels of the packet", "%s: cited label %d was not supplied", where, label)
			}
			if !slices.Contains(literal, label) {
				r.addf(line, "cite literally, one label in each pair of brackets", "%s: cited label %d does not stand in the answer as [%d]", where, label, label)
			}
		}
		for _, label := range literal {
			if !slices.Contains(a.Cited, label) {
				r.addf(line, "list in cited what the answer cites", "%s: the answer cites [%d], which is not listed in cited", where, label)
			}
		}
	})
	if toTheEnd {
		for i, q := range questions {
			if answers[i].Line == 0 {
				r.addf(0, "every task of the packet needs one answer", "task %s: answer is missing", name(q.Task))
			}
		}
	}
	if err := r.err(); err != nil {
		return nil, Rebase{}, err
	}
	lists := make([]Ordinals, len(answers))
	for i, a := range answers {
		lists[i] = Ordinals{Task: questions[i].Task, Line: a.Line, Count: questions[i].Obligations, Values: a.Insufficient}
	}
	rebase, err := NormaliseBase(file, "insufficient", lists, base)
	if err != nil {
		return nil, Rebase{}, err
	}
	for i := range answers {
		answers[i].Insufficient = rebase.After[i]
	}
	return answers, rebase, nil
}

// Citations returns the labels that a text cites literally, a decimal number of up to three digits alone in square
// brackets, each once, in order of appearance. Other brackets, such as the interval [0, 1] or [01], are no citations.
func Citations(text string) []int {
	labels := []int{}
	for i := 0; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		n, digits := 0, 0
		for j := i + 1; j < len(text) && text[j] >= '0' && text[j] <= '9' && digits < 4; j++ {
			n = 10*n + int(text[j]-'0')
			digits++
		}
		end := i + 1 + digits
		leadingZero := digits > 1 && text[i+1] == '0'
		if digits > 0 && digits < 4 && !leadingZero && end < len(text) && text[end] == ']' && !slices.Contains(labels, n) {
			labels = append(labels, n)
		}
	}
	return labels
}

// LiteralQuote reports whether a quote is a non-empty, case-sensitive substring of a definition.
func LiteralQuote(quote, definition string) bool {
	return quote != "" && strings.Contains(definition, quote)
}

// A Base says from which number a file's indices count.
type Base int

const (
	FromZero      Base = 0
	FromOne       Base = 1
	RecogniseBase Base = -1 // by the file's own extremes
)

// Ordinals are indices into a list of Count things, as written.
type Ordinals struct {
	Task   string
	Line   int
	Count  int
	Values []int // different, each from 0 to Count
}

// A Rebase records how the indices of one field of a file were brought to count from 0.
type Rebase struct {
	File, Field string
	Base        Base    // FromZero: nothing changed; FromOne: 1 was taken off each index
	Declared    bool    // the base was given; otherwise it was recognised
	Evidence    string  // what settles the base; empty where it was declared
	Before      [][]int // as written, list by list
	After       [][]int // counting from 0
}

// String is the log line of the transformation.
func (r Rebase) String() string {
	how := "declared"
	if !r.Declared {
		how = "recognised: " + r.Evidence
	}
	n := 0
	for _, list := range r.Before {
		n += len(list)
	}
	return fmt.Sprintf("%s: %s: %d indices in %d lists count from %d (%s); %d taken off each, inverted and compared",
		r.File, r.Field, n, len(r.Before), r.Base, how, r.Base)
}

// Invert undoes the transformation.
func (r Rebase) Invert() [][]int { return shifted(r.After, int(r.Base)) }

func shifted(lists [][]int, by int) [][]int {
	out := make([][]int, len(lists))
	for i, list := range lists {
		out[i] = make([]int, len(list))
		for j, x := range list {
			out[i][j] = x + by
		}
	}
	return out
}

// NormaliseBase brings indices to count from 0. With RecogniseBase an index 0 anywhere shows that the file counts from
// 0, an index equal to its list's Count that it counts from 1; both, or neither where there are indices, is an error,
// since guessing would shift every index by one. The transformation is inverted and compared before it is returned.
func NormaliseBase(file, field string, lists []Ordinals, base Base) (Rebase, error) {
	r := &reader{file: file}
	zero, last, any := -1, -1, false
	for i, l := range lists {
		for _, x := range l.Values {
			any = true
			if x == 0 && zero < 0 {
				zero = i
			}
			if x == l.Count && last < 0 {
				last = i
			}
			if x < 0 || x > l.Count {
				r.addf(l.Line, "count from 0 or from 1", "task %s: %s holds %d, the task has %d", name(l.Task), field, x, l.Count)
			}
		}
	}
	say := func(i, x int) string {
		return fmt.Sprintf("line %d, task %s: index %d of %d", lists[i].Line, name(lists[i].Task), x, lists[i].Count)
	}
	rebase := Rebase{File: file, Field: field, Base: base, Declared: base != RecogniseBase}
	switch {
	case zero >= 0 && base == FromOne:
		r.addf(lists[zero].Line, "declare base 0, or correct the index", "%s: counted from 1 by declaration, but %s", field, say(zero, 0))
	case last >= 0 && base == FromZero:
		r.addf(lists[last].Line, "declare base 1, or correct the index", "%s: counted from 0 by declaration, but %s", field, say(last, lists[last].Count))
	case base != RecogniseBase:
	case zero >= 0 && last >= 0:
		r.addf(lists[last].Line, "use one base in the whole file", "%s: counts from 0 (%s) and from 1 (%s)", field, say(zero, 0), say(last, lists[last].Count))
	case zero >= 0:
		rebase.Base, rebase.Evidence = FromZero, say(zero, 0)
	case last >= 0:
		rebase.Base, rebase.Evidence = FromOne, say(last, lists[last].Count)
	case any:
		r.addf(0, "declare the base of the file's indices", "%s: no index is 0 or the last one: it could count from 0 or from 1", field)
	default:
		rebase.Base, rebase.Evidence = FromZero, "no index at all"
	}
	if err := r.err(); err != nil {
		return Rebase{}, err
	}
	for _, l := range lists {
		rebase.Before = append(rebase.Before, l.Values)
	}
	rebase.After = shifted(rebase.Before, -int(rebase.Base))
	if !slices.EqualFunc(rebase.Invert(), rebase.Before, slices.Equal) {
		return Rebase{}, fmt.Errorf("judge: %s: %s: the change of base does not invert: keep the file as it is and report this", file, field)
	}
	return rebase, nil
}
