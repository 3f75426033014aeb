package view

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Findings writes findings for people: each with its place, the line it is
// about and a caret, the reason and the way out; then a line that counts them.
func (s Style) Findings(w io.Writer, fs diag.Findings, sources map[string][]byte) {
	fs = fs.Sorted()
	s.each(w, fs, sources)
	if len(fs) > 0 {
		fmt.Fprintln(w, tally(fs))
	}
}

// sameKind is how many findings of one code are shown in full for one file.
const sameKind = 8

// each writes findings; a file that is wrong in one way all over, as a binary
// one is, says so a few times and then counts.
func (s Style) each(w io.Writer, fs diag.Findings, sources map[string][]byte) {
	type kind struct{ file, code string }
	seen := map[kind]int{}
	for _, f := range fs {
		k := kind{f.Range.File, f.Code}
		if seen[k]++; seen[k] <= sameKind {
			s.finding(w, f, sources)
		}
	}
	for _, f := range fs {
		k := kind{f.Range.File, f.Code}
		if n := seen[k] - sameKind; n > 0 {
			fmt.Fprintf(w, "and %d more %s in %s; `wf validate --format oneline` shows all\n\n", n, f.Code, Text(f.Range.File))
			seen[k] = 0
		}
	}
}

// Refusal writes why a command did not do its work.
func (s Style) Refusal(w io.Writer, fs diag.Findings, sources map[string][]byte) {
	if len(fs) == 1 {
		s.finding(w, fs[0], sources)
		return
	}
	s.Findings(w, fs, sources)
}

func tally(fs diag.Findings) string {
	n := map[diag.Severity]int{}
	for _, f := range fs {
		n[f.Severity]++
	}
	var parts []string
	for _, sev := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n[sev] > 0 {
			parts = append(parts, count(n[sev], sev.String()))
		}
	}
	return strings.Join(parts, ", ") + "; `wf explain CODE` tells more"
}

func sign(sev diag.Severity) string {
	return map[diag.Severity]string{diag.Error: red, diag.Warning: yellow, diag.Note: cyan}[sev]
}

func (s Style) finding(w io.Writer, f diag.Finding, sources map[string][]byte) {
	head := s.paint(bold+";"+sign(f.Severity), f.Severity.String()+"["+f.Code+"]") + s.paint(bold, ": "+Text(f.Summary))
	fmt.Fprintln(w, head)
	gutter := gutterOf(f)
	if f.Range.File != "" {
		fmt.Fprintf(w, "%s%s %s\n", strings.Repeat(" ", gutter), s.paint(blue, "-->"), place(f.Range))
	}
	s.excerpt(w, f.Range, sources, gutter, sign(f.Severity))
	s.remark(w, gutter, "why", f.Detail)
	for _, r := range f.Related {
		fmt.Fprintf(w, "%s%s %s: %s\n", strings.Repeat(" ", gutter), s.paint(blue, ":::"), place(r.Range), Text(r.Message))
		s.excerpt(w, r.Range, sources, gutter, blue)
	}
	s.remark(w, gutter, "fix", capital(f.Hint))
	s.mended(w, f, sources, gutter)
	fmt.Fprintln(w)
}

// gutterOf is the width of the column that holds line numbers.
func gutterOf(f diag.Finding) int {
	most := f.Range.Start.Line
	for _, r := range f.Related {
		most = max(most, r.Range.Start.Line)
	}
	return len(strconv.Itoa(most))
}

func place(r diag.Range) string {
	if r.Start.Line == 0 {
		return Text(r.File)
	}
	return fmt.Sprintf("%s:%d:%d", Text(r.File), r.Start.Line, max(r.Start.Column, 1))
}

// capital begins a hint as a sentence begins, unless it begins with a command.
func capital(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "" || first == "wf" || first == "git" || strings.ContainsAny(first, "/`.=<-_:") && !strings.HasSuffix(first, ":") {
		return text
	}
	return diag.Capital(text)
}

func (s Style) remark(w io.Writer, gutter int, label, text string) {
	if text == "" {
		return
	}
	lead := strings.Repeat(" ", gutter) + " = " + label + ": "
	indent := strings.Repeat(" ", len(lead))
	var lines []string
	for _, line := range Lines(text) {
		lines = append(lines, wrap(line, s.columns()-len(lead), ""))
	}
	body := strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n"+indent)
	fmt.Fprintf(w, "%s %s %s %s\n", strings.Repeat(" ", gutter), s.paint(blue, "="), s.paint(bold, label+":"), body)
}

