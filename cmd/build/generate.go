package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"retrace/cmd/build/foldgen"
	"retrace/cmd/build/nfcgen"
	"retrace/cmd/build/page/embedded"
	"retrace/cmd/build/schemagen"
	"retrace/cmd/build/site"
	"retrace/cmd/build/tsgen"
	"retrace/cmd/build/wordgen"
	"retrace/core/certificate"
	"retrace/core/proto"
)

// protocolTypes are what the page and its engine say to each other.
var protocolTypes = tsgen.File{Roots: []tsgen.Root{{Package: "retrace/core/proto"}}, Own: "retrace/core/"}

// pageTypes are what the build puts into a page for its script, the results of each design, and constants of both sides.
var pageTypes = tsgen.File{
	Roots: []tsgen.Root{
		{Package: "retrace/cmd/build/page/embedded"},
		{Package: "retrace/core/design/knownitem", Types: []string{"Results"}, Prefix: "KnownItem"},
		{Package: "retrace/core/design/graded", Types: []string{"Results"}, Prefix: "Graded"},
		{Package: "retrace/core/design/binary", Types: []string{"Results"}, Prefix: "Binary"},
		{Package: "retrace/core/design/adhoc", Types: []string{"Results"}, Prefix: "Adhoc"},
	},
	Own:      "retrace/core/",
	Imported: map[string]string{"retrace/core/proto": "./engine/protocol.gen"},
	Written: map[string]string{
		"retrace/core/study.Lock":                    "{ [key: string]: string | number }",
		"retrace/core/design/knownitem.Scores":       "{ [key: string]: unknown }",
		"retrace/core/design/knownitem.MethodResult": "{ [key: string]: unknown }",
		"retrace/core/design/binary.MethodResult":    "{ [key: string]: unknown }",
		"retrace/core/design/graded.AnswersResult":   "{ [key: string]: unknown }",
	},
	Constants: []tsgen.Constant{
		{Name: "far", Doc: "Beyond this distance from the graph method a control's mark would press all others of the figure together.",
			Value: embedded.Far},
		{Name: "longestArchive", Doc: "The largest archive that the engine reads, in bytes.", Value: proto.ArchiveLimits().Archive},
		{Name: "longestCertificate", Doc: "The longest certificate that the engine reads, in bytes.", Value: certificate.MaxSize},
	},
}

// generated lists every file that is written from something else in the project, by path.
var generated = []struct {
	path string
	make func() ([]byte, error)
}{
	{"web/src/engine/protocol.gen.ts", func() ([]byte, error) { return tsgen.Generate(".", protocolTypes) }},
	{"web/src/page.gen.ts", func() ([]byte, error) { return tsgen.Generate(".", pageTypes) }},
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
