package archive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"retrace/core/author"
	"retrace/core/records"
)

// Meta is what an archive says of its study beyond the files: the fields of study.json that people cite.
type Meta struct {
	ID          string // the name of the study's folder
	Title       string // one line
	Abstract    string // paragraphs, separated by empty lines
	Version     string // one line
	Published   string // date as YYYY-MM-DD; RO-Crate requires one, and no clock may give it
	Authors     []author.Author
	Provenance  string // paragraphs: who made the data, and how far they can be trusted
	DataLicence string // SPDX identifier of the licence of everything in the study's folders
	Draft       bool   // not every stage is sealed
	CodeLicence string // SPDX identifier of the licence of the program that computes the study
}

// names is the authors on one line.
func (m Meta) names() string {
	names := make([]string, len(m.Authors))
	for i, a := range m.Authors {
		names[i] = a.String()
	}
	return strings.Join(names, ", ")
}

// Check says what is missing or ill-formed.
func (m Meta) Check() error {
	if err := CheckPath(m.ID); err != nil || strings.Contains(m.ID, "/") {
		return records.Errorf("study.json", 0, "use letters, digits, - and _", "the study's ID %+q can't name a folder", m.ID)
	}
	name := m.ID + "/study.json"
	if len(m.Authors) == 0 {
		return records.Errorf(name, 0, "add \"authors\": [{\"given\": \"Ada\", \"family\": \"Author\"}]: an archive says whom to cite", "no authors")
	}
	type field struct{ what, value string }
	fields := []field{{"title", m.Title}, {"abstract", m.Abstract}, {"version", m.Version}, {"provenance", m.Provenance},
		{"data licence", m.DataLicence}, {"code licence", m.CodeLicence}}
	if what := author.CheckAll(m.Authors); what != "" {
		return records.Errorf(name, 0, "an archive states whom to cite to those who find it later", "authors: %s", what)
	}
	for _, f := range fields {
		paragraphs := f.what == "abstract" || f.what == "provenance"
		switch {
		case strings.TrimSpace(f.value) == "":
			return records.Errorf(name, 0, "an archive states it to those who find it later", "no %s", f.what)
		case !utf8.ValidString(f.value):
			return records.Errorf(name, 0, "save the file as UTF-8", "%s is not valid UTF-8: %+q", f.what, f.value)
		case strings.ContainsFunc(f.value, func(r rune) bool { return unicode.Is(unicode.C, r) && !(r == '\n' && paragraphs) }):
			return records.Errorf(name, 0, "leave out control and formatting characters", "%s has a control character: %+q", f.what, f.value)
		case strings.HasSuffix(f.what, "licence") && strings.ContainsFunc(f.value, func(r rune) bool { return !licenceRune(r) }):
			return records.Errorf(name, 0, "write it as in CC0-1.0", "%s %+q is no SPDX identifier", f.what, f.value)
		}
	}
	if !isDate(m.Published) {
		return records.Errorf(name, 0, "give it as YYYY-MM-DD", "date of publication %+q", m.Published)
	}
	return nil
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
