package judge

import (
	"encoding/json"

	"retrace/core/records"
)

// An AnswerKey is one answer as a grader sees it: a task and an opaque code.
type AnswerKey struct {
	Task, Code  string
	Obligations int // how many obligations the task has, at most MaxObligations
}

// An AnswerGrade is what one grader says of one answer. Scores are 0, 1 or 2.
type AnswerGrade struct {
	Obligations    []int // score of each obligation, in the task's order
	Role, Evidence int   // role and conditions kept; evidence
	Unsupported    bool  // flagged: claims without support
	FalseCitation  bool  // flagged: a citation that doesn't hold
	Reason         string
	Line           int
}

// maxScore is the best score of each part of an answer.
const maxScore = 2

// Composite returns the sum of all scores over the largest possible one: sum/(2·(obligations + 2)).
func (g AnswerGrade) Composite() Fraction {
	return Fraction{int64(sum(g.Obligations) + g.Role + g.Evidence), int64(maxScore * (len(g.Obligations) + 2))}
}

// MeanComposite returns the mean of two graders' composites of one answer, exactly.
func MeanComposite(a, b AnswerGrade) Fraction {
	x, y := a.Composite(), b.Composite() // the same denominator: one answer has one number of obligations
	return Fraction{x.Num + y.Num, 2 * x.Den}
}

func sum(xs []int) int {
	total := 0
	for _, x := range xs {
		total += x
	}
	return total
}

// Components are means over answers and graders, each as a share of its maximum, and counts of graders' flags.
type Components struct {
	Composite, Obligations, Role, Evidence float64
	Unsupported, FalseCitation             int
}

// Summarise returns the components of a set of grades; ok is false where there are none. Each mean is an exact sum,
// divided once.
func Summarise(grades []AnswerGrade) (c Components, ok bool, err error) {
	if len(grades) == 0 {
		return Components{}, false, nil
	}
	var composite, obligations, role, evidence []Fraction
	for _, g := range grades {
		composite = append(composite, g.Composite())
		obligations = append(obligations, Fraction{int64(sum(g.Obligations)), int64(maxScore * max(len(g.Obligations), 1))})
		role = append(role, Fraction{int64(g.Role), maxScore})
		evidence = append(evidence, Fraction{int64(g.Evidence), maxScore})
		if g.Unsupported {
			c.Unsupported++
		}
		if g.FalseCitation {
			c.FalseCitation++
		}
	}
	for _, part := range []struct {
		fractions []Fraction
		mean      *float64
	}{{composite, &c.Composite}, {obligations, &c.Obligations}, {role, &c.Role}, {evidence, &c.Evidence}} {
		if *part.mean, err = meanOf(part.fractions); err != nil {
			return Components{}, false, err
		}
	}
	return c, true, nil
}

// meanOf returns the mean of fractions: sums of integers, then one division.
func meanOf(fractions []Fraction) (float64, error) {
	nums, den, err := Common(fractions)
	total := 0.0
	for _, n := range nums {
		total += n
	}
	return total / float64(float64(len(nums))*den), err
}

type answerGradeLine struct {
	Task          string          `json:"task"`
	Code          string          `json:"code"`
	Obligations   json.RawMessage `json:"obligations"`
	Role          json.RawMessage `json:"role"`
	Evidence      json.RawMessage `json:"evidence"`
	Unsupported   json.RawMessage `json:"unsupported"`
	FalseCitation json.RawMessage `json:"falseCitation"`
	Reason        json.RawMessage `json:"reason"`
}

// ParseAnswerGrades reads a grader's file (JSON Lines of task, code, obligations, role, evidence, unsupported,
// falseCitation, reason) and returns one grade for each answer, in the order of answers. A missing, duplicate or unknown
// answer, a score that isn't 0, 1 or 2, a flag that isn't true or false, and a wrong number of obligation scores are
// errors; all are reported (see Problems).
func ParseAnswerGrades(file string, data []byte, answers []AnswerKey) ([]AnswerGrade, error) {
	r := &reader{file: file}
	type key struct{ task, code string }
	at := make(map[key]int, len(answers))
	for i, a := range answers {
		at[key{a.Task, a.Code}] = i
	}
	grades := make([]AnswerGrade, len(answers))
	toTheEnd := jsonLines(r, data, func(line int, l answerGradeLine) {
		where := "task " + name(l.Task) + " code " + name(l.Code)
		i, known := at[key{l.Task, l.Code}]
		switch {
		case !known:
			r.addf(line, "grade what the packet shows, under its codes", "%s is no answer of the packet", where)
			return
		case grades[i].Line > 0:
			r.addf(line, "keep one of the two", "%s is graded twice, first at line %d", where, grades[i].Line)
			return
		}
		g := &grades[i]
		g.Line = line
		score := func(field string, raw json.RawMessage) int {
			n, what := whole(raw, maxScore)
			if what != "" {
				r.addf(line, "write 0, 1 or 2", "%s: %s %s %s", where, field, show(raw), what)
			}
			return n
		}
		flag := func(field string, raw json.RawMessage) bool {
			if s := string(raw); s != "true" && s != "false" {
				r.addf(line, "write true or false", "%s: %s %s is not a Boolean", where, field, show(raw))
			}
			return string(raw) == "true"
		}
		var scores []json.RawMessage
		switch err := json.Unmarshal(l.Obligations, &scores); {
		case err != nil || scores == nil:
			r.addf(line, "list one score for each obligation", "%s: obligations %s is not a list", where, show(l.Obligations))
		case len(scores) != answers[i].Obligations:
			r.addf(line, "list one score for each obligation", "%s: obligations %s has %d scores, the task has %d obligations",
				where, show(l.Obligations), len(scores), answers[i].Obligations)
		default:
			g.Obligations = make([]int, len(scores))
			for o, raw := range scores {
				n, what := whole(raw, maxScore)
				if what != "" {
					r.addf(line, "write 0, 1 or 2", "%s: obligation %d: score %s %s", where, o, show(raw), what)
				}
				g.Obligations[o] = n
			}
		}
		g.Role = score("role", l.Role)
		g.Evidence = score("evidence", l.Evidence)
		g.Unsupported = flag("unsupported", l.Unsupported)
		g.FalseCitation = flag("falseCitation", l.FalseCitation)
		var what string
		if g.Reason, what = text(l.Reason); what != "" {
			r.addf(line, "give a short reason in words", "%s: reason %s %s", where, show(l.Reason), what)
		}
	})
	if toTheEnd {
		for i, a := range answers {
			if grades[i].Line == 0 {
				r.add(records.Errorf(file, 0, "every answer of the packet needs one grade", "task %s code %s: grade is missing", name(a.Task), name(a.Code)))
			}
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return grades, nil
}
