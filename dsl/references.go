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
func (w *Workflow) References(t Ticket) []Ref {
	var out []Ref
	for _, n := range t.Needs {
		out = append(out, Ref{Ticket: n.Ticket, Field: "needs", Need: true, Settled: n.Settled, Range: n.Range})
	}
	for _, p := range t.fields() {
		for _, s := range p.scalars {
			for _, r := range s.Checked.Refs {
				out = append(out, Ref{Ticket: r.Ticket, Field: p.name, Optional: r.Optional, Range: r.Range})
			}
		}
	}
	return out
}

// fieldScalars are the values of one field.
type fieldScalars struct {
	name    string
	scalars []Scalar
}

// fields lists all values of a ticket, field by field.
func (t Ticket) fields() []fieldScalars {
	one := func(name string, s Scalar) fieldScalars { return fieldScalars{name, []Scalar{s}} }
	out := []fieldScalars{
		one("title", t.Title), one("brief", t.Brief), one("when", t.When), one("for_each", t.ForEach), one("key", t.Key), one("max", t.Max),
		{"scope", t.Scope}, {"narrow", t.Narrow}, {"may_change", t.MayChange}, {"protect", t.Protect}, {"context", t.Context},
		one("budget", t.Budget), one("workdir", t.Workdir),
	}
	if t.Matrix != nil {
		for _, a := range t.Matrix.Axes {
			out = append(out, one("matrix", a.Values))
		}
	}
	for _, a := range t.Acceptance {
		out = append(out, one("acceptance", a.What))
	}
	for _, g := range t.Gates {
		out = append(out, fieldScalars{"gates", g.scalars()})
	}
	return out
}

func (g Gate) scalars() []Scalar {
	out := append([]Scalar{g.Timeout, g.Workdir, g.MinTests}, g.Argv...)
	for _, v := range g.Env {
		out = append(out, v.Value)
	}
	for _, a := range g.Args {
		out = append(out, a.Values...)
	}
	return append(out, g.Network...)
}

// scalars lists every value of the workflow, for rules that ask what is used.
func (w *Workflow) scalars() []Scalar {
	l := w.Limits
	out := []Scalar{l.Budget, l.Units, l.Concurrency, l.Depth, l.Children, l.Bounces, l.Retries, l.Width, l.Timeout}
	out = append(out, w.Protect...)
	for _, r := range w.Roles {
		out = append(out, r.Agent, r.Model, r.Budget, r.Children)
		for _, list := range [][]Scalar{r.Fallback, r.Allow, r.Deny, r.Network, r.Reads} {
			out = append(out, list...)
		}
	}
	for _, p := range w.Pipelines {
		for _, s := range p.Stages {
			out = append(append(out, s.Timeout), s.WriteGlobs...)
		}
	}
	for _, t := range w.Tickets {
		for _, f := range t.fields() {
			out = append(out, f.scalars...)
		}
	}
	for _, o := range w.Outputs {
		out = append(out, o.Value)
	}
	return out
}
