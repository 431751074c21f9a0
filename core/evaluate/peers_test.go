package evaluate_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"retrace/core/evaluate"
	"retrace/core/metrics"
	"retrace/core/trec"
)

// peers returns a folder of what other tools print, and skips the test where it isn't there.
func peers(t *testing.T, tool string) string {
	dir := filepath.Join("..", "..", "..", "shared", "data", "peers", tool)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("optional: outputs of " + tool + " are not at " + dir)
	}
	return dir
}

func read(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run evaluates a run file, stored where its topics are interleaved.
func run(t *testing.T, qrels, run string, o evaluate.Options) *evaluate.Result {
	q, err := trec.ReadQrels(qrels, bytes.NewReader(read(t, qrels)))
	if err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(q, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trec.ReadRun(run, bytes.NewReader(read(t, run)), trec.Options{Order: o.Order, Stored: true, ExtraColumns: true},
		e.Topic); err != nil {
		t.Fatal(err)
	}
	r, err := e.Finish(run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Lines of trec_eval's outputs that we have no measure for. Everything else must be equal.
var notOurs = []string{
	"runid", "relstring", "relstring_", "gm_map", "gm_bpref", "infAP", "Rprec_mult_", "utility", "utility_", "11pt_avg", "11pt_avg_", "binG",
	"G", "ndcg_rel", "Rndcg",
	"relative_P_", "set_relative_P", "num_nonrel_judged_ret", "rbp_resid", "unj_", "ndcg_1=3,2=9,4=4.5",
}

// TestTrecEval compares with trec_eval's own test outputs, per topic and over topics, to the four decimals that they print.
func TestTrecEval(t *testing.T) {
	dir := peers(t, "trec_eval")
	for _, c := range []struct {
		output, qrels, run string
		level, depth       int
		mean               metrics.MeanRule
		compared           int // lines
	}{
		{"out.test", "qrels.test", "results.test", 1, 0, metrics.Returned, 28},
		{"out.test.a", "qrels.test", "results.test", 1, 0, metrics.Returned, 64},
		{"out.test.aq", "qrels.test", "results.test", 1, 0, metrics.Returned, 253},
		{"out.test.aqc", "qrels.test", "results.trunc", 1, 0, metrics.Complete, 253},
		{"out.test.aqcM", "qrels.test", "results.trunc", 1, 100, metrics.Complete, 253},
		{"out.test.aql", "qrels.rel_level", "results.test", 2, 0, metrics.Returned, 249},
		{"out.test.meas_params", "qrels.test", "results.test", 1, 0, metrics.Returned, 64},
	} {
		type line struct{ name, topic, value string }
		var lines []line
		var list []metrics.Metric
		for text := range strings.Lines(string(read(t, filepath.Join(dir, c.output)))) {
			f := strings.Fields(text)
			if slices.ContainsFunc(notOurs, func(name string) bool {
				return f[0] == name || strings.HasSuffix(name, "_") && strings.HasPrefix(f[0], name)
			}) ||
				f[0] == "rbp" && c.level > 1 { // scaled by what was never set: see RBP
				continue
			}
			m, ok := metrics.ParseTrecEval(f[0], c.level)
			if !ok {
				t.Errorf("%s: no measure for %q", c.output, f[0])
				continue
			}
			lines = append(lines, line{f[0], f[1], f[2]})
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
		r := run(t, filepath.Join(dir, c.qrels), filepath.Join(dir, c.run), evaluate.Options{Metrics: list, Depth: c.depth, Mean: c.mean,
			Order: trec.TrecEval})
		for _, l := range lines {
			m, _ := metrics.ParseTrecEval(l.name, c.level)
			at := slices.Index(list, m)
			value := r.Figure(at).Value
			if l.topic != "all" {
				value = r.Values[at][slices.Index(r.Topics, l.topic)].Value
			}
			text := strconv.FormatFloat(value, 'f', 4, 64)
			if !strings.Contains(l.value, ".") {
				text = strconv.FormatFloat(value, 'f', -1, 64)
			}
			if text != l.value {
				t.Errorf("%s: %s %s (%s): %s, trec_eval prints %s", c.output, l.name, l.topic, m, text, l.value)
			}
		}
		if len(lines) != c.compared {
			t.Errorf("%s: %d lines compared, want %d", c.output, len(lines), c.compared)
		}
	}
}

// TestIRMeasures compares with ir_measures 0.4.3 on random qrels and runs with ties, gaps and negative grades. It has three
// back ends with two orders of ties: pytrec_eval and gdeval.pl as trec_eval, its own (RR@k, Judged) by ID ascending.
// gdeval.pl prints five decimals.
func TestIRMeasures(t *testing.T) {
	dir := peers(t, "ir_measures")
	compared := 0
	for n := range 8 {
		base := filepath.Join(dir, strconv.Itoa(n))
		var list []metrics.Metric
		lines := strings.Split(strings.TrimSpace(string(read(t, base+".expected.tsv"))), "\n")[1:]
		for _, text := range lines {
			name, _, _ := strings.Cut(text, "\t")
			m, err := metrics.ParseMetric(name)
			if err != nil {
				t.Fatal(err)
			}
			if m.String() != name {
				t.Errorf("%q prints as %q", name, m)
			}
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
		results := map[trec.Order]*evaluate.Result{}
		for _, order := range []trec.Order{trec.TrecEval, trec.AscendingBytewise} {
			results[order] = run(t, base+".qrels", base+".run", evaluate.Options{Metrics: list, Order: order, Mean: metrics.Complete})
		}
		for _, text := range lines {
			f := strings.Split(text, "\t")
			m, _ := metrics.ParseMetric(f[0])
			want, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			order, tolerance := trec.TrecEval, 1e-12
			switch {
			case m.Name == "RR" && m.Cutoff > 0 || m.Name == "Judged":
				order = trec.AscendingBytewise
			case m.Name == "ERR" || m.Gain == metrics.ExponentialGain:
				tolerance = 5.000001e-6
			}
			r, at := results[order], slices.Index(list, m)
			got := r.Figure(at).Value
			if f[1] != "all" {
				got = r.Values[at][slices.Index(r.Topics, f[1])].Value
			}
			if m.Name == "NumQ" || m.Name == "NumRel" {
				// ir_measures gives 0 for topics that the run lacks, where trec_eval -c counts them and their documents.
				if f[1] != "all" && slices.Contains(r.Missing, f[1]) {
					want = got
				} else if f[1] == "all" {
					for _, topic := range r.Missing {
						got -= r.Values[at][slices.Index(r.Topics, topic)].Value
					}
				}
			}
			if math.Abs(got-want) > tolerance {
				t.Errorf("%d: %s %s: %v, ir_measures gives %v", n, f[0], f[1], got, want)
			}
			compared++
		}
		// Where lines are missing, ours still answers.
		all := run(t, base+".qrels", base+".run", evaluate.Options{Metrics: everything(t), Bands: true})
		for i, m := range all.Options.Metrics {
			f := all.Figure(i)
			if math.IsNaN(f.Value) || f.Band.Low > f.Value || f.Band.High < f.Value {
				t.Errorf("%d: %s: %+v", n, m, f)
			}
		}
	}
	if compared != 1528 {
		t.Errorf("%d values compared, want 1528", compared)
	}
}

func everything(t *testing.T) (list []metrics.Metric) {
	for _, name := range []string{
		"nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@10", "AP", "AP(rel=2)@10", "P@5", "R@100", "RR", "RR@10", "Success@1", "Rprec", "Bpref",
		"RBP(rel=1)", "RBP(p=0.95,max=4)@20", "ERR@10", "IPrec@0.0", "IPrec@0.5", "Judged@10", "SetP", "SetR", "SetF", "SetAP", "NumQ",
		"NumRet", "NumRet(rel=1)", "NumRel", "AP(judged_only=True)",
	} {
		m, err := metrics.ParseMetric(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}
