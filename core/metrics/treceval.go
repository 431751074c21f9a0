package metrics

import (
	"strconv"
	"strings"

	"retrace/core/exact"
)

// TrecEvalName returns the name under which trec_eval prints a metric when its -l is level; ok is false where trec_eval
// has no such measure: another gain, another relevance level, a cutoff where it has none.
func (m Metric) TrecEvalName(level int) (name string, ok bool) {
	d, ok := m.Definition()
	if !ok || d.TrecEval == "" || m.JudgedOnly {
		return "", false
	}
	if m.Name == "NumRet" && m.Rel > 0 {
		return "num_rel_ret", m.Rel == level
	}
	if m.Rel > 0 && m.Rel != level {
		return "", false
	}
	switch m.Name {
	case "nDCG":
		if m.Gain != LinearGain {
			return "", false
		}
		if m.Cutoff > 0 {
			return "ndcg_cut_" + strconv.Itoa(m.Cutoff), true
		}
	case "AP":
		if m.Cutoff > 0 {
			return "map_cut_" + strconv.Itoa(m.Cutoff), true
		}
	case "P", "R", "Success":
		return d.TrecEval + "_" + strconv.Itoa(m.Cutoff), true
	case "RBP":
		return d.TrecEval, m.P == 0.9 && m.Rel == 1 && m.Cutoff == 0
	case "RR":
		return d.TrecEval, m.Cutoff == 0
	case "SetF":
		return d.TrecEval, m.Beta == 1
	case "IPrec":
		return d.TrecEval + "_" + strconv.FormatFloat(m.Recall, 'f', 2, 64), float64(int(float64(m.Recall*100)+0.5))/100 == m.Recall
	}
	return d.TrecEval, true
}

// ParseTrecEval reads a name as trec_eval prints it, under its -l level: map, ndcg_cut_10, P_5, iprec_at_recall_0.10.
func ParseTrecEval(name string, level int) (m Metric, ok bool) {
	if name == "num_rel_ret" {
		return Metric{Name: "NumRet", Rel: level}, true
	}
	for i := range definitions {
		d := &definitions[i]
		rest, found := strings.CutPrefix(name, d.TrecEval)
		if d.TrecEval == "" || !found {
			continue
		}
		m = d.defaults()
		if m.Rel > 0 {
			m.Rel = level
		}
		if d.Name == "RBP" {
			m.P, m.Rel = 0.9, 1
		}
		rest = strings.TrimPrefix(rest, "_cut") // ndcg_cut_10, map_cut_10
		at, withAt := strings.CutPrefix(rest, "_")
		if !withAt && rest != "" || m.setAt(d, at, withAt) != "" {
			continue
		}
		if again, ok := m.TrecEvalName(level); ok && again == name {
			return m, true
		}
	}
	return Metric{}, false
}

// MinGeometric is the value that smaller ones count as in a geometric mean (trec_eval's MIN_GEO_MEAN).
const MinGeometric = 0.00001

// GeometricMean is the geometric mean over topics, of a value v as if it were MinGeometric at least: trec_eval's gm_map
// for AP. It is 0 over no topics.
func GeometricMean(values []Value, rule MeanRule) (mean float64) {
	sum, topics := 0.0, 0
	for _, v := range values {
		if rule.Takes(v) {
			sum += exact.Log(max(v.Value, MinGeometric))
			topics++
		}
	}
	if topics == 0 {
		return 0
	}
	return exact.Exp(sum / float64(topics))
}
