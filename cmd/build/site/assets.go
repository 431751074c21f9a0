package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"retrace/cmd/build/page"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/study"

	"retrace/internal/wasmbuild"
)

// engines compiles the engine with all designs, and for each design of a published study the engine that has it alone, if wasm/
// holds one: a page loads no other design's code.
func engines(root string, kitFiles kit.Memory, studies []string, files map[string][]byte) (page.Engine, error) {
	packages := map[string]string{"": "./wasm"}
	for _, id := range studies {
		p, _, err := study.ReadProtocol(design.All, kitFiles, id)
		if err != nil {
			return page.Engine{}, err
		}
		one := "./wasm/" + path.Base(reflect.TypeOf(p.Spec).Elem().PkgPath())
		if _, err := os.Stat(filepath.Join(root, one)); err == nil {
			packages[p.Design] = one
		}
	}
	out := page.Engine{Only: map[string]page.Asset{}}
	for _, key := range sortedKeys(packages) {
		wasm, err := buildWasm(root, packages[key])
		if err != nil {
			return out, err
		}
		name := "engine.wasm"
		if key != "" {
			name = "engine-" + key + ".wasm"
		}
		asset := page.Asset{Path: addressed(AssetsDir, name, wasm), Integrity: integrity(wasm)}
		files[asset.Path] = wasm
		if key == "" {
			out.Wasm = asset
		} else {
			out.Only[key] = asset
		}
	}
	return out, nil
}

// buildWasm compiles an engine so that equal sources and an equal Go give equal bytes in any folder.
func buildWasm(root, pkg string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "retrace-wasm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "engine.wasm")
	cmd := wasmbuild.Command(context.Background(), pkg, out)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("site: compiling %s: %w\n%s", pkg, err, stderr.String())
	}
	return os.ReadFile(out)
}

// wasmExec is the path of the script that comes with the Go that compiled the engine: the two must match.
func wasmExec(root string) (string, error) {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("site: go env GOROOT: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"), nil
}

// bundle is what esbuild made of one entry point and its style.
type bundle struct {
	script, style page.Asset
	preload       []page.Asset // chunks that the script imports at once
	packages      []string     // folders below web/node_modules whose files are in it, sorted
}

// bundler runs esbuild and collects its output files.
type bundler struct {
	root     string // of the project
	wasmExec string
	files    map[string][]byte
	readable bool // not minified, for tests
}

// run bundles one entry point of web/src. Names carry esbuild's content hash. Source maps stay off: the source is
// in the repository, and maps would name paths of the machine.
func (b bundler) run(entry string, format api.Format, define map[string]string) (bundle, error) {
	web := filepath.Join(b.root, "web")
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     web,
		EntryPoints:       []string{"src/" + entry},
		Outdir:            filepath.Join(web, "out", AssetsDir),
		Outbase:           "src",
		EntryNames:        "[name].[hash]",
		ChunkNames:        "chunk.[hash]",
		AssetNames:        "[name].[hash]",
		Bundle:            true,
		Splitting:         format == api.FormatESModule,
		Format:            format,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2020,
		MinifyWhitespace:  !b.readable,
		MinifyIdentifiers: !b.readable,
		MinifySyntax:      !b.readable,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		TreeShaking:       api.TreeShakingTrue,
		Define:            define,
		Loader:            map[string]api.Loader{".woff2": api.LoaderFile, ".svg": api.LoaderFile},
		Plugins:           []api.Plugin{b.goRuntime(), unused("d3-axis", "d3-geo", "d3-scale-chromatic", "d3-time", "d3-time-format")},
		Metafile:          true,
		Write:             false,
		LogLevel:          api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		messages := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return bundle{}, fmt.Errorf("site: bundling web/src/%s:\n%s", entry, strings.Join(messages, ""))
	}
	if len(result.Warnings) > 0 {
		messages := api.FormatMessages(result.Warnings, api.FormatMessagesOptions{Kind: api.WarningMessage})
		return bundle{}, fmt.Errorf("site: bundling web/src/%s gave warnings:\n%s", entry, strings.Join(messages, ""))
	}
	for _, f := range result.OutputFiles {
		name, err := filepath.Rel(filepath.Join(web, "out"), f.Path)
		if err != nil {
			return bundle{}, err
		}
		b.files[filepath.ToSlash(name)] = f.Contents
	}
	return b.pick("src/"+entry, result.Metafile)
}

