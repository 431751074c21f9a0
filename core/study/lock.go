package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"retrace/core/kit"
	"retrace/core/method"
	"retrace/core/records"
)

// A Lock is what the development stage fixes before anything of the test split is scored: values by name, which terms
// and patterns of the protocol use as ${name}. In JSON a value that is a number stands as one.
type Lock map[string]string

// MarshalJSON writes numbers as numbers.
func (l Lock) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	for key, value := range l {
		if x, ok := l.Number(key); ok {
			out[key] = x
		} else {
			out[key] = value
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (l *Lock) UnmarshalJSON(data []byte) error {
	var held map[string]any
	if err := json.Unmarshal(data, &held); err != nil {
		return err
	}
	*l = Lock{}
	for key, value := range held {
		switch v := value.(type) {
		case string:
			(*l)[key] = v
		case float64:
			(*l)[key] = method.FormatNumber(v)
		default:
			return fmt.Errorf("%s: a lock's values are texts and numbers", key)
		}
	}
	return nil
}

// Number returns a value that is a number, written as terms write it; ok is false for other values.
func (l Lock) Number(key string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(l[key], 64)
	return x, err == nil && method.FormatNumber(x) == l[key]
}

// Lock keeps what development chose, which becomes the lock's seal; if the kit has the seal already, both must agree.
func (r *Replay) Lock(lock Lock) error {
	r.lock = lock
	sealed, file, ok, err := r.study.SealedLock()
	if err != nil || !ok || maps.Equal(sealed, lock) {
		return err
	}
	return records.Errorf(file, 0, "the lock was sealed first; the data or the engine changed since",
		"the development stage chooses %v, the sealed lock is %v", lock, sealed)
}

// SealedLock returns the lock of the study's seals and its file; ok is false where the kit has none yet.
func (s *Study) SealedLock() (lock Lock, file string, ok bool, err error) {
	seals, err := s.Kit.Seals(s.Protocol.ID)
	if err != nil {
		return nil, "", false, err
	}
	for i, seal := range seals {
		if seal.Stage == SealLock {
			file = fmt.Sprintf("%s/seals/%d-%s.json", s.Protocol.ID, i+1, seal.Stage)
			err := records.Decode(file, 0, seal.Lock, &lock)
			var e *records.Error
			if errors.As(err, &e) {
				e.Line = 0 // it counts inside the lock, not inside the file
			}
			return lock, file, true, err
		}
	}
	return nil, "", false, nil
}

// NeedLock returns the sealed lock, or an error that says how to get one.
func (s *Study) NeedLock() (Lock, error) {
	lock, _, ok, err := s.SealedLock()
	if err == nil && !ok {
		id := s.Protocol.ID
		err = records.Errorf(id, 0, fmt.Sprintf("run `build lock %s` first", id), "the study has no lock yet")
	}
	return lock, err
}

// sealedVariables returns what the sealed lock fixes, by name; nothing where there is no lock yet.
func (s *Study) sealedVariables() (Lock, error) {
	if s.variables == nil {
		lock, _, _, err := s.SealedLock()
		if err != nil {
			return nil, err
		}
		s.variables = Lock{}
		maps.Copy(s.variables, lock)
	}
	return s.variables, nil
}

// checkLocked refuses the last stage of a sealed study that has a lock to come: what a lock fixes is sealed before
// anything is scored that could have suggested it. A draft without any seal may be tried out.
func (s *Study) checkLocked() error {
	id := s.Protocol.ID
	if !slices.Contains(s.Protocol.Stages(), SealLock) {
		return nil
	}
	seals, err := s.Kit.Seals(id)
	if err != nil {
		return err
	}
	if len(seals) > 0 && !slices.ContainsFunc(seals, func(s kit.Seal) bool { return s.Stage == SealLock }) {
		return records.Errorf(id, 0, fmt.Sprintf("run `build lock %s` first", id),
			"the study is sealed but not locked: its last stage may not be scored before what development chose is sealed")
	}
	return nil
}
