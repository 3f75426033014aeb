package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// markdownEscapes keep foreign text from becoming Markdown, HTML, a mention or a link.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "@", "@\u2060", "://", ":\u2060//", "!", `\!`,
)

// md makes foreign text safe inside Markdown.
func md(text string) string { return markdownEscapes.Replace(Text(text)) }

// code puts foreign text into a code span that it cannot leave.
func code(text string) string {
	text = strings.ReplaceAll(Text(text), "|", "\\|")
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// Markdown writes a plan for a pull request: verdict, difference and powers
// first, tickets folded.
func Markdown(w io.Writer, v PlanView, fs diag.Findings) {
	p, b := v.Plan, v.Plan.Bounds
	fmt.Fprintf(w, "## wf plan: %s\n\n", md(p.Workflow.Name))
	switch j := p.Policy; {
	case len(j.Denials) > 0:
		fmt.Fprintf(w, "**Denied by policy.** This plan cannot be approved.\n\n")
	case len(j.Asks) > 0:
		fmt.Fprintf(w, "**Needs approval** beyond an operator's: %s.\n\n", askers(j.Asks))
	default:
		fmt.Fprintf(w, "**Allowed by policy.** An operator approves it.\n\n")
	}
	for _, r := range append(append([]planner.Ruling{}, p.Policy.Denials...), p.Policy.Asks...) {
		fmt.Fprintf(w, "- %s: %s (%s)\n", orRun(r.Node), md(r.Msg), code(r.Rule))
	}
	fmt.Fprintf(w, "\n| tickets | agents | units | at once | money at most | without a bounce |\n|--:|--:|--:|--:|--:|--:|\n| %d | %d | %d | %d | %s | %s |\n\n",
		b.Tickets.Value, b.Agents.Value, b.Units.Value, b.AtOnce.Value, planner.Money(b.Cost.Value), b.CostNoBounce)
	markdownChange(w, v.Change)
	fmt.Fprintf(w, "### What a run can do\n\n| tier | effect | by |\n|---|---|---|\n")
	for _, tier := range []string{"external", "shared", "local"} {
		n := 0
		for _, e := range p.Effects {
			if e.Tier == tier {
				fmt.Fprintf(w, "| %s | %s | %s |\n", tier, code(e.Effect), md(few(e.By)))
				n++
			}
		}
		if n == 0 {
			fmt.Fprintf(w, "| %s | none | |\n", tier)
		}
	}
	fmt.Fprintf(w, "\n<details><summary>Tickets</summary>\n\n")
	for i := range p.Tickets {
		markdownTicket(w, &p.Tickets[i])
	}
	fmt.Fprintf(w, "</details>\n\n")
	if len(fs) > 0 {
		fmt.Fprintf(w, "<details><summary>Findings</summary>\n\n")
		for _, f := range fs.Sorted() {
			fmt.Fprintf(w, "- %s %s: %s %s\n", f.Severity, code(f.Code), md(f.Detail), md(f.Hint))
		}
		fmt.Fprintf(w, "\n</details>\n\n")
	}
	fmt.Fprintf(w, "<sub>commit %s, digest %s</sub>\n", code(shortHash(p.Base.Commit)), code(v.Digest))
}

func askers(rs []planner.Ruling) string {
	var out []string
	for _, r := range rs {
		out = append(out, code(r.From))
	}
	return strings.Join(out, ", ")
}

func orRun(node string) string {
	if node == "" {
		return "the run"
	}
	return code(node)
}

func markdownChange(w io.Writer, c *planner.Change) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "### Difference to the last applied plan\n\n")
	if c.Empty() {
		fmt.Fprintf(w, "None.\n\n")
		return
	}
	loose := c.Looser()
	if len(loose) > 0 {
		fmt.Fprintf(w, "**More power, more money, or less checking:**\n\n")
		for _, d := range loose {
			fmt.Fprintf(w, "- %s %s %s %s: %s → %s\n", d.Sign, md(d.Where), md(d.Kind), code(d.Name), md(d.Old), md(d.New))
		}
		fmt.Fprintln(w)
	}
	n := 0
	for _, list := range [][]planner.Delta{c.Powers, c.Money, c.Gates, c.Limits, c.Tickets, c.Rest} {
		for _, d := range list {
			if !d.Looser {
				fmt.Fprintf(w, "- %s %s %s %s: %s → %s\n", d.Sign, md(d.Where), md(d.Kind), code(d.Name), md(d.Old), md(d.New))
				n++
			}
		}
	}
	fmt.Fprintln(w)
}

func markdownTicket(w io.Writer, t *planner.Ticket) {
	fmt.Fprintf(w, "**%s** %s", t.ID, code(t.Address))
	if t.FanOut != nil {
		fmt.Fprintf(w, ", up to %d", t.FanOut.Max)
	}
	fmt.Fprintf(w, ", at most %s\n\n", count(t.MaxUnits, "unit"))
	for _, st := range t.Stages {
		fmt.Fprintf(w, "- stage %s\n", md(stageText(st)))
	}
	if len(t.Scope) > 0 {
		fmt.Fprintf(w, "- scope %s\n", md(scopeText(t)))
	}
	for _, g := range t.Gates {
		fmt.Fprintf(w, "- gate %s\n", md(gateText(g)))
	}
	fmt.Fprintln(w)
}

// PlanJSON writes {"digest", "plan", "change", "findings"}.
func PlanJSON(w io.Writer, v PlanView, fs diag.Findings) error {
	return JSON(w, struct {
		Digest   string          `json:"digest"`
		Plan     *planner.Plan   `json:"plan"`
		Change   *planner.Change `json:"change,omitempty"`
		Lacks    []string        `json:"host,omitempty"`
		Findings []jsonFinding   `json:"findings"`
	}{v.Digest, v.Plan, v.Change, v.Lacks, jsonFindings(fs)})
}
