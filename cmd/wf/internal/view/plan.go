package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// PlanView is what a rendering of a plan needs.
type PlanView struct {
	Plan     *planner.Plan
	Digest   string
	Change   *planner.Change // against the plan's base, or the last applied plan; nil: there is none
	Rest     string          // Markdown: where a reader finds what does not fit; "" for `wf show`
	Lacks    []string        // what this host does not meet
	SavedAs  string          // file the plan was written to
	SayApply string          // command that applies it, where it was not saved
	Findings diag.Findings   // warnings and notes about the plan, with their places
	Sources  map[string][]byte
}

// Plan writes a plan as a person reads it: what will be, what it may do, what
// it can cost, what policies say, and how to go on.
func (s Style) Plan(w io.Writer, v PlanView) {
	p := v.Plan
	fmt.Fprintf(w, "%s %s\n", s.paint(bold, "Workflow "+Text(p.Workflow.Name)), s.paint(dim, "("+Text(p.Workflow.Path)+")"))
	if p.Workflow.Description != "" {
		fmt.Fprintf(w, "%s\n", wrap(Text(p.Workflow.Description), s.columns(), ""))
	}
	fmt.Fprintln(w)
	s.changes(w, v)
	s.inputs(w, p)
	fmt.Fprintf(w, "%s\n\n", wrap("wf will create these tickets: + one, * one for each entry of a list that a run makes.", s.columns(), ""))
	s.plannedTickets(w, p)
	s.includes(w, p)
	s.roles(w, p)
	s.effects(w, p)
	s.bounds(w, p)
	s.notices(w, v)
	s.policy(w, p)
	for _, lack := range v.Lacks {
		fmt.Fprintf(w, "%s %s\n", s.paint(yellow, "This host"), wrap(Text(lack), s.columns()-10, "  "))
	}
	s.summary(w, v)
}

func (s Style) inputs(w io.Writer, p *planner.Plan) {
	if len(p.Inputs) == 0 {
		return
	}
	width := 0
	for _, in := range p.Inputs {
		width = max(width, columns(in.Name))
	}
	fmt.Fprintln(w, s.paint(bold, "Inputs"))
	for _, in := range p.Inputs {
		note := in.Origin
		if in.Untrusted {
			note += ", untrusted"
		}
		indent := strings.Repeat(" ", width+4)
		fmt.Fprintf(w, "  %s  %s\n", pad(Text(in.Name), width), wrap(Text(in.Value.String())+" ("+note+")", s.columns()-len(indent), indent))
	}
	fmt.Fprintln(w)
}

// includes shows which workflows stand in the place of tickets, and the limits
// they keep of their own.
func (s Style) includes(w io.Writer, p *planner.Plan) {
	if len(p.Includes) == 0 {
		return
	}
	fmt.Fprintln(w, s.paint(bold, "Included"))
	for _, in := range p.Includes {
		text := fmt.Sprintf("%s from %s: %s, at most %s", Text(in.Address), Text(in.Path), count(len(in.Tickets), "ticket"), in.Budget)
		if in.Units > 0 {
			text += ", " + count(in.Units, "unit")
		}
		if in.Concurrency > 0 {
			text += fmt.Sprintf(", %d at a time", in.Concurrency)
		}
		text += fmt.Sprintf(", bounces %d, retries %d", min(in.Bounces, p.Limits.Bounces), min(in.Retries, p.Limits.Retries))
		fmt.Fprintf(w, "  %s\n", wrap(text, s.columns()-2, "  "))
	}
	fmt.Fprintln(w)
}

// roles shows what agents are hired as: what each may use, and what one session
// of it can cost.
func (s Style) roles(w io.Writer, p *planner.Plan) {
	if len(p.Roles) == 0 {
		return
	}
	width := 0
	for _, r := range p.Roles {
		width = max(width, columns(Text(r.Name)))
	}
	fmt.Fprintln(w, s.paint(bold, "Roles"))
	for _, r := range p.Roles {
		indent := strings.Repeat(" ", width+4)
		fmt.Fprintf(w, "  %s  %s\n", pad(Text(r.Name), width), wrap(roleText(r), s.columns()-len(indent), indent))
	}
	fmt.Fprintln(w)
}

func roleText(r planner.Role) string {
	out := "mode " + r.Mode + ", agent " + Text(r.Adapter)
	if r.Model != "" {
		out += ", model " + strings.Join(texts(append([]string{r.Model}, r.Fallback...)), " else ")
	}
	for _, part := range []struct {
		name string
		list []string
	}{{"tools", r.Allow}, {"never", r.Deny}, {"network", r.Network}, {"reads", r.Reads}, {"env", r.Env}, {"secrets", r.Secrets}, {"mcp", servers(r.MCP)}, {"skills", skills(r.Skills)}} {
		if len(part.list) > 0 {
			out += ", " + part.name + " " + strings.Join(texts(part.list), " ")
		}
	}
	if r.Auth != "gateway" && r.Auth != "" {
		out += ", holds the model's " + Text(r.Auth)
	}
	if r.Customisation != "repository" && r.Customisation != "" {
		out += ", customisation " + Text(r.Customisation)
	}
	out += ", sandbox " + Text(r.Sandbox)
	if r.Children > 0 {
		out += ", up to " + count(r.Children, "subagent")
	}
	return out + ", " + r.Budget.String() + " a unit"
}

