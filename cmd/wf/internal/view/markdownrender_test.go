package view

import (
	"bytes"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// ours is the HTML that wf itself writes into a comment.
var ours = regexp.MustCompile(`^(<!-- wf (plan|pull request)[A-Za-z0-9_./ …]* -->|<details><summary>[A-Za-z ]+</summary>|</details>|<sub>|</sub>)$`)

// wellFormed holds a comment as GitHub reads it: nothing is left open, no text
// of an author became a link, a picture, a heading or HTML.
func wellFormed(t *testing.T, comment string, headings int) {
	t.Helper()
	require.Less(t, len(comment), 65_536)
	require.True(t, utf8.ValidString(comment))
	require.Equal(t, strings.Count(comment, "<details>"), strings.Count(comment, "\n</details>\n"))
	source := []byte(comment)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	found := 0
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			found++
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.Blockquote, *ast.ThematicBreak, *tables.Strikethrough, *tables.TaskCheckBox:
			return ast.WalkStop, fmt.Errorf("%s came of somebody's text", n.Kind())
		case *ast.Text:
			if n.Parent().Kind() != ast.KindCodeSpan {
				require.NotRegexp(t, mention, string(n.Value(source)))
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				at := n.Segments.At(i)
				require.Regexp(t, ours, strings.TrimSpace(string(at.Value(source))))
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				at := n.Lines().At(i)
				line := strings.TrimSpace(string(at.Value(source)))
				require.True(t, line == "" || ours.MatchString(line), line)
			}
		case *tables.Table:
			width := 0
			for row := n.FirstChild(); row != nil; row = row.NextSibling() {
				if width == 0 {
					width = row.ChildCount()
				}
				require.Equal(t, width, row.ChildCount(), "a row of another width")
			}
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	if headings >= 0 {
		require.Equal(t, headings, found, comment[:min(len(comment), 2000)])
	}
}

// mention is what GitHub would send somebody a message for; in a code span it does not.
var mention = regexp.MustCompile(`(^|[^A-Za-z0-9])@[A-Za-z0-9]`)

// anyText is foreign text: hostile, long, of any script, or plain.
func anyText(r *rand.Rand) string {
	switch r.Intn(4) {
	case 0:
		return hostile[r.Intn(len(hostile))]
	case 1:
		return strings.Repeat([]string{"日本", "é", "x", "👩‍👩‍👧", "|"}[r.Intn(5)], r.Intn(400))
	case 2:
		b := make([]byte, r.Intn(40))
		r.Read(b)
		return string(b)
	}
	return fmt.Sprintf("part-%d", r.Intn(1000))
}

// anyPlan is a plan of n tickets full of anyText, with rulings and a difference.
func anyPlan(r *rand.Rand, n int) PlanView {
	v := sampleView()
	p, template := v.Plan, v.Plan.Tickets[1]
	p.Workflow.Name, p.Workflow.Path = anyText(r), anyText(r)
	for i := range n {
		next := template
		next.ID, next.Address, next.Scope = fmt.Sprintf("T-%04d", i+3), anyText(r), []string{anyText(r), anyText(r)}
		next.Gates = []planner.Gate{{Name: anyText(r), Argv: []string{anyText(r)}}, {Name: "s", Shell: "bash", Script: anyText(r)}}
		p.Tickets = append(p.Tickets, next)
		p.Effects = append(p.Effects, planner.EffectUse{Effect: anyText(r), Tier: []string{"local", "shared", "external"}[i%3], By: []string{anyText(r)}})
		if i%7 == 0 {
			p.Policy.Denials = append(p.Policy.Denials, planner.Ruling{Layer: anyText(r), Rule: anyText(r), Msg: anyText(r), Node: anyText(r), File: anyText(r), Line: i})
			p.Policy.Asks = append(p.Policy.Asks, planner.Ruling{Layer: anyText(r), Rule: anyText(r), Msg: anyText(r), From: anyText(r)})
		}
		v.Change.Powers = append(v.Change.Powers, planner.Delta{Sign: "+", Kind: "tool", Where: anyText(r), Name: anyText(r), Looser: i%2 == 0})
		v.Change.Rest = append(v.Change.Rest, planner.Delta{Sign: "~", Kind: "base", Old: anyText(r), New: anyText(r)})
	}
	return v
}

// PLAN-10, POL-25: any plan up to 2,000 tickets is one comment that GitHub
// takes and that is well-formed.
func TestMarkdownOfAnyPlan(t *testing.T) {
	for seed := range int64(6) {
		r := rand.New(rand.NewSource(seed))
		n := []int{0, 1, 7, 60, 400, 2000}[seed%6]
		v := anyPlan(r, n)
		fs := sampleFindings()
		fs[0].Detail, fs[1].Range.File = anyText(r), anyText(r)
		var b bytes.Buffer
		Markdown(&b, v, fs)
		wellFormed(t, b.String(), 2)
		require.Contains(t, b.String(), map[bool]string{true: "**Denied by policy**", false: "**Needs approval**"}[len(v.Plan.Policy.Denials) > 0])
	}
}

// The one comment of a pull request holds any number of workflows.
func TestMarkdownOfManyPlans(t *testing.T) {
	for seed := range int64(10) {
		r := rand.New(rand.NewSource(seed))
		var list []ChangedView
		for range []int{0, 1, 3, 30, 400}[seed%5] {
			c := ChangedView{Workflow: anyText(r), Path: anyText(r), Verdict: verdicts[r.Intn(len(verdicts))], Findings: diag.Findings{{Code: "WF101", Severity: diag.Error, Detail: anyText(r)}}}
			if c.Verdict == VerdictDenied || c.Verdict == VerdictAsks || c.Verdict == VerdictAllowed {
				v := anyPlan(r, r.Intn(20))
				c.View, c.Change = &v, *v.Change
			}
			list = append(list, c)
		}
		var b bytes.Buffer
		MarkdownChanged(&b, strings.Repeat("ab12", 10), list)
		wellFormed(t, b.String(), -1)
		require.True(t, strings.HasPrefix(b.String(), ChangedMarker+"\n## wf plan: "))
	}
}

// What a security reviewer asks of a change is answered before the first fold,
// within what a screen shows.
func TestMarkdownFirstScreen(t *testing.T) {
	v := sampleView()
	loose := func(kind, where, name, old, new, sign string) planner.Delta {
		return planner.Delta{Sign: sign, Kind: kind, Where: where, Name: name, Old: old, New: new, Looser: true}
	}
	v.Change = &planner.Change{
		Powers: []planner.Delta{loose("tool", "builder", "Bash", "", "", "+"), loose("network", "builder", "example.org", "", "", "+")},
		Money:  []planner.Delta{loose("budget", "", "limit of the run", "9.00 USD", "90.00 USD", "~")},
		Gates:  []planner.Delta{loose("policy", "", "policies/team.rego", "sha256:aa", "sha256:bb", "~"), loose("gate", "change", "tests", "go test", "", "-")},
	}
	for i := range 200 {
		v.Change.Powers = append(v.Change.Powers, loose("effect", "process.exec", fmt.Sprintf("builder@change[%d]", i), "", "", "+"))
		v.Change.Tickets = append(v.Change.Tickets, planner.Delta{Sign: "~", Kind: "title", Where: fmt.Sprintf("change[%d]", i), Old: "a", New: "b"})
	}
	var b bytes.Buffer
	Markdown(&b, v, nil)
	lines := strings.Split(b.String(), "\n")
	screen := strings.Join(lines[:20], "\n")
	for _, part := range []string{"tool `Bash`", "network `example.org`", "9.00 USD → 90.00 USD", "policy `policies/team.rego`", "check gone: gate `tests`", "effect `process.exec` of `builder@change[0]`", "and 197 more"} {
		require.Contains(t, screen, part)
	}
	require.NotContains(t, screen, "<details>")
}
