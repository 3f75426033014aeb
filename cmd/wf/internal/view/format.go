package view

import (
	"fmt"
	"io"

	"github.com/rogpeppe/go-internal/diff"
)

// Formatted names a file that is, or was, not in its canonical form; with
// showing also what changes in it.
func (s Style) Formatted(w io.Writer, name string, before, after []byte, showing bool) {
	if !showing {
		fmt.Fprintln(w, Text(name))
		return
	}
	s.patch(w, string(diff.Diff(name, before, name+" (formatted)", after)))
}

// Mended shows what was changed in a file.
func (s Style) Mended(w io.Writer, name string, before, after []byte) {
	s.patch(w, string(diff.Diff(name, before, name+" (mended)", after)))
	fmt.Fprintln(w)
}
