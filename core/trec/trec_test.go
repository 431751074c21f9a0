package trec

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"retrace/core/records"
)

// faultOf splits an error into what it says and its hint.
func faultOf(t *testing.T, err error) (text, hint string) {
	var e *records.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no error with file and line", err)
	}
	return err.Error(), e.Hint
}

func readRun(text string, o Options) (topics []string, hits map[string][]Hit, info RunInfo, err error) {
	hits = map[string][]Hit{}
	info, err = ReadRun("a.run", strings.NewReader(text), o, func(topic string, list []Hit) error {
		topics = append(topics, topic)
		hits[topic] = append([]Hit(nil), list...)
		return nil
	})
	return topics, hits, info, err
}

func warned(t *testing.T, warnings []*records.Error, want ...string) {
	t.Helper()
	if len(warnings) != len(want) {
		t.Errorf("%d warnings, want %d: %v", len(warnings), len(want), warnings)
		return
	}
	for i, w := range want {
		if !strings.Contains(warnings[i].Error(), w) || warnings[i].Hint == "" {
			t.Errorf("warning %q (%s), want %q", warnings[i], warnings[i].Hint, w)
		}
	}
}

// TestQrelsForms: forms that mean the same.
func TestQrelsForms(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		warning []string
	}{
		"plain":              {"1 0 a 2\n1 0 b -1\n2 0 a 0\n", nil},
		"tabs":               {"1\t0\ta\t2\n1\t0\tb\t-1\n2\t0\ta\t0\n", nil},
		"trailing tabs":      {"1 0 a 2\t\t\n1 0 b -1 \n2 0 a 0\t\n", nil},
		"leading spaces":     {"  1 0 a 2\n 1  0   b\t -1\n2 0 a 0\n", nil},
		"CRLF":               {"1 0 a 2\r\n1 0 b -1\r\n2 0 a 0\r\n", nil},
		"no last newline":    {"1 0 a 2\n1 0 b -1\n2 0 a 0", nil},
		"blank lines at end": {"1 0 a 2\n1 0 b -1\n2 0 a 0\n\n \n", nil},
		"BOM":                {"\ufeff1 0 a 2\n1 0 b -1\n2 0 a 0\n", []string{"q:1: a UTF-8 byte-order mark"}},
		"comments":           {"# by hand\n1 0 a 2\n1 0 b -1\n# and\n2 0 a 0\n", []string{"q: 2 lines begin with #"}},
		"other order":        {"2 Q0 a 0\n1 9 b -1\n1 0 a +2\n", nil},
		"BEIR":               {"query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t-1\n2\ta\t0\n", nil},
		"BEIR with CRLF":     {"query-id\tcorpus-id\tscore\r\n1\ta\t2\r\n1\tb\t-1\r\n2\ta\t0\r\n", nil},
	} {
		q, err := ReadQrels("q", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		warned(t, q.Warnings, c.warning...)
		a, okA := Grade(q.Topic("1"), "a")
		b, okB := Grade(q.Topic("1"), "b")
		if _, ok := Grade(q.Topic("2"), "b"); ok || !okA || !okB || a != 2 || b != -1 || strings.Join(q.Topics, " ") != "1 2" || q.Lines != 3 ||
			q.Topic("3") != nil {
			t.Errorf("%s: %+v", name, q)
		}
	}
	// IDs stay as they are written.
	q, err := ReadQrels("q", strings.NewReader("007 0 0a 1\n7 0 caf\u00e9 1\n7 0 cafe\u0301 0\n"))
	if err != nil || strings.Join(q.Topics, " ") != "007 7" || len(q.Topic("7")) != 2 {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestQrelsRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want, hint string }{
		"empty":             {"", "q: the file holds no judgement", "right file"},
		"blank":             {"\n\n", "q: the file holds no judgement", "right file"},
		"header only":       {"query-id\tcorpus-id\tscore\n", "q: the file holds no judgement", ""},
		"blank line inside": {"1 0 a 1\n\n1 0 b 1\n", "q:2: empty line", "remove"},
		"duplicate": {"1 0 a 1\n1 0 b 1\n1 0 a 0\n1 0 b 1\n", `q:3: topic "1" judges document "a" twice: 0 here, 1 on line 1`,
			"keep one"},
		"three columns":     {"1 a 1\n", "q:1: 3 columns, want 4", "BEIR"},
		"two columns":       {"1 a\n", "q:1: 2 columns, want 4", "each line"},
		"five columns":      {"1 0 a b 1\n", "q:1: 5 columns, want 4", "no space"},
		"a run":             {"1 Q0 a 1 0.5 t\n", "q:1: 6 columns, want 4", "a run"},
		"BEIR with spaces":  {"query-id\tcorpus-id\tscore\n1\ta b\t1\n", "q:2: 4 columns, want 3 under BEIR's header", "no space"},
		"fraction":          {"1 0 a 1.5\n", `q:1: grade "1.5": a fraction`, "multiply"},
		"whole as fraction": {"1 0 a 1.0\n", `q:1: grade "1.0": a fraction`, "multiply"},
		"Boolean":           {"1 0 a 1\n1 0 b True\n", `q:2: grade "True": a Boolean`, "1 for true"},
		"NaN grade":         {"1 0 a nan\n", `q:1: grade "nan": a fraction`, ""},
		"word":              {"1 0 a high\n", `q:1: grade "high": not a whole number`, "last column"},
		"large":             {"1 0 a 128\n", `q:1: grade "128": outside`, "smaller scale"},
		"very large":        {"1 0 a 99999999999999999999\n", `q:1: grade "99999999999999999999": a fraction`, ""},
		"Latin-1":           {"1 0 caf\xe9 1\n", "q:1: the line is not UTF-8", "iconv -f LATIN1"},
		"UTF-16 LE":         {"\xff\xfe1\x00 \x00", "q:1: the file is UTF-16", "iconv -f UTF-16"},
		"UTF-16 BE":         {"\xfe\xff\x001\x00 ", "q:1: the file is UTF-16", "iconv -f UTF-16"},
		"UTF-16, no BOM":    {"1\x00 \x000\x00", "q:1: the file is UTF-16", "iconv -f UTF-16"},
		"no-break space":    {"1 0 a\u00a0b 1\n", `q:1: document "a\u00a0b": ID with a space`, "visible"},
		"zero width":        {"1 0 a\u200bb 1\n", "ID with a space, control or format character", "visible"},
		"old Mac":           {"1 0 a 1\r1 0 b 1\r", "q:1: 7 columns", ""},
		"long ID":           {"1 0 " + strings.Repeat("a", 257) + " 1\n", "ID longer than 256 bytes", ""},
		"long line":         {strings.Repeat("a ", maxLine), "q:1: the line has more than 65536 bytes", "TREC file"},
	} {
		q, err := ReadQrels("q", strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s: %+v", name, q)
			continue
		}
		if text, hint := faultOf(t, err); !strings.Contains(text, c.want) || !strings.Contains(hint, c.hint) || hint == "" || len(text) > 400 {
			t.Errorf("%s: %q (%q), want %q (%q)", name, text, hint, c.want, c.hint)
		}
	}
}

