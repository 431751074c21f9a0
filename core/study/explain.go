package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrace/core/collection"
	"retrace/core/dense"
	"retrace/core/exact"
	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/index"
	"retrace/core/method"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/stats"
)

// MaxInputs bounds the list of inputs of one explanation; the node says how many more there are.
const MaxInputs = 400

// Explain says how the number at a path came about. Paths are those of results, and those that explanations lead to:
//
//	family.<family>.<method>                  a family's mean reciprocal rank
//	difference.<family>.<contrast>            its difference between two methods
//	rank.<question>.<method>                  a target's rank
//	score.<question>.<method>.<document>      a document's score
//	term.<question>.<method>.<document>.<t>   one term's part of a score
//	mass.<question>.<method>.<document>       what a walk left on a document
//	posting.<term>.<document>, df.<term>      what the index says
//	question.<question>, document.<document>, neighbours.<graph>.<document>, protocol
//	measure.<judge>.<measure>.<task>.<method>  a task's measure by both assessors, or by one alone
//	judgement.<task>.<document>                what assessors said of a pair
//	answer.<task>.<row>                        an answer's composite
//	value.<need>.<method>.<measure>            a need's measure
//
// What was not observed yet is scored for the purpose; r may hold a finished replay, or be nil.
func (s *Study) Explain(r *Replay, at string) (*explain.Node, error) {
	keys, err := numpath.Split(at)
	if err != nil {
		return nil, err
	}
	x := &explainer{study: s, replay: r, keys: keys}
	node, err := x.node()
	if err != nil {
		return nil, err
	}
	if node == nil {
		return nil, fmt.Errorf("study: nothing stands at %q: paths are those of the results JSON, such as methods.bm25.mrr10", at)
	}
	node.Path = at
	if node.Inputs == nil {
		node.Inputs = []explain.Input{}
	}
	if len(node.Inputs) > MaxInputs {
		node.More = len(node.Inputs) - MaxInputs
		node.Inputs = node.Inputs[:MaxInputs]
	}
	return node, nil
}

// lazyReplay returns a replay whose observations are made when they are first asked for.
func (s *Study) lazyReplay() (*Replay, error) {
	if s.lazy == nil {
		r := &Replay{study: s, observations: map[observationKey]Observation{}, onDemand: true}
		if s.knownItem != nil {
			var lock Lock
			_, ok, err := s.SealedLock(&lock)
			if err != nil {
				return nil, err
			}
			if r.lock = &lock; !ok {
				return nil, fmt.Errorf("study: %s has no lock yet: run `build lock %s`", s.Protocol.ID, s.Protocol.ID)
			}
		}
		s.lazy = r
	}
	return s.lazy, nil
}

// demand scores a method on all questions of the split that a question is in.
func (r *Replay) demand(question, name string) error {
	s := r.study
	q, ok := s.Question(question)
	if !ok {
		return fmt.Errorf("study: no question %q", question)
	}
	t, err := s.ResolveSealed(name)
	if err != nil {
		return err
	}
	terms := []NamedTerm{{name, t}}
	var places []int
	for i := range s.Questions {
		if s.Split(&s.Questions[i]) == s.Split(q) {
			places = append(places, i)
		}
	}
	list, err := s.Run(Unit{"explain", terms, places, s.Protocol.Keep})
	if err != nil {
		return err
	}
	for _, o := range list {
		r.observations[observationKey{o.Question, o.Method}] = o
	}
	return nil
}

type explainer struct {
	study  *Study
	replay *Replay
	keys   []string
}

// number makes a node of a number.
func (x *explainer) number(title string, value float64, sentence, formula string, source any) *explain.Node {
	at := ""
	for _, k := range x.keys {
		at = numpath.Join(at, k)
	}
	return &explain.Node{Title: title, Text: show.Text(at, value), Value: &value, Sentence: sentence, Formula: formula, Source: explain.SourceOf(source)}
}

func (x *explainer) key(i int) string {
	if i < len(x.keys) {
		return x.keys[i]
	}
	return ""
}

