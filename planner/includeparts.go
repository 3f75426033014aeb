package planner

import (
	"reflect"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// The parts of a workflow in the names of the plan.

func (p *place) role(r dsl.Role) dsl.Role {
	r = renamed(p, r)
	r.Name, r.Inspector = p.own(r.Name), p.own(r.Inspector)
	for i := range r.Secrets {
		r.Secrets[i] = p.own(r.Secrets[i])
	}
	if p.prefix != "" {
		r.Folder, r.Within = &p.wf.Folder, &p.wf.Settings
	}
	return r
}

func (p *place) pipeline(l dsl.Pipeline) dsl.Pipeline {
	l = renamed(p, l)
	l.Name = p.own(l.Name)
	for i := range l.Stages {
		s := &l.Stages[i]
		s.Role, s.First = p.own(s.Role), p.own(s.First)
		for k := range s.Reviewers {
			s.Reviewers[k] = p.own(s.Reviewers[k])
		}
	}
	return l
}

// own is a name of this workflow in the plan; "" stays.
func (p *place) own(name string) string {
	if name == "" {
		return ""
	}
	return p.prefix + name
}

// ticket writes one ticket, or those of the workflow it includes.
func (p *place) ticket(t *dsl.Ticket) {
	if subs, ok := p.below[t.Name]; ok {
		for _, s := range subs {
			p.flat.Roles = append(p.flat.Roles, s.flat.Roles...)
			p.flat.Pipelines = append(p.flat.Pipelines, s.flat.Pipelines...)
			p.flat.Tickets = append(p.flat.Tickets, s.flat.Tickets...)
		}
		if len(p.flat.Tickets) > MaxTickets {
			p.m.find(codeTooLarge, t.Range, "With its includes the workflow has too many tickets.", "Split the workflow.")
		}
		return
	}
	p.flat.Tickets = append(p.flat.Tickets, p.renameTicket(*t))
}

func (p *place) renameTicket(t dsl.Ticket) dsl.Ticket {
	t = renamed(p, t)
	t.Name, t.Role, t.Pipeline = p.own(t.Name), p.own(t.Role), p.own(t.Pipeline)
	if p.prefix != "" {
		t.Folder, t.Protect = &p.wf.Folder, append(t.Protect, p.scalars(p.wf.Protect)...)
	}
	t.Needs = p.needs(t.Needs)
	return t
}

// renamed copies a part of a workflow with every value and every use of a role in
// the names of the plan. It goes by type, so that a field that is added to the
// language is not forgotten here.
func renamed[T dsl.Role | dsl.Pipeline | dsl.Ticket | dsl.Matrix](p *place, part T) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(reflect.ValueOf(part))
	p.rename(out)
	return out.Interface().(T)
}

