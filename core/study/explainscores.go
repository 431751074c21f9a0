package study

import (
	"fmt"
	"strconv"
	"strings"

	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/numpath"
	"retrace/core/rank"
	"retrace/core/show"
)

// Rank explains the rank of a question's target.
func (x *Explainer) Rank(s *Scoring) (*explain.Node, error) {
	target := s.Question.Target
	if target < 0 {
		return nil, fmt.Errorf("study: question %q has no single target", s.Question.ID)
	}
	r := s.Scores.Rank(target)
	node := x.Number("rank of the target", float64(r),
		"Place of "+x.DocLabel(target)+" in the ranking by "+s.Name+": one more than the documents that stand before it.",
		"rank = 1 + #{d : score(d) > score(target), or equal and ID smaller}", (*rank.Scores).Rank)
	if r == 0 {
		node.Value, node.Text = nil, "no rank"
		node.Sentence = x.DocLabel(target) + " has no positive score under " + s.Name + ", so it has no rank."
	}
	node.Inputs = []explain.Input{{Label: "question", Text: s.Question.Text, Path: numpath.Of("question", s.Question.ID)},
		{Label: "method", Text: s.Term.String(), Path: "protocol"},
		{Label: "ranked documents", Text: show.Count(int64(s.Scores.Count()))},
		{Label: "target: " + x.DocLabel(target), Text: show.Score(s.Scores.Value[target]), Path: s.ScorePath(target)}}
	for i, h := range s.Scores.Best(10) {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", i+1, x.DocLabel(h.Doc)), Text: show.Score(h.Score),
			Path: s.ScorePath(h.Doc)})
	}
	return node, nil
}

func (x *Explainer) neighbours() (*explain.Node, error) {
	g, err := x.Study.Graph(x.Keys[1])
	if err != nil {
		return nil, err
	}
	doc, err := x.Document(x.Keys[2])
	if err != nil {
		return nil, err
	}
	node := x.Number("neighbours of "+x.DocLabel(doc), float64(g.Degree(doc)), x.Study.neighbourhood(x.Keys[1]), "",
		(*graph.Graph).Neighbours)
	for _, v := range g.Neighbours(doc) {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.DocLabel(int(v)), Text: "degree " + strconv.Itoa(g.Degree(int(v))),
			Path: numpath.Of("neighbours", x.Keys[1], x.Study.Collection.Docs[v].ID), Where: x.linkWhere(doc, int(v))})
	}
	return node, nil
}

// neighbourhood says what a graph's neighbours are.
func (s *Study) neighbourhood(name string) string {
	if s.graphKind(name) == "directed" {
		return "Documents to which its links lead in the graph “" + name + "”."
	}
	return "Documents that share a link with it in the graph “" + name + "”."
}

// linkWhere names the line of a stored link between two documents, "" where none is stored (rewired graphs).
func (x *Explainer) linkWhere(a, b int) string {
	for _, l := range x.Study.Links {
		if l.Source == a && l.Target == b || l.Source == b && l.Target == a {
			c := x.Study.Protocol.Collection
			if c.Citations != 0 {
				return fmt.Sprintf("%s, %s:%d", c.Documents, x.Study.Collection.Docs[l.Target].ID, l.Line)
			}
			return fmt.Sprintf("%s:%d", c.Links, l.Line)
		}
	}
	return ""
}

func (x *Explainer) posting() (*explain.Node, error) {
	term, ok := x.Study.Index.Term(x.Keys[1])
	if !ok {
		return nil, fmt.Errorf("study: no document contains %q", x.Keys[1])
	}
	doc, err := x.Document(x.Keys[2])
	if err != nil {
		return nil, err
	}
	node := x.Number("posting of “"+x.Keys[1]+"”", float64(x.Study.Index.TF(term, doc)),
		"How often the term occurs in the document's indexed text ("+strings.Join(x.Study.Protocol.Collection.Indexed, ", ")+").", "",
		(*index.Index).TF)
	node.Inputs = []explain.Input{{Label: x.DocLabel(doc), Text: x.Study.Collection.Docs[doc].Text,
		Path: numpath.Of("document", x.Keys[2]), Where: x.Where(doc)}}
	return node, nil
}

func (x *Explainer) documentFrequency() (*explain.Node, error) {
	term, ok := x.Study.Index.Term(x.Keys[1])
	if !ok {
		return nil, fmt.Errorf("study: no document contains %q", x.Keys[1])
	}
	node := x.Number("document frequency of “"+x.Keys[1]+"”", float64(x.Study.Index.DF(term)), "How many documents contain the term.", "",
		(*index.Index).DF)
	for _, p := range x.Study.Index.Postings[term] {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.DocLabel(int(p.Doc)), Text: "tf " + strconv.Itoa(int(p.TF)),
			Path: numpath.Of("posting", x.Keys[1], x.Study.Collection.Docs[p.Doc].ID), Where: x.Where(int(p.Doc))})
	}
	return node, nil
}