// node finds what stands at the path. A nil node means that nothing does.
func (x *explainer) node() (*explain.Node, error) {
	if node, err := x.common(); node != nil || err != nil {
		return node, err
	}
	if x.replay == nil || x.replay.results == nil { // what follows rests on observations
		var err error
		if x.replay, err = x.study.lazyReplay(); err != nil {
			return nil, err
		}
	}
	switch s := x.study; {
	case s.knownItem != nil:
		return x.knownItem(s.knownItem)
	case s.graded != nil:
		return x.graded(s.graded)
	case s.binary != nil:
		return x.binary(s.binary)
	}
	return nil, nil
}

// common explains what every design has: scores, terms, postings, documents.
func (x *explainer) common() (*explain.Node, error) {
	switch kind := x.keys[0]; {
	case kind == "rank" && len(x.keys) == 3:
		scoring, err := x.scoring()
		if err != nil {
			return nil, err
		}
		return x.rank(scoring)
	case (kind == "score" || kind == "mass") && len(x.keys) == 4, kind == "term" && len(x.keys) == 5:
		scoring, err := x.scoring()
		if err != nil {
			return nil, err
		}
		doc, err := x.document(x.keys[3])
		if err != nil {
			return nil, err
		}
		switch kind {
		case "score":
			return scoring.Explain(doc)
		case "mass":
			return scoring.ExplainMass(doc)
		}
		return scoring.ExplainTerm(doc, x.keys[4])
	case kind == "posting" && len(x.keys) == 3:
		return x.posting()
	case kind == "df" && len(x.keys) == 2:
		return x.documentFrequency()
	case kind == "document" && len(x.keys) == 2:
		doc, err := x.document(x.keys[1])
		if err != nil {
			return nil, err
		}
		d := &x.study.Collection.Docs[doc]
		node := &explain.Node{Title: "document " + d.ID, Text: d.Title, Sentence: d.Text, Source: explain.SourceOf(collection.New)}
		node.Inputs = []explain.Input{{Label: "record", Text: d.ID, Where: x.where(doc)},
			{Label: "length in kept tokens (dl)", Text: show.Count(int64(x.study.Index.Length[doc]))}}
		return node, nil
	case kind == "question" && len(x.keys) == 2:
		q, err := x.study.AnyQuestion(x.keys[1])
		if err != nil {
			return nil, err
		}
		node := &explain.Node{Title: "question " + q.ID, Text: q.Text, Sentence: "The question as it was asked.", Source: explain.SourceOf((*index.Index).Query)}
		for _, c := range q.Query.Terms {
			term := x.study.Index.Terms[c.Term]
			node.Inputs = append(node.Inputs, explain.Input{Label: term, Text: "document frequency " + show.Count(int64(x.study.Index.DF(c.Term))), Path: pathTo("df", term)})
		}
		if q.position >= 0 {
			node.Inputs = append(node.Inputs, explain.Input{Label: "record", Text: q.ID, Where: x.study.questionWhere(q)})
		}
		return node, nil
	case kind == "neighbours" && len(x.keys) == 3:
		return x.neighbours()
	case kind == "protocol" && len(x.keys) == 1:
		p := x.study.Protocol
		node := &explain.Node{Title: "protocol", Text: p.Title, Sentence: "Everything that the study fixes, as data.", Source: explain.SourceOf(ParseProtocol)}
		node.Inputs = []explain.Input{{Label: "in words", Where: p.Document}, {Label: "as data", Where: p.ID + "/study.json"}, {Label: "seed", Text: strconv.FormatUint(p.Seed, 10)}}
		for _, m := range p.Methods {
			node.Inputs = append(node.Inputs, explain.Input{Label: m.Name, Text: x.study.TermOf(m.Name)})
		}
		return node, nil
	}
	return nil, nil
}

// scoring scores the question and method that stand second and third in the path.
func (x *explainer) scoring() (*Scoring, error) {
	q, err := x.study.AnyQuestion(x.keys[1])
	if err != nil {
		return nil, err
	}
	return x.study.NewScoring(x.keys[2], q, nil)
}

func (x *explainer) document(id string) (int, error) {
	doc, ok := x.study.Collection.Number(id)
	if !ok {
		return 0, fmt.Errorf("study: no document %q in %s", id, x.study.Collection.File)
	}
	return doc, nil
}

func (x *explainer) where(doc int) string {
	return fmt.Sprintf("%s:%d", x.study.Collection.File, x.study.Collection.Docs[doc].Line)
}

func (x *explainer) docLabel(doc int) string {
	d := &x.study.Collection.Docs[doc]
	return d.Title + " (" + d.ID + ")"
}

