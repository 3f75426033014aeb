package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Program is a template bound to a scope and a wanted type, ready to evaluate,
// many times and from several goroutines.
type Program struct {
	source  string
	want    Type
	escape  bool // glob signs in what expressions give
	literal Value
	parts   []programPart

	inputs  []Field
	tickets []TicketShape
	each    []Field
	matrix  []Field
}

type programPart struct {
	text    string
	source  string
	program *vm.Program
	typ     Type
}

// Compile binds the source of a template to a scope and the type that is wanted;
// want.Kind == 0 takes what comes. What Check has findings about is an error.
func Compile(text string, scope Scope, want Type) (*Program, error) {
	t, err := Reparse(text)
	if err != nil {
		return nil, err
	}
	return compileTemplate(t, scope, want)
}

func compileTemplate(t Template, scope Scope, want Type) (*Program, error) {
	c, checked := typed(t, scope, want, map[ast.Node]call{})
	if err := asError(t.source, c.found); err != nil {
		return nil, err
	}
	p := &Program{source: t.source, want: want, escape: scope.EscapeGlobs}
	if t.IsLiteral() {
		v, wrong := literalValue(t, want)
		if len(wrong) > 0 {
			return nil, fmt.Errorf("template %s: %s", quote(t.source), wrong[0])
		}
		p.literal = v
		return p, nil
	}
	p.names(scope, checked)
	p.each = c.elementFields
	for _, part := range t.parts {
		compiled, err := p.part(part, c)
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", quote(t.source), err)
		}
		p.parts = append(p.parts, compiled)
	}
	return p, nil
}

func (p *Program) part(from part, c *inspector) (programPart, error) {
	if from.expression == nil {
		return programPart{text: from.text}, nil
	}
	typ := c.types[0]
	c.types = c.types[1:]
	program, err := compile(from.expression, c.calls, p.environment())
	return programPart{source: strings.TrimSpace(from.expression.source), program: program, typ: typ}, err
}

// names keeps of the scope what the template uses.
func (p *Program) names(scope Scope, checked Checked) {
	for _, name := range checked.UsesInputs {
		t, _ := scope.input(name)
		p.inputs = append(p.inputs, Field{name, t})
	}
	for _, ref := range checked.Refs {
		known := slices.ContainsFunc(p.tickets, func(t TicketShape) bool { return t.Name == ref.Ticket })
		if shape, ok := scope.ticket(ref.Ticket); ok && !known {
			p.tickets = append(p.tickets, shape)
		}
	}
	if checked.UsesMatrix {
		p.matrix = scope.Matrix
	}
}

// Tickets names the tickets whose values Eval needs, in the order first used.
func (p *Program) Tickets() []string { return ticketNames(p.tickets) }

func (p *Program) environment() types.Map {
	tickets := make(types.Map, len(p.tickets))
	for _, t := range p.tickets {
		tickets[t.Name] = strict(t.typ())
	}
	return types.Map{
		"inputs": strictFields(p.inputs), "tickets": tickets,
		"each": strictFields(p.each), "matrix": strictFields(p.matrix),
	}
}

// Eval gives the value for vars, conforming to the type that was wanted. What
// cannot be evaluated is an error, never false: a missing value, a value that
// does not fit its declared type, a division by zero, too much work.
func (p *Program) Eval(vars Vars) (Value, error) {
	if p.parts == nil {
		return p.literal, nil
	}
	v, err := p.eval(vars)
	if err != nil {
		return Value{}, fmt.Errorf("evaluating %s: %w", quote(p.source), err)
	}
	return v, nil
}

func (p *Program) eval(vars Vars) (Value, error) {
	rt := &runtime{left: budget}
	env, err := p.values(vars)
	if err != nil {
		return Value{}, err
	}
	env[runtimeName] = rt
	var v Value
	if len(p.parts) == 1 {
		v, err = p.run(p.parts[0], env)
		v = p.escaped(v, p.parts[0].typ)
	} else {
		v, err = p.text(env, rt)
	}
	if err != nil || p.want.Kind == 0 {
		return v, err
	}
	out, wrong := Conform(v, p.want)
	if len(wrong) > 0 {
		return Value{}, errors.New(wrong[0].String())
	}
	return out, nil
}

