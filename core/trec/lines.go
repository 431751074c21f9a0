package trec

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"retrace/core/collection"
	"retrace/core/records"
)

// maxLine is the longest line, in bytes: columns are identifiers of 256 bytes and numbers.
const maxLine = 1 << 16

// maxFields is how many columns are told apart; more count as so many.
const maxFields = 8

// lines reads one file line by line.
type lines struct {
	file     string
	r        *bufio.Reader
	n        int // number of the line last read
	blank    int // number of the first of the blank lines that were just passed over, 0 for none
	comments int // lines that begin with #
	warnings []*records.Error
	fields   [maxFields][]byte
}

func newLines(file string, r io.Reader) *lines {
	return &lines{file: file, r: bufio.NewReaderSize(r, maxLine)}
}

func (l *lines) errorf(line int, hint, format string, args ...any) error {
	return records.Errorf(l.file, line, hint, format, args...)
}

func (l *lines) warnf(line int, hint, format string, args ...any) {
	l.warnings = append(l.warnings, records.Errorf(l.file, line, hint, format, args...))
}

// next returns the next line with text, without its end; nil at the end of the file.
func (l *lines) next() ([]byte, error) {
	for {
		text, err := l.r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, l.errorf(l.n+1, "is this a TREC file? Its lines hold four or six short columns", "the line has more than %d bytes", maxLine)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, l.errorf(l.n+1, "it was cut off on its way: fetch or copy it again", "the file ends early")
		case err != nil && err != io.EOF:
			return nil, l.errorf(l.n+1, "", "%v", err)
		case len(text) == 0: // the end
			if l.comments > 0 {
				l.warnf(0, "trec_eval passes them over too", "%d lines begin with # and are passed over", l.comments)
			}
			return nil, nil
		}
		l.n++
		text = bytes.TrimRight(text, "\r\n")
		if l.n == 1 {
			if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
				return nil, l.utf16()
			}
			if after, found := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); found {
				text = after
				l.warnf(1, "other tools take it for a part of the first ID: save the file without it", "a UTF-8 byte-order mark is passed over")
			}
		}
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			return nil, l.utf16()
		case !utf8.Valid(text):
			return nil, l.errorf(l.n, "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE", "the line is not UTF-8")
		case len(bytes.TrimSpace(text)) == 0:
			if l.blank == 0 {
				l.blank = l.n
			}
		case text[0] == '#':
			l.comments++
		case l.blank > 0:
			return nil, l.errorf(l.blank, "remove the empty line", "empty line")
		default:
			return text, nil
		}
	}
}

func (l *lines) utf16() error {
	return l.errorf(max(l.n, 1), "if it is UTF-16: iconv -f UTF-16 -t UTF-8 FILE", "the file is UTF-16 or binary, not UTF-8 text")
}

// split returns the columns of a line and their number, at most maxFields.
func (l *lines) split(text []byte) int {
	n, start := 0, -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] != ' ' && text[i] != '\t' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if n == maxFields {
				return n
			}
			l.fields[n] = text[start:i]
			n++
			start = -1
		}
	}
	return n
}

// id checks an identifier; what it is stands in kind. Most are ASCII without control characters, which needs no tables.
func (l *lines) id(kind string, id []byte) error {
	if len(id) <= collection.MaxID {
		plain := true
		for _, b := range id {
			plain = plain && b > ' ' && b < 0x7f
		}
		if plain {
			return nil
		}
	}
	if what := collection.CheckID(string(id)); what != "" {
		return l.errorf(l.n, "give the "+kind+" an ID of visible characters without spaces, in every file", "%s %.60q: %s", kind, id, what)
	}
	return nil
}
