package expr

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// want reports whether t can be used as kind, and says so where it cannot.
func (c *inspector) want(n ast.Node, t Type, kind Kind) bool {
	switch {
	case t.Kind == 0:
		return false
	case t.Optional || t.Kind == Null:
		c.missing(n, t)
		return false
	case t.Kind == kind || kind == String && t.Kind.Textual() || kind == Number && t.Kind == Int:
		return true
	}
	c.reportSpan(codeOperands, n, fmt.Sprintf("expected %s, got %s", kind, t), "")
	return false
}

func (c *inspector) missing(n ast.Node, t Type) {
	c.reportSpan(codeOptional, n, fmt.Sprintf("this is %s and may be missing", t), "give a value for that case: … ?? …, or ask first: … != nil and …")
}

func (c *inspector) unary(n *ast.UnaryNode) Type {
	t := c.visit(n.Node)
	if t.Kind == 0 {
		return t
	}
	if n.Operator == "-" {
		if t.Kind == Int && !t.Optional {
			return c.called(n, Type{Kind: Int}, t)
		}
		if !c.want(n.Node, t, Number) {
			return Type{}
		}
		return c.called(n, Type{Kind: Number}, t)
	}
	if !c.want(n.Node, t, Bool) {
		return Type{}
	}
	return Type{Kind: Bool}
}

// called records what lowering needs to know about an operator.
func (c *inspector) called(n ast.Node, result Type, args ...Type) Type {
	if c.calls != nil {
		c.calls[n] = call{args, result}
	}
	return result
}

func (c *inspector) binary(n *ast.BinaryNode) Type {
	depth := len(c.elements)
	switch n.Operator {
	case "&&", "and", "||", "or":
		left := c.visit(n.Left)
		ok := c.want(n.Left, left, Bool)
		isAnd := n.Operator == "&&" || n.Operator == "and"
		right := c.under(implied(n.Left, isAnd, depth), n.Right)
		if !c.want(n.Right, right, Bool) || !ok {
			return Type{}
		}
		return Type{Kind: Bool}
	case "??":
		return c.coalesce(n)
	case "==", "!=":
		return c.equality(n)
	}
	left := c.visit(n.Left)
	if n.Operator == "-" && c.hyphen { // a name with - in it: the rest of it is no operand
		c.hyphen = false
		return Type{}
	}
	right := c.visit(n.Right)
	if left.Kind == 0 || right.Kind == 0 {
		return Type{}
	}
	if c.absent(n.Left, left) || c.absent(n.Right, right) {
		return Type{}
	}
	result, why := operate(n, left, right)
	if result.Kind == 0 {
		c.reportSpan(codeOperands, n, why, unquote(left, right))
		return result
	}
	return c.called(n, result, left, right)
}

func (c *inspector) absent(n ast.Node, t Type) bool {
	if t.Optional || t.Kind == Null {
		c.missing(n, t)
		return true
	}
	return false
}

func (c *inspector) coalesce(n *ast.BinaryNode) Type {
	c.guards++
	left := c.visit(n.Left)
	c.guards--
	right := c.visit(n.Right)
	if left.Kind == 0 || right.Kind == 0 {
		return Type{}
	}
	if left.Kind == Null {
		return right
	}
	t, ok := unify(left.present(), right)
	if !ok {
		c.reportSpan(codeOperands, n, fmt.Sprintf("left of ?? is %s, right of it %s", left, right), "let the value for the missing case have the same type")
		return Type{}
	}
	t.Optional = right.Optional || right.Kind == Null
	return t
}

func (c *inspector) equality(n *ast.BinaryNode) Type {
	_, leftNil := n.Left.(*ast.NilNode)
	_, rightNil := n.Right.(*ast.NilNode)
	if leftNil || rightNil {
		c.guards++
	}
	left, right := c.visit(n.Left), c.visit(n.Right)
	if leftNil || rightNil {
		c.guards--
	}
	if left.Kind == 0 || right.Kind == 0 {
		return Type{}
	}
	if why, hint := comparable(left, right); why != "" {
		c.reportSpan(codeOperands, strange(n, left, right), why, hint)
		return Type{}
	}
	return c.called(n, Type{Kind: Bool}, left, right)
}

// strange is the side of a comparison that is at fault: the text that is no
// member of the enum on the other side; else the whole.
func strange(n *ast.BinaryNode, left, right Type) ast.Node {
	switch {
	case isLiteral(right) && left.Kind == Enum && !isLiteral(left):
		return n.Right
	case isLiteral(left) && right.Kind == Enum && !isLiteral(right):
		return n.Left
	}
	return n
}

// comparable says why two types can never be equal, or nothing.
func comparable(a, b Type) (why, hint string) {
	switch {
	case a.Kind == Null || b.Kind == Null:
		return "", ""
	case !a.Kind.Scalar() || !b.Kind.Scalar():
		return fmt.Sprintf("%s and %s cannot be compared as a whole", a, b), "compare their parts, or len of them"
	case a.Kind == Enum && b.Kind == Enum:
		return overlap(a, b)
	case a.Kind == b.Kind || numeric(a.Kind) && numeric(b.Kind) || a.Kind.Textual() && b.Kind.Textual():
		return "", ""
	case (a.Kind == Money || a.Kind == Duration) && isLiteral(b) || (b.Kind == Money || b.Kind == Duration) && isLiteral(a):
		return fmt.Sprintf("%s and %s are never equal", a, b), `write money("2 USD") or duration("10m")`
	}
	return fmt.Sprintf("%s and %s are never equal", a, b), unquote(a, b)
}

