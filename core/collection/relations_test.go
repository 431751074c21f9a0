package collection

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var vocabulary = Vocabulary{Predicates: []string{"is-a", "contrasts-with"}, Symmetric: []string{"contrasts-with"}, Reserved: []string{"requires"},
	Facets: []string{"definition"}, Modalities: []string{"asserted"}}

// The evidence "naïve cœur" starts after "Größe 𝔸 " (8 code points, 13 bytes): offsets count code points.
const relation = `{"source": "1", "target": "2", "predicate": "is-a", "evidence": {"doc": "1", "start": 8, "end": 18, "text": "naïve cœur"}, "facet": "definition", "modality": "asserted", "qualification": "often"}`

func relationsCollection(t *testing.T) *Collection {
	t.Helper()
	c, err := New("c.jsonl", []Document{{ID: "1", Text: "Größe 𝔸 naïve cœur ends"}, {ID: "2", Text: "another text"}, {ID: "3", Text: "naïve cœur"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseRelations(t *testing.T) {
	got, err := relationsCollection(t).ParseRelations("r.jsonl", []byte(relation+"\n"), vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	want := Relation{Source: 0, Target: 1, Predicate: 0, Evidence: Evidence{0, 8, 18, "naïve cœur"}, Facet: "definition", Modality: "asserted", Qualification: "often", Line: 1}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseRelationsNamesTheFault(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"offsets in bytes", `"start": 8, "end": 18`, `"start": 13, "end": 25`, `from 13 to 25, the evidence is "naïve cœur"`},
		{"one too far", `"end": 18`, `"end": 19`, "from 8 to 19"},
		{"beyond the text", `"end": 18`, `"end": 99`, "from 8 to 99"},
		{"negative offset", `"start": 8`, `"start": -1`, "from -1 to 18"},
		{"turned round", `"start": 8, "end": 18`, `"start": 18, "end": 8`, "from 18 to 8"},
		{"empty evidence", `"start": 8, "end": 18, "text": "naïve cœur"`, `"start": 8, "end": 8, "text": ""`, "the evidence is empty"},
		{"evidence elsewhere", `"doc": "1", "start": 8, "end": 18`, `"doc": "3", "start": 0, "end": 10`, `stands in "3", which is neither source nor target`},
		{"unknown document", `"target": "2"`, `"target": "9"`, `unknown document "9"`},
		{"unknown predicate", `"is-a"`, `"likes"`, `unknown predicate "likes"`},
		{"reserved predicate", `"is-a"`, `"requires"`, `predicate "requires" is reserved`},
		{"self-relation", `"target": "2"`, `"target": "1"`, `document "1" is related to itself`},
		{"unknown facet", `"definition"`, `"mood"`, `unknown facet "mood"`},
		{"unknown modality", `"asserted"`, `"sung"`, `unknown modality "sung"`},
		{"unknown field", `"facet"`, `"face"`, `unknown field "face"`},
	} {
		edited := strings.Replace(relation, c.old, c.new, 1)
		_, err := relationsCollection(t).ParseRelations("r.jsonl", []byte(relation+"\n"+edited+"\n"), vocabulary)
		if err == nil || !strings.Contains(err.Error(), "r.jsonl:2: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one at r.jsonl:2 with %q", c.name, err, c.want)
		}
	}
}

func TestParseRelationsBoundsADocument(t *testing.T) {
	many := strings.Repeat(relation+"\n", MaxRelationsOf)
	c := relationsCollection(t)
	if _, err := c.ParseRelations("r.jsonl", []byte(many), vocabulary); err != nil {
		t.Errorf("%d relations of a document: %v", MaxRelationsOf, err)
	}
	if _, err := c.ParseRelations("r.jsonl", []byte(many+relation+"\n"), vocabulary); err == nil || !strings.Contains(err.Error(), `more than 4096 relations of document "1"`) {
		t.Errorf("one more gave %v", err)
	}
}

func TestSlicePointsEqualsRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		start, end := rapid.IntRange(-2, 12).Draw(t, "start"), rapid.IntRange(-2, 12).Draw(t, "end")
		got, ok := slicePoints(s, start, end)
		runes := []rune(s)
		if !utf8.ValidString(s) {
			return
		}
		if want := start >= 0 && end >= start && end <= len(runes); ok != want {
			t.Fatalf("slicePoints(%q, %d, %d) says %v, want %v", s, start, end, ok, want)
		}
		if ok && got != string(runes[start:end]) {
			t.Fatalf("slicePoints(%q, %d, %d) = %q, want %q", s, start, end, got, string(runes[start:end]))
		}
	})
}

func FuzzParseRelations(f *testing.F) {
	f.Add([]byte(relation))
	f.Add([]byte(`{"source": "1"}`))
	c, err := New("c.jsonl", []Document{{ID: "1", Text: "Größe 𝔸 naïve cœur ends"}, {ID: "2", Text: "another text"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := c.ParseRelations("r.jsonl", data, vocabulary)
		if err != nil {
			return
		}
		for _, r := range list {
			if !strings.Contains(c.Docs[r.Evidence.Doc].Text, r.Evidence.Text) || r.Source == r.Target {
				t.Fatalf("accepted %+v", r)
			}
		}
	})
}
