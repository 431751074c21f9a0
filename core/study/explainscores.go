package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/dense"
	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/lexical"
	"retrace/core/rank"
	"retrace/core/show"
	"retrace/core/walk"
)

func (x *explainer) rank(s *Scoring) (*explain.Node, error) {
	target, ok := x.study.Target(s.Question)
	if !ok {
		return nil, fmt.Errorf("study: question %q has no single target", s.Question.ID)
	}
	r := s.Scores.Rank(target)
	node := x.number("rank of the target", float64(r), "Place of "+x.docLabel(target)+" in the ranking by "+s.Name+": one more than the documents that stand before it.",
		"rank = 1 + #{d : score(d) > score(target), or equal and ID smaller}", (*rank.Scores).Rank)
	if r == 0 {
		node.Value, node.Text = nil, "no rank"
		node.Sentence = x.docLabel(target) + " has no positive score under " + s.Name + ", so it has no rank."
	}
	node.Inputs = []explain.Input{{Label: "question", Text: s.Question.Text, Path: pathTo("question", s.Question.ID)},
		{Label: "method", Text: s.Term.String(), Path: "protocol"},
		{Label: "ranked documents", Text: show.Count(int64(s.Scores.Count()))},
		{Label: "target: " + x.docLabel(target), Text: s.text(target), Path: s.ScorePath(target)}}
	for i, h := range s.Scores.Best(10) {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("%d. %s", i+1, x.docLabel(h.Doc)), Text: show.Score(h.Score), Path: s.ScorePath(h.Doc)})
	}
	return node, nil
}

func (x *explainer) score(s *Scoring, doc int) (*explain.Node, error) {
	value := s.Scores.Value[doc]
	var node *explain.Node
	switch s.Term.Name {
	case "bm25":
		node = x.number("BM25 score", value, "Sum over the question's distinct terms that occur in the document, in ascending order of the term.",
			"Σ qtf · (idf(t) · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)))", (*lexical.BM25).Score)
		node.Citation = "Robertson and Zaragoza 2009, doi:10.1561/1500000019; idf as in Kamphuis et al. 2020"
	case "tfidf":
		node = x.number("TF-IDF cosine", value, "Cosine between the TF-IDF vectors of question and document, summed over shared terms in ascending order.",
			"Σ (qtf·idf/‖q‖) · (tf·idf/‖d‖)", (*lexical.TFIDF).Score)
		node.Citation = "scikit-learn's TfidfVectorizer: smooth_idf, no sublinear_tf, norm l2"
	case "overlap":
		node = x.number("overlap", value, "How many distinct terms of the question the document contains.", "#{t : t in question and document}", lexical.Overlap)
	case "scan":
		node = x.number("overlap by scanning", value, "How many distinct terms of the question the document contains, found by reading it.", "#{t : t in question and document}", lexical.Scan)
	case "rrf":
		node = x.number("fused score", value, "Sum of the reciprocal ranks that the fused rankings give the document.", "Σ 1/(k + rank)", rank.RRF)
		node.Citation = "Cormack, Clarke and Büttcher 2009, doi:10.1145/1571941.1572114"
	case "graph":
		node = x.number("blended score", value, "The base method's score and the walk's mass, each divided by its maximum, blended. Where no document has a positive base score there is no walk, and it is the base's score.", "(1−β)·base/max(base) + β·x/max(x)", rank.Blend)
		base, mass := s.inner(s.Term.Args[0]), s.walkMass()
		node.Inputs = []explain.Input{
			{Label: "base score by " + base.Name, Text: base.text(doc), Path: base.ScorePath(doc)},
			{Label: "max(base)", Text: show.Score(max(base.Scores.Max(), 0))},
			{Label: "walk's mass x", Text: scientific(mass.Value[doc]), Path: s.massPath(doc)},
			{Label: "max(x)", Text: scientific(max(mass.Max(), 0))},
			{Label: "β, the blend", Text: s.Term.Param("blend")},
		}
	case "typed":
		node = x.number("blended score", value, "The base method's score and what typed relations deliver, each divided by its maximum, blended. Where no path is reached it is the base's score.", "(1−β)·base/max(base) + β·signal/max(signal)", rank.Blend)
		base, signal := s.inner(s.Term.Args[0]), s.walkMass()
		node.Inputs = []explain.Input{
			{Label: "base score by " + base.Name, Text: base.text(doc), Path: base.ScorePath(doc)},
			{Label: "max(base)", Text: show.Score(max(base.Scores.Max(), 0))},
			{Label: "signal from typed relations", Text: scientific(signal.Value[doc]), Path: s.massPath(doc)},
			{Label: "max(signal)", Text: scientific(max(signal.Max(), 0))},
			{Label: "β, the blend", Text: s.Term.Param("blend")},
		}
	case "dense":
		node = x.number("cosine", value, "Dot product of the embeddings of question and document, both of length 1, in ascending order of dimension in float64.", "Σ qᵢ·dᵢ", dense.Dot)
		node.Citation = "all-MiniLM-L6-v2, mean pooling; Reimers and Gurevych 2019, arXiv:1908.10084"
		node.Inputs = []explain.Input{{Label: "documents' vectors", Where: x.study.Protocol.Collection.Vectors}, {Label: "questions' vectors", Where: x.study.Protocol.Questions.Vectors}}
	case "degree":
		node = x.number("degree", value, "How many neighbours the document has in the undirected graph; the question plays no part.", "#neighbours", (*graph.Graph).Degree)
		node.Inputs = []explain.Input{{Label: "neighbours", Text: show.Count(int64(value)), Path: pathTo("neighbours", s.Term.Param("edges"), s.docID(doc))}}
	case "top":
		node = x.number("score", value, "The score of the method that this one cuts.", "score if among the best n, else none", (*rank.Scores).Best)
		y := s.inner(s.Term.Args[0])
		node.Inputs = []explain.Input{{Label: y.Name, Text: y.text(doc), Path: y.ScorePath(doc)}}
	default:
		return nil, fmt.Errorf("study: no explanation for %s yet", s.Term.Name)
	}
	node.Text = s.text(doc)
	if node.Inputs == nil {
		for _, p := range s.Contributions(doc) {
			node.Inputs = append(node.Inputs, explain.Input{Label: p.Label, Text: show.Score(p.Score), Path: p.Path})
		}
	}
	node.Inputs = append(node.Inputs,
		explain.Input{Label: "question", Text: s.Question.Text, Path: pathTo("question", s.Question.ID)},
		explain.Input{Label: "document", Text: x.docLabel(doc), Path: pathTo("document", s.docID(doc)), Where: x.where(doc)})
	return node, nil
}

