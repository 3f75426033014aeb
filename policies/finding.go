package policies

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// rangeOf is the place of an OPA location: its first line, from its column to
// the end of its text there.
func rangeOf(loc *ast.Location) diag.Range {
	if loc == nil {
		return diag.Range{}
	}
	text, _, _ := strings.Cut(string(loc.Text), "\n")
	start := diag.Pos{Line: loc.Row, Column: loc.Col, Offset: loc.Offset}
	end := diag.Pos{Line: loc.Row, Column: loc.Col + max(1, len([]rune(text))), Offset: loc.Offset + max(1, len(text))}
	return diag.Range{File: loc.File, Start: start, End: end}
}

func parseFindings(f File, err error) diag.Findings {
	var list ast.Errors
	if !errors.As(err, &list) {
		return diag.Findings{codeParse.At(diag.Range{File: f.Path}, sentence(err.Error()), "Mend the file; a policy that cannot be read is a denial.")}
	}
	var out diag.Findings
	for _, e := range list {
		found := codeParse.At(withFile(onText(rangeOf(e.Location), f.Data), f.Path), sentence(e.Message), "Mend the line; a policy that cannot be read is a denial.")
		at := slices.IndexFunc(out, func(other diag.Finding) bool { return other.Range.Start == found.Range.Start })
		switch {
		case at < 0:
			out = append(out, found)
		case len(found.Detail) > len(out[at].Detail): // OPA says the same in general and in particular
			out[at] = found
		}
	}
	return out
}

// onText moves a place behind the last line, which OPA gives the column 0, to
// the last character that is there: where something is missing.
func onText(r diag.Range, data []byte) diag.Range {
	if r.Start.Column > 0 || r.Start.Line == 0 {
		return r
	}
	text := strings.TrimRightFunc(string(data[:min(r.Start.Offset, len(data))]), unicode.IsSpace)
	_, size := utf8.DecodeLastRuneInString(text)
	offset := len(text) - size
	line := text[strings.LastIndexByte(text, '\n')+1:]
	column := max(1, utf8.RuneCountInString(line))
	row := strings.Count(text, "\n") + 1
	r.Start = diag.Pos{Line: row, Column: column, Offset: offset}
	r.End = diag.Pos{Line: row, Column: column + 1, Offset: len(text)}
	return r
}

func compileFindings(list ast.Errors) diag.Findings {
	var out diag.Findings
	for _, e := range list {
		out = append(out, compileFinding(e))
	}
	return out
}

var undefinedFunction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`undefined function (\S+)`) })

func compileFinding(e *ast.Error) diag.Finding {
	r := rangeOf(e.Location)
	if m := undefinedFunction().FindStringSubmatch(e.Message); m != nil && impureBuiltin(m[1]) {
		return codeBuiltin.At(r, fmt.Sprintf("%s reaches outside the plan (network, clock, chance or host), so the same plan could be judged twice and differ.", m[1]),
			"Decide from input and data alone.")
	}
	var ref *ast.RefErrInvalidDetail
	if d, ok := e.Details.(*ast.RefErrInvalidDetail); ok && !d.Ref.HasPrefix(ast.DefaultRootRef) {
		ref = d
	}
	if ref != nil {
		return codeNoField.At(r, fmt.Sprintf("%s is always undefined, so the rule would never fire.", ref.Ref), meantField(ref))
	}
	return codeCompile.At(r, sentence(oneLine(e)), "Mend the rule; a policy that does not compile is a denial.")
}

// meantField names the field that was most probably meant, else all that there are.
func meantField(d *ast.RefErrInvalidDetail) string {
	known := make([]string, 0, len(d.OneOf))
	for _, v := range d.OneOf {
		known = append(known, nameOf(v))
	}
	slices.Sort(known)
	if d.Pos >= 0 && d.Pos < len(d.Ref) {
		if near := expr.Nearest(nameOf(d.Ref[d.Pos].Value), known); near != "" {
			return fmt.Sprintf("Did you mean `%s`?", near)
		}
	}
	return "Use one of: " + fieldsOf(d) + "."
}

func fieldsOf(d *ast.RefErrInvalidDetail) string {
	out := make([]string, 0, len(d.OneOf))
	for _, v := range d.OneOf {
		out = append(out, nameOf(v))
	}
	if len(out) == 0 {
		return "the fields in schema/plan.schema.json"
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// ownCopy is how OPA names the copies of takeEntries, which no author wrote.
var ownCopy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` in rule (data\.[a-z0-9_.]+\.)?wf_entry_[0-9]+|wf_entry_[0-9]+`)
})

// oneLine joins the message with the details OPA draws below it.
func oneLine(e *ast.Error) string {
	msg := ownCopy().ReplaceAllString(e.Message, "")
	if e.Details != nil {
		for _, line := range e.Details.Lines() {
			if s := strings.TrimSpace(line); s != "" && strings.Trim(s, "^") != "" {
				msg += "; " + s
			}
		}
	}
	return msg
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

func withFile(r diag.Range, file string) diag.Range {
	r.File = cmp.Or(r.File, file)
	return r
}
