package proto

import (
	"encoding/json"

	"retrace/core/collection"
	"retrace/core/explain"
	"retrace/core/kit"
	"retrace/core/show"
	"retrace/core/study"
	"retrace/core/verdict"
)

// Head stands in every request: an ID that the reply repeats, and the kind.
type Head struct {
	ID   json.RawMessage `json:"id"`
	Kind string          `json:"kind"`
}

// An Error says what went wrong and what to do about it.
type Error struct {
	Code    string `json:"code"`    // for programs: bad-request, bad-kit, bad-archive, not-found, failed, panic
	Message string `json:"message"` // for people
	Hint    string `json:"hint"`    // a way out
	Where   string `json:"where"`   // file and line, where there is one
}

// StudiesRequest asks which studies the session's files hold.
type StudiesRequest struct{ Head }

// StudiesResult lists studies in ascending order of ID.
type StudiesResult struct {
	Studies []StudySummary `json:"studies"`
}

// A StudySummary is a study in a list.
type StudySummary struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Version string `json:"version"`
}

// LoadRequest asks for a study to be loaded: its files are checked against their hashes and parsed.
type LoadRequest struct {
	Head
	Study string `json:"study"`
	// Prepare also builds what methods compute from (graphs, weights), so that what is asked next starts at once. Nothing is
	// scored.
	Prepare bool `json:"prepare,omitempty"`
}

// LoadResult describes a loaded study.
type LoadResult struct {
	Study     string       `json:"study"`
	Title     string       `json:"title"`
	Documents int          `json:"documents"`
	Questions int          `json:"questions"`
	Terms     int          `json:"terms"` // distinct indexed terms
	Links     int          `json:"links"` // stored links
	Methods   []MethodInfo `json:"methods"`
	Vectors   []string     `json:"vectors"` // files that dense methods need; they may be added later
}

// DescribeRequest asks what a study is, as LoadRequest does, without having anything built for what comes next.
type DescribeRequest struct {
	Head
	Study string `json:"study"`
}

// DescribeResult describes a study.
type DescribeResult struct{ LoadResult }

// MethodInfo is a method that a study names.
type MethodInfo struct {
	Name         string `json:"name"`
	Term         string `json:"term"` // with the lock's values, where they are fixed
	Role         string `json:"role"`
	Label        string `json:"label"`
	Note         string `json:"note"`
	NeedsVectors bool   `json:"needsVectors"`
}

// VerifyRequest asks for the hash of every file of a study that the session holds, and for its seals.
type VerifyRequest struct {
	Head
	Study string `json:"study"`
}

// VerifyResult is the state of a study's files.
type VerifyResult struct {
	Files []FileState `json:"files"`
	Seals []SealState `json:"seals"`
}

// FileState is one file of the manifest.
type FileState struct {
	kit.File
	State string `json:"state"` // same, differs, or absent: not loaded here
	Found string `json:"found"` // the hash that was computed, where it differs
}

// SealState is one seal of the chain.
type SealState struct {
	File   string `json:"file"`
	Stage  string `json:"stage"`
	SHA256 string `json:"sha256"`
	Files  int    `json:"files"`
	Lock   string `json:"lock"` // as JSON, for the stage that fixes one
}

// ReplayRequest starts a replay in this session; an earlier one is dropped.
type ReplayRequest struct {
	Head
	Study          string `json:"study"`
	WithoutVectors bool   `json:"withoutVectors"`
}

// ReplayResult is the state of a replay: the units to run now, in any order, here or in other sessions that hold the
// same files; or, when it is done, what it gave.
type ReplayResult struct {
	Stages  []string       `json:"stages"`
	Stage   int            `json:"stage"` // place in stages; their number when done
	Units   []study.Unit   `json:"units"`
	Done    bool           `json:"done"`
	Outcome *OutcomeResult `json:"outcome"` // null until done
}

// UnitRequest asks for one unit to be scored. Any session that holds the study's files gives the same reply.
type UnitRequest struct {
	Head
	Study string     `json:"study"`
	Unit  study.Unit `json:"unit"`
}

