// Package bigindex holds the commands that make the index of a corpus of any size as one file.
package bigindex

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"retrace/core/inverted"
	"retrace/core/text"
	"retrace/internal/indexfile"
	"retrace/internal/terminal"
)

// Commands returns index and merge-indexes.
func Commands() []*cobra.Command { return []*cobra.Command{indexCommand(), mergeCommand()} }

func indexCommand() *cobra.Command {
	o := options{}
	c := &cobra.Command{
		Use:   "index CORPUS --output FILE",
		Short: "Make an index of a corpus of any size, as one file",
		Long: `Makes the index of a corpus.jsonl in BEIR's layout as one file, which native search --index answers from. The text of a
document is its title and its text, joined by a space, or the fields that --fields names.

Postings that don't fit in --memory are written to a folder beside FILE and put together at the end. FILE appears when it
is whole; nothing that is there is overwritten. The same corpus and settings give the same bytes, whatever the order of
its lines and the memory.

Exit codes: 0 when the index is there, 1 on an error or when stopped.`,
		Example: `  build index corpus.jsonl --output corpus.index
  build index corpus.jsonl --output corpus.index --analyzer english --memory 2048
  build index part-3.jsonl --output part-3.index`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write (required)")
	f.StringVar(&o.analyzer, "analyzer", "unicode", "`NAME` of the analyzer: "+strings.Join(text.Names(), ", "))
	f.StringVar(&o.stopwords, "stopwords", "", "`FILE` of stop words, one a line, as tokens")
	f.StringSliceVar(&o.fields, "fields", []string{"title", "text"}, "fields that are indexed; one may be named twice")
	f.IntVar(&o.memory, "memory", indexfile.DefaultMemory>>20, "`MB` for postings before they are written to disk")
	if err := c.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

type options struct {
	output, analyzer, stopwords string
	fields                      []string
	memory                      int
}

func (o options) run(c *cobra.Command, corpus string) error {
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	about := inverted.About{Analyzer: o.analyzer, Fields: o.fields}
	for _, f := range o.fields {
		if f != "title" && f != "text" {
			return fmt.Errorf("--fields %s: a document has title and text", f)
		}
	}
	if o.memory < 1 || o.memory > 1<<20 {
		return fmt.Errorf("--memory %d: 1 to 1048576 MB", o.memory)
	}
	if o.stopwords != "" {
		analyzer, err := text.New(o.analyzer, nil)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(o.stopwords)
		if err != nil {
			return err
		}
		if about.Stopwords, err = analyzer.ReadWords(o.stopwords, data); err != nil {
			return err
		}
	}
	source, done, err := indexfile.Corpus(corpus, o.fields)
	if err != nil {
		return err
	}
	defer done()
	err = indexfile.Build(ctx, o.output, source,
		indexfile.Options{About: about, Memory: o.memory << 20, Progress: progress(c.ErrOrStderr())})
	if err != nil {
		return err
	}
	return report(c.OutOrStdout(), o.output)
}

// progress shows on a terminal how many documents were read.
func progress(w io.Writer) func(int) {
	if !terminal.Is(w) {
		return nil
	}
	shown := time.Now()
	return func(documents int) {
		if time.Since(shown) > 200*time.Millisecond {
			shown = time.Now()
			fmt.Fprintf(w, "\r\x1b[K%d documents", documents)
		}
	}
}

func report(w io.Writer, path string) error {
	f, err := indexfile.Map(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(w, "%s: %d documents, %d terms, %d tokens\nSHA-256 of its directory %s\n", path, f.N(), f.Terms(),
		f.About.Tokens, f.Hash())
	return err
}

func mergeCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "merge-indexes PART... --output FILE",
		Short: "Put the indexes of consecutive parts of a corpus together",
		Long: `Puts indexes together that were made with the same settings from parts of a corpus whose IDs follow one another, named
in that order. The result is the same file, byte for byte, as an index of the whole. Each part is checked whole first.

Exit codes: 0 when the index is there, 1 on an error.`,
		Example: "  build merge-indexes part-*.index --output corpus.index",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := indexfile.Merge(output, args); err != nil {
				return err
			}
			return report(c.OutOrStdout(), output)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "`FILE` to write (required)")
	if err := c.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}
