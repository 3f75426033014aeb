package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// include puts the tickets of included workflows in the place of the tickets
// that include them. Afterwards a plan, and every later stage, knows one flat
// workflow: an included ticket has the address of its place before its own name,
// its role and pipeline too, and its expressions speak of them by these names.
func (m *maker) include() {
	if !slices.ContainsFunc(m.wf.Tickets, func(t dsl.Ticket) bool { return t.Include != nil }) {
		return
	}
	flat := *m.wf
	flat.Roles, flat.Pipelines, flat.Tickets = nil, nil, nil
	top := &place{m: m, wf: m.wf, flat: &flat}
	top.expand()
	if m.found.HasErrors() {
		return
	}
	flat.Settings = top.settings()
	flat.Outputs = slices.Clone(m.wf.Outputs)
	for i := range flat.Outputs {
		flat.Outputs[i].Value = top.scalar(flat.Outputs[i].Value)
	}
	m.wf = &flat
}

// place is one workflow at its place in the plan: the planned one, or one that a
// ticket includes, once for each entry of that ticket's fan-out.
type place struct {
	m           *maker
	wf          *dsl.Workflow
	flat        *dsl.Workflow
	prefix      string // sub. or sub["a"].inner. ; "" of the planned workflow
	below       map[string][]*place
	key         string
	scopes      map[*expr.Scope]*expr.Scope
	gated       bool            // the ticket that includes it has a condition
	conditional map[string]bool // its tickets with a condition of their own
}

// entered is a place with the ticket that it stands for.
type entered struct {
	ticket *dsl.Ticket
	sub    *place
	vars   expr.Vars // the entry of the ticket's fan-out
}

// expand writes the place's tickets, those of its includes among them in order.
func (p *place) expand() {
	p.below = map[string][]*place{}
	p.scopes = map[*expr.Scope]*expr.Scope{}
	for _, r := range p.wf.Roles {
		p.flat.Roles = append(p.flat.Roles, p.role(r))
	}
	for _, l := range p.wf.Pipelines {
		p.flat.Pipelines = append(p.flat.Pipelines, p.pipeline(l))
	}
	var all []entered
	for i := range p.wf.Tickets { // what others refer to must be there before them
		if t := &p.wf.Tickets[i]; t.Include != nil {
			all = append(all, p.enter(t)...)
		}
	}
	if p.m.found.HasErrors() {
		return
	}
	for _, e := range all {
		p.constrain(e)
	}
	p.conditional = map[string]bool{}
	for i := range p.wf.Tickets {
		p.ticket(&p.wf.Tickets[i])
	}
	for i := range p.flat.Tickets {
		p.conditional[p.flat.Tickets[i].Name] = p.flat.Tickets[i].When.Set
	}
}

// enter makes the places of one ticket that includes a workflow. Their tickets
// are written when its turn comes.
func (p *place) enter(t *dsl.Ticket) []entered {
	bound := p.bound(*t)
	list, ok := p.m.instances(&bound, t.Name)
	if !ok {
		return nil
	}
	p.below[t.Name] = []*place{}
	var out []entered
	for _, in := range list {
		sub := &place{m: p.m, wf: t.Include.Workflow, flat: &dsl.Workflow{}, prefix: p.prefix + in.address + ".", key: in.key, gated: t.When.Set}
		if p.m.included += len(sub.wf.Tickets); p.m.included > MaxTickets {
			p.m.find(codeTooLarge, t.Include.Range, fmt.Sprintf("With its includes the workflow has more than %d tickets.", MaxTickets), "Split the workflow.")
			return nil
		}
		p.give(&bound, sub, in.vars)
		p.limit(&bound, sub, in.vars)
		sub.expand()
		if p.m.found.HasErrors() {
			return nil
		}
		p.below[t.Name] = append(p.below[t.Name], sub)
		out = append(out, entered{t, sub, in.vars})
	}
	return out
}

