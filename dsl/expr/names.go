package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

var namespaces = []string{"each", "inputs", "matrix", "tickets"}

// foreignTickets are other tools' names for what went before.
var foreignTickets = []string{"jobs", "needs", "nodes", "stages", "steps", "tasks"}

// identifier types a name that stands alone: there is none but the namespaces,
// and these are no values.
func (c *inspector) identifier(n *ast.IdentifierNode) Type {
	c.named = true
	if slices.Contains(namespaces, n.Value) {
		c.reportAt(codeName, n, n.Value+" alone is not a value", fmt.Sprintf("name a part of it: %s.NAME", n.Value))
		return Type{}
	}
	hint, mended := fmt.Sprintf("names begin with inputs, tickets, each or matrix; a text stands in quotes: %q", n.Value), ""
	_, isInput := c.scope.input(n.Value)
	_, isTicket := c.scope.ticket(n.Value)
	switch {
	case isInput:
		mended = "inputs." + n.Value
		hint = "write " + mended
	case isTicket:
		hint = fmt.Sprintf("write tickets.%s.outputs.NAME", n.Value)
	case slices.Contains(foreignTickets, n.Value):
		hint, mended = "write tickets; what another ticket delivers is tickets.NAME.outputs.FIELD", "tickets"
	case n.Value == "item" || n.Value == "loop" || n.Value == "foreach":
		hint, mended = "an entry of for_each is each", "each"
	case n.Value == "params" || n.Value == "parameters" || n.Value == "vars" || n.Value == "variables":
		hint, mended = "write inputs.NAME", "inputs"
	case n.Value == "null":
		hint = "write nil"
	case n.Value == "env" || n.Value == "secrets" || n.Value == "github":
		hint = "nothing comes from the environment: declare an input"
	default:
		if near := Nearest(n.Value, namespaces); near != "" {
			hint = "did you mean " + near + "?"
			if n := len(n.Value) - len(near); n >= -1 && n <= 1 {
				mended = near
			}
		}
	}
	c.reportAt(codeName, n, fmt.Sprintf("there is no name %s", quote(n.Value)), hint)
	c.mend(mended)
	return Type{}
}

// member types base.name and base[index].
func (c *inspector) member(n *ast.MemberNode) Type {
	if id, ok := n.Node.(*ast.IdentifierNode); ok && slices.Contains(namespaces, id.Value) {
		return c.namespace(id, n)
	}
	base := c.visit(n.Node)
	if base.Kind == 0 {
		return base
	}
	c.extendReference(n)
	if base.Optional || base.Kind == Null {
		if !n.Optional {
			c.reportSpan(codeOptional, n.Node, fmt.Sprintf("this is %s, and where it is missing it has no parts", base),
				"write ?. before the part and ?? after it, or ask first: … != nil and …")
			return Type{}
		}
		c.nilChain = true
		if base.Kind == Null {
			return base
		}
		base.Optional = false
	}
	return c.part(base, n)
}

func (c *inspector) part(base Type, n *ast.MemberNode) Type {
	switch base.Kind {
	case Record:
		return c.fieldOf(base, n)
	case Map:
		key := c.visit(n.Property)
		if !c.want(n.Property, key, String) {
			return Type{}
		}
		return base.elem().optional()
	case List:
		return c.elementOf(base, n)
	case JSON:
		c.reportAt(codeField, n.Property, "json is opaque: it is passed on and not looked into", "declare the type of the value, or pass it on with toJSON")
	default:
		c.reportAt(codeField, n.Property, fmt.Sprintf("%s has no parts", base), "")
	}
	return Type{}
}

func (c *inspector) fieldOf(base Type, n *ast.MemberNode) Type {
	name := propertyName(n)
	if name == "" {
		c.reportSpan(codeField, n.Property, fmt.Sprintf("a field of %s must be named, not computed", base), "write .NAME")
		return Type{}
	}
	t, ok := base.Field(name)
	if ok {
		return t
	}
	c.reportAt(codeField, n.Property, fmt.Sprintf("%s has no field %s", subject(base), quote(name)), suggest(name, names(base.Fields)))
	c.mendNear(n.Property, name, names(base.Fields))
	return Type{}
}

// subject names a type where a sentence begins with it.
func subject(t Type) string {
	if t.Kind == Record && t.Name == "" {
		return "the record"
	}
	return t.String()
}

func suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "none are declared"
	}
	if len(known) > 8 {
		known = append(slices.Clone(known[:8]), "…")
	}
	return "known are " + strings.Join(known, ", ")
}

func (c *inspector) elementOf(base Type, n *ast.MemberNode) Type {
	if name := propertyName(n); name != "" {
		hint := "take one element, or all: map(list, ." + name + ")"
		if strings.HasPrefix(base.elem().Name, "ticket ") && name == "outputs" {
			hint = "a ticket with for_each is a list: map(tickets.NAME, .outputs.FIELD)"
		}
		c.reportAt(codeField, n.Property, fmt.Sprintf("%s is a list and has no field %s", base, quote(name)), hint)
		return Type{}
	}
	index := c.visit(n.Property)
	if !c.want(n.Property, index, Int) {
		return Type{}
	}
	return base.elem()
}

func (c *inspector) namespace(id *ast.IdentifierNode, n *ast.MemberNode) Type {
	c.named = true
	name := propertyName(n)
	if name == "" {
		c.reportSpan(codeName, n, fmt.Sprintf("the part of %s must be named, not computed", id.Value), fmt.Sprintf("write %s.NAME", id.Value))
		return Type{}
	}
	switch id.Value {
	case "inputs":
		return c.input(n, name)
	case "tickets":
		return c.ticket(n, name)
	case "matrix":
		c.matrix = true
		return c.fieldIn(n, name, "matrix", c.scope.Matrix, "it exists in a ticket with `matrix`")
	}
	return c.element(n, name)
}

