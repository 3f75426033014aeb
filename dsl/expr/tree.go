package expr

import (
	"github.com/expr-lang/expr/ast"
)

// eachChild visits the nodes directly under n, in the order written.
func eachChild(n ast.Node, visit func(ast.Node)) {
	all := func(nodes []ast.Node) {
		for _, n := range nodes {
			visit(n)
		}
	}
	switch n := n.(type) {
	case *ast.UnaryNode:
		visit(n.Node)
	case *ast.BinaryNode:
		visit(n.Left)
		visit(n.Right)
	case *ast.ChainNode:
		visit(n.Node)
	case *ast.MemberNode:
		visit(n.Node)
		visit(n.Property)
	case *ast.CallNode:
		visit(n.Callee)
		all(n.Arguments)
	case *ast.BuiltinNode:
		all(n.Arguments)
	case *ast.PredicateNode:
		visit(n.Node)
	case *ast.ConditionalNode:
		visit(n.Cond)
		visit(n.Exp1)
		visit(n.Exp2)
	case *ast.ArrayNode:
		all(n.Nodes)
	case *ast.MapNode:
		all(n.Pairs)
	case *ast.PairNode:
		visit(n.Key)
		visit(n.Value)
	}
}

func isCall(n ast.Node) bool {
	switch n.(type) {
	case *ast.CallNode, *ast.BuiltinNode:
		return true
	}
	return false
}

// offence is a node that the language does not have.
type offence struct {
	node   ast.Node
	shared bool // its place alone is meant, not the tree under it
	detail string
	hint   string
}

// offences finds the constructs of the library that the language leaves out. It
// visits every node once: for `a < b < c` and `a ?: b` the library puts one node
// at two places, and every naive walk over such a tree, its own included, takes
// exponential time.
func offences(root ast.Node) []offence {
	var out []offence
	seen := map[ast.Node]bool{}
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		if seen[n] {
			out = append(out, offence{n, true, "a chained comparison or ?: uses one value twice",
				"write it out: a < b and b < c; for a missing value use ??, for a choice c ? a : b"})
			return
		}
		seen[n] = true
		if detail, hint := outside(n); detail != "" {
			out = append(out, offence{n, true, detail, hint})
			return
		}
		eachChild(n, walk)
	}
	walk(root)
	return out
}

// outside says why a node is not part of the language, or nothing.
func outside(n ast.Node) (detail, hint string) {
	switch n := n.(type) {
	case *ast.BytesNode:
		return "byte strings are not part of the language", "write the text in plain quotes"
	case *ast.SliceNode:
		return "slices are not part of the language", "use first, last or filter"
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		return "let and ; are not part of the language", "write one expression, or let a ticket compute the value"
	case *ast.PointerNode:
		if n.Name != "" {
			return "#" + n.Name + " is not part of the language", "# alone is the element"
		}
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			return "$env is not part of the language", "name the input or the ticket"
		}
	case *ast.UnaryNode:
		if n.Operator == "+" {
			return "a leading + is not part of the language", "leave it out"
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "..":
			return "ranges are not part of the language", "list the elements"
		case "^":
			return "^ is not part of the language", "write ** for a power"
		}
	case *ast.CallNode:
		if _, ok := n.Callee.(*ast.IdentifierNode); !ok {
			return "values have no methods", "call a function by its name, as in upper(text)"
		}
	}
	return "", ""
}

// pathOf names the place that a chain of constant members reads, as
// "tickets.report.outputs.text" or "#1.status"; "" where it is computed.
// depth is the number of predicates around the node.
func pathOf(n ast.Node, depth int) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.PointerNode:
		return "#" + string(rune('0'+depth))
	case *ast.ChainNode:
		return pathOf(n.Node, depth)
	case *ast.MemberNode:
		base := pathOf(n.Node, depth)
		if name, ok := n.Property.(*ast.StringNode); ok && base != "" {
			return base + "\x00" + name.Value
		}
	}
	return ""
}

// fact is something a condition has established about a place.
type fact struct {
	path string
	done bool // the ticket there has the status done; otherwise: the value is not null
}

// implied gives what is known where n has the value truth.
func implied(n ast.Node, truth bool, depth int) []fact {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return implied(n.Node, !truth, depth)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "&&", "and":
			if truth {
				return append(implied(n.Left, true, depth), implied(n.Right, true, depth)...)
			}
		case "||", "or":
			if !truth {
				return append(implied(n.Left, false, depth), implied(n.Right, false, depth)...)
			}
		case "==", "!=":
			if (n.Operator == "==") == truth {
				return append(equals(n.Left, n.Right, depth), equals(n.Right, n.Left, depth)...)
			}
			return append(differs(n.Left, n.Right, depth), differs(n.Right, n.Left, depth)...)
		}
	}
	return nil
}

// differs: n is not nil.
func differs(n, other ast.Node, depth int) []fact {
	if _, ok := other.(*ast.NilNode); !ok {
		return nil
	}
	if p := pathOf(n, depth); p != "" {
		return []fact{{path: p}}
	}
	return nil
}

// equals: n is the other value; equal to a literal it is not null.
func equals(n, other ast.Node, depth int) []fact {
	p := pathOf(n, depth)
	if p == "" {
		return nil
	}
	switch lit := other.(type) {
	case *ast.StringNode:
		facts := []fact{{path: p}}
		if m, ok := n.(*ast.MemberNode); ok && lit.Value == "done" && propertyName(m) == "status" {
			facts = append(facts, fact{path: pathOf(m.Node, depth), done: true})
		}
		return facts
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return []fact{{path: p}}
	}
	return nil
}

func propertyName(m *ast.MemberNode) string {
	if name, ok := m.Property.(*ast.StringNode); ok {
		return name.Value
	}
	return ""
}