// bound is a ticket with its list, key and inputs in the names of the plan.
func (p *place) bound(t dsl.Ticket) dsl.Ticket {
	t.ForEach, t.Key, t.Max = p.scalar(t.ForEach), p.scalar(t.Key), p.scalar(t.Max)
	t.Matrix = p.matrix(t.Matrix)
	t.Budget = p.scalar(t.Budget)
	with := *t.Include
	with.With = p.vars(with.With)
	t.Include = &with
	return t
}

// give binds the inputs of an included workflow.
func (p *place) give(t *dsl.Ticket, sub *place, vars expr.Vars) {
	p.m.secretsOf(sub.wf, sub.prefix)
	for _, in := range sub.wf.Inputs {
		if in.Secret {
			continue
		}
		v, origin := in.Default, "default"
		if i := slices.IndexFunc(t.Include.With, func(w dsl.EnvVar) bool { return w.Name == in.Name }); i >= 0 {
			s := t.Include.With[i].Value
			value, ok := p.m.eval(s, vars)
			if !ok {
				continue
			}
			v, origin = value, "with"
		}
		v, unknown := resolve(v, in.Type, p.m.commitOf)
		if unknown != "" {
			p.m.find(codeRef, t.Include.Range, fmt.Sprintf("The input %s is %q, and the repository has no such commit.", sub.prefix+in.Name, unknown), "Give a branch, a tag or a commit that is here.")
			continue
		}
		p.m.plan.Inputs = append(p.m.plan.Inputs, Input{Name: sub.prefix + in.Name, Type: in.Type, Value: v, Untrusted: in.Untrusted, Origin: origin})
	}
}

// name gives what stands for a use of an input or a ticket.
func (p *place) name(u expr.Use) (text string, parts int, ok bool) {
	if u.Space == "tickets" {
		if subs, isInclude := p.below[u.Name]; isInclude {
			return p.seen(u, subs)
		}
	}
	if p.prefix == "" {
		return "", 0, false
	}
	return u.Space + "[" + expr.Of(p.prefix+u.Name).String() + "]", 0, true
}

// seen gives what an including workflow sees of an included one: its status and
// outputs, or of a fan-out the list of them.
func (p *place) seen(u expr.Use, subs []*place) (text string, parts int, ok bool) {
	if t := p.declared(u.Name); t.FansOut() {
		items := make([]string, 0, len(subs))
		for _, s := range subs {
			items = append(items, `{"key": `+expr.Of(s.key).String()+`, "status": `+s.status()+`, "outputs": `+s.outputs()+`}`)
		}
		return "[" + strings.Join(items, ", ") + "]", 0, true
	}
	sub := subs[0]
	switch {
	case len(u.Parts) > 1 && u.Parts[0] == "outputs":
		for _, o := range sub.wf.Outputs {
			if o.Name == u.Parts[1] {
				return o.Value.Template.Expression(sub.name), 2, true
			}
		}
	case len(u.Parts) > 0 && u.Parts[0] == "outputs":
		return sub.outputs(), 1, true
	case len(u.Parts) > 0 && u.Parts[0] == "status":
		return sub.status(), 1, true
	}
	return `{"status": ` + sub.status() + `, "outputs": ` + sub.outputs() + `}`, 0, true
}

func (p *place) declared(name string) *dsl.Ticket {
	i := slices.IndexFunc(p.wf.Tickets, func(t dsl.Ticket) bool { return t.Name == name })
	return &p.wf.Tickets[i]
}