// excerpt draws the line a range begins on, from the file's own bytes, with
// carets below it.
func (s Style) excerpt(w io.Writer, r diag.Range, sources map[string][]byte, gutter int, sign string) {
	line, ok := lineAt(sources[r.File], r.Start)
	if !ok {
		return
	}
	from := min(max(line.at-line.offset, 0), len(line.text))
	to := len(line.text)
	if r.End.Line == r.Start.Line && r.End.Offset >= r.Start.Offset && line.at == r.Start.Offset {
		to = min(max(r.End.Offset-line.offset, from), len(line.text))
	}
	before, marked, after := Text(line.text[:from]), Text(line.text[from:to]), Text(line.text[to:])
	before, marked, after, skip := fit(before, marked, after, max(s.columns(), 40)-gutter-4)
	bar := s.paint(blue, "|")
	blank := strings.Repeat(" ", gutter)
	carets := strings.Repeat("^", max(columns(marked), 1))
	fmt.Fprintf(w, "%s %s\n", blank, bar)
	fmt.Fprintf(w, "%s %s %s\n", s.paint(blue, pad(strconv.Itoa(r.Start.Line), gutter)), bar, skip+before+marked+after)
	fmt.Fprintf(w, "%s %s %s%s\n", blank, bar, strings.Repeat(" ", columns(skip+before)), s.paint(sign, carets))
}

// mended shows the line as it would be after the finding's edit, marked with +.
func (s Style) mended(w io.Writer, f diag.Finding, sources map[string][]byte, gutter int) {
	if f.Edit == nil || f.Edit.Range.Start.Line != f.Edit.Range.End.Line || strings.ContainsAny(f.Edit.NewText, "\r\n") {
		return
	}
	line, ok := lineAt(sources[f.Edit.Range.File], f.Edit.Range.Start)
	from, to := f.Edit.Range.Start.Offset-line.offset, f.Edit.Range.End.Offset-line.offset
	if !ok || from < 0 || from > to || to > len(line.text) {
		return
	}
	before, marked, after := Text(line.text[:from]), Text(f.Edit.NewText), Text(line.text[to:])
	before, marked, after, skip := fit(before, marked, after, max(s.columns(), 40)-gutter-4)
	fmt.Fprintf(w, "%s %s %s%s%s\n", s.paint(blue, pad(strconv.Itoa(f.Edit.Range.Start.Line), gutter)), s.paint(green, "+"), skip+before, s.paint(green, marked), after)
}

// fit cuts a line to the width of a narrow terminal so that the marked part stays.
func fit(before, marked, after string, width int) (b, m, a, skip string) {
	if width < 20 || columns(before)+columns(marked)+columns(after) <= width {
		return before, marked, after, ""
	}
	if room := width - columns(marked) - 2; columns(before) > max(room, 8) {
		before, skip = lastColumns(before, max(room, 8)), "…"
	}
	if room := width - columns(before) - columns(skip); columns(marked) > room {
		return before, firstColumns(marked, max(room-1, 1)), "…", skip
	}
	if room := width - columns(before) - columns(marked) - columns(skip) - 1; columns(after) > room {
		after = firstColumns(after, max(room, 0)) + "…"
	}
	return before, marked, after, skip
}

// firstColumns is as much of the beginning of a text as takes n columns.
func firstColumns(text string, n int) string {
	at, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n -= width; n < 0 {
			break
		}
		at += len(cluster)
	}
	return text[:at]
}

// lastColumns is as much of the end of a text as takes n columns.
func lastColumns(text string, n int) string {
	for columns(text) > n {
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		text = text[len(cluster):]
	}
	return text
}

type sourceLine struct {
	text   string
	offset int // of the line in the file
	at     int // of the place in the file
}

// lineAt finds the line of a place. A finding that knows its line and not its
// offset, as of a policy, is drawn by the line.
func lineAt(data []byte, at diag.Pos) (sourceLine, bool) {
	if at.Line == 0 || at.Offset > len(data) || len(data) == 0 {
		return sourceLine{}, false
	}
	if bytes.Count(data[:at.Offset], []byte("\n")) != at.Line-1 && at.Offset == 0 {
		return byLine(data, at)
	}
	start := bytes.LastIndexByte(data[:at.Offset], '\n') + 1
	return sourceLine{text: lineFrom(data, start), offset: start, at: at.Offset}, true
}

func byLine(data []byte, at diag.Pos) (sourceLine, bool) {
	start := 0
	for range at.Line - 1 {
		i := bytes.IndexByte(data[start:], '\n')
		if i < 0 {
			return sourceLine{}, false
		}
		start += i + 1
	}
	text := lineFrom(data, start)
	column := 0
	for i := range text {
		if column++; column == at.Column {
			return sourceLine{text: text, offset: start, at: start + i}, true
		}
	}
	return sourceLine{text: text, offset: start, at: start}, text != ""
}

func lineFrom(data []byte, start int) string {
	end := len(data)
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		end = start + i
	}
	return strings.TrimSuffix(string(data[start:end]), "\r")
}

// Failure says that wf itself could not do its job. It is no finding: nothing
// in the user's files is known to be wrong.
func Failure(err error) string {
	return fmt.Sprintf("wf: could not do its job: %s\n\nThis is not a fault of your files that wf knows of. Nothing recorded was lost; run the same command again,\nand report it with the line above if it comes back.\n", Text(err.Error()))
}
