package proto

import "retrace/core/lab"

// What the laboratory gives is exploratory: it is never part of a replay and never compared with frozen numbers.

// LabPlanRequest asks how a trial is cut into units, which any session that holds the study's files can run.
type LabPlanRequest struct {
	Head
	Study string `json:"study"`
	Trial string `json:"trial"` // rewire, split, influence or resample
	Count int    `json:"count"` // graphs, splits, or the largest number of resamples; not read for influence
}

// LabPlanResult lists the units.
type LabPlanResult struct {
	Units []lab.Unit `json:"units"`
}

// LabUnitRequest asks for the cases of one unit.
type LabUnitRequest struct {
	Head
	Study string   `json:"study"`
	Unit  lab.Unit `json:"unit"`
}

// LabUnitResult holds a unit's cases.
type LabUnitResult struct {
	Cases []lab.Case `json:"cases"`
}

// LabReportRequest asks what the cases so far say together.
type LabReportRequest struct {
	Head
	Study string     `json:"study"`
	Trial string     `json:"trial"`
	Count int        `json:"count"`
	Cases []lab.Case `json:"cases"`
}

// LabReportResult is a trial's report.
type LabReportResult struct{ lab.Report }

// LabKnobsRequest asks what can be turned on a method.
type LabKnobsRequest struct {
	Head
	Study  string `json:"study"`
	Method string `json:"method"`
}

// LabKnobsResult lists parameters with the protocol's values.
type LabKnobsResult struct {
	Term  string     `json:"term"`
	Knobs []lab.Knob `json:"knobs"`
}

// LabTryRequest asks what another setting of a method would give.
type LabTryRequest struct {
	Head
	Study string `json:"study"`
	lab.WhatIf
}

// LabTryResult is what it gives.
type LabTryResult struct{ lab.Tried }

// lab returns the laboratory of a study, which keeps what was scored for it.
func (s *Session) lab(id string) (*lab.Lab, error) {
	if l, ok := s.labs[id]; ok {
		return l, nil
	}
	st, err := s.Study(id)
	if err != nil {
		return nil, err
	}
	l, err := lab.New(st, s.finished(id))
	if err != nil {
		return nil, err
	}
	if s.labs == nil {
		s.labs = map[string]*lab.Lab{}
	}
	s.labs[id] = l
	return l, nil
}

func (s *Session) labPlan(q LabPlanRequest) (out LabPlanResult, err error) {
	l, err := s.lab(q.Study)
	if err == nil {
		out.Units, err = l.Plan(q.Trial, q.Count)
	}
	return out, err
}

func (s *Session) labUnit(q LabUnitRequest) (out LabUnitResult, err error) {
	l, err := s.lab(q.Study)
	if err == nil {
		out.Cases, err = l.Run(q.Unit)
	}
	return out, err
}

func (s *Session) labReport(q LabReportRequest) (out LabReportResult, err error) {
	l, err := s.lab(q.Study)
	if err != nil {
		return out, err
	}
	r, err := l.Report(q.Trial, q.Count, q.Cases)
	if err == nil {
		out.Report = *r
	}
	return out, err
}

func (s *Session) labKnobs(q LabKnobsRequest) (out LabKnobsResult, err error) {
	l, err := s.lab(q.Study)
	if err != nil {
		return out, err
	}
	t, knobs, err := l.Knobs(q.Method)
	return LabKnobsResult{t.String(), knobs}, err
}

func (s *Session) labTry(q LabTryRequest) (out LabTryResult, err error) {
	l, err := s.lab(q.Study)
	if err != nil {
		return out, err
	}
	t, err := l.Try(q.WhatIf)
	if err == nil {
		out.Tried = *t
	}
	return out, err
}
