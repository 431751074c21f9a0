package main

import (
	"fmt"
	"io"
	"strings"

	"retrace/core/design/graded"
	"retrace/core/show"
	"retrace/core/study"
)

// printGraded prints the results of a study with graded pools and an answer trial.
func printGraded(w io.Writer, s *study.Study, r *graded.Results) {
	g := graded.Of(s.Protocol)
	fmt.Fprintf(w, "%s documents, %d development and %d final tasks; ", number(s.Collection.Len()), len(r.Tasks.Development), r.Tasks.Final)
	fmt.Fprintf(w, "pool: %s pairs, %d to %d a task; ", number(r.Pool.Pairs), r.Pool.Smallest, r.Pool.Largest)
	fmt.Fprintf(w, "key and packets were made again and %s\n", agrees(r.Pool.Reproduced))
	if r.Relations != nil {
		fmt.Fprintf(w, "overlay: %s relations between %s documents, %s qualified\n", number(r.Relations.Relations),
			number(r.Relations.Documents), number(r.Relations.Qualified))
	}
	if c := r.PathCoverage; c != nil {
		fmt.Fprintf(w, "paths: %s on %d of the final tasks; they reach %d of the %d first places\n", number(c.Paths),
			c.FinalTasksWithPath, c.PlacesReached, c.Places)
	}

	first := g.Measures[0]
	t := table{title: "Lock (best " + first.Measure + " on development tasks)", head: []string{"choice", "method", first.Key}, left: 2}
	for _, name := range append([]string{"baseline"}, candidateNames(g)...) {
		t.rows = append(t.rows, []string{name, r.Lock[name], mean(r.Development.Settings[r.Lock[name]])})
	}
	t.print(w)

	printContrasts(w, g, r)

	t = table{title: "Final tasks (mean of both assessors' grades)", head: []string{"row", "method"}, left: 2}
	methods, _ := graded.From(s).SealedRows()
	for _, m := range g.Measures {
		t.head = append(t.head, m.Measure)
	}
	for _, row := range g.Rows {
		cells := []string{row.Name, methods[row.Name]}
		for _, m := range g.Measures {
			cells = append(cells, mean(r.Final[row.Name][m.Key]))
		}
		t.rows = append(t.rows, cells)
	}
	t.print(w)

	t = table{title: "By assessor", head: []string{"row"}}
	for _, a := range g.Pool.Assessors {
		for _, m := range g.Measures {
			t.head = append(t.head, a.Name+": "+m.Measure)
		}
	}
	for _, row := range g.Rows {
		cells := []string{row.Name}
		for _, a := range g.Pool.Assessors {
			for _, m := range g.Measures {
				cells = append(cells, mean(r.FinalByAssessor[a.Name][row.Name][m.Key]))
			}
		}
		t.rows = append(t.rows, cells)
	}
	t.print(w)

	printAgreement(w, g, &r.Agreement)

	t = table{title: "Tasks without " + first.Measure + " (no grade above 0)",
		head: []string{"by", "with a value", "final", "development"}, left: 4}
	t.rows = append(t.rows, []string{"both", number(r.Tasks.Final - len(r.Undefined.Final)), list(r.Undefined.Final),
		list(r.Undefined.Development)})
	for _, a := range g.Pool.Assessors {
		u := r.UndefinedByAssessor[a.Name]
		t.rows = append(t.rows, []string{a.Name, number(r.NByAssessor[a.Name]), list(u.Final), list(u.Development)})
	}
	t.print(w)

	if r.Answers != nil {
		t = table{title: "Answers (share of the largest score, both graders)",
			head: []string{"documents from", "composite", "obligations", "role", "evidence", "unsupported", "false citations", "marks"}}
		for _, row := range g.Trial.Rows {
			a := r.Answers.Rows[row]
			t.rows = append(t.rows, []string{row, show.Share(a.Composite), show.Share(a.Obligations), show.Share(a.Role),
				show.Share(a.Evidence), number(a.Unsupported), number(a.FalseCitation), number(a.Marks)})
		}
		t.print(w)
		fmt.Fprintf(w, "  graders give %s answers the same composite in %s; allocation and packets were made again and %s\n",
			number(r.Answers.Agreement.Pairs), show.Share(r.Answers.Agreement.Exact), agrees(r.Answers.Reproduced))
	}

	fmt.Fprintf(w, "\nChanged contexts (first %d documents of %s and %s)\n", g.Trial.Top, g.Changed[0], g.Changed[1])
	fmt.Fprintf(w, "  order       %d of %d tasks  %s\n", len(r.Changed.Order), r.Tasks.Final, visible(list(r.Changed.Order)))
	fmt.Fprintf(w, "  membership  %d of %d tasks  %s\n", len(r.Changed.Membership), r.Tasks.Final, visible(list(r.Changed.Membership)))
	if r.Dependence != "" {
		fmt.Fprintf(w, "\nnote: %s\n", visible(r.Dependence))
	}
}

