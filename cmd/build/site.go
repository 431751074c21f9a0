package main

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/build/site"
)

func siteCommand() *cobra.Command {
	o := site.Options{Root: "."}
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Build the static site",
		Long: "Build the site: the engine as WebAssembly, scripts, pages and kit, with compressed variants beside the files.\n" +
			"The folder can be put on any static host. Building twice gives equal bytes. Run it in the project's folder, after npm " +
			"ci in web/.",
		Example: "  build site\n  build site --base /retrace/ --out public --study r01",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			built, err := site.Build(o)
			if err != nil {
				return err
			}
			report(cmd.OutOrStdout(), o.Out, built)
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Out, "out", "dist", "folder to write; one that an earlier build made is replaced")
	cmd.Flags().StringVar(&o.Base, "base", "/", "path of the site on its host")
	cmd.Flags().StringVar(&o.Kit, "kit", "kit", "folder of the studies")
	cmd.Flags().StringSliceVar(&o.Studies, "study", nil, "study to publish, may be repeated (default all)")
	cmd.Flags().StringVar(&o.Cache, "cache", filepath.Join(".cache", "site"), "folder for compressed variants, kept between builds")
	cmd.Flags().StringVar(&o.Entry, "entry", "main.ts", "script of web/src that pages load")
	if err := cmd.Flags().MarkHidden("entry"); err != nil { // for tests only
		panic(err)
	}
	return cmd
}

// report prints what a reader's browser loads: the sizes that the budgets are about.
func report(w io.Writer, out string, built site.Built) {
	groups := []struct{ name, prefix, ext string }{
		{"engines", site.AssetsDir + "/", ".wasm"},
		{"scripts", site.AssetsDir + "/", ".js"},
		{"styles", site.AssetsDir + "/", ".css"},
		{"pages", "", ".html"},
		{"vectors", site.KitFilesDir + "/", ".f32"},
		{"other kit files", "kit/", ""},
		{"archives", "archives/", ""},
	}
	plain, coded := make([]int, len(groups)), make([]int, len(groups))
	for _, file := range built.Files {
		for i, g := range groups {
			if strings.HasPrefix(file.Path, g.prefix) && (g.ext == "" || path.Ext(file.Path) == g.ext) {
				plain[i] += file.Bytes
				if br, ok := file.Coded["br"]; ok {
					coded[i] += br
				} else {
					coded[i] += file.Bytes
				}
				break
			}
		}
	}
	fmt.Fprintf(w, "%-16s %12s %12s\n", "", "bytes", "brotli")
	for i, g := range groups {
		if plain[i] > 0 {
			fmt.Fprintf(w, "%-16s %12d %12d\n", g.name, plain[i], coded[i])
		}
	}
	for _, note := range built.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	fmt.Fprintf(w, "%s: %d files, site.json has SHA-256 %s\n", out, len(built.Files), built.Inventory)
}