// knownItemPaths are the shapes of the paths of a KnownItem study's numbers, and of what explanations add; * is any key.
var knownItemPaths = []string{"family.*.*", "difference.*.*", "families.*.*", "methods.*.*", "methods.*.kinds.*.*", "development.baselines.*", "development.grid.*.*", "development.lock.*",
	"contrasts.*.*", "contrasts.*.ci95.*", "misses.*.ranks.*", "graph.*", "graph.degrees.*.*", "rewired.*.*", "rewired.*.degrees.*.*", "directed.*", "sample.*", "sample.bands.*.*", "reader.*.*", "dense.*"}

// shaped reports whether the path has one of the shapes.
func (x *explainer) shaped(shapes []string) bool {
	return slices.ContainsFunc(shapes, func(shape string) bool {
		return slices.EqualFunc(strings.Split(shape, "."), x.keys, func(want, key string) bool { return want == "*" || want == key })
	})
}

// knownItem explains the results of a KnownItem study.
func (x *explainer) knownItem(k *knownItem) (*explain.Node, error) {
	if !x.shaped(knownItemPaths) {
		return nil, nil
	}
	switch x.keys[0] {
	case "family":
		if len(x.keys) == 3 {
			return x.familyNode(k, x.keys[1], x.keys[2])
		}
	case "difference":
		if i := slices.IndexFunc(k.spec.Contrasts, func(c Contrast) bool { return c.Name == x.key(2) }); i >= 0 {
			if f, ok := k.familyByID(x.keys[1]); ok {
				c := k.spec.Contrasts[i]
				return x.familyDifference(k, f, k.methodName(c.Method, x.replay.lock), k.methodName(c.Against, x.replay.lock))
			}
		}
	case "families":
		return x.familyEntry(k)
	case "methods":
		return x.methodNode(k)
	case "development":
		return x.developmentNode(k)
	case "contrasts":
		return x.contrastNode(k)
	case "misses":
		return x.missNode(k)
	case "graph", "rewired", "directed":
		return x.graphNode(k)
	case "sample":
		return x.sampleNode(k)
	case "reader":
		return x.readerNode(k)
	case "dense":
		return x.denseNode()
	}
	return nil, nil
}

// candidateTerm returns the term behind the name of a candidate of the grid.
func (k *knownItem) candidateTerm(name string) (method.Term, error) {
	var lock Lock
	if _, ok, err := k.study.SealedLock(&lock); err != nil || !ok {
		return method.Term{}, fmt.Errorf("study: no lock yet: %v", err)
	}
	_, candidates, err := k.candidates(lock.Baseline)
	if err != nil {
		return method.Term{}, err
	}
	i := slices.IndexFunc(candidates, func(t NamedTerm) bool { return t.Name == name })
	if i < 0 {
		return method.Term{}, fmt.Errorf("study: %q is no candidate of the grid", name)
	}
	return candidates[i].Term, nil
}

func (k *knownItem) familyByID(id string) (family, bool) {
	for _, f := range k.families {
		if f.ID == id {
			return f, true
		}
	}
	return family{}, false
}

func (k *knownItem) reciprocalName() string { return fmt.Sprintf("RR@%d", k.spec.Cutoff) }

// familyNode explains a family's mean reciprocal rank by its questions' ranks.
func (x *explainer) familyNode(k *knownItem, id, name string) (*explain.Node, error) {
	f, ok := k.familyByID(id)
	if !ok {
		return nil, fmt.Errorf("study: no family %q in %s", id, k.spec.Targets)
	}
	sum, err := k.familyUnits(x.replay, f, name, "")
	if err != nil {
		return nil, err
	}
	node := x.number("family "+id+", "+name, float64(sum)/float64(k.unit*int64(len(k.spec.Kinds))), "Mean over the family's questions of the reciprocal rank of its target, "+x.docLabel(f.Target)+".",
		fmt.Sprintf("mean of %s; %s = 1/rank if rank ≤ %d, else 0", k.reciprocalName(), k.reciprocalName(), k.spec.Cutoff), (*knownItem).familyUnits)
	node.Text = show.Share(*node.Value)
	for i, q := range f.Questions {
		o, err := x.replay.observation(k.study.Questions[q].ID, name)
		if err != nil {
			return nil, err
		}
		text := "no rank"
		if o.Rank != nil {
			text = "rank " + show.Count(int64(*o.Rank))
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: k.spec.Kinds[i], Text: text, Path: pathTo("rank", o.Question, name), Where: fmt.Sprintf("%s:%d", k.study.Protocol.Questions.File, k.study.Questions[q].Line)})
	}
	node.Inputs = append(node.Inputs, explain.Input{Label: "target", Text: x.docLabel(f.Target), Path: pathTo("document", k.study.Collection.Docs[f.Target].ID), Where: fmt.Sprintf("%s:%d", k.spec.Targets, f.Line)})
	return node, nil
}

