package policies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/planner"
)

// verdict collects what the layers say and turns it into a Judgement.
type verdict struct {
	plan     *planner.Plan
	day      time.Time
	nodes    map[string]planner.Ticket // by address, ID and agent name
	layers   []planner.Layer
	rulings  map[string][]planner.Ruling // by entry point
	guards   []planner.Guard
	findings diag.Findings
	broken   bool
}

func newVerdict(plan *planner.Plan, day time.Time) *verdict {
	v := &verdict{plan: plan, day: day, nodes: map[string]planner.Ticket{}, rulings: map[string][]planner.Ruling{}}
	byID := map[string]planner.Ticket{}
	for _, t := range plan.Tickets {
		byID[t.ID] = t
		v.nodes[t.ID], v.nodes[t.Address] = t, t
	}
	for _, a := range plan.Agents {
		if t, ok := byID[a.Ticket]; ok {
			v.nodes[a.Name] = t
		}
	}
	return v
}

func (v *verdict) unevaluated() bool { return v.broken || v.findings.HasErrors() && !v.onlyDenials() }

func (v *verdict) onlyDenials() bool {
	return !slices.ContainsFunc(v.findings, func(f diag.Finding) bool {
		return f.Severity == diag.Error && f.Code != codeDenied.ID
	})
}

// add takes in one layer's answers: its exceptions hold for its own rulings alone.
func (v *verdict) add(l *layer, answers []answer) {
	v.layers = append(v.layers, l.summary())
	var said []planner.Ruling
	var kinds []string
	var lifts []lift
	for _, a := range answers {
		switch a.entry.kind {
		case entryGuard:
			v.addGuard(l, a)
		case entryExcept:
			if x, ok := v.exception(l, a); ok {
				lifts = append(lifts, x)
			}
		default:
			if r, ok := v.ruling(l, a); ok {
				said, kinds = append(said, r), append(kinds, a.entry.kind)
			}
		}
	}
	for i, r := range said {
		v.decide(kinds[i], r, lifts)
	}
	v.reportLifts(l, lifts)
}

func (v *verdict) misshapen(a answer, err error) {
	v.broken = true
	v.findings = append(v.findings, codeShape.At(lineRange(a.entry.file, a.entry.line),
		fmt.Sprintf("%s gave %s: %s.", a.entry.name(), shorten(a.value.String()), err), "Give the keys that `wf explain WF510` lists, and no others."))
}

func (v *verdict) ruling(l *layer, a answer) (planner.Ruling, bool) {
	d, err := decode[decision](a.value)
	if err == nil {
		err = d.check(a.entry.kind)
	}
	if err == nil && d.Node != "" {
		t, known := v.nodes[d.Node]
		if !known {
			err = fmt.Errorf("`node` is %q, which is no ticket of the plan", d.Node)
		}
		d.Node = t.Address
	}
	if err != nil {
		v.misshapen(a, err)
		return planner.Ruling{}, false
	}
	return planner.Ruling{Layer: l.name, Rule: a.entry.name(), Msg: d.Msg, Code: d.Code, Level: cmp.Or(d.Level, "soft"), Node: d.Node, From: d.From, Approvers: d.Approvers, File: a.entry.file, Line: a.entry.line}, true
}

func (v *verdict) addGuard(l *layer, a answer) {
	g, err := decode[guardRule](a.value)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		v.misshapen(a, err)
		return
	}
	if f, wrong := guardFinding(g.Rule, lineRange(a.entry.file, a.entry.line)); wrong {
		v.findings = append(v.findings, f)
		return
	}
	v.guards = append(v.guards, planner.Guard{Layer: l.name, Rule: g.Rule, Decision: g.Decision, Reason: g.Reason})
}

// decide files the ruling, or lifts it. A lifted deny or ask stays as a
// warning: whoever approves the plan sees that a rule does not hold.
func (v *verdict) decide(kind string, r planner.Ruling, lifts []lift) {
	for i := range lifts {
		if !lifts[i].fits(r) {
			continue
		}
		lifts[i].used = true
		if lifts[i].over(v.day) {
			continue
		}
		if r.Level == "hard" {
			v.findings = append(v.findings, codeExceptHard.At(v.place(r), fmt.Sprintf("The exception to %s at %s:%d does not hold: the rule is hard.", r.Rule, lifts[i].file, lifts[i].line), "Remove the exception, or change the plan."))
			continue
		}
		v.lifted(kind, r, lifts[i])
		return
	}
	v.rulings[kind] = append(v.rulings[kind], r)
	v.say(kind, r)
}

func (v *verdict) lifted(kind string, r planner.Ruling, x lift) {
	v.findings = append(v.findings, codeExcepted.At(v.place(r), fmt.Sprintf("%s is lifted until %s: %s (%s)", r.Rule, x.Until, x.Reason, r.Msg), ""))
	if kind == entryWarn {
		return
	}
	r.Msg = fmt.Sprintf("lifted until %s (%s): %s", x.Until, x.Reason, r.Msg)
	r.From = ""
	v.rulings[entryWarn] = append(v.rulings[entryWarn], r)
}

