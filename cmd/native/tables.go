package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"retrace/core/design/adhoc"
	"retrace/core/design/binary"
	"retrace/core/design/graded"
	"retrace/core/design/knownitem"
	"retrace/core/show"
	"retrace/core/study"
)

// A table is printed with aligned columns: the first one, and those up to left, to the left, the others to the right.
type table struct {
	title string
	head  []string
	rows  [][]string
	left  int
}

func (t table) print(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	for _, row := range t.rows {
		for i, cell := range row {
			row[i] = visible(cell)
		}
	}
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintf(w, "\n%s\n", t.title)
	for _, row := range append([][]string{t.head}, t.rows...) {
		var b strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 || i < t.left {
				b.WriteString("  " + cell + gap)
			} else {
				b.WriteString("  " + gap + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// printTables prints a study's results for people.
func printTables(w io.Writer, s *study.Study, results []byte) {
	fmt.Fprintf(w, "%s  %s\n", s.Protocol.ID, visible(s.Protocol.Title))
	print, ok := printers[s.Protocol.Design]
	if !ok {
		print = printNumbers
	}
	if err := print(w, s, results); err != nil {
		fmt.Fprintf(w, "(%v)\n", err)
	}
}

// printers print the results of each design, by the design's key in study.json; those of others are listed number by number.
var printers = map[string]func(w io.Writer, s *study.Study, results []byte) error{
	knownitem.Key: printAs(printKnownItem),
	graded.Key:    printAs(printGraded),
	binary.Key:    printAs(printBinary),
	adhoc.Key:     printAs(printAdhoc),
}

// printAs decodes results before they are printed.
func printAs[R any](print func(io.Writer, *study.Study, *R)) func(io.Writer, *study.Study, []byte) error {
	return func(w io.Writer, s *study.Study, results []byte) error {
		var r R
		if err := json.Unmarshal(results, &r); err != nil {
			return fmt.Errorf("the results are not those of a %s study: %w", s.Protocol.Design, err)
		}
		print(w, s, &r)
		return nil
	}
}

// printNumbers prints every number with its path, for designs without tables of their own.
func printNumbers(w io.Writer, s *study.Study, results []byte) error {
	numbers, err := s.Numbers(results)
	if err != nil {
		return err
	}
	t := table{title: "Numbers", head: []string{"path", ""}}
	for _, n := range numbers {
		t.rows = append(t.rows, []string{n.Path, n.Text})
	}
	t.print(w)
	return nil
}

func printKnownItem(w io.Writer, s *study.Study, r *knownitem.Results) {
	k := knownitem.Of(s.Protocol)
	count := func(n int) string { return show.Count(int64(n)) }

	fmt.Fprintf(w, "%s documents, %s families (%d development, %d test), %s questions; the draw was run again and agrees\n",
		count(r.Graph.Nodes), count(r.Sample.Families), r.Sample.Development, r.Sample.Test, count(r.Sample.Questions))
	fmt.Fprintf(w, "graph: %s pairs, %d isolated, %d components, the largest of %s\n", count(r.Graph.Pairs), r.Graph.Isolated,
		r.Graph.Components, count(r.Graph.Largest))

	measure := fmt.Sprintf("MRR@%d", k.Cutoff)
	lock := r.Development.Lock
	t := table{title: "Development (" + measure + ")", head: []string{"candidate", measure, ""}}
	for _, b := range k.Development.Baselines {
		t.rows = append(t.rows, []string{b, show.Share(r.Development.Baselines[b]), lockedMark(b == lock["baseline"])})
	}
	for _, g := range r.Development.Grid {
		name, locked := "candidate", true
		for _, axis := range k.Development.Grid {
			name += " " + axis.Key + "=" + g[axis.Key]
			locked = locked && g[axis.Key] == lock[axis.Key]
		}
		mrr, _ := g.Number(k.MRRKey())
		t.rows = append(t.rows, []string{name, show.Share(mrr), lockedMark(locked)})
	}
	t.print(w)

	t = table{title: "Test questions", head: []string{"method", measure}}
	for _, at := range k.HitsAt {
		t.head = append(t.head, fmt.Sprintf("hits@%d", at))
	}
	t.head = append(append(t.head, "questions"), k.Kinds...)
	for _, name := range k.Test {
		m, ok := r.Methods[name]
		if !ok {
			continue
		}
		row := []string{name, show.Share(m.MRR)}
		for _, at := range k.HitsAt {
			row = append(row, count(m.Hits[at]))
		}
		row = append(row, count(m.Questions))
		for _, kind := range k.Kinds {
			row = append(row, show.Share(m.Kinds[kind].MRR))
		}
		t.rows = append(t.rows, row)
	}
	t.print(w)

	t = table{title: "Contrasts (paired by family)", head: []string{"contrast", "difference", "95% interval", "p", "exact p", "up",
		"down", "tied"}}
	for _, spec := range k.Contrasts {
		c, ok := r.Contrasts[spec.Name]
		if !ok {
			continue
		}
		t.rows = append(t.rows, []string{c.Method + " − " + c.Against, show.Signed(c.Difference),
			show.Signed(c.CI95[0]) + " to " +
				show.Signed(c.CI95[1]), show.Chance(c.P), show.Chance(c.PExact), count(c.Up), count(c.Down), count(c.Tied)})
	}
	t.print(w)

	t = table{title: "Rewired graphs", head: []string{"graph", "stream", "attempts", "swaps", "components", "largest", "isolated"}}
	for _, g := range r.Rewired {
		t.rows = append(t.rows, []string{g.Name, fmt.Sprint(g.Stream), count(g.Attempts), count(g.Swaps), count(g.Components),
			count(g.Largest), count(g.Isolated)})
	}
	t.print(w)

	if r.Reader != nil {
		t = table{title: "Reader pilot (exploratory)", head: []string{"contexts from", "contexts", "target present", "target chosen",
			"literal quotes"}}
		for _, row := range []struct {
			name string
			c    knownitem.ReaderCount
		}{{"baseline", r.Reader.Baseline}, {"graph", r.Reader.Graph}, {"total", r.Reader.Total}} {
			t.rows = append(t.rows, []string{row.name, count(row.c.Contexts), count(row.c.TargetPresent), count(row.c.TargetChosen),
				count(row.c.LiteralQuotes)})
		}
		t.print(w)
	}
	fmt.Fprintf(w, "\n%d test questions have their target outside the first %d under baseline or graph; --json lists them\n",
		len(r.Misses), k.Cutoff)
	if k.KindNotes != "" {
		fmt.Fprintf(w, "note: %s\n", visible(k.KindNotes))
	}
}

func lockedMark(locked bool) string {
	if locked {
		return "locked"
	}
	return ""
}
