package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"retrace/cmd/build/foldgen"
	"retrace/cmd/build/nfcgen"
	"retrace/cmd/build/schemagen"
	"retrace/cmd/build/site"
	"retrace/cmd/build/tsgen"
	"retrace/cmd/build/wordgen"
)

// protocolTypes are what the page and its engine say to each other.
var protocolTypes = tsgen.File{Roots: []tsgen.Root{{Package: "retrace/core/proto"}}, Own: "retrace/core/"}

// generated lists every file that is written from something else in the project, by path.
var generated = []struct {
	path string
	make func() ([]byte, error)
}{
	{"web/src/engine/protocol.gen.ts", func() ([]byte, error) { return tsgen.Generate(".", protocolTypes) }},
	{"core/text/fold.gen.go", foldgen.Generate},
	{"core/nfc/tables.gen.go", nfcgen.Generate},
	{"core/english/words.gen.go", wordgen.Generate},
	{"kit/study.schema.json", func() ([]byte, error) { return schemagen.Generate(schemagen.Study(".")) }},
	{"deploy/nginx.conf", func() ([]byte, error) { return []byte(site.Nginx("/var/www/retrace")), nil }},
}

func generateCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write generated code: TypeScript types of the protocol, the schema of studies, the nginx example",
		Long: `Writes every generated file of the project that is not what it would be now. Run it in the project's folder.

Exit codes: 0 all are up to date or were written, 1 an error or, with --check, a stale file.`,
		Example: "  build generate\n  build generate --check",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, g := range generated {
				data, err := g.make()
				if err != nil {
					return fmt.Errorf("generate: %s: %w", g.path, err)
				}
				held, err := os.ReadFile(filepath.FromSlash(g.path))
				if err == nil && bytes.Equal(held, data) {
					continue
				}
				if check {
					return fmt.Errorf("generate: %s is stale: run make generate and commit the result", g.path)
				}
				if err := os.WriteFile(filepath.FromSlash(g.path), data, 0o644); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), "wrote", g.path)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only say whether a file is stale")
	return cmd
}