func TestRunForms(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		o        Options
		warnings []string
	}{
		"plain":           {"1 Q0 a 1 2.5 t\n1 Q0 b 2 1 t\n2 Q0 a 1 -1 t\n", Options{}, nil},
		"tabs, CRLF":      {"1\tQ0\ta\t1\t2.5\tt\r\n1\tQ0\tb\t2\t1\tt\t\r\n2\tQ0\ta\t1\t-1\tt", Options{}, nil},
		"exponents":       {"1 Q0 a 1 25e-1 t\n1 Q0 b 2 1E0 t\n2 Q0 a 1 -0.1e+1 t\n", Options{}, nil},
		"by rank upwards": {"1 Q0 b 2 1 t\n1 Q0 a 1 2.5 t\n2 Q0 a 1 -1 t\n", Options{}, nil},
		"interleaved":     {"1 Q0 a 1 2.5 t\n2 Q0 a 1 -1 t\n1 Q0 b 2 1 t\n", Options{Stored: true}, nil},
		"extra columns":   {"1 Q0 a 1 2.5 t more\n1 Q0 b 2 1 t\n2 Q0 a 1 -1 t and much more behind it\n", Options{ExtraColumns: true}, nil},
		"BOM":             {"\ufeff1 Q0 a 1 2.5 t\n1 Q0 b 2 1 t\n2 Q0 a 1 -1 t\n", Options{}, []string{"byte-order mark"}},
		"ranks from 0":    {"1 Q0 a 0 2.5 t\n1 Q0 b 1 1 t\n2 Q0 a 0 -1 t\n", Options{}, nil},
		"ranks contradict": {"1 Q0 a 2 2.5 t\n1 Q0 b 1 1 t\n2 Q0 a 1 -1 t\n", Options{},
			[]string{"a.run:2: 1 ranks contradict the scores"}},
		"two tags": {"1 Q0 a 1 2.5 s\n1 Q0 b 2 1 t\n2 Q0 a 1 -1 t\n", Options{}, []string{"a.run:2: the run has more than one tag"}},
	} {
		topics, hits, info, err := readRun(c.text, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		warned(t, info.Warnings, c.warnings...)
		one := hits["1"]
		if strings.Join(topics, " ") != "1 2" || len(one) != 2 || one[0].Doc != "a" || one[0].Score != 2.5 || one[1].Doc != "b" ||
			hits["2"][0].Score != -1 || info.Tag != "t" || info.Lines != 3 || info.Topics != 2 {
			t.Errorf("%s: %v %v %+v", name, topics, hits, info)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want, hint string }{
		"empty":          {"", "a.run: the run is empty", "fail"},
		"five columns":   {"1 Q0 a 1 2.5\n", "a.run:1: 5 columns, want 6", "tag, or the Q0"},
		"seven columns":  {"1 Q0 a b 1 2.5 t\n", "a.run:1: 7 columns, want 6", "no space"},
		"many columns":   {"1 Q0 a 1 2.5 t a b c d e f\n", "a.run:1: 8 or more columns", "explicitly"},
		"NaN":            {"1 Q0 a 1 NaN t\n", `a.run:1: score "NaN": NaN is no score`, "finite"},
		"inf":            {"1 Q0 a 1 -inf t\n", `score "-inf": -Inf is no score`, "finite"},
		"infinity":       {"1 Q0 a 1 Infinity t\n", `score "Infinity": +Inf is no score`, "finite"},
		"hexadecimal":    {"1 Q0 a 1 0x1p3 t\n", `score "0x1p3": 8 is no score`, "decimal"},
		"too large":      {"1 Q0 a 1 1e999 t\n", `score "1e999": beyond the range`, "finite"},
		"decimal comma":  {"1 Q0 a 1 2,5 t\n", `score "2,5": not a number`, "decimal"},
		"no number":      {"1 Q0 a 1 -- t\n", `score "--": not a number`, "decimal"},
		"rank and score": {"1 Q0 a 2.5 1 t\n", `rank "2.5" is not a whole number`, "fourth"},
		"duplicate": {"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 a 3 0 t\n", `a.run:3: topic "1" returns document "a" twice: here and on line 1`,
			"keep one"},
		"interleaved":  {"1 Q0 a 1 2 t\n2 Q0 b 2 1 t\n1 Q0 b 3 0 t\n", `a.run:3: topic "1" comes back`, "sort -s -k1,1"},
		"Latin-1":      {"1 Q0 caf\xe9 1 2 t\n", "a.run:1: the line is not UTF-8", "LATIN1"},
		"UTF-16":       {"\xff\xfe1\x00 \x00", "a.run:1: the file is UTF-16", "UTF-16"},
		"blank inside": {"1 Q0 a 1 2 t\n\n1 Q0 b 2 1 t\n", "a.run:2: empty line", "remove"},
	} {
		_, _, info, err := readRun(c.text, Options{})
		if err == nil {
			t.Errorf("%s: %+v", name, info)
			continue
		}
		if text, hint := faultOf(t, err); !strings.Contains(text, c.want) || !strings.Contains(hint, c.hint) || hint == "" {
			t.Errorf("%s: %q (%q), want %q (%q)", name, text, hint, c.want, c.hint)
		}
	}
	_, _, _, err := readRun("1 Q0 a 1 2 t\n2 Q0 b 2 1 t\n1 Q0 b 3 0 t\n", Options{})
	if !errors.Is(err, ErrInterleaved) {
		t.Errorf("%v is not ErrInterleaved", err)
	}
	// Duplicates are found across a stored run too.
	if _, _, _, err := readRun("1 Q0 a 1 2 t\n2 Q0 b 2 1 t\n1 Q0 a 3 0 t\n", Options{Stored: true}); err == nil ||
		!strings.Contains(err.Error(), "a.run:3") {
		t.Errorf("a duplicate in a stored run: %v", err)
	}
	// What reading itself meets, such as the early end of compressed data.
	_, err = ReadRun("a.run", io.MultiReader(strings.NewReader("1 Q0 a 1 2 t\n1 Q0"), failing{io.ErrUnexpectedEOF}), Options{}, func(string,
		[]Hit) error {
		return nil
	})
	if text, hint := faultOf(t, err); text != "a.run:2: the file ends early" || !strings.Contains(hint, "cut off") {
		t.Errorf("%q (%q)", text, hint)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestOrders: 1.00000001 and 1 differ as float64 and are equal as float32 (24 bits: a step of 1.2e-7 above 1).
func TestOrders(t *testing.T) {
	text := "1 Q0 9 1 1.00000001 t\n1 Q0 10 2 1 t\n1 Q0 b 3 1 t\n1 Q0 c 4 2 t\n"
	for order, want := range map[Order]string{
		TrecEval: "c 9 b 10", TrecEvalFloat32: "c b 9 10", Ascending: "c 9 10 b", AscendingBytewise: "c 9 10 b",
	} {
		_, hits, info, err := readRun(text, Options{Order: order})
		if err != nil {
			t.Fatal(err)
		}
		var docs []string
		for _, h := range hits["1"] {
			docs = append(docs, h.Doc)
		}
		sizes, tied := order.Ties(hits["1"])
		groups := []int{1, 1, 2}
		if order == TrecEvalFloat32 {
			groups = []int{1, 3}
		}
		if strings.Join(docs, " ") != want || !tied || len(sizes) != len(groups) || sizes[len(sizes)-1] != groups[len(groups)-1] {
			t.Errorf("%s: %v %v, want %s", order, docs, sizes, want)
		}
		noticed := false
		for _, w := range info.Warnings {
			noticed = noticed || strings.Contains(w.Error(), "differ, but not as float32")
		}
		if noticed != (order != TrecEvalFloat32) {
			t.Errorf("%s: warnings %v", order, info.Warnings)
		}
	}
	if _, hits, _, _ := readRun("1 Q0 9 1 1 t\n1 Q0 10 1 1 t\n", Options{Order: AscendingBytewise}); hits["1"][0].Doc != "10" {
		t.Error("bytewise, 10 stands before 9")
	}
	if _, err := ParseOrder("bm25"); err == nil {
		t.Error("an order of another name is no error")
	}
}

// TestStreamEqualsStored: where the topics stand together, both ways of reading yield the same.
func TestStreamEqualsStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for topic := range rapid.IntRange(1, 4).Draw(t, "topics") {
			for doc, score := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 6).Draw(t, "scores") {
				b.WriteString(strconv.Itoa(topic) + " Q0 d" + strconv.Itoa(doc) + " 1 " + strconv.Itoa(score) + " t\n")
			}
		}
		order := rapid.SampledFrom([]Order{TrecEval, TrecEvalFloat32, Ascending, AscendingBytewise}).Draw(t, "order")
		topicsA, a, infoA, errA := readRun(b.String(), Options{Order: order})
		topicsB, other, infoB, errB := readRun(b.String(), Options{Order: order, Stored: true})
		if errA != nil || errB != nil || infoA.Lines != infoB.Lines || strings.Join(topicsA, " ") != strings.Join(topicsB, " ") {
			t.Fatalf("%v %v %+v %+v", errA, errB, infoA, infoB)
		}
		for topic, hits := range a {
			for i, h := range hits {
				if other[topic][i] != h {
					t.Fatalf("topic %s: %v, %v", topic, hits, other[topic])
				}
				if i > 0 && (hits[i-1].Score < h.Score || order.Compare(hits[i-1], h) >= 0) {
					t.Fatalf("topic %s is out of order: %v", topic, hits)
				}
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("1 0 a 1\n"))
	f.Add([]byte("1 Q0 a 1 2.5 t\n2 Q0 a 1 1e-3 t\n"))
	f.Add([]byte("query-id\tcorpus-id\tscore\n1\ta\t2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if q, err := ReadQrels("q", bytes.NewReader(data)); err == nil {
			n := 0
			for _, topic := range q.Topics {
				n += len(q.Topic(topic))
			}
			if n != q.Lines {
				t.Errorf("%d judgements of %d lines", n, q.Lines)
			}
		}
		n := 0
		if info, err := ReadRun("r", bytes.NewReader(data), Options{Stored: true}, func(_ string,
			hits []Hit) error {
			n += len(hits)
			return nil
		}); err == nil && n != info.Lines {
			t.Errorf("%d hits of %d lines", n, info.Lines)
		}
	})
}
