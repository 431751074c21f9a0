package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"retrace/core/evaluate"
	"retrace/core/metrics"
	"retrace/core/show"
)

// print writes what was found in the layout that was asked for.
func (o *evalCommandLine) print(w io.Writer, runs []evaluatedRun, comparisons []comparison) error {
	switch o.format {
	case "json":
		return o.printJSON(w, runs, comparisons)
	case "csv":
		return o.printCSV(w, runs, comparisons)
	case "table", "md", "latex":
		for _, t := range o.tables(runs, comparisons) {
			switch o.format {
			case "md":
				t.markdown(w)
			case "latex":
				t.latex(w)
			default:
				t.print(w)
			}
		}
		if o.format == "table" {
			o.notes(w, runs)
		}
		return nil
	}
	for _, r := range runs {
		o.printTrecEval(w, r, len(runs) > 1)
	}
	return nil
}

// trecName is the name that trec_eval has for a measure, or else ours.
func (o *evalCommandLine) trecName(m metrics.Metric) string {
	if name, ok := m.TrecEvalName(o.level); ok {
		return name
	}
	return m.String()
}

// printTrecEval prints a run as trec_eval does. --ties adds two columns, the lowest and highest value.
func (o *evalCommandLine) printTrecEval(w io.Writer, r evaluatedRun, several bool) {
	line := func(name, topic, value string, band evaluate.Band, sum bool) {
		fmt.Fprintf(w, "%-22s\t%s\t%s", name, topic, value)
		if o.ties {
			fmt.Fprintf(w, "\t%s\t%s", trecNumber(band.Low, sum), trecNumber(band.High, sum))
		}
		fmt.Fprintln(w)
	}
	if o.perTopic {
		for i, topic := range r.result.Topics {
			for k, m := range o.metrics {
				v := r.result.Values[k][i]
				if !r.result.Options.Mean.Takes(v) || m.Name == "NumQ" {
					continue
				}
				d, _ := m.Definition()
				line(o.trecName(m), topic, trecNumber(v.Value, d.Sum), r.band(k, i), d.Sum)
			}
		}
	}
	if o.official || several {
		fmt.Fprintf(w, "%-22s\tall\t%s\n", "runid", visible(r.tag))
	}
	for k, m := range o.metrics {
		f := r.result.Figure(k)
		d, _ := m.Definition()
		value := trecNumber(f.Value, d.Sum)
		if f.Topics == 0 && !d.Sum {
			value = "undefined"
		}
		line(o.trecName(m), "all", value, f.Band, d.Sum)
		if o.official && m.Name == "AP" {
			mean := metrics.GeometricMean(r.result.Values[k], r.result.Options.Mean)
			fmt.Fprintf(w, "%-22s\tall\t%s\n", "gm_map", trecNumber(mean, false))
		}
	}
}

