package diag

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Apply makes the edits of the findings in one file. Of two edits that overlap,
// or that insert at one place, only the first is made; an edit whose place is
// not in data is left out. It gives the new bytes, in a slice of their own, and
// the findings whose edits were made, in the order of the file.
func (fs Findings) Apply(file string, data []byte) ([]byte, Findings) {
	var with Findings
	for _, f := range fs {
		if f.Edit != nil && f.Edit.Range.File == file && f.Edit.fits(data) {
			with = append(with, f)
		}
	}
	slices.SortStableFunc(with, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Edit.Range.Start.Offset, b.Edit.Range.Start.Offset), cmp.Compare(a.Edit.Range.End.Offset, b.Edit.Range.End.Offset))
	})
	var out []byte
	var made Findings
	at, last := 0, -1
	for _, f := range with {
		from, to := f.Edit.Range.Start.Offset, f.Edit.Range.End.Offset
		if from < at || from == last {
			continue
		}
		out = append(append(out, data[at:from]...), f.Edit.text(data)...)
		at, last = to, from
		made = append(made, f)
	}
	return append(out, data[at:]...), made
}

// text is the new text with the line ends that the file has.
func (e *Edit) text(data []byte) string {
	if !strings.Contains(e.NewText, "\n") || !bytes.Contains(data, []byte("\r\n")) {
		return e.NewText
	}
	return strings.ReplaceAll(strings.ReplaceAll(e.NewText, "\r\n", "\n"), "\n", "\r\n")
}

// fits reports whether the edit's place is a stretch of data.
func (e *Edit) fits(data []byte) bool {
	from, to := e.Range.Start.Offset, e.Range.End.Offset
	return from >= 0 && from <= to && to <= len(data)
}