func printContrasts(w io.Writer, g *graded.Spec, r *graded.Results) {
	t := table{title: "Contrasts (paired by final task)", head: []string{"measure", "contrast", "n", "nonzero", "difference",
		"95% interval", "stratified", "p", "exact p", "Holm p"}, left: 2}
	alone := table{title: "The same differences from one judge alone", head: []string{"measure", "judge", "n", "difference"}, left: 2}
	for _, spec := range g.Contrasts {
		c, ok := r.Contrasts[spec.Name]
		if !ok {
			continue
		}
		t.rows = append(t.rows, []string{spec.Name, c.Method + " − " + c.Against, number(c.N), number(c.Nonzero),
			show.Signed(c.Difference), interval(c.CI95), interval(c.CI95Stratified),
			show.Chance(c.P), show.Chance(c.PExact), show.Chance(c.PHolm)})
		kind, judges := "assessor ", names(g.Pool.Assessors, func(a graded.Assessor) string { return a.Name })
		if spec.Measure == graded.Composite {
			kind, judges = "grader ", names(g.Trial.Graders, func(a graded.Grader) string { return a.Name })
		}
		for _, judge := range judges {
			if a, ok := c.Alone[judge]; ok {
				alone.rows = append(alone.rows, []string{spec.Name, kind + judge, number(a.N), show.Signed(a.Difference)})
			}
		}
	}
	t.print(w)
	alone.print(w)
}

func printAgreement(w io.Writer, g *graded.Spec, a *graded.AgreementResult) {
	by := []string{g.Pool.Assessors[0].Name, g.Pool.Assessors[1].Name}
	t := table{title: fmt.Sprintf("Agreement (pairs by grade: rows %s, columns %s)", visible(by[0]), visible(by[1])), head: []string{""}}
	for i, row := range a.Matrix {
		t.head = append(t.head, fmt.Sprint(i))
		cells := []string{fmt.Sprint(i)}
		for _, n := range row {
			cells = append(cells, number(n))
		}
		t.rows = append(t.rows, cells)
	}
	t.print(w)
	fmt.Fprintf(w, "  %s pairs, the same grade %s, Cohen's κ with quadratic weights %s, %s disagreements; --json lists them\n",
		number(a.Pairs), show.Share(a.Exact), mean(a.Kappa), number(a.Disagreements))
}

func candidateNames(g *graded.Spec) []string {
	return names(g.Selection.Candidates, func(c graded.Candidate) string { return c.Name })
}

func names[T any](of []T, name func(T) string) []string {
	var out []string
	for _, x := range of {
		out = append(out, name(x))
	}
	return out
}

func number(n int) string { return show.Count(int64(n)) }

// mean writes a mean, or a dash where it has no value.
func mean(x *float64) string {
	if x == nil {
		return "–"
	}
	return show.Share(*x)
}

func interval(ci [2]float64) string { return show.Signed(ci[0]) + " to " + show.Signed(ci[1]) }

// list writes IDs, or a dash where there are none.
func list(ids []string) string {
	if len(ids) == 0 {
		return "–"
	}
	return strings.Join(ids, " ")
}

func agrees(yes bool) string {
	if yes {
		return "agree"
	}
	return "differ"
}
