package proto

import (
	"fmt"

	"retrace/core/collection"
	"retrace/core/index"
	"retrace/core/method"
	"retrace/core/rank"
	"retrace/core/show"
	"retrace/core/study"
)

// MaxQuery is the longest question that search takes, in bytes.
const MaxQuery = 8 << 10

func (s *Session) questions(q QuestionsRequest) (QuestionsResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return QuestionsResult{}, err
	}
	out := QuestionsResult{Questions: []QuestionSummary{}}
	for i := range st.Questions {
		question := &st.Questions[i]
		summary := QuestionSummary{ID: question.ID, Text: question.Text, Family: question.Family, Kind: question.Kind, Split: question.Split}
		if question.Target >= 0 {
			summary.Target = st.Collection.Docs[question.Target].Title
		}
		out.Questions = append(out.Questions, summary)
	}
	return out, nil
}

// pieces cuts a text at its matched terms: all that the index knows if query is nil, else those of the query.
func pieces(x *index.Index, text string, query *index.Query) []Piece {
	list := []Piece{}
	end := 0
	for _, span := range x.Analyzer().Spans(text) {
		term, ok := x.Term(span.Token)
		if ok && query != nil {
			ok = query.Has(term)
		}
		if !ok {
			continue
		}
		if span.Start > end {
			list = append(list, Piece{Text: text[end:span.Start]})
		}
		list = append(list, Piece{text[span.Start:span.End], span.Token})
		end = span.End
	}
	if end < len(text) {
		list = append(list, Piece{Text: text[end:]})
	}
	return list
}

func documentView(st *study.Study, doc int, query *index.Query) DocumentView {
	d := &st.Collection.Docs[doc]
	return DocumentView{d.ID, pieces(st.Index, d.Title, query), pieces(st.Index, d.Text, query), where(st.Collection, doc), d.Reference}
}

func where(c *collection.Collection, doc int) string {
	return fmt.Sprintf("%s:%d", c.File, c.Docs[doc].Line)
}

func (s *Session) question(q QuestionRequest) (QuestionResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return QuestionResult{}, err
	}
	question, ok := st.Question(q.Question)
	if !ok {
		return QuestionResult{}, failf("not-found", "questions are listed in "+st.Protocol.Questions.File, "study %s has no question %q", q.Study, q.Question)
	}
	k, err := places(q.K, 100)
	if err != nil {
		return QuestionResult{}, err
	}
	if len(q.Methods) > 8 {
		return QuestionResult{}, failf("bad-request", "ask for at most 8 methods at once", "%d methods", len(q.Methods))
	}
	out := QuestionResult{Question: question.ID, Family: question.Family, Kind: question.Kind, Split: question.Split, Text: pieces(st.Index, question.Text, nil),
		Unknown: append([]string{}, question.Query.Unknown...), Rankings: []RankingView{}, Siblings: []string{}}
	for i := range st.Questions {
		if other := &st.Questions[i]; other.Family != "" && other.Family == question.Family && other.ID != question.ID {
			out.Siblings = append(out.Siblings, other.ID)
		}
	}
	if question.Target >= 0 {
		view := documentView(st, question.Target, &question.Query)
		out.Target = &view
	}
	for _, name := range q.Methods {
		x, err := st.NewScoring(name, question, nil)
		if err != nil {
			return out, err
		}
		view := rankingView(st, x, k, question.Target)
		if m, ok := st.Protocol.Method(name); ok {
			view.Label, view.Role = m.Label, m.Role
		}
		view.Method = name
		if err := judged(st, x, &view); err != nil {
			return out, err
		}
		out.Rankings = append(out.Rankings, view)
	}
	return out, judgedQuestion(st, question, &out)
}

func places(k, limit int) (int, error) {
	if k == 0 {
		k = 10
	}
	if k < 1 || k > limit {
		return 0, failf("bad-request", fmt.Sprintf("ask for 1 to %d documents", limit), "k is %d", k)
	}
	return k, nil
}

// rankingView shows a scored question: the best k documents and what their scores are made of.
func rankingView(st *study.Study, x *study.Scoring, k, target int) RankingView {
	view := RankingView{Method: x.Term.String(), Label: x.Term.String(), Candidates: x.Scores.Count(), Hits: []HitView{}}
	if target >= 0 {
		if r := x.Scores.Rank(target); r > 0 {
			view.Rank = &r
		}
		view.RankPath = x.RankPath()
	}
	best := x.Scores.Best(k)
	for i, h := range best {
		view.Hits = append(view.Hits, hitView(st, x, i+1, h, best[0].Score, h.Doc == target))
	}
	return view
}

func hitView(st *study.Study, x *study.Scoring, place int, h rank.Hit, top float64, target bool) HitView {
	view := HitView{Rank: place, Document: documentView(st, h.Doc, &x.Query.Lexical), Score: h.Score, Text: show.Score(h.Score), Path: x.ScorePath(h.Doc), Target: target, Contributions: []ContributionView{}}
	for _, c := range x.Contributions(h.Doc) {
		share := 0.0
		if top > 0 && c.Score > 0 {
			share = c.Score / top
		}
		view.Contributions = append(view.Contributions, ContributionView{c.Label, c.Score, show.Score(c.Score), share, c.Path})
	}
	return view
}

func (s *Session) search(q SearchRequest) (SearchResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return SearchResult{}, err
	}
	k, err := places(q.K, 1000)
	if err != nil {
		return SearchResult{}, err
	}
	if len(q.Query) > MaxQuery {
		return SearchResult{}, failf("bad-request", "shorten the question", "a question of %d bytes: at most %d", len(q.Query), MaxQuery)
	}
	if q.Method == "" {
		q.Method = st.Protocol.Methods[0].Name
	}
	if _, err := method.Parse(q.Method); err != nil {
		return SearchResult{}, failf("bad-request", "write a method's name or a term such as graph(bm25,teleport=0.5,blend=0.1)", "%v", err)
	}
	question := st.OwnQuestion(q.Query)
	x, err := st.NewScoring(q.Method, question, q.Vector)
	if err != nil {
		return SearchResult{}, err
	}
	out := SearchResult{Query: pieces(st.Index, q.Query, nil), Unknown: append([]string{}, question.Query.Unknown...), Term: x.Term.String(), Ranking: rankingView(st, x, k, -1)}
	if !q.Explain {
		for i := range out.Ranking.Hits {
			out.Ranking.Hits[i].Contributions = []ContributionView{}
		}
	}
	return out, nil
}

// finished returns this session's replay of a study, if it has one that is done.
func (s *Session) finished(id string) *study.Replay {
	if s.replay == nil || s.replay.Study().Protocol.ID != id {
		return nil
	}
	if _, _, done := s.replay.Stage(); !done {
		return nil
	}
	return s.replay
}

func (s *Session) explain(q ExplainRequest) (ExplainResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return ExplainResult{}, err
	}
	if len(q.Path) > 2*MaxQuery {
		return ExplainResult{}, failf("bad-request", "paths are those of the results JSON, such as methods.bm25.mrr10", "a path of %d bytes", len(q.Path))
	}
	node, err := st.Explain(s.finished(q.Study), q.Path)
	if err != nil {
		return ExplainResult{}, err
	}
	return ExplainResult{*node}, nil
}

func (s *Session) figures(q FiguresRequest) (FiguresResult, error) {
	st, err := s.Study(q.Study)
	if err != nil {
		return FiguresResult{}, err
	}
	f, err := st.Figures(s.finished(q.Study), study.Options{WithoutVectors: q.WithoutVectors})
	if err != nil {
		return FiguresResult{}, err
	}
	return FiguresResult{*f}, nil
}
