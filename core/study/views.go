package study

import "retrace/core/show"

// What hosts show of judgements beside questions and rankings; a judged design fills it in.

// A DocumentJudgement is what judges said of one document.
type DocumentJudgement struct {
	Doc int
	JudgementView
}

// A MeasureView is a measure of one ranking.
type MeasureView struct {
	Name string `json:"name"`
	Text string `json:"text"` // "undefined" where it has no value
	Path string `json:"path"` // of the number in the results, or of its explanation; empty where it has no value
}

// A JudgementView is what judges said of one document for one question.
type JudgementView struct {
	Text   string      `json:"text"`   // in a few words
	Useful bool        `json:"useful"` // counts as found: relevant, or a mean grade of at least 2
	Grades []GradeView `json:"grades"`
	Agreed []int       `json:"agreed"` // obligations that all judges name, from 1
	Path   string      `json:"path"`   // explains it; empty where the file is all there is
}

// A GradeView is one judge's grade.
type GradeView struct {
	Judge       string `json:"judge"`
	Grade       int    `json:"grade"`
	Obligations []int  `json:"obligations"` // that the document helps, from 1
	Reason      string `json:"reason"`
	Where       string `json:"where"`
}

// A TaskView is a task of a graded study, beside its need, which is the question.
type TaskView struct {
	Domain      string       `json:"domain"`
	Origin      string       `json:"origin"`
	Role        string       `json:"role"`
	Obligations []string     `json:"obligations"`
	Conditions  []string     `json:"conditions"`
	Undefined   bool         `json:"undefined"` // nothing judged has a grade above 0
	Reserved    []string     `json:"reserved"`  // predicates that no relation may use yet
	Answers     []AnswerView `json:"answers"`   // readers in order; none for development tasks
}

// An AnswerView is one reader's answer with its grades.
type AnswerView struct {
	Reader       string            `json:"reader"`
	Row          string            `json:"row"`    // whose documents the reader was supplied with
	Method       string            `json:"method"` // likewise
	Supplied     []string          `json:"supplied"`
	Text         string            `json:"text"`
	Cited        []int             `json:"cited"`        // labels of documents, from 1
	Insufficient []int             `json:"insufficient"` // obligations for which the documents did not suffice, from 1
	Composite    string            `json:"composite"`
	Path         string            `json:"path"` // of the composite in the results
	Grades       []AnswerGradeView `json:"grades"`
	Where        string            `json:"where"`
}

// An AnswerGradeView is one grader's grade of an answer; every part goes from 0 to 2.
type AnswerGradeView struct {
	Grader        string `json:"grader"`
	Obligations   []int  `json:"obligations"`
	Role          int    `json:"role"`
	Evidence      int    `json:"evidence"`
	Unsupported   bool   `json:"unsupported"`
	FalseCitation bool   `json:"falseCitation"`
	Composite     string `json:"composite"`
	Reason        string `json:"reason"`
	Where         string `json:"where"`
}

// A Qrel is one judgement, as TREC qrels have it.
type Qrel struct {
	Question, Document string
	Grade              int
}

// ViewMeasure shows a measure's value under a path, null as undefined.
func ViewMeasure(name, path string, style show.Style, value *float64) MeasureView {
	if value == nil {
		return MeasureView{name, "undefined", ""}
	}
	return MeasureView{name, style.Text(*value), path}
}
