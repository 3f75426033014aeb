package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// The functions below give the result types of the allow-list.

func gives(kind Kind) func(*inspector, []ast.Node, []Type) Type {
	return func(*inspector, []ast.Node, []Type) Type { return Type{Kind: kind} }
}

// texts: every argument is a text; a text made of them is as tainted as they are.
func texts(result Kind) func(*inspector, []ast.Node, []Type) Type {
	return func(c *inspector, args []ast.Node, types []Type) Type {
		for i, arg := range args {
			if !c.want(arg, types[i], String) {
				return Type{}
			}
		}
		return Type{Kind: result, Untrusted: anyTainted(types)}
	}
}

func anyTainted(types []Type) bool { return slices.ContainsFunc(types, Type.Tainted) }

func (c *inspector) refuse(n ast.Node, wanted string, got Type) Type {
	c.reportSpan(codeOperands, n, fmt.Sprintf("expected %s, got %s", wanted, got), "")
	return Type{}
}

func sameNumber(c *inspector, args []ast.Node, types []Type) Type {
	if !c.want(args[0], types[0], Number) {
		return Type{}
	}
	return Type{Kind: types[0].Kind}
}

func rounded(c *inspector, args []ast.Node, types []Type) Type {
	if !c.want(args[0], types[0], Number) {
		return Type{}
	}
	return Type{Kind: Int}
}

// measured: the text of a literal is checked now.
func measured(kind Kind) func(*inspector, []ast.Node, []Type) Type {
	return func(c *inspector, args []ast.Node, types []Type) Type {
		if !c.want(args[0], types[0], String) {
			return Type{}
		}
		if isLiteral(types[0]) {
			for _, text := range types[0].Enum {
				if _, wrong := Conform(Of(text), Type{Kind: kind}); len(wrong) > 0 {
					c.reportSpan(codeOperands, args[0], wrong[0].String(), "")
					return Type{}
				}
			}
		}
		return Type{Kind: kind}
	}
}

func firstType(c *inspector, args []ast.Node, types []Type) Type {
	t := types[0]
	elem := t.elem()
	if p, ok := args[1].(*ast.PredicateNode); ok { // what the condition establishes, the result keeps
		depth := len(c.elements) + 1
		self := pathOf(&ast.PointerNode{}, depth)
		for _, f := range implied(p.Node, true, depth) {
			if rest, ok := strings.CutPrefix(f.path, self); ok {
				elem = c.learn(elem, strings.Split(rest, "\x00")[1:], f.done)
			}
		}
	}
	t.Elem = &elem
	return t
}

// learn applies a fact about a part of t.
func (c *inspector) learn(t Type, path []string, done bool) Type {
	if len(path) == 0 {
		if done {
			return c.whenDone(t)
		}
		return t.present()
	}
	t.Fields = slices.Clone(t.Fields)
	for i, f := range t.Fields {
		if f.Name == path[0] {
			t.Fields[i].Type = c.learn(f.Type, path[1:], done)
		}
	}
	return t
}

func mapped(_ *inspector, _ []ast.Node, types []Type) Type {
	return ListOf(types[1])
}

func elementOrNone(c *inspector, args []ast.Node, types []Type) Type {
	if types[0].Kind != List {
		return c.refuse(args[0], "a list", types[0])
	}
	elem := types[0].elem()
	if len(args) == 2 {
		list := firstType(c, args, types)
		elem = list.elem()
	}
	if elem.Kind == 0 {
		return Type{Kind: Null}
	}
	return elem.optional()
}

func flattened(c *inspector, args []ast.Node, types []Type) Type {
	inner := types[0].elem()
	if types[0].Kind != List || inner.Kind != List && inner.Kind != 0 || inner.Optional {
		return c.refuse(args[0], "a list of lists", types[0])
	}
	if inner.Kind == 0 {
		return types[0]
	}
	return inner
}

func converted(kind Kind) func(*inspector, []ast.Node, []Type) Type {
	return func(c *inspector, args []ast.Node, types []Type) Type {
		if !numeric(types[0].Kind) && !types[0].Kind.Textual() {
			return c.refuse(args[0], "a number or a text", types[0])
		}
		return Type{Kind: kind}
	}
}

