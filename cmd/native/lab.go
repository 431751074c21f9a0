package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"retrace/core/lab"
	"retrace/core/study"
)

func labCommand() *cobra.Command {
	var dir string
	var graphs, draws, resamples, workers int
	var asJSON bool
	c := &cobra.Command{
		Use:   "lab STUDY rewire|split|influence|resample",
		Short: "Try how firm a study's first contrast is",
		Long: `Tries what a study found in four ways:

  rewire     walks over rewired links, degrees kept: where the real links stand among them
  split      draws the development and test split anew, and makes the choice anew
  influence  leaves one family out at a time: which matter most, and does one change the verdict
  resample   interval and p by number of resamples

Nothing here is a result of the study: it is exploratory, and says so. Every case has its own random stream under the
study's seed, both shown, so that the same command gives the same numbers everywhere, whatever the number of workers.
Ctrl-C ends a trial, reports the cases that are done, and exits with 2.`,
		Example: `  native lab r01 rewire --graphs 1000
  native lab r01 split --draws 500
  native lab r01 influence
  native lab r01 resample --resamples 100000 --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			kind := args[1]
			counts := map[string]int{lab.Rewire: graphs, lab.Split: draws, lab.Influence: 0, lab.Resample: resamples}
			count, ok := counts[kind]
			if !ok {
				return fmt.Errorf("lab: unknown trial %q: use one of %s", kind, strings.Join(lab.Kinds, ", "))
			}
			for flag, of := range map[string]string{"graphs": lab.Rewire, "draws": lab.Split, "resamples": lab.Resample} {
				if c.Flags().Changed(flag) && of != kind {
					return fmt.Errorf("--%s is for %s, not for %s", flag, of, kind)
				}
			}
			if workers < 1 {
				return fmt.Errorf("--workers %d: at least 1", workers)
			}
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			show := newProgress(c.ErrOrStderr())
			r, err := try(ctx, workers, func() (*study.Study, error) { return load(dir, args[0]) }, kind, count, show)
			show.clear()
			if err != nil {
				return err
			}
			if err := printTrial(c.OutOrStdout(), r, asJSON); err != nil {
				return err
			}
			if r.Done < r.Asked {
				return fmt.Errorf("stopped after %d of %d cases", r.Done, r.Asked)
			}
			return nil
		},
	}
	kitFlag(c, &dir)
	c.Flags().BoolVar(&asJSON, "json", false, "print every case and the report as JSON")
	c.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "how many cases are tried at the same time")
	c.Flags().IntVar(&graphs, "graphs", 100, "how many rewired graphs")
	c.Flags().IntVar(&draws, "draws", 200, "how many splits")
	c.Flags().IntVar(&resamples, "resamples", 100_000, "the largest number of resamples")
	return c
}

// try runs a trial's units on workers, each with its own copy of the study, until they are done or the context ends.
func try(ctx context.Context, workers int, load func() (*study.Study, error), kind string, count int, show *progress) (*lab.Report, error) {
	first, units, err := planned(load, kind, count)
	if err != nil {
		return nil, err
	}
	next := make(chan lab.Unit)
	var (
		lock  sync.Mutex
		cases []lab.Case
		fault error
		done  int
		group sync.WaitGroup
	)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	add := func(list []lab.Case, err error) {
		lock.Lock()
		defer lock.Unlock()
		if err != nil {
			fault = errors.Join(fault, err)
			stop()
			return
		}
		cases = append(cases, list...)
		done++
		show.step(kind, done, len(units))
	}
	for i := range min(workers, len(units)) {
		group.Go(func() {
			own, err := first, error(nil)
			if i > 0 {
				if own, _, err = planned(load, kind, count); err != nil {
					add(nil, err)
					return
				}
			}
			for u := range next {
				add(own.Run(u))
			}
		})
	}
	send(ctx, units, next)
	group.Wait()
	if fault != nil {
		return nil, fault
	}
	return first.Report(kind, count, cases)
}

func send(ctx context.Context, units []lab.Unit, next chan<- lab.Unit) {
	defer close(next)
	for _, u := range units {
		select {
		case next <- u:
		case <-ctx.Done():
			return
		}
	}
}

func planned(load func() (*study.Study, error), kind string, count int) (*lab.Lab, []lab.Unit, error) {
	s, err := load()
	if err != nil {
		return nil, nil, err
	}
	l, err := lab.New(s, nil)
	if err != nil {
		return nil, nil, err
	}
	units, err := l.Plan(kind, count)
	return l, units, err
}

func printTrial(w io.Writer, r *lab.Report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	fmt.Fprintf(w, "exploratory: no result of %s\n%s\n%s\n\n", visible(r.Study), visible(r.Sentence), r.Seeded)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{r.Table.Head}, r.Table.Rows...) {
		for i := range row {
			row[i] = visible(row[i])
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := r.Done - len(r.Table.Rows); more > 0 {
		fmt.Fprintf(w, "… and %d more: --json has every case\n", more)
	}
	return nil
}
