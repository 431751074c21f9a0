// Package author holds whom to cite for a study: people, organisations, and names that may be either.
package author

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Author is one name under "authors" in study.json. A plain string is a name that archives can't tell to be a person's; an
// object with a given or a family name is a person, one with a name an organisation.
//
//schema:or string
type Author struct {
	Given       string `json:"given,omitempty"`       // a person's given names
	Family      string `json:"family,omitempty"`      // a person's family name
	ORCID       string `json:"orcid,omitempty"`       // a person's, as in 0000-0002-1825-0097
	Affiliation string `json:"affiliation,omitempty"` // the person's organisation
	Name        string `json:"name,omitempty"`        // an organisation's
	plain       bool
}

// Plain returns a name that may be a person's or an organisation's.
func Plain(name string) Author { return Author{Name: name, plain: true} }

// UnmarshalJSON reads a plain string or an object.
func (a *Author) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), `"`) {
		*a = Author{plain: true}
		return json.Unmarshal(data, &a.Name)
	}
	type object Author
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	*a = Author(o)
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (a Author) MarshalJSON() ([]byte, error) {
	if a.plain {
		return json.Marshal(a.Name)
	}
	type object Author
	return json.Marshal(object(a))
}

// Person reports whether the author is said to be a person.
func (a Author) Person() bool { return a.Given != "" || a.Family != "" }

// Unclear reports whether the author is a plain name.
func (a Author) Unclear() bool { return a.plain }

// String is the name as people write it.
func (a Author) String() string {
	if a.Person() {
		return strings.TrimSpace(a.Given + " " + a.Family)
	}
	return a.Name
}

// Check says what is wrong with the author, "" if nothing is.
func (a Author) Check() string {
	for _, f := range []struct{ what, value string }{{"given", a.Given}, {"family", a.Family}, {"affiliation", a.Affiliation}, {"name", a.Name}} {
		switch {
		case !utf8.ValidString(f.value):
			return f.what + " is not valid UTF-8"
		case f.value != "" && strings.TrimSpace(f.value) == "":
			return "an empty name"
		case strings.ContainsFunc(f.value, func(r rune) bool { return unicode.Is(unicode.C, r) }):
			return fmt.Sprintf("%s has a control character: %+q", f.what, f.value)
		}
	}
	switch {
	case a.Person() && a.Name != "":
		return fmt.Sprintf("%q is both a person and an organisation: give given and family, or name", a.Name)
	case a.String() == "":
		return "an empty name"
	case !a.Person() && (a.ORCID != "" || a.Affiliation != ""):
		return fmt.Sprintf("%q has an orcid or an affiliation, as people have: give given and family instead of name", a.Name)
	case a.ORCID != "" && !isORCID(a.ORCID):
		return fmt.Sprintf("orcid %q of %s: write its four groups of four, as in 0000-0002-1825-0097; the last digit checks the others", a.ORCID, a)
	}
	return ""
}

// CheckAll says what is wrong with a list of authors, "" if nothing is.
func CheckAll(authors []Author) string {
	orcids := map[string]bool{}
	for _, a := range authors {
		if what := a.Check(); what != "" {
			return what
		}
		if a.ORCID != "" && orcids[a.ORCID] {
			return fmt.Sprintf("orcid %s stands twice: it names one person", a.ORCID)
		}
		orcids[a.ORCID] = true
	}
	return ""
}

// isORCID checks an identifier and its last digit, by ISO/IEC 7064 MOD 11-2
// (https://support.orcid.org/hc/articles/360006897674, "Structure of the ORCID Identifier").
func isORCID(s string) bool {
	if len(s) != 19 || s[4] != '-' || s[9] != '-' || s[14] != '-' {
		return false
	}
	total := 0
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != 16 {
		return false
	}
	for _, c := range []byte(digits[:15]) {
		if c < '0' || c > '9' {
			return false
		}
		total = (total + int(c-'0')) * 2
	}
	check := (12 - total%11) % 11
	return check == 10 && digits[15] == 'X' || check < 10 && digits[15] == byte('0'+check)
}
