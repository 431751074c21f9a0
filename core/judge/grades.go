package judge

import (
	"encoding/json"
	"slices"
	"strings"
)

// MaxObligations is the largest number of obligations that a task may have: the common denominator of composites stays
// small up to here.
const MaxObligations = 20

// A Pair is one item of a pool: a task and a concept that a judge sees under an opaque code.
type Pair struct {
	Task, Code, Concept string
	Obligations         int // how many obligations the task has, at most MaxObligations
}

// A Grade is what one judge says of one pair.
type Grade struct {
	Grade       int
	Obligations []int // those that the concept helps, from 0, in the judge's order
	Reason      string
	Line        int // in the judge's file
}

// A gradeLine is a line of a judge's file. Values stay raw, so that a wrong type can be named.
type gradeLine struct {
	Task        string          `json:"task"`
	Code        string          `json:"code"`
	Concept     string          `json:"concept"`
	Grade       json.RawMessage `json:"grade"`
	Obligations json.RawMessage `json:"obligations"`
	Reason      json.RawMessage `json:"reason"`
}

// ParseGrades reads a judge's file (JSON Lines of task, code or concept, grade, obligations, reason) and returns one
// grade for each pair of the pool, in the pool's order. Grades are whole numbers from 0 to top. A missing, duplicate,
// unknown, Boolean, fractional or out-of-range judgement is an error; all of them are reported (see Problems).
func ParseGrades(file string, data []byte, pool []Pair, top int) ([]Grade, error) {
	r := &reader{file: file}
	type key struct {
		task, code string
		concept    bool
	}
	at := make(map[key]int, 2*len(pool))
	tasks := make(map[string]bool)
	for i, p := range pool {
		at[key{p.Task, p.Code, false}] = i
		at[key{p.Task, p.Concept, true}] = i
		tasks[p.Task] = true
	}
	grades := make([]Grade, len(pool)) // Line 0: not judged yet
	toTheEnd := jsonLines(r, data, func(line int, l gradeLine) {
		k := key{l.Task, l.Code, false}
		who := "code " + name(l.Code)
		if l.Code == "" {
			k = key{l.Task, l.Concept, true}
			who = "concept " + name(l.Concept)
		}
		where := "task " + name(l.Task) + " " + who
		i, known := at[k]
		switch {
		case l.Task == "":
			r.addf(line, "name the task as the packet does", "task is missing")
			return
		case (l.Code == "") == (l.Concept == ""):
			r.addf(line, "give the code that the packet shows, or the concept", "task %s: one of code and concept is needed", name(l.Task))
			return
		case !tasks[l.Task]:
			r.addf(line, "name the task as the packet does", "unknown task %s", name(l.Task))
			return
		case !known:
			r.addf(line, "judge what the packet shows, under its codes", "%s is not in the task's pool", where)
			return
		case grades[i].Line > 0:
			r.addf(line, "keep one of the two", "%s is judged twice, first at line %d; grade here %s", where, grades[i].Line, show(l.Grade))
			return
		}
		grades[i].Line = line
		var what string
		if grades[i].Grade, what = whole(l.Grade, top); what != "" {
			r.addf(line, gradeHint(top), "%s: grade %s %s", where, show(l.Grade), what)
		}
		if grades[i].Obligations, what = indices(l.Obligations, pool[i].Obligations-1); what != "" {
			r.addf(line, "list the obligations that it helps by their index from 0, [] for none",
				"%s: obligations %s %s", where, show(l.Obligations), what)
		}
		if grades[i].Reason, what = text(l.Reason); what != "" {
			r.addf(line, "give a short reason in words", "%s: reason %s %s", where, show(l.Reason), what)
		}
	})
	if toTheEnd {
		for i, p := range pool {
			if grades[i].Line == 0 {
				r.addf(0, "every pair of the packet needs one judgement", "task %s code %s (concept %s): judgement is missing",
					name(p.Task), name(p.Code), name(p.Concept))
			}
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return grades, nil
}

func gradeHint(top int) string {
	if top == 1 {
		return "write 0 or 1"
	}
	return "write a whole number, such as 0 or 1, without quotes"
}

// text reads a JSON string that isn't blank.
func text(raw json.RawMessage) (s, what string) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", "is missing"
	}
	if json.Unmarshal(raw, &s) != nil {
		return "", "is not text"
	}
	if strings.TrimSpace(s) == "" {
		return "", "is empty"
	}
	return s, ""
}

// MeanHalves returns the mean of two grades in halves: their sum.
func MeanHalves(a, b Grade) int { return a.Grade + b.Grade }

// Agreed returns the obligations that both judges name, ascending.
func Agreed(a, b Grade) []int {
	agreed := []int{}
	for _, o := range a.Obligations {
		if slices.Contains(b.Obligations, o) {
			agreed = append(agreed, o)
		}
	}
	slices.Sort(agreed)
	return agreed
}
