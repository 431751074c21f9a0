package api

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"retrace/core/kit"
)

// shortHash is how many hexadecimal digits of a results' hash a badge shows: 48 bits.
const shortHash = 12

// badge draws a study's ID and the short hash of its frozen results.
func (s *server) badge(r *http.Request) (content, error) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	if !ok {
		return content{}, problemf(notFound, "", "nothing stands at %s", r.URL.Path).hint("badges are at /badge/{id}.svg")
	}
	data, err := s.frozenFile(id, withoutVectors(r))
	if err != nil {
		return content{}, err
	}
	return content{"image/svg+xml", "public, max-age=300", drawBadge(id, kit.Hash(data))}, nil
}

// drawBadge uses a fixed-width font and states each text's length, so that it looks the same whatever font there is.
// White on #333 and on #0b5394 have contrasts of 12.6 and 7.7 to 1 (WCAG 2.2 asks for 4.5).
func drawBadge(id, hash string) []byte {
	const digit, pad, height = 7, 8, 20
	label, value := "retrace "+id, hash[:shortHash]
	left, right := len(label)*digit+2*pad, len(value)*digit+2*pad
	title := html.EscapeString(fmt.Sprintf("Study %s: SHA-256 of the frozen results starts with %s", id, value))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" `+
		`role="img" aria-labelledby="t"><title id="t">%[3]s</title>`+
		`<rect width="%[4]d" height="%[2]d" fill="#333"/><rect x="%[4]d" width="%[5]d" height="%[2]d" fill="#0b5394"/>`+
		`<g fill="#fff" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="11" aria-hidden="true">`+
		`<text x="%[6]d" y="14" textLength="%[7]d" lengthAdjust="spacingAndGlyphs">%[8]s</text>`+
		`<text x="%[9]d" y="14" textLength="%[10]d" lengthAdjust="spacingAndGlyphs">%[11]s</text></g></svg>`+"\n",
		left+right, height, title, left, right, pad, len(label)*digit, html.EscapeString(label), left+pad, len(value)*digit, value)
}
