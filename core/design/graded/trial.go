package graded

import (
	"encoding/json"

	"retrace/core/exact"
	"retrace/core/judge"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/stats"
	"retrace/core/study"
)

// TrialSpec says how answers are tried: every final task goes to both readers, to one with the first documents of the
// first row, to the other with those of the second; which is drawn in each domain for half of its tasks. Readers and
// graders do not see which row it was.
type TrialSpec struct {
	Rows       [2]string  `json:"rows"`
	Top        int        `json:"top"`    // documents supplied
	Stream     uint64     `json:"stream"` // of the allocation
	Allocation string     `json:"allocation"`
	Readers    []Answerer `json:"readers"`
	CodePrefix string     `json:"codePrefix"`
	Graders    []Grader   `json:"graders"`
	// IndexBase is the number from which readers count obligations, 0 or 1; without it the file's own extremes decide.
	IndexBase *int `json:"indexBase,omitempty"`
}

// An Answerer reads and answers.
type Answerer struct {
	Name    string `json:"name"`
	Packet  string `json:"packet"`
	Answers string `json:"answers"`
}

// A Grader grades all answers, in an order of its own.
type Grader struct {
	Name   string `json:"name"`
	Stream uint64 `json:"stream"`
	Packet string `json:"packet"`
	Grades string `json:"grades"`
}

