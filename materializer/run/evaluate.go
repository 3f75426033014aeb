package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/planner"
)

// value evaluates a run-phase field of a ticket; nil stands for the workflow's
// own outputs. What the plan was checked with is checked again: a plan is read
// from a file.
func (s *State) value(n *node, field, text string, want expr.Type) (expr.Value, error) {
	if want.Kind == expr.String && !strings.Contains(text, "{{") {
		return expr.Of(text), nil
	}
	scope := s.scope
	if n != nil {
		scope = s.scopeOf(n)
	}
	scope.Field, scope.EscapeGlobs = field, field == "narrow"
	p, err := expr.Compile(text, scope, want)
	if err != nil {
		return expr.Value{}, err
	}
	names := p.Tickets()
	if missing := s.withoutOutputs(names); len(missing) > 0 {
		scope.Tickets = slices.Clone(scope.Tickets)
		for i := range scope.Tickets {
			scope.Tickets[i].Optional = slices.Contains(missing, scope.Tickets[i].Name)
		}
		if p, err = expr.Compile(text, scope, want); err != nil {
			return expr.Value{}, err
		}
	}
	return p.Eval(s.vars(n, names))
}

// withoutOutputs lists those of the names that did not end as done: their
// outputs may be missing, and only a guarded expression can use them.
func (s *State) withoutOutputs(names []string) []string {
	var out []string
	for _, name := range names {
		if slices.ContainsFunc(s.byName[name], func(n *node) bool { return n.Status != Done }) {
			out = append(out, name)
		}
	}
	return out
}

// baseScope gives the names that every ticket sees.
func (s *State) baseScope() expr.Scope {
	scope := expr.Scope{Phase: expr.RunPhase, Taint: expr.Untrusted}
	for _, in := range s.plan.Inputs {
		t := in.Type
		t.Untrusted = in.Untrusted
		scope.Inputs = append(scope.Inputs, expr.Field{Name: in.Name, Type: t})
	}
	for i := range s.plan.Tickets {
		t := &s.plan.Tickets[i]
		if s.byName[t.Name][0].plan != t {
			continue // another element of the same fan-out
		}
		scope.Tickets = append(scope.Tickets, expr.TicketShape{Name: t.Name, List: isList(t), Outputs: outputFields(t.Outputs)})
	}
	for _, g := range s.plan.Groups {
		if len(s.byName[g.Name]) == 0 { // its list was empty
			scope.Tickets = append(scope.Tickets, expr.TicketShape{Name: g.Name, List: true, Outputs: outputFields(g.Outputs)})
		}
	}
	return scope.Indexed()
}

func outputFields(outputs []planner.OutputField) []expr.Field {
	fields := make([]expr.Field, len(outputs))
	for i, o := range outputs {
		fields[i] = expr.Field{Name: o.Name, Type: o.Type}
	}
	return fields
}

// isList reports whether other tickets see a list: every kind of fan-out.
func isList(t *planner.Ticket) bool {
	return t.FanOut != nil || !t.Each.IsNull() || !t.Matrix.IsNull() || t.Key != ""
}

// scopeOf adds what one ticket sees of its element.
func (s *State) scopeOf(n *node) expr.Scope {
	scope := s.scope
	switch {
	case n.parent != nil:
		scope.Each = &expr.EachShape{Key: expr.Type{Kind: expr.String, Untrusted: true}, Value: n.plan.FanOut.Elem, Index: true}
	case n.plan.FanOut == nil && (!n.plan.Each.IsNull() || n.plan.Key != ""):
		scope.Each = &expr.EachShape{Key: expr.Type{Kind: expr.String}, Value: declared(n.plan.EachType, n.plan.Each), Index: true}
	}
	if scope.Matrix = n.plan.MatrixTypes; scope.Matrix == nil {
		scope.Matrix = shapeOf(n.plan.Matrix).Fields
	}
	return scope
}

// declared gives the type the plan keeps for a value, else the value's own.
func declared(t expr.Type, v expr.Value) expr.Type {
	if t.Kind != 0 {
		return t
	}
	return shapeOf(v)
}

// shapeOf gives the type of a plan-time value whose declared type the plan does not keep.
func shapeOf(v expr.Value) expr.Type {
	if entries, ok := v.Map(); ok {
		t := expr.Type{Kind: expr.Record}
		for _, e := range entries {
			t.Fields = append(t.Fields, expr.Field{Name: e.Key, Type: shapeOf(e.Value)})
		}
		return t
	}
	if items, ok := v.List(); ok {
		if len(items) == 0 {
			return expr.ListOf(expr.Type{Kind: expr.JSON})
		}
		return expr.ListOf(shapeOf(items[0]))
	}
	if _, ok := v.Bool(); ok {
		return expr.Type{Kind: expr.Bool}
	}
	if _, ok := v.Int(); ok {
		return expr.Type{Kind: expr.Int}
	}
	if _, ok := v.Number(); ok {
		return expr.Type{Kind: expr.Number}
	}
	if v.IsNull() {
		return expr.Type{Kind: expr.JSON, Optional: true}
	}
	return expr.Type{Kind: expr.String}
}

