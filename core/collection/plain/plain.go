// Package plain reads collections as early test collections are still handed on: a compressed tape archive of HTML records,
// and topics between DOC tags. Text is what is left once tags are stripped and references decoded; nothing else is understood.
package plain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"retrace/core/collection"
	"retrace/core/records"
)

// Text is the plain parse of a record in Latin-1: everything from a "<" to the next ">" becomes a space, character references
// are decoded, and white space is joined. A "<" that no tag begins takes what follows up to the next ">" with it, as in every
// parse of this kind. References that HTML's Latin-1 set doesn't name are an error, which begins with the reference.
func Text(raw []byte) (string, error) {
	var b strings.Builder
	for len(raw) > 0 {
		open := bytes.IndexByte(raw, '<')
		end := -1
		if open >= 0 {
			end = bytes.IndexByte(raw[open:], '>')
		}
		if end < 0 { // no tag is left
			latin1(&b, raw)
			break
		}
		latin1(&b, raw[:open])
		b.WriteByte(' ')
		raw = raw[open+end+1:]
	}
	text, err := decoded(b.String())
	return strings.Join(strings.Fields(text), " "), err
}

// latin1 writes bytes of ISO 8859-1, each of which is the code point of its number.
func latin1(b *strings.Builder, raw []byte) {
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
}

// names are HTML's names of the Latin-1 characters from U+00A0 on (HTML 4.01, 24.2.1).
const names = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
	"para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
	"Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute " +
	"THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde " +
	"ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"

// decoded replaces character references that end in a semicolon; any other "&" is itself.
func decoded(text string) (string, error) {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '&')
		if at < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		b.WriteString(text[:at])
		text = text[at:]
		n := 1
		for n < len(text) && n <= maxReference && (alphanumeric(text[n]) || n == 1 && text[n] == '#') {
			n++
		}
		if n == 1 || n == len(text) || text[n] != ';' {
			b.WriteByte('&')
			text = text[1:]
			continue
		}
		r := character(text[1:n])
		if r == 0 {
			return "", fmt.Errorf("%s: no character of that name or number is known", text[:n+1])
		}
		b.WriteRune(r)
		text = text[n+1:]
	}
}

// maxReference bounds a reference between "&" and ";"; the longest that is known has 8 characters.
const maxReference = 32

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// character is what a reference stands for, 0 where that is nothing that a text may hold.
func character(name string) rune {
	if number, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if strings.HasPrefix(number, "x") || strings.HasPrefix(number, "X") {
			number, base = number[1:], 16
		}
		n, err := strconv.ParseUint(number, base, 32)
		if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) || n < ' ' && n != '\t' && n != '\n' && n != '\r' || 0x7f <= n && n < 0xa0 {
			return 0
		}
		return rune(n)
	}
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	}
	for i, known := range strings.Fields(names) {
		if name == known {
			return rune(0xa0 + i)
		}
	}
	return 0
}

// Documents reads a tar.gz whose members *.html are the records, one a document: its ID is the member's name without folders
// and extension, its title the record's first paragraph, its text the whole record's. Other members are left out.
func Documents(file string, data []byte) (*collection.Collection, error) {
	members, err := archive(file, data)
	if err != nil {
		return nil, err
	}
	docs := make([]collection.Document, len(members))
	seen := make(map[string]string, len(members))
	for i, m := range members {
		d := &docs[i]
		d.ID = m.id()
		if first, ok := seen[d.ID]; ok {
			return nil, records.Errorf(file, 0, "give every record a name of its own", "%q and %q are both named %q", first, m.name, d.ID)
		}
		seen[d.ID] = m.name
		if bytes.IndexByte(m.data, 0) >= 0 {
			return nil, records.Errorf(file, 0, "records are text in Latin-1", "%q holds a NUL byte", m.name)
		}
		if d.Text, err = Text(m.data); err == nil {
			d.Title, err = Text(firstParagraph(m.data))
		}
		if err != nil {
			return nil, records.Errorf(file, 0, "write the character itself, in Latin-1", "%q: %v", m.name, err)
		}
	}
	return collection.New(file, docs)
}

// firstParagraph returns a record up to the first blank line after some text.
func firstParagraph(raw []byte) []byte {
	n, text := 0, false
	for line := range bytes.Lines(raw) {
		tag := bytes.TrimSpace(line)
		if len(tag) == 0 && text {
			break
		}
		text = text || len(tag) > 0 && !(tag[0] == '<' && bytes.IndexByte(tag, '>') == len(tag)-1)
		n += len(line)
	}
	return raw[:n]
}

