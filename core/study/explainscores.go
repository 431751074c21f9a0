package study

import (
	"fmt"
	"strconv"
	"strings"

	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/show"
)

func (x *explainer) rank(s *Scoring) (*explain.Node, error) {
	target, ok := x.study.Target(s.Question)
	if !ok {
		return nil, fmt.Errorf("study: question %q has no single target", s.Question.ID)
	}
	r := s.Scores.Rank(target)
	node := x.number("rank of the target", float64(r),
		"Place of "+x.docLabel(target)+" in the ranking by "+s.Name+": one more than the documents that stand before it.",
		"rank = 1 + #{d : score(d) > score(target), or equal and ID smaller}", (*rank.Scores).Rank)
	if r == 0 {
		node.Value, node.Text = nil, "no rank"
		node.Sentence = x.docLabel(target) + " has no positive score under " + s.Name + ", so it has no rank."
	}
	node.Inputs = []explain.Input{{Label: "question", Text: s.Question.Text, Path: pathTo("question", s.Question.ID)},
		{Label: "method", Text: s.Term.String(), Path: "protocol"},
		{Label: "ranked documents", Text: show.Count(int64(s.Scores.Count()))},
		{Label: "target: " + x.docLabel(target), Text: show.Score(s.Scores.Value[target]), Path: s.ScorePath(target)}}
	for i, h := range s.Scores.Best(10) {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", i+1, x.docLabel(h.Doc)), Text: show.Score(h.Score),
			Path: s.ScorePath(h.Doc)})
	}
	return node, nil
}

func (x *explainer) neighbours() (*explain.Node, error) {
	g, err := x.study.Graph(x.keys[1])
	if err != nil {
		return nil, err
	}
	doc, err := x.document(x.keys[2])
	if err != nil {
		return nil, err
	}
	node := x.number("neighbours of "+x.docLabel(doc), float64(g.Degree(doc)), x.study.neighbourhood(x.keys[1]), "",
		(*graph.Graph).Neighbours)
	for _, v := range g.Neighbours(doc) {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.docLabel(int(v)), Text: "degree " + strconv.Itoa(g.Degree(int(v))),
			Path: pathTo("neighbours", x.keys[1], x.study.Collection.Docs[v].ID), Where: x.linkWhere(doc, int(v))})
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
func (x *explainer) linkWhere(a, b int) string {
	for _, l := range x.study.Links {
		if l.Source == a && l.Target == b || l.Source == b && l.Target == a {
			return fmt.Sprintf("%s:%d", x.study.Protocol.Collection.Links, l.Line)
		}
	}
	return ""
}

func (x *explainer) posting() (*explain.Node, error) {
	term, ok := x.study.Index.Term(x.keys[1])
	if !ok {
		return nil, fmt.Errorf("study: no document contains %q", x.keys[1])
	}
	doc, err := x.document(x.keys[2])
	if err != nil {
		return nil, err
	}
	node := x.number("posting of “"+x.keys[1]+"”", float64(x.study.Index.TF(term, doc)),
		"How often the term occurs in the document's indexed text ("+strings.Join(x.study.Protocol.Collection.Indexed, ", ")+").", "",
		(*index.Index).TF)
	node.Inputs = []explain.Input{{Label: x.docLabel(doc), Text: x.study.Collection.Docs[doc].Text,
		Path: pathTo("document", x.keys[2]), Where: x.where(doc)}}
	return node, nil
}

func (x *explainer) documentFrequency() (*explain.Node, error) {
	term, ok := x.study.Index.Term(x.keys[1])
	if !ok {
		return nil, fmt.Errorf("study: no document contains %q", x.keys[1])
	}
	node := x.number("document frequency of “"+x.keys[1]+"”", float64(x.study.Index.DF(term)), "How many documents contain the term.", "",
		(*index.Index).DF)
	for _, p := range x.study.Index.Postings[term] {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.docLabel(int(p.Doc)), Text: "tf " + strconv.Itoa(int(p.TF)),
			Path: pathTo("posting", x.keys[1], x.study.Collection.Docs[p.Doc].ID), Where: x.where(int(p.Doc))})
	}
	return node, nil
}
