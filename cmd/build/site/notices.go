package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticesName is the file with the licences of what others wrote and the site holds. Every page links it.
const noticesName = "third-party.txt"

// A notice is one work of others that the site holds, with the texts of its licence.
type notice struct{ name, version, use, text string }

// tableSources are modules that no program of the site links, but whose tables were turned into the engine's own.
var tableSources = map[string]string{"golang.org/x/text": "normalisation and case folding in the engine were tabulated with it"}

// notices writes third-party.txt: Go itself, the modules that the engine links or was tabulated with, and the packages
// whose files are in the scripts. Equal versions give equal bytes.
func notices(root string, packages []string) ([]byte, error) {
	list, err := goNotices(root)
	if err != nil {
		return nil, err
	}
	for _, name := range packages {
		n, err := packageNotice(filepath.Join(root, "web", "node_modules"), name)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	var b bytes.Buffer
	b.WriteString("What this site is built with, and its licences. The site's own licence and those of its studies are in the studies' " +
		"archives.\n")
	for _, n := range list {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("=", 72), n.name, n.version, n.use, n.text)
	}
	return b.Bytes(), nil
}

// goNotices are those of the Go distribution, whose runtime, library and wasm_exec.js are in the engine and its worker,
// and of the engine's modules, by path.
func goNotices(root string) ([]notice, error) {
	env, err := goOutput(root, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(env), "\n")
	text, err := licenceIn(goroot)
	if err != nil {
		return nil, err
	}
	list := []notice{{"Go", strings.TrimPrefix(version, "go"), "runtime, standard library and wasm_exec.js", text}}

	const module = "{{.Path}}\t{{.Version}}\t{{.Dir}}\n"
	linked, err := goOutput(root, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}"+module+"{{end}}{{end}}", "./wasm")
	if err != nil {
		return nil, err
	}
	asked, err := goOutput(root, append([]string{"list", "-m", "-f", module}, sortedKeys(tableSources)...)...)
	if err != nil {
		return nil, err
	}
	lines := strings.FieldsFunc(linked+asked, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		field := strings.Split(line, "\t")
		if len(field) != 3 || field[2] == "" {
			return nil, fmt.Errorf("site: the files of module %s are not there: run go mod download", field[0])
		}
		if text, err = licenceIn(field[2]); err != nil {
			return nil, err
		}
		use := tableSources[field[0]]
		if use == "" {
			use = "in the engine"
		}
		list = append(list, notice{field[0], strings.TrimPrefix(field[1], "v"), use, text})
	}
	return list, nil
}

// goOutput runs the go command for the engine's platform in the project's folder.
func goOutput(root string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("site: go %s: %w\n%s", args[0], err, stderr.String())
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n"), nil
}

// packageNotice is that of a package of web/node_modules.
func packageNotice(modules, name string) (notice, error) {
	dir := filepath.Join(modules, filepath.FromSlash(name))
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return notice{}, fmt.Errorf("site: licence of %s: %w", name, err)
	}
	var about struct{ Version string }
	if err := json.Unmarshal(data, &about); err != nil {
		return notice{}, fmt.Errorf("site: package.json of %s: %w", name, err)
	}
	text, err := licenceIn(dir)
	return notice{name, about.Version, "in the scripts", text}, err
}

// licenceFile matches the names under which packages keep licences, notices and grants.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licenceIn joins the licence texts in a folder, by file name. There must be one: what comes without can't be passed on.
func licenceIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return "", fmt.Errorf("site: reading licences: %w", err)
	}
	var texts []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", fmt.Errorf("site: reading licences: %w", err)
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("site: %s holds no licence file", dir)
	}
	return strings.Join(texts, "\n\n"), nil
}

// packageOf is the package of an input in esbuild's metafile, as a folder below web/node_modules; "" for a file that is
// not in one. A package inside another one is named by its own folder.
func packageOf(input string) string {
	const modules = "node_modules/"
	i := strings.LastIndex(input, modules)
	first := strings.Index(input, modules)
	if i < 0 {
		return ""
	}
	name := strings.SplitN(input[i+len(modules):], "/", 3)
	depth := 1
	if strings.HasPrefix(name[0], "@") {
		depth = 2
	}
	if len(name) < depth {
		return ""
	}
	return input[first+len(modules) : i+len(modules)][:max(0, i-first)] + strings.Join(name[:depth], "/")
}
