package author

import (
	"encoding/json"
	"testing"
)

func TestAuthor(t *testing.T) {
	for _, c := range []struct {
		data, name, fault string
		person, unclear   bool
	}{
		{`"Ada Author"`, "Ada Author", "", false, true},
		{`{"name":"The Group"}`, "The Group", "", false, false},
		{`{"given":"Ada","family":"Author"}`, "Ada Author", "", true, false},
		{`{"family":"Plato"}`, "Plato", "", true, false},
		{`{"given":"Ada","family":"Author","orcid":"0000-0002-1825-0097","affiliation":"The Group"}`, "Ada Author", "", true, false}, // orcid.org's own example
		{`{"given":"Stephen","family":"Hawking","orcid":"0000-0002-9079-593X"}`, "Stephen Hawking", "", true, false},
		{`{"given":"Ada","orcid":"0000-0002-1825-0098"}`, "Ada", `orcid "0000-0002-1825-0098" of Ada: write its four groups of four, as in 0000-0002-1825-0097; the last digit checks the others`, true, false},
		{`{"given":"Ada","orcid":"https://orcid.org/0000-0002-1825-0097"}`, "Ada", `orcid "https://orcid.org/0000-0002-1825-0097" of Ada: write its four groups of four, as in 0000-0002-1825-0097; the last digit checks the others`, true, false},
		{`{"given":"Ada","name":"The Group"}`, "Ada", `"The Group" is both a person and an organisation: give given and family, or name`, true, false},
		{`{"orcid":"0000-0002-1825-0097","name":"The Group"}`, "The Group", `"The Group" has an orcid or an affiliation, as people have: give given and family instead of name`, false, false},
		{`{}`, "", "an empty name", false, false},
		{`" "`, " ", "an empty name", false, true},
		{`{"family":"A\nB"}`, "A\nB", `family has a control character: "A\nB"`, true, false},
	} {
		var a Author
		if err := json.Unmarshal([]byte(c.data), &a); err != nil {
			t.Errorf("%s: %v", c.data, err)
			continue
		}
		if a.String() != c.name || a.Check() != c.fault || a.Person() != c.person || a.Unclear() != c.unclear {
			t.Errorf("%s: %q, %q, person %v, unclear %v", c.data, a, a.Check(), a.Person(), a.Unclear())
		}
		if back, err := json.Marshal(a); err != nil || string(back) != c.data {
			t.Errorf("%s is written as %s, %v", c.data, back, err)
		}
	}
	ada := Author{Given: "Ada", ORCID: "0000-0002-1825-0097"}
	if what := CheckAll([]Author{ada, Plain("X"), ada}); what != "orcid 0000-0002-1825-0097 stands twice: it names one person" {
		t.Error(what)
	}
	if what := CheckAll([]Author{ada, {}, Plain("X")}); what != "an empty name" {
		t.Error(what)
	}
	if what := CheckAll([]Author{ada, Plain("X"), Plain("Y")}); what != "" {
		t.Error(what)
	}
	var a Author
	if err := json.Unmarshal([]byte(`5`), &a); err == nil {
		t.Error("a number was taken")
	}
}
