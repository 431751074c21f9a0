package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"retrace/core/records"
	"retrace/core/text"
)

// maxAnalyzed is the longest line that analyze reads, in bytes.
const maxAnalyzed = 16 << 20

// analyzed is one line of analyze as JSON.
type analyzed struct {
	Text   string      `json:"text"`
	Tokens []placement `json:"tokens"`
}

// placement is a token with the bytes of the text that it came from.
type placement struct {
	Token string `json:"token"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

func analyzeCommand() *cobra.Command {
	var name, file, stopwords string
	var asJSON, list bool
	c := &cobra.Command{
		Use:   "analyze [TEXT]",
		Short: "Print the tokens that an analyzer makes of a text",
		Long: `Prints the tokens of TEXT, of the lines of --file, or of the lines of standard input: each line's on one line, parted by a
space. An empty line stands for a text without a token. Control characters in tokens print as U+FFFD; --json prints tokens
as they are, with the bytes of the text that each came from.

docs/analyzers-and-models.md says what each analyzer does; --list names them.`,
		Example: `  native analyze --analyzer english "The runner's shoes"
  native analyze --analyzer english --json "The runner's shoes"
  native analyze --analyzer ascii --stopwords kit/r01/stopwords.txt --file notes.txt
  jq -r .text kit/r01/questions.jsonl | native analyze --analyzer english
  native analyze --list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				t := table{title: "Analyzers", head: []string{"name", "fixed by", "does"}, left: 3}
				for _, k := range text.Table {
					t.rows = append(t.rows, []string{k.Name, k.Source, k.Sentence})
				}
				t.print(c.OutOrStdout())
				return nil
			}
			if len(args) > 0 && file != "" {
				return errors.New("analyze: a text and --file: give one of them")
			}
			analyzer, err := analyzerOf(name, stopwords)
			if err != nil {
				return err
			}
			in, from := c.InOrStdin(), "standard input"
			if len(args) > 0 {
				in, from = strings.NewReader(args[0]), "TEXT"
			}
			if file != "" {
				f, err := os.Open(file)
				if err != nil {
					return err
				}
				defer f.Close()
				in, from = f, file
			}
			out := bufio.NewWriter(c.OutOrStdout())
			if err := analyzeLines(analyzer, in, from, out, asJSON); err != nil {
				return errors.Join(out.Flush(), err)
			}
			return out.Flush()
		},
	}
	c.Flags().StringVarP(&name, "analyzer", "a", "english", "`NAME` of the analyzer: "+strings.Join(text.Names(), ", "))
	c.Flags().StringVar(&file, "file", "", "read texts from `FILE`, one a line")
	c.Flags().StringVar(&stopwords, "stopwords", "", "`FILE` of stop words, one a line, as tokens")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a text: text, tokens, their places in bytes")
	c.Flags().BoolVar(&list, "list", false, "list the analyzers")
	return c
}

// analyzerOf returns an analyzer with the stop words of a file.
func analyzerOf(name, stopwords string) (*text.Analyzer, error) {
	analyzer, err := text.New(name, nil)
	if err != nil || stopwords == "" {
		return analyzer, err
	}
	data, err := os.ReadFile(stopwords)
	if err != nil {
		return nil, err
	}
	words, err := analyzer.ReadWords(stopwords, data)
	if err != nil {
		return nil, err
	}
	return text.New(name, words)
}

func analyzeLines(analyzer *text.Analyzer, in io.Reader, from string, out io.Writer, asJSON bool) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxAnalyzed)
	n := 0
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		n++
		line := lines.Text()
		if !utf8.ValidString(line) {
			return records.Errorf(from, n, "convert it to UTF-8", "the text is not UTF-8")
		}
		var err error
		if asJSON {
			a := analyzed{line, []placement{}}
			for _, s := range analyzer.Spans(line) {
				a.Tokens = append(a.Tokens, placement{s.Token, s.Start, s.End})
			}
			err = encoder.Encode(a)
		} else {
			_, err = fmt.Fprintln(out, withoutControls(strings.Join(analyzer.Tokens(line), " ")))
		}
		if err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return records.Errorf(from, n+1, "break it into shorter texts", "a line of more than %d bytes", maxAnalyzed)
	}
	return lines.Err()
}

// withoutControls replaces control characters, which would drive a terminal, by U+FFFD; format characters are parts of
// words and stay.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return '\ufffd'
		}
		return r
	}, s)
}
