package planner

import (
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// shape is what the bounds need of a planned ticket and the document does not show.
type shape struct {
	declared int
	most     int   // children: 1, or max of a template
	least    int   // children at least: 1, or 0 and more of a template
	share    Money // its own budget, where it has one
	maybe    bool  // it may be skipped by what a run brings
}

// shared are the parts of a ticket that are the same for every child: computed once.
type shared struct {
	stages     []Stage
	gates      []Gate
	outputs    []OutputField
	acceptance []Acceptance
	varied     bool // some plan-phase field differs from child to child
}

func (m *maker) sharedOf(t *dsl.Ticket) shared {
	s := shared{varied: variesByChild(t), outputs: outputsOf(t.Delivers()), acceptance: make([]Acceptance, 0, len(t.Acceptance))}
	for _, a := range t.Acceptance {
		s.acceptance = append(s.acceptance, Acceptance{What: a.What.Template.Source(), By: a.By})
	}
	if !s.varied {
		s.stages, s.gates = m.stages(t, m.vars), m.gates(t, m.vars)
	}
	return s
}

func outputsOf(list []dsl.OutputField) []OutputField {
	out := make([]OutputField, 0, len(list))
	for _, o := range list {
		out = append(out, OutputField{Name: o.Name, Type: o.Type})
	}
	return out
}

// variesByChild reports whether a field of stages or gates uses each or matrix.
func variesByChild(t *dsl.Ticket) bool {
	if !t.FansOut() {
		return false
	}
	uses := func(s dsl.Scalar) bool { return s.Checked.UsesEach || s.Checked.UsesMatrix }
	return slices.ContainsFunc(t.Checks(), func(g *dsl.Gate) bool {
		return slices.ContainsFunc(g.Argv, uses) || slices.ContainsFunc(g.Network, uses) || slices.ContainsFunc(g.Proves, uses) || uses(g.Timeout) || uses(g.Workdir) || uses(g.MinTests) ||
			slices.ContainsFunc(g.Args, func(a dsl.GateArg) bool { return slices.ContainsFunc(a.Values, uses) }) ||
			slices.ContainsFunc(g.Env, func(e dsl.EnvVar) bool { return uses(e.Value) })
	})
}

// add plans one instance of a ticket.
func (m *maker) add(t *dsl.Ticket, s shared, in instance) {
	if s.varied {
		s.stages, s.gates = m.stages(t, in.vars), m.gates(t, in.vars)
	}
	budget, set := m.money(t.Budget, in.vars)
	p := Ticket{
		ID: in.id, Address: in.address, Name: t.Name, Title: orWord(t.Title.Template.Source(), t.Name),
		FanOut: in.fan, Key: in.key, Each: in.vars.EachValue, Matrix: in.vars.Matrix,
		Brief: t.Brief.Template.Source(), When: t.When.Template.Source(),
		Scope: m.globs(m.texts(t.Scope, in.vars)), Narrow: m.globs(sources(t.Narrow)), MayChange: m.globs(m.texts(t.MayChange, in.vars)),
		Protect: m.globs(m.texts(t.Protect, in.vars)), Context: m.places(m.texts(t.Context, in.vars)), Keep: m.globs(m.texts(t.Keep, in.vars)),
		Acceptance: s.acceptance, Gates: s.gates, Stages: s.stages, Outputs: s.outputs,
		Hold: t.Hold, Deliver: t.Deliver, Budget: m.plan.Limits.Budget,
		Workdir: m.place(m.text(t.Workdir, in.vars)), File: m.otherFile(t), Line: t.Range.Start.Line, Column: t.Range.Start.Column,
	}
	m.equipTicket(&p, t, in.vars)
	if set {
		p.Budget = budget
	}
	m.parts(t, in.vars, &p)
	if t.FansOut() && in.fan == nil {
		p.EachType, p.MatrixTypes = childTypes(t)
	}
	sh := shape{declared: m.declared.index[t.Name], most: 1, least: 1}
	if in.fan != nil {
		sh.most, sh.least = in.fan.Max, in.least
	}
	if set {
		sh.share = budget
	}
	m.decide(t, in, &p, &sh)
	m.indexOf[p.ID] = len(m.plan.Tickets)
	m.plan.Tickets = append(m.plan.Tickets, p)
	m.shape = append(m.shape, sh)
}

// childTypes gives the declared types of each.value and of the matrix's axes.
func childTypes(t *dsl.Ticket) (each expr.Type, axes []expr.Field) {
	if t.Each != nil {
		each = t.Each.Value
	}
	if t.Matrix != nil {
		for _, a := range t.Matrix.Axes {
			f := expr.Field{Name: a.Name}
			if elem := a.Values.Checked.Type.Elem; elem != nil {
				f.Type = *elem
			}
			axes = append(axes, f)
		}
	}
	return each, axes
}

// decide settles a condition that these inputs settle already.
func (m *maker) decide(t *dsl.Ticket, in instance, p *Ticket, sh *shape) {
	if !t.When.Set {
		return
	}
	if sh.maybe = len(t.When.Checked.Refs) > 0 || in.fan != nil && t.When.Checked.UsesEach; sh.maybe {
		return
	}
	v, ok := m.eval(t.When, in.vars)
	if holds, isBool := v.Bool(); ok && isBool && !holds {
		p.Skipped = true
	}
}

func sources(list []dsl.Scalar) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Template.Source())
	}
	return out
}

