package view

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// The parts of SARIF 2.1.0 that wf writes. Columns count code points, as diag's
// do; paths are relative to the repository's root, %SRCROOT%.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string      `json:"id"`
		ShortDescription sarifText   `json:"shortDescription"`
		Help             *sarifText  `json:"help,omitempty"`
		Configuration    sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

// SARIF writes findings as code scanners exchange them, with the pages of their
// codes as rules; version is wf's own.
func SARIF(w io.Writer, fs diag.Findings, version string) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "wf", Version: version, Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, f := range fs.Sorted() {
		run.Results = append(run.Results, sarifOf(f, run.Tool.Driver.rule(f)))
	}
	return JSON(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// rule is the index of a finding's rule, which is added where it is new.
func (d *sarifDriver) rule(f diag.Finding) int {
	if i := slices.IndexFunc(d.Rules, func(r sarifRule) bool { return r.ID == f.Code }); i >= 0 {
		return i
	}
	r := sarifRule{ID: f.Code, ShortDescription: sarifText{Text: f.Summary}, Configuration: sarifConfig{f.Severity.String()}}
	if page, err := diag.Page(f.Code); err == nil {
		r.Help = &sarifText{Text: page, Markdown: page}
	}
	d.Rules = append(d.Rules, r)
	return len(d.Rules) - 1
}

func sarifOf(f diag.Finding, rule int) sarifResult {
	out := sarifResult{RuleID: f.Code, RuleIndex: rule, Level: f.Severity.String(), Message: sarifText{Text: oneText(f, "\n")}}
	if f.Range.File != "" {
		out.Locations = []sarifLocation{{Physical: physical(f.Range)}}
	}
	for i, r := range f.Related {
		out.Related = append(out.Related, sarifLocation{ID: i + 1, Physical: physical(r.Range), Message: &sarifText{Text: Text(r.Message)}})
	}
	if f.Edit != nil {
		out.Fixes = []sarifFix{{
			Description: sarifText{Text: Text(capital(f.Hint))},
			Changes: []sarifChange{{
				Artifact:     artifact(f.Edit.Range.File),
				Replacements: []sarifReplacement{{Deleted: region(f.Edit.Range), Inserted: sarifText{Text: f.Edit.NewText}}},
			}},
		}}
	}
	return out
}

func physical(r diag.Range) sarifPhysical {
	out := sarifPhysical{Artifact: artifact(r.File)}
	if r.Start.Line > 0 {
		at := region(r)
		out.Region = &at
	}
	return out
}

func region(r diag.Range) sarifRegion {
	out := sarifRegion{StartLine: r.Start.Line, StartColumn: max(r.Start.Column, 1), EndLine: r.End.Line, EndColumn: max(r.End.Column, 1)}
	if out.EndLine < out.StartLine || out.EndLine == out.StartLine && out.EndColumn < out.StartColumn {
		out.EndLine, out.EndColumn = out.StartLine, out.StartColumn
	}
	return out
}

// artifact names a file as a relative URI: what a URI cannot hold is escaped.
func artifact(file string) sarifArtifact {
	parts := strings.Split(file, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A") // a colon in the first part would name a scheme
	}
	return sarifArtifact{URI: strings.Join(parts, "/"), Base: "%SRCROOT%"}
}
