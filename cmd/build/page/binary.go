package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"retrace/cmd/build/page/embedded"
	"retrace/core/collection"
	"retrace/core/design/binary"
	"retrace/core/judge"
	"retrace/core/study"
)

// binaryStudy is what the article of a binary study shows beside its numbers.
type binaryStudy struct {
	Spec         *binary.Spec
	Results      *binary.Results
	View         *collection.View
	Admits       []passageRow
	Others       []passageRow // outside the view; their text is left out
	Splits       []splitPage
	Methods      []methodRow
	Same         []sameRow
	Notes        []noteGroup
	Audit        []auditRow
	HeldOut      bool // the last split was held out
	Lexical      bool // no method uses embeddings
	MeasureNotes []measureNote
	Changed      int // needs whose first result differs between methods
}

type passageRow struct {
	collection.Passage
	Why string // it is outside the view
}

type splitPage struct {
	Name, Spoken string
	Needs        []needRow
	Without      int // needs without a relevant passage
}

// Title is the split's name as a heading begins.
func (s splitPage) Title() string {
	first, size := utf8.DecodeRuneInString(s.Spoken)
	return string(unicode.ToUpper(first)) + s.Spoken[size:]
}

// measureNote is a measure with its meaning.
type measureNote struct{ ID, Label, Text string }

// aboutBinaryMeasures says what a measure of a binary study is, by its family; {k} is its cutoff.
var aboutBinaryMeasures = map[string]string{
	"R":  "The share of a need’s relevant passages that stand at place {k} or above.",
	"RR": "Mean reciprocal rank: 1 for a first relevant passage at place 1, 1/2 at place 2, and so on down to 1/{k}; 0 below that.",
}

func measureNotes(p *study.Protocol, list []study.MeasureSpec) (notes []measureNote) {
	for _, spec := range list {
		notes = append(notes, measureNote{spec.Key, spec.Spoken(), describe(p, spec.Measure, aboutBinaryMeasures)})
	}
	return notes
}

type needRow struct {
	judge.Need
	Relevant []string // passages
}

type sameRow struct {
	Place  int
	Labels []string
}

type auditRow struct {
	binary.NeedAudit
	Place   int
	Query   string
	Changed []string // measures for people
}

type noteGroup struct {
	Title, Text string
	Notes       []template.HTML
}

func newBinaryStudy(a *article, results []byte) (*binaryStudy, error) {
	b := &binaryStudy{Spec: binary.Of(a.Protocol), Results: &binary.Results{}, View: a.Protocol.Collection.View}
	if err := json.Unmarshal(results, b.Results); err != nil {
		return nil, err
	}
	for _, m := range a.Protocol.Methods {
		b.Methods = append(b.Methods, methodRow{MethodSpec: m, Full: a.Study.TermOf(m.Name), About: a.about(m.Name)})
	}
	b.Lexical = a.lexical(a.Protocol.AllMethods()...)
	b.MeasureNotes = measureNotes(a.Protocol, b.Spec.Measures)
	b.HeldOut = b.Spec.Splits[len(b.Spec.Splits)-1].Spoken() == "held-out"
	if err := b.passages(a); err != nil {
		return nil, err
	}
	for _, s := range b.Spec.Splits {
		split := splitPage{Name: s.Name, Spoken: s.Spoken()}
		for i := range a.Study.Questions {
			n, in, ok := binary.From(a.Study).Need(a.Study.Questions[i].ID)
			if !ok || in != s.Name {
				continue
			}
			row := needRow{Need: n}
			for d, label := range n.Labels {
				if label == 1 {
					row.Relevant = append(row.Relevant, a.Study.Collection.Docs[d].ID)
				}
			}
			if len(row.Relevant) == 0 {
				split.Without++
			}
			split.Needs = append(split.Needs, row)
		}
		b.Splits = append(b.Splits, split)
	}
	for i, s := range b.Results.Same {
		row := sameRow{Place: i}
		for _, m := range s.Methods {
			row.Labels = append(row.Labels, b.Label(m))
		}
		b.Same = append(b.Same, row)
	}
	for i, n := range b.Results.Audit {
		row := auditRow{NeedAudit: n, Place: i}
		if q, ok := a.Study.Question(n.Need); ok {
			row.Query = q.Text
		}
		for _, key := range n.MeasuresChanged {
			row.Changed = append(row.Changed, b.Measure(key))
		}
		if n.FirstChanged {
			b.Changed++
		}
		b.Audit = append(b.Audit, row)
	}
	return b, b.notebook(a)
}

// passages lists what the view admits, and what it doesn't, with the reason.
func (b *binaryStudy) passages(a *article) error {
	file := a.Protocol.Collection.Documents
	data, err := a.Study.Kit.Read(file)
	if err != nil {
		return err
	}
	list, err := collection.ParsePassages(file, data)
	if err != nil {
		return err
	}
	for _, p := range list {
		if b.View.Admits(p) {
			b.Admits = append(b.Admits, passageRow{Passage: p})
			continue
		}
		var why []string
		if !slices.Contains(b.View.Status, p.Status) {
			why = append(why, p.Status)
		}
		if !slices.Contains(b.View.Access, p.Access) {
			why = append(why, p.Access)
		}
		p.Text = ""
		b.Others = append(b.Others, passageRow{p, strings.Join(why, ", ")})
	}
	return nil
}

// Total counts all passages of the file.
func (b *binaryStudy) Total() int { return len(b.Admits) + len(b.Others) }

// Label is a method's name for people.
func (b *binaryStudy) Label(name string) string {
	for _, m := range b.Methods {
		if m.Name == name {
			return m.Label
		}
	}
	return name
}