// scientific writes small masses so that they can be told apart.
func scientific(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

func (x *explainer) term(s *Scoring, doc int, term string) (*explain.Node, error) {
	var parts []lexical.Contribution
	switch s.Term.Name {
	case "bm25", "tfidf":
		parts = s.lexical(doc)
	}
	i := slices.IndexFunc(parts, func(c lexical.Contribution) bool { return c.Term == term })
	if i < 0 {
		return nil, fmt.Errorf("study: %q adds nothing to this score", term)
	}
	c := parts[i]
	posting := explain.Input{Label: "tf, times in the document", Text: strconv.Itoa(c.TF), Path: pathTo("posting", term, s.docID(doc)), Where: x.where(doc)}
	qtf := explain.Input{Label: "qtf, times in the question", Text: strconv.Itoa(c.QTF), Path: pathTo("question", s.Question.ID)}
	df := explain.Input{Label: "df, documents with the term", Text: strconv.Itoa(c.DF), Path: pathTo("df", term)}
	n := explain.Input{Label: "N, documents", Text: show.Count(int64(x.study.Index.N()))}
	if s.Term.Name == "bm25" {
		node := x.number("what “"+term+"” adds", c.Score, "The term's weight in the document times its frequency in the question.",
			"qtf · idf · tf·(k1+1)/(tf + k1·(1 − b + b·dl/avgdl)),  idf = ln(1 + (N − df + 0.5)/(df + 0.5))", (*lexical.BM25).Contributions)
		node.Inputs = []explain.Input{qtf, posting, df, n, {Label: "idf", Text: show.Score(c.IDF)}, {Label: "saturation", Text: show.Score(c.Saturation)},
			{Label: "dl, kept tokens of the document", Text: strconv.Itoa(c.Length)}, {Label: "avgdl, their mean", Text: show.Score(c.AverageLength)},
			{Label: "k1", Text: s.Term.Param("k1")}, {Label: "b", Text: s.Term.Param("b")}}
		return node, nil
	}
	node := x.number("what “"+term+"” adds", c.Score, "The term's weight in the question's vector times its weight in the document's.",
		"(qtf·idf/‖q‖)·(tf·idf/‖d‖),  idf = ln((1+N)/(1+df)) + 1", (*lexical.TFIDF).Contributions)
	node.Inputs = []explain.Input{qtf, posting, df, n, {Label: "idf", Text: show.Score(c.IDF)}, {Label: "weight in the question", Text: show.Score(c.QueryWeight)}, {Label: "weight in the document", Text: show.Score(c.Weight)}}
	return node, nil
}

// mass explains one step of the walk: what came from the neighbours, what was returned, what was teleported.
func (x *explainer) mass(s *Scoring, doc int) (*explain.Node, error) {
	if s.Term.Name == "typed" {
		return x.typedMass(s, doc)
	}
	if s.Term.Name != "graph" {
		return nil, fmt.Errorf("study: %s has no walk", s.Name)
	}
	steps, alpha := s.Term.Integer("steps"), s.Term.Number("teleport")
	node := x.number("walk's mass", s.walkMass().Value[doc], fmt.Sprintf("What the walk left on the document after %d steps from the seeds: mass from its neighbours, and, for a seed, mass returned and teleported.", steps),
		"x ← (1−α)·(Σ x(v)/degree(v) + d·s) + α·s", (*walk.PageRank).Run)
	node.Text = scientific(*node.Value)
	node.Citation = "personalised PageRank: Haveliwala 2002, doi:10.1145/511446.511513"
	w, err := x.study.walker(s.Term.Param("edges"))
	if err != nil {
		return nil, err
	}
	g, err := x.study.Graph(s.Term.Param("edges"))
	if err != nil {
		return nil, err
	}
	base := s.inner(s.Term.Args[0])
	seeds := base.Scores.Seeds(s.Term.Integer("seeds"))
	before := rank.New(g.N())
	w.Run([][]rank.Hit{seeds}, alpha, steps-1, []*rank.Scores{before})
	node.Inputs = append(node.Inputs, explain.Input{Label: "α, the teleport probability", Text: s.Term.Param("teleport")})
	for i, h := range seeds {
		if h.Doc == doc {
			lost := 0.0
			for v := range g.N() {
				if g.Degree(v) == 0 {
					lost += before.Value[v]
				}
			}
			node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("s, its share as seed %d of %d", i+1, len(seeds)), Text: scientific(h.Score), Path: base.ScorePath(doc)},
				explain.Input{Label: "d, mass on documents without neighbours", Text: scientific(lost)})
		}
	}
	for _, v := range graph.Transpose(g).Neighbours(doc) {
		node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("from %s, degree %d", x.docLabel(int(v)), g.Degree(int(v))), Text: scientific(before.Value[v] / float64(g.Degree(int(v)))), Path: pathTo("neighbours", s.Term.Param("edges"), s.docID(int(v)))})
	}
	return node, nil
}

