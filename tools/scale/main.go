// Command scale makes collections of any size and measures this project's index on them; tools/bench-scale sets it beside
// others. Times are the processor's, on one core.
//
//	scale corpus N FILE         documents 1 … N as corpus.jsonl
//	scale questions N FILE      questions, one a line
//	scale index CORPUS INDEX    time, size and memory of making an index, with one thread
//	scale search INDEX FILE     questions a second, ten best each; with -exhaustive also that both ways give the same bits
//	scale dense ROWS            exact search over vectors against a plain read of the same memory, and 8-bit codes
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"retrace/core/inverted"
	"retrace/internal/indexfile"
	"retrace/internal/synthetic"
)

const seed = 20261207

func main() {
	runtime.GOMAXPROCS(1)
	err := errors.New("usage: scale corpus|questions|index|search|dense …; see its source")
	if len(os.Args) == 3 && os.Args[1] == "dense" {
		rows := 0
		if rows, err = strconv.Atoi(os.Args[2]); err == nil {
			err = denseSearch(rows)
		}
	} else if len(os.Args) >= 4 {
		switch os.Args[1] {
		case "corpus":
			err = write(os.Args[2], os.Args[3], func(s *synthetic.Source, b []byte, n int) []byte {
				b = append(b, `{"_id":"`...)
				b = strconv.AppendInt(b, int64(n+1), 10)
				b = append(b, `","text":"`...)
				return append(s.AppendDocument(b, n), "\"}\n"...)
			})
		case "questions":
			err = write(os.Args[2], os.Args[3], func(s *synthetic.Source, b []byte, n int) []byte {
				return append(append(b, s.Question(n)...), '\n')
			})
		case "index":
			err = index(os.Args[2], os.Args[3])
		case "search":
			err = search(os.Args[2], os.Args[3], len(os.Args) > 4 && os.Args[4] == "-exhaustive")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func write(count, path string, line func(*synthetic.Source, []byte, int) []byte) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	s, w, b := synthetic.New(seed), bufio.NewWriterSize(f, 1<<20), []byte(nil)
	for i := range n {
		b = line(s, b[:0], i)
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// processor returns the seconds of processor time that the process took: what else runs on the machine does not count.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// peak returns the most memory that the process had, in MB.
func peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss / 1000
}

func index(corpus, output string) error {
	start := processor()
	source, done, err := indexfile.Corpus(corpus, []string{"text"})
	if err != nil {
		return err
	}
	defer done()
	about := inverted.About{Analyzer: "ascii", Fields: []string{"text"}}
	if err := indexfile.Build(context.Background(), output, source, indexfile.Options{About: about}); err != nil {
		return err
	}
	seconds := processor() - start
	info, err := os.Stat(output)
	if err != nil {
		return err
	}
	fmt.Printf("index %.2f %d %d\n", seconds, info.Size()/1e6, peak())
	return nil
}

func search(path, questions string, exhaustive bool) error {
	start := time.Now()
	f, err := indexfile.Map(path)
	if err != nil {
		return err
	}
	s, err := inverted.NewSearcher(f.File, 1.2, 0.75, nil)
	if err != nil {
		return err
	}
	opened := time.Since(start)
	text, err := os.ReadFile(questions)
	if err != nil {
		return err
	}
	asked := strings.Split(strings.TrimSpace(string(text)), "\n")
	var rates []float64
	best, err := os.Create(path + ".best")
	if err != nil {
		return err
	}
	for round := range 4 { // the first warms up
		start := processor()
		for _, q := range asked {
			hits, err := s.Best(f.Query(q), 10)
			if err != nil {
				return err
			}
			if round == 0 {
				for _, h := range hits {
					fmt.Fprintf(best, "%s ", f.ID(h.Doc))
				}
				fmt.Fprintln(best)
			}
		}
		if round > 0 {
			rates = append(rates, float64(len(asked))/(processor()-start))
		}
	}
	fmt.Printf("search %.0f %.0f %.0f %d %.0f\n", rates[0], rates[1], rates[2], peak(), opened.Seconds()*1000)
	if exhaustive {
		return compare(f, s, asked)
	}
	return best.Close()
}

// compare holds Best against Exhaustive, to the bit.
func compare(f *indexfile.Open, s *inverted.Searcher, asked []string) error {
	start := time.Now()
	for _, q := range asked {
		want, err := s.Exhaustive(f.Query(q), 10)
		if err != nil {
			return err
		}
		got, err := s.Best(f.Query(q), 10)
		if err != nil {
			return err
		}
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				return fmt.Errorf("%q: %v, exhaustively %v", q, got, want)
			}
		}
	}
	fmt.Printf("same %d %.2f\n", len(asked), time.Since(start).Seconds())
	return nil
}
