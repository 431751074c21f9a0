// Command build makes what others get: the site, sealed archives, generated code.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"retrace/cmd/build/author"
	"retrace/cmd/build/pack"
	"retrace/cmd/build/trial"
	"retrace/core/records"
)

func main() {
	root := &cobra.Command{
		Use:           "build",
		Short:         "Build the site, pack studies, and write generated code",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(siteCommand(), serveCommand(), generateCommand())
	root.AddCommand(author.Commands()...)
	root.AddCommand(trial.Commands()...)
	root.AddCommand(pack.Commands()...)
	if err := root.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "build: error: %v\n", err)
		var hinted interface{ Hint() string }
		var record *records.Error // its hint is a field
		if errors.As(err, &hinted) {
			fmt.Fprintf(os.Stderr, "build: hint: %s\n", hinted.Hint())
		} else if errors.As(err, &record) {
			fmt.Fprintf(os.Stderr, "build: hint: %s\n", record.Hint)
		}
		os.Exit(1)
	}
}
