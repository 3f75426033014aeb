package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// markdownLimit keeps a plan within one comment of GitHub, which refuses more
// than 65,536 characters. Bytes are counted, which are never fewer.
const markdownLimit = 65_000

// markdownText is how much of one foreign text a pull request is shown.
const markdownText = 600

// markdownEscapes keep foreign text from becoming Markdown, HTML, a formula, a
// mention, a reference or a link.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "$", "&#36;", "@", "@\u2060", "://", ":\u2060//", "www.", "www\u2060.", "WWW.", "WWW\u2060.", "GH-", "GH\u2060-", "!", `\!`,
)

// md makes foreign text safe inside Markdown.
func md(text string) string { return markdownEscapes.Replace(shortened(Text(text), markdownText)) }

// code puts foreign text into a code span that it cannot leave.
func code(text string) string {
	text = shortened(Text(text), markdownText)
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// cell is a code span in a table, where a bar would begin the next cell.
func cell(text string) string { return strings.ReplaceAll(code(text), "|", `\|`) }

// section is a part of a comment. Its lines stand each for itself, so that it
// can be cut at any of them.
type section struct {
	head   []string
	lines  []string
	folded string // the summary of a fold; "" is open
}

// Markdown writes a plan for a pull request: verdict, difference and powers
// first, tickets folded. What does not fit into one comment is left out at the
// end and counted, never the verdict. (PLAN-10)
func Markdown(w io.Writer, v PlanView, fs diag.Findings) {
	sections := []section{markdownVerdict(v), markdownRulings(v.Plan.Policy), markdownBounds(v.Plan)}
	sections = append(sections, markdownChange(v.Change)...)
	sections = append(sections, markdownEffects(v.Plan), markdownFindings(notRuled(fs, v.Plan.Policy)), markdownTickets(v.Plan))
	foot := fmt.Sprintf("<sub>commit %s, digest %s</sub>\n", code(shortHash(v.Plan.Base.Commit)), code(v.Digest))
	room := markdownLimit - len(foot) - 200
	var out strings.Builder
	for i, s := range sections {
		most := room - out.Len()
		if i < len(sections)-1 {
			most /= 2 // a thousand denials leave room for what they are about
		}
		s.write(&out, most)
	}
	fmt.Fprint(w, out.String()+foot)
}

// write writes as much of a section as fits into room bytes.
func (s section) write(w *strings.Builder, room int) {
	if len(s.head)+len(s.lines) == 0 {
		return
	}
	open, shut := strings.Join(s.head, "\n"), "\n"
	if len(s.head) > 0 {
		open += "\n"
	}
	if s.folded != "" {
		open, shut = "<details><summary>"+s.folded+"</summary>\n\n", "\n</details>\n\n"
	}
	const rest = 60 // for the line that counts what is left out
	if len(open)+len(shut)+rest > room {
		return
	}
	w.WriteString(open)
	room -= len(open) + len(shut) + rest
	for i, line := range s.lines {
		if room -= len(line) + 1; room < 0 {
			fmt.Fprintf(w, "\n… and %s more; `wf show` has all.\n", count(len(s.lines)-i, "line"))
			break
		}
		w.WriteString(line + "\n")
	}
	w.WriteString(shut)
}

// marker lets a program find the comment of a workflow and edit it in place.
func marker(path string) string {
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '_' {
			return r
		}
		return '_'
	}
	return "<!-- wf plan " + strings.Map(safe, path) + " -->"
}

func markdownVerdict(v PlanView) section {
	s := section{head: []string{marker(v.Plan.Workflow.Path), "## wf plan: " + md(v.Plan.Workflow.Name), ""}}
	switch j := v.Plan.Policy; {
	case len(j.Denials) > 0:
		s.head = append(s.head, "**Denied by policy.** This plan cannot be approved.")
	case len(j.Asks) > 0:
		s.head = append(s.head, "**Needs approval** beyond an operator's: "+askers(j.Asks)+".")
	default:
		s.head = append(s.head, "**Allowed by policy.** An operator approves it.")
	}
	return s
}

func markdownRulings(j planner.Judgement) section {
	var s section
	for _, list := range []struct {
		word string
		rs   []planner.Ruling
	}{{"denied", j.Denials}, {"asks", j.Asks}, {"warns", j.Warns}} {
		for _, r := range list.rs {
			s.lines = append(s.lines, fmt.Sprintf("- %s, %s: %s (%s)", list.word, orRun(r.Node), md(r.Msg), code(r.Rule)))
		}
	}
	return s
}

