package crosscheck

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"retrace/cmd/native/encode"
	"retrace/core/certificate"
	"retrace/core/dense"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/numpath"
	"retrace/core/study"
)

// An Encoder makes embeddings.
type Encoder struct {
	Info    encode.Info
	Sidecar dense.Sidecar // what every vector file of this encoder says
	Encode  func(ctx context.Context, texts []string) (vectors [][]float32, truncated []bool, err error)
	Close   func() error
}

// A remade is a study's embeddings made again.
type remade struct {
	engine               string
	documents, questions *dense.Matrix
}

// encode makes the study's embeddings again, by one encoder or by both, and compares vectors, rankings and results with
// those of the bundled ones.
func (j *Job) encode(ctx context.Context, c *certificate.Certificate, s *study.Study, results []byte) error {
	if !s.HasVectors() {
		c.Skipped = append(c.Skipped, certificate.Skipped{Name: "encode", Why: "the study has no embeddings"})
		return nil
	}
	first, fresh, err := j.encodeWith(ctx, j.Encoder, s, results)
	if errors.Is(err, encode.ErrMissing) {
		c.Skipped = append(c.Skipped, certificate.Skipped{Name: "encode", Why: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	c.Encoding = first
	if j.Core == nil || fresh.engine == encode.Core { // the project's own ran already
		return nil
	}
	own, ours, err := j.encodeWith(ctx, j.Core, s, results)
	if errors.Is(err, encode.ErrMissing) {
		c.Skipped = append(c.Skipped, certificate.Skipped{Name: "encode by core", Why: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	ids, asked := s.EmbeddedIDs()
	own.Runtimes = &certificate.Runtimes{Documents: cosines(ids, fresh.documents, ours.documents),
		Questions: cosines(asked, fresh.questions, ours.questions)}
	c.Core = own
	return nil
}

func (j *Job) encodeWith(ctx context.Context, open func(context.Context) (*Encoder, error), s *study.Study,
	results []byte) (*certificate.Encoding, *remade, error) {
	documents, questions, err := s.Vectors()
	if err != nil {
		return nil, nil, err
	}
	j.tell("loading the model", 0, 1)
	e, err := open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	if e.Sidecar.Dimension != documents.Dimension() {
		return nil, nil, fmt.Errorf("crosscheck: the model gives vectors of dimension %d, the bundled ones have %d: use the model that "+
			"made them", e.Sidecar.Dimension, documents.Dimension())
	}
	budgets, declared := s.Protocol.EmbeddingBudgets()
	out := &certificate.Encoding{
		Model: e.Info.Model, Bundled: documents.Sidecar().Model, Runtime: e.Info.Runtime(), RuntimeSHA256: e.Info.RuntimeSHA256,
		NotPinned: append([]string{}, e.Info.NotPinned...), Budgets: budgets, Declared: declared,
	}
	texts, asked := s.EmbeddedTexts()
	ids, askedIDs := s.EmbeddedIDs()
	made := &remade{engine: e.Info.Engine}
	if made.documents, err = j.again(ctx, e, "documents", ids, texts); err != nil {
		return nil, nil, err
	}
	if made.questions, err = j.again(ctx, e, "questions", askedIDs, asked); err != nil {
		return nil, nil, err
	}
	out.Documents = cosines(ids, documents, made.documents)
	out.Questions = cosines(askedIDs, questions, made.questions)

	fresh, err := design.Load(j.Kit, j.Study)
	if err != nil {
		return nil, nil, err
	}
	if err := fresh.UseVectors(made.documents, made.questions); err != nil {
		return nil, nil, err
	}
	if out.Ranks, err = j.ranks(ctx, s, fresh); err != nil {
		return nil, nil, err
	}
	again, err := j.replay(ctx, fresh)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		// A design may rest on what a method returned, such as a pool that was judged: with other rankings it has no result.
		out.Metrics = certificate.Metrics{List: []certificate.MetricChange{}, Failed: err.Error()}
	default:
		if out.Metrics, err = metrics(s, results, again); err != nil {
			return nil, nil, err
		}
	}
	return out, made, nil
}

// chunk is how many texts are encoded between two reports of progress.
const chunk = 250

// again makes the vectors of some texts.
func (j *Job) again(ctx context.Context, e *Encoder, what string, ids, texts []string) (*dense.Matrix, error) {
	// Texts of like length go together, as they do in one run over all.
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })
	rows, cut := make([][]float32, len(texts)), make([]bool, len(texts))
	for from := 0; from < len(order); from += chunk {
		j.tell("encoding "+what, from, len(order))
		part := order[from:min(from+chunk, len(order))]
		some := make([]string, len(part))
		for i, t := range part {
			some[i] = texts[t]
		}
		vectors, truncated, err := e.Encode(ctx, some)
		if err != nil {
			return nil, err
		}
		for i, t := range part {
			rows[t], cut[t] = vectors[i], truncated[i]
		}
	}
	sidecar := e.Sidecar
	sidecar.Count, sidecar.Truncated = len(rows), []string{}
	for i, id := range ids {
		if cut[i] {
			sidecar.Truncated = append(sidecar.Truncated, id)
		}
	}
	file := dense.Bytes(rows...)
	sidecar.SHA256 = kit.Hash(file)
	about, err := json.Marshal(sidecar)
	if err != nil {
		return nil, err
	}
	return dense.Parse(file, about, len(rows))
}

// cosines compares vectors of the same texts.
func cosines(ids []string, bundled, fresh *dense.Matrix) certificate.Cosines {
	out := certificate.Cosines{Texts: len(ids), Min: 1, Mean: 1, Lowest: []certificate.Cosine{},
		SameCut: slices.Equal(bundled.Sidecar().Truncated, fresh.Sidecar().Truncated)}
	sum := 0.0
	for i, id := range ids {
		a, b := bundled.Row(i), fresh.Row(i)
		// Bundled vectors have length 1 up to float32's rounding; dividing by both lengths keeps that out of the figure.
		x := dense.Dot(a, b) / math.Sqrt(dense.Dot(a, a)*dense.Dot(b, b))
		if slices.Equal(a, b) {
			x = 1
			out.Identical++
		}
		sum += x
		out.Min = min(out.Min, x)
		if x < certificate.Odd {
			out.Below++
			out.Lowest = append(out.Lowest, certificate.Cosine{ID: id, Cosine: x})
		}
	}
	if len(ids) > 0 {
		out.Mean = sum / float64(len(ids))
	}
	slices.SortStableFunc(out.Lowest, func(a, b certificate.Cosine) int { return cmp.Compare(a.Cosine, b.Cosine) })
	out.Lowest = out.Lowest[:min(len(out.Lowest), certificate.MaxListed)]
	return out
}

// ranks compares every ranking by a method of the protocol that needs embeddings.
func (j *Job) ranks(ctx context.Context, bundled, fresh *study.Study) (certificate.Ranks, error) {
	out := certificate.Ranks{Methods: []string{}, List: []certificate.RankChange{}}
	var terms []study.NamedTerm
	for _, m := range bundled.Protocol.Methods {
		if !bundled.NeedsVectors(m.Name) {
			continue
		}
		t, err := bundled.ResolveSealed(m.Name)
		if err != nil {
			continue // what it builds on is not locked yet
		}
		terms = append(terms, study.NamedTerm{Name: m.Name, Term: t})
		out.Methods = append(out.Methods, m.Name)
	}
	places := make([]int, len(bundled.Questions))
	for i := range places {
		places[i] = i
	}
	done := 0
	for part := range slices.Chunk(places, 24) {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		j.tell("ranking with fresh embeddings", done, len(places))
		done += len(part)
		unit := study.Unit{Methods: terms, Questions: part, Best: bundled.Protocol.Keep}
		a, err := bundled.Run(unit)
		if err != nil {
			return out, err
		}
		b, err := fresh.Run(unit)
		if err != nil {
			return out, err
		}
		for i := range a {
			out.Rankings++
			sameIDs := func(x, y study.Hit) bool { return x.ID == y.ID }
			if !slices.EqualFunc(a[i].Best, b[i].Best, sameIDs) {
				out.Places++
			}
			q, _ := bundled.Question(a[i].Question)
			if q.Target < 0 {
				continue
			}
			out.Targets++
			if x, y := rankOf(a[i]), rankOf(b[i]); x != y {
				out.Changed++
				if len(out.List) < certificate.MaxListed {
					out.List = append(out.List, certificate.RankChange{Question: a[i].Question, Method: a[i].Method, Bundled: x, Fresh: y})
				}
			}
		}
	}
	return out, nil
}

func rankOf(o study.Observation) int {
	if o.Rank == nil {
		return 0
	}
	return *o.Rank
}

// replay is RunAll that can be stopped; it returns the results.
func (j *Job) replay(ctx context.Context, s *study.Study) ([]byte, error) {
	r, err := s.NewReplay(study.Options{})
	if err != nil {
		return nil, err
	}
	for {
		stage, units, done := r.Stage()
		if done {
			break
		}
		for i, u := range units {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			j.tell("fresh embeddings: "+stage, i, len(units))
			list, err := s.Run(u)
			if err != nil {
				return nil, err
			}
			if err := r.Add(list); err != nil {
				return nil, err
			}
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	o, err := r.Outcome()
	if err != nil {
		return nil, err
	}
	return o.Results, nil
}

// metrics compares the numbers of results.
func metrics(s *study.Study, bundled, fresh []byte) (certificate.Metrics, error) {
	out := certificate.Metrics{List: []certificate.MetricChange{}}
	a, err := s.Numbers(bundled)
	if err != nil {
		return out, err
	}
	b, err := s.Numbers(fresh)
	if err != nil {
		return out, err
	}
	other := map[string]string{}
	for _, n := range b {
		other[n.Path] = n.Value
	}
	var changed, same []certificate.MetricChange
	for _, n := range a {
		out.Compared++
		change := certificate.MetricChange{Path: n.Path, Bundled: n.Value, Fresh: other[n.Path]}
		delete(other, n.Path)
		x, metric := value(s, n.Path, change.Bundled)
		if change.Bundled == change.Fresh {
			if metric && ofVectors(s, n.Path) {
				same = append(same, change)
			}
			continue
		}
		changed = append(changed, change)
		if y, ok := value(s, n.Path, change.Fresh); metric || ok {
			out.Largest = max(out.Largest, math.Abs(x-y))
		}
	}
	for _, n := range b {
		if v, ok := other[n.Path]; ok { // only there with fresh embeddings
			out.Compared++
			changed = append(changed, certificate.MetricChange{Path: n.Path, Fresh: v})
		}
	}
	out.Changed = len(changed)
	out.List = append(append(out.List, changed...), same...)
	out.List = out.List[:min(len(out.List), certificate.MaxListed)]
	return out, nil
}

// value reads a number of results; metric reports whether it is one whose change is bounded.
func value(s *study.Study, path, text string) (x float64, metric bool) {
	if json.Unmarshal([]byte(text), &x) != nil {
		return 0, false
	}
	return x, s.Style(path).IsMetric(path)
}

// ofVectors reports whether a path names a method that needs embeddings.
func ofVectors(s *study.Study, path string) bool {
	keys, err := numpath.Split(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(keys, func(k string) bool {
		_, ok := s.Terms[k]
		return ok && s.NeedsVectors(k)
	})
}
