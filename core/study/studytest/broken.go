package studytest

import (
	"bytes"
	"encoding/json"
	"strings"

	"retrace/core/kit"
)

// A Fault is a change to the small study's draft, and the error that it must give: in loading it, or in replaying it.
type Fault struct {
	Name   string
	Change func(kit.Memory)
	Error  string // how the error begins: file, line and what is wrong
}

func edit(file, old, new string) func(kit.Memory) {
	return func(m kit.Memory) { Edit(m, file, old, new) }
}

// set changes values of study.json by their places, such as knownItem.cutoff, to JSON.
func set(pairs ...string) func(kit.Memory) {
	return func(m kit.Memory) {
		for i := 0; i < len(pairs); i += 2 {
			var all map[string]any
			d := json.NewDecoder(bytes.NewReader(m[ProtocolFile]))
			d.UseNumber()
			if err := d.Decode(&all); err != nil {
				panic(err)
			}
			keys := strings.Split(pairs[i], ".")
			at := all
			for _, key := range keys[:len(keys)-1] {
				at = at[key].(map[string]any)
			}
			at[keys[len(keys)-1]] = json.RawMessage(pairs[i+1])
			m[ProtocolFile] = encode(all)
		}
		Manifests(m)
	}
}

// term gives BM25, the first method, another term.
func term(text string) func(kit.Memory) {
	return edit(ProtocolFile, `"term": "bm25"`, `"term": "`+text+`"`)
}

// replace gives a file new content, with manifests to fit.
func replace(file string, content func(old string) string) func(kit.Memory) {
	return func(m kit.Memory) {
		m[file] = []byte(content(string(m[file])))
		Manifests(m)
	}
}

// line replaces one line of a file, from 1.
func line(file string, n int, text string) func(kit.Memory) {
	return replace(file, func(old string) string {
		lines := strings.SplitAfter(old, "\n")
		lines[n-1] = text
		return strings.Join(lines, "")
	})
}

func all(changes ...func(kit.Memory)) func(kit.Memory) {
	return func(m kit.Memory) {
		for _, change := range changes {
			change(m)
		}
	}
}

// short leaves a document of one word, which is not eligible.
func short(n int, text string) func(kit.Memory) {
	return edit(CorpusFile, `"text":"`+text+`"`, `"text":"short"`)
}