// UnitResult holds a unit's observations.
type UnitResult struct {
	Observations []study.Observation `json:"observations"`
}

// AddRequest hands a unit's observations to the replay of this session.
type AddRequest struct {
	Head
	Observations []study.Observation `json:"observations"`
}

// AddResult says how many units of the stage are still to come.
type AddResult struct {
	Pending int `json:"pending"`
}

// CloseRequest ends the current stage; the reply is the next one's state.
type CloseRequest struct{ Head }

// CloseResult is the state after a stage was closed.
type CloseResult struct{ ReplayResult }

// OutcomeResult is what a finished replay gave, compared with what is frozen.
type OutcomeResult struct {
	Results     json.RawMessage    `json:"results"` // canonical JSON (RFC 8785)
	SHA256      string             `json:"sha256"`  // of results
	Numbers     []show.Number      `json:"numbers"`
	Same        int                `json:"same"`        // numbers that equal the frozen ones to the bit
	Identical   bool               `json:"identical"`   // results equal the frozen bytes
	Differences []study.Difference `json:"differences"` // at most study.MaxDifferences
	Total       int                `json:"total"`       // differing paths
	Files       []OutcomeFile      `json:"files"`
	Verdict     []verdict.Part     `json:"verdict"` // what these results say, in a sentence
}

// OutcomeFile is a file that a replay makes, compared with its frozen twin by hash.
type OutcomeFile struct {
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Bytes     int    `json:"bytes"`
	Frozen    string `json:"frozen"` // hash of the frozen file, empty where there is none
	Identical bool   `json:"identical"`
}

// FrozenRequest asks for the frozen results.
type FrozenRequest struct {
	Head
	Study          string `json:"study"`
	WithoutVectors bool   `json:"withoutVectors"`
}

// FrozenResult holds the frozen results.
type FrozenResult struct {
	Results json.RawMessage `json:"results"`
	SHA256  string          `json:"sha256"`
	Numbers []show.Number   `json:"numbers"`
}

// ExplainRequest asks how a number came about. Paths are those of results, and of what explanations lead to.
type ExplainRequest struct {
	Head
	Study string `json:"study"`
	Path  string `json:"path"`
}

// ExplainResult is one node of the explanation; its inputs lead on.
type ExplainResult struct{ explain.Node }

// QuestionRequest asks for one question with the rankings of some methods side by side.
type QuestionRequest struct {
	Head
	Study    string   `json:"study"`
	Question string   `json:"question"`
	Methods  []string `json:"methods"` // names of the study's methods, or terms
	K        int      `json:"k"`       // documents of each; 10 if 0
}

// QuestionResult is a question's view.
type QuestionResult struct {
	Question string        `json:"question"`
	Family   string        `json:"family"`
	Kind     string        `json:"kind"`
	Split    string        `json:"split"`
	Text     []Piece       `json:"text"`    // the question, terms that the collection knows marked
	Unknown  []string      `json:"unknown"` // tokens that no document contains
	Target   *DocumentView `json:"target"`  // null where there is no single target
	Rankings []RankingView `json:"rankings"`
	Siblings []string      `json:"siblings"` // questions of the same family

	Need   string          `json:"need,omitempty"`   // what the person who asks wants, where the question is only its words
	Task   *study.TaskView `json:"task,omitempty"`   // of a graded study
	Judged []JudgedView    `json:"judged,omitempty"` // every document that was judged for the question, ascending
}

// A Piece is a stretch of text; marked pieces are matched terms.
type Piece struct {
	Text string `json:"text"`
	Term string `json:"term"` // the indexed term, empty for unmarked text
}

// DocumentView is a document with matched terms marked.
type DocumentView struct {
	ID    string  `json:"id"`
	Title []Piece `json:"title"`
	Text  []Piece `json:"text"`
	Where string  `json:"where"` // file and line

	Reference *collection.Reference `json:"reference,omitempty"` // of a passage
}

