package main

import (
	"fmt"
	"io"
	"strings"

	"retrace/core/design/adhoc"
	"retrace/core/show"
	"retrace/core/study"
)

// printAdhoc prints the results of a study of topics, judgements and systems.
func printAdhoc(w io.Writer, s *study.Study, r *adhoc.Results) {
	a := adhoc.Of(s.Protocol)
	j := r.Judgements
	fmt.Fprintf(w, "%s judged topics with %s judgements of %d assessor(s); %d without a relevant document, %d questions not judged\n",
		number(j.Topics), number(j.Lines), len(j.Assessors), len(j.Empty), len(j.Unjudged))
	if j.Agreement != nil {
		fmt.Fprintf(w, "assessors agree on %s of %s documents, alpha %s\n", number(j.Agreement.Same), number(j.Agreement.Documents),
			mean(j.Agreement.Alpha))
	}
	t := table{title: "Systems", head: []string{"system"}}
	for _, m := range a.Measures {
		t.head = append(t.head, m.Measure)
	}
	t.head = append(t.head, fmt.Sprintf("Judged@%d", r.JudgedAt), "topics", "documents")
	bands := table{title: "Lowest and highest figure over all orders of tied documents", head: []string{"system", "measure", "lowest",
		"as ordered", "highest"}, left: 2}
	for _, name := range a.Systems(s.Protocol) {
		x := r.Systems[name]
		row := []string{name}
		for _, m := range a.Measures {
			row = append(row, mean(x.Means[m.Key]))
			if b, ok := x.Bands[m.Key]; ok {
				bands.rows = append(bands.rows, []string{name, m.Measure, show.Share(b[0]), mean(x.Means[m.Key]), show.Share(b[1])})
			}
		}
		t.rows = append(t.rows, append(row, mean(x.Judged), number(x.Answered), number(x.Returned)))
	}
	t.print(w)
	bands.print(w)
	printAdhocContrasts(w, s, a, r)
}

func printAdhocContrasts(w io.Writer, s *study.Study, a *adhoc.Spec, r *adhoc.Results) {
	t := table{title: "Contrasts (" + a.Spoken(a.Primary) + ", paired by topic)",
		head: []string{"contrast", "difference", "95% interval", "p", "exact p", "corrected p", "d_z", "up", "down", "tied"}}
	var hangs []string
	for _, c := range a.AllContrasts(s.Protocol) {
		x, ok := r.Contrasts[c.Name]
		if !ok {
			continue
		}
		exact, effect := "–", "–"
		if x.PExact != nil {
			exact = show.Chance(*x.PExact)
		}
		if x.Effect != nil {
			effect = show.Signed(*x.Effect)
		}
		t.rows = append(t.rows, []string{c.System + " − " + c.Against, show.Signed(x.Difference),
			show.Signed(x.CI95[0]) + " to " + show.Signed(x.CI95[1]),
			show.Chance(x.P), exact, show.Chance(x.PAdjusted), effect, number(x.Up), number(x.Down), number(x.Tied)})
		for _, name := range a.Hangs(x) {
			hangs = append(hangs, fmt.Sprintf("%s − %s: with %s the difference is %s, corrected p %s", c.System, c.Against,
				adhoc.ReadAs(name),
				show.Signed(x.Readings[name].Difference), show.Chance(x.Readings[name].PAdjusted)))
		}
	}
	t.print(w)
	if len(hangs) > 0 {
		fmt.Fprintf(w, "\nOutcomes that hang on a choice:\n  %s\n", visible(strings.Join(hangs, "\n  ")))
	}
}
