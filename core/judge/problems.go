package judge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"retrace/core/records"
)

// MaxProblems bounds how many violations are listed; further ones are only counted.
const MaxProblems = 100

// Problems are all violations that a parser found in a file, each with file, line, task, code and value in its text.
type Problems struct {
	List []*records.Error // in order of the file, then missing records in order of what was asked for; never empty
	More int              // violations beyond MaxProblems

	kinds  []string       // their hints, in order of first appearance: violations with one hint are of one kind
	counts map[string]int // of violations by hint
}

const shownProblems = 5 // in the text of an error

// Error lists the first violations and counts all by kind, where there are more.
func (p *Problems) Error() string {
	var b strings.Builder
	for i, e := range p.List[:min(len(p.List), shownProblems)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	if all := len(p.List) + p.More; all > shownProblems {
		fmt.Fprintf(&b, "\nand %d more; of all %d:", all-shownProblems, all)
		for _, kind := range p.kinds {
			fmt.Fprintf(&b, "\n%8d  %s", p.counts[kind], kind)
		}
	}
	return b.String()
}

// Unwrap gives errors.As and errors.Is the single violations.
func (p *Problems) Unwrap() []error {
	list := make([]error, len(p.List))
	for i, e := range p.List {
		list[i] = e
	}
	return list
}

// A reader reads one file and collects what is wrong with it.
type reader struct {
	file     string
	problems Problems
}

func (r *reader) add(e *records.Error) {
	p := &r.problems
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	if p.counts[e.Hint]++; p.counts[e.Hint] == 1 {
		p.kinds = append(p.kinds, e.Hint)
	}
	if len(r.problems.List) < MaxProblems {
		r.problems.List = append(r.problems.List, e)
	} else {
		r.problems.More++
	}
}

func (r *reader) addf(line int, hint, format string, args ...any) {
	r.add(records.Errorf(r.file, line, hint, format, args...))
}

// err returns the problems, nil if there are none.
func (r *reader) err() error {
	if len(r.problems.List) == 0 {
		return nil
	}
	return &r.problems
}

// jsonLines decodes each line into a T and yields the good ones. It reports false where the file could not be read to
// its end: then it says nothing about what is missing.
func jsonLines[T any](r *reader, data []byte, yield func(line int, value T)) (toTheEnd bool) {
	err := records.Lines(r.file, data, func(line int, text []byte) error {
		var value T
		if err := records.Decode(r.file, line, text, &value); err != nil {
			r.addError(err)
			return nil
		}
		yield(line, value)
		return nil
	})
	if err != nil {
		r.addError(err)
		r.addf(0, "correct the line and read the file again", "what follows that line was not read")
	}
	return err == nil
}

func (r *reader) addError(err error) {
	if e, ok := err.(*records.Error); ok {
		r.add(e)
	} else {
		r.addf(0, "", "%v", err)
	}
}

// whole reads a JSON number as a whole one from 0 to top; what says why it isn't one. Nothing is rounded or converted:
// true, 1.0, "1" and null are all different from 1.
func whole(raw json.RawMessage, top int) (n int, what string) {
	text := string(raw)
	switch {
	case text == "" || text == "null":
		return 0, "is missing"
	case text == "true" || text == "false":
		return 0, "is a Boolean"
	case text[0] == '"':
		return 0, "is text"
	case text[0] == '[' || text[0] == '{':
		return 0, "is not a number"
	case strings.ContainsAny(text, ".eE"):
		return 0, "is not written as a whole number"
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > top || text[0] == '-' {
		return 0, fmt.Sprintf("is out of range 0 to %d", top)
	}
	return n, ""
}

// indices reads a JSON list of different whole numbers from 0 to top, in any order; what says why it isn't one.
func indices(raw json.RawMessage, top int) (list []int, what string) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, "is missing"
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, "is not a list"
	}
	list = make([]int, 0, min(len(items), top+1))
	seen := make([]bool, top+1)
	for _, item := range items {
		n, what := whole(item, top)
		switch {
		case what != "":
			return nil, fmt.Sprintf("holds %s, which %s", show(item), what)
		case seen[n]:
			return nil, fmt.Sprintf("holds %d twice", n)
		}
		seen[n] = true
		list = append(list, n)
	}
	return list, ""
}

// show prints a JSON value for a message: as written where it is plain text, else quoted; long ones are cut.
func show(raw json.RawMessage) string {
	const most = 40
	text, cut := string(raw), ""
	if text == "" {
		return "(absent)"
	}
	if len(text) > most {
		text, cut = text[:most], "…"
	}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return strconv.Quote(text) + cut
		}
	}
	return text + cut
}

// name quotes an identifier for a message, cut to a length that fits a line.
func name(id string) string { return fmt.Sprintf("%.60q", id) }