func trecNumber(x float64, count bool) string {
	if count {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// band is the range of a value of one topic.
func (r evaluatedRun) band(metric, topic int) evaluate.Band {
	if r.result.Bands == nil {
		x := r.result.Values[metric][topic].Value
		return evaluate.Band{Low: x, High: x}
	}
	return r.result.Bands[metric][topic]
}

// cell is a value for people, with its range where that was asked for.
func (o *evalCommandLine) cell(m metrics.Metric, value float64, defined bool, band evaluate.Band) string {
	d, _ := m.Definition()
	text := func(x float64) string {
		if d.Sum {
			return trecNumber(x, true)
		}
		return show.Share(x)
	}
	switch {
	case !defined:
		return "undefined"
	case o.ties && text(band.Low) != text(band.High):
		return text(value) + " [" + text(band.Low) + ", " + text(band.High) + "]"
	}
	return text(value)
}

// tables are the measures of every run, then every topic's, then the comparisons.
func (o *evalCommandLine) tables(runs []evaluatedRun, comparisons []comparison) []table {
	head := []string{"run"}
	for _, m := range o.metrics {
		head = append(head, m.String())
	}
	all := table{title: "Measures", head: head}
	each := table{title: "Topics", head: append([]string{"run", "topic"}, head[1:]...), left: 2}
	for _, r := range runs {
		row := []string{r.label}
		for k, m := range o.metrics {
			f := r.result.Figure(k)
			d, _ := m.Definition()
			row = append(row, o.cell(m, f.Value, f.Topics > 0 || d.Sum, f.Band))
		}
		all.rows = append(all.rows, row)
		for i, topic := range r.result.Topics {
			row := []string{r.label, topic}
			for k, m := range o.metrics {
				v := r.result.Values[k][i]
				row = append(row, o.cell(m, v.Value, v.Defined, r.band(k, i)))
			}
			if o.perTopic && (r.result.Options.Mean != metrics.Returned || !slices.Contains(r.result.Missing, topic)) {
				each.rows = append(each.rows, row)
			}
		}
	}
	list := []table{all}
	if o.perTopic {
		list = append(list, each)
	}
	if len(comparisons) > 0 {
		list = append(list, o.comparisonTable(comparisons))
	}
	return list
}

func (o *evalCommandLine) comparisonTable(list []comparison) table {
	t := table{
		title: "Compared with " + list[0].base + ", topic by topic", left: 2,
		head: []string{"run", "measure", "difference", "95% interval", "p", o.correctionName(), "d_z", "detectable", "up", "down", "tied",
			"over tie orders"},
	}
	for _, c := range list {
		effect, detectable := "undefined", "undefined"
		if c.HasEffect {
			effect, detectable = show.Signed(c.EffectSize), show.Share(c.Detectable)
		}
		ties := "the same"
		if low, high := show.Signed(c.Band.Low), show.Signed(c.Band.High); low != high {
			ties = low + " to " + high
		}
		if c.HangsOnTies() {
			ties += " (hangs on them)"
		}
		p := show.Chance(c.P)
		if c.Exact {
			p += " exact"
		}
		t.rows = append(t.rows, []string{
			c.run, c.Metric.String(), show.Signed(c.Difference), show.Signed(c.Interval[0]) + " to " + show.Signed(c.Interval[1]),
			p, show.Chance(c.Adjusted), effect, detectable, strconv.Itoa(c.Up), strconv.Itoa(c.Down), strconv.Itoa(c.Tied), ties,
		})
	}
	return t
}

func (o *evalCommandLine) correctionName() string {
	return map[string]string{"holm": "p (Holm)", "bonferroni": "p (Bonferroni)", "bh": "p (Benjamini–Hochberg)",
		"none": "p (uncorrected)"}[o.correction]
}

// notes say what the figures are of.
func (o *evalCommandLine) notes(w io.Writer, runs []evaluatedRun) {
	fmt.Fprintf(w, "\n%d topics are judged", len(runs[0].result.Topics))
	if n := len(runs[0].result.NoRelevant); n > 0 {
		fmt.Fprintf(w, ", %d of them without a relevant document", n)
	}
	rule := map[metrics.MeanRule]string{
		metrics.Complete: "means are over all of them", metrics.Returned: "means are over those that the run has",
		metrics.Defined: "means are over those for which the measure has a value",
	}[runs[0].result.Options.Mean]
	fmt.Fprintf(w, "; %s; order of equal scores: %s\n", rule, o.order)
	for _, r := range runs {
		fmt.Fprintf(w, "%s: %d topics missing, %d of %d documents unjudged", visible(r.label), len(r.result.Missing), r.result.Unjudged,
			r.result.Returned)
		if r.result.Tied > 0 {
			fmt.Fprintf(w, ", %d in ties (%d topics)", r.result.Tied, r.result.TiedTopics)
		}
		fmt.Fprintln(w)
	}
}

// markdown prints a table for Markdown.
func (t table) markdown(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "[", `\[`, "<", "&lt;", "&", "&amp;", "`", "\\`")
	fmt.Fprintf(w, "**%s**\n\n", escape.Replace(visible(t.title)))
	for i, row := range append([][]string{t.head}, t.rows...) {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = escape.Replace(visible(cell))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			for k := range cells {
				cells[k] = "---:"
				if k == 0 || k < t.left {
					cells[k] = "---"
				}
			}
			fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	fmt.Fprintln(w)
}

// latex prints a table for LaTeX with the package booktabs.
func (t table) latex(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	pairs := []string{`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`, "~",
		`\textasciitilde{}`,
		"^", `\textasciicircum{}`, "−", "$-$", "×", `$\times$`, "–", "--", "⁻", `\textsuperscript{$-$}`, "[", "{[}", "]", "{]}"}
	for i, digit := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		pairs = append(pairs, string(digit), `\textsuperscript{`+strconv.Itoa(i)+`}`)
	}
	escape := strings.NewReplacer(pairs...)
	columns := ""
	for k := range t.head {
		if k == 0 || k < t.left {
			columns += "l"
		} else {
			columns += "r"
		}
	}
	fmt.Fprintf(w, "%% %s\n\\begin{tabular}{%s}\n\\toprule\n", visible(t.title), columns)
	for i, row := range append([][]string{t.head}, t.rows...) {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = escape.Replace(visible(cell))
		}
		fmt.Fprintf(w, "%s \\\\\n", strings.Join(cells, " & "))
		if i == 0 {
			fmt.Fprintln(w, `\midrule`)
		}
	}
	fmt.Fprint(w, "\\bottomrule\n\\end{tabular}\n\n")
}