func (p *place) rename(v reflect.Value) {
	if v.CanAddr() && v.CanSet() {
		switch at := v.Addr().Interface().(type) {
		case *dsl.Scalar:
			*at = p.scalar(*at)
			return
		case *dsl.EnvVar:
			at.Secret = p.own(at.Secret)
		case *dsl.RoleUse:
			at.Name = p.own(at.Name)
			return
		case *diag.Range, *expr.Type, **expr.EachShape, **dsl.Settings, **dsl.Include:
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			p.rename(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		for i := range v.Len() {
			p.rename(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			p.rename(fresh.Elem())
		}
	}
}

func (p *place) matrix(m *dsl.Matrix) *dsl.Matrix {
	if m == nil {
		return nil
	}
	out := renamed(p, *m)
	return &out
}

// needs gives edges in the names of the plan: a need of an include waits for
// those of its tickets that no other of it waits for.
func (p *place) needs(list []dsl.Need) []dsl.Need {
	var out []dsl.Need
	for _, n := range list {
		subs, ok := p.below[n.Ticket]
		if !ok {
			n.Ticket = p.prefix + n.Ticket
			out = append(out, n)
			continue
		}
		for _, s := range subs {
			out = append(out, s.leaves(n)...)
		}
	}
	return out
}

// leaves are the last tickets of a place. One that may be skipped by its own
// condition is waited for until it is done or skipped: then the rest of the
// included workflow has done its work without it.
func (p *place) leaves(n dsl.Need) []dsl.Need {
	waited, maybe := map[string]bool{}, map[string]bool{}
	for i := range p.flat.Tickets {
		t := &p.flat.Tickets[i]
		for _, r := range p.flat.References(t) {
			waited[r.Ticket] = true
			maybe[t.Name] = maybe[t.Name] || maybe[r.Ticket] && !r.Settled && !r.Optional
		}
		maybe[t.Name] = maybe[t.Name] || p.conditional[t.Name]
	}
	var out []dsl.Need
	for _, t := range p.flat.Tickets {
		if !waited[t.Name] || p.gated && !maybe[t.Name] {
			out = append(out, dsl.Need{Ticket: t.Name, Settled: n.Settled, Optional: maybe[t.Name], Range: n.Range})
		}
	}
	return out
}

// constrain carries what the including ticket says over to the tickets of the
// place: its needs to those that begin, its condition to all, its hold to those
// that begin, and the limits, which only tighten.
func (p *place) constrain(e entered) {
	t, sub := e.ticket, e.sub
	inside := map[string]bool{}
	for _, own := range sub.flat.Tickets {
		inside[own.Name] = true
	}
	when, needs := p.condition(t, e.vars), p.needs(t.Needs)
	for i := range sub.flat.Tickets {
		own := &sub.flat.Tickets[i]
		begins := !slices.ContainsFunc(sub.flat.References(own), func(r dsl.Ref) bool { return inside[r.Ticket] })
		if begins {
			own.Needs = append(slices.Clone(own.Needs), needs...)
			own.Hold = own.Hold || t.Hold
		}
		if when.Set {
			own.When = and(when, own.When)
		}
	}
}

// condition is the including ticket's `when`, decided where it can be decided
// now: an included ticket has another each.
func (p *place) condition(t *dsl.Ticket, vars expr.Vars) dsl.Scalar {
	s := p.scalar(t.When)
	if !s.Set || len(s.Checked.Refs) > 0 {
		return s
	}
	v, ok := p.m.eval(s, vars)
	if holds, isBool := v.Bool(); ok && isBool {
		word := "false"
		if holds {
			word = "true"
		}
		s.Template, _ = expr.Parse("${{ "+word+" }}", nil)
		s.Checked.UsesEach, s.Checked.UsesMatrix, s.Checked.UsesInputs = false, false, nil
		s.Known, s.Value = true, v
	}
	return s
}

// and joins two conditions.
func and(a, b dsl.Scalar) dsl.Scalar {
	if !b.Set {
		return a
	}
	keep := func(expr.Use) (string, int, bool) { return "", 0, false }
	word := func(s dsl.Scalar) string {
		if s.Template.IsLiteral() {
			return "(" + s.Template.Source() + ")"
		}
		return s.Template.Expression(keep)
	}
	out := b
	out.Template, _ = expr.Parse("${{ "+word(a)+" and "+word(b)+" }}", nil)
	out.Known = false
	out.Checked = expr.Checked{Type: b.Checked.Type, Tainted: a.Checked.Tainted || b.Checked.Tainted,
		Refs: slices.Concat(a.Checked.Refs, b.Checked.Refs), UsesInputs: slices.Concat(a.Checked.UsesInputs, b.Checked.UsesInputs),
		UsesEach: b.Checked.UsesEach, UsesMatrix: b.Checked.UsesMatrix}
	scope := expr.Scope{Phase: expr.RunPhase, Taint: expr.Untrusted}
	for _, s := range []*expr.Scope{a.Scope, b.Scope} {
		if s != nil {
			scope.Inputs = append(scope.Inputs, s.Inputs...)
			scope.Each, scope.Matrix = s.Each, s.Matrix
		}
	}
	out.Scope = &scope
	return out
}
