package lexical

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"retrace/core/index"
	"retrace/core/rank"
	"retrace/core/text"
)

const peers = "../../../shared/data/peers"

// Lucene 9.12.1's own rankings (k1 0.9, b 0.4, EnglishAnalyzer): the same documents in the same order, with the same scores
// to the last bit of a float32. Inside exact ties Lucene goes by the order of indexing, here it is that of the IDs.
func TestLucenePeers(t *testing.T) {
	if _, err := os.Stat(peers); errors.Is(err, fs.ErrNotExist) {
		t.Skip("no ../shared/data/peers beside the project: nothing to compare with")
	}
	t.Run("concepts", func(t *testing.T) {
		ids, texts := beir(t, "../../kit/concepts/corpus.jsonl")
		topics, questions := beir(t, "../../kit/r01/questions.jsonl")
		compareRun(t, "lucene/concepts-r01-bm25.run.gz", 20, ids, texts, topics, questions)
	})
	t.Run("cacm", func(t *testing.T) {
		ids, texts := cacm(t)
		topics, questions := cacmTopics(t)
		compareRun(t, "lucene/cacm-bm25.run.gz", 100, ids, texts, topics, questions)
	})
}

func compareRun(t *testing.T, run string, depth int, ids, texts, topics, questions []string) {
	analyzer, err := text.New("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := index.Build(analyzer, texts)
	m := NewLuceneBM25(x, 0.9, 0.4)
	theirs := map[string][][2]string{}
	for _, line := range lines(t, filepath.Join(peers, run)) {
		f := strings.Fields(line)
		theirs[f[0]] = append(theirs[f[0]], [2]string{f[2], f[4]})
	}
	compared, ties := 0, 0
	for i, topic := range topics {
		s := rank.New(x.N())
		m.ScoreWeighted(Weigh(x.Query(questions[i])), s)
		hits := s.Best(depth)
		if len(hits) != len(theirs[topic]) {
			t.Fatalf("%s: %d documents, Lucene has %d", topic, len(hits), len(theirs[topic]))
		}
		for place, h := range hits {
			their := theirs[topic][place]
			score, err := strconv.ParseFloat(their[1], 32)
			if err != nil {
				t.Fatal(err)
			}
			if h.Score != score {
				t.Errorf("%s, place %d: %s with %v, Lucene has %s with %v", topic, place+1, ids[h.Doc], h.Score, their[0], score)
			} else if ids[h.Doc] != their[0] {
				// Another document may stand here only in a tie: theirs must have this very score too.
				d := slices.Index(ids, their[0])
				if d < 0 || s.Value[d] != score {
					t.Errorf("%s, place %d: %s, Lucene has %s", topic, place+1, ids[h.Doc], their[0])
				}
				ties++
			}
			compared++
		}
	}
	t.Logf("%s: %d places, %d of them held by another document of an exact tie", run, compared, ties)
	if compared == 0 || len(theirs) != len(topics) {
		t.Errorf("%d topics, Lucene has %d", len(topics), len(theirs))
	}
}

// beir reads IDs and texts of a file in BEIR's layout, title and text joined by a space.
func beir(t *testing.T, path string) (ids, texts []string) {
	for _, line := range lines(t, path) {
		var d struct {
			ID          string `json:"_id"`
			Title, Text string
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		ids, texts = append(ids, d.ID), append(texts, strings.TrimSpace(d.Title+" "+d.Text))
	}
	return ids, texts
}

var tag = regexp.MustCompile(`<[^>]*>`)

// plain is the parse of the peers' README: tags stripped, entities decoded, Latin-1, white space joined.
func plain(raw []byte) string {
	runes := make([]rune, len(raw))
	for i, b := range raw {
		runes[i] = rune(b)
	}
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(string(runes), " "))), " ")
}

func cacm(t *testing.T) (ids, texts []string) {
	f, err := os.Open(filepath.Join(peers, "cacm", "cacm.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".html") {
			continue
		}
		raw, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		byID[strings.TrimSuffix(filepath.Base(h.Name), ".html")] = plain(raw)
	}
	for id := range byID {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		texts = append(texts, byID[id])
	}
	if len(ids) != 3204 {
		t.Fatalf("%d documents", len(ids))
	}
	return ids, texts
}

func cacmTopics(t *testing.T) (topics, questions []string) {
	raw, err := os.ReadFile(filepath.Join(peers, "cacm", "topics.cacm.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range strings.Split(string(raw), "<DOC>")[1:] {
		_, rest, _ := strings.Cut(doc, "<DOCNO>")
		number, body, _ := strings.Cut(rest, "</DOCNO>")
		topics, questions = append(topics, strings.TrimSpace(number)), append(questions, plain([]byte(body)))
	}
	if len(topics) != 64 {
		t.Fatal(fmt.Sprint(len(topics), " topics"))
	}
	return topics, questions
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var list []string
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		list = append(list, scanner.Text())
	}
	if scanner.Err() != nil {
		t.Fatal(scanner.Err())
	}
	return list
}
