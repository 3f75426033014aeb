package view

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed9cc7a46e/wf/planner"
)

// hostile is what an author, an agent or a repository can put into a text.
var hostile = []string{
	"</details><script>alert(1)</script>", "<!-- -->", "@everyone see #12 and GH-7", "`` ` ``` code", "a | b", "| - |\n|---|", "*bold* _it_ ~~no~~",
	"[click](https://evil.example/x)", "![](http://evil.example/track.png)", "www.evil.example", "https://evil.example", "$\\phi$",
	"user\u202Etxt.exe", "zero\u200Bwidth\uFEFF", "\x1b[31mred\x1b[0m\x07\r", "\\", "&lt;b&gt;", "\xff\xfe", "# heading", "e\u0301" + strings.Repeat("\u0301", 50),
	strings.Repeat("x", 5000), strings.Repeat("`", 700),
}

// POL-25: foreign text stays text: no mark-up, no mention, no link, nothing that
// cannot be seen.
func TestMarkdownEscapesHostileText(t *testing.T) {
	for _, text := range hostile {
		got := md(text)
		require.True(t, utf8.ValidString(got), "%q", text)
		for _, bad := range []string{"<", "\n", "\r", "\x1b", "\u202e", "\u200b", "\ufeff", "://", "www.", "GH-7"} {
			require.NotContains(t, got, bad, "%q", text)
		}
		require.NotRegexp(t, `@[a-zA-Z]`, got, "%q", text)
		require.NotRegexp(t, `(^|[^\\])[`+"`"+`*_\[\]|~!]`, strings.ReplaceAll(got, `\\`, ""), "%q", text)
		require.LessOrEqual(t, len([]rune(got)), 6*markdownText)
	}
}

// A code span ends where it is ended and not before.
func TestCodeSpanHolds(t *testing.T) {
	for _, text := range hostile {
		got := code(text)
		fence := got[:len(got)-len(strings.TrimLeft(got, "`"))]
		require.True(t, strings.HasSuffix(got, fence), "%q", text)
		require.NotContains(t, got[len(fence):len(got)-len(fence)], fence, "%q", text)
		require.NotContains(t, got, "\n")
		require.NotRegexp(t, `[^\\]\|`, cell(text), "a bar begins a new cell")
	}
}

// What a plan of hostile texts becomes has the fixed structure and no other.
func TestMarkdownKeepsItsStructure(t *testing.T) {
	for _, text := range hostile {
		v := sampleView()
		p := v.Plan
		p.Workflow.Name, p.Workflow.Path = text, text
		p.Tickets[1].Address, p.Tickets[1].Gates[0].Argv, p.Tickets[1].Scope = text, []string{text}, []string{text}
		p.Policy.Denials = []planner.Ruling{{Layer: "project", Rule: text, Msg: text, Node: text}}
		v.Change.Rest = []planner.Delta{{Sign: "~", Kind: text, Name: text, Old: text, New: text}}
		fs := sampleFindings()
		fs[0].Detail, fs[0].Hint, fs[0].Range.File = "see "+text, text, text
		var b bytes.Buffer
		Markdown(&b, v, fs)
		got := b.String()
		require.True(t, utf8.ValidString(got))
		require.Equal(t, 5, strings.Count(got, "<details>"), "%q", text)
		require.Equal(t, 5, strings.Count(got, "\n</details>\n"), "%q", text)
		require.Equal(t, 1, strings.Count("\n"+got, "\n<!--"), "%q", text)
		for line := range strings.Lines(got) {
			require.Regexp(t, `^(\n|- |  - |\| |\|-|#|\*\*|<!-- wf plan |<details>|</details>|<sub>|No |Nothing )`, line, "%q", text)
		}
	}
}

func TestMarkdownGolden(t *testing.T) {
	var b bytes.Buffer
	v := sampleView()
	Markdown(&b, v, sampleFindings())
	golden(t, "plan.md", b.String())
}

// PLAN-10: a comment is never too long; the verdict and the first denials stay.
func TestMarkdownFitsOneComment(t *testing.T) {
	for _, n := range []int{0, 1, 50, 500, 5000} {
		v := sampleView()
		template := v.Plan.Tickets[1]
		for i := range n {
			next := template
			next.ID, next.Address = fmt.Sprintf("T-%03d", i+3), fmt.Sprintf("change[%q]", strings.Repeat("日本", 20)+fmt.Sprint(i))
			v.Plan.Tickets = append(v.Plan.Tickets, next)
			v.Plan.Policy.Denials = append(v.Plan.Policy.Denials, planner.Ruling{Layer: "project", Rule: "wf.a.deny", Msg: "no " + strings.Repeat("é", 90), Node: next.Address})
			v.Change.Powers = append(v.Change.Powers, planner.Delta{Sign: "+", Kind: "tool", Where: next.Address, Name: "Bash", Looser: true})
		}
		var b bytes.Buffer
		Markdown(&b, v, sampleFindings())
		got := b.String()
		require.Less(t, len(got), 65_536)
		require.True(t, utf8.ValidString(got))
		require.Equal(t, strings.Count(got, "<details>"), strings.Count(got, "</details>"))
		require.True(t, strings.HasSuffix(got, "</sub>\n"))
		if n > 0 {
			for _, part := range []string{"**Denied by policy**", "- **denied**, ", "| tickets |", "### What a run can do", "| external |"} {
				require.True(t, strings.Contains(got, part), "%d: %s", n, part)
			}
		}
		if n >= 500 {
			require.True(t, strings.Contains(got, "lines more; `wf show` has all"))
		}
	}
}
