package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"retrace"
)

// Every command shows how it is used, by examples that name commands and flags that there are.
func TestExamples(t *testing.T) {
	root := command()
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			check(child)
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no short text or no example", c.CommandPath())
		}
		for _, line := range strings.Split(strings.ReplaceAll(c.Example, " && ", "\n"), "\n") {
			words := split(line)
			if words[0] != "build" {
				t.Errorf("%s: example %q", c.CommandPath(), line)
				continue
			}
			found, rest, err := root.Find(words[1:])
			if err != nil || !found.Runnable() {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
			} else if err := found.ValidateArgs(found.Flags().Args()); err != nil {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
			}
		}
	}
	check(root)
}

func TestVersion(t *testing.T) {
	root := command()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"--version"})
	if err := root.Execute(); err != nil || out.String() != "build version "+retrace.Version+"\n" {
		t.Errorf("%q, error %v", out.String(), err)
	}
}

func TestHelp(t *testing.T) {
	root := command()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"--help"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Author, seal and pack studies", "Exit codes: 0 what was asked for was done, 1 ", "build seal mystudy"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help does not say %q:\n%s", want, out.String())
		}
	}
}

// split cuts a command line at spaces, as a shell does, but for those between single quotes.
func split(line string) (words []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