func joined(c *inspector, args []ast.Node, types []Type) Type {
	elem := types[0].elem()
	if types[0].Kind != List || elem.Optional || !elem.Kind.Textual() && elem.Kind != 0 {
		return c.refuse(args[0], "a list of texts", types[0])
	}
	if len(args) == 2 && !c.want(args[1], types[1], String) {
		return Type{}
	}
	return Type{Kind: String, Untrusted: anyTainted(types)}
}

func keysOf(c *inspector, args []ast.Node, types []Type) Type {
	if types[0].Kind != Map {
		return c.refuse(args[0], "a map", types[0])
	}
	return ListOf(Type{Kind: String, Untrusted: types[0].Untrusted})
}

func valuesOf(c *inspector, args []ast.Node, types []Type) Type {
	if types[0].Kind != Map {
		return c.refuse(args[0], "a map", types[0])
	}
	return ListOf(types[0].elem())
}

func counted(c *inspector, args []ast.Node, types []Type) Type {
	if k := types[0].Kind; k != List && k != Map && !k.Textual() {
		return c.refuse(args[0], "a list, a map or a text", types[0])
	}
	return Type{Kind: Int}
}

// extreme: min and max of arguments of one kind, or of the elements of one list.
func extreme(c *inspector, args []ast.Node, types []Type) Type {
	if len(args) == 1 && types[0].Kind == List {
		elem := types[0].elem()
		if !measurable(elem) {
			return c.refuse(args[0], "a list of numbers", types[0])
		}
		return Type{Kind: elem.Kind}
	}
	out := types[0]
	for i, t := range types {
		both, ok := unify(out, t)
		if !ok || !measurable(both) {
			return c.refuse(args[i], "numbers of one kind", t)
		}
		out = both
	}
	return Type{Kind: out.Kind}
}

func measurable(t Type) bool {
	return !t.Optional && (numeric(t.Kind) || t.Kind == Money || t.Kind == Duration)
}

func summed(c *inspector, args []ast.Node, types []Type) Type {
	if types[0].Kind != List {
		return c.refuse(args[0], "a list", types[0])
	}
	item, at := types[0].elem(), args[0]
	if len(args) == 2 {
		item, at = types[1], args[1].(*ast.PredicateNode).Node
	}
	if item.Kind == 0 {
		return Type{Kind: Int}
	}
	if item.Optional {
		c.missing(at, item)
		return Type{}
	}
	if !measurable(item) {
		return c.refuse(at, "numbers", item)
	}
	return Type{Kind: item.Kind}
}

func scalars(c *inspector, args []ast.Node, types []Type) bool {
	elem := types[0].elem()
	if types[0].Kind != List || elem.Optional || !elem.Kind.Scalar() && elem.Kind != 0 {
		c.refuse(args[0], "a list of single values", types[0])
		return false
	}
	return true
}

func ordered(c *inspector, args []ast.Node, types []Type) Type {
	if !scalars(c, args, types) {
		return Type{}
	}
	if types[0].elem().Kind == Bool {
		return c.refuse(args[0], "a list of numbers or texts", types[0])
	}
	return types[0]
}

func distinct(c *inspector, args []ast.Node, types []Type) Type {
	if !scalars(c, args, types) {
		return Type{}
	}
	return types[0]
}

func splitted(c *inspector, args []ast.Node, types []Type) Type {
	t := texts(String)(c, args, types)
	if t.Kind == 0 {
		return t
	}
	return ListOf(t)
}

func asText(c *inspector, args []ast.Node, types []Type) Type {
	if !types[0].Kind.Scalar() {
		c.reportSpan(codeOperands, args[0], fmt.Sprintf("expected a single value, got %s", types[0]), "write toJSON(…)")
		return Type{}
	}
	return Type{Kind: String, Untrusted: types[0].Tainted()}
}

func encoded(_ *inspector, _ []ast.Node, types []Type) Type {
	return Type{Kind: String, Untrusted: types[0].Tainted()}
}
