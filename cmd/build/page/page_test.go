package page

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"retrace"
	"retrace/core/study/studytest"
)

// render gives the article of the small study after changes to its protocol.
func render(t *testing.T, change func(protocol map[string]any)) string {
	t.Helper()
	m := studytest.Tiny()
	var protocol map[string]any
	if err := json.Unmarshal(m[studytest.ProtocolFile], &protocol); err != nil {
		t.Fatal(err)
	}
	change(protocol)
	data, err := json.Marshal(protocol)
	if err != nil {
		t.Fatal(err)
	}
	m[studytest.ProtocolFile] = data
	studytest.Manifests(m)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	files, err := Render(Input{Base: "/", Studies: []string{studytest.ID}, Kit: m, Notices: "third-party.txt"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == studytest.ID+"/index.html" {
			return string(f.Data)
		}
	}
	t.Fatal("no article")
	return ""
}

// only keeps the named entries of a list of objects.
func only(list any, names ...string) (kept []any) {
	for _, entry := range list.([]any) {
		for _, name := range names {
			if entry.(map[string]any)["name"] == name {
				kept = append(kept, entry)
			}
		}
	}
	return kept
}

var tag = regexp.MustCompile(`(?s)<script.*?</script>|<[^>]*>`)

// says checks which of the texts stand in the article, as a reader sees it, markup left out.
func says(t *testing.T, html string, yes, no []string) {
	t.Helper()
	text := strings.Join(strings.Fields(tag.ReplaceAllString(html, "")), " ")
	for _, want := range yes {
		if !strings.Contains(text, want) {
			t.Errorf("the article lacks %q", want)
		}
	}
	for _, never := range no {
		if strings.Contains(text, never) {
			t.Errorf("the article says %q", never)
		}
	}
}

func TestKnownItemInFull(t *testing.T) {
	html := render(t, func(map[string]any) {})
	// The small protocol rewires with swapsPerEdge 2 and starts walks at 3 documents, for the default of 20 steps.
	says(t, html,
		[]string{"until 2 exchanges for each link have succeeded", "takes the 3 best documents of its base method", "in 20 steps",
			"stored links", "with 1 graph in which", "How unequal are the links?"},
		[]string{"bends down", "Most families", "A handful", "Supplement", "supplement", "number at"})
}

func TestKnownItemWithABaselineAndAGraphAlone(t *testing.T) {
	html := render(t, func(p map[string]any) {
		p["graphs"] = only(p["graphs"], "links")
		p["methods"] = only(p["methods"], "bm25", "graph")
		k := p["knownItem"].(map[string]any)
		k["development"].(map[string]any)["baselines"] = []string{"bm25"}
		k["test"] = []string{"bm25", "graph"}
	})
	says(t, html, []string{"No control was tested in this study", "How unequal are the links?", "Do the links help?"},
		[]string{"stored links", "rewired", "Rewired", "upplement", "Would any links"})
}

func TestKnownItemWithoutLinks(t *testing.T) {
	html := render(t, func(p map[string]any) {
		p["graphs"] = only(p["graphs"], "empty")
		p["methods"] = only(p["methods"], "bm25", "tfidf", "empty")
		delete(p["collection"].(map[string]any), "links")
		k := p["knownItem"].(map[string]any)
		d := k["development"].(map[string]any)
		d["baselines"], d["candidate"] = []string{"bm25"}, "graph($baseline,teleport=$teleport,blend=$blend,edges=empty,seeds=3)"
		k["test"] = []string{"bm25", "tfidf", "empty"}
		k["misses"] = map[string]string{"baseline": "$baseline", "graph": "tfidf"}
		contrast := k["contrasts"].([]any)[0].(map[string]any)
		contrast["method"] = "tfidf"
		other := map[string]any{}
		for key, value := range contrast {
			other[key] = value
		}
		other["name"], other["method"] = "other", "empty"
		k["contrasts"] = append(k["contrasts"].([]any), other)
	})
	says(t, html, []string{"Does TF-IDF help?", "What do the controls reach?", "A supplement", "Other comparisons", "Empty − BM25"},
		[]string{"stored links", "real links", "How unequal are the links?", "Do the links help?", "Another kind of search", "reader saw"})
}

func TestStudyWithoutAContrastShowsItsNumbers(t *testing.T) {
	html := render(t, func(p map[string]any) { p["knownItem"].(map[string]any)["contrasts"] = []any{} })
	says(t, html, []string{"methods.bm25.mrr10"}, nil)
}

func TestCitation(t *testing.T) {
	html := render(t, func(p map[string]any) {
		p["published"], p["authors"] = "2026-11-30", []string{"Ada Author", "The Village & Sons"}
	})
	says(t, html, []string{"author = {{Ada Author} and {The Village &amp; Sons}}, title = {Do links help in a village?}, year = " +
		"{2026}"}, nil)
	html = render(t, func(p map[string]any) {
		p["authors"] = []map[string]string{{"given": "Ada", "family": "Author"}, {"name": "The Group"}, {"family": "Plato"}}
	})
	says(t, html, []string{"author = {Author, Ada and {The Group} and {Plato}}, title"}, nil)
	html = render(t, func(p map[string]any) { delete(p, "published") })
	says(t, html, []string{"title = {Do links"}, []string{"year ="})
}

func TestEveryPageNamesLicences(t *testing.T) {
	m := studytest.Tiny()
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	files, err := Render(Input{Base: "/sub/", Studies: []string{studytest.ID}, Kit: m, Notices: "third-party.txt"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"index.html": "third-party.txt", "tiny/index.html": "../third-party.txt", "404.html": "/sub/third-party.txt"}
	for _, f := range files {
		if !strings.Contains(string(f.Data), `<a href="`+want[f.Path]+`">Licences of what this page is built with</a>`) {
			t.Errorf("%s has no link to %s", f.Path, want[f.Path])
		}
		if !strings.Contains(string(f.Data), ">Retrace "+retrace.Version+" ") {
			t.Errorf("%s doesn't say which version made it", f.Path)
		}
	}
	if len(files) != len(want) {
		t.Errorf("%d pages", len(files))
	}
}