func (m *maker) stages(t *dsl.Ticket, vars expr.Vars) []Stage {
	if t.Kind != "" || t.Pipeline == "" {
		return m.resolveGates(t, []Stage{m.soleStage(t)}, nil)
	}
	i := slices.IndexFunc(m.wf.Pipelines, func(p dsl.Pipeline) bool { return p.Name == t.Pipeline })
	if i < 0 {
		return []Stage{}
	}
	from := m.wf.Pipelines[i].Stages
	out := make([]Stage, 0, len(from))
	for _, s := range from {
		out = append(out, m.stage(s, vars))
	}
	return m.resolveGates(t, out, from)
}

func (m *maker) stage(s dsl.Stage, vars expr.Vars) Stage {
	out := Stage{
		Name: s.Name, Role: s.Role, Mode: string(s.Mode), Writes: orWord(string(s.Writes), string(dsl.WritesNone)),
		Verdicts: make([]Route, 0, len(s.Verdict)), ExpectFail: s.ExpectFail, First: s.First,
		TimeoutSeconds: m.seconds(s.Timeout, vars, defaultStage), Reviewers: s.Reviewers, When: s.When.Template.Source(),
	}
	switch {
	case out.Mode == "" && len(s.Reviewers) > 0:
		out.Mode = string(dsl.Review)
	case out.Mode == "":
		out.Mode = m.modeOf(s.Role)
	}
	if len(s.WriteGlobs) > 0 {
		out.WriteGlobs = m.globs(m.texts(s.WriteGlobs, vars))
	}
	for _, r := range s.Verdict {
		out.Verdicts = append(out.Verdicts, Route{Verdict: r.Verdict, To: r.To})
	}
	return out
}

// soleStage writes the ticket's scope where it has one and its role's mode may write.
func (m *maker) soleStage(t *dsl.Ticket) Stage {
	s := m.stage(m.wf.Stages(t)[0], m.vars)
	if s.Mode != string(dsl.Chat) {
		s.Writes = string(dsl.WritesNone)
	}
	return s
}

func (m *maker) modeOf(role string) string {
	if r, ok := m.roles[role]; ok {
		return r.Mode
	}
	return string(dsl.Chat)
}

// resolveGates says which gates run after which stage, and where outputs are due.
// Gates run after each writing stage unless the stage lists its own; the last
// stage requires all, so they also run after the last where nothing before it
// ran them on the same tree.
func (m *maker) resolveGates(t *dsl.Ticket, stages []Stage, from []dsl.Stage) []Stage {
	all := make([]string, 0, len(t.Gates))
	for _, g := range t.Checks() {
		all = append(all, g.Name)
	}
	last := len(stages) - 1
	for i := range stages {
		s := &stages[i]
		switch {
		case from != nil && from[i].GatesSet:
			s.Gates = append([]string{}, from[i].Gates...)
		case s.Writes != string(dsl.WritesNone):
			s.Gates = append([]string{}, all...)
		default:
			s.Gates = []string{}
		}
	}
	if last >= 0 {
		stages[last].Gates = append([]string{}, all...)
		due(stages, from)
	}
	return stages
}

// due says where outputs are delivered: where stages list them, else at one stage.
func due(stages []Stage, from []dsl.Stage) {
	if !slices.ContainsFunc(from, func(s dsl.Stage) bool { return s.OutputsSet }) {
		stages[outputsDue(stages)].OutputsDue = true
		return
	}
	for i, s := range from {
		stages[i].OutputsDue, stages[i].Outputs = len(s.Outputs) > 0, s.Outputs
	}
}

// outputsDue picks the last writing stage, else the last one that works and
// does not judge, else the last.
func outputsDue(stages []Stage) int {
	due, worked := -1, len(stages)-1
	for i, s := range stages {
		if s.Writes != string(dsl.WritesNone) {
			due = i
		}
		if len(s.Verdicts) == 0 {
			worked = i
		}
	}
	if due < 0 {
		return worked
	}
	return due
}

func (m *maker) gates(t *dsl.Ticket, vars expr.Vars) []Gate {
	out := make([]Gate, 0, len(t.Gates))
	for _, g := range t.Checks() {
		p := Gate{
			Name: g.Name, Shell: g.Shell, Script: g.Script, Check: g.Check, Count: g.Count,
			TimeoutSeconds: m.seconds(g.Timeout, vars, defaultGate), Workdir: m.place(m.text(g.Workdir, vars)),
			MinTests: m.whole(g.MinTests, vars, 0), Network: sorted(m.texts(g.Network, vars)),
			Reused: g.Reused, Proves: m.globs(m.texts(g.Proves, vars)),
		}
		if len(p.Network) == 0 {
			p.Network = []string{"none"}
		}
		if len(g.Argv) > 0 {
			p.Argv = m.texts(g.Argv, vars)
		}
		for _, a := range g.Args {
			values := m.texts(a.Values, vars)
			switch a.Name {
			case "paths":
				values = m.globs(values)
			case "schema":
				values = m.places(values)
			}
			p.Args = append(p.Args, GateArg{Name: a.Name, Values: values})
		}
		p.Env = envOf(g.Env)
		out = append(out, p)
	}
	return out
}
