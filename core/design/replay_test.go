package design_test

import (
	"errors"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"encoding/json"
	"io/fs"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/records"
	"retrace/core/study/studytest"
	bundled "retrace/kit"

	"pgregory.net/rapid"

	"retrace/core/study"
)

func replayAll(fsys fs.FS, id string, options study.Options) (*replayed, error) {
	s, err := design.Load(fsys, id)
	if err != nil {
		return nil, err
	}
	r := &replayed{study: s}
	if r.replay, err = s.RunAll(options, nil); err != nil {
		return nil, err
	}
	if r.outcome, err = r.replay.Outcome(); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(r.outcome.Results, &r.results)
}

func tiny(t *testing.T) kit.Memory {
	t.Helper()
	m := studytest.Tiny()
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// finish runs a replay whose stages' work is done by work, and returns the bytes of all its files.
func finish(s *study.Study, work func(r *study.Replay, stage string, units []study.Unit) error) (string, error) {
	r, err := s.NewReplay(study.Options{})
	if err != nil {
		return "", err
	}
	for {
		stage, units, done := r.Stage()
		if done {
			break
		}
		if err := work(r, stage, units); err != nil {
			return "", err
		}
		if err := r.Close(); err != nil {
			return "", err
		}
	}
	o, err := r.Outcome()
	if err != nil {
		return "", err
	}
	all := ""
	for _, f := range o.Files {
		all += f.Path + "\n" + string(f.Data)
	}
	return all, nil
}

// inOrder runs every unit where it stands.
func inOrder(s *study.Study) func(*study.Replay, string, []study.Unit) error {
	return func(r *study.Replay, _ string, units []study.Unit) error {
		for _, u := range units {
			list, err := s.Run(u)
			if err != nil {
				return err
			}
			if err := r.Add(list); err != nil {
				return err
			}
		}
		return nil
	}
}

// However a stage's work is cut up and in whatever order it is done and handed in, the files are the same bytes.
func TestReplayInAnyOrder(t *testing.T) {
	m := tiny(t)
	s, err := design.Load(m, studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	want, err := finish(s, inOrder(s))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(want, string(m["tiny/frozen/results.json"])) || !strings.Contains(want, string(m["tiny/frozen/observations.jsonl"])) {
		t.Fatal("the replay does not give what was frozen")
	}
	rapid.Check(t, func(t *rapid.T) {
		other, err := design.Load(m, studytest.ID) // as another worker would
		if err != nil {
			t.Fatal(err)
		}
		workers := []*study.Study{s, other}
		got, err := finish(s, func(r *study.Replay, _ string, units []study.Unit) error {
			var pieces []study.Unit // a few questions by a few methods
			for _, u := range units {
				size, width := rapid.IntRange(1, 9).Draw(t, "questions"), rapid.IntRange(1, len(u.Methods)).Draw(t, "methods")
				for questions := range slices.Chunk(u.Questions, size) {
					for methods := range slices.Chunk(u.Methods, width) {
						pieces = append(pieces, study.Unit{Stage: u.Stage, Methods: methods, Questions: questions, Best: u.Best})
					}
				}
			}
			for _, u := range rapid.Permutation(pieces).Draw(t, "order") {
				list, err := workers[rapid.IntRange(0, 1).Draw(t, "worker")].Run(u)
				if err != nil {
					return err
				}
				if err := r.Add(list); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || got != want {
			t.Fatalf("other bytes, %v", err)
		}
	})
}

func TestR01InAnyOrder(t *testing.T) {
	s := r01().study
	want := r01().outcome
	got, err := finish(s, func(r *study.Replay, _ string, units []study.Unit) error {
		slices.Reverse(units)
		var kept [][]study.Observation
		for _, u := range units {
			for questions := range slices.Chunk(u.Questions, 7) {
				u.Questions = questions
				list, err := s.Run(u)
				if err != nil {
					return err
				}
				kept = append(kept, list)
			}
		}
		slices.Reverse(kept)
		for _, list := range kept {
			if err := r.Add(list); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range want.Files {
		if !strings.Contains(got, f.Path+"\n"+string(f.Data)) {
			t.Errorf("%s has other bytes", f.Path)
		}
	}
}

// Until the lock is there, no unit has a test question, and none is taken in.
func TestTestFamiliesWaitForTheLock(t *testing.T) {
	for _, m := range []struct {
		fsys fs.FS
		id   string
	}{{tiny(t), studytest.ID}, {bundled.FS, "r01"}} {
		s := r01().study
		if m.id != "r01" {
			var err error
			if s, err = design.Load(m.fsys, m.id); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.NewReplay(study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		early := slices.IndexFunc(s.Questions, func(q study.Question) bool { return q.Split == "test" })
		for stage := range 2 {
			name, units, _ := r.Stage()
			for _, u := range units {
				for _, q := range u.Questions {
					if split := s.Questions[q].Split; split != "dev" {
						t.Fatalf("%s: stage %q scores %s, which is of the split %s", m.id, name, s.Questions[q].ID, split)
					}
				}
			}
			list, err := s.Run(study.Unit{Methods: units[0].Methods, Questions: []int{early}, Best: s.Protocol.Keep})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Add(list); err == nil || !strings.Contains(err.Error(), s.Questions[early].ID) {
				t.Errorf("%s: stage %d took in a test question: %v", m.id, stage, err)
			}
			if err := inOrder(s)(r, name, units); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		name, units, _ := r.Stage()
		if name != "test" || s.Questions[units[0].Questions[0]].Split != "test" {
			t.Errorf("%s: the third stage is %q", m.id, name)
		}
	}
}

func TestLock(t *testing.T) {
	data := studytest.Tiny()
	var files []string
	for name := range data {
		if !strings.HasSuffix(name, "manifest.json") {
			files = append(files, name)
		}
	}
	run := func(m kit.Memory) error {
		_, err := replayAll(m, studytest.ID, study.Options{})
		return err
	}
	if err := run(data); err != nil {
		t.Errorf("a draft without seals: %v", err)
	}
	studytest.Seal(data, study.SealProtocol, files, nil)
	if err := run(data); err == nil || !strings.Contains(err.Error(), "sealed but not locked") {
		t.Errorf("sealed without a lock: %v", err)
	}
	wrong := maps.Clone(data)
	studytest.Seal(wrong, study.SealLock, nil, study.Lock{"baseline": "tfidf", "teleport": "0.5", "blend": "0.3"})
	err := run(wrong)
	var e *records.Error
	if !errors.As(err, &e) || e.File != "tiny/seals/2-lock.json" || e.Hint == "" ||
		!strings.Contains(err.Error(), "map[baseline:bm25 blend:0.1 teleport:0.15]") || !strings.Contains(err.Error(), "map[baseline:tfidf blend:0.3 teleport:0.5]") {
		t.Errorf("another lock than the sealed: %v", err)
	}
	for name, lock := range map[string]any{"field": map[string]any{"baseline": "bm25", "teleport": 0.15, "blend": 0.1, "x": 1}, "type": map[string]any{"baseline": 3}} {
		m := maps.Clone(data)
		studytest.Seal(m, study.SealLock, nil, lock)
		if err := run(m); err == nil || !strings.HasPrefix(err.Error(), "tiny/seals/2-lock.json: ") {
			t.Errorf("a lock with a wrong %s: %v", name, err)
		}
	}
}

// What was sealed can't be changed with its manifest either.
func TestSealsHold(t *testing.T) {
	for name := range tiny(t) {
		if strings.HasSuffix(name, "manifest.json") {
			continue
		}
		m := tiny(t)
		m[name] = append(slices.Clone(m[name]), '\n')
		studytest.Manifests(m)
		_, err := replayAll(m, studytest.ID, study.Options{})
		if err == nil && strings.HasSuffix(name, "3-frozen.json") {
			continue // nothing follows the last seal
		}
		if err == nil || !strings.Contains(err.Error(), path.Base(name)) && !strings.Contains(err.Error(), "seals/") && !strings.Contains(err.Error(), "empty line") {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// A changed byte in any file of the kit is an error that names the file.
func TestEveryByteIsChecked(t *testing.T) {
	whole := tiny(t)
	for name := range whole {
		for _, place := range []int{0, len(whole[name]) / 2, len(whole[name]) - 1} {
			m := maps.Clone(whole)
			m[name] = slices.Clone(m[name])
			m[name][place] ^= 1
			err := func() error {
				s, err := design.Load(m, studytest.ID)
				if err != nil {
					return err
				}
				for _, f := range s.Kit.Files() {
					if _, err := s.Kit.Read(f.Path); err != nil {
						return err
					}
				}
				_, err = s.Kit.Seals(studytest.ID)
				return err
			}()
			var e *records.Error
			named := errors.As(err, &e) && e.Hint != ""
			if !named || !strings.HasSuffix(name, "manifest.json") && e.File != name {
				t.Errorf("%s, byte %d: %v", name, place, err)
			}
		}
	}
}

func TestAddRefuses(t *testing.T) {
	s, err := design.Load(tiny(t), studytest.ID)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.NewReplay(study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, units, _ := r.Stage()
	list, err := s.Run(units[0])
	if err != nil {
		t.Fatal(err)
	}
	rank := func(n int) *int { return &n }
	for name, change := range map[string]func(*study.Observation){
		"unknown question":   func(o *study.Observation) { o.Question = "F9-part" },
		"unknown method":     func(o *study.Observation) { o.Method = "bm26" },
		"rank 0":             func(o *study.Observation) { o.Rank = rank(0) },
		"rank -1":            func(o *study.Observation) { o.Rank = rank(-1) },
		"rank beyond":        func(o *study.Observation) { o.Rank = rank(o.Candidates + 1) },
		"candidates -1":      func(o *study.Observation) { o.Candidates = -1 },
		"candidates 13":      func(o *study.Observation) { o.Candidates = 13 },
		"too few":            func(o *study.Observation) { o.Best = o.Best[1:] },
		"unknown document":   func(o *study.Observation) { o.Best[0].ID = "13" },
		"order":              func(o *study.Observation) { o.Best[0].Score = 0 },
		"twice":              func(o *study.Observation) { o.Best[1] = o.Best[0] },
		"not a number":       func(o *study.Observation) { o.Best[0].Score = math.NaN() },
		"infinite":           func(o *study.Observation) { o.Best[0].Score = math.Inf(1) },
		"one question twice": func(o *study.Observation) { o.Question, o.Method = list[0].Question, list[0].Method },
	} {
		bad := slices.Clone(list)
		last := &bad[len(bad)-1]
		last.Best = slices.Clone(last.Best)
		change(last)
		if err := r.Add(bad); err == nil || !strings.HasPrefix(err.Error(), "study: ") {
			t.Errorf("%s: %v", name, err)
		}
		if r.Pending() != len(units) {
			t.Fatalf("%s: a refused list was taken in part", name)
		}
	}
	if err := r.Add(nil); err != nil || r.Pending() != len(units) {
		t.Error("an empty list counts as a unit")
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "lacks 1 unit") {
		t.Errorf("closed early: %v", err)
	}
	if _, err := r.Outcome(); err == nil {
		t.Error("an outcome before the end")
	}
	if err := r.Add(list); err != nil || r.Pending() != 0 {
		t.Error(err)
	}
	if err := r.Add(list); err == nil {
		t.Error("a list was taken in twice")
	}
	done, err := s.RunAll(study.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Close(); err == nil || !strings.Contains(err.Error(), "has finished") {
		t.Errorf("closed after the end: %v", err)
	}
	if err := done.Add(list); err == nil {
		t.Error("added after the end")
	}
	if _, err := s.NewReplay(study.Options{WithoutVectors: true}); err == nil || !strings.Contains(err.Error(), "without vectors") {
		t.Error(err)
	}
}

// A question of which no document has a word: no seed, no rank, no score, counted.
func TestUnanswered(t *testing.T) {
	r, err := replayAll(tiny(t), studytest.ID, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range r.results.Methods {
		want := 1
		if name == "degree" { // ranks every document, whatever the question
			want = 0
		}
		if m.Unanswered != want || m.Questions != 8 || m.Kinds["part"].Questions != 4 {
			t.Errorf("%s: %+v", name, m)
		}
		if name != "degree" && (m.Hits[10] != 7 || m.Kinds["part"].MRR != 0.75) { // seven at rank 1; of four of its kind three
			t.Errorf("%s: %+v", name, m)
		}
	}
	q := r.results.Misses[0]
	if len(r.results.Misses) != 1 || q.Question != "F3-part" || q.Ranks.Baseline != nil || q.Ranks.Graph != nil {
		t.Errorf("%+v", r.results.Misses)
	}
	for _, name := range []string{"bm25", "tfidf", "rrf", "graph", "direction"} {
		question, _ := r.study.Question("F3-part")
		x, err := r.study.NewScoring(name, question, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.Scores.Count() != 0 || slices.ContainsFunc(x.Scores.Value, func(v float64) bool { return v != 0 }) || len(question.Query.Unknown) != 1 {
			t.Errorf("%s: %v", name, x.Scores.Value)
		}
		for _, at := range []string{"rank.F3-part." + name, "score.F3-part." + name + ".5"} {
			node, err := r.study.Explain(r.replay, at)
			if err != nil {
				t.Errorf("%s: %v", at, err)
			} else if data, err := json.Marshal(node); err != nil || strings.Contains(string(data), "Inf\"") {
				t.Errorf("%s: %s, %v", at, data, err)
			}
		}
	}
}
