package author

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"retrace/core/design"
	"retrace/core/study"
)

// writeTitles shows the author which documents were drawn. The engine reads none of it.
func writeTitles(dir, id string, targets []byte, out io.Writer) error {
	s, err := study.Open(design.All, os.DirFS(dir), id)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(targets)), "\n") {
		fields := strings.Split(line, "\t")
		doc, ok := s.Collection.Number(fields[1])
		if i == 0 || !ok { // the names of the columns
			continue
		}
		d := s.Collection.Docs[doc]
		fmt.Fprintf(out, "  %s  %s  %s  %s\n", fields[0], fields[1], quoted(d.Title), quoted(cut(d.Text, 60)))
	}
	return nil
}

// checkTargets shows every question that was written for one document beside that document, by family, and warns where the two
// share no word: a question that was written for another target fits no study, and no seal could notice.
func checkTargets(s *study.Study, out io.Writer) {
	analyzer := s.Index.Analyzer()
	shown := map[string]bool{}
	apart := 0
	var list strings.Builder
	for _, q := range s.Questions {
		if q.Target < 0 || shown[q.Family] {
			continue
		}
		shown[q.Family] = true
		d := s.Collection.Docs[q.Target]
		words := map[string]bool{}
		for _, w := range analyzer.Tokens(d.Fields(s.Protocol.Collection.Indexed)) {
			words[w] = true
		}
		fmt.Fprintf(&list, "  %s  target %s  %s\n", q.Family, d.ID, quoted(d.Title))
		for _, other := range s.Questions {
			if other.Family != q.Family {
				continue
			}
			warning := "  — warning: it shares no word with its target"
			for _, w := range analyzer.Tokens(other.Text) {
				if words[w] {
					warning = ""
				}
			}
			if warning != "" {
				apart++
			}
			fmt.Fprintf(&list, "      %s  %s%s\n", other.ID, quoted(cut(other.Text, 90)), warning)
		}
	}
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(out, "questions beside their targets; %d of them share no word with theirs:\n%s", apart, list.String())
}

// quoted is a text that can't act on a terminal.
func quoted(text string) string { return strconv.Quote(text) }

// cut shortens a text to n characters.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
