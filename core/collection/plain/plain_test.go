package plain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrace/core/collection"
	"retrace/core/records"
)

// pack makes a tar.gz of names and contents, in turn.
func pack(t testing.TB, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for i := 0; i < len(members); i += 2 {
		h := &tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(members[i], "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func fault(t *testing.T, err error) string {
	t.Helper()
	var e *records.Error
	if !errors.As(err, &e) || e.Hint == "" || e.File == "" {
		t.Fatalf("no file or hint in %#v", err)
	}
	return err.Error()
}

// By the rules of the package's comment, by hand.
func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		"<html>\n<pre>\n\n  A  kettle\nboils\n</pre>":    "A kettle boils",
		"R&amp;D of caf\xe9s&nbsp;&eacute;&#233;&#xE9;;": "R&D of cafés ééé;",
		"a < b and <i>c</i>":                             "a c", // "< b and <i>" goes to the first ">"
		"if x<3 then":                                    "if x<3 then",
		"a<br>b":                                         "a b",
		"&lt;b&gt; AT&T &;":                              "<b> AT&T &;",
		"&amp;lt;":                                       "&lt;", // decoded once
		"&yuml;&THORN;&frac14;":                          "ÿÞ¼",
		"":                                               "",
	} {
		if got, err := Text([]byte(raw)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", raw, got, err, want)
		}
	}
	for _, reference := range []string{"&foo;", "&#0;", "&#128;", "&#xD800;", "&#x110000;", "&#;", "&#99999999999999999999;"} {
		if _, err := Text([]byte("a " + reference)); err == nil || !strings.HasPrefix(err.Error(), reference+": ") {
			t.Errorf("%s: %v", reference, err)
		}
	}
}

// What Go's regexp and html packages make of the same bytes, where no reference lacks its semicolon, which html decodes too.
func TestTextIsThePlainParse(t *testing.T) {
	tag := regexp.MustCompile(`<[^>]*>`)
	piece := rapid.OneOf(rapid.SampledFrom(append([]string{"<", ">", "< b", "&amp;", "&lt;", "&gt;", "&quot;", "&#65;", "&#xe9;",
		" \n", "\xa0", "\x85", "é", "&", "word "}, references()...)), rapid.StringMatching(`[a-z <>]{0,5}`))
	bare := regexp.MustCompile(`&[a-zA-Z0-9#]+([^a-zA-Z0-9#;]|$)`)
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		runes := make([]rune, len(raw))
		for i := range len(raw) {
			runes[i] = rune(raw[i])
		}
		stripped := tag.ReplaceAllString(string(runes), " ")
		if bare.MatchString(stripped) {
			t.Skip("a reference without semicolon")
		}
		got, err := Text([]byte(raw))
		if err != nil {
			t.Skip("a reference that pieces made")
		}
		if want := strings.Join(strings.Fields(html.UnescapeString(stripped)), " "); got != want {
			t.Fatalf("%q: %q, want %q", raw, got, want)
		}
	})
}

// references lists all of Latin-1's.
func references() (list []string) {
	for _, name := range strings.Fields(names) {
		list = append(list, "&"+name+";")
	}
	return list
}

func TestNamesAreHTMLs(t *testing.T) {
	list := references()
	if len(list) != 96 {
		t.Fatalf("%d names, Latin-1 has 96 characters from U+00A0 on", len(list))
	}
	for _, r := range list {
		if got, err := decoded(r); err != nil || got != html.UnescapeString(r) {
			t.Errorf("%s: %q, %v, html has %q", r, got, err, html.UnescapeString(r))
		}
	}
}

const (
	first  = "<html>\n<pre>\n\nOn  Kettles\nand tea\n\nThey boil.\n\n2\t5\t1\n3\t4\t1\n1\t5\t1\n</pre>\n</html>\n"
	second = "<html>\n<pre>\n\nLanterns\n\n3\t5\t2\n</pre>\n</html>\n"
	third  = "Anchors\n"
)