// printCSV prints every value in full, or the comparisons where they were asked for.
func (o *evalCommandLine) printCSV(w io.Writer, runs []evaluatedRun, comparisons []comparison) error {
	out := csv.NewWriter(w)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if len(comparisons) > 0 {
		out.Write([]string{"run", "base", "measure", "topics", "base_value", "value", "difference", "low95", "high95", "interval",
			"p", "p_exact", "p_" + o.correction, "d_z", "detectable", "smallest_p", "up", "down", "tied", "ties_low", "ties_high"})
		for _, c := range comparisons {
			effect, detectable := "", ""
			if c.HasEffect {
				effect, detectable = number(c.EffectSize), number(c.Detectable)
			}
			out.Write([]string{
				c.run, c.base, c.Metric.String(), strconv.Itoa(c.Topics), number(c.Base), number(c.Other), number(c.Difference),
				number(c.Interval[0]), number(c.Interval[1]), c.Method, number(c.P), strconv.FormatBool(c.Exact), number(c.Adjusted),
				effect, detectable, number(c.SmallestP), strconv.Itoa(c.Up), strconv.Itoa(c.Down), strconv.Itoa(c.Tied),
				number(c.Band.Low), number(c.Band.High),
			})
		}
		out.Flush()
		return out.Error()
	}
	head := []string{"run", "measure", "topic", "value"}
	if o.ties {
		head = append(head, "low", "high")
	}
	out.Write(head)
	write := func(run, measure, topic string, value float64, defined bool, band evaluate.Band) {
		row := []string{run, measure, topic, ""}
		if defined {
			row[3] = number(value)
		}
		if o.ties {
			row = append(row, number(band.Low), number(band.High))
		}
		out.Write(row)
	}
	for _, r := range runs {
		for k, m := range o.metrics {
			if o.perTopic {
				for i, topic := range r.result.Topics {
					v := r.result.Values[k][i]
					write(r.label, m.String(), topic, v.Value, v.Defined, r.band(k, i))
				}
			}
			f := r.result.Figure(k)
			d, _ := m.Definition()
			write(r.label, m.String(), "all", f.Value, f.Topics > 0 || d.Sum, f.Band)
		}
	}
	out.Flush()
	return out.Error()
}

