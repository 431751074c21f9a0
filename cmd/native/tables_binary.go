package main

import (
	"fmt"
	"io"
	"strings"

	"retrace/core/design/binary"
	"retrace/core/show"
	"retrace/core/study"
)

// printBinary prints the results of a study in which every document is judged for every need.
func printBinary(w io.Writer, s *study.Study, r *binary.Results) {
	b := binary.Of(s.Protocol)
	fmt.Fprintf(w, "view %s: %d passages\n", visible(r.View.Name), r.View.Passages)
	fmt.Fprintf(w, "index: %s terms, %s postings, %s tokens, %s bytes, SHA-256 %s\n", number(r.Index.Terms), number(r.Index.Postings),
		show.Count(r.Index.Tokens), number(r.Index.Bytes), r.Index.SHA256)
	for _, same := range r.Same {
		fmt.Fprintf(w, "%s return the same passages with the same scores for %d needs\n", visible(strings.Join(same.Methods, " and ")),
			same.Needs)
	}

	for _, split := range b.Splits {
		one := r.Splits[split.Name]
		t := table{title: fmt.Sprintf("%s (%d needs)", visible(split.Name), one.Needs), head: []string{"method"}}
		for _, m := range b.Measures {
			t.head = append(t.head, m.Measure)
		}
		t.head = append(t.head, "defined", "undefined")
		for _, m := range s.Protocol.Methods {
			x, ok := one.Methods[m.Name]
			if !ok {
				continue
			}
			row := []string{m.Name}
			for _, spec := range b.Measures {
				row = append(row, mean(x.Means[spec.Key]))
			}
			t.rows = append(t.rows, append(row, number(x.Defined), number(len(x.Undefined))))
		}
		t.print(w)
	}

	printUndefined(w, s, r)

	var changed []string
	t := table{title: "Audit: needs whose first passage differs between methods",
		head: []string{"need", "split", "slice", "first passages", "measures that differ"}, left: 5}
	for _, a := range r.Audit {
		if !a.FirstChanged && len(a.MeasuresChanged) == 0 {
			continue
		}
		if len(a.MeasuresChanged) > 0 {
			changed = append(changed, a.Need)
		}
		if a.FirstChanged {
			var first []string
			for _, m := range s.Protocol.Methods {
				passage := "–"
				if p := a.First[m.Name]; p != nil {
					passage = *p
				}
				first = append(first, m.Name+" "+passage)
			}
			t.rows = append(t.rows, []string{a.Need, a.Split, a.Slice, strings.Join(first, ", "), list(a.MeasuresChanged)})
		}
	}
	firsts := len(t.rows)
	t.print(w)
	fmt.Fprintf(w, "\naudit: of %d needs, %d have another first passage and %d another measure by method\n", len(r.Audit), firsts,
		len(changed))

	t = table{title: "Error notebook", head: []string{"what", "notes", "needs"}, left: 3}
	for _, kind := range []string{binary.NoteNoCandidates, binary.NoteNegativeFirst, binary.NoteCapacity, binary.NoteSlice} {
		var needs []string
		n := 0
		for _, note := range r.Notebook {
			if note.Kind != kind {
				continue
			}
			n++
			if len(needs) == 0 || needs[len(needs)-1] != note.Need {
				needs = append(needs, note.Need)
			}
		}
		t.rows = append(t.rows, []string{kind, number(n), list(needs)})
	}
	t.print(w)
	fmt.Fprintf(w, "\n%d notes in all; --json gives them with passages and words\n", len(r.Notebook))
}

// printUndefined lists the needs without a relevant passage, and how many passages each method returned all the same.
func printUndefined(w io.Writer, s *study.Study, r *binary.Results) {
	t := table{title: "Needs without a relevant passage, and how many each method returned all the same",
		head: []string{"need", "split"}, left: 2}
	at := map[string]int{}
	for _, split := range binary.Of(s.Protocol).Splits {
		for _, m := range s.Protocol.Methods {
			for _, u := range r.Splits[split.Name].Methods[m.Name].Undefined {
				i, ok := at[u.Need]
				if !ok {
					i = len(t.rows)
					at[u.Need] = i
					t.rows = append(t.rows, []string{u.Need, split.Name})
				}
				t.rows[i] = append(t.rows[i], number(u.Candidates))
			}
		}
	}
	for _, m := range s.Protocol.Methods {
		t.head = append(t.head, m.Name)
	}
	t.print(w)
}