// familyEntry explains an entry of the list of families.
func (x *explainer) familyEntry(k *knownItem) (*explain.Node, error) {
	i, err := strconv.Atoi(x.key(1))
	families := k.split(test)
	if err != nil || i < 0 || i >= len(families) || len(x.keys) != 3 {
		return nil, nil
	}
	f := families[i]
	base, walked := k.methodName(k.spec.Misses.Baseline, x.replay.lock), k.methodName(k.spec.Misses.Graph, x.replay.lock)
	switch x.keys[2] {
	case "baseline":
		return x.familyNode(k, f.ID, base)
	case "graph":
		return x.familyNode(k, f.ID, walked)
	case "difference":
		return x.familyDifference(k, f, walked, base)
	}
	return nil, nil
}

func (x *explainer) familyDifference(k *knownItem, f family, name, against string) (*explain.Node, error) {
	a, err := k.familyUnits(x.replay, f, name, "")
	if err != nil {
		return nil, err
	}
	b, err := k.familyUnits(x.replay, f, against, "")
	if err != nil {
		return nil, err
	}
	den := float64(k.unit * int64(len(k.spec.Kinds)))
	node := x.number("difference in family "+f.ID, float64(a-b)/den, "The family's mean reciprocal rank under "+name+" minus that under "+against+".", name+" − "+against, (*knownItem).differences)
	node.Text = show.Signed(*node.Value)
	node.Inputs = []explain.Input{
		{Label: name, Text: show.Share(float64(a) / den), Path: pathTo("family", f.ID, name)},
		{Label: against, Text: show.Share(float64(b) / den), Path: pathTo("family", f.ID, against)}}
	return node, nil
}

// meanNode explains a mean reciprocal rank over a split by its families (or, for one kind, by its questions).
func (x *explainer) meanNode(k *knownItem, split, name, kind string) (*explain.Node, error) {
	value, err := k.meanReciprocalRank(x.replay, split, name, kind)
	if err != nil {
		return nil, err
	}
	families := k.split(split)
	whose := "test families"
	if split == development {
		whose = "development families"
	}
	sentence := fmt.Sprintf("Mean over %d %s of the mean reciprocal rank of their questions, ranks beyond %d counting as 0.", len(families), whose, k.spec.Cutoff)
	if kind != "" {
		sentence = fmt.Sprintf("Mean reciprocal rank of the %d %s questions of the %s, ranks beyond %d counting as 0.", len(families), kind, whose, k.spec.Cutoff)
	}
	node := x.number(fmt.Sprintf("MRR@%d, %s", k.spec.Cutoff, name), value, sentence, fmt.Sprintf("Σ RR@%d / n, summed exactly in multiples of 1/%d", k.spec.Cutoff, k.unit), (*knownItem).meanReciprocalRank)
	for _, f := range families {
		if kind != "" {
			q := k.study.Questions[f.Questions[slices.Index(k.spec.Kinds, kind)]]
			o, err := x.replay.observation(q.ID, name)
			if err != nil {
				return nil, err
			}
			node.Inputs = append(node.Inputs, explain.Input{Label: q.ID, Text: show.Share(float64(k.reciprocalUnits(o)) / float64(k.unit)), Path: pathTo("rank", q.ID, name)})
			continue
		}
		sum, err := k.familyUnits(x.replay, f, name, "")
		if err != nil {
			return nil, err
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: f.ID + " " + k.study.Collection.Docs[f.Target].Title, Text: show.Share(float64(sum) / float64(k.unit*int64(len(k.spec.Kinds)))), Path: pathTo("family", f.ID, name)})
	}
	return node, nil
}

