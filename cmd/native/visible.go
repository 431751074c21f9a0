package main

import (
	"errors"
	"strings"
	"unicode"

	"retrace/core/records"
)

// visible replaces control and format characters, line ends among them, by U+FFFD: text of a kit can neither drive a
// terminal, nor look like a line of this program, nor turn the order of what stands around it.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '\ufffd'
		}
		return r
	}, s)
}

// errorText is an error as it may be printed: what the program says itself keeps its lines, what holds text of a kit
// has one.
func errorText(err error) string {
	var kit *records.Error
	var reply replyError
	if errors.As(err, &kit) || errors.As(err, &reply) {
		return visible(err.Error())
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = visible(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
