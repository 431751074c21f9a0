package page

import (
	"html/template"
	"strings"
)

// markdown shows a protocol's text: headings, paragraphs, list items with their continuation lines, and code in
// backticks. All else stays as it is written, so that nothing of an untrusted kit becomes markup.
func markdown(text string) template.HTML {
	var b strings.Builder
	var open string // the element that lines are being added to
	shut := func() {
		if open != "" {
			b.WriteString("</" + open + ">")
			open = ""
		}
	}
	list := false
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed, "- ")
		level := len(line) - len(strings.TrimLeft(line, "#"))
		heading := level > 0 && strings.HasPrefix(line[level:], " ")
		if heading || isItem || trimmed == "" {
			shut()
		}
		if list && (heading || !isItem && trimmed != "" && open == "") {
			b.WriteString("</ul>")
			list = false
		}
		switch {
		case trimmed == "":
		case heading:
			b.WriteString(`<p class="protocol-heading">`)
			inline(&b, strings.TrimSpace(line[level:]))
			b.WriteString(`</p>`)
		case isItem:
			if !list {
				b.WriteString("<ul>")
				list = true
			}
			b.WriteString("<li>")
			open = "li"
			inline(&b, item)
		default:
			if open == "" {
				b.WriteString("<p>")
				open = "p"
			} else {
				b.WriteByte('\n')
			}
			inline(&b, trimmed)
		}
	}
	shut()
	if list {
		b.WriteString("</ul>")
	}
	return template.HTML(b.String())
}

// inline writes text with `code` as code.
func inline(b *strings.Builder, text string) {
	for i, part := range strings.Split(text, "`") {
		if part == "" {
			continue
		}
		if i%2 == 1 {
			b.WriteString("<code>" + string(kitText(part)) + "</code>")
		} else {
			b.WriteString(string(kitText(part)))
		}
	}
}