func (x *explainer) methodNode(k *knownItem) (*explain.Node, error) {
	name := x.key(1)
	if !slices.Contains(k.spec.Test, name) {
		return nil, nil
	}
	kind, last := "", x.key(2)
	if last == "kinds" {
		if kind, last = x.key(3), x.key(4); !slices.Contains(k.spec.Kinds, kind) {
			return nil, nil
		}
	}
	if last == "mrr10" {
		return x.meanNode(k, test, name, kind)
	}
	what := map[string]string{"hits1": "questions whose target stands first", "hits10": fmt.Sprintf("questions whose target stands within the first %d", k.spec.Cutoff),
		"questions": "test questions", "unanswered": "questions for which no document has a rank"}[last]
	if what == "" {
		return nil, nil
	}
	node := x.number(last+", "+name, 0, "How many "+what+" there are"+map[bool]string{true: " of kind " + kind}[kind != ""]+".", "a count", (*knownItem).methodResult)
	count := 0
	for _, f := range k.split(test) {
		for i, place := range f.Questions {
			if kind != "" && k.spec.Kinds[i] != kind {
				continue
			}
			q := k.study.Questions[place]
			o, err := x.replay.observation(q.ID, name)
			if err != nil {
				return nil, err
			}
			counts := map[string]bool{"hits1": hit(o, 1), "hits10": hit(o, k.spec.Cutoff), "questions": true, "unanswered": o.Candidates == 0}[last]
			if !counts {
				continue
			}
			count++
			text := "no rank"
			if o.Rank != nil {
				text = "rank " + show.Count(int64(*o.Rank))
			}
			node.Inputs = append(node.Inputs, explain.Input{Label: q.ID, Text: text, Path: pathTo("rank", q.ID, name)})
		}
	}
	value := float64(count)
	node.Value, node.Text = &value, show.Count(int64(count))
	return node, nil
}

func (x *explainer) developmentNode(k *knownItem) (*explain.Node, error) {
	lock := x.replay.lock
	switch x.key(1) {
	case "baselines":
		if !slices.Contains(k.spec.Development.Baselines, x.key(2)) {
			return nil, nil
		}
		return x.meanNode(k, development, x.key(2), "")
	case "grid":
		locks, _, err := k.candidates(lock.Baseline)
		if err != nil {
			return nil, err
		}
		i, err := strconv.Atoi(x.key(2))
		if err != nil || i < 0 || i >= len(locks) {
			return nil, nil
		}
		switch x.key(3) {
		case "mrr10":
			return x.meanNode(k, development, candidateName(locks[i]), "")
		case "teleport":
			return x.setting("teleport probability α of this candidate", locks[i].Teleport), nil
		case "blend":
			return x.setting("blend β of this candidate", locks[i].Blend), nil
		}
	case "lock":
		value := map[string]float64{"teleport": lock.Teleport, "blend": lock.Blend}[x.key(2)]
		if x.key(2) != "teleport" && x.key(2) != "blend" && x.key(2) != "baseline" {
			return nil, nil
		}
		node := x.number("locked "+x.key(2), value, "The development stage chose the baseline with the highest MRR, then the candidate over it with the highest MRR; ties go to the smaller α, then the smaller β. It was sealed before any test family was scored.",
			"argmax over development families", (*knownItem).stages)
		if x.key(2) == "baseline" {
			node.Value, node.Text = nil, lock.Baseline
		}
		for _, b := range k.spec.Development.Baselines {
			mrr, err := k.meanReciprocalRank(x.replay, development, b, "")
			if err != nil {
				return nil, err
			}
			node.Inputs = append(node.Inputs, explain.Input{Label: b, Text: show.Share(mrr), Path: pathTo("development", "baselines", b)})
		}
		locks, _, err := k.candidates(lock.Baseline)
		if err != nil {
			return nil, err
		}
		for i, l := range locks {
			mrr, err := k.meanReciprocalRank(x.replay, development, candidateName(l), "")
			if err != nil {
				return nil, err
			}
			node.Inputs = append(node.Inputs, explain.Input{Label: fmt.Sprintf("α = %v, β = %v", l.Teleport, l.Blend), Text: show.Share(mrr), Path: pathTo("development", "grid", strconv.Itoa(i), "mrr10")})
		}
		return node, nil
	}
	return nil, nil
}