func servers(list []planner.MCPServer) []string {
	var out []string
	for _, s := range list {
		at := s.URL
		if at == "" {
			at = strings.Join(s.Argv, " ")
		}
		out = append(out, s.Name+" ("+at+")")
	}
	return out
}

func skills(list []planner.Skill) []string {
	var out []string
	for _, s := range list {
		digest := strings.TrimPrefix(s.Digest, "sha256:")
		out = append(out, s.Name+" ("+digest[:min(12, len(digest))]+")")
	}
	return out
}

// effects shows what a run can do to the world; what leaves the worktrees first.
func (s Style) effects(w io.Writer, p *planner.Plan) {
	fmt.Fprintln(w, s.paint(bold, "What a run can do"))
	for _, tier := range []struct{ name, colour string }{{"external", red}, {"shared", yellow}, {"local", green}} {
		rows := slices.DeleteFunc(slices.Clone(p.Effects), func(e planner.EffectUse) bool { return e.Tier != tier.name })
		if len(rows) == 0 {
			fmt.Fprintf(w, "  %s none\n", pad(tier.name, 9))
			continue
		}
		for _, e := range rows {
			name := Text(e.Effect)
			if e.Partial {
				name += " (partly)"
			}
			lead := "  " + pad(tier.name, 9) + " " + pad(name, 24) + " "
			by := wrap(few(e.By), s.columns()-len(lead), strings.Repeat(" ", len(lead)))
			fmt.Fprintf(w, "  %s %s %s\n", s.paint(tier.colour, pad(tier.name, 9)), pad(name, 24), s.paint(dim, by))
		}
	}
	fmt.Fprintln(w)
}

// few names the first of a list and counts the rest.
func few(list []string) string {
	const most = 3
	shown := strings.Join(texts(list[:min(most, len(list))]), ", ")
	if len(list) > most {
		shown += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return shown
}

func (s Style) bounds(w io.Writer, p *planner.Plan) {
	b := p.Bounds
	fmt.Fprintln(w, s.paint(bold, "Bounds"))
	rows := [][]string{
		{"tickets", fmt.Sprintf("%d", b.Tickets.Value), b.Tickets.Kept},
		{"agents", fmt.Sprintf("%d (guideline: %s)", b.Agents.Value, Text(p.Limits.Width)), b.Agents.Kept},
		{"units", fmt.Sprintf("%d, at least %d", b.Units.Value, b.UnitsLeast), b.Units.Kept},
		{"at once", fmt.Sprintf("%d", b.AtOnce.Value), b.AtOnce.Kept},
		{"money", planner.Money(b.Cost.Value).String() + fmt.Sprintf(", %s without a bounce", b.CostNoBounce), b.Cost.Kept},
		{"time", duration(b.Seconds.Value), b.Seconds.Kept},
		{"disk", bytesText(b.Disk.Value) + ", a worktree for each ticket that writes", "as far as the base commit tells"},
		{"bounces", fmt.Sprintf("%d per ticket; the last one parks", p.Limits.Bounces), "enforced"},
	}
	// A small repository's worktrees are no news.
	s.table(w, slices.DeleteFunc(rows, func(r []string) bool { return r[0] == "disk" && b.Disk.Value < 100<<20 }))
	s.hanging(w, "  longest way  ", fmt.Sprintf("%s: %s", count(b.CriticalUnits, "unit"), strings.Join(b.CriticalPath, " → ")))
	fmt.Fprintln(w)
}

// table writes rows of label, value and remark, in columns as wide as they need.
func (s Style) table(w io.Writer, rows [][]string) {
	value, remark := 0, 0
	for _, r := range rows {
		value, remark = max(value, columns(r[1])), max(remark, columns(r[2])+2)
	}
	if 16+value+remark > s.columns() {
		value = 0 // too narrow for columns
	}
	indent := strings.Repeat(" ", 15)
	for _, r := range rows {
		line := wrap(pad(r[1], value)+" ("+r[2]+")", s.columns()-len(indent), indent)
		fmt.Fprintf(w, "  %s %s\n", pad(r[0], 12), line)
	}
}

func duration(seconds int64) string {
	h, m, sec := seconds/3600, seconds/60%60, seconds%60
	var out []string
	for _, part := range []struct {
		n    int64
		unit string
	}{{h, "h"}, {m, "min"}, {sec, "s"}} {
		if part.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", part.n, part.unit))
		}
	}
	if len(out) == 0 {
		return "0 s"
	}
	return strings.Join(out, " ")
}

