package dsl

import (
	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Ref is one reason why a ticket waits for another.
type Ref struct {
	Ticket   string
	Field    string // needs, brief, when, for_each, …: the field that names it
	Need     bool   // an edge the author wrote; otherwise a use in ${{ }}
	Settled  bool   // skipped, parked and cancelled satisfy it too
	Optional bool   // a skipped ticket satisfies it
	Range    diag.Range
}

// References lists every use that a ticket makes of others, needs first, then
// fields in the order of the field table, uses in the order written.
func (w *Workflow) References(t *Ticket) []Ref {
	var out []Ref
	for _, n := range t.Needs {
		out = append(out, Ref{Ticket: n.Ticket, Field: "needs", Need: true, Settled: n.Settled, Optional: n.Optional, Range: n.Range})
	}
	t.visit(func(field string, s *Scalar) {
		for _, r := range s.Checked.Refs {
			out = append(out, Ref{Ticket: r.Ticket, Field: field, Optional: r.Optional, Range: r.Range})
		}
	})
	for _, s := range w.listed(t) {
		for _, r := range s.When.Checked.Refs {
			out = append(out, Ref{Ticket: r.Ticket, Field: "pipeline", Optional: r.Optional, Range: r.Range})
		}
	}
	return out
}

// visit shows every value of a ticket, field by field in the order of the field table.
func (t *Ticket) visit(see func(field string, s *Scalar)) {
	see("title", &t.Title)
	see("brief", &t.Brief)
	see("when", &t.When)
	see("for_each", &t.ForEach)
	see("key", &t.Key)
	see("max", &t.Max)
	if t.Matrix != nil {
		for i := range t.Matrix.Axes {
			see("matrix", &t.Matrix.Axes[i].Values)
		}
	}
	visitAll("scope", t.Scope, see)
	visitAll("narrow", t.Narrow, see)
	visitAll("may_change", t.MayChange, see)
	visitAll("protect", t.Protect, see)
	visitAll("context", t.Context, see)
	visitAll("keep", t.Keep, see)
	for i := range t.Acceptance {
		see("acceptance", &t.Acceptance[i].What)
	}
	for i := range t.Gates {
		t.Gates[i].visit(see)
	}
	if t.Include != nil {
		for i := range t.Include.With {
			see("with", &t.Include.With[i].Value)
		}
	}
	see("budget", &t.Budget)
	see("workdir", &t.Workdir)
	visitAll("generated", t.Generated, see)
	see("base", &t.Base)
	t.visitParts(see)
}

// visitParts shows what stands in mappings of a ticket's own.
func (t *Ticket) visitParts(see func(field string, s *Scalar)) {
	if c := t.Checkout; c != nil {
		see("checkout", &c.Ref)
		visitAll("checkout", c.Sparse, see)
	}
	for i := range t.Services {
		s := &t.Services[i]
		visitAll("services", s.Argv, see)
		for k := range s.Env {
			see("services", &s.Env[k].Value)
		}
		for _, v := range []*Scalar{&s.Port, &s.Ready, &s.Timeout, &s.Workdir} {
			see("services", v)
		}
	}
	if n := t.Notify; n != nil {
		visitAll("notify", n.Argv, see)
		see("notify", &n.Timeout)
		visitAll("notify", n.Network, see)
	}
	if r := t.Review; r != nil {
		see("max_findings", &r.MaxFindings)
		for i := range r.Axes {
			r.Axes[i].Gate.visit(see)
		}
	}
	if w := t.Within; w != nil {
		visitAll("within", w.Scope, see)
		see("within", &w.Budget)
		see("within", &w.Units)
	}
}

func visitAll(field string, list []Scalar, see func(field string, s *Scalar)) {
	for i := range list {
		see(field, &list[i])
	}
}

func (g *Gate) visit(see func(field string, s *Scalar)) {
	visitAll("gates", g.Argv, see)
	for i := range g.Env {
		see("gates", &g.Env[i].Value)
	}
	see("gates", &g.Timeout)
	see("gates", &g.Workdir)
	see("gates", &g.MinTests)
	visitAll("gates", g.Network, see)
	visitAll("gates", g.Proves, see)
	for i := range g.Args {
		visitAll("gates", g.Args[i].Values, see)
	}
}

// visit shows every value of the workflow.
func (w *Workflow) visit(see func(field string, s *Scalar)) {
	l := &w.Limits
	for _, s := range []*Scalar{&l.Budget, &l.Units, &l.Concurrency, &l.Depth, &l.Children, &l.Bounces, &l.Retries, &l.Width, &l.Timeout} {
		see("limits", s)
	}
	visitAll("protect", w.Protect, see)
	for i := range w.Roles {
		r := &w.Roles[i]
		for _, s := range []*Scalar{&r.Agent, &r.Model, &r.Budget, &r.Children} {
			see("roles", s)
		}
		for _, list := range [][]Scalar{r.Fallback, r.Allow, r.Deny, r.Network, r.Reads} {
			visitAll("roles", list, see)
		}
		for k := range r.MCP {
			see("roles", &r.MCP[k].URL)
			visitAll("roles", r.MCP[k].Argv, see)
		}
	}
	for _, p := range w.Pipelines {
		for i := range p.Stages {
			see("pipelines", &p.Stages[i].Timeout)
			see("pipelines", &p.Stages[i].When)
			visitAll("pipelines", p.Stages[i].WriteGlobs, see)
		}
	}
	for i := range w.Tickets {
		w.Tickets[i].visit(see)
	}
	for i := range w.Outputs {
		see("outputs", &w.Outputs[i].Value)
	}
}
