package page

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"unicode"

	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/verdict"
)

// functions are what templates may call.
func functions(p *pageData) template.FuncMap {
	return template.FuncMap{
		"num":      func(keys ...any) (template.HTML, error) { return p.article.Num(keys...) },
		"val":      func(keys ...any) (template.HTML, error) { return p.article.Val(keys...) },
		"path":     joinPath,
		"kit":      kitText,
		"pieces":   func(list []verdict.Part) (template.HTML, error) { return p.article.pieces(list) },
		"note":     note,
		"count":    func(n any) (string, error) { return count(n) },
		"bytes":    size,
		"explain":  explainAddress,
		"question": questionAddress,
		"list":     list,
		"addOne":   func(n int) int { return n + 1 },
		"markdown": markdown,
		"dict":     dict,
	}
}

// dict makes a map of its arguments, names and values in turn, for templates that take several values.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("page: dict: a name without a value")
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m, nil
}

// joinPath joins keys into the path of a number. A key with dots is split first, so that templates can write
// "contrasts.primary"; names from a kit come as keys of their own, where dots stay.
func joinPath(keys ...any) (string, error) {
	path := ""
	for i, key := range keys {
		text := fmt.Sprint(key)
		if i == 0 {
			parts, err := numpath.Split(text)
			if err != nil {
				return "", err
			}
			for _, part := range parts {
				path = numpath.Join(path, part)
			}
			continue
		}
		path = numpath.Join(path, text)
	}
	return path, nil
}

// explainAddress is the address of a number's explanation on its study's page.
func explainAddress(path string) string { return "#explain=" + url.QueryEscape(path) }

// questionAddress is the address of a question's view on its study's page.
func questionAddress(id string) string { return "#question=" + url.QueryEscape(id) }

// numbers are the frozen numbers of a study by path.
type numbers map[string]show.Number

// html is a number as the page shows it: a link to its explanation, with its path, its state and its text.
func (n numbers) html(path string) (template.HTML, error) {
	number, ok := n[path]
	if !ok {
		return "", fmt.Errorf("page: the frozen results have no number at %q", path)
	}
	return numberHTML(path, number.Text), nil
}

func numberHTML(path, text string) template.HTML {
	return template.HTML(`<a class="num" href="` + template.HTMLEscapeString(explainAddress(path)) + `" data-path="` +
		template.HTMLEscapeString(path) +
		`" data-state="published" aria-describedby="state-published">` + template.HTMLEscapeString(text) + `</a>`)
}

// absent stands for a number that the results hold as null.
const absent = template.HTML(`<span class="none">none</span>`)

// undefined stands for a measure that has no value, which is neither 0 nor 1.
const undefined = template.HTML(`<span class="none">undefined</span>`)

// kitText is text from a kit, which nobody trusts: escaped, isolated from the direction of the text around it, with
// control characters made visible.
func kitText(text string) template.HTML {
	var b strings.Builder
	b.WriteString(`<bdi>`)
	for _, r := range text {
		if invisible(r) {
			fmt.Fprintf(&b, `<span class="control">U+%04X</span>`, r)
		} else {
			b.WriteString(template.HTMLEscapeString(string(r)))
		}
	}
	b.WriteString(`</bdi>`)
	return template.HTML(b.String())
}

// plainText is text from a kit for places that hold no markup, with control characters written out.
func plainText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if invisible(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports characters that would change how others are shown, or hide: controls and formatting characters, but
// not the line feed and the tab.
func invisible(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar ||
		r == '\u2028' || r == '\u2029')
}

// note is a term with its meaning, which opens in place or stands in the margin.
func note(id, term, text string) template.HTML {
	id = template.HTMLEscapeString("note-" + id)
	return template.HTML(`<button type="button" class="term" aria-expanded="false" aria-controls="` + id + `">` +
		template.HTMLEscapeString(term) +
		`</button><span class="note" id="` + id + `" role="note">` + template.HTMLEscapeString(text) + `</span>`)
}

func count(n any) (string, error) {
	switch x := n.(type) {
	case int:
		return show.Count(int64(x)), nil
	case int64:
		return show.Count(x), nil
	}
	return "", fmt.Errorf("page: count of a %T", n)
}

// size writes a size in bytes as people read it: decimal units, as browsers and file managers do.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d\u202fB", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f\u202fkB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f\u202fMB", float64(n)/1e6)
}