// setting explains a number that the protocol fixes.
func (x *explainer) setting(title string, value float64) *explain.Node {
	node := x.number(title, value, "A setting that the protocol fixes.", "", ParseProtocol)
	node.Inputs = []explain.Input{{Label: "protocol", Text: x.study.Protocol.Document, Path: "protocol"}}
	return node
}

func (x *explainer) contrastNode(k *knownItem) (*explain.Node, error) {
	i := slices.IndexFunc(k.spec.Contrasts, func(c Contrast) bool { return c.Name == x.key(1) })
	if i < 0 {
		return nil, nil
	}
	c := k.spec.Contrasts[i]
	r, err := k.contrastResult(x.replay, c)
	if err != nil {
		return nil, err
	}
	pair := r.Method + " − " + r.Against
	var node *explain.Node
	switch last := x.key(2); last {
	case "difference":
		node = x.number("mean difference, "+pair, r.Difference, fmt.Sprintf("Mean over %d test families of %s minus %s.", r.Families, r.Method, r.Against), "Σ difference / n, summed exactly", stats.Sample.Mean)
	case "ci95":
		side, err := strconv.Atoi(x.key(3))
		if err != nil || side < 0 || side > 1 {
			return nil, nil
		}
		node = x.number(fmt.Sprintf("%s end of the 95%% interval, %s", []string{"lower", "upper"}[side], pair), r.CI95[side],
			fmt.Sprintf("Quantile %s of the mean difference over %s resamples of the families. It is conditional on these questions' authors, collection and links: other families of the same kind, not other studies.", []string{"0.025", "0.975"}[side], show.Count(int64(c.Replicates))),
			fmt.Sprintf("percentile bootstrap, %s replicates of n draws with replacement, stream %d, linear interpolation (type 7)", show.Count(int64(c.Replicates)), c.BootstrapStream), stats.Bootstrap)
		node.Citation = "Efron and Tibshirani 1993, section 13.3; Sakai 2006, doi:10.1145/1148170.1148261; quantiles: Hyndman and Fan 1996"
	case "p":
		node = x.number("Monte Carlo p, "+pair, r.P, "Share of random sign patterns whose mean is at least as far from zero as the observed one, the observed one counted in. It asks how surprising the difference would be if each family could as well have gone the other way.",
			fmt.Sprintf("(1 + #{|flipped mean| ≥ |observed mean|})/(%s + 1), stream %d", show.Count(int64(c.Draws)), c.FlipStream), stats.SignFlip)
		node.Citation = "Smucker, Allan and Carterette 2007, doi:10.1145/1321440.1321528"
	case "pExact":
		node = x.number("exact p, "+pair, r.PExact, fmt.Sprintf("Share of all 2^%d sign patterns whose sum is at least as far from zero as the observed one, counted in integers.", r.Families), "#{|flipped sum| ≥ |observed sum|}/2ⁿ", stats.SignFlipExact)
	case "up", "down", "tied", "families":
		value := map[string]int{"up": r.Up, "down": r.Down, "tied": r.Tied, "families": r.Families}[last]
		what := map[string]string{"up": "higher", "down": "lower", "tied": "the same", "families": "compared"}[last]
		node = x.number("families "+last+", "+pair, float64(value), "How many test families are "+what+" under "+r.Method+".", "a count", (*knownItem).contrastResult)
	default:
		return nil, nil
	}
	d, err := k.differences(x.replay, r.Method, r.Against)
	if err != nil {
		return nil, err
	}
	for j, f := range k.split(test) {
		v := d.Values[j] / d.Den
		keep := map[string]bool{"up": v > 0, "down": v < 0, "tied": v == 0}
		if wanted, restricted := keep[x.key(2)]; restricted && !wanted {
			continue
		}
		node.Inputs = append(node.Inputs, explain.Input{Label: f.ID + " " + k.study.Collection.Docs[f.Target].Title, Text: show.Signed(v), Path: pathTo("difference", f.ID, c.Name)})
	}
	return node, nil
}

