package trec

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"retrace/core/order"
	"retrace/core/records"
)

// MaxGrade bounds grades on both sides, as trec_eval does.
const MaxGrade = 127

// A Judgement is one line of qrels.
type Judgement struct {
	Doc   string
	Grade int // from −127 to 127; what a negative one means is the measure's business (usually: not judged, or spam)
	Line  int
}

// Qrels are the judgements of a collection's topics.
type Qrels struct {
	File     string
	Topics   []string // ascending bytewise, as trec_eval adds them up
	Lines    int      // judgements
	Warnings []*records.Error
	judged   map[string][]Judgement // ascending by document, bytewise
}

// Topic returns a topic's judgements, ascending bytewise by document; nil for a topic without any.
func (q *Qrels) Topic(id string) []Judgement { return q.judged[id] }

// Grade returns a document's grade for a topic; ok is false where it is not judged.
func Grade(judged []Judgement, doc string) (grade int, ok bool) {
	at, ok := slices.BinarySearchFunc(judged, doc, func(j Judgement, doc string) int { return strings.Compare(j.Doc, doc) })
	if !ok {
		return 0, false
	}
	return judged[at].Grade, true
}

// ReadQrels reads qrels: topic, a column that nobody reads, document, grade; or BEIR's three columns under the header
// query-id, corpus-id, score. file names them in errors.
func ReadQrels(file string, r io.Reader) (*Qrels, error) {
	l := newLines(file, r)
	q := &Qrels{File: file, judged: map[string][]Judgement{}}
	beir := false
	for {
		text, err := l.next()
		if err != nil {
			return nil, err
		}
		if text == nil {
			break
		}
		n := l.split(text)
		f := &l.fields
		if q.Lines == 0 && !beir && n == 3 && string(f[0]) == "query-id" && string(f[1]) == "corpus-id" && string(f[2]) == "score" {
			beir = true
			continue
		}
		topic, doc, grade := f[0], f[2], f[3]
		switch {
		case beir && n != 3:
			return nil, l.errorf(l.n, "an ID may hold no space: rename the topic or document", "%s columns, want 3 under BEIR's header", columns(n))
		case beir:
			doc, grade = f[1], f[2]
		case n == 3:
			return nil, l.errorf(l.n,
				"BEIR's qrels have three, under the header query-id, corpus-id, score; TREC's have a column of zeros in the second place",
				"3 columns, want 4 (topic, 0, document, grade)")
		case n > 4:
			return nil, l.errorf(l.n, "an ID may hold no space, and nothing may stand behind the grade; a run, with six columns, is no qrels",
				"%s columns, want 4 (topic, 0, document, grade)", columns(n))
		case n < 4:
			return nil, l.errorf(l.n, "each line holds topic, 0, document, grade, separated by spaces or tabs", "%d columns, want 4", n)
		}
		if err := q.add(l, topic, doc, grade); err != nil {
			return nil, err
		}
	}
	if q.Lines == 0 {
		return nil, l.errorf(0, "is it the right file? Each line holds topic, 0, document, grade", "the file holds no judgement")
	}
	q.Warnings = l.warnings
	return q, q.finish(l)
}

func columns(n int) string {
	if n == maxFields {
		return strconv.Itoa(n) + " or more"
	}
	return strconv.Itoa(n)
}

func (q *Qrels) add(l *lines, topic, doc, grade []byte) error {
	if q.Lines++; q.Lines > records.MaxLines {
		return l.errorf(l.n, "split the qrels by topic", "more than %d judgements", records.MaxLines)
	}
	if err := l.id("topic", topic); err != nil {
		return err
	}
	if err := l.id("document", doc); err != nil {
		return err
	}
	g, what, hint := readGrade(string(grade))
	if what != "" {
		return l.errorf(l.n, hint, "grade %.40q: %s", grade, what)
	}
	q.judged[string(topic)] = append(q.judged[string(topic)], Judgement{string(doc), g, l.n})
	return nil
}

// readGrade reads a grade and says what is wrong with it and what to do.
func readGrade(s string) (grade int, what, hint string) {
	g, err := strconv.Atoi(s)
	switch {
	case err == nil && g >= -MaxGrade && g <= MaxGrade:
		return g, "", ""
	case err == nil:
		return 0, "outside −127 … 127", "trec_eval takes no other grades: use a smaller scale"
	case strings.EqualFold(s, "true") || strings.EqualFold(s, "false"):
		return 0, "a Boolean where a whole number belongs", "write 1 for true and 0 for false"
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return 0, "a fraction where a whole number belongs; trec_eval would cut it off",
			"multiply all grades so that they are whole, or say how to round them"
	}
	return 0, "not a whole number", "the last column holds the grade"
}

// finish puts topics and judgements in order and refuses documents that are judged twice.
func (q *Qrels) finish(l *lines) error {
	for topic := range q.judged {
		q.Topics = append(q.Topics, topic)
	}
	slices.Sort(q.Topics)
	first := Judgement{}
	var twin Judgement
	where := ""
	for _, topic := range q.Topics {
		judged := q.judged[topic]
		order.Sort(judged, func(a, b Judgement) int { return strings.Compare(a.Doc, b.Doc) }) // stable: by line within a document
		for i := 1; i < len(judged); i++ {
			if judged[i].Doc == judged[i-1].Doc && (where == "" || judged[i].Line < first.Line) {
				first, twin, where = judged[i], judged[i-1], topic
			}
		}
	}
	if where != "" {
		return l.errorf(first.Line, "keep one of the two lines", "topic %.60q judges document %.60q twice: %d here, %d on line %d",
			where, first.Doc, first.Grade, twin.Grade, twin.Line)
	}
	return nil
}