func (v *verdict) say(kind string, r planner.Ruling) {
	code, hint := codeWarn, ""
	switch kind {
	case entryDeny:
		code, hint = codeDenied, "Change the workflow so that the rule holds."
	case entryAsk:
		code, hint = codeAsk, fmt.Sprintf("An operator of the group %s must approve the plan.", r.From)
	}
	f := code.At(v.place(r), fmt.Sprintf("%s (%s, %s layer)", sentence(r.Msg), r.Rule, r.Layer), hint)
	f.Related = []diag.Related{{Range: lineRange(r.File, r.Line), Message: "the rule"}}
	v.findings = append(v.findings, f)
}

// place is the workflow's line that the ruling is about, or its file.
func (v *verdict) place(r planner.Ruling) diag.Range {
	out := diag.Range{File: v.plan.Workflow.Path}
	if t, ok := v.nodes[r.Node]; ok && r.Node != "" && t.Line > 0 {
		if t.File != "" {
			out.File = t.File
		}
		out.Start = diag.Pos{Line: t.Line, Column: max(1, t.Column)}
		out.End = diag.Pos{Line: t.Line, Column: out.Start.Column + 1}
	}
	return out
}

func (v *verdict) judgement() planner.Judgement {
	return planner.Judgement{
		Layers: v.layers, Denials: sortedRulings(v.rulings[entryDeny]), Asks: sortedRulings(v.rulings[entryAsk]),
		Warns: sortedRulings(v.rulings[entryWarn]), Guards: sortedGuards(v.guards),
	}
}

func sortedRulings(rs []planner.Ruling) []planner.Ruling {
	out := append([]planner.Ruling{}, rs...)
	slices.SortFunc(out, func(a, b planner.Ruling) int {
		return cmp.Or(layerRank(a.Layer)-layerRank(b.Layer), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Node, b.Node),
			strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Msg, b.Msg), strings.Compare(a.Code, b.Code), strings.Compare(a.Level, b.Level), strings.Compare(a.From, b.From))
	})
	return slices.Compact(out)
}

func sortedGuards(gs []planner.Guard) []planner.Guard {
	out := append([]planner.Guard{}, gs...)
	slices.SortFunc(out, func(a, b planner.Guard) int {
		return cmp.Or(layerRank(a.Layer)-layerRank(b.Layer), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Decision, b.Decision), strings.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(out)
}

func layerRank(name string) int { return slices.Index(layerOrder, name) }

func lineRange(file string, line int) diag.Range {
	return diag.Range{File: file, Start: diag.Pos{Line: line, Column: 1}, End: diag.Pos{Line: line, Column: 2}}
}

func shorten(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// lift is an exception with its place, and whether any ruling fitted it.
type lift struct {
	exception
	file string
	line int
	used bool
}

func (x lift) fits(r planner.Ruling) bool {
	return (x.Rule == r.Rule || r.Code != "" && x.Rule == r.Code) && (x.Node == "" || x.Node == r.Node)
}

func (v *verdict) exception(l *layer, a answer) (lift, bool) {
	x, err := decode[exception](a.value)
	if err == nil {
		err = x.check()
	}
	if err == nil && x.Node != "" {
		t, known := v.nodes[x.Node]
		if !known {
			err = fmt.Errorf("`node` is %q, which is no ticket of the plan", x.Node)
		}
		x.Node = t.Address
	}
	if err != nil {
		v.misshapen(a, err)
		return lift{}, false
	}
	if strings.HasPrefix(x.Rule, "wf.") && !l.owns(x.Rule) {
		v.findings = append(v.findings, l.foreign(x.Rule, a.entry))
		return lift{}, false
	}
	return lift{exception: x, file: a.entry.file, line: a.entry.line}, true
}

func (l *layer) foreign(rule string, e entry) diag.Finding {
	return codeExcept.At(lineRange(e.file, e.line), fmt.Sprintf("The %s layer has no rule %s, and only the layer that owns a rule can except from it.", l.name, rule),
		"Ask the owner of the rule for the exception, or name a rule of this layer.")
}

// owns reports whether the layer has a deny, warn or ask rule of that name.
func (l *layer) owns(rule string) bool {
	return slices.ContainsFunc(l.entries, func(e entry) bool {
		return e.name() == rule && e.kind != entryExcept && e.kind != entryGuard
	})
}

func (v *verdict) reportLifts(l *layer, lifts []lift) {
	for _, x := range lifts {
		at := lineRange(x.file, x.line)
		switch {
		case x.over(v.day):
			v.findings = append(v.findings, codeExceptOver.At(at, fmt.Sprintf("The exception to %s in the %s layer held until %s; the plan is judged on %s.", x.Rule, l.name, x.Until, v.day.Format(time.DateOnly)), "Remove it, or agree on a new day."))
		case !x.used:
			v.findings = append(v.findings, codeExceptUnused.At(at, fmt.Sprintf("Nothing in this plan falls under the exception to %s.", x.Rule), ""))
		}
	}
}
