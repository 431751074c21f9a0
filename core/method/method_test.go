package method

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Term{
		"bm25":                    {Name: "bm25"},
		"bm25(k1=0.9,b=0.4)":      {Name: "bm25", Params: []Param{{"k1", "0.9"}, {"b", "0.4"}}},
		"rrf(bm25,tfidf,k=60)":    {Name: "rrf", Args: []Term{{Name: "bm25"}, {Name: "tfidf"}}, Params: []Param{{"k", "60"}}},
		"graph(rrf(a,b),blend=1)": {Name: "graph", Args: []Term{{Name: "rrf", Args: []Term{{Name: "a"}, {Name: "b"}}}}, Params: []Param{{"blend", "1"}}},
		"graph(${baseline},teleport=${teleport},edges=rewired-1)": {Name: "graph", Args: []Term{{Name: "$baseline"}}, Params: []Param{{"teleport", "$teleport"}, {"edges", "rewired-1"}}},
		"dense+graph": {Name: "dense+graph"},
	} {
		got, err := Parse(text)
		if err != nil || !cmp.Equal(got, want) || got.String() != text {
			t.Errorf("%q: %+v, %v; prints %q", text, got, err, got)
		}
	}
	if old, err := Parse("graph($baseline,teleport=$teleport)"); err != nil || old.String() != "graph(${baseline},teleport=${teleport})" {
		t.Errorf("as format 1 writes it: %v, %v", old, err)
	}
	for text, fault := range map[string]string{
		"${}":                              "a name is missing at place 1",
		"${a":                              "a name is missing at place 1",
		"":                                 "a name is missing at place 1",
		"(":                                "a name is missing at place 1",
		"bm25(":                            "a name is missing at place 6",
		"bm25()":                           "a name is missing at place 6",
		"bm25(k1=)":                        "a value is missing at place 9",
		"bm25(k1=1":                        "a comma or a closing bracket is missing",
		"bm25(k1=1,k1=2)":                  "parameter k1 twice",
		"rrf(k=60,bm25)":                   "methods go before parameters",
		"bm25 tfidf":                       "text after the term at place 6",
		"rrf(bm25 tfidf)":                  "a comma or a closing bracket is missing at place 10",
		"bm25(k 1=1)":                      "a comma or a closing bracket is missing at place 8",
		"bm25\t":                           "text after the term at place 5",
		" ":                                "a name is missing at place 2",
		"bm25(k1=1) x":                     "text after the term",
		"a,b":                              "text after the term",
		"a=1":                              "text after the term",
		"bm25(k1=1e\u202e3)":               "a comma or a closing bracket is missing",
		"bm25\x00":                         "text after the term",
		strings.Repeat("a(", 10) + "b":     "nested too deeply",
		strings.Repeat("a", 1025):          "1025 characters: at most 1024",
		"rrf(" + strings.Repeat("a,", 600): "at most 1024",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), fault) || !strings.HasPrefix(err.Error(), "method: ") {
			t.Errorf("%.40q: %v, want %s", text, err, fault)
		}
	}
}

func scope(t *testing.T, variables map[string]string, methods ...string) Scope {
	t.Helper()
	s := Scope{Methods: map[string]Term{}, Variables: variables}
	for i := 0; i < len(methods); i += 2 {
		m, err := Parse(methods[i+1])
		if err != nil {
			t.Fatal(err)
		}
		s.Methods[methods[i]] = m
	}
	return s
}