// typedMass explains what typed relations deliver at a document by its paths, each with the words it rests on.
func (x *explainer) typedMass(s *Scoring, doc int) (*explain.Node, error) {
	node := x.number("signal from typed relations", s.walkMass().Value[doc], "What the paths that end at the document deliver there, added seed by seed. A path is a suggestion for retrieval, never an entailed assertion.",
		"Σ over paths: share of the seed · w/Σw, times ½ · w/Σw for a second hop; w is doubled for predicates that the question names", (*walk.Typed).Run)
	node.Text = scientific(*node.Value)
	paths, err := s.Paths(doc)
	if err != nil {
		return nil, err
	}
	base := s.inner(s.Term.Args[0])
	for _, p := range paths {
		seed, _ := x.study.Collection.Number(p.Seed)
		label := x.docLabel(seed)
		var evidence []string
		for _, step := range p.Steps {
			to, _ := x.study.Collection.Number(step.To)
			arrow := " → "
			if step.Backward {
				arrow = " ← "
			}
			label += arrow + step.Predicate + arrow + x.docLabel(to)
			words := "“" + step.Evidence + "”"
			if step.Qualification != "" {
				words += " (" + step.Qualification + ")"
			}
			evidence = append(evidence, words)
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: label, Text: scientific(p.Mass) + ": " + strings.Join(evidence, "; "), Path: base.ScorePath(seed), Where: p.Steps[len(p.Steps)-1].Where})
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
	node := x.number("neighbours of "+x.docLabel(doc), float64(g.Degree(doc)), "Documents that share a link with it in the graph “"+x.keys[1]+"”.", "", (*graph.Graph).Neighbours)
	for _, v := range g.Neighbours(doc) {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.docLabel(int(v)), Text: "degree " + strconv.Itoa(g.Degree(int(v))), Path: pathTo("neighbours", x.keys[1], x.study.Collection.Docs[v].ID), Where: x.linkWhere(doc, int(v))})
	}
	return node, nil
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
	node := x.number("posting of “"+x.keys[1]+"”", float64(x.study.Index.TF(term, doc)), "How often the term occurs in the document's indexed text ("+strings.Join(x.study.Protocol.Collection.Indexed, ", ")+").", "", (*index.Index).TF)
	node.Inputs = []explain.Input{{Label: x.docLabel(doc), Text: x.study.Collection.Docs[doc].Text, Path: pathTo("document", x.keys[2]), Where: x.where(doc)}}
	return node, nil
}

func (x *explainer) documentFrequency() (*explain.Node, error) {
	term, ok := x.study.Index.Term(x.keys[1])
	if !ok {
		return nil, fmt.Errorf("study: no document contains %q", x.keys[1])
	}
	node := x.number("document frequency of “"+x.keys[1]+"”", float64(x.study.Index.DF(term)), "How many documents contain the term.", "", (*index.Index).DF)
	for _, p := range x.study.Index.Postings[term] {
		node.Inputs = append(node.Inputs, explain.Input{Label: x.docLabel(int(p.Doc)), Text: "tf " + strconv.Itoa(int(p.TF)), Path: pathTo("posting", x.keys[1], x.study.Collection.Docs[p.Doc].ID), Where: x.where(int(p.Doc))})
	}
	return node, nil
}
