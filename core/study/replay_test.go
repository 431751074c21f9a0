package study_test

import (
	"encoding/json"
	"io/fs"

	"retrace/core/study"
)

func replayAll(fsys fs.FS, id string, options study.Options) (*replayed, error) {
	s, err := study.Load(fsys, id)
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