// notices writes what the planner says beside the plan, each once: in full
// where the files are at hand, in a line where only the plan is.
func (s Style) notices(w io.Writer, v PlanView) {
	if fs := notRuled(v.Findings, v.Plan.Policy); len(fs) > 0 {
		fmt.Fprintf(w, "%s\n", s.paint(bold, "Notices"))
		s.each(w, fs.Sorted(), v.Sources)
		return
	}
	if len(v.Findings) > 0 || len(v.Plan.Notices) == 0 {
		return
	}
	fmt.Fprintf(w, "%s\n", s.paint(bold, "Notices"))
	for _, n := range v.Plan.Notices {
		head := fmt.Sprintf("%s[%s]", n.Level, n.Code)
		at := ""
		if n.Line > 0 {
			at = fmt.Sprintf("line %d: ", n.Line)
		}
		indent := strings.Repeat(" ", columns(head)+3)
		fmt.Fprintf(w, "  %s %s\n", s.paint(levelSign(n.Level), head), wrap(at+Text(n.Message), s.columns()-len(indent), indent))
	}
	fmt.Fprintln(w)
}

// notRuled leaves out what the plan's policies say: that has a place of its own.
func notRuled(fs diag.Findings, j planner.Judgement) diag.Findings {
	rulings := slices.Concat(j.Denials, j.Asks, j.Warns)
	return slices.DeleteFunc(slices.Clone(fs), func(f diag.Finding) bool {
		return slices.ContainsFunc(rulings, func(r planner.Ruling) bool {
			return strings.HasPrefix(strings.ToLower(f.Detail), strings.ToLower(strings.TrimSuffix(r.Msg, "."))) && strings.Contains(f.Detail, r.Rule)
		})
	})
}

func levelSign(level string) string {
	if level == diag.Warning.String() {
		return yellow
	}
	return cyan
}

func (s Style) policy(w io.Writer, p *planner.Plan) {
	j := p.Policy
	var layers []string
	for _, l := range j.Layers {
		layers = append(layers, fmt.Sprintf("%s (%s)", Text(l.Name), count(l.Rules, "rule")))
	}
	fmt.Fprintf(w, "%s %s\n", s.paint(bold, "Policies"), wrap(strings.Join(layers, ", "), s.columns()-9, "  "))
	s.rulings(w, red, "denied", j.Denials)
	s.rulings(w, yellow, "asks", j.Asks)
	s.rulings(w, yellow, "warns", j.Warns)
	if len(j.Denials)+len(j.Asks)+len(j.Warns) == 0 {
		fmt.Fprintf(w, "  %s\n", s.paint(green, "nothing to object"))
	}
	if len(j.Guards) > 0 {
		fmt.Fprintf(w, "  %s\n", s.paint(dim, count(len(j.Guards), "guard rule")+" for every unit"))
	}
	fmt.Fprintln(w)
}

func (s Style) rulings(w io.Writer, sign, word string, rs []planner.Ruling) {
	for _, r := range rs {
		where := ""
		if r.Node != "" {
			where = " " + Text(r.Node)
		}
		from := ""
		if r.From != "" {
			from = " (needs approval from " + Text(r.From) + ")"
		}
		at := Text(r.Rule)
		if r.File != "" && r.Line > 0 {
			at = fmt.Sprintf("%s at %s:%d", at, Text(r.File), r.Line)
		}
		line := fmt.Sprintf("%s%s: %s%s [%s, %s]", word, where, Text(r.Msg), from, Text(r.Layer), at)
		fmt.Fprintf(w, "  %s\n", s.paint(sign, wrap(line, s.columns()-2, "    ")))
	}
}

func (s Style) summary(w io.Writer, v PlanView) {
	p, b := v.Plan, v.Plan.Bounds
	total := fmt.Sprintf("%s, %s, at most %s and %s. Nothing was changed.",
		count(int(b.Tickets.Value), "ticket"), count(int(b.Agents.Value), "agent"), count(int(b.Units.Value), "unit"), planner.Money(b.Cost.Value))
	fmt.Fprintf(w, "%s %s\n", s.paint(bold, "Plan:"), wrap(total, s.columns()-6, "  "))
	if v.Change != nil && !v.Change.Empty() {
		fmt.Fprintf(w, "      %s\n", wrap(changeSummary(v.Change), s.columns()-6, "      "))
	}
	fmt.Fprintf(w, "%s\n%s\n", s.paint(dim, "Commit "+shortHash(p.Base.Commit)), s.paint(dim, "Digest "+v.Digest))
	switch {
	case len(p.Policy.Denials) > 0:
		fmt.Fprintln(w, s.paint(red, wrap("Policies deny this plan: it cannot be approved or applied.", s.columns(), "")))
	case v.SavedAs != "":
		fmt.Fprintf(w, "Saved as %s. Approve exactly this:\n  %s\n", Text(v.SavedAs), s.paint(bold, "wf approve "+words([]string{v.SavedAs})))
	case v.SayApply != "":
		fmt.Fprintf(w, "Apply it:\n  %s\n%s\n", s.paint(bold, Text(v.SayApply)), s.paint(dim, wrap("To approve and apply exactly this plan later, save it with -o FILE.", s.columns(), "")))
	}
}

func bytesText(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func shortHash(commit string) string { return commit[:min(12, len(commit))] }
