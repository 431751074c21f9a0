// Command native replays studies at full speed, answers questions, explains numbers, and makes fresh embeddings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"retrace"
	"retrace/cmd/native/encode"
	"retrace/core/records"
)

func main() {
	// Ctrl-C ends the program at once. Commands that have something to clean up or to keep take the signal themselves.
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes: what was asked for was found to hold, was found not to hold, or could not be found out.
const (
	exitSame    = 0
	exitDiffers = 1
	exitError   = 2
)

// errDiffers ends a command whose report already says what differs.
var errDiffers = errors.New("differs")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "native",
		Short: "Replay retrieval studies, look into any number, make fresh embeddings",
		Long: `native computes every number of a study again from its kit, bit for bit as the page does in a browser.
The bundled studies are inside this program; --kit takes a folder, an archive's path may stand for a study.

Exit codes: 0 what was asked for was done, and results are identical to the frozen ones where any are frozen, 1 they
differ, 2 something went wrong.`,
		Example: `  native studies
  native replay r01
  native search "why do bees dance" --explain
  native explain r01 methods.graph.mrr10
  native crosscheck r01
  native eval qrels.txt bm25.run
  native fuse bm25.run dense.run > rrf.run
  native --version`,
		Version:       retrace.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(replayCommand(), studiesCommand(), searchCommand(), analyzeCommand(), explainCommand(), trecRunCommand(),
		qrelsCommand(),
		requestCommand(), crosscheckCommand(), evalCommand(), fuseCommand())
	root.AddCommand(labCommand())
	root.AddCommand(encode.Commands()...)
	root.CompletionOptions.HiddenDefaultCmd = true
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitSame
	case errors.Is(err, errDiffers):
		return exitDiffers
	}
	fmt.Fprintf(stderr, "native: error: %s\n", errorText(err))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(stderr, "native: hint: %s\n", visible(hint))
	}
	return exitError
}

func hintOf(err error) string {
	var r *records.Error
	if errors.As(err, &r) {
		return r.Hint
	}
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