// What --format json prints. A value that is null is undefined.
type (
	evalJSON struct {
		Topics      int              `json:"topics"`
		NoRelevant  []string         `json:"topicsWithoutRelevant"`
		Order       string           `json:"order"`
		Mean        string           `json:"mean"`
		Depth       int              `json:"depth"`
		Runs        []runJSON        `json:"runs"`
		Comparisons []comparisonJSON `json:"comparisons,omitempty"`
	}
	runJSON struct {
		Run        string        `json:"run"`
		Tag        string        `json:"tag"`
		Missing    []string      `json:"missingTopics"`
		Extra      []string      `json:"unjudgedTopics"`
		Returned   int           `json:"returned"`
		Unjudged   int           `json:"unjudged"`
		Tied       int           `json:"tied"`
		TiedTopics int           `json:"tiedTopics"`
		Measures   []measureJSON `json:"measures"`
	}
	measureJSON struct {
		Measure  string      `json:"measure"`
		TrecEval string      `json:"trecEval,omitempty"`
		Value    *float64    `json:"value"`
		Topics   int         `json:"topics"`
		Ties     *[2]float64 `json:"ties,omitempty"`
		PerTopic []topicJSON `json:"perTopic,omitempty"`
	}
	topicJSON struct {
		Topic string      `json:"topic"`
		Value *float64    `json:"value"`
		Ties  *[2]float64 `json:"ties,omitempty"`
	}
	comparisonJSON struct {
		Run        string     `json:"run"`
		Base       string     `json:"base"`
		Measure    string     `json:"measure"`
		Topics     int        `json:"topics"`
		BaseValue  float64    `json:"baseValue"`
		Value      float64    `json:"value"`
		Difference float64    `json:"difference"`
		Interval   [2]float64 `json:"interval95"`
		Method     string     `json:"intervalMethod"`
		P          float64    `json:"p"`
		Exact      bool       `json:"pExact"`
		Adjusted   float64    `json:"pAdjusted"`
		Correction string     `json:"correction"`
		EffectSize *float64   `json:"effectSize"`
		Detectable *float64   `json:"detectable"`
		SmallestP  float64    `json:"smallestP"`
		Up         int        `json:"up"`
		Down       int        `json:"down"`
		Tied       int        `json:"tied"`
		Ties       [2]float64 `json:"ties"`
		Hangs      bool       `json:"hangsOnTies"`
	}
)

func (o *evalCommandLine) printJSON(w io.Writer, runs []evaluatedRun, comparisons []comparison) error {
	list := func(s []string) []string { return append([]string{}, s...) }
	optional := func(x float64, defined bool) *float64 {
		if !defined {
			return nil
		}
		return &x
	}
	band := func(b evaluate.Band) *[2]float64 {
		if !o.ties {
			return nil
		}
		return &[2]float64{b.Low, b.High}
	}
	first := runs[0].result
	out := evalJSON{Topics: len(first.Topics), NoRelevant: list(first.NoRelevant), Order: o.order, Mean: o.mean, Depth: o.depth}
	for _, r := range runs {
		j := runJSON{Run: r.label, Tag: r.tag, Missing: list(r.result.Missing), Extra: list(r.result.Extra), Returned: r.result.Returned,
			Unjudged: r.result.Unjudged, Tied: r.result.Tied, TiedTopics: r.result.TiedTopics}
		for k, m := range o.metrics {
			f := r.result.Figure(k)
			d, _ := m.Definition()
			name, _ := m.TrecEvalName(o.level)
			measure := measureJSON{Measure: m.String(), TrecEval: name, Value: optional(f.Value, f.Topics > 0 || d.Sum), Topics: f.Topics,
				Ties: band(f.Band)}
			if o.perTopic {
				for i, topic := range r.result.Topics {
					v := r.result.Values[k][i]
					measure.PerTopic = append(measure.PerTopic, topicJSON{topic, optional(v.Value, v.Defined), band(r.band(k, i))})
				}
			}
			j.Measures = append(j.Measures, measure)
		}
		out.Runs = append(out.Runs, j)
	}
	for _, c := range comparisons {
		out.Comparisons = append(out.Comparisons, comparisonJSON{c.run, c.base, c.Metric.String(), c.Topics, c.Base, c.Other, c.Difference,
			c.Interval, c.Method,
			c.P, c.Exact, c.Adjusted, o.correction, optional(c.EffectSize, c.HasEffect), optional(c.Detectable, c.HasEffect), c.SmallestP,
			c.Up, c.Down, c.Tied, [2]float64{c.Band.Low, c.Band.High}, c.HangsOnTies()})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