func (p *Program) text(env map[string]any, rt *runtime) (Value, error) {
	var b strings.Builder
	for _, part := range p.parts {
		text := part.text
		if part.program != nil {
			v, err := p.run(part, env)
			if err != nil {
				return Value{}, err
			}
			var ok bool
			if text, ok = p.escaped(v, part.typ).Text(); !ok {
				return Value{}, fmt.Errorf("%s: the text needs a value, and there is none", part.source)
			}
		}
		if err := rt.charge(len(text)); err != nil {
			return Value{}, err
		}
		b.WriteString(text)
	}
	return Of(b.String()), nil
}

// escaped makes a text, or the texts of a list, stand for themselves in a glob.
func (p *Program) escaped(v Value, t Type) Value {
	if !p.escape || t.Kind == Glob {
		return v
	}
	if items, ok := v.List(); ok && t.Kind == List {
		for i := range items {
			items[i] = p.escaped(items[i], t.elem())
		}
		return OfList(items)
	}
	if s, ok := v.Str(); ok && t.Kind.Textual() {
		return Of(EscapeGlob(s))
	}
	return v
}

// run runs one expression. A panic of the library comes back as its error.
func (p *Program) run(part programPart, env map[string]any) (Value, error) {
	x, err := vm.Run(part.program, env)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", part.source, plain(err))
	}
	tree, err := sealed(x, part.typ)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", part.source, err)
	}
	return seal(tree), nil
}

// plain strips the library's drawing of the source from an error.
func plain(err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Prev != nil {
		return at.Prev
	}
	return errors.New(at.Message)
}

// values gives the environment of one evaluation: the names the template uses.
func (p *Program) values(vars Vars) (map[string]any, error) {
	inputs, err := native(orEmpty(vars.Inputs), Type{Kind: Record, Fields: p.inputs}, "inputs")
	if err != nil {
		return nil, err
	}
	tickets, err := p.ticketValues(vars.Tickets)
	if err != nil {
		return nil, err
	}
	each := map[string]any{"key": vars.EachKey.tree(), "value": vars.EachValue.tree(), "index": int64(vars.EachIndex)}
	element, err := native(each, Type{Kind: Record, Fields: p.each}, "each")
	if err != nil {
		return nil, err
	}
	matrix, err := native(orEmpty(vars.Matrix), Type{Kind: Record, Fields: p.matrix}, "matrix")
	if err != nil {
		return nil, err
	}
	return map[string]any{"inputs": inputs, "tickets": tickets, "each": element, "matrix": matrix}, nil
}

func orEmpty(v Value) any {
	if v.IsNull() {
		return map[string]any{}
	}
	return v.tree()
}

func (p *Program) ticketValues(v Value) (map[string]any, error) {
	out := make(map[string]any, len(p.tickets))
	if len(p.tickets) == 0 {
		return out, nil
	}
	all, _ := v.tree().(map[string]any)
	for _, shape := range p.tickets {
		x, err := ticketValue(all[shape.Name], shape)
		if err != nil {
			return nil, err
		}
		out[shape.Name] = x
	}
	return out, nil
}

func ticketValue(tree any, shape TicketShape) (any, error) {
	path := join("tickets", shape.Name)
	if !shape.List {
		return oneTicket(tree, shape, path)
	}
	list, ok := tree.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: expected the list of its children, got %s", path, describe(tree))
	}
	out := make([]any, len(list))
	for i, item := range list {
		x, err := oneTicket(item, shape, fmt.Sprintf("%s[%d]", path, i))
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// oneTicket: a ticket that has no outputs, because it was skipped, parked or
// cancelled, has missing ones, which only a guarded expression can use.
func oneTicket(tree any, shape TicketShape, path string) (any, error) {
	m, ok := tree.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: expected a ticket with its status, got %s", path, describe(tree))
	}
	record := shape.one(shape.Optional || m["outputs"] == nil)
	if m["outputs"] == nil {
		m = map[string]any{"key": m["key"], "status": m["status"], "outputs": map[string]any{}}
	}
	return native(m, record, path)
}

func constantValue(t Template, scope Scope, want Type) (Value, error) {
	p, err := compileTemplate(t, scope, want)
	if err != nil {
		return Value{}, err
	}
	if p.parts == nil {
		return p.literal, nil
	}
	return p.eval(Vars{})
}

// Eval evaluates the template with types inferred from the values alone. It knows
// less than Compile with the declared scope: money and durations are plain texts,
// and a missing value has no type. Use it where no scope is at hand.
func (t Template) Eval(vars Vars) (Value, error) {
	p, err := compileTemplate(t, inferScope(vars), Type{})
	if err != nil {
		return Value{}, err
	}
	return p.Eval(vars)
}
