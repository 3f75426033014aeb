package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// Markdown writes a plan for a pull request: the verdict, what policies say,
// what gained power, costs more or is checked less, then bounds and powers; the
// rest folded. What does not fit into one comment is left out at the end and
// counted, never the verdict. (PLAN-10)
func Markdown(w io.Writer, v PlanView, fs diag.Findings) {
	foot := fmt.Sprintf("<sub>commit %s, digest %s</sub>\n", code(shortHash(v.Plan.Base.Commit)), code(v.Digest))
	var out strings.Builder
	out.WriteString(marker(v.Plan.Workflow.Path) + "\n## wf plan: " + md(shortened(v.Plan.Workflow.Name, markdownName)) + "\n\n")
	fill(&out, planSections(v, fs), markdownLimit-out.Len()-len(foot), restOf(v))
	fmt.Fprint(w, out.String()+foot)
}

// restOf says where a reader finds all of a plan.
func restOf(v PlanView) string {
	if v.Rest != "" {
		return v.Rest
	}
	return "`wf show`"
}

func planSections(v PlanView, fs diag.Findings) []section {
	out := []section{markdownVerdict(v), markdownRulings(v.Plan.Policy)}
	out = append(out, markdownLoose(v)...)
	out = append(out, markdownBounds(v.Plan), markdownEffects(v.Plan), markdownOther(v.Change))
	return append(out, markdownFindings(notRuled(fs, v.Plan.Policy)), markdownRoles(v.Plan), markdownTickets(v.Plan), markdownPolicies(v.Plan))
}

func markdownVerdict(v PlanView) section {
	s := section{whole: true}
	switch j := v.Plan.Policy; {
	case len(j.Denials) > 0:
		s.head = []string{fmt.Sprintf("**Denied by policy** (%s). This plan cannot be approved.", count(len(j.Denials), "time"))}
	case len(j.Asks) > 0:
		s.head = []string{"**Needs approval** beyond an operator's: " + askers(j.Asks) + "."}
	default:
		s.head = []string{"**Allowed by policy.** An operator approves it."}
	}
	return s
}

func askers(rs []planner.Ruling) string {
	var all, out []string
	for _, r := range rs {
		from := r.From
		if from == "" {
			from = "an operator"
		}
		all = append(all, from)
	}
	all = sortedOnce(all)
	for _, from := range all[:min(len(all), 5)] {
		out = append(out, code(shortened(from, markdownName)))
	}
	if len(all) > 5 {
		out = append(out, fmt.Sprintf("%d more", len(all)-5))
	}
	return strings.Join(out, ", ")
}

func markdownRulings(j planner.Judgement) section {
	var s section
	for _, list := range []struct {
		word string
		rs   []planner.Ruling
	}{{"**denied**", j.Denials}, {"**asks**", j.Asks}, {"warns", j.Warns}} {
		for _, r := range list.rs {
			s.lines = append(s.lines, fmt.Sprintf("- %s, %s: %s (%s)", list.word, orRun(r.Node), md(r.Msg), code(ruleAt(r))))
		}
	}
	return s
}

func ruleAt(r planner.Ruling) string {
	if r.File != "" && r.Line > 0 {
		return fmt.Sprintf("%s, %s:%d", r.Rule, r.File, r.Line)
	}
	return r.Rule
}

func orRun(node string) string {
	if node == "" {
		return "the run"
	}
	return code(node)
}

func markdownBounds(p *planner.Plan) section {
	b := p.Bounds
	return section{head: []string{
		"| tickets | agents | units | at once | money at most | without a bounce |", "|--:|--:|--:|--:|--:|--:|",
		fmt.Sprintf("| %d | %d | %d | %d | %s | %s |", b.Tickets.Value, b.Agents.Value, b.Units.Value, b.AtOnce.Value, planner.Money(b.Cost.Value), b.CostNoBounce),
	}}
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

func markdownRoles(p *planner.Plan) section {
	var s section
	for _, r := range p.Roles {
		line := fmt.Sprintf("- %s, %s on %s", code(r.Name), md(r.Mode), code(strings.TrimSpace(r.Adapter+" "+r.Model)))
		line += ", tools " + md(orNone(r.Allow)) + ", network " + md(orNone(r.Network)) + ", sandbox " + md(r.Sandbox)
		if len(r.Env) > 0 {
			line += ", environment " + md(strings.Join(r.Env, ", "))
		}
		s.lines = append(s.lines, line+", a unit costs at most "+r.Budget.String())
	}
	if len(s.lines) > 0 {
		s.folded = "Roles"
	}
	return s
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
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
		for _, x := range partsOf(t) {
			s.lines = append(s.lines, "  - "+x.label+" "+md(x.text))
		}
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

func markdownPolicies(p *planner.Plan) section {
	var s section
	for _, l := range p.Policy.Layers {
		files := ""
		if len(l.Files) > 0 {
			files = ": " + md(few(l.Files))
		}
		s.lines = append(s.lines, fmt.Sprintf("- %s, %s%s", md(l.Name), count(l.Rules, "rule"), files))
	}
	if len(s.lines) > 0 {
		s.folded = "Policies that judged it"
	}
	return s
}

func markdownFindings(fs diag.Findings) section {
	s := section{lines: findingLines(fs)}
	if len(s.lines) > 0 {
		s.folded = "Findings"
	}
	return s
}

func findingLines(fs diag.Findings) []string {
	var out []string
	for _, f := range fs.Sorted() {
		at := ""
		if f.Range.File != "" {
			at = " " + code(place(f.Range))
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("- %s %s%s: %s %s", f.Severity, code(f.Code), at, md(f.Detail), md(f.Hint)), " "))
	}
	return out
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
