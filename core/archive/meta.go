package archive

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Authors is who made the bundled studies, and whom an archive names where its study names nobody.
const Authors = "Retrace developers"

// Meta is what an archive says of its study beyond the files: the fields of study.json that people cite.
type Meta struct {
	ID          string // the name of the study's folder
	Title       string // one line
	Abstract    string // paragraphs, separated by empty lines
	Version     string // one line
	Published   string // date as YYYY-MM-DD; RO-Crate requires one, and no clock may give it
	Authors     string // one line; empty means the constant Authors
	DataLicence string // SPDX identifier of the licence of everything in the study's folders
	CodeLicence string // SPDX identifier of the licence of the program that computes the study
}

// check returns m with its defaults, or what is missing or ill-formed.
func (m Meta) check() (Meta, error) {
	if m.Authors == "" {
		m.Authors = Authors
	}
	if err := CheckPath(m.ID); err != nil || strings.Contains(m.ID, "/") {
		return m, fmt.Errorf("archive: study %+q: no name for a folder: use letters, digits, - and _", m.ID)
	}
	for _, f := range []struct{ name, value string }{
		{"title", m.Title}, {"abstract", m.Abstract}, {"version", m.Version}, {"authors", m.Authors},
		{"data licence", m.DataLicence}, {"code licence", m.CodeLicence},
	} {
		switch {
		case strings.TrimSpace(f.value) == "":
			return m, fmt.Errorf("archive: study %s: no %s: state it in study.json", m.ID, f.name)
		case !utf8.ValidString(f.value):
			return m, fmt.Errorf("archive: study %s: %s is not valid UTF-8: %+q", m.ID, f.name, f.value)
		case strings.ContainsFunc(f.value, func(r rune) bool {
			return unicode.Is(unicode.C, r) && !(r == '\n' && f.name == "abstract")
		}):
			return m, fmt.Errorf("archive: study %s: %s has a control character: %+q", m.ID, f.name, f.value)
		case strings.HasSuffix(f.name, "licence") && strings.ContainsFunc(f.value, func(r rune) bool { return !licenceRune(r) }):
			return m, fmt.Errorf("archive: study %s: %s %+q is no SPDX identifier: write it as in CC0-1.0", m.ID, f.name, f.value)
		}
	}
	if !isDate(m.Published) {
		return m, fmt.Errorf("archive: study %s: date of publication %+q: give it as YYYY-MM-DD", m.ID, m.Published)
	}
	return m, nil
}

// licenceRune: the characters of SPDX short identifiers.
func licenceRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-'
}

// isDate tells whether s has the form of a date; that the day is one of its month is left to who states it.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i, c := range []byte(s) {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	month, day := s[5:7], s[8:10]
	return "01" <= month && month <= "12" && "01" <= day && day <= "31"
}

// LicencePath is where an archive holds the text of a licence, after the REUSE convention.
func LicencePath(spdx string) string { return "LICENSES/" + spdx + ".txt" }
