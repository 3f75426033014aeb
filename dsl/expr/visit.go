package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// visit types a node and applies what the conditions around it have established.
func (c *inspector) visit(n ast.Node) Type {
	t := c.infer(n)
	if t.Kind == 0 || len(c.facts) == 0 {
		return t
	}
	return c.narrowed(t, pathOf(n, len(c.elements)))
}

// narrowed applies the facts that hold here to the type found at a path.
func (c *inspector) narrowed(t Type, path string) Type {
	if path == "" {
		return t
	}
	for _, f := range c.facts {
		switch {
		case f.path != path:
		case f.done:
			t = c.whenDone(t)
		default:
			t.Optional = false
		}
	}
	return t
}

// whenDone gives the type of a ticket that has delivered its outputs.
func (c *inspector) whenDone(t Type) Type {
	name, ok := strings.CutPrefix(t.Name, "ticket ")
	if !ok {
		return t
	}
	shape, ok := c.scope.ticket(name)
	if !ok {
		return t
	}
	return shape.one(false)
}

func (c *inspector) infer(n ast.Node) Type {
	switch n := n.(type) {
	case *ast.NilNode:
		return Type{Kind: Null}
	case *ast.IntegerNode:
		return Type{Kind: Int}
	case *ast.FloatNode:
		return Type{Kind: Number}
	case *ast.BoolNode:
		return Type{Kind: Bool}
	case *ast.StringNode:
		return c.text(n)
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.ChainNode:
		return c.chain(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.record(n)
	case *ast.BuiltinNode:
		return c.function(n, n.Name, n.Arguments)
	case *ast.CallNode:
		return c.function(n, n.Callee.(*ast.IdentifierNode).Value, n.Arguments)
	}
	c.reportAt(codeForbidden, n, "this is not part of the language", "")
	return Type{}
}

// literalName marks the enum of one member that a text in quotes is: so that a
// comparison with a member that does not exist is found.
const literalName = "\x00literal"

func isLiteral(t Type) bool { return t.Kind == Enum && t.Name == literalName }

func (c *inspector) text(n *ast.StringNode) Type {
	if strings.ContainsFunc(n.Value, func(r rune) bool { return r >= 0x300 && r <= 0x36f }) {
		c.reportAt(codeCombining, n, fmt.Sprintf("texts are compared byte by byte, and %s is not in its composed form", quote(n.Value)),
			"type the letter with its accent as one character")
	}
	return Type{Kind: Enum, Name: literalName, Enum: []string{n.Value}}
}

// widen turns literal texts into strings, for a type that others will see.
func widen(t Type) Type {
	if isLiteral(t) {
		return Type{Kind: String, Optional: t.Optional}
	}
	if t.Elem != nil {
		elem := widen(*t.Elem)
		t.Elem = &elem
	}
	if t.Fields != nil {
		t.Fields = slices.Clone(t.Fields)
		for i := range t.Fields {
			t.Fields[i].Type = widen(t.Fields[i].Type)
		}
	}
	return t
}

func (c *inspector) pointer(n *ast.PointerNode) Type {
	if len(c.elements) == 0 {
		c.reportAt(codeSyntax, n, "there is no element here", "# and .field exist only inside any, all, none, filter, map, count, find and sum")
		return Type{}
	}
	return c.elements[len(c.elements)-1]
}

func (c *inspector) chain(n *ast.ChainNode) Type {
	outer := c.nilChain
	c.nilChain = false
	c.guards++
	t := c.visit(n.Node)
	c.guards--
	if c.nilChain && t.Kind != 0 {
		t.Optional = true
	}
	c.nilChain = outer
	return t
}

func (c *inspector) conditional(n *ast.ConditionalNode) Type {
	cond := c.visit(n.Cond)
	c.want(n.Cond, cond, Bool)
	left := c.under(implied(n.Cond, true, len(c.elements)), n.Exp1)
	right := c.under(implied(n.Cond, false, len(c.elements)), n.Exp2)
	t, ok := unify(left, right)
	if !ok {
		c.reportSpan(codeOperands, n, fmt.Sprintf("one side of ? : is %s, the other %s", left, right), "let both sides have one type")
	}
	return t
}

// under visits n where facts hold.
func (c *inspector) under(facts []fact, n ast.Node) Type {
	kept := len(c.facts)
	c.facts = append(c.facts, facts...)
	t := c.visit(n)
	c.facts = c.facts[:kept]
	return t
}

func (c *inspector) array(n *ast.ArrayNode) Type {
	elem := Type{}
	for i, item := range n.Nodes {
		t := c.visit(item)
		if i == 0 {
			elem = t
			continue
		}
		both, ok := unify(elem, t)
		if !ok {
			c.reportSpan(codeOperands, item, fmt.Sprintf("the list holds %s, and this is %s", elem, t), "let all elements have one type")
			return Type{}
		}
		elem = both
	}
	if len(n.Nodes) > 0 && elem.Kind == 0 {
		return Type{}
	}
	return ListOf(elem)
}

func (c *inspector) record(n *ast.MapNode) Type {
	t := Type{Kind: Record, Fields: []Field{}}
	for _, p := range n.Pairs {
		pair := p.(*ast.PairNode)
		key, ok := pair.Key.(*ast.StringNode)
		if !ok {
			c.reportSpan(codeForbidden, pair.Key, "the key of a map must be a plain word", "")
			continue
		}
		if _, twice := t.Field(key.Value); twice {
			c.reportAt(codeOperands, key, fmt.Sprintf("the key %s stands twice", key.Value), "leave one of them out")
			continue
		}
		value := c.visit(pair.Value)
		t.Fields = append(t.Fields, Field{key.Value, value})
	}
	return t
}