func TestResolve(t *testing.T) {
	lock := map[string]string{"baseline": "both", "teleport": "0.15", "blend": ".1"}
	s := scope(t, lock, "bm25", "bm25(k1=0.9,b=0.4)", "tfidf", "tfidf", "both", "rrf(bm25,tfidf)", "graph", "graph($baseline,teleport=$teleport,blend=$blend)", "circle", "top(around)", "around", "top(circle)", "self", "top(self)")
	for text, want := range map[string]string{
		"tfidf":                                "tfidf",
		"bm25":                                 "bm25(k1=0.9,b=0.4)", // the study's, not the defaults
		"bm25(b=1.0)":                          "bm25(k1=1.2,b=1)",   // written out: the kind with its defaults
		"both":                                 "rrf(bm25(k1=0.9,b=0.4),tfidf,k=60)",
		"graph":                                "graph(rrf(bm25(k1=0.9,b=0.4),tfidf,k=60),teleport=0.15,blend=0.1,edges=links,seeds=20,steps=20)",
		"$baseline":                            "rrf(bm25(k1=0.9,b=0.4),tfidf,k=60)",
		"graph(tfidf,steps=5,edges=e,blend=0)": "graph(tfidf,teleport=0.5,blend=0,edges=e,seeds=20,steps=5)",
		"graph(tfidf,teleport=-0,blend=1e-1)":  "graph(tfidf,teleport=0,blend=0.1,edges=links,seeds=20,steps=20)",
		"top(dense,n=1e2)":                     "top(dense,n=100)",
		"bm25(form=scaled)":                    "bm25(k1=1.2,b=0.75)", // a form is not written out where it is the default
		"bm25(form=lucene1,b=0)":               "bm25(k1=1.2,b=0,form=lucene1)",
		"tfidf(form=smooth)":                   "tfidf",
		"tfidf(form=ltc)":                      "tfidf(form=ltc)",
		"rm3(bm25+)":                           "rm3(bm25+(k1=1.2,b=0.75,delta=1),docs=10,terms=10,original=0.5)",
		"combmnz(ql,ql-jm,norm=zscore)":        "combmnz(ql(mu=1000),ql-jm(lambda=0.1),norm=zscore)",
	} {
		in, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Resolve(in)
		if err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
			continue
		}
		// What is written out stays as it is, and reads back.
		if again, err := s.Resolve(got); err != nil || again.String() != want {
			t.Errorf("%s: written out %s, that %s, %v", text, got, again, err)
		}
	}
	for text, fault := range map[string]string{
		"bm26":                           `unknown method "bm26": use one of bm25, bm25l,`,
		"bm25(k1=-1)":                    "k1=-1 is outside 0 to 100",
		"bm25(b=1.1)":                    "b=1.1 is outside 0 to 1",
		"bm25(k1=NaN)":                   "k1=NaN is not a finite number",
		"bm25(k1=Inf)":                   "k1=Inf is not a finite number",
		"bm25(k1=1e999)":                 "k1=1e999 is not a finite number",
		"bm25(k1=abc)":                   "k1=abc is not a finite number",
		"bm25(form=best)":                "form=best: use one of scaled, lucene, lucene1, robertson, atire",
		"rm3(tfidf)":                     "rm3(tfidf): tfidf does not score by weighted words: use bm25, bm25l, bm25+, bm25f, ql or ql-jm",
		"combsum(tfidf,bm25,norm=max)":   "norm=max: use one of none, minmax, zscore",
		"bm25(k3=1)":                     `bm25 has no parameter "k3"`,
		"bm25(tfidf)":                    "bm25 builds on 0 to 0 methods, 1 given",
		"rrf(bm25)":                      "rrf builds on 2 to 16 methods, 1 given",
		"graph(tfidf,seeds=1.5)":         "seeds=1.5 is not an integer",
		"graph(tfidf,seeds=0)":           "seeds=0 is outside 1 to 10000",
		"graph(tfidf,steps=100000)":      "steps=100000 is outside 1 to 1000",
		"graph(tfidf,teleport=$nothing)": "${nothing} has no value yet",
		"${nothing}":                     "${nothing} has no value yet",
		"circle":                         "is defined by itself",
		"self":                           "is defined by itself",
	} {
		in, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Resolve(in); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, %v; want %s", text, got, err, fault)
		}
	}
}

// Names that multiply when written out end in an error, not in memory: 16⁷ terms here.
func TestResolveIsBounded(t *testing.T) {
	methods := []string{"m0", "rrf(tfidf,tfidf)"}
	for _, i := range "1234567" {
		inner := "m" + string(i-1)
		methods = append(methods, "m"+string(i), "rrf("+strings.Repeat(inner+",", 15)+inner+")")
	}
	if _, err := scope(t, nil, methods...).Resolve(Term{Name: "m7"}); err == nil || !strings.Contains(err.Error(), "too large a term") {
		t.Error(err)
	}
	// Within the budget, but longer or deeper than what Parse reads: units of work carry terms as text.
	if _, err := scope(t, nil, methods...).Resolve(Term{Name: "m2"}); err == nil || !strings.Contains(err.Error(), "1024") {
		t.Error(err)
	}
	deep := []string{"d0", "tfidf"}
	for _, i := range "123456789" {
		deep = append(deep, "d"+string(i), "top(d"+string(i-1)+")")
	}
	if _, err := scope(t, nil, deep...).Resolve(Term{Name: "d9"}); err == nil || !strings.Contains(err.Error(), "deeply") {
		t.Error(err)
	}
}