func overlap(a, b Type) (why, hint string) {
	if slices.ContainsFunc(a.Enum, func(m string) bool { return slices.Contains(b.Enum, m) }) || isLiteral(a) && isLiteral(b) {
		return "", ""
	}
	if isLiteral(a) {
		a, b = b, a
	}
	if !isLiteral(b) || len(b.Enum) != 1 {
		return fmt.Sprintf("%s and %s have no member in common", a, b), ""
	}
	return fmt.Sprintf("%s is not a member of %s", b, a), suggest(b.Enum[0], a.Enum)
}

// unquote is the way out where a number or a bool stands in quotes.
func unquote(a, b Type) string {
	if isLiteral(a) {
		a, b = b, a
	}
	if !isLiteral(b) || len(b.Enum) != 1 {
		return ""
	}
	text := b.Enum[0]
	if numeric(a.Kind) && plainNumber().MatchString(text) || a.Kind == Bool && (text == "true" || text == "false") {
		return "write " + text + " without quotes"
	}
	return ""
}

// operate gives the type of a binary operator, or why there is none. The
// operands are present.
func operate(n *ast.BinaryNode, a, b Type) (Type, string) {
	switch n.Operator {
	case "+", "-", "*", "/", "%", "**":
		return arithmetic(n.Operator, a, b)
	case "<", ">", "<=", ">=":
		if numeric(a.Kind) && numeric(b.Kind) || a.Kind.Textual() && b.Kind.Textual() ||
			a.Kind == b.Kind && (a.Kind == Money || a.Kind == Duration) {
			return Type{Kind: Bool}, ""
		}
		return Type{}, fmt.Sprintf("%s and %s have no order", a, b)
	case "in":
		return membership(a, b)
	case "contains", "startsWith", "endsWith":
		if a.Kind.Textual() && b.Kind.Textual() {
			return Type{Kind: Bool}, ""
		}
		if n.Operator == "contains" && b.Kind.Scalar() && a.Kind == List {
			return Type{}, fmt.Sprintf("%s searches a text, and this is %s; write ELEMENT in LIST", n.Operator, a)
		}
		return Type{}, fmt.Sprintf("%s works on texts, and these are %s and %s", n.Operator, a, b)
	case "matches":
		return matching(n, a)
	}
	return Type{}, n.Operator + " is not an operator of the language"
}

func matching(n *ast.BinaryNode, a Type) (Type, string) {
	pattern, ok := n.Right.(*ast.StringNode)
	if !ok {
		return Type{}, "the pattern after matches must be written out in quotes"
	}
	if _, err := regexp.Compile(pattern.Value); err != nil {
		return Type{}, err.Error()
	}
	if !a.Kind.Textual() {
		return Type{}, fmt.Sprintf("matches works on texts, and this is %s", a)
	}
	return Type{Kind: Bool}, ""
}

func membership(a, b Type) (Type, string) {
	switch b.Kind {
	case Map:
		if a.Kind.Textual() {
			return Type{Kind: Bool}, ""
		}
		return Type{}, fmt.Sprintf("the keys of a map are texts, and this is %s", a)
	case List:
		elem := b.elem().present()
		if elem.Kind == 0 {
			return Type{Kind: Bool}, ""
		}
		if why, hint := comparable(a, elem); why != "" {
			if hint != "" {
				why += "; " + hint
			}
			return Type{}, why
		}
		return Type{Kind: Bool}, ""
	}
	return Type{}, fmt.Sprintf("in looks into a list or a map, and this is %s", b)
}

// arithmetic: int stays int but for / and **; money and duration are added to
// their like and multiplied or divided by numbers; texts are joined by +.
func arithmetic(op string, a, b Type) (Type, string) {
	measure := func(k Kind) bool { return k == Money || k == Duration }
	switch {
	case op == "+" && a.Kind.Textual() && b.Kind.Textual():
		return Type{Kind: String, Untrusted: a.Tainted() || b.Tainted()}, ""
	case numeric(a.Kind) && numeric(b.Kind):
		if a.Kind == Int && b.Kind == Int && op != "/" && op != "**" {
			return Type{Kind: Int}, ""
		}
		if op == "%" {
			return Type{}, "% works on integers"
		}
		return Type{Kind: Number}, ""
	case (op == "+" || op == "-") && a.Kind == b.Kind && measure(a.Kind):
		return Type{Kind: a.Kind}, ""
	case op == "*" && measure(a.Kind) && numeric(b.Kind), op == "/" && measure(a.Kind) && numeric(b.Kind):
		return Type{Kind: a.Kind}, ""
	case op == "*" && numeric(a.Kind) && measure(b.Kind):
		return Type{Kind: b.Kind}, ""
	}
	why := fmt.Sprintf("%s does not join %s and %s", op, a, b)
	if op == "+" && (a.Kind.Textual() || b.Kind.Textual()) {
		why += "; turn the other into text with string(…)"
	}
	return Type{}, why
}
