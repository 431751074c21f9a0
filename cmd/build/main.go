// Command build seals, freezes and packs studies, prepares their trials, and makes the site and generated code.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"retrace"
	"retrace/cmd/build/author"
	"retrace/cmd/build/bigindex"
	"retrace/cmd/build/pack"
	"retrace/cmd/build/packmodel"
	"retrace/cmd/build/trial"
	"retrace/core/records"
)

// command returns the program's commands.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "build",
		Short: "Author, seal and pack studies, build the site, and write generated code",
		Long: `Author, seal and pack studies, build the site, and write generated code.

A study is authored step by step: manifest and seal fix data and protocol, pool and judge gather judgements, lock (or
engine) fixes what is chosen before the last stage is scored, answers runs an answer trial, freeze keeps the results, pack
writes the archive. Nothing that is sealed or frozen is ever overwritten.

Exit codes: 0 what was asked for was done, 1 something went wrong or a check failed.`,
		Example: `  build seal mystudy --kit ./kits
  build lock mystudy --kit ./kits
  build freeze mystudy --kit ./kits
  build pack r01 --output dist/archives
  build site && build serve`,
		Version:       retrace.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(siteCommand(), serveCommand(), generateCommand())
	root.AddCommand(author.Commands()...)
	root.AddCommand(trial.Commands()...)
	root.AddCommand(pack.Commands()...)
	root.AddCommand(packmodel.Commands()...)
	root.AddCommand(bigindex.Commands()...)
	return root
}

func main() {
	if err := command().Execute(); err != nil {
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