// RankingView is one method's best documents for a question.
type RankingView struct {
	Method     string    `json:"method"`
	Label      string    `json:"label"`
	Role       string    `json:"role"`
	Candidates int       `json:"candidates"`
	Rank       *int      `json:"rank"`     // of the target
	RankPath   string    `json:"rankPath"` // explains the rank
	Hits       []HitView `json:"hits"`

	Measures []study.MeasureView `json:"measures,omitempty"` // of this ranking, where the question's documents are judged
}

// HitView is one place of a ranking.
type HitView struct {
	Rank          int                `json:"rank"`
	Document      DocumentView       `json:"document"`
	Score         float64            `json:"score"`
	Text          string             `json:"text"` // the score, formatted
	Path          string             `json:"path"` // explains the score
	Target        bool               `json:"target"`
	Contributions []ContributionView `json:"contributions"` // what the score is the sum of

	Judgement *study.JudgementView `json:"judgement,omitempty"`
	Paths     []PathView           `json:"paths,omitempty"` // of typed relations that end here
}

// A JudgedView is a judged document.
type JudgedView struct {
	Document  DocumentView        `json:"document"`
	Judgement study.JudgementView `json:"judgement"`
}

// A PathView is one path of a typed walk. It suggests a document; it asserts nothing.
type PathView struct {
	Seed  string     `json:"seed"`  // title of the document that it starts from
	Share string     `json:"share"` // of the mass that starts there
	Mass  string     `json:"mass"`  // delivered at its end
	Path  string     `json:"path"`  // explains the seed's score
	Steps []StepView `json:"steps"`
}

// A StepView is one relation of a path, with the words that it rests on.
type StepView struct {
	To            string `json:"to"` // title
	Predicate     string `json:"predicate"`
	Backward      bool   `json:"backward"` // a symmetric relation, followed from its target
	Cued          bool   `json:"cued"`     // a word of the question names the predicate
	Evidence      string `json:"evidence"` // literal words
	Source        string `json:"source"`   // title of the document in which they stand
	Facet         string `json:"facet"`
	Modality      string `json:"modality"`
	Qualification string `json:"qualification"` // limits the relation; may be empty
	Where         string `json:"where"`
}

// ContributionView is one part of a score.
type ContributionView struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
	Text  string  `json:"text"`
	Share float64 `json:"share"` // of the highest score of the list, for a bar
	Path  string  `json:"path"`
}

// QuestionsRequest asks for the list of a study's questions.
type QuestionsRequest struct {
	Head
	Study string `json:"study"`
}

// QuestionsResult lists questions in file order.
type QuestionsResult struct {
	Questions []QuestionSummary `json:"questions"`
}

// QuestionSummary is a question in a list.
type QuestionSummary struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Family string `json:"family"`
	Kind   string `json:"kind"`
	Split  string `json:"split"`
	Target string `json:"target"` // the target's title
}

// SearchRequest asks a question of one's own.
type SearchRequest struct {
	Head
	Study   string    `json:"study"`
	Query   string    `json:"query"`
	Method  string    `json:"method"` // a name or term; the study's first method if empty
	K       int       `json:"k"`      // 10 if 0, at most 1000
	Explain bool      `json:"explain"`
	Vector  []float32 `json:"vector,omitempty"` // the question's embedding, for dense methods
}

// SearchResult is the ranking, with matched terms marked.
type SearchResult struct {
	Query   []Piece     `json:"query"`
	Unknown []string    `json:"unknown"`
	Term    string      `json:"term"` // the method, written out
	Ranking RankingView `json:"ranking"`
}

// FiguresRequest asks for what figures draw beyond the results' numbers.
type FiguresRequest struct {
	Head
	Study          string `json:"study"`
	WithoutVectors bool   `json:"withoutVectors"`
}

// FiguresResult holds the figures' data. It comes from the replay of this session, or from observations made for it.
type FiguresResult struct{ study.Figures }
