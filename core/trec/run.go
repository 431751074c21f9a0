package trec

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"retrace/core/records"
)

// A Hit is one line of a run.
type Hit struct {
	Doc   string
	Score float64
	Rank  int32 // as the file says, which decides nothing
	Line  int32 // its number in the file
}

// Options say how a run is read.
type Options struct {
	Order Order // by which hits are yielded; TrecEval where empty

	// Stored reads the whole run before it yields the first topic, so that the lines of a topic need not stand together.
	// Memory is then some 80 bytes a line, for at most MaxStored lines. Without it a topic that comes back is an error that
	// wraps ErrInterleaved, and memory is that of the longest topic and of the topics' names.
	Stored bool

	// ExtraColumns passes over what stands behind the sixth column, as trec_eval does. Without it, it is an error.
	ExtraColumns bool
}

// Limits of a run.
const (
	MaxTopicHits = 1 << 24
	MaxStored    = 1 << 26
	maxTopics    = 1 << 24
	maxRunLines  = 1<<31 - 1
)

// ErrInterleaved says that a topic's lines don't stand together, so that they can't be read as a stream.
var ErrInterleaved = errors.New("the lines of a topic do not stand together")

// RunInfo is what is known of a run when all of it was read.
type RunInfo struct {
	Tag      string // the last line's, as in trec_eval
	Lines    int
	Topics   int
	Warnings []*records.Error
}

// ReadRun reads a run (topic, Q0, document, rank, score, tag) and yields each topic's hits in the stated order: topics in
// the file's order or, where it is stored, ascending bytewise. hits are valid during the call only. The second column is
// passed over; the fourth must be a whole number, and decides nothing: where ranks contradict scores a warning says so.
func ReadRun(file string, r io.Reader, o Options, yield func(topic string, hits []Hit) error) (info RunInfo, err error) {
	if o.Order == "" {
		o.Order = TrecEval
	}
	s := &runReader{lines: newLines(file, r), o: o, yield: yield, seen: map[string]int{}}
	for {
		text, err := s.next()
		if err != nil {
			return info, err
		}
		if text == nil {
			break
		}
		if err := s.line(text); err != nil {
			return info, err
		}
	}
	if s.info.Lines == 0 {
		return info, s.errorf(0, "did the system that wrote it fail? Each line holds topic, Q0, document, rank, score, tag", "the run is empty")
	}
	return s.finish()
}

type runReader struct {
	*lines
	o      Options
	yield  func(topic string, hits []Hit) error
	info   RunInfo
	topic  string
	hits   []Hit
	stored [][]Hit // by the topic's number
	topics []string
	seen   map[string]int // number of a topic that was met
	at     int            // the topic's number, where stored
	arena  strings.Builder
	docs   map[string]int32 // line by document, of one topic

	contradicting, firstRank int // neighbours whose ranks contradict their scores
	float32Ties, firstTie    int // neighbours that differ, but not as float32
	otherTag                 int // first line with another tag
}

const runColumns = "topic, Q0, document, rank, score, tag"

func (s *runReader) line(text []byte) error {
	n := s.split(text)
	f := &s.fields
	switch {
	case n < 6:
		hint := "each line holds " + runColumns + ", separated by spaces or tabs"
		if n == 5 {
			hint += "; the tag, or the Q0, may be missing"
		}
		return s.errorf(s.n, hint, "%d columns, want 6", n)
	case n > 6 && !s.o.ExtraColumns:
		return s.errorf(s.n, "an ID may hold no space; text behind the tag, which trec_eval passes over, must be allowed explicitly",
			"%s columns, want 6 (%s)", columns(n), runColumns)
	}
	for i, kind := range [...]string{0: "topic", 2: "document", 5: ""} {
		if kind != "" {
			if err := s.id(kind, f[i]); err != nil {
				return err
			}
		}
	}
	rank, err := strconv.ParseInt(string(f[3]), 10, 32)
	if err != nil {
		return s.errorf(s.n, "the fourth column holds the rank, the fifth the score", "rank %.40q is not a whole number", f[3])
	}
	score, what := readScore(string(f[4]))
	if what != "" {
		return s.errorf(s.n, "write finite decimal numbers, such as 12.5 or 1.25e1; leave out documents without a score", "score %.40q: %s",
			f[4], what)
	}
	if s.info.Lines == 0 || string(f[0]) != s.topic {
		if err := s.begin(string(f[0])); err != nil {
			return err
		}
	}
	if s.otherTag == 0 && s.info.Tag != "" && string(f[5]) != s.info.Tag {
		s.otherTag = s.n
	}
	if string(f[5]) != s.info.Tag {
		s.info.Tag = string(f[5])
	}
	if s.info.Lines++; s.n > maxRunLines {
		return s.errorf(0, "split the run by topic", "more than %d lines", maxRunLines)
	}
	if s.o.Stored && s.info.Lines > MaxStored {
		return s.errorf(s.n, "sort the run by topic (sort -s -k1,1): then it is read as a stream",
			"more than %d lines whose topics do not stand together", MaxStored)
	}
	s.hits = append(s.hits, Hit{s.keep(f[2]), score, int32(rank), int32(s.n)})
	if len(s.hits) > MaxTopicHits {
		return s.errorf(s.n, "cut the run to fewer documents a topic", "topic %.60q has more than %d documents", s.topic, MaxTopicHits)
	}
	return nil
}

