// Command build makes what others get: the site, sealed archives, generated code.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"retrace/cmd/build/author"
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
	if err := root.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "build: error: %v\n", err)
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			fmt.Fprintf(os.Stderr, "build: hint: %s\n", hinted.Hint())
		}
		os.Exit(1)
	}
}
