package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// FindingsFormat is the version of what FindingsJSON writes.
const FindingsFormat = 1

// FindingFormats are the ways in which programs read findings.
var FindingFormats = []string{"oneline", "json", "sarif", "github"}

// FindingsAs writes findings in one of FindingFormats; version is wf's own.
func FindingsAs(w io.Writer, format string, fs diag.Findings, version string) error {
	switch format {
	case "json":
		return FindingsJSON(w, fs)
	case "sarif":
		return SARIF(w, fs, version)
	case "github":
		GitHub(w, fs)
	default:
		OneLine(w, fs)
	}
	return nil
}

// OneLine writes findings as FILE:LINE:COLUMN: severity CODE: message, a line
// each, for editors and grep.
func OneLine(w io.Writer, fs diag.Findings) {
	for _, f := range fs.Sorted() {
		at := ""
		if f.Range.File != "" {
			at = place(f.Range) + ": "
		}
		fmt.Fprintf(w, "%s%s %s: %s\n", at, f.Severity, f.Code, oneText(f, " "))
	}
}

// oneText is all a finding says, as one text of safe characters.
func oneText(f diag.Finding, between string) string {
	parts := []string{Text(f.Summary) + ": " + Text(f.Detail), Text(capital(f.Hint))}
	if f.Detail == "" {
		parts[0] = Text(f.Summary)
	}
	return strings.TrimSpace(strings.Join(parts, between))
}

// GitHub writes findings as workflow commands, which GitHub shows at the lines
// of a pull request. Its runner takes what stands behind the last :: as it is
// but for %, CR and LF, and ends a property at a comma or colon.
func GitHub(w io.Writer, fs diag.Findings) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range fs.Sorted() {
		kind := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Note: "notice"}[f.Severity]
		props := []string{}
		if f.Range.File != "" {
			props = append(props, "file="+property.Replace(f.Range.File))
		}
		if start, end := f.Range.Start, f.Range.End; start.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d,col=%d", start.Line, max(start.Column, 1)))
			switch {
			case end.Line > start.Line:
				props = append(props, fmt.Sprintf("endLine=%d", end.Line))
			case end.Column > start.Column:
				props = append(props, fmt.Sprintf("endColumn=%d", end.Column))
			}
		}
		props = append(props, "title="+property.Replace(f.Code+" "+Text(f.Summary)))
		fmt.Fprintf(w, "::%s %s::%s\n", kind, strings.Join(props, ","), data.Replace(strings.TrimSpace(Text(f.Detail)+"\n"+Text(capital(f.Hint)))))
	}
}

// jsonFinding is a finding as programs read it; schema/findings.schema.json.
type jsonFinding struct {
	Code     string        `json:"code"`
	Severity string        `json:"severity"`
	Summary  string        `json:"summary"`
	Detail   string        `json:"detail"`
	Range    *jsonRange    `json:"range,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
	Hint     string        `json:"hint,omitempty"`
	Fixes    []jsonFix     `json:"fixes,omitempty"`
}

// jsonRange has no start and end where it is a file as a whole.
type jsonRange struct {
	File  string    `json:"file"`
	Start *diag.Pos `json:"start,omitempty"`
	End   *diag.Pos `json:"end,omitempty"`
}

type jsonRelated struct {
	Range   *jsonRange `json:"range"`
	Message string     `json:"message"`
}

type jsonFix struct {
	Range   *jsonRange `json:"range"`
	NewText string     `json:"new_text"`
}

func rangeOf(r diag.Range) *jsonRange {
	out := &jsonRange{File: r.File}
	if r.IsZero() {
		return nil
	}
	if r.Start.Line > 0 {
		out.Start, out.End = &r.Start, &r.End
	}
	return out
}

func jsonFindings(fs diag.Findings) []jsonFinding {
	out := []jsonFinding{}
	for _, f := range fs.Sorted() {
		j := jsonFinding{Code: f.Code, Severity: f.Severity.String(), Summary: f.Summary, Detail: f.Detail, Range: rangeOf(f.Range), Hint: f.Hint}
		for _, r := range f.Related {
			j.Related = append(j.Related, jsonRelated{rangeOf(r.Range), r.Message})
		}
		if f.Edit != nil {
			j.Fixes = []jsonFix{{rangeOf(f.Edit.Range), f.Edit.NewText}}
		}
		out = append(out, j)
	}
	return out
}

// FindingsJSON writes {"format": 1, "findings": […]}.
func FindingsJSON(w io.Writer, fs diag.Findings) error {
	return JSON(w, struct {
		Format   int           `json:"format"`
		Findings []jsonFinding `json:"findings"`
	}{FindingsFormat, jsonFindings(fs)})
}

// ChangedFindings writes what was found in all workflows of a pull request.
func ChangedFindings(w io.Writer, format string, list []ChangedView, version string) error {
	var all diag.Findings
	for _, c := range list {
		all = append(all, c.Findings...)
	}
	return FindingsAs(w, format, all, version)
}