// Faults lists what may be wrong with a study.
var Faults = []Fault{
	// Files.
	{"missing file", func(m kit.Memory) { delete(m, CorpusFile) }, "village/corpus.jsonl: missing or unreadable"},
	{"missing folder", func(m kit.Memory) { delete(m, "village/manifest.json") }, "village/manifest.json: no manifest"},
	{"changed byte", func(m kit.Memory) { m[LinksFile] = bytes.Replace(m[LinksFile], []byte("8\t9"), []byte("8\t7"), 1) }, "village/links.tsv: hash differs: SHA-256 is "},
	{"longer file", func(m kit.Memory) { m[LinksFile] = append(m[LinksFile], '\n') }, "village/links.tsv: has "},
	{"shorter file", func(m kit.Memory) { m[LinksFile] = m[LinksFile][:9] }, "village/links.tsv: has 9 bytes, the manifest says "},
	{"file of no manifest", set("collection.stopwords", `"tiny/other.txt"`), "tiny/other.txt: not in the manifest: there is no such file"},
	{"file outside", set("collection.documents", `"../../etc/passwd"`), "../../etc/passwd: not in the manifest"},
	{"manifest leaves the folder", func(m kit.Memory) {
		m["tiny/manifest.json"] = bytes.Replace(m["tiny/manifest.json"], []byte("tiny/PROTOCOL.md"), []byte("tiny/../../x"), 1)
	}, `tiny/manifest.json: bad path "tiny/../../x"`},
	{"absurd size", func(m kit.Memory) {
		m["tiny/manifest.json"] = bytes.Replace(m["tiny/manifest.json"], []byte(`"bytes": 11`), []byte(`"bytes": 9000000000000000000`), 1)
	}, `tiny/manifest.json: "tiny/PROTOCOL.md" has a size of 9000000000000000000 bytes`},
	{"size beyond integers", func(m kit.Memory) {
		m["tiny/manifest.json"] = bytes.Replace(m["tiny/manifest.json"], []byte(`"bytes": 11`), []byte(`"bytes": 1e300`), 1)
	}, `tiny/manifest.json:10: files.bytes: number 1e300 where an integer`},

	// Documents.
	{"no documents", replace(CorpusFile, func(string) string { return "" }), "village/corpus.jsonl: no documents"},
	{"broken line", line(CorpusFile, 3, `{"_id":"3","title":"Anchor"`+"\n"), "village/corpus.jsonl:3: broken JSON"},
	{"two values on a line", line(CorpusFile, 3, `{"_id":"3","title":"Anchor"}{}`+"\n"), "village/corpus.jsonl:3: text after the JSON value"},
	{"empty line", line(CorpusFile, 3, "\n"), "village/corpus.jsonl:3: empty line"},
	{"duplicate document", edit(CorpusFile, `"_id":"12"`, `"_id":"1"`), `village/corpus.jsonl:12: duplicate ID "1", first on line 1`},
	{"document without ID", edit(CorpusFile, `"_id":"12"`, `"_id":""`), `village/corpus.jsonl:12: empty ID`},
	{"bidirectional ID", edit(CorpusFile, `"_id":"12"`, `"_id":"1\u202e2"`), `village/corpus.jsonl:12: ID with a space, control or format character: "1\u202e2"`},
	{"unknown field of a document", edit(CorpusFile, `"_id":"12",`, `"_id":"12","url":"x",`), `village/corpus.jsonl:12: unknown field "url"`},
	{"field in another case", edit(CorpusFile, `"_id":"12","title"`, `"_id":"12","Title"`), `village/corpus.jsonl:12: unknown field "Title"`},
	{"field twice", edit(CorpusFile, `"_id":"12",`, `"_id":"12","title":"",`), `village/corpus.jsonl:12: duplicate key "title"`},
	{"number for a text", edit(CorpusFile, `"_id":"12"`, `"_id":12`), `village/corpus.jsonl:12: _id: number where a string belongs`},
	{"line of ten megabytes", edit(CorpusFile, "holds wax", strings.Repeat("holds wax ", 1<<20)), "village/corpus.jsonl:12: the line has 10485"},
	{"NUL byte", edit(CorpusFile, "holds wax", "holds\x00wax"), "village/corpus.jsonl:12: NUL byte"},
	{"NUL escaped", edit(CorpusFile, "holds wax", `holds\u0000wax`), "village/corpus.jsonl:12: NUL character in a string"},
	{"invalid UTF-8", edit(CorpusFile, "holds wax", "holds\xffwax"), "village/corpus.jsonl:12: invalid UTF-8"},
	{"UTF-16", replace(CorpusFile, func(old string) string { return "\xff\xfe" + strings.Join(strings.Split(old, ""), "\x00") }), "village/corpus.jsonl:1: NUL byte"},
	{"deep nesting", edit(CorpusFile, `"n":11`, `"n":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)), "village/corpus.jsonl:12: nested too deeply"},

	// Links and stop words.
	{"link to nowhere", edit(LinksFile, "5\t6", "5\t99"), `village/links.tsv:9: unknown document "99"`},
	{"link with spaces", edit(LinksFile, "5\t6", "5 6"), "village/links.tsv:9: 1 fields, want 2 (source, target)"},
	{"links without header", edit(LinksFile, "source\ttarget\n", ""), `village/links.tsv:1: header "1\t6", want "source\ttarget"`},
	{"links in UTF-16", edit(LinksFile, "5\t6", "5\x00\t6"), "village/links.tsv:9: NUL byte"},
	{"links that can't be rewired", replace(LinksFile, func(string) string { return "source\ttarget\n1\t2\n1\t3\n1\t4\n" }), "village/links.tsv: graph rewired-1: only 0 swaps succeeded"},
	{"stop words in a line", edit("tiny/stopwords.txt", "and\n", "and by\n"), `tiny/stopwords.txt:2: "and by" is not one token of the ascii analyzer, which gives "and", "by"`},
	{"stop words with a byte order mark", edit("tiny/stopwords.txt", "a\nand", "\ufeffa\nand"), "tiny/stopwords.txt:1: begins with a byte order mark (U+FEFF)"},
	{"stop words with a capital", edit("tiny/stopwords.txt", "for\n", "For\n"), `tiny/stopwords.txt:4: "For" is not one token of the ascii analyzer, which gives "for"`},
	{"a protocol with a byte order mark", edit("tiny/study.json", "{\n", "\ufeff{\n"), "tiny/study.json:1: begins with a byte order mark (U+FEFF)"},
	{"stop words with NUL", edit("tiny/stopwords.txt", "and\n", "a\x00nd\n"), "tiny/stopwords.txt:2: NUL byte"},
	{"stop words not in UTF-8", edit("tiny/stopwords.txt", "and\n", "\xe9t\xe9\n"), "tiny/stopwords.txt:2: invalid UTF-8"},

	// Questions.
	{"no questions", replace(QuestionsFile, func(string) string { return "" }), "tiny/questions.jsonl: no questions"},
	{"broken question", line(QuestionsFile, 4, "{\n"), "tiny/questions.jsonl:4: broken JSON"},
	{"duplicate question", edit(QuestionsFile, `"_id":"F2-whole"`, `"_id":"F2-part"`), `tiny/questions.jsonl:4: duplicate ID "F2-part", first at tiny/questions.jsonl:3`},
	{"question without family", edit(QuestionsFile, `"family":"F2",`, ""), `tiny/questions.jsonl:3: question "F2-part" has no family: ""`},
	{"question of an unknown family", edit(QuestionsFile, `"family":"F2"`, `"family":"F9"`), `tiny/questions.jsonl:3: question "F2-part" has no family: "F9"`},
	{"question of an unknown kind", edit(QuestionsFile, `"kind":"part"`, `"kind":"piece"`), `tiny/questions.jsonl:1: question "F1-part" has the unknown kind "piece"`},
	{"two questions of a kind", edit(QuestionsFile, `"kind":"whole"`, `"kind":"part"`), "tiny/questions.jsonl:2: family F1 has a second question of kind part"},
	{"question of a kind missing", line(QuestionsFile, 4, ""), "tiny/questions.jsonl: family F2 lacks its question of kind whole"},
	{"question that looks like a reader's", edit(QuestionsFile, `"_id":"F2-part"`, `"_id":"?F2"`), `tiny/questions.jsonl:3: ID "?F2"`},
	{"question with a NUL", edit(QuestionsFile, "points sea", `points\u0000sea`), "tiny/questions.jsonl:3: NUL character in a string"},
	{"question of ten megabytes", edit(QuestionsFile, "points sea", strings.Repeat("points sea", 1<<20)), "tiny/questions.jsonl:3: the line has 10485"},

	// Targets, draw and split.
	{"target of no document", edit(TargetsFile, "F2\t4", "F2\t99"), `tiny/targets.tsv:3: unknown document "99"`},
	{"target not eligible", short(6, "grinds grain by wind or water"), `tiny/targets.tsv:5: target "6" is not eligible: its text has 1 words`},
	{"duplicate family", edit(TargetsFile, "F2\t", "F1\t"), `tiny/targets.tsv:3: duplicate family "F1"`},
	{"family without ID", edit(TargetsFile, "F2\t", "\t"), `tiny/targets.tsv:3: empty ID: ""`},
	{"unknown band", edit(TargetsFile, "F2\t4\t1", "F2\t4\t3"), `tiny/targets.tsv:3: band "3"`},
	{"fraction for a band", edit(TargetsFile, "F2\t4\t1", "F2\t4\t1.0"), `tiny/targets.tsv:3: band "1.0"`},
	{"unknown split", edit(TargetsFile, "dev", "train"), `tiny/targets.tsv:2: split "train"`},
	{"family missing", line(TargetsFile, 3, ""), "tiny/targets.tsv: 5 families, want 6"},
	{"another target than drawn", edit(TargetsFile, "F2\t4", "F2\t3"), "tiny/targets.tsv:3: family F2: the draw gives target 4 of band 1, the file 3 of band 1"},
	{"another band than drawn", edit(TargetsFile, "F2\t4\t1", "F2\t4\t2"), "tiny/targets.tsv:3: family F2: the draw gives target 4 of band 1, the file 4 of band 2"},
	{"another split than drawn", all(edit(TargetsFile, "1\tdev", "1\ttest"), edit(TargetsFile, "1\ttest\nF4", "1\tdev\nF4")), "tiny/targets.tsv:3: family F2: the draw and the file disagree on its split, test in the file"},
	{"too few eligible documents", all(edit(TargetsFile, "F1\t11", "F1\t1"), edit(TargetsFile, "F5\t12", "F5\t2"), edit(TargetsFile, "F6\t10", "F6\t3"), short(10, "keeps fruit and bread cool"), short(11, "gives a flame from wax"),
		short(12, "holds wax and honey of bees"), short(9, "grows fruit trees in rows")), "tiny/targets.tsv: band 2 (7–12) has 2 eligible documents, fewer than the 3 to be drawn"},
	{"band beyond the collection", set("knownItem.sample.bandWidth", "12"), "tiny/targets.tsv: band 2 (13–24) has 0 eligible documents"},

	// The protocol as JSON.
	{"broken protocol", edit(ProtocolFile, `"readings": [],`, `"readings": [,`), "tiny/study.json:10: broken JSON"},
	{"unknown field of the protocol", edit(ProtocolFile, `"keep": 10,`, `"keep": 10, "kept": 1,`), `tiny/study.json:36: unknown field "kept"`},
	{"unknown field inside", edit(ProtocolFile, `"cutoff": 10,`, `"cutoff": 10, "cutOff": 1,`), `tiny/study.json:40: unknown field "cutOff"`},
	{"duplicate key of the protocol", edit(ProtocolFile, `"seed": 5,`, `"seed": 5, "seed": 6,`), `tiny/study.json:11: duplicate key "seed"`},
	{"protocol's key in another case", edit(ProtocolFile, `"seed": 5,`, `"Seed": 5,`), `tiny/study.json:11: unknown field "Seed"`},
	{"negative seed", set("seed", "-1"), "tiny/study.json:"},
	{"fraction for a seed", set("seed", "1.5"), "tiny/study.json:"},
	{"protocol with text after it", replace(ProtocolFile, func(old string) string { return old + "}" }), "tiny/study.json:56: text after the JSON value"},
	{"protocol nested deeply", set("readings", strings.Repeat("[", 200)+strings.Repeat("]", 200)), "tiny/study.json:"},
	{"empty protocol", replace(ProtocolFile, func(string) string { return "" }), "tiny/study.json:1: broken JSON"},
	{"another format", set("format", `"retrace-study/9"`), `tiny/study.json: format "retrace-study/9": this engine reads "retrace-study/2" and "retrace-study/1"`},
	{"another study's folder", set("id", `"other"`), `tiny/study.json: id "other" in folder "tiny"`},
	{"malformed id", set("id", `"<b>"`), `tiny/study.json: id "<b>"`},
	{"no design", replace(ProtocolFile, func(old string) string { return old[:strings.Index(old, ",\n  \"knownItem\"")] + "\n}" }), "tiny/study.json: give exactly one design"},

	// Parameters.
	{"negative parameter", term("bm25(k1=-1)"), "tiny/study.json: development.baselines: bm25: method: bm25: k1=-1 is outside 0 to 100"},
	{"parameter that is no number", term("bm25(k1=NaN)"), "tiny/study.json: development.baselines: bm25: method: bm25: k1=NaN is not a finite number"},
	{"infinite parameter", term("bm25(k1=Inf)"), "tiny/study.json: development.baselines: bm25: method: bm25: k1=Inf is not a finite number"},
	{"parameter beyond float64", term("bm25(k1=1e999)"), "tiny/study.json: development.baselines: bm25: method: bm25: k1=1e999 is not a finite number"},
	{"unknown parameter", term("bm25(k3=1)"), `tiny/study.json: development.baselines: bm25: method: bm25 has no parameter "k3"`},
	{"broken term", term("bm25("), "tiny/study.json: method: a name is missing at place 6"},
	{"unknown method", term("bm26"), `tiny/study.json: development.baselines: bm25: method: unknown method "bm26"`},
	{"method defined by itself", term("top(rrf)"), "tiny/study.json: development.baselines: bm25: method: "},
	{"baseline that waits for the lock", term("graph(tfidf,blend=${blend})"), "tiny/study.json: development.baselines: bm25: method: ${blend} has no value yet"},
	{"unknown graph", edit(ProtocolFile, "edges=rewired-1", "edges=rewired-2"), `tiny/study.json: methods: rewired-1: unknown graph "rewired-2": declare it under graphs`},
	{"method twice", edit(ProtocolFile, `"name": "tfidf"`, `"name": "bm25"`), `tiny/study.json: methods: name "bm25" is malformed or used twice`},
	{"method named as markup", edit(ProtocolFile, `"name": "direction"`, `"name": "<img src=x>"`), `tiny/study.json: methods: name "<img src=x>" is malformed`},
	{"method named as a candidate", all(edit(ProtocolFile, `"name": "direction"`, `"name": "grid:0.15:0.1"`), edit(ProtocolFile, `"degree", "direction"`, `"degree", "grid:0.15:0.1"`)), `tiny/study.json: methods: name "grid:0.15:0.1"`},
	{"graph rewired before it is declared", edit(ProtocolFile, `"of": "links"`, `"of": "later"`), `tiny/study.json: graphs: rewired-1 rewires "later"`},
	{"graph of an unknown kind", edit(ProtocolFile, `"from": "empty"`, `"from": "full"`), `tiny/study.json: graphs: empty: unknown kind "full"`},
	{"no swaps", edit(ProtocolFile, `"swapsPerEdge": 2`, `"swapsPerEdge": 0`), "tiny/study.json: graphs: rewired-1: swapsPerEdge 0: between 1 and 1000"},
	{"absurd swaps", edit(ProtocolFile, `"swapsPerEdge": 2`, `"swapsPerEdge": 1000000000`), "tiny/study.json: graphs: rewired-1: swapsPerEdge 1000000000"},
	{"stop words that english drops by itself", set("collection.analyzer", `"english"`), `tiny/stopwords.txt:1: "`},
	{"unknown analyzer", set("collection.analyzer", `"porter"`), `tiny/study.json: text: unknown analyzer "porter"`},
	{"no readings", func(m kit.Memory) {
		Edit(m, ProtocolFile, `"readings": [],`, ``)
	}, "tiny/study.json: readings is missing"},
	{"readings null", set("readings", "null"), "tiny/study.json: readings is missing"},
	{"method without a label", edit(ProtocolFile, `"role": "control", "label": "Degree"`, `"role": "control"`), "tiny/study.json: methods[5].label is missing"},
	{"split without a stream", edit(ProtocolFile, `"developmentStream": 4, `, ``), "tiny/study.json: knownItem.sample.developmentStream is missing"},
	{"unknown role", edit(ProtocolFile, `"role": "control", "label": "Degree"`, `"role": "contrl", "label": "Degree"`), `tiny/study.json: methods: degree: unknown role "contrl": use one of baseline, graph, dense, control`},
	{"one stream for bootstrap and signs", edit(ProtocolFile, `"flipStream": 12`, `"flipStream": 11`), "tiny/study.json: contrasts: primary: stream 11 is used twice"},
	{"one stream for two bands", edit(ProtocolFile, `"bandStreams": [1, 2]`, `"bandStreams": [1, 1]`), "tiny/study.json: sample: stream 1 is used twice"},
	{"no authors", set("authors", `[]`), `tiny/study.json: authors: name 1 to 100`},
	{"too many authors", set("authors", `["A"`+strings.Repeat(`,"A"`, 100)+`]`), `tiny/study.json: authors: name 1 to 100`},
	{"author with a wrong ORCID", set("authors", `[{"given":"Ada","orcid":"0000-0002-1825-0098"}]`), `tiny/study.json: authors: orcid "0000-0002-1825-0098" of Ada`},
	{"author of another kind", set("authors", `[{"first":"Ada"}]`), `tiny/study.json:4: unknown field "first"`},
	{"author without a name", set("authors", `["A"," "]`), `tiny/study.json: authors: an empty name`},
	{"unknown indexed field", set("collection.indexed", `["title","body"]`), `tiny/study.json: collection.indexed: unknown field "body"`},
	{"nothing kept", set("keep", "0"), "tiny/study.json: keep 0: between 1 and 1000"},
	{"too much kept", set("keep", "1000000"), "tiny/study.json: keep 1000000"},
	{"cutoff beyond exact sums", set("knownItem.cutoff", "21"), "tiny/study.json: cutoff 21: between 1 and 20"},
	{"hits that descend", set("knownItem.hitsAt", "[5, 1]"), "tiny/study.json: hitsAt [5 1]: cutoffs from 1"},
	{"grid value twice", set("knownItem.development.grid", `[{"key":"blend","values":["0.1","0.1"]}]`), `tiny/study.json: development.grid: blend: value "0.1" is malformed or stands there twice`},
	{"grid value out of bounds", set("knownItem.development.grid", `[{"key":"teleport","values":["1.1"]},{"key":"blend","values":["0.1"]}]`), "tiny/study.json: methods: graph: method: graph: teleport=1.1 is outside"},
	{"grid key twice", set("knownItem.development.grid", `[{"key":"blend","values":["0.1"]},{"key":"blend","values":["0.3"]}]`), `tiny/study.json: development.grid: key "blend" is malformed, reserved or used twice`},
	{"empty grid axis", set("knownItem.development.grid", `[{"key":"blend","values":[]}]`), "tiny/study.json: development: a grid of 1 to 512 candidates"},
	{"lists of format 1", set("knownItem.development.teleport", "[0.5]"), "tiny/study.json: development: teleport and blend are lists of format 1"},
	{"baseline twice", set("knownItem.development.baselines", `["bm25","bm25"]`), `tiny/study.json: development.baselines: name "bm25" is malformed or stands there twice`},
	{"test method twice", set("knownItem.test", `["bm25","bm25"]`), `tiny/study.json: test: name "bm25" is malformed or stands there twice`},
	{"test method unknown", set("knownItem.test", `["bm27"]`), `tiny/study.json: test: unknown method "bm27"`},
	{"kind twice", set("knownItem.kinds", `["part","part"]`), `tiny/study.json: kinds: name "part" is malformed or stands there twice`},
	{"kind with a control character", set("knownItem.kinds", `["part","who\u001ble"]`), `tiny/study.json: kinds: name "who\x1ble" is malformed`},
	{"contrast of what is not tested", set("knownItem.test", `["bm25","tfidf","rrf"]`), `tiny/study.json: contrasts: primary: method "graph" is not among the methods under test`},
	{"misses of what is not tested", set("knownItem.misses", `{"baseline":"${baseline}","graph":"dense"}`), `tiny/study.json: misses: method "dense" is not among the methods under test`},
	{"contrast twice", replace(ProtocolFile, func(old string) string {
		i := strings.Index(old, `{"name": "primary"`)
		one, _, _ := strings.Cut(old[i:], "\n")
		return old[:i] + one + ",\n" + old[i:]
	}), `tiny/study.json: contrasts: name "primary" is malformed or used twice`},
	{"no replicates", edit(ProtocolFile, `"replicates": 50`, `"replicates": 0`), "tiny/study.json: contrasts: primary: replicates and draws lie between 1 and 1000000"},
	{"absurd replicates", edit(ProtocolFile, `"replicates": 50`, `"replicates": 1000000000`), "tiny/study.json: contrasts: primary: replicates"},
	{"families that are not drawn", set("knownItem.families", "7"), "tiny/study.json: families 7: the sample draws 6"},
	{"absurd band", set("knownItem.sample.bandWidth", "4611686018427387904"), "tiny/study.json: sample: bandWidth 4611686018427387904"},
	{"sample that overflows", set("knownItem.sample.perBand", "4611686018427387905", "knownItem.sample.bandStreams", "[1,2,3,4]", "knownItem.families", "4"), "tiny/study.json: sample: bandWidth 6, perBand 4611686018427387905"},
	{"nothing drawn", set("knownItem.sample.perBand", "0"), "tiny/study.json: sample: bandWidth 6, perBand 0"},
	{"all families for development", set("knownItem.sample.development", "6"), "tiny/study.json: sample.development 6: between 1 and 5"},
	{"reader of negative numbers", set("knownItem.reader", `{"packet":"a","key":"b","answers":"c","prefix":"","kind":"part","questions":-1,"top":5,"stream":1,"methods":["bm25","graph"]}`), "tiny/study.json: reader: questions -1"},
	{"reader of one method", set("knownItem.reader", `{"packet":"a","key":"b","answers":"c","prefix":"","kind":"part","questions":1,"top":5,"stream":1,"methods":["bm25"]}`), "tiny/study.json: reader: questions 1, top 5, 1 methods"},
	{"reader of an unknown kind", set("knownItem.reader", `{"packet":"a","key":"b","answers":"c","prefix":"","kind":"other","questions":1,"top":5,"stream":1,"methods":["bm25","graph"]}`), `tiny/study.json: reader: unknown kind "other"`},
	{"reader without a packet", set("knownItem.reader", `{"packet":"tiny/a","key":"b","answers":"c","prefix":"","kind":"part","questions":1,"top":5,"stream":1,"methods":["bm25","graph"]}`), "tiny/a: not in the manifest"},
	{"dense method without vectors", term("rrf(dense,tfidf)"), "tiny/study.json: a dense method needs vectors"},
}
