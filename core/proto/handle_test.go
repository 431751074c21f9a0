package proto

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"
	"retrace/core/study/studytest"
)

// answerTo sends a request and checks the reply's form: valid JSON with either a result or an error, never both.
func answerTo(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Session, request string) (result json.RawMessage, problem *Error) {
	t.Helper()
	data := Handle(s, []byte(request))
	var r struct {
		ID     json.RawMessage `json:"id"`
		Kind   *string         `json:"kind"`
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	if !json.Valid(data) {
		t.Fatalf("%.200q: reply is not JSON: %.200q", request, data)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%.200q: %v", request, err)
	}
	if (r.Result == nil) == (r.Error == nil) || r.ID == nil || r.Kind == nil {
		t.Fatalf("%.200q: %.200q", request, data)
	}
	if r.Error != nil && (r.Error.Code == "" || r.Error.Message == "") {
		t.Fatalf("%.200q: an error that says nothing: %s", request, data)
	}
	if r.Error != nil && r.Error.Code == "panic" {
		t.Fatalf("%.200q: %s", request, r.Error.Message)
	}
	return r.Result, r.Error
}

// ask sends a request that must succeed and decodes its result.
func ask[R any](t *testing.T, s *Session, request string) (result R) {
	t.Helper()
	data, problem := answerTo(t, s, request)
	if problem != nil {
		t.Fatalf("%.200s: %+v", request, problem)
	}
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func marshal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// frozen is the small study, sealed and frozen.
func frozen(t *testing.T) kit.Memory {
	t.Helper()
	m := studytest.Tiny()
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRequests(t *testing.T) {
	s := NewSessionFS(design.All, frozen(t))
	for request, want := range map[string]string{
		"":                                "bad-request: request is not JSON",
		"{":                               "bad-request: request is not JSON",
		"[]":                              "bad-request: request is not JSON",
		"null":                            `bad-request: unknown kind ""`,
		"{}":                              `bad-request: unknown kind ""`,
		`{"id":1,"kind":"nothing"}`:       `bad-request: unknown kind "nothing"`,
		`{"id":1,"kind":7}`:               "bad-request: request is not JSON",
		`{"id":1,"KIND":"studies"}`:       `bad-request: request: unknown field "KIND"`,
		`{"id":1,"kind":"studies","x":1}`: `bad-request: request: unknown field "x"`,
		`{"id":1,"kind":"studies","kind":"studies"}`:                                                                                      `bad-request: request: duplicate key "kind"`,
		`{"id":1,"kind":"studies"}{}`:                                                                                                     "bad-request: request is not JSON",
		`{"id":1,"kind":"load","study":"none"}`:                                                                                           "bad-kit: none/manifest.json: no manifest",
		`{"id":1,"kind":"load","study":"../x"}`:                                                                                           `bad-kit: manifest.json: bad folder name "../x"`,
		`{"id":1,"kind":"load","study":3}`:                                                                                                "bad-request: request: study: number where a string belongs",
		`{"id":1,"kind":"load","study":"ti\u0000ny"}`:                                                                                     "bad-request: request: NUL character",
		"{\"id\":\"\xff\",\"kind\":\"studies\"}":                                                                                          "bad-request: request is not UTF-8",
		`{"id":1,"kind":"add","observations":[]}`:                                                                                         "bad-request: no replay in this session",
		`{"id":1,"kind":"close"}`:                                                                                                         "bad-request: no replay in this session",
		`{"id":1,"kind":"outcomeFile","path":"x"}`:                                                                                        "bad-request: no replay in this session",
		`{"id":1,"kind":"replay","study":"tiny","withoutVectors":true}`:                                                                   "bad-kit: tiny/study.json: this study has no results without vectors",
		`{"id":1,"kind":"search","study":"tiny","query":"x","k":-1}`:                                                                      "bad-request: k is -1",
		`{"id":1,"kind":"search","study":"tiny","query":"x","k":1001}`:                                                                    "bad-request: k is 1001",
		`{"id":1,"kind":"search","study":"tiny","query":"x","k":1e99}`:                                                                    "bad-request: request: k: number 1e99",
		`{"id":1,"kind":"search","study":"tiny","query":"x","k":NaN}`:                                                                     "bad-request: request is not JSON",
		`{"id":1,"kind":"search","study":"tiny","query":"x","k":"10"}`:                                                                    "bad-request: request: k: string where an integer",
		`{"id":1,"kind":"search","study":"tiny","query":"x","method":"("}`:                                                                "bad-request: method: a name is missing",
		`{"id":1,"kind":"search","study":"tiny","query":"x","method":"bm25(k1=NaN)"}`:                                                     "failed: method: bm25: k1=NaN is not a finite number",
		`{"id":1,"kind":"search","study":"tiny","query":"x","method":"graph(bm25,steps=1000000)"}`:                                        "failed: method: graph: steps=1000000 is outside 1 to 1000",
		`{"id":1,"kind":"search","study":"tiny","query":"x","method":"graph(bm25,edges=nowhere)"}`:                                        `bad-kit: tiny/study.json: unknown graph "nowhere"`,
		`{"id":1,"kind":"search","study":"tiny","query":"x","method":"dense"}`:                                                            "bad-kit: tiny/study.json: a dense method needs vectors",
		`{"id":1,"kind":"search","study":"tiny","query":"x","vector":[1e99]}`:                                                             "bad-request: request: vector",
		`{"id":1,"kind":"search","study":"tiny","query":"` + strings.Repeat("x", 9000) + `"}`:                                             "bad-request: a question of 9000 bytes",
		`{"id":1,"kind":"question","study":"tiny","question":"F9"}`:                                                                       `not-found: study tiny has no question "F9"`,
		`{"id":1,"kind":"question","study":"tiny","question":"F1-part","methods":["a","b","c","d","e","f","g","h","i"]}`:                  "bad-request: 9 methods",
		`{"id":1,"kind":"question","study":"tiny","question":"F1-part","methods":["bm26"]}`:                                               "failed: method: unknown method",
		`{"id":1,"kind":"explain","study":"tiny","path":""}`:                                                                              "failed: numpath: malformed path",
		`{"id":1,"kind":"explain","study":"tiny","path":"methods.bm25.mrr11"}`:                                                            "failed: study: nothing stands at",
		`{"id":1,"kind":"explain","study":"tiny","path":"` + strings.Repeat("x", 20000) + `"}`:                                            "bad-request: a path of 20000 bytes",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"bm25","term":"bm25"}],"questions":[99],"best":10}}`:  "bad-kit: tiny/questions.jsonl: no question at place 99",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"bm25","term":"bm25"}],"questions":[-1],"best":10}}`:  "bad-kit: tiny/questions.jsonl: no question at place -1",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"bm25","term":"bm25"}],"questions":[1.5],"best":10}}`: "bad-request: request: unit.questions: number 1.5",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"bm25","term":"bm25"}],"questions":[1],"best":-1}}`:   "bad-kit: tiny: a unit keeps -1 documents",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"bm25","term":"bm25"}],"questions":[` + strings.Repeat("1,", 100000) + `1],"best":10}}`:                    "bad-kit: tiny: a unit of 1 methods on 100001 questions",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[` + strings.Repeat(`{"name":"x","term":"bm25"},`, 600) + `{"name":"x","term":"bm25"}],"questions":[1],"best":10}}`: "bad-kit: tiny: a unit of 601 methods on 1 questions",
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"","methods":[{"name":"x","term":"x(`:                                                                                            "bad-request: request is not JSON",
		`{"id":1,"kind":"studies","x":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + `}`:                                                                                            "bad-request: ",
	} {
		_, problem := answerTo(t, s, request)
		if problem == nil || !strings.HasPrefix(problem.Code+": "+problem.Message, want) {
			t.Errorf("%.160s: %+v, want %s", request, problem, want)
		}
	}
	if _, problem := answerTo(t, s, strings.Repeat(" ", MaxRequest+1)); problem == nil || !strings.Contains(problem.Message, "request of 16777217 bytes") {
		t.Errorf("%+v", problem)
	}
	if _, problem := answerTo(t, s, `{"kind":"`+strings.Repeat("k", 1<<20)+`"}`); problem == nil || len(problem.Message) > 1000 {
		t.Error("a reply repeats a kind of a megabyte")
	}
	// The ID comes back whatever it is, unless it is as long as a request may be.
	for request, want := range map[string]string{`{"id":[1,{"a":"<>"}],"kind":"x"}`: `{"id":[1,{"a":"<>"}],`, `{"kind":"x"}`: `{"id":null,`, `{"id":"` + strings.Repeat("y", 300) + `","kind":"x"}`: `{"id":null,`} {
		if got := string(Handle(s, []byte(request))); !strings.HasPrefix(got, want) {
			t.Errorf("%.60s: %.100s", request, got)
		}
	}
}

// replayIn runs a replay in one session, each unit in whatever session work chooses, and returns its outcome.
func replayIn(t *testing.T, s *Session, id string, work func() *Session) *OutcomeResult {
	t.Helper()
	state := ask[ReplayResult](t, s, fmt.Sprintf(`{"id":1,"kind":"replay","study":%q}`, id))
	for !state.Done {
		units := slices.Clone(state.Units)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		for i, u := range units {
			list := ask[UnitResult](t, work(), fmt.Sprintf(`{"id":2,"kind":"unit","study":%q,"unit":%s}`, id, marshal(u)))
			if left := ask[AddResult](t, s, `{"id":3,"kind":"add","observations":`+marshal(list.Observations)+`}`); left.Pending != len(units)-i-1 {
				t.Errorf("%d units pending after %d of %d", left.Pending, i+1, len(units))
			}
		}
		state = ask[CloseResult](t, s, `{"id":4,"kind":"close"}`).ReplayResult
	}
	return state.Outcome
}

func TestReplayOverSessions(t *testing.T) {
	m := frozen(t)
	want := kit.Hash(m["tiny/frozen/results.json"])
	alone := NewSessionFS(design.All, m)
	others := []*Session{NewSessionFS(design.All, m), NewSession(design.All), NewSessionFS(design.All, m)}
	for name, data := range m {
		others[1].AddFile(name, data)
	}
	turn := 0
	for name, work := range map[string]func() *Session{"one session": func() *Session { return alone }, "three workers": func() *Session { turn++; return others[turn%3] }} {
		o := replayIn(t, alone, "tiny", work)
		if o.SHA256 != want || !o.Identical || o.Total != 0 || o.Same != len(o.Numbers) || len(o.Numbers) < 100 || string(o.Results) != string(m["tiny/frozen/results.json"]) {
			t.Errorf("%s: %s, want %s; %d of %d numbers the same, %v", name, o.SHA256, want, o.Same, len(o.Numbers), o.Differences)
		}
		for _, f := range o.Files {
			if !f.Identical || f.Frozen != f.SHA256 {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	// A finished replay can't be closed, or added to; a new one starts over.
	for _, request := range []string{`{"id":1,"kind":"close"}`, `{"id":1,"kind":"add","observations":[]}`} {
		if _, problem := answerTo(t, alone, request); problem == nil {
			t.Errorf("%s after the end", request)
		}
	}
	state := ask[ReplayResult](t, alone, `{"id":1,"kind":"replay","study":"tiny"}`)
	if state.Done || state.Stage != 0 || state.Outcome != nil {
		t.Errorf("%+v", state)
	}
	// A rank of 0, as a broken host might send.
	unit := ask[UnitResult](t, alone, fmt.Sprintf(`{"id":2,"kind":"unit","study":"tiny","unit":%s}`, marshal(state.Units[0])))
	zero := 0
	unit.Observations[0].Rank = &zero
	if _, problem := answerTo(t, alone, `{"id":3,"kind":"add","observations":`+marshal(unit.Observations)+`}`); problem == nil || !strings.Contains(problem.Message, "rank 0") {
		t.Errorf("%+v", problem)
	}
}

// One number of the frozen file changed, seals and manifest made to fit: the replay names the path and both values.
func TestDifferences(t *testing.T) {
	m := studytest.Tiny()
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	delete(m, "tiny/seals/3-frozen.json")
	studytest.Edit(m, "tiny/frozen/results.json", `"isolated":0`, `"isolated":1`)
	s := NewSessionFS(design.All, m)
	o := replayIn(t, s, "tiny", func() *Session { return s })
	if o.Identical || o.Total != 1 || !cmp.Equal(o.Differences, []study.Difference{{Path: "graph.isolated", Frozen: "1", Here: "0"}}) || o.Same != len(o.Numbers)-1 {
		t.Errorf("%d differences %v, %d of %d the same", o.Total, o.Differences, o.Same, len(o.Numbers))
	}
}

func TestStudiesAndVerify(t *testing.T) {
	m := frozen(t)
	s := NewSessionFS(design.All, m)
	list := ask[StudiesResult](t, s, `{"id":1,"kind":"studies"}`)
	if !cmp.Equal(list.Studies, []StudySummary{{"tiny", "Do links help in a village?", "Twelve things. A test.", "1.0.0"}}) {
		t.Errorf("%+v", list)
	}
	v := ask[VerifyResult](t, s, `{"id":1,"kind":"verify","study":"tiny"}`)
	for _, f := range v.Files {
		if f.State != "same" || f.Found != "" {
			t.Errorf("%+v", f)
		}
	}
	if len(v.Files) != len(m)-2 || len(v.Seals) != 3 || v.Seals[1].Stage != "lock" || !strings.Contains(v.Seals[1].Lock, "bm25") {
		t.Errorf("%d files, %+v", len(v.Files), v.Seals)
	}
	m["village/links.tsv"][0] ^= 1
	delete(m, "tiny/PROTOCOL.md")
	v = ask[VerifyResult](t, NewSessionFS(design.All, m), `{"id":1,"kind":"verify","study":"tiny"}`)
	states := map[string]string{}
	for _, f := range v.Files {
		states[f.Path] = f.State
	}
	if states["village/links.tsv"] != "differs" || states["tiny/PROTOCOL.md"] != "absent" || states["tiny/study.json"] != "same" {
		t.Error(states)
	}
	m["tiny/seals/1-protocol.json"][20] ^= 1
	if _, problem := answerTo(t, NewSessionFS(design.All, m), `{"id":1,"kind":"verify","study":"tiny"}`); problem == nil || problem.Where != "tiny/seals/1-protocol.json" {
		t.Errorf("%+v", problem)
	}
	if list := ask[StudiesResult](t, NewSession(design.All), `{"id":1,"kind":"studies"}`); list.Studies == nil || len(list.Studies) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestSearchWithoutAKnownWord(t *testing.T) {
	s := NewSessionFS(design.All, frozen(t))
	for _, query := range []string{"xylophone zither", "", "the of", "…", "\u202e"} {
		for _, method := range []string{"bm25", "tfidf", "rrf", "graph", "overlap", "scan"} {
			r := ask[SearchResult](t, s, fmt.Sprintf(`{"id":1,"kind":"search","study":"tiny","query":%s,"method":%q,"explain":true}`, marshal(query), method))
			if r.Ranking.Candidates != 0 || r.Ranking.Hits == nil || len(r.Ranking.Hits) != 0 || query == "xylophone zither" && !cmp.Equal(r.Unknown, []string{"xylophone", "zither"}) {
				t.Errorf("%q by %s: %+v", query, method, r)
			}
		}
		if r := ask[SearchResult](t, s, fmt.Sprintf(`{"id":1,"kind":"search","study":"tiny","query":%s,"method":"degree","k":3}`, marshal(query))); r.Ranking.Candidates != 12 || len(r.Ranking.Hits) != 3 {
			t.Errorf("%q by degree: %+v", query, r)
		}
	}
}

// Text of a kit is text: it comes back as it is, cut at matched words only.
func TestHostileText(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)> \u202egnp.exe\u2066 </script><script>&amp;\u2028\u001b[31m`
	m := studytest.Tiny()
	studytest.Edit(m, studytest.CorpusFile, `"title":"Sail","text":"`, `"title":"Sail`+evil+`","text":"`+evil+` `)
	studytest.Edit(m, studytest.QuestionsFile, `"text":"grinds water"`, `"text":"`+evil+` grinds water"`)
	studytest.Edit(m, studytest.ProtocolFile, `"title": "Do links help in a village?"`, `"title": "`+evil+`"`)
	if err := studytest.Freeze(m); err != nil {
		t.Fatal(err)
	}
	var want string
	if err := json.Unmarshal([]byte(`"`+evil+`"`), &want); err != nil {
		t.Fatal(err)
	}
	s := NewSessionFS(design.All, m)
	join := func(pieces []Piece) (text string) {
		for _, p := range pieces {
			text += p.Text
		}
		return text
	}
	if got := ask[StudiesResult](t, s, `{"id":1,"kind":"studies"}`).Studies[0].Title; got != want {
		t.Errorf("%q", got)
	}
	r := ask[SearchResult](t, s, fmt.Sprintf(`{"id":1,"kind":"search","study":"tiny","query":%s,"explain":true}`, marshal(want+" wind")))
	if join(r.Query) != want+" wind" {
		t.Errorf("%q", join(r.Query))
	}
	hit := r.Ranking.Hits[0].Document
	if hit.ID != "5" || join(hit.Title) != "Sail"+want || !strings.HasPrefix(join(hit.Text), want+" catches") {
		t.Errorf("%+v", hit)
	}
	q := ask[QuestionResult](t, s, `{"id":1,"kind":"question","study":"tiny","question":"F4-part","methods":["bm25","graph"]}`)
	if join(q.Text) != want+" grinds water" || q.Target == nil || len(q.Rankings) != 2 || !cmp.Equal(q.Siblings, []string{"F4-whole"}) {
		t.Errorf("%+v", q)
	}
	for _, p := range q.Text {
		if p.Term != "" && strings.ToLower(p.Text) != p.Term {
			t.Errorf("%q is marked as %q", p.Text, p.Term)
		}
	}
	node := ask[ExplainResult](t, s, `{"id":1,"kind":"explain","study":"tiny","path":"document.5"}`)
	if node.Text != "Sail"+want {
		t.Errorf("%q", node.Text)
	}
	// The reply escapes what JSON must and, with it, what would end a script element's line.
	if reply := Handle(s, []byte(`{"id":1,"kind":"studies"}`)); strings.ContainsRune(string(reply), '\x1b') {
		t.Errorf("a control character stands in the reply: %q", reply)
	}
}

// Whatever bytes come in, a reply goes out.
func FuzzHandle(f *testing.F) {
	m := studytest.Tiny()
	if err := studytest.Freeze(m); err != nil {
		f.Fatal(err)
	}
	for _, request := range []string{`{"id":1,"kind":"studies"}`, `{"id":1,"kind":"load","study":"tiny"}`, `{"id":1,"kind":"replay","study":"tiny"}`, `{"id":1,"kind":"close"}`,
		`{"id":1,"kind":"search","study":"tiny","query":"wind water","method":"graph(rrf(bm25,tfidf),blend=1)","explain":true}`, `{"id":1,"kind":"explain","study":"tiny","path":"rank.F4-part.graph"}`,
		`{"id":1,"kind":"unit","study":"tiny","unit":{"stage":"s","methods":[{"name":"x","term":"top(bm25,n=2)"}],"questions":[0,3],"best":3}}`, `{"id":1,"kind":"question","study":"tiny","question":"F4-part","methods":["degree"],"k":2}`,
		`{"id":1,"kind":"add","observations":[{"question":"F1-part","method":"bm25","candidates":1,"rank":1,"best":[{"id":"11","score":1}]}]}`, `{"id":1,"kind":"figures","study":"tiny"}`, `{"id":1,"kind":"verify","study":"tiny"}`,
		`{"id":1,"kind":"frozen","study":"tiny"}`, `{"id":1,"kind":"questions","study":"tiny"}`} {
		f.Add([]byte(request))
	}
	s := NewSessionFS(design.All, m)
	f.Fuzz(func(t *testing.T, request []byte) {
		answerTo(t, s, string(request))
	})
}

// Whatever is wrong with a study, the reply names the file and line, says what is wrong and what to do.
func TestFaults(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range studytest.Faults {
		if seen[f.Name] {
			t.Errorf("two faults are called %q", f.Name)
		}
		seen[f.Name] = true
		m := studytest.Tiny()
		f.Change(m)
		problem := firstProblem(t, NewSessionFS(design.All, m))
		if problem == nil {
			t.Errorf("%s: no error, want %s", f.Name, f.Error)
			continue
		}
		where, _, _ := strings.Cut(f.Error, ": ")
		if !strings.HasPrefix(problem.Message, f.Error) || problem.Hint == "" || problem.Code != "bad-kit" || !strings.HasSuffix(where, ":") && problem.Where != where {
			t.Errorf("%s: %+v, want %s", f.Name, problem, f.Error)
		}
		if len(problem.Message) > 2000 {
			t.Errorf("%s: a message of %d bytes", f.Name, len(problem.Message))
		}
	}
}

// firstProblem loads and replays the small study until something is refused.
func firstProblem(t *testing.T, s *Session) *Error {
	t.Helper()
	if _, problem := answerTo(t, s, `{"id":1,"kind":"load","study":"tiny"}`); problem != nil {
		return problem
	}
	return replayProblem(t, s, "tiny", false)
}
