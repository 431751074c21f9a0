package proto

import (
	"retrace/core/method"
	"retrace/core/show"
	"retrace/core/study"
)

// What questions show beside rankings, where a design holds judgements, and the paths of typed walks.

// judgedQuestion adds what was judged for a question, and its need or task.
func judgedQuestion(st *study.Study, q *study.Question, out *QuestionResult) error {
	d, ok := st.Design.(study.Judged)
	if !ok {
		return nil
	}
	list, err := d.Judgements(q)
	if err != nil {
		return err
	}
	for _, j := range list {
		out.Judged = append(out.Judged, JudgedView{documentView(st, j.Doc, &q.Query), j.JudgementView})
	}
	out.Need, out.Task, err = d.Asked(q)
	return err
}

// judged adds judgements, measures and paths to a ranking.
func judged(st *study.Study, x *study.Scoring, view *RankingView) error {
	if err := paths(st, x, view); err != nil {
		return err
	}
	d, ok := st.Design.(study.Judged)
	if !ok {
		return nil
	}
	list, err := d.Judgements(x.Question)
	if err != nil {
		return err
	}
	of := map[int]study.JudgementView{}
	for _, j := range list {
		of[j.Doc] = j.JudgementView
	}
	for i := range view.Hits {
		doc, _ := st.Collection.Number(view.Hits[i].Document.ID)
		if j, ok := of[doc]; ok {
			view.Hits[i].Judgement = &j
		}
	}
	view.Measures, err = d.Measures(x.Question, x.Name)
	return err
}

// paths adds the paths of a typed walk to the documents where they end.
func paths(st *study.Study, x *study.Scoring, view *RankingView) error {
	for i := range view.Hits {
		doc, _ := st.Collection.Number(view.Hits[i].Document.ID)
		paths, err := x.Paths(doc)
		if err != nil {
			return err
		}
		for _, p := range paths {
			view.Hits[i].Paths = append(view.Hits[i].Paths, pathView(st, x, p))
		}
	}
	return nil
}

func pathView(st *study.Study, x *study.Scoring, p method.Path) PathView {
	title := func(id string) string {
		if doc, ok := st.Collection.Number(id); ok {
			return st.Collection.Docs[doc].Title
		}
		return id
	}
	v := PathView{Seed: title(p.Seed), Share: show.Share(p.Share), Mass: show.Share(p.Mass), Steps: []StepView{}}
	if doc, ok := st.Collection.Number(p.Seed); ok {
		v.Path = x.BasePath(doc)
	}
	for _, s := range p.Steps {
		v.Steps = append(v.Steps, StepView{title(s.To), s.Predicate, s.Backward, s.Cued, s.Evidence, title(s.EvidenceDoc), s.Facet, s.Modality, s.Qualification, s.Where})
	}
	return v
}
