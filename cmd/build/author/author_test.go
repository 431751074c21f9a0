package author

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"retrace/core/records"
	"retrace/core/study/studytest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"build": func() {
		root := &cobra.Command{Use: "build", SilenceUsage: true, SilenceErrors: true}
		root.AddCommand(Commands()...)
		if err := root.Execute(); err != nil {
			fmt.Fprintln(os.Stderr, "build: error:", err)
			var record *records.Error // as the program prints it
			if errors.As(err, &record) {
				fmt.Fprintln(os.Stderr, "build: hint:", record.Hint)
			}
			os.Exit(1)
		}
	}})
}

// TestScripts seals, locks and freezes the small study as an author does. "draft DIR" writes it without seals.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"draft": func(ts *testscript.TestScript, _ bool, args []string) {
				for name, data := range studytest.Tiny() {
					file := filepath.Join(ts.MkAbs(args[0]), filepath.FromSlash(name))
					ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
					ts.Check(os.WriteFile(file, data, 0o644))
				}
			},
		},
	})
}