// Citations reads the citations that the records of an archive list: lines of three whole numbers with tabs between, of which the
// first is a record's, the second the line's kind, the third the number of the record that the line stands in. A record's number
// is what its ID ends with. Lines of other kinds are left out; self-loops and repeated links are kept, for the projection to decide.
func Citations(file string, data []byte, c *collection.Collection, kind int) ([]collection.Link, error) {
	members, err := archive(file, data)
	if err != nil {
		return nil, err
	}
	byNumber := map[int]int{} // a record's number -> its document's
	for d := range c.Docs {
		n, ok := number(c.Docs[d].ID)
		if !ok {
			return nil, records.Errorf(file, 0, "citations are by the number that a record's name ends with", "%q ends with no number", c.Docs[d].ID)
		}
		if other, ok := byNumber[n]; ok {
			return nil, records.Errorf(file, 0, "citations are by the number that a record's name ends with", "%q and %q both end with %d",
				c.Docs[other].ID, c.Docs[d].ID, n)
		}
		byNumber[n] = d
	}
	var links []collection.Link
	for _, m := range members {
		target, _ := c.Number(m.id())
		line := 0
		for text := range bytes.Lines(m.data) {
			line++
			row, ok := citation(string(bytes.TrimRight(text, "\r\n ")))
			if !ok || row[1] != kind {
				continue
			}
			source, known := byNumber[row[0]]
			if own, ok := byNumber[row[2]]; !known || !ok || own != target {
				return nil, records.Errorf(file, 0, "a line of citations names a record by its number, its kind, and the number of its own record",
					"%s:%d: %d cites %d, which is not in %s", m.name, line, row[0], row[2], c.Docs[target].ID)
			}
			if len(links) == collection.MaxLinks {
				return nil, records.Errorf(file, 0, "split the links", "more than %d citations", collection.MaxLinks)
			}
			links = append(links, collection.Link{Source: source, Target: target, Line: line})
		}
	}
	return links, nil
}

// citation reads a line of three whole numbers.
func citation(line string) (row [3]int, ok bool) {
	fields := strings.Split(line, "\t")
	if len(fields) != len(row) {
		return row, false
	}
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 31)
		if err != nil {
			return row, false
		}
		row[i] = int(n)
	}
	return row, true
}

// number is what an ID ends with.
func number(id string) (int, bool) {
	digits := len(id)
	for digits > 0 && '0' <= id[digits-1] && id[digits-1] <= '9' {
		digits--
	}
	n, err := strconv.ParseUint(id[digits:], 10, 31)
	return int(n), err == nil
}

// A Topic is one question of a file of topics.
type Topic struct {
	ID, Text string
	Line     int
}

// Topics reads topics as <DOC> <DOCNO> ID </DOCNO> text </DOC>, with nothing between them; the text is read as Text does.
func Topics(file string, data []byte) ([]Topic, error) {
	hint := "write each topic as <DOC><DOCNO>ID</DOCNO>text</DOC>"
	var list []Topic
	line := 1
	for rest, counted := data, data; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		line += bytes.Count(counted[:len(counted)-len(rest)], []byte("\n"))
		counted = rest
		if len(rest) == 0 {
			return list, nil
		}
		var t Topic
		inside, after, ok := between(rest, "<DOC>", "</DOC>")
		if !ok {
			return nil, records.Errorf(file, line, hint, "a topic begins with <DOC> and ends with </DOC>")
		}
		id, body, ok := between(bytes.TrimSpace(inside), "<DOCNO>", "</DOCNO>")
		if !ok || bytes.Contains(inside, []byte("<DOC>")) {
			return nil, records.Errorf(file, line, hint, "the topic has no <DOCNO>, or no </DOC>")
		}
		text, err := Text(body)
		if err != nil {
			return nil, records.Errorf(file, line, "write the character itself, in Latin-1", "%v", err)
		}
		t.ID, t.Text, t.Line = strings.TrimSpace(string(id)), text, line
		list = append(list, t)
		rest = after
	}
}

// between returns what stands after an opening text that data begins with, up to a closing one, and what follows that.
func between(data []byte, open, end string) (inside, after []byte, ok bool) {
	data, ok = bytes.CutPrefix(data, []byte(open))
	if !ok {
		return nil, nil, false
	}
	return bytes.Cut(data, []byte(end))
}
