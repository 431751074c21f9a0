package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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
	switch {
	case s.Protocol.KnownItem != nil && printAs(w, s, results, printKnownItem):
	case s.Protocol.Graded != nil && printAs(w, s, results, printGraded):
	case s.Protocol.Binary != nil && printAs(w, s, results, printBinary):
	default:
		printNumbers(w, results)
	}
}

// printAs decodes results and prints them; false where they have another form.
func printAs[R any](w io.Writer, s *study.Study, results []byte, print func(io.Writer, *study.Study, *R)) bool {
	var r R
	if json.Unmarshal(results, &r) != nil {
		return false
	}
	print(w, s, &r)
	return true
}

// printNumbers prints every number with its path, for designs without tables of their own.
func printNumbers(w io.Writer, results []byte) {
	numbers, err := show.Numbers(results)
	if err != nil {
		return
	}
	t := table{title: "Numbers", head: []string{"path", ""}}
	for _, n := range numbers {
		t.rows = append(t.rows, []string{n.Path, n.Text})
	}
	t.print(w)
}

func printKnownItem(w io.Writer, s *study.Study, r *study.KnownItemResults) {
	k := s.Protocol.KnownItem
	count := func(n int) string { return show.Count(int64(n)) }

	fmt.Fprintf(w, "%s documents, %s families (%d development, %d test), %s questions; the draw was run again and agrees\n", count(r.Graph.Nodes), count(r.Sample.Families), r.Sample.Development, r.Sample.Test, count(r.Sample.Questions))
	fmt.Fprintf(w, "graph: %s pairs, %d isolated, %d components, the largest of %s\n", count(r.Graph.Pairs), r.Graph.Isolated, r.Graph.Components, count(r.Graph.Largest))

	t := table{title: "Development (MRR@10)", head: []string{"candidate", "MRR@10", ""}}
	for _, b := range k.Development.Baselines {
		mark := ""
		if b == r.Development.Lock.Baseline {
			mark = "locked"
		}
		t.rows = append(t.rows, []string{b, show.Share(r.Development.Baselines[b]), mark})
	}
	for _, g := range r.Development.Grid {
		mark := ""
		if g.Teleport == r.Development.Lock.Teleport && g.Blend == r.Development.Lock.Blend {
			mark = "locked"
		}
		t.rows = append(t.rows, []string{fmt.Sprintf("graph teleport=%v blend=%v", g.Teleport, g.Blend), show.Share(g.MRR), mark})
	}
	t.print(w)

	t = table{title: "Test questions", head: []string{"method", "MRR@10", "hits@1", "hits@10", "questions"}}
	t.head = append(t.head, k.Kinds...)
	for _, name := range k.Test {
		m, ok := r.Methods[name]
		if !ok {
			continue
		}
		row := []string{name, show.Share(m.MRR), count(m.Hits1), count(m.Hits10), count(m.Questions)}
		for _, kind := range k.Kinds {
			row = append(row, show.Share(m.Kinds[kind].MRR))
		}
		t.rows = append(t.rows, row)
	}
	t.print(w)

	t = table{title: "Contrasts (paired by family)", head: []string{"contrast", "difference", "95% interval", "p", "exact p", "up", "down", "tied"}}
	for _, spec := range k.Contrasts {
		c, ok := r.Contrasts[spec.Name]
		if !ok {
			continue
		}
		t.rows = append(t.rows, []string{c.Method + " − " + c.Against, show.Signed(c.Difference), show.Signed(c.CI95[0]) + " to " + show.Signed(c.CI95[1]), show.Chance(c.P), show.Chance(c.PExact), count(c.Up), count(c.Down), count(c.Tied)})
	}
	t.print(w)

	t = table{title: "Rewired graphs", head: []string{"graph", "stream", "attempts", "swaps", "components", "largest", "isolated"}}
	for _, g := range r.Rewired {
		t.rows = append(t.rows, []string{g.Name, fmt.Sprint(g.Stream), count(g.Attempts), count(g.Swaps), count(g.Components), count(g.Largest), count(g.Isolated)})
	}
	t.print(w)

	if r.Reader != nil {
		t = table{title: "Reader pilot (exploratory)", head: []string{"contexts from", "contexts", "target present", "target chosen", "literal quotes"}}
		for _, row := range []struct {
			name string
			c    study.ReaderCount
		}{{"baseline", r.Reader.Baseline}, {"graph", r.Reader.Graph}, {"total", r.Reader.Total}} {
			t.rows = append(t.rows, []string{row.name, count(row.c.Contexts), count(row.c.TargetPresent), count(row.c.TargetChosen), count(row.c.LiteralQuotes)})
		}
		t.print(w)
	}
	fmt.Fprintf(w, "\n%d test questions have their target outside the first %d under baseline or graph; --json lists them\n", len(r.Misses), k.Cutoff)
	if k.KindNotes != "" {
		fmt.Fprintf(w, "note: %s\n", visible(k.KindNotes))
	}
}
