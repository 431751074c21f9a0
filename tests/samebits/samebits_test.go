// Package samebits checks what makes core compute the same bits everywhere. No code of core may use a fused
// multiply-add, which rounds once where other platforms round twice: the test disassembles what the compiler made of
// every package for each platform that has such an instruction. And of package math only functions that are exact, or
// correctly rounded, on every platform may be called.
package samebits

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fused matches the instructions as go tool objdump prints them, by GOARCH. Vector forms are included; the compiler
// doesn't make them today.
var fused = map[string]*regexp.Regexp{
	// FMADD, FMSUB, FNMADD, FNMSUB with S or D; vector FMLA and FMLS (Arm A64 instruction set).
	"arm64": regexp.MustCompile(`\b(FN?M(ADD|SUB)[SDH]?|V?FML[AS]\w*)\b`),
	// FMADD.S and so on; vector VFMADD, VFMACC and their relations (RISC-V F, D and V extensions).
	"riscv64": regexp.MustCompile(`\b(FN?M(ADD|SUB)[SDQH]?|VFN?M(ADD|SUB|ACC|SAC)\w*)\b`),
	// fmadd, fmsub, fnmadd, fnmsub with a single form; VSX xsmadd and xvmadd (Power ISA 3.1).
	"ppc64le": regexp.MustCompile(`\b(FN?M(ADD|SUB)S?(CC)?|X[SV]N?M(ADD|SUB)\w+)\b`),
	// multiply and add or subtract, and the vector facility's (z/Architecture Principles of Operation).
	"s390x": regexp.MustCompile(`\b(FM(ADD|SUB)S?|M[AS][DE]BR?|[VW]FN?M[AS]([DSX]B)?)$`),
}

func TestCoreFusesNothing(t *testing.T) {
	for arch, instruction := range fused {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			packages := archives(t, arch, "../..", "./core/...")
			if len(packages) < 3 {
				t.Fatalf("%d packages of core found: want them all", len(packages))
			}
			for path, archive := range packages {
				for _, line := range matches(disassemble(t, arch, archive), instruction) {
					t.Errorf("%s on %s: fused multiply-add: round the product first, float64(x*y) + z:\n%s", path, arch, line)
				}
			}
		})
	}
}

// The check above must see what it looks for.
func TestControlIsSeen(t *testing.T) {
	for arch, instruction := range fused {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			for _, archive := range archives(t, arch, "../..", "./tests/samebits/testdata/fuses") {
				found := matches(disassemble(t, arch, archive), instruction)
				if len(found) != 2 {
					t.Errorf("%d fused instructions found in the control, want 2 (one in Fused, one in FusedDifference): %q",
						len(found), found)
				}
				for _, line := range found {
					if strings.Contains(line, "Rounded") {
						t.Errorf("Rounded is fused: %s", line)
					}
				}
			}
		})
	}
}

// inexact lists what package math computes with other bits on some platform, by assembly, by another algorithm or by
// sums that are fused there.
var inexact = regexp.MustCompile(`^(Acosh?|Asinh?|Atan[2h]?|Cbrt|Cosh?|Erf(c|inv|cinv)?|Exp(2|m1)?|FMA|Gamma|Hypot|` +
	`J[01n]|Lgamma|Log(10|1p|2)?|Pow(10)?|Sin(h|cos)?|Tanh?|Y[01n])$`)

func TestCoreCallsOnlyExactMath(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../../core", func(path string, entry os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, call := range inexactCalls(file) {
			t.Errorf("%s: %s has other bits on some platforms: use core/exact", set.Position(call.Pos()), call.Sel.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 3 {
		t.Fatalf("%d files of core found: want them all", files)
	}
}

func TestInexactCallsAreSeen(t *testing.T) {
	const source = `package p
import m "math"
var a, b, c = m.Log(2), m.Sqrt(2), m.Pow(2, m.Ln2)`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, call := range inexactCalls(file) {
		names = append(names, call.Sel.Name)
	}
	if got, want := strings.Join(names, " "), "Log Pow"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// inexactCalls returns the uses of inexact functions of package math, under whatever name it is imported.
func inexactCalls(file *ast.File) []*ast.SelectorExpr {
	name := ""
	for _, spec := range file.Imports {
		if spec.Path.Value == `"math"` {
			name = "math"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	var found []*ast.SelectorExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && name != "" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && inexact.MatchString(s.Sel.Name) {
				found = append(found, s)
			}
		}
		return true
	})
	return found
}

// Assembly would not be seen by the compiler's rules, and would not run everywhere.
func TestCoreHasNoAssembly(t *testing.T) {
	err := filepath.WalkDir("../../core", func(path string, entry os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".s") || strings.HasSuffix(path, ".c")) {
			t.Errorf("%s: core is Go alone", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// archives compiles packages and returns their object files by package path. Generic code is in the object file of the
// package that uses it.
func archives(t *testing.T, arch, dir string, pattern string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, archive, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if archive != "" { // packages with tests only have none
			found[path] = archive
		}
	}
	return found
}

// disassemble returns the listing with the function's name before each of its lines.
func disassemble(t *testing.T, arch, archive string) []string {
	t.Helper()
	cmd := exec.Command("go", "tool", "objdump", archive)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v\n%s", err, stderr.String())
	}
	var lines []string
	function := ""
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			function, _, _ = strings.Cut(rest, " ")
		} else if strings.TrimSpace(line) != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", function, strings.TrimSpace(line)))
		}
	}
	return lines
}

// matches returns the lines whose instruction, the fourth column, matches.
func matches(lines []string, instruction *regexp.Regexp) []string {
	var found []string
	for _, line := range lines {
		_, columns, _ := strings.Cut(line, ": ")
		if fields := strings.Fields(columns); len(fields) > 3 && instruction.MatchString(fields[3]) {
			found = append(found, line)
		}
	}
	return found
}