func markdownBounds(p *planner.Plan) section {
	b := p.Bounds
	return section{head: []string{
		"| tickets | agents | units | at once | money at most | without a bounce |", "|--:|--:|--:|--:|--:|--:|",
		fmt.Sprintf("| %d | %d | %d | %d | %s | %s |", b.Tickets.Value, b.Agents.Value, b.Units.Value, b.AtOnce.Value, planner.Money(b.Cost.Value), b.CostNoBounce),
	}}
}

func askers(rs []planner.Ruling) string {
	var out []string
	for _, r := range rs[:min(len(rs), 5)] {
		from := r.From
		if from == "" {
			from = "an operator"
		}
		out = append(out, code(from))
	}
	return strings.Join(out, ", ")
}

func orRun(node string) string {
	if node == "" {
		return "the run"
	}
	return code(node)
}

func markdownChange(c *planner.Change) []section {
	if c == nil {
		return nil
	}
	out := []section{{head: []string{"### Difference to the last applied plan"}}}
	if c.Empty() {
		out[0].head = append(out[0].head, "", "None.")
		return out
	}
	if loose := c.Looser(); len(loose) > 0 {
		s := section{head: []string{"**More power, more money, or less checking:**", ""}}
		for _, d := range loose {
			s.lines = append(s.lines, markdownDelta(d))
		}
		out = append(out, s)
	}
	var rest section
	for _, list := range [][]planner.Delta{c.Powers, c.Money, c.Gates, c.Limits, c.Tickets, c.Rest} {
		for _, d := range list {
			if !d.Looser {
				rest.lines = append(rest.lines, markdownDelta(d))
			}
		}
	}
	return append(out, rest)
}

func markdownDelta(d planner.Delta) string {
	word := map[string]string{"+": "new", "-": "gone", "~": "changed"}[d.Sign]
	text := "- " + word + ":"
	for _, part := range []string{d.Where, d.Kind, d.Name} {
		if part != "" {
			text += " " + code(part)
		}
	}
	switch {
	case d.Old != "" && d.New != "":
		text += ", " + md(value(d.Old)) + " → " + md(value(d.New))
	case d.Old+d.New != "":
		text += ", " + md(value(d.Old+d.New))
	}
	return text
}

func markdownEffects(p *planner.Plan) section {
	s := section{head: []string{"### What a run can do", "", "| tier | effect | by |", "|---|---|---|"}}
	for _, tier := range []string{"external", "shared", "local"} {
		before := len(s.lines)
		for _, e := range p.Effects {
			if e.Tier == tier {
				s.lines = append(s.lines, fmt.Sprintf("| %s | %s | %s |", tier, cell(e.Effect), md(few(e.By))))
			}
		}
		if len(s.lines) == before {
			s.lines = append(s.lines, fmt.Sprintf("| %s | none | |", tier))
		}
	}
	return s
}

func markdownTickets(p *planner.Plan) section {
	s := section{folded: "Tickets"}
	for i := range p.Tickets {
		t := &p.Tickets[i]
		head := fmt.Sprintf("- **%s** %s", t.ID, code(t.Address))
		if t.FanOut != nil {
			head += fmt.Sprintf(", up to %d", t.FanOut.Max)
		}
		s.lines = append(s.lines, head+", at most "+count(t.MaxUnits, "unit"))
		for _, st := range t.Stages {
			s.lines = append(s.lines, "  - stage "+md(stageText(st)))
		}
		if len(t.Scope) > 0 {
			s.lines = append(s.lines, "  - scope "+md(scopeText(t)))
		}
		for _, g := range t.Gates {
			s.lines = append(s.lines, "  - gate "+md(gateText(g)))
		}
	}
	return s
}

func markdownFindings(fs diag.Findings) section {
	var s section
	for _, f := range fs.Sorted() {
		at := ""
		if f.Range.File != "" {
			at = " " + code(place(f.Range))
		}
		s.lines = append(s.lines, strings.TrimRight(fmt.Sprintf("- %s %s%s: %s %s", f.Severity, code(f.Code), at, md(f.Detail), md(f.Hint)), " "))
	}
	if len(s.lines) > 0 {
		s.folded = "Findings"
	}
	return s
}

// PlanJSON writes {"digest", "plan", "change", "host", "findings"}.
func PlanJSON(w io.Writer, v PlanView, fs diag.Findings) error {
	return JSON(w, struct {
		Digest   string          `json:"digest"`
		Plan     *planner.Plan   `json:"plan"`
		Change   *planner.Change `json:"change,omitempty"`
		Lacks    []string        `json:"host,omitempty"`
		Findings []jsonFinding   `json:"findings"`
	}{v.Digest, v.Plan, v.Change, v.Lacks, jsonFindings(fs)})
}