// An Allocation says which method's documents each reader gets for a task.
type Allocation struct {
	Task string `json:"task"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A ReaderPacket is what a reader sees of one task.
type ReaderPacket struct {
	Task        string              `json:"task"`
	Need        string              `json:"need"`
	Obligations []string            `json:"obligations"`
	Role        string              `json:"role"`
	Conditions  []string            `json:"conditions"`
	Context     []judge.ContextItem `json:"context"`
}

// A GraderPacket is what a grader sees of one answer.
type GraderPacket struct {
	Task        string              `json:"task"`
	Code        string              `json:"code"`
	Need        string              `json:"need"`
	Obligations []string            `json:"obligations"`
	Role        string              `json:"role"`
	Conditions  []string            `json:"conditions"`
	Context     []judge.ContextItem `json:"context"`
	Answer      string              `json:"answer"`
}

// trial is an allocation with what each reader is supplied with.
type trial struct {
	design   *Loaded
	rows     [2]string                      // methods
	tasks    []int                          // final tasks, file order
	first    map[int]int                    // task -> the reader who gets the first row: 0 or 1
	contexts map[int][2][]judge.ContextItem // task -> by reader
}

// newTrial draws the allocation and collects the contexts.
func (g *Loaded) newTrial(rows map[string]string, look study.Look) (*trial, error) {
	spec, s := g.spec.Trial, g.study
	t := &trial{design: g, rows: [2]string{rows[spec.Rows[0]], rows[spec.Rows[1]]}, tasks: g.split(true), first: map[int]int{}, contexts: map[int][2][]judge.ContextItem{}}
	stream := exact.NewStream(s.Protocol.Seed, spec.Stream)
	for _, tasks := range g.blocks() {
		for _, place := range tasks {
			t.first[place] = 1
		}
		for _, i := range stream.Draw(len(tasks)/2, len(tasks)) {
			t.first[tasks[i]] = 0
		}
	}
	for _, place := range t.tasks {
		var contexts [2][]judge.ContextItem
		for row, method := range t.rows {
			o, err := look(g.tasks[place].ID, method)
			if err != nil {
				return nil, err
			}
			items := []judge.ContextItem{}
			for i, p := range o.Best[:min(spec.Top, len(o.Best))] {
				doc, _ := s.Collection.Number(p.ID)
				items = append(items, judge.ContextItem{Label: i + 1, Name: s.Collection.Docs[doc].Title, Definition: s.Collection.Docs[doc].Text})
			}
			contexts[t.reader(place, row)] = items
		}
		t.contexts[place] = contexts
	}
	return t, nil
}

// blocks are the final tasks of each domain, domains in order, ascending ID inside.
func (g *Loaded) blocks() [][]int {
	var list [][]int
	for _, domain := range g.spec.Domains {
		list = append(list, g.tasksWhere(func(i int) bool { return g.final[i] && g.tasks[i].Domain == domain }))
	}
	return list
}

// reader returns which reader, 0 or 1, gets a row, 0 or 1, for a task.
func (t *trial) reader(place, row int) int {
	if row == 0 {
		return t.first[place]
	}
	return 1 - t.first[place]
}

func (t *trial) allocation() []Allocation {
	var list []Allocation
	for _, place := range t.tasks {
		a := Allocation{t.design.tasks[place].ID, t.rows[0], t.rows[1]}
		if t.first[place] == 1 {
			a.A, a.B = a.B, a.A
		}
		list = append(list, a)
	}
	return list
}

func (t *trial) readerPackets(reader int) []ReaderPacket {
	var list []ReaderPacket
	for _, place := range t.tasks {
		x := t.design.tasks[place]
		list = append(list, ReaderPacket{x.ID, x.Need, x.Obligations, x.Role, x.Conditions, t.contexts[place][reader]})
	}
	return list
}

// answers reads both readers' answers.
func (t *trial) answers() (answers [2][]judge.Answer, logs []string, err error) {
	for reader, a := range t.design.spec.Trial.Readers {
		data, err := t.design.study.Kit.Read(a.Answers)
		if err != nil {
			return answers, nil, err
		}
		list, rebase, err := t.checkAnswers(reader, a.Answers, data)
		if err != nil {
			return answers, nil, err
		}
		answers[reader], logs = list, append(logs, rebase.String())
	}
	return answers, logs, nil
}

// checkAnswers reads one reader's answers to what it was supplied with.
func (t *trial) checkAnswers(reader int, file string, data []byte) ([]judge.Answer, judge.Rebase, error) {
	var questions []judge.Question
	for _, place := range t.tasks {
		q := judge.Question{Task: t.design.tasks[place].ID, Obligations: len(t.design.tasks[place].Obligations)}
		for _, item := range t.contexts[place][reader] {
			q.Labels = append(q.Labels, item.Label)
		}
		questions = append(questions, q)
	}
	base := judge.RecogniseBase
	if b := t.design.spec.Trial.IndexBase; b != nil {
		base = judge.Base(*b)
	}
	return judge.ParseAnswers(file, data, questions, base)
}

// answerKeys lists all answers: tasks in file order, reader a before b.
func (t *trial) answerKeys() ([]judge.AnswerKey, error) {
	spec := t.design.spec.Trial
	var list []judge.AnswerKey
	for _, place := range t.tasks {
		x := t.design.tasks[place]
		codes, err := judge.Codes(spec.CodePrefix, x.ID, []string{spec.Readers[0].Name, spec.Readers[1].Name})
		if err != nil {
			return nil, err
		}
		for _, code := range codes {
			list = append(list, judge.AnswerKey{Task: x.ID, Code: code, Obligations: len(x.Obligations)})
		}
	}
	return list, nil
}

func (t *trial) graderPackets(grader int, answers [2][]judge.Answer) ([]GraderPacket, error) {
	keys, err := t.answerKeys()
	if err != nil {
		return nil, err
	}
	var list []GraderPacket
	stream := exact.NewStream(t.design.study.Protocol.Seed, t.design.spec.Trial.Graders[grader].Stream)
	for _, i := range stream.Draw(len(keys), len(keys)) {
		place, reader := t.tasks[i/2], i%2
		x := t.design.tasks[place]
		list = append(list, GraderPacket{x.ID, keys[i].Code, x.Need, x.Obligations, x.Role, x.Conditions, t.contexts[place][reader], answers[reader][i/2].Text})
	}
	return list, nil
}

// grades reads both graders' grades, by answer in the order of answerKeys.
func (t *trial) grades() (grades [2][]judge.AnswerGrade, err error) {
	keys, err := t.answerKeys()
	if err != nil {
		return grades, err
	}
	for i, g := range t.design.spec.Trial.Graders {
		data, err := t.design.study.Kit.Read(g.Grades)
		if err != nil {
			return grades, err
		}
		if grades[i], err = judge.ParseAnswerGrades(g.Grades, data, keys); err != nil {
			return grades, err
		}
	}
	return grades, nil
}

// AnswersResult is the answer trial: what each row's answers scored, and how far the graders agree.
type AnswersResult struct {
	Rows       map[string]AnswerScores // by row
	Agreement  GraderAgreement
	Readers    []string // how each reader's indices were brought to count from 0
	Reproduced bool     // allocation and packets, rebuilt, equal the kit's files as JSON values
}

// MarshalJSON puts the rows beside the rest.
func (a AnswersResult) MarshalJSON() ([]byte, error) {
	out := map[string]any{"agreement": a.Agreement, "readers": a.Readers, "reproduced": a.Reproduced}
	for name, row := range a.Rows {
		out[name] = row
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (a *AnswersResult) UnmarshalJSON(data []byte) error {
	var own struct {
		Agreement  GraderAgreement `json:"agreement"`
		Readers    []string        `json:"readers"`
		Reproduced bool            `json:"reproduced"`
	}
	rest, err := records.Beside(data, &own, "agreement", "readers", "reproduced")
	if err != nil {
		return err
	}
	*a = AnswersResult{Rows: map[string]AnswerScores{}, Agreement: own.Agreement, Readers: own.Readers, Reproduced: own.Reproduced}
	for key, value := range rest {
		var row AnswerScores
		if err := json.Unmarshal(value, &row); err != nil {
			return err
		}
		a.Rows[key] = row
	}
	return nil
}

// AnswerScores are means over answers and graders as a share of the largest possible score, and counts of graders'
// marks.
type AnswerScores struct {
	Composite     float64 `json:"composite"`
	Obligations   float64 `json:"obligations"`
	Role          float64 `json:"role"`
	Evidence      float64 `json:"evidence"`
	Unsupported   int     `json:"unsupported"`
	FalseCitation int     `json:"falseCitation"`
	Marks         int     `json:"marks"` // answers times graders
}

// GraderAgreement is how far the graders agree on whole answers.
type GraderAgreement struct {
	Pairs int     `json:"pairs"`
	Exact float64 `json:"exact"` // share of answers with the same composite from both
}

// outcome is everything the answer trial gives.
type trialOutcome struct {
	result     *AnswersResult
	trial      *trial
	composites [][2]judge.Fraction // by final task, then by reader: mean of both graders
	grades     [2][]judge.AnswerGrade
}

// runTrial rebuilds the trial's packets, compares them with the kit's, and scores the answers.
func (g *Loaded) runTrial(rows map[string]string, look study.Look) (*trialOutcome, error) {
	t, err := g.newTrial(rows, look)
	if err != nil {
		return nil, err
	}
	spec, k := g.spec.Trial, g.study.Kit
	if err := kit.SameValue(k, spec.Allocation, t.allocation()); err != nil {
		return nil, err
	}
	for i, r := range spec.Readers {
		if err := kit.SameLines(k, r.Packet, t.readerPackets(i)); err != nil {
			return nil, err
		}
	}
	answers, logs, err := t.answers()
	if err != nil {
		return nil, err
	}
	for i, grader := range spec.Graders {
		packets, err := t.graderPackets(i, answers)
		if err != nil {
			return nil, err
		}
		if err := kit.SameLines(k, grader.Packet, packets); err != nil {
			return nil, err
		}
	}
	grades, err := t.grades()
	if err != nil {
		return nil, err
	}
	out := &trialOutcome{trial: t, grades: grades, result: &AnswersResult{Rows: map[string]AnswerScores{}, Readers: logs, Reproduced: true}}
	equal := 0
	for i := range grades[0] {
		if i%2 == 0 {
			out.composites = append(out.composites, [2]judge.Fraction{})
		}
		out.composites[i/2][i%2] = judge.MeanComposite(grades[0][i], grades[1][i])
		equal += exact.One(grades[0][i].Composite().Equal(grades[1][i].Composite()))
	}
	out.result.Agreement = GraderAgreement{len(grades[0]), float64(equal) / float64(len(grades[0]))}
	for row, name := range spec.Rows {
		var list []judge.AnswerGrade
		for i, place := range t.tasks {
			answer := 2*i + t.reader(place, row)
			list = append(list, grades[0][answer], grades[1][answer])
		}
		c, _, err := judge.Summarise(list)
		if err != nil {
			return nil, err
		}
		out.result.Rows[name] = AnswerScores{c.Composite, c.Obligations, c.Role, c.Evidence, c.Unsupported, c.FalseCitation, len(list)}
	}
	return out, nil
}

// composite returns the mean composite of a row's answer to the i-th final task.
func (o *trialOutcome) composite(i, row int) judge.Fraction {
	return o.composites[i][o.trial.reader(o.trial.tasks[i], row)]
}

// alone returns the mean difference between the rows' composites by one grader.
func (o *trialOutcome) alone(grader int) (AloneResult, error) {
	var list []judge.Fraction
	for i, place := range o.trial.tasks {
		for row := range o.trial.rows {
			list = append(list, o.grades[grader][2*i+o.trial.reader(place, row)].Composite())
		}
	}
	values, den, err := judge.Common(list)
	if err != nil {
		return AloneResult{}, err
	}
	differences := stats.Sample{Den: den}
	for i := 0; i < len(values); i += 2 {
		differences.Values = append(differences.Values, values[i+1]-values[i])
	}
	return AloneResult{len(differences.Values), differences.Mean()}, nil
}

// statistics returns the trial in the form that stats takes: blocks are domains, tasks in ascending ID.
func (o *trialOutcome) statistics() (stats.Trial, error) {
	var flat []judge.Fraction
	for _, pair := range o.composites {
		flat = append(flat, pair[0], pair[1])
	}
	values, den, err := judge.Common(flat)
	if err != nil {
		return stats.Trial{}, err
	}
	at := map[int]int{}
	for i, place := range o.trial.tasks {
		at[place] = i
	}
	out := stats.Trial{Den: den}
	for _, tasks := range o.trial.design.blocks() {
		var b stats.Block
		for _, place := range tasks {
			b.A = append(b.A, values[2*at[place]])
			b.B = append(b.B, values[2*at[place]+1])
			b.Drawn = append(b.Drawn, o.trial.first[place] == 0)
		}
		out.Blocks = append(out.Blocks, b)
	}
	return out, nil
}

// TrialPackets are what readers are given, with the allocation that is kept from them.
type TrialPackets struct {
	Allocation []Allocation
	Readers    [][]ReaderPacket // by reader
}

// openTrial scores what the sealed lock chose on the final tasks and draws the allocation. No judgement is looked at.
func (g *Loaded) openTrial() (*trial, error) {
	lock, err := g.study.NeedLock()
	if err != nil {
		return nil, err
	}
	rows, err := g.rowMethods(lock)
	if err != nil {
		return nil, err
	}
	var units []study.Unit
	for _, row := range g.spec.Trial.Rows {
		t, err := g.study.ResolveSealed(rows[row])
		if err != nil {
			return nil, err
		}
		units = append(units, g.study.Units("trial", []study.NamedTerm{{Name: rows[row], Term: t}}, g.split(true))...)
	}
	look, err := g.study.Observe(units, nil)
	if err != nil {
		return nil, err
	}
	return g.newTrial(rows, look)
}

// MakeTrial draws the allocation under the sealed lock and builds the readers' packets.
func (g *Loaded) MakeTrial() (*TrialPackets, error) {
	t, err := g.openTrial()
	if err != nil {
		return nil, err
	}
	out := &TrialPackets{Allocation: t.allocation()}
	for i := range g.spec.Trial.Readers {
		out.Readers = append(out.Readers, t.readerPackets(i))
	}
	return out, nil
}

// MakeGrading builds the graders' packets from the readers' answers, which the kit must have.
func (g *Loaded) MakeGrading() ([][]GraderPacket, error) {
	t, err := g.openTrial()
	if err != nil {
		return nil, err
	}
	answers, _, err := t.answers()
	if err != nil {
		return nil, err
	}
	var out [][]GraderPacket
	for i := range g.spec.Trial.Graders {
		packets, err := t.graderPackets(i, answers)
		if err != nil {
			return nil, err
		}
		out = append(out, packets)
	}
	return out, nil
}

// CheckJudgements checks an assessor's judgements of the pool; everything that is wrong is listed.
func (g *Loaded) CheckJudgements(file string, data []byte) error {
	_, err := g.checkJudgements(file, data)
	return err
}

// CheckAnswers checks a reader's answers and returns how its indices were brought to count from 0; everything that is
// wrong is listed. Readers are numbered as in the protocol, from 0.
func (g *Loaded) CheckAnswers(reader int, file string, data []byte) (judge.Rebase, error) {
	t, err := g.openTrial()
	if err != nil {
		return judge.Rebase{}, err
	}
	_, rebase, err := t.checkAnswers(reader, file, data)
	return rebase, err
}

// CheckGrades checks a grader's grades; everything that is wrong is listed.
func (g *Loaded) CheckGrades(file string, data []byte) error {
	t, err := g.openTrial()
	if err != nil {
		return err
	}
	keys, err := t.answerKeys()
	if err == nil {
		_, err = judge.ParseAnswerGrades(file, data, keys)
	}
	return err
}
