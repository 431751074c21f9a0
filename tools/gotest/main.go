// Command gotest runs go test and ends with a count: "N passed, N failed, N skipped". It shows one line for each package,
// the output of tests that failed, and why tests were skipped.
//
//	gotest [-js] [go test's arguments]
//
// With -js the tests are compiled to WebAssembly and run in Node.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json), or of go build -json for output of the compiler.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

func main() {
	args := os.Args[1:]
	env := os.Environ()
	if len(args) > 0 && args[0] == "-js" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, "gotest: go env GOROOT:", err)
			os.Exit(1)
		}
		script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
		// Go's start-up in WebAssembly takes at most 8 kB of environment, so only what Node needs is handed on.
		run := fmt.Sprintf("env -i 'PATH=%s' 'HOME=%s' node --stack-size=8192 '%s'", os.Getenv("PATH"), os.Getenv("HOME"), script)
		args = append([]string{"-exec", run}, args[1:]...)
		env = append(env, "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Env = env
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	count := report(out, os.Stdout)
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if err != nil && count.failed == 0 {
		count.failed = 1 // a package that doesn't compile has no failed test
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", count.passed, count.failed, count.skipped)
	if err != nil || count.failed > 0 {
		os.Exit(1)
	}
}

type counts struct{ passed, failed, skipped int }

// report reads events and writes what a person wants to see of them.
func report(events io.Reader, w io.Writer) counts {
	var n counts
	output := map[string]*strings.Builder{} // by package and test
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line) // not an event: show it as it is
			} else {
				n.take(e, output, w)
			}
		}
		if err != nil {
			return n
		}
	}
}

func (n *counts) take(e event, output map[string]*strings.Builder, w io.Writer) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
	case "output":
		if output[key] == nil {
			output[key] = &strings.Builder{}
		}
		output[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		held := output[key]
		delete(output, key)
		if e.Test == "" {
			if e.Action == "fail" && held != nil {
				fmt.Fprint(w, held)
			}
			if e.Action != "skip" { // a package without tests
				fmt.Fprintf(w, "%-4s  %s  %.1f s\n", e.Action, e.Package, e.Elapsed)
			}
			return
		}
		switch e.Action {
		case "pass":
			n.passed++
		case "fail":
			n.failed++
			fmt.Fprintf(w, "--- failed: %s %s\n%s", e.Package, e.Test, text(held))
		case "skip":
			n.skipped++
			fmt.Fprintf(w, "--- skipped: %s %s: %s\n", e.Package, e.Test, reason(text(held)))
		}
	}
}

func text(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	return b.String()
}

// reason is what a skipped test said: its output without go test's own lines.
func reason(output string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(output), "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---")
	})
	return strings.TrimSpace(strings.Join(lines, " "))
}
