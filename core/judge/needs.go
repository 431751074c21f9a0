package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"retrace/core/nfc"
	"retrace/core/records"
)

// MaxNeeds bounds the needs of one file.
const MaxNeeds = 10_000

// A View is the part of a collection that a search may see.
type View struct {
	Name      string
	Permitted []string // passage IDs, in the collection's order
	Others    []string // the collection's passages outside the view
}

// A Need is one judged question over a view.
type Need struct {
	ID, Query, Slice, Text string
	Labels                 []int // 0 or 1 for each permitted passage, in the view's order
	Line                   int
}

// Relevant counts the passages with label 1.
func (n *Need) Relevant() int {
	count := 0
	for _, label := range n.Labels {
		count += label
	}
	return count
}

type needFile struct {
	Split string            `json:"split"`
	View  string            `json:"view"`
	Needs []json.RawMessage `json:"needs"`
}

type needRecord struct {
	ID         string                     `json:"id"`
	Query      string                     `json:"query"`
	Slice      string                     `json:"slice"`
	Need       string                     `json:"need"`
	Judgements map[string]json.RawMessage `json:"judgements"`
}

// ParseNeeds reads a file of needs with complete binary labels: {split, view, needs: [{id, query, slice, need,
// judgements: {passage: 0|1}}]}. A permitted passage without label, a label for an unknown passage or for one of another
// view, a label other than 0 and 1, and a file of another view or split are errors; all are reported (see Problems).
func ParseNeeds(file string, data []byte, split string, view View) ([]Need, error) {
	r := &reader{file: file}
	var f needFile
	if err := records.Decode(file, 0, data, &f); err != nil {
		r.addError(err)
		return nil, r.err()
	}
	if f.Split != split {
		r.addf(0, "name the split that the study declares for this file", "split %s, want %s", name(f.Split), name(split))
	}
	if f.View != view.Name {
		r.addf(0, "judge the needs over the view that is searched", "view %s, want %s", name(f.View), name(view.Name))
	}
	if len(f.Needs) == 0 || len(f.Needs) > MaxNeeds {
		r.addf(0, "give 1 to 10,000 needs", "%d needs", len(f.Needs))
		return nil, r.err()
	}
	place := make(map[string]int, len(view.Permitted))
	for i, id := range view.Permitted {
		place[id] = i
	}
	outside := make(map[string]bool, len(view.Others))
	for _, id := range view.Others {
		outside[id] = true
	}
	seen := make(map[string]int, len(f.Needs))
	needs := make([]Need, 0, len(f.Needs))
	rest, restLine := data, 1
	for _, raw := range f.Needs {
		// The raw text is a copy of what stands in the file: its place gives the line.
		line := restLine
		if at := bytes.Index(rest, raw); at >= 0 {
			line += bytes.Count(rest[:at], []byte{'\n'})
			rest, restLine = rest[at+len(raw):], line+bytes.Count(raw, []byte{'\n'})
		}
		var n needRecord
		if err := records.Decode(file, line, raw, &n); err != nil {
			r.addError(err)
			continue
		}
		where := "need " + name(n.ID)
		if n.ID == "" || n.Query == "" {
			r.addf(line, "give each need an id and a query", "%s: id or query is missing", where)
		}
		if first, twice := seen[n.ID]; twice {
			r.addf(line, "give each need an id of its own", "%s stands twice, first at line %d", where, first)
		}
		seen[n.ID] = line
		need := Need{ID: n.ID, Query: n.Query, Slice: n.Slice, Text: n.Need, Labels: make([]int, len(view.Permitted)), Line: line}
		for _, id := range slices.Sorted(maps.Keys(n.Judgements)) {
			at, permitted := place[id]
			switch {
			case outside[id]:
				r.addf(line, "judge permitted passages only", "%s passage %s: judgement %s of a passage outside view %s",
					where, name(id), show(n.Judgements[id]), name(view.Name))
			case !permitted:
				r.addf(line, "judge passages of the collection", "%s: judgement %s of unknown passage %s%s", where, show(n.Judgements[id]), name(id),
					nfc.Near(id, maps.Keys(place)))
			default:
				label, what := whole(n.Judgements[id], 1)
				if what != "" {
					r.addf(line, gradeHint(1), "%s passage %s: label %s %s", where, name(id), show(n.Judgements[id]), what)
				}
				need.Labels[at] = label
			}
		}
		for _, id := range view.Permitted {
			if _, judged := n.Judgements[id]; !judged {
				r.addf(line, "label every permitted passage 0 or 1", "%s passage %s: label is missing", where, name(id))
			}
		}
		needs = append(needs, need)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return needs, nil
}

// CheckReturned refuses a result that a method must not give: a passage twice, one outside the view, an unknown one.
func (v View) CheckReturned(need string, returned []string) error {
	rank := make(map[string]int, len(returned))
	for i, id := range returned {
		first, twice := rank[id]
		switch {
		case twice:
			return fmt.Errorf("judge: need %s: passage %s is returned at ranks %d and %d: return each passage once", name(need), name(id), first, i+1)
		case slices.Contains(v.Permitted, id):
		case slices.Contains(v.Others, id):
			return fmt.Errorf("judge: need %s: passage %s at rank %d is outside view %s: search permitted passages only", name(need), name(id), i+1, name(v.Name))
		default:
			return fmt.Errorf("judge: need %s: unknown passage %s at rank %d: search the study's collection", name(need), name(id), i+1)
		}
		rank[id] = i + 1
	}
	return nil
}
