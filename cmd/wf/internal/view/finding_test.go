package view

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/materializer/run"
	"github.com/seed9cc7a46e/wf/materializer/run/report"
)

func at(file string, line, column, offset, end int) diag.Range {
	return diag.Range{File: file, Start: diag.Pos{Line: line, Column: column, Offset: offset}, End: diag.Pos{Line: line, Column: column + end - offset, Offset: end}}
}

func shown(s Style, f diag.Finding, source string) string {
	var b bytes.Buffer
	s.Refusal(&b, diag.Findings{f}, map[string][]byte{f.Range.File: []byte(source)})
	return b.String()
}

func TestFindingDrawsTheLine(t *testing.T) {
	for name, c := range map[string]struct {
		r      diag.Range
		source string
		line   string
		carets string
	}{
		"plain":           {at("a", 2, 1, 6, 10), "wf: 1\nnmae: x\n", "2 | nmae: x", "  | ^^^^"},
		"wide characters": {at("a", 1, 5, 8, 9), "日本: x\n", "1 | 日本: x", "  |       ^"},
		"line only":       {diag.Range{File: "a", Start: diag.Pos{Line: 2, Column: 3}, End: diag.Pos{Line: 2, Column: 3}}, "one\ntwo\n", "2 | two", "  |   ^"},
		"column 0":        {diag.Range{File: "a", Start: diag.Pos{Line: 2}, End: diag.Pos{Line: 2}}, "one\ntwo\n", "2 | two", "  | ^^^"},
		"crlf":            {at("a", 2, 1, 7, 11), "wf: 1\r\nnmae: x\r\n", "2 | nmae: x", "  | ^^^^"},
		"control":         {at("a", 1, 1, 0, 1), "\x1b[2J\n", `1 | \u{1b}[2J`, "  | ^^^^^^"},
		"past the end":    {at("a", 1, 4, 3, 3), "abc", "1 | abc", "  |    ^"},
	} {
		got := shown(Style{Width: 80}, diag.Finding{Code: "WF101", Severity: diag.Error, Summary: "s", Range: c.r}, c.source)
		require.Contains(t, got, c.line+"\n", name)
		require.Contains(t, got, c.carets+"\n", name)
		require.NotContains(t, got, ":0\n", "a column is counted from 1: %s", name)
	}
	for name, r := range map[string]diag.Range{"offset beyond": at("a", 9, 1, 900, 901), "line beyond": {File: "a", Start: diag.Pos{Line: 9, Column: 1}}} {
		require.NotContains(t, shown(Style{Width: 80}, diag.Finding{Code: "WF101", Severity: diag.Error, Range: r}, "one\n"), "|", name)
	}
}

// However long a line or narrow a terminal is, the marked part is seen.
func TestFindingFitsTheTerminal(t *testing.T) {
	source := strings.Repeat("a", 4000) + "XYZ" + strings.Repeat("b", 4000)
	for _, width := range []int{0, 1, 20, 40, 80, 200} {
		got := shown(Style{Width: width}, diag.Finding{Code: "WF101", Severity: diag.Error, Summary: "s", Range: at("a", 1, 4001, 4000, 4003)}, source)
		require.Contains(t, got, "XYZ", "%d", width)
		require.Contains(t, got, "^^^", "%d", width)
		for line := range strings.Lines(got) {
			require.LessOrEqual(t, columns(strings.TrimRight(line, "\n")), max((Style{Width: width}).columns(), 40), "%d", width)
		}
	}
}

// A binary file is wrong in one way ten thousand times, and says so a few times.
func TestSameFindingsAreCounted(t *testing.T) {
	var fs diag.Findings
	for i := range 100 {
		fs = append(fs, diag.Finding{Code: "WF002", Severity: diag.Error, Summary: "not UTF-8", Range: at("a", i+1, 1, 0, 0)})
	}
	fs = append(fs, diag.Finding{Code: "WF003", Severity: diag.Error, Summary: "another", Range: at("a", 200, 1, 0, 0)})
	var b bytes.Buffer
	Style{}.Findings(&b, fs, nil)
	require.Equal(t, sameKind, strings.Count(b.String(), "error[WF002]"))
	require.Contains(t, b.String(), "and 92 more WF002 in a;")
	require.Contains(t, b.String(), "error[WF003]")
	require.Contains(t, b.String(), "101 errors; `wf explain CODE` tells more")
}

func TestHintsBeginAsSentences(t *testing.T) {
	for hint, want := range map[string]string{
		"name one with --run": "Name one with --run", "wf plan x": "wf plan x", "git init": "git init", "`wf init` writes one": "`wf init` writes one",
		"Did you mean": "Did you mean", "": "", "run: git init": "Run: git init", "policies/x.rego is": "policies/x.rego is",
	} {
		require.Equal(t, want, capital(hint))
	}
}

// Editors and GitHub read one line a finding, whatever stands in it.
func TestFindingLines(t *testing.T) {
	f := diag.Finding{Code: "WF101", Severity: diag.Warning, Summary: "unknown key", Detail: "a\n::error::b\x1b[1m", Hint: "do, this: now%", Range: at("odd,name:x\n.yaml", 3, 5, 0, 0)}
	var one, gh bytes.Buffer
	OneLine(&one, diag.Findings{f})
	GitHub(&gh, diag.Findings{f})
	golden(t, "finding-lines", one.String()+gh.String())
	require.Equal(t, 1, strings.Count(one.String(), "\n"))
	require.Equal(t, 1, strings.Count(gh.String(), "\n"))
}