func (p *place) outputs() string {
	fields := make([]string, 0, len(p.wf.Outputs))
	for _, o := range p.wf.Outputs {
		fields = append(fields, expr.Of(o.Name).String()+": "+o.Value.Template.Expression(p.name))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// status is the first of its tickets' that is neither done nor skipped; done
// where there is none, skipped where all are.
func (p *place) status() string {
	skipped, text := make([]string, 0, len(p.flat.Tickets)), `"done"`
	for _, t := range slices.Backward(p.flat.Tickets) {
		one := "tickets[" + expr.Of(t.Name).String() + "]"
		if t.FansOut() {
			skipped = append(skipped, "all("+one+`, .status == "skipped")`)
			text = `all(` + one + `, .status == "done" or .status == "skipped") ? ` + text + ` : string((find(` + one + `, .status != "done" and .status != "skipped")?.status) ?? "parked")`
			text = "(" + text + ")"
			continue
		}
		skipped = append(skipped, one+`.status == "skipped"`)
		text = "(" + one + `.status == "done" or ` + one + `.status == "skipped" ? ` + text + ` : string(` + one + ".status))"
	}
	slices.Reverse(skipped)
	return "(" + strings.Join(skipped, " and ") + ` ? "skipped" : ` + text + ")"
}

// scalar gives a value in the names of the plan. What it depends on was checked
// in its own file; here only names change.
func (p *place) scalar(s dsl.Scalar) dsl.Scalar {
	if s.Template.IsLiteral() || p.prefix == "" && !p.usesInclude(s) {
		return s
	}
	text := s.Template.Rewrite(p.name)
	t, found := expr.Parse(text, func(int, int) diag.Range { return s.Range })
	if found.HasErrors() {
		p.m.find(codeIncludedText, s.Range, "With what the included workflows deliver in it, the expression is too long or nested too deep.", "Pass the value through an output of a ticket.")
		return s
	}
	s.Template = t
	s.Checked.UsesInputs = p.inputNames(s.Checked.UsesInputs)
	s.Checked.Refs = p.refs(s.Checked.Refs)
	s.Scope = p.scope(s.Scope)
	return s
}

func (p *place) usesInclude(s dsl.Scalar) bool {
	return slices.ContainsFunc(s.Checked.Refs, func(r expr.Reference) bool { _, ok := p.below[r.Ticket]; return ok })
}

func (p *place) inputNames(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, p.prefix+n)
	}
	return out
}

// refs gives the references in the names of the plan: of an include, those that
// its outputs make, or all its tickets where its status is read.
func (p *place) refs(list []expr.Reference) []expr.Reference {
	var out []expr.Reference
	for _, r := range list {
		subs, ok := p.below[r.Ticket]
		if !ok {
			r.Ticket = p.prefix + r.Ticket
			out = append(out, r)
			continue
		}
		for _, s := range subs {
			for _, o := range s.wf.Outputs {
				if r.Output != "" && r.Output != o.Name {
					continue
				}
				for _, inner := range s.refs(o.Value.Checked.Refs) {
					inner.Optional, inner.Range = inner.Optional || r.Optional, r.Range
					out = append(out, inner)
				}
			}
			if r.Output == "" {
				for _, t := range s.flat.Tickets {
					out = append(out, expr.Reference{Ticket: t.Name, Optional: true, Range: r.Range})
				}
			}
		}
	}
	return out
}

// scope is one in which the plan's names can be evaluated while planning.
func (p *place) scope(s *expr.Scope) *expr.Scope {
	if s == nil {
		return nil
	}
	if have, ok := p.scopes[s]; ok {
		return have
	}
	out := &expr.Scope{Field: s.Field, Phase: s.Phase, Taint: s.Taint, EscapeGlobs: s.EscapeGlobs, Each: s.Each, Matrix: s.Matrix}
	for _, f := range s.Inputs {
		out.Inputs = append(out.Inputs, expr.Field{Name: p.prefix + f.Name, Type: f.Type})
	}
	p.scopes[s] = out
	return out
}

func (p *place) scalars(list []dsl.Scalar) []dsl.Scalar {
	out := slices.Clone(list)
	for i := range out {
		out[i] = p.scalar(out[i])
	}
	return out
}

func (p *place) vars(list []dsl.EnvVar) []dsl.EnvVar {
	out := slices.Clone(list)
	for i := range out {
		out[i].Value = p.scalar(out[i].Value)
	}
	return out
}