func TestTerm(t *testing.T) {
	term, err := Parse("graph(rrf(bm25,dense),teleport=0.15,seeds=20)")
	if err != nil {
		t.Fatal(err)
	}
	if term.Number("teleport") != 0.15 || term.Integer("seeds") != 20 || term.Param("edges") != "" {
		t.Error("parameters")
	}
	if !term.Equal(term) || term.Equal(term.Args[0]) {
		t.Error("Equal")
	}
}

// Every kind of the table resolves with its defaults, which lie inside its bounds.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds {
		term := Term{Name: k.Name}
		for range k.MinArgs {
			term.Args = append(term.Args, Term{Name: "bm25"})
		}
		written := 0
		for _, p := range k.Params {
			if !p.Quiet {
				written++
			}
		}
		got, err := Scope{}.Resolve(term)
		if err != nil || len(got.Params) != written || seen[k.Name] || k.Sentence == "" {
			t.Errorf("%s: %v, %v", k.Name, got, err)
		}
		seen[k.Name] = true
	}
}

func anyTerm(depth int) *rapid.Generator[Term] {
	name := rapid.StringMatching(`[a-zA-Z0-9$._+:-]{1,8}`)
	return rapid.Custom(func(t *rapid.T) Term {
		term := Term{Name: name.Draw(t, "name")}
		if depth > 0 {
			term.Args = rapid.SliceOfN(anyTerm(depth-1), 0, 3).Draw(t, "args")
		}
		for _, key := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "keys") {
			term.Params = append(term.Params, Param{key, name.Draw(t, "value")})
		}
		return term
	})
}

func TestStringParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		term := anyTerm(2).Draw(t, "term")
		text := term.String()
		got, err := Parse(text)
		if len(text) > maxTerm {
			if err == nil {
				t.Fatal("a long term was read")
			}
			return
		}
		if err != nil || !got.Equal(term) || got.String() != text {
			t.Fatalf("%q: %v, %v", text, got, err)
		}
		// Spaces around every sign and at both ends mean nothing, and are not printed.
		spaces := rapid.StringMatching(` {0,2}`)
		var spaced strings.Builder
		spaced.WriteString(spaces.Draw(t, "before"))
		for _, c := range text {
			if strings.ContainsRune("(),=", c) {
				fmt.Fprintf(&spaced, "%s%c%s", spaces.Draw(t, "left"), c, spaces.Draw(t, "right"))
			} else {
				spaced.WriteRune(c)
			}
		}
		spaced.WriteString(spaces.Draw(t, "after"))
		if spaced.Len() > maxTerm {
			return
		}
		if got, err := Parse(spaced.String()); err != nil || got.String() != text {
			t.Fatalf("%q: %v, %v", spaced.String(), got, err)
		}
		// Over the wire a term is its text.
		data, err := json.Marshal(term)
		if err != nil || string(data) != `"`+text+`"` {
			t.Fatalf("%q travels as %s, %v", text, data, err)
		}
		if err := json.Unmarshal(data, &got); err != nil || !got.Equal(term) {
			t.Fatalf("%s: %v, %v", data, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("graph(bm25(k1=1.2),teleport=$teleport,blend=0.1)")
	f.Add("rrf(a,b,(")
	f.Add(" rrf ( bm25 , tfidf , k = 60 ) ")
	f.Fuzz(func(t *testing.T, text string) {
		term, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(term.String()); err != nil || !cmp.Equal(again, term) {
			t.Fatalf("%q: %q: %v", text, term, err)
		}
		out, err := Scope{Variables: map[string]string{"x": "tfidf"}}.Resolve(term)
		if err != nil {
			return
		}
		if again, err := (Scope{}).Resolve(out); err != nil || again.String() != out.String() {
			t.Fatalf("%q: %s, then %s, %v", text, out, again, err)
		}
	})
}