// The shapes that programs read are a promise.
func TestJSONShapes(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, JSON(&b, sampleStatus().JSON()))
	require.NoError(t, JSON(&b, StatusView{Report: report.Report{Run: "x"}}.JSON()))
	require.NoError(t, FindingsJSON(&b, sampleFindings()))
	require.NoError(t, FindingsJSON(&b, nil))
	golden(t, "shapes.json", b.String())
}

func TestFailureSaysWhatWasDone(t *testing.T) {
	got := Failure(errors.New("read journal: \x1b[31mbroken"))
	require.Contains(t, got, `read journal: \u{1b}[31mbroken`)
	require.Contains(t, got, "Nothing recorded was lost")
}

func TestTextIsSafeOnATerminal(t *testing.T) {
	for _, text := range hostile {
		for _, line := range Lines(text) {
			for _, r := range line {
				require.True(t, visible(r), "%q shows %U", text, r)
			}
		}
	}
	require.Equal(t, "日本 é 👩", Text("日本 é 👩"))
}

func FuzzText(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Text(text) {
			require.True(t, visible(r))
		}
		require.NotContains(t, md(text), "<")
		require.NotContains(t, wrap(Text(text), 40, "  "), "\x1b")
	})
}

func TestWords(t *testing.T) {
	require.Equal(t, `go test -run 'a b' '' 'it'\''s' '*'`, words([]string{"go", "test", "-run", "a b", "", "it's", "*"}))
}

// Fifty tickets can be told apart: the ticket first, then one word, then the rest.
func TestLiveLines(t *testing.T) {
	st := run.New(samplePlan())
	var b bytes.Buffer
	l := Style{Width: 80}.Live(&b)
	u := run.UnitID{Ticket: "T-001", Stage: "work", Round: 1}
	for _, ev := range []run.Event{
		run.Started{Run: "c36b1ec0-1", Authority: "alice", Approval: "ssh"},
		run.Launched{Unit: u},
		run.Gated{Unit: u, Gate: "build", Outcome: run.Pass, Summary: "exit 0"},
		run.Gated{Unit: u, Gate: "tests", Outcome: run.Fail, Summary: "exit 1: TestMake: Make = \"blue shoes\", want blue-shoes, which is what the brief says"},
		run.Refused{Unit: u, Contract: run.ContractGate, Bounces: 1, Reason: "gate tests failed: exit 1"},
		run.Accepted{Unit: u, Verdict: "CONFIRMED"},
		run.Parked{Ticket: "T-002", Reason: "the judge refused it twice"},
		run.Finished{Ticket: "T-001"},
		run.Alarm{Text: "a report came from nobody"},
	} {
		l.Event(ev, st)
	}
	golden(t, "live", b.String())
	require.NotContains(t, b.String(), "build", "a gate that passes says nothing")
}

// A letter that poses as one of another script is seen for what it is.
func TestLookalikesAreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"r\u0435view":           `r\u{435}view`,
		"\u0441hat":             `\u{441}hat`,
		"role_\u0430":           `role_\u{430}`,
		"обзор":                 "обзор",
		"α-test, Δt, 日本, naïve": "α-test, Δt, 日本, naïve",
		"обзор review":          "обзор review",
	} {
		require.Equal(t, want, Text(text))
	}
}

// A line that is cut keeps the marked part in its columns, whatever its characters take.
func TestFindingOfWideCharactersFits(t *testing.T) {
	source := strings.Repeat("日本語", 60) + "XYZ" + strings.Repeat("👩‍🚀", 60)
	at := at("a", 1, 181, len(strings.Repeat("日本語", 60)), len(strings.Repeat("日本語", 60))+3)
	for _, width := range []int{40, 60, 100} {
		got := shown(Style{Width: width}, diag.Finding{Code: "WF101", Severity: diag.Error, Summary: "s", Range: at}, source)
		lines := strings.Split(got, "\n")
		text, carets := lines[3], lines[4]
		require.LessOrEqual(t, columns(text), width)
		require.Equal(t, columns(text[:strings.Index(text, "XYZ")]), strings.Index(carets, "^"), got)
	}
}

// Where one edit is right, the line is shown as it will be.
func TestFindingShowsItsEdit(t *testing.T) {
	source := "wf: 1\n\tprompt: x # why\n"
	r := at("a", 2, 2, 7, 13)
	f := diag.Finding{Code: "WF101", Severity: diag.Error, Summary: "s", Range: r, Hint: "do", Edit: &diag.Edit{Range: r, NewText: "brief"}}
	require.Contains(t, shown(Style{Width: 80}, f, source), "\n2 +  brief: x # why\n")
	f.Edit.NewText = "a\nb"
	require.NotContains(t, shown(Style{Width: 80}, f, source), " + ")
	f.Edit.Range.Start.Offset, f.Edit.Range.End.Offset = 90, 95
	require.NotContains(t, shown(Style{Width: 80}, f, source), " + ")
}
