// Package diag defines the finding: one thing that is wrong, or worth knowing,
// in a user's files, with its place and the way out.
//
// A stage that reads foreign bytes returns its value together with Findings.
// Findings are values; a Go error means that wf itself could not do its job.
package diag

import (
	"cmp"
	"slices"
)

// Pos is a place in a file.
type Pos struct {
	Line   int `json:"line"`   // 1-based
	Column int `json:"column"` // 1-based, in Unicode code points of the line
	Offset int `json:"offset"` // 0-based, in bytes of the file as it is on disk
}

// Range is a half-open stretch of a file: Start is in it, End is not.
// The zero Range with a File means the file as a whole.
type Range struct {
	File  string `json:"file"` // slash-separated, relative to the repository's root
	Start Pos    `json:"start"`
	End   Pos    `json:"end"`
}

// IsZero reports whether the range names no place at all.
func (r Range) IsZero() bool { return r == Range{} }

// Severity orders findings by what they stop.
type Severity int

// An Error stops the stage after the one that found it; a Warning and a Note stop nothing.
const (
	Error Severity = iota + 1
	Warning
	Note
)

// String gives the word a reader sees.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "unknown"
}

// Related is a second place that explains the first one.
type Related struct {
	Range   Range  `json:"range"`
	Message string `json:"message"`
}

// Edit is the one change that mends a finding.
type Edit struct {
	Range   Range  `json:"range"`
	NewText string `json:"new_text"`
}

// Finding is one thing to say about a user's files.
type Finding struct {
	Code     string    // stable: "WF203"
	Severity Severity  // what it stops
	Summary  string    // fixed for the code
	Detail   string    // why, with the names of this case; one or two sentences
	Range    Range     // where
	Related  []Related // other places that take part
	Hint     string    // what to do, in the imperative
	Edit     *Edit     // where one edit is right
}

// Findings is what one run of a stage has to say.
type Findings []Finding

// HasErrors reports whether any finding stops the next stage.
func (fs Findings) HasErrors() bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == Error })
}

// Sorted returns the findings by file, line, column and code, each once.
// The order is total, so that the same input prints the same bytes.
func (fs Findings) Sorted() Findings {
	out := slices.Clone(fs)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b Finding) bool { return compare(a, b) == 0 })
}

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Range.File, b.Range.File),
		cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
		cmp.Compare(a.Range.Start.Column, b.Range.Start.Column),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Detail, b.Detail),
	)
}
