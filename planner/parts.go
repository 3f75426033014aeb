package planner

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// parts plans what only some tickets have: a kind of their own, another base,
// roles beside the stages.
func (m *maker) parts(t *dsl.Ticket, vars expr.Vars, p *Ticket) {
	p.Kind = t.Kind
	p.Base = m.commit(t.Base, vars)
	p.Generated = m.globs(m.texts(t.Generated, vars))
	p.Escalate, p.OnConflict, p.Inspector = t.Escalate.Name, t.OnConflict.Name, t.Inspector.Name
	if t.Review != nil {
		p.Review = m.review(t.Review, vars)
	}
	if t.Within != nil {
		p.Within = m.within(t.Within, vars)
	}
	if c := t.Checkout; c != nil {
		p.Checkout = &Checkout{Commit: m.commit(c.Ref, vars), Submodules: c.Submodules, LFS: c.LFS, Sparse: m.globs(m.texts(c.Sparse, vars))}
	}
	if n := t.Notify; n != nil {
		p.Notify = &Notify{Argv: m.texts(n.Argv, vars), On: slices.Clone(n.On), TimeoutSeconds: m.seconds(n.Timeout, vars, 0), Network: m.network(n.Network, vars)}
	}
}

func (m *maker) network(list []dsl.Scalar, vars expr.Vars) []string {
	out := sorted(m.texts(list, vars))
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

// commit gives the commit that a ref stands for: of an input it was resolved
// with the input, of a constant here.
func (m *maker) commit(s dsl.Scalar, vars expr.Vars) string {
	name := m.text(s, vars)
	if name == "" {
		return ""
	}
	commit, ok := m.commitOf(name)
	if !ok {
		m.find(codeRef, s.Range, fmt.Sprintf("The repository has no commit %q.", name), "Give a branch, a tag or a commit that is here; fetch it first where it is not.")
	}
	return commit
}

// constantRefs are the refs that tickets name themselves, those of included
// workflows and what these are given among them.
func constantRefs(w *dsl.Workflow) []string {
	var out []string
	add := func(s dsl.Scalar) {
		if name, ok := s.Value.Str(); ok && s.Set && s.Known {
			out = append(out, name)
		}
	}
	inside := func(v expr.Value, t expr.Type) {
		resolve(v, t, func(ref string) (string, bool) { out = append(out, ref); return ref, true })
	}
	for _, t := range w.Tickets {
		add(t.Base)
		if t.Checkout != nil {
			add(t.Checkout.Ref)
		}
		if t.Include == nil || t.Include.Workflow == nil {
			continue
		}
		out = append(out, constantRefs(t.Include.Workflow)...)
		for _, in := range t.Include.Workflow.Inputs {
			inside(in.Default, in.Type)
		}
		for _, v := range t.Include.With {
			if v.Value.Known {
				inside(v.Value.Value, v.Value.Type)
			}
		}
	}
	return out
}

func (m *maker) review(r *dsl.ReviewParts, vars expr.Vars) *Review {
	out := &Review{Axes: []Axis{}, MaxFindings: m.whole(r.MaxFindings, vars, 0)}
	for _, a := range r.Axes {
		out.Axes = append(out.Axes, Axis{Name: a.Gate.Name, Gated: a.Gated})
	}
	if r.Confirm != nil {
		out.Confirm = &Confirm{By: r.Confirm.By, AtLeast: r.Confirm.AtLeast}
	}
	return out
}

func (m *maker) within(w *dsl.Within, vars expr.Vars) *Within {
	out := &Within{Roles: []string{}, Pipelines: []Pipeline{}, Scope: m.globs(m.texts(w.Scope, vars)), Units: m.whole(w.Units, vars, 0)}
	out.Budget, _ = m.money(w.Budget, vars)
	for _, u := range w.Roles {
		out.Roles = append(out.Roles, u.Name)
	}
	out.Roles = sorted(out.Roles)
	for _, u := range w.Pipelines {
		i := slices.IndexFunc(m.wf.Pipelines, func(p dsl.Pipeline) bool { return p.Name == u.Name })
		p := Pipeline{Name: u.Name, Stages: []Stage{}}
		for _, s := range m.wf.Pipelines[i].Stages {
			stage := m.stage(s, vars)
			stage.Gates = []string{}
			p.Stages = append(p.Stages, stage)
		}
		out.Pipelines = append(out.Pipelines, p)
	}
	if w.EffectsSet {
		out.Effects = inOrder(w.Effects)
	}
	return out
}

// inOrder gives effects in the order of EffectList, each once.
func inOrder(effects []string) []string {
	out := []string{}
	for _, e := range EffectList {
		if slices.Contains(effects, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}