// vars gives the values behind the names that an expression uses.
func (s *State) vars(n *node, tickets []string) expr.Vars {
	v := expr.Vars{Inputs: s.inputs}
	var entries []expr.Entry
	for _, name := range tickets {
		value := expr.OfList(nil) // a fan-out whose list was empty
		if nodes := s.byName[name]; len(nodes) > 0 {
			value = s.seen(nodes)
		}
		entries = append(entries, expr.Entry{Key: name, Value: value})
	}
	v.Tickets = expr.OfMap(entries)
	if n == nil {
		return v
	}
	v.EachValue, v.Matrix, v.EachIndex = n.plan.Each, n.plan.Matrix, slices.Index(s.byName[n.Name], n)
	if n.parent != nil {
		v.EachValue, v.EachIndex = n.Value, n.Index
	}
	v.EachKey = expr.Of(n.Key)
	return v
}

// seen is what others see of a declared ticket: itself, or the list of its elements.
func (s *State) seen(nodes []*node) expr.Value {
	if !isList(nodes[0].plan) {
		return nodes[0].visible(false)
	}
	var items []expr.Value
	for _, n := range nodes {
		if !n.isTemplate() {
			items = append(items, n.visible(true))
			continue
		}
		for _, id := range n.Children {
			items = append(items, s.byID[id].visible(true))
		}
	}
	return expr.OfList(items)
}

func (n *node) visible(keyed bool) expr.Value {
	outputs := expr.Value{}
	if n.Status == Done {
		if outputs = n.Outputs; outputs.IsNull() {
			outputs = expr.OfMap(nil)
		}
	}
	entries := []expr.Entry{{Key: "status", Value: expr.Of(string(n.Status))}, {Key: "outputs", Value: outputs}}
	if keyed {
		entries = append(entries, expr.Entry{Key: "key", Value: expr.Of(n.Key)})
	}
	return expr.OfMap(entries)
}

// text evaluates a field that is text.
func (s *State) text(n *node, field, text string) (string, error) {
	v, err := s.value(n, field, text, expr.Type{Kind: expr.String})
	if err != nil {
		return "", err
	}
	out, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("it is not text: %s", oneLine(v.String(), 60))
	}
	return out, nil
}

// when evaluates the ticket's condition: true where it has none. A template's
// condition that looks at the element is left to its children.
func (s *State) when(n *node) (bool, error) {
	if n.plan.When == "" || n.isTemplate() && usesEach(n.plan.When) {
		return true, nil
	}
	v, err := s.value(n, "when", n.plan.When, expr.Type{Kind: expr.Bool})
	if err != nil {
		return false, err
	}
	ok, isBool := v.Bool()
	if !isBool {
		return false, fmt.Errorf("it is not a bool: %s", oneLine(v.String(), 60))
	}
	return ok, nil
}

// usesEach reads without parsing: a false yes only moves the condition to the
// children, where it means the same.
func usesEach(text string) bool { return strings.Contains(text, "each") }

// gateEnv evaluates the values of a gate's environment.
func (s *State) gateEnv(n *node, g planner.Gate) (planner.Gate, error) {
	env := make([]planner.EnvVar, len(g.Env))
	for i, e := range g.Env {
		v, err := s.scalar(n, "env", e.Value)
		if err != nil {
			return g, fmt.Errorf("env %s: %w", e.Name, err)
		}
		env[i] = planner.EnvVar{Name: e.Name, Value: v}
	}
	if g.Env != nil {
		g.Env = env
	}
	return g, nil
}

// scalar evaluates a field of any scalar type to the text it stands for.
func (s *State) scalar(n *node, field, text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	v, err := s.value(n, field, text, expr.Type{})
	if err != nil {
		return "", err
	}
	out, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("it is not a scalar: %s", oneLine(v.String(), 60))
	}
	return out, nil
}

// outputs evaluates the workflow's outputs; problem names those that could not
// be. One that could not is null, never a guess.
func (s *State) outputs() (v expr.Value, problem string) {
	if len(s.plan.Outputs) == 0 {
		return expr.Value{}, ""
	}
	var entries []expr.Entry
	var problems []string
	for _, o := range s.plan.Outputs {
		v, err := s.value(nil, "outputs."+o.Name, o.Expr, expr.Type{})
		if err != nil {
			problems = append(problems, o.Name+": "+oneLine(err.Error(), 200))
		}
		entries = append(entries, expr.Entry{Key: o.Name, Value: v})
	}
	return expr.OfMap(entries), strings.Join(clip(problems, 5), "; ")
}