func TestDocumentsAndCitations(t *testing.T) {
	data := pack(t, "r/", "", "r/T-02.html", second, "r/T-01.html", first, "r/README", "not a record", "T-3.html", third)
	c, err := Documents("r.tar.gz", data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.Docs {
		got = append(got, d.ID, d.Title, d.Text)
	}
	want := []string{"T-01", "On Kettles and tea", "On Kettles and tea They boil. 2 5 1 3 4 1 1 5 1", "T-02", "Lanterns", "Lanterns 3 5 2",
		"T-3", "Anchors", "Anchors"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	links, err := Citations("r.tar.gz", data, c, 5)
	if d := cmp.Diff([]collection.Link{{Source: 2, Target: 1, Line: 6}, {Source: 1, Target: 0, Line: 9}, {Source: 0, Target: 0, Line: 11}},
		links); err != nil || d != "" {
		t.Error(d, err)
	}
	if links, err := Citations("r.tar.gz", data, c, 4); err != nil || !cmp.Equal(links, []collection.Link{{Source: 2, Target: 0, Line: 10}}) {
		t.Error(links, err)
	}
}

func TestDocumentsRefuses(t *testing.T) {
	good := pack(t, "1.html", "one")
	long := pack(t, strings.Repeat("x", 150)+"/1.html", "one") // in the prefix of ustar
	if c, err := Documents("f", long); err != nil || c.Docs[0].ID != "1" {
		t.Error("a long name:", err)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)-8] ^= 1
	var plainTar, pax, other bytes.Buffer
	plainTar.WriteString("1.html is no archive")
	z := gzip.NewWriter(&pax)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: strings.Repeat("é", 90) + ".html", Format: tar.FormatPAX})
	w.Close()
	z.Close()
	z = gzip.NewWriter(&other)
	z.Write(bytes.Repeat([]byte("no tar"), 100))
	z.Close()
	for _, one := range []struct {
		name, want string
		data       []byte
	}{
		{"nothing", "f: is not compressed with gzip", nil},
		{"no gzip", "f: is not compressed with gzip", plainTar.Bytes()},
		{"cut", "f: ends early", good[:len(good)-9]},
		{"cut check", "f: ends early", good[:len(good)-1]},
		{"check", "f: the compressed data are damaged: their check differs", damaged},
		{"more", "f: something follows the compressed data", append(bytes.Clone(good), good...)},
		{"no tar", "f: member 1 has no header of a tar archive", other.Bytes()},
		{"pax", "f: member 1 (", pax.Bytes()},
		{"twice", `f: "a/1.html" and "b/1.html" are both named "1"`, pack(t, "a/1.html", "x", "b/1.html", "y")},
		{"NUL", `f: "1.html" holds a NUL byte`, pack(t, "1.html", "a\x00b")},
		{"reference", `f: "1.html": &foo;: no character`, pack(t, "1.html", "&foo;")},
		{"empty", "f: no documents", pack(t, "README", "x")},
		{"space", "f: ID with a space", pack(t, "a b.html", "x")},
		{"large", `f: "1.html" has 10485761 bytes`, pack(t, "1.html", strings.Repeat("x", MaxRecord+1))},
	} {
		if _, err := Documents("f", one.data); !strings.HasPrefix(fault(t, err), one.want) {
			t.Errorf("%s: %v, want %s", one.name, err, one.want)
		}
	}
	for at := range good {
		if _, err := Documents("f", good[:at]); err == nil {
			t.Errorf("cut at %d was read", at)
		}
	}
}

// A bomb stops at the bound: 257 MiB of zero bytes are 256 KiB compressed.
func TestBomb(t *testing.T) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	chunk := make([]byte, 1<<20)
	for range MaxBytes>>20 + 1 {
		z.Write(chunk)
	}
	z.Close()
	if _, err := Documents("f", out.Bytes()); !strings.HasPrefix(fault(t, err), "f: more than 268435456 bytes once decompressed") {
		t.Error(err)
	}
}

func TestCitationsRefuses(t *testing.T) {
	for _, one := range []struct{ name, want, record string }{
		{"unknown", "f: 1.html:2: 7 cites 1, which is not in 1", "x\n7\t5\t1\n"},
		{"other record", "f: 1.html:1: 1 cites 2, which is not in 1", "1\t5\t2\n"},
	} {
		data := pack(t, "1.html", one.record, "2.html", "two")
		c, err := Documents("f", data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Citations("f", data, c, 5); fault(t, err) != one.want {
			t.Errorf("%s: %v, want %s", one.name, err, one.want)
		}
	}
	for _, names := range [][2]string{{"a-1", "b-1"}, {"a", "b"}} {
		data := pack(t, names[0]+".html", "x", names[1]+".html", "y")
		c, err := Documents("f", data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Citations("f", data, c, 5); err == nil {
			t.Errorf("%v: records without numbers of their own were read", names)
		}
	}
}

func TestTopics(t *testing.T) {
	got, err := Topics("t", []byte("<DOC>\n<DOCNO> 1 </DOCNO>\n\n What  about\ntea?\n</DOC>\n\n<DOC><DOCNO>x</DOCNO>caf\xe9 &lt;</DOC>"))
	if d := cmp.Diff([]Topic{{"1", "What about tea?", 1}, {"x", "café <", 8}}, got); err != nil || d != "" {
		t.Error(d, err)
	}
	for data, want := range map[string]string{
		"\n\n<DOX>":                             "t:3: a topic begins",
		"<DOC><DOCNO>1</DOCNO>x":                "t:1: a topic begins",
		"<DOC>x</DOC>":                          "t:1: the topic has no <DOCNO>",
		"<DOC><DOCNO>1</DOCNO><DOC></DOC>":      "t:1: the topic has no <DOCNO>, or no </DOC>",
		"<DOC><DOCNO>1</DOCNO>&foo;</DOC>":      "t:1: &foo;",
		"<DOC><DOCNO>1</DOCNO>a</DOC>\nanother": "t:2: a topic begins",
	} {
		if _, err := Topics("t", []byte(data)); !strings.HasPrefix(fault(t, err), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add(pack(f, "T-1.html", first, "T-2.html", second, "T-3.html", third))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Documents("f", data); err == nil {
			Citations("f", data, c, 5)
		} else if e := (*records.Error)(nil); !errors.As(err, &e) || e.Hint == "" {
			t.Fatal(fmt.Sprintf("%#v", err))
		}
	})
}