// goRuntime resolves the import "wasm_exec" to the Go installation's script.
func (b bundler) goRuntime() api.Plugin {
	return api.Plugin{Name: "go-runtime", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^wasm_exec$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			// A namespace of its own keeps the path of this machine's Go out of the names that esbuild hashes.
			return api.OnResolveResult{Path: "wasm_exec.js", Namespace: "go", SideEffects: api.SideEffectsTrue}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "go"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := os.ReadFile(b.wasmExec)
			contents := string(data)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
		})
	}}
}

// unused keeps modules of the chart library out of the bundle that no figure uses (map projections, dates, colour
// schemes: every colour is one of the page's own), since the library imports them whole. Their names stay, as functions that do nothing.
func unused(packages ...string) api.Plugin {
	filter := `[\\/]node_modules[\\/](` + strings.Join(packages, "|") + `)[\\/]dist[\\/][^\\/]*\.mjs$`
	return api.Plugin{Name: "unused", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: filter}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := os.ReadFile(args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			exports := moduleExports.FindAllStringSubmatch(string(data), -1)
			if exports == nil {
				return api.OnLoadResult{}, fmt.Errorf("%s: no list of exports was found", path.Base(args.Path))
			}
			contents := "const nothing = () => undefined;\n"
			for _, list := range exports {
				for _, name := range strings.Split(list[1], ",") {
					words := strings.Fields(name)
					if len(words) > 0 { // "name", or "inner as name"
						contents += "export { nothing as " + words[len(words)-1] + " };\n"
					}
				}
			}
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
		})
	}}
}

// moduleExports matches the lists of exports that d3's modules end with.
var moduleExports = regexp.MustCompile(`(?m)^export\s*\{([^}]*)\};?`)

// pick finds the entry point's files in esbuild's metafile, whose paths start with "out/".
func (b bundler) pick(entry, metafile string) (bundle, error) {
	var meta struct {
		Outputs map[string]struct {
			EntryPoint string `json:"entryPoint"`
			CSSBundle  string `json:"cssBundle"`
			Imports    []struct{ Path, Kind string }
			Inputs     map[string]struct{}
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return bundle{}, fmt.Errorf("site: esbuild's metafile: %w", err)
	}
	packages := map[string]bool{}
	for _, output := range meta.Outputs {
		for input := range output.Inputs {
			if name := packageOf(input); name != "" {
				packages[name] = true
			}
		}
	}
	for name, output := range meta.Outputs {
		if output.EntryPoint != entry || path.Ext(name) != ".js" {
			continue
		}
		out := bundle{script: b.asset(name), packages: sortedKeys(packages)}
		if output.CSSBundle != "" {
			out.style = b.asset(output.CSSBundle)
		}
		for _, imported := range output.Imports {
			if imported.Kind == "import-statement" {
				out.preload = append(out.preload, b.asset(imported.Path))
			}
		}
		return out, nil
	}
	return bundle{}, errors.New("site: esbuild wrote no output for " + entry)
}

func (b bundler) asset(output string) page.Asset {
	name := strings.TrimPrefix(output, "out/")
	return page.Asset{Path: name, Integrity: integrity(b.files[name])}
}

// integrity is the value of an integrity attribute (W3C Subresource Integrity).
func integrity(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// addressed puts the content's hash into a file's name: corpus.jsonl becomes corpus.0f3a….jsonl (64 bits, as a name;
// integrity is checked against the whole hash).
func addressed(dir, name string, data []byte) string {
	sum := sha256.Sum256(data)
	ext := path.Ext(name)
	return path.Join(dir, strings.TrimSuffix(path.Base(name), ext)+"."+hex.EncodeToString(sum[:8])+ext)
}

// engineDefine is the constant RETRACE_ENGINE that web/src/engine/site.ts reads.
func engineDefine(engine page.Engine) map[string]string {
	only := map[string]map[string]string{}
	for key, asset := range engine.Only {
		only[key] = map[string]string{"wasm": asset.Path, "wasmIntegrity": asset.Integrity}
	}
	literal, err := json.Marshal(map[string]any{
		"worker":        engine.Worker.Path,
		"wasm":          engine.Wasm.Path,
		"wasmIntegrity": engine.Wasm.Integrity,
		"only":          only,
	})
	if err != nil { // texts can always be written
		panic(err)
	}
	return map[string]string{"RETRACE_ENGINE": string(literal)}
}

// worker bundles one engine's worker as a classic script, which every browser with WebAssembly can start.
func (b bundler) worker() (bundle, error) { return b.run("engine/worker.ts", api.FormatIIFE, nil) }

// main bundles the page's module, which knows where the engine is.
func (b bundler) main(entry string, engine page.Engine) (bundle, error) {
	return b.run(entry, api.FormatESModule, engineDefine(engine))
}
