package adhoc

import (
	"bytes"

	"retrace/core/collection"
	"retrace/core/index"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/core/text"
	"retrace/core/trec"
)

// Given computes the figures of the given runs from the judgements alone, by run and measure's key, for a study whose documents
// or topics are withheld. It leaves out runs that are withheld themselves, and all of them where judgements are. Figures are those
// that a whole replay gives, as no measure looks at a document's text.
func Given(p *study.Protocol, k *kit.Kit) (map[string]map[string]*float64, error) {
	a := Of(p)
	figures := map[string]map[string]*float64{}
	analyzer, err := text.New("whitespace", nil)
	if err != nil {
		return nil, err
	}
	s := study.New(p, k, &collection.Collection{}, index.Build(analyzer, nil))
	for _, j := range a.Judgements {
		if !k.Has(j.File) {
			return figures, nil
		}
		data, err := k.Read(j.File)
		if err != nil {
			return nil, err
		}
		q, err := trec.ReadQrels(j.File, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		for _, id := range q.Topics {
			if _, ok := s.Question(id); ok {
				continue
			}
			if err := s.AddQuestion(study.Question{ID: id, Target: -1, File: j.File, Line: q.Topic(id)[0].Line}); err != nil {
				return nil, err
			}
		}
	}
	d := a.empty(s)
	if err := d.loadJudgements(); err != nil {
		return nil, err
	}
	for _, run := range a.Runs {
		if !k.Has(run.File) {
			continue
		}
		if err := d.loadRun(run); err != nil {
			return nil, err
		}
		e := &evaluation{}
		if err := d.evaluate(nil, e, run.Name); err != nil {
			return nil, err
		}
		figures[run.Name] = map[string]*float64{}
		for m, spec := range a.Measures {
			figures[run.Name][spec.Key] = d.figure(m, e.values[0][m])
		}
	}
	return figures, nil
}
