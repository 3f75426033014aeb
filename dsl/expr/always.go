package expr

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Always reports the value that a condition has whatever its names stand for:
// `x || true`, `x == x`, a status compared with one that the ticket cannot have.
// statuses gives those that a ticket can have where the condition is evaluated;
// nil where any. ok is false where the value depends on something.
func (t Template) Always(statuses func(ticket string) []string) (value, ok bool) {
	if t.broken || !t.IsExpr() || t.parts[0].expression.tree == nil {
		return false, false
	}
	w := weigher{statuses: statuses}
	v := w.truth(t.parts[0].expression.tree)
	return v == yes, v != unclear
}

// RequiresDone lists the tickets that have the status done wherever the
// condition is true, each once, in the order of the condition.
func (t Template) RequiresDone() []string {
	if t.broken || !t.IsExpr() || t.parts[0].expression.tree == nil {
		return nil
	}
	var out []string
	for _, f := range implied(t.parts[0].expression.tree, true, 0) {
		name, ok := strings.CutPrefix(f.path, "tickets\x00")
		if f.done && ok && !strings.Contains(name, "\x00") && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// truth is what is known of a condition.
type truth int

const (
	unclear truth = iota
	no
	yes
)

func known(b bool) truth {
	if b {
		return yes
	}
	return no
}

type weigher struct {
	statuses func(ticket string) []string
}

func (w weigher) truth(n ast.Node) truth {
	switch n := n.(type) {
	case *ast.BoolNode:
		return known(n.Value)
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return negated(w.truth(n.Node))
		}
	case *ast.ConditionalNode:
		return w.chosen(n)
	case *ast.BinaryNode:
		return w.binary(n)
	}
	return unclear
}

func negated(t truth) truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return unclear
}

func (w weigher) chosen(n *ast.ConditionalNode) truth {
	switch w.truth(n.Cond) {
	case yes:
		return w.truth(n.Exp1)
	case no:
		return w.truth(n.Exp2)
	}
	if a, b := w.truth(n.Exp1), w.truth(n.Exp2); a == b {
		return a
	}
	return unclear
}

func (w weigher) binary(n *ast.BinaryNode) truth {
	switch n.Operator {
	case "&&", "and":
		return w.joined(n, no, yes)
	case "||", "or":
		return w.joined(n, yes, no)
	case "==":
		return w.equal(n)
	case "!=":
		return negated(w.equal(n))
	case "in":
		return w.member(n)
	}
	return unclear
}

// joined weighs a chain of one operator. One part that settles it is enough; so
// are parts that exclude each other: a place that is to be equal to two texts,
// or a condition and its opposite.
func (w weigher) joined(n *ast.BinaryNode, settles, neutral truth) truth {
	parts := chain(n, n.Operator)
	all := neutral
	for _, p := range parts {
		switch v := w.truth(p); v {
		case settles:
			return settles
		case unclear:
			all = unclear
		}
	}
	if all == unclear && opposed(parts, settles == no) {
		return settles
	}
	return all
}

func chain(n ast.Node, operator string) []ast.Node {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != operator {
		return []ast.Node{n}
	}
	return append(chain(b.Left, operator), chain(b.Right, operator)...)
}

// opposed reports whether two parts cannot both be true (all), or not both be
// false (any).
func opposed(parts []ast.Node, all bool) bool {
	type said struct {
		path, text string
		same       bool
	}
	var before []said
	for _, p := range parts {
		s := said{same: true}
		if u, ok := p.(*ast.UnaryNode); ok && (u.Operator == "!" || u.Operator == "not") {
			p, s.same = u.Node, false
		}
		if b, ok := p.(*ast.BinaryNode); ok && (b.Operator == "==" || b.Operator == "!=") {
			s.path, s.text = against(b)
			s.same = s.same == (b.Operator == "==")
		} else {
			s.path = pathOf(p, 0)
		}
		if s.path == "" {
			continue
		}
		for _, o := range before {
			if o.path != s.path {
				continue
			}
			if o.text == s.text && o.same != s.same {
				return true
			}
			if o.text != s.text && o.same == s.same && o.same == all && o.text != "" && s.text != "" {
				return true
			}
		}
		before = append(before, s)
	}
	return false
}

// against takes a comparison of a place with a text apart.
func against(b *ast.BinaryNode) (path, text string) {
	for _, side := range [][2]ast.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
		if s, ok := side[1].(*ast.StringNode); ok {
			return pathOf(side[0], 0), s.Value
		}
	}
	return "", ""
}

func (w weigher) equal(n *ast.BinaryNode) truth {
	if a, ok := constantText(n.Left); ok {
		if b, ok := constantText(n.Right); ok {
			return known(a == b)
		}
	}
	if a := pathOf(n.Left, 0); a != "" && strings.Contains(a, "\x00") && a == pathOf(n.Right, 0) {
		return yes
	}
	path, text := against(n)
	can := w.can(path)
	switch {
	case can == nil:
		return unclear
	case !slices.Contains(can, text):
		return no
	case len(can) == 1:
		return yes
	}
	return unclear
}

// member weighs `place in ["a", "b"]`.
func (w weigher) member(n *ast.BinaryNode) truth {
	list, ok := n.Right.(*ast.ArrayNode)
	can := w.can(pathOf(n.Left, 0))
	if !ok || can == nil {
		return unclear
	}
	var texts []string
	for _, item := range list.Nodes {
		s, ok := item.(*ast.StringNode)
		if !ok {
			return unclear
		}
		texts = append(texts, s.Value)
	}
	within := 0
	for _, c := range can {
		if slices.Contains(texts, c) {
			within++
		}
	}
	switch within {
	case 0:
		return no
	case len(can):
		return yes
	}
	return unclear
}

// can gives the statuses a place can have, where it is the status of a ticket.
func (w weigher) can(path string) []string {
	name, ok := strings.CutPrefix(path, "tickets\x00")
	name, isStatus := strings.CutSuffix(name, "\x00status")
	if !ok || !isStatus || strings.Contains(name, "\x00") || w.statuses == nil {
		return nil
	}
	return w.statuses(name)
}

func constantText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return "s" + n.Value, true
	case *ast.BoolNode:
		if n.Value {
			return "btrue", true
		}
		return "bfalse", true
	}
	return "", false
}