func (c *inspector) input(n *ast.MemberNode, name string) Type {
	if slices.Contains(c.scope.Secrets, name) {
		c.reportSpan(codeSecret, n, fmt.Sprintf("inputs.%s is a secret, and %s is written down", name, c.field()), "secrets may stand only in env: of a role or a gate")
		return Type{}
	}
	t, ok := c.scope.input(name)
	if !ok {
		c.unknown(n, "input", name, names(c.scope.Inputs))
		return Type{}
	}
	c.inputs[name] = true
	return trusted(t)
}

// trusted spreads the mark of the whole over the parts.
func trusted(t Type) Type {
	if t.Untrusted {
		return t.AsUntrusted()
	}
	return t
}

func (c *inspector) fieldIn(n *ast.MemberNode, name, space string, fields []Field, where string) Type {
	if len(fields) == 0 {
		c.reportSpan(codeName, n, fmt.Sprintf("there is no %s here", space), where)
		return Type{}
	}
	t, ok := Type{Fields: fields}.Field(name)
	if !ok {
		c.reportAt(codeName, n.Property, fmt.Sprintf("%s has no %s", space, quote(name)), suggest(name, names(fields)))
		c.mendNear(n.Property, name, names(fields))
		return Type{}
	}
	return trusted(t)
}

func (c *inspector) element(n *ast.MemberNode, name string) Type {
	c.each = true
	if c.scope.Each == nil {
		c.reportSpan(codeName, n, "there is no each here", "it exists in a ticket with `for_each`")
		return Type{}
	}
	if c.scope.Each.AtRun && c.scope.Phase == PlanPhase {
		c.reportSpan(codePhase, n, fmt.Sprintf("%s decides the plan, and the elements of this fan-out are known only during the run", c.field()),
			"use each only in brief, key, narrow, env and outputs, or loop over an input")
		return Type{}
	}
	t := c.fieldIn(n, name, "each", c.scope.Each.fields(), "")
	if t.Kind != 0 && !slices.ContainsFunc(c.elementFields, func(f Field) bool { return f.Name == name }) {
		c.elementFields = append(c.elementFields, Field{name, t})
	}
	return t
}

func (c *inspector) ticket(n *ast.MemberNode, name string) Type {
	if c.scope.Phase == PlanPhase {
		c.reportSpan(codePhase, n, fmt.Sprintf("%s decides the plan, and tickets.%s is known only during the run", c.field(), name),
			"use an input or a constant, or move the reference into a run-phase field: brief, when, for_each with max, key, narrow, env, outputs")
		return Type{}
	}
	shape, ok := c.scope.ticket(name)
	if !ok {
		c.unknown(n, "ticket", name, ticketNames(c.scope.Tickets))
		return Type{}
	}
	ref := Reference{Ticket: name, Optional: shape.Optional || c.guards > 0 || c.knows("tickets\x00"+name), Range: c.rangeOf(n)}
	c.refs, c.refNode = append(c.refs, ref), n
	return c.scope.ticketType(shape)
}

// knows reports whether a condition around has asked about a place under prefix.
func (c *inspector) knows(prefix string) bool {
	return slices.ContainsFunc(c.facts, func(f fact) bool {
		return f.path == prefix || strings.HasPrefix(f.path, prefix+"\x00")
	})
}

func ticketNames(shapes []TicketShape) []string {
	out := make([]string, len(shapes))
	for i, t := range shapes {
		out[i] = t.Name
	}
	return out
}

func (c *inspector) unknown(n *ast.MemberNode, what, name string, known []string) {
	detail := fmt.Sprintf("there is no %s %s", what, quote(name))
	for _, k := range known { // tickets.my-ticket is a subtraction
		if strings.HasPrefix(k, name+"-") {
			c.reportAt(codeName, n.Property, detail, fmt.Sprintf("- is an operator here: write %ss[%q]", what, k))
			c.hyphen = true
			return
		}
	}
	if c.hyphened(n.Property) {
		c.reportAt(codeName, n.Property, detail, "- subtracts here, and names have none: join the words by _")
		return
	}
	c.reportAt(codeName, n.Property, detail, suggest(name, known))
	c.mendNear(n.Property, name, known)
}

// hyphened reports whether a name goes on behind a hyphen, as names of other
// tools do.
func (c *inspector) hyphened(n ast.Node) bool {
	at := n.Location()
	_, end := c.ex.bytes(at.From, max(at.To, at.From+1))
	rest := c.ex.source[min(end, len(c.ex.source)):]
	return len(rest) > 1 && rest[0] == '-' && (rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z')
}

// extendReference says more about the reference that was just made, when n reads
// on from it: tickets.NAME.status, tickets.NAME.outputs.FIELD.
func (c *inspector) extendReference(n *ast.MemberNode) {
	if len(c.refs) == 0 {
		return
	}
	base, ok := n.Node.(*ast.MemberNode)
	if !ok {
		return
	}
	ref := &c.refs[len(c.refs)-1]
	switch {
	case base == c.refNode:
		if propertyName(n) == "status" {
			ref.Optional = true
		}
	case base.Node == ast.Node(c.refNode) && propertyName(base) == "outputs":
		ref.Output = propertyName(n)
	default:
		return
	}
	ref.Range = c.rangeOf(n)
}