func (x *explainer) missNode(k *knownItem) (*explain.Node, error) {
	r := x.replay
	base, walked := k.methodName(k.spec.Misses.Baseline, r.lock), k.methodName(k.spec.Misses.Graph, r.lock)
	i, err := strconv.Atoi(x.key(1))
	if err != nil || x.key(2) != "ranks" {
		return nil, nil
	}
	name := map[string]string{"baseline": base, "graph": walked}[x.key(3)]
	if name == "" {
		return nil, nil
	}
	for _, q := range k.questions(test) {
		id := k.study.Questions[q].ID
		a, err := r.observation(id, base)
		if err != nil {
			return nil, err
		}
		b, err := r.observation(id, walked)
		if err != nil {
			return nil, err
		}
		if hit(a, k.spec.Cutoff) && hit(b, k.spec.Cutoff) {
			continue
		}
		if i == 0 {
			s, err := k.study.NewScoring(name, &k.study.Questions[q], nil)
			if err != nil {
				return nil, err
			}
			return x.rank(s)
		}
		i--
	}
	return nil, nil
}

func (x *explainer) graphNode(k *knownItem) (*explain.Node, error) {
	var results KnownItemResults
	if err := k.describeGraphs(&results); err != nil {
		return nil, err
	}
	p := k.study.Protocol
	d, keys, name := results.Graph, x.keys[1:], "links"
	links := explain.Input{Label: "stored links", Text: show.Count(int64(len(k.study.Links))), Where: p.Collection.Links}
	counts := map[string]int{}
	source := any(graph.Diagnose)
	switch x.keys[0] {
	case "rewired":
		i, err := strconv.Atoi(x.key(1))
		if err != nil || i < 0 || i >= len(results.Rewired) {
			return nil, nil
		}
		r := results.Rewired[i]
		d, keys, name = r.Diagnostics, x.keys[2:], r.Name
		counts = map[string]int{"attempts": r.Attempts, "swaps": r.Swaps, "stream": int(r.Stream)}
		source = graph.Rewire
	case "directed":
		if results.Directed == nil {
			return nil, nil
		}
		r := results.Directed
		d, name = graph.Diagnostics{Nodes: r.Nodes}, "directed"
		counts = map[string]int{"links": r.Links, "noOutgoing": r.NoOutgoing, "noIncoming": r.NoIncoming}
		source = graph.Directed
	}
	if len(keys) == 0 {
		return nil, nil
	}
	meaning := map[string]string{
		"nodes": "documents of the collection", "pairs": "distinct unordered pairs of linked documents", "isolated": "documents without a neighbour",
		"components": "connected components, isolated documents included", "largest": "documents of the largest component",
		"attempts": "attempts at a double edge swap, rejected ones included", "swaps": "swaps that succeeded, so many for each pair as the protocol says", "stream": "random stream of the rewiring",
		"links": "distinct stored links", "noOutgoing": "documents from which no link leads", "noIncoming": "documents to which no link leads",
	}
	counts["nodes"] = d.Nodes
	if x.keys[0] != "directed" {
		counts["pairs"], counts["isolated"], counts["components"], counts["largest"] = d.Pairs, d.Isolated, d.Components, d.Largest
	}
	if keys[0] == "degrees" && len(keys) == 3 {
		i, err := strconv.Atoi(keys[1])
		if err != nil || i < 0 || i >= len(d.Degrees) {
			return nil, nil
		}
		value, ok := map[string]int{"degree": d.Degrees[i].Degree, "nodes": d.Degrees[i].Nodes}[keys[2]]
		if !ok {
			return nil, nil
		}
		node := x.number(keys[2]+", graph “"+name+"”", float64(value), fmt.Sprintf("%s documents have %d neighbours.", show.Count(int64(d.Degrees[i].Nodes)), d.Degrees[i].Degree), "", graph.Diagnose)
		node.Inputs = []explain.Input{links}
		g, err := k.study.Graph(name)
		if err != nil {
			return nil, err
		}
		for v := range g.N() {
			if g.Degree(v) == d.Degrees[i].Degree {
				node.Inputs = append(node.Inputs, explain.Input{Label: x.docLabel(v), Path: pathTo("neighbours", name, k.study.Collection.Docs[v].ID)})
			}
		}
		return node, nil
	}
	value, ok := counts[keys[0]]
	if !ok {
		return nil, nil
	}
	node := x.number(keys[0]+", graph “"+name+"”", float64(value), "How many "+meaning[keys[0]]+".", "a count", source)
	if keys[0] == "stream" {
		node.Sentence = "The number of the random stream, under the study's seed."
	}
	node.Inputs = []explain.Input{links}
	if x.keys[0] == "rewired" {
		node.Citation = "double edge swaps: Maslov and Sneppen 2002, doi:10.1126/science.1065103"
		node.Inputs = append(node.Inputs, explain.Input{Label: "pairs of the real graph", Text: show.Count(int64(results.Graph.Pairs)), Path: pathTo("graph", "pairs")})
	}
	return node, nil
}

