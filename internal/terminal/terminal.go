// Package terminal tells whether what is written goes to a terminal, where progress may be drawn, or to a file or pipe.
package terminal

import (
	"io"
	"os"
)

// Is reports whether a writer is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