// Measure is a measure's name for people.
func (b *binaryStudy) Measure(key string) string {
	for _, m := range b.Spec.Measures {
		if m.Key == key {
			return m.Spoken()
		}
	}
	return key
}

// Value is a measure of one method on one need, "undefined" where it has none.
func (b *binaryStudy) Value(a *article, place int, method, key string) (template.HTML, error) {
	p, err := joinPath("audit", strconv.Itoa(place), "values", method, key)
	if err != nil {
		return "", err
	}
	if _, ok := a.Numbers[p]; !ok {
		return undefined, nil
	}
	return a.Numbers.html(p)
}

// First is the first passage that a method returns for a need.
func (r auditRow) FirstOf(method string) template.HTML {
	if first := r.First[method]; first != nil {
		return kitText(*first)
	}
	return absent
}

// kinds of notes, in the order in which the page shows them.
var noteKinds = []struct{ kind, title, text string }{
	{binary.NoteNoCandidates, "Words that no passage has",
		"A relevant passage exists, but shares no word with the query: a lexical method can’t return it, and returns nothing."},
	{binary.NoteNegativeFirst, "A denial ranked first",
		"The first result says that there is no such thing. It shares the query’s words and is not relevant."},
	{binary.NoteCapacity, "More relevant passages than places",
		"A measure with fewer places than there are relevant passages can’t reach 1, whatever the ranking."},
	{binary.NoteSlice, "A slice whose name the trace contradicts",
		"Needs are grouped by what they were meant to try. For these the claim does not hold."},
}

// noteClaims says in words what a slice's name claims.
var noteClaims = map[string]string{
	"every-word-in-one-relevant": "that one relevant passage has every word of the query",
	"no-word-in-any-relevant":    "that no relevant passage has a word of the query",
	"repeats-a-word":             "that the query repeats a word",
	"identifier-in-one-passage":  "that an identifier of the query stands in exactly one passage",
	"accented-word-in-relevant":  "that a relevant passage has an accented word of the query",
	"nothing-relevant":           "that nothing is relevant",
	"relevant-text-repeats":      "that two relevant passages have the same text",
	"longer-rival":               "that a longer passage that is not relevant shares as many words",
}

func (b *binaryStudy) notebook(a *article) error {
	for _, kind := range noteKinds {
		group := noteGroup{Title: kind.title, Text: kind.text}
		for i, n := range b.Results.Notebook {
			if n.Kind != kind.kind {
				continue
			}
			text, err := b.note(a, i, n)
			if err != nil {
				return err
			}
			group.Notes = append(group.Notes, text)
		}
		if len(group.Notes) > 0 {
			b.Notes = append(b.Notes, group)
		}
	}
	return nil
}

func (b *binaryStudy) note(a *article, place int, n binary.Note) (template.HTML, error) {
	query := ""
	if q, ok := a.Study.Question(n.Need); ok {
		query = q.Text
	}
	var t strings.Builder
	fmt.Fprintf(&t, `<a href="%s">%s</a> “%s” (%s, %s): `, template.HTMLEscapeString(questionAddress(n.Need)), kitText(n.Need),
		kitText(query), template.HTMLEscapeString(b.Spec.Spoken(n.Split)), kitText(n.Slice))
	var labels []string
	for _, m := range n.Methods {
		labels = append(labels, b.Label(m))
	}
	methods := string(kitText(list(labels)))
	num := func(key string) (template.HTML, error) { return a.Num("notebook", strconv.Itoa(place), key) }
	switch n.Kind {
	case binary.NoteNoCandidates:
		fmt.Fprintf(&t, "%s return nothing.", methods)
		if len(n.Words) > 0 {
			fmt.Fprintf(&t, " No permitted passage has any of these words: %s.", kitText(strings.Join(n.Words, ", ")))
		}
	case binary.NoteNegativeFirst:
		fmt.Fprintf(&t, "%s put %s first, which has the words %s.", methods, kitText(n.Passage), kitText(list(n.Words)))
	case binary.NoteCapacity:
		relevant, err := num("relevant")
		if err != nil {
			return "", err
		}
		places, err := num("places")
		if err != nil {
			return "", err
		}
		best, err := num("best")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&t, "%s relevant, places: %s. The largest %s that any ranking could reach is %s.", relevant, places,
			kitText(b.Measure(n.Measure)), best)
	case binary.NoteSlice:
		claim := noteClaims[n.Claim]
		if claim == "" {
			claim = n.Claim
		}
		fmt.Fprintf(&t, "its slice claims %s; the trace says otherwise.", kitText(claim))
	}
	return template.HTML(t.String()), nil
}

// list joins words as a sentence does.
func list(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Embedded is what the script gets: among it, which methods stand side by side.
func (b *binaryStudy) Embedded(*article) *embedded.Binary {
	e := &embedded.Binary{Top: len(b.Admits)}
	stands := map[string]bool{} // another method returns the same
	for _, s := range b.Results.Same {
		for _, m := range s.Methods[:len(s.Methods)-1] {
			stands[m] = true
		}
	}
	for _, m := range b.Methods {
		if !stands[m.Name] {
			e.Methods = append(e.Methods, m.Name)
		}
	}
	for _, s := range b.Splits {
		e.Splits = append(e.Splits, embedded.Split{Name: s.Name, Label: s.Spoken})
	}
	for _, m := range b.Spec.Measures {
		e.Measures = append(e.Measures, embedded.Measure{Key: m.Key, Label: b.Measure(m.Key)})
	}
	return e
}