func (x *explainer) sampleNode(k *knownItem) (*explain.Node, error) {
	value := map[string]int{"eligible": k.sample.Eligible, "families": k.sample.Families, "development": k.sample.Development, "test": k.sample.Test, "questions": k.sample.Questions}
	n, ok := value[x.key(1)]
	if x.key(1) == "bands" {
		i, err := strconv.Atoi(x.key(2))
		if err != nil || i < 0 || i >= len(k.sample.Bands) {
			return nil, nil
		}
		b := k.sample.Bands[i]
		n, ok = map[string]int{"first": b.First, "last": b.Last, "eligible": b.Eligible, "drawn": b.Drawn}[x.key(3)]
	}
	if !ok {
		return nil, nil
	}
	node := x.number("sample: "+strings.Join(x.keys[1:], " "), float64(n), fmt.Sprintf("Targets were drawn from the documents with at least %d words, so many from each band of sequential IDs, and split into development and test families. The draw was run again from the seed and gives %s, line by line.", k.spec.Sample.MinWords, k.spec.Targets),
		"partial Fisher–Yates, PCG streams of the protocol", (*exact.Stream).Draw)
	node.Inputs = []explain.Input{{Label: "targets", Where: k.spec.Targets}, {Label: "seed and streams", Text: strconv.FormatUint(k.study.Protocol.Seed, 10), Path: "protocol"}}
	return node, nil
}

func (x *explainer) readerNode(k *knownItem) (*explain.Node, error) {
	result, err := k.readerResult(x.replay)
	if err != nil || result == nil {
		return nil, err
	}
	counts, ok := map[string]ReaderCount{"total": result.Total, sides[0]: result.Baseline, sides[1]: result.Graph}[x.key(1)]
	if !ok {
		return nil, nil
	}
	value, ok := map[string]int{"contexts": counts.Contexts, "targetPresent": counts.TargetPresent, "targetChosen": counts.TargetChosen, "literalQuotes": counts.LiteralQuotes}[x.key(2)]
	if !ok {
		return nil, nil
	}
	meaning := map[string]string{"contexts": "contexts the reader saw", "targetPresent": "contexts that held the question's target", "targetChosen": "contexts in which the reader chose the target",
		"literalQuotes": "quotes that stand literally in the chosen concept's definition"}[x.key(2)]
	node := x.number("reader pilot: "+x.key(2), float64(value), "How many "+meaning+".", "checked mechanically", (*knownItem).readerResult)
	for _, c := range result.Contexts {
		if x.key(1) != "total" && c.Method != x.key(1) {
			continue
		}
		if counts := map[string]bool{"contexts": true, "targetPresent": c.Present, "targetChosen": c.Chosen, "literalQuotes": c.Literal}[x.key(2)]; counts {
			node.Inputs = append(node.Inputs, explain.Input{Label: c.Context + ", " + c.Method, Text: c.Question, Path: pathTo("question", c.Question)})
		}
	}
	return node, nil
}

func (x *explainer) denseNode() (*explain.Node, error) {
	d, err := x.study.denseResult()
	if err != nil || d == nil {
		return nil, err
	}
	n, ok := map[string]int{"dimension": d.Dimension, "documents": d.Documents, "questions": d.Questions, "truncated": d.Truncated}[x.key(1)]
	if !ok {
		return nil, nil
	}
	node := x.number("embeddings: "+x.key(1), float64(n), map[string]string{"dimension": "Values of each vector.", "documents": "Documents with a vector.", "questions": "Questions with a vector.", "truncated": "Texts longer than the model takes, which were cut off."}[x.key(1)], "", dense.Parse)
	node.Inputs = []explain.Input{{Label: "documents' vectors", Where: SidecarOf(x.study.Protocol.Collection.Vectors)}, {Label: "questions' vectors", Where: SidecarOf(x.study.Protocol.Questions.Vectors)}}
	return node, nil
}