// keep copies an identifier to where it can stay: into blocks, because an allocation for each would double the memory.
func (s *runReader) keep(id []byte) string {
	if s.arena.Cap()-s.arena.Len() < len(id) {
		s.arena = strings.Builder{}
		s.arena.Grow(1 << 16)
	}
	start := s.arena.Len()
	s.arena.Write(id)
	return s.arena.String()[start:]
}

// begin closes the topic before and opens the next.
func (s *runReader) begin(topic string) error {
	number, again := s.seen[topic]
	if !again {
		number = len(s.seen)
		if number == maxTopics {
			return s.errorf(s.n, "split the run by topic", "more than %d topics", maxTopics)
		}
		s.seen[topic] = number
	}
	if s.o.Stored {
		if s.info.Lines > 0 {
			s.stored[s.at] = s.hits
		}
		if !again {
			s.stored, s.topics = append(s.stored, nil), append(s.topics, topic)
		}
		s.topic, s.at, s.hits = topic, number, s.stored[number]
		return nil
	}
	if again {
		return &interleavedError{s.errorf(s.n, "sort the run by topic: sort -s -k1,1 FILE", "topic %.60q comes back: %v", topic, ErrInterleaved)}
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.topic = topic
	return nil
}

type interleavedError struct{ error }

func (e *interleavedError) Unwrap() []error { return []error{e.error, ErrInterleaved} }

// flush checks, orders and yields the hits of the topic at hand.
func (s *runReader) flush() error {
	if len(s.hits) == 0 {
		return nil
	}
	if s.docs == nil {
		s.docs = make(map[string]int32, len(s.hits))
	}
	clear(s.docs)
	for _, h := range s.hits {
		if first, twice := s.docs[h.Doc]; twice {
			return s.errorf(int(h.Line), "keep one of the two lines, usually the one with the higher score",
				"topic %.60q returns document %.60q twice: here and on line %d", s.topic, h.Doc, first)
		}
		s.docs[h.Doc] = h.Line
	}
	s.o.Order.Sort(s.hits)
	for i := 1; i < len(s.hits); i++ {
		a, b := s.hits[i-1], s.hits[i]
		if a.Score > b.Score && a.Rank >= b.Rank {
			if s.contradicting++; s.contradicting == 1 {
				s.firstRank = int(b.Line)
			}
		}
		if a.Score != b.Score && float32(a.Score) == float32(b.Score) {
			if s.float32Ties++; s.float32Ties == 1 {
				s.firstTie = int(b.Line)
			}
		}
	}
	s.info.Topics++
	if err := s.yield(s.topic, s.hits); err != nil {
		return err
	}
	s.hits = s.hits[:0]
	if cap(s.hits) > 1<<20 { // one long topic should not keep its memory
		s.hits = nil
	}
	if !s.o.Stored {
		s.arena = strings.Builder{}
	}
	return nil
}

func (s *runReader) finish() (RunInfo, error) {
	if s.o.Stored {
		s.stored[s.at] = s.hits
		places := make([]int, len(s.topics))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return strings.Compare(s.topics[a], s.topics[b]) })
		for _, i := range places {
			s.topic, s.hits, s.stored[i] = s.topics[i], s.stored[i], nil
			if err := s.flush(); err != nil {
				return s.info, err
			}
		}
	} else if err := s.flush(); err != nil {
		return s.info, err
	}
	if s.contradicting > 0 {
		s.warnf(s.firstRank, "documents are ordered by score, as in trec_eval: if the ranks are right, write scores that fall with them",
			"%d ranks contradict the scores; the first is here", s.contradicting)
	}
	if s.float32Ties > 0 && s.o.Order != TrecEvalFloat32 {
		s.warnf(s.firstTie, "trec_eval before version 10 kept scores as float32 and ties them: the order "+string(TrecEvalFloat32)+" does so",
			"%d neighbours have scores that differ, but not as float32; the first is here", s.float32Ties)
	}
	if s.otherTag > 0 {
		s.warnf(s.otherTag, "if these are several runs, split the file by the sixth column",
			"the run has more than one tag; the first other one is here")
	}
	s.info.Warnings = s.warnings
	return s.info, nil
}

// readScore reads a decimal number and says what is wrong with it. Hexadecimal, NaN and infinite numbers are refused, which
// strconv would take.
func readScore(text string) (score float64, what string) {
	if strings.Trim(text, "+-.0123456789eE") != "" {
		if x, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Sprintf("%v is no score", x)
		}
		return 0, "not a number"
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "beyond the range of numbers"
	case err != nil:
		return 0, "not a number"
	}
	return x, ""
}
