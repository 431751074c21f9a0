package study

import (
	"fmt"

	"retrace/core/method"
	"retrace/core/records"
)

// MaxKeep bounds the documents that an observation may hold: as many as a design that needs whole rankings can ask for.
const MaxKeep = 10_000

// checkName refuses a method whose name stands in its own term, where it was meant for a primitive method of the same name.
func checkName(name string, t method.Term) error {
	var inside error
	for _, a := range t.Args {
		a.Walk(func(u method.Term) {
			if u.Name == name && len(u.Args) == 0 && len(u.Params) == 0 {
				inside = fmt.Errorf("methods: %s stands inside its own term %s: give the method another name", name, t)
			}
		})
	}
	return inside
}

// A Rehearser is a design's part whose methods wait for what a lock fixes. SomeLock is one that it could fix.
type Rehearser interface{ SomeLock() Lock }

// An Accepter is a loaded design that can say of a single observation why its results could not be computed.
type Accepter interface {
	Accept(o Observation) error
}

// rehearsed is how many questions each method is tried on.
const rehearsed = 3

// Rehearse runs every method on the first questions of the first stage, which are never those of a test split, so that what
// can't run is known before anything is sealed. It keeps no score.
func (s *Study) Rehearse() error {
	r := &Replay{study: s, observations: map[observationKey]Observation{}, stages: s.Design.Stages()}
	if err := r.plan(); err != nil {
		return err
	}
	if len(r.units) == 0 {
		return nil
	}
	questions := r.units[0].Questions
	questions = questions[:min(len(questions), rehearsed)]
	var lock Lock
	if some, ok := s.Protocol.Spec.(Rehearser); ok {
		lock = some.SomeLock()
	}
	for _, m := range s.Protocol.Methods {
		fail := func(err error) error {
			return fmt.Errorf("the method %s can't run: %w", m.Name, err)
		}
		t, err := s.Resolve(method.Term{Name: m.Name}, lock)
		if err != nil {
			return records.Errorf(s.Protocol.ID+"/study.json", 0, "correct the method's term", "%v", fail(err))
		}
		list, err := s.Run(Unit{Methods: []NamedTerm{{m.Name, t}}, Questions: questions, Best: s.Protocol.Keep})
		if err != nil {
			return fail(err)
		}
		for _, o := range list {
			if accepts, ok := s.Design.(Accepter); ok {
				if err := accepts.Accept(o); err != nil {
					return fail(err)
				}
			}
		}
	}
	return nil
}
