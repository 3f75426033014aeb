package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Check types the template for a scope and reports everything that is wrong with
// it: names, fields, operands, phase, taint, guards and the result. want.Kind == 0
// means "infer"; want.Limits are left to Eval and Conform.
func (t Template) Check(scope Scope, want Type) (Checked, diag.Findings) {
	c, out := typed(t, scope, want, nil)
	if !t.broken && !c.found.HasErrors() && !c.named {
		c.constant(t, scope, want, &out)
	}
	return out, c.found
}

// typed runs the inspector over a template.
// Where calls is not nil, it is filled with what lowering must know.
func typed(t Template, scope Scope, want Type, calls map[ast.Node]call) (*inspector, Checked) {
	c := &inspector{scope: &scope, at: t.at, inputs: map[string]bool{}, calls: calls}
	if c.at == nil {
		c.at = func(int, int) diag.Range { return diag.Range{} }
	}
	out := c.template(t, want)
	out.Refs = c.refs
	out.UsesEach, out.UsesMatrix = c.each, c.matrix
	for name := range c.inputs {
		out.UsesInputs = append(out.UsesInputs, name)
	}
	slices.Sort(out.UsesInputs)
	return c, out
}

// constant evaluates a template that uses no name, to learn now what it is.
func (c *inspector) constant(t Template, scope Scope, want Type, out *Checked) {
	v, err := constantValue(t, scope, want)
	if err == nil {
		out.constant = &v
		return
	}
	c.found = append(c.found, codeAlwaysFails.At(c.at(0, len(t.source)), err.Error(), "correct the constant"))
}

// inspector types the expressions of one template.
type inspector struct {
	scope *Scope
	at    func(start, end int) diag.Range
	ex    *expression

	found  diag.Findings
	refs   []Reference
	inputs map[string]bool
	each   bool
	matrix bool
	named  bool // some name was used: not constant

	elements []Type // of the lists that the predicates around run over, innermost last
	facts    []fact
	guards   int  // how many ??, ?. and comparisons with nil stand around
	hyphen   bool // a name that was not found is the beginning of a name with - in it
	nilChain bool // the chain at hand has passed a ?. of a value that may be null
	calls    map[ast.Node]call
	types    []Type // of the expressions, in order
}

// call is what lowering must know about an operator or function at one place.
type call struct {
	args   []Type
	result Type
}

func (c *inspector) template(t Template, want Type) Checked {
	if t.IsLiteral() {
		return c.literal(t, want)
	}
	if t.IsExpr() {
		return c.single(t.parts[0].expression, want)
	}
	text := Type{Kind: String}
	for _, p := range t.parts {
		if p.expression == nil {
			continue
		}
		got := c.expression(p.expression)
		text.Untrusted = text.Untrusted || got.Tainted()
		c.inText(p.expression, got)
		c.taint(p.expression, got)
	}
	if !textFits(want.Kind) {
		c.found = append(c.found, codeResult.At(c.at(0, len(t.source)),
			fmt.Sprintf("%s wants %s, and text with expressions in it is a string", c.field(), want),
			"let the scalar be one expression and nothing else"))
	}
	return Checked{Type: text, Tainted: text.Tainted()}
}

// textFits: what is assembled from text is checked by Conform when it is known.
func textFits(k Kind) bool {
	return k == 0 || k == JSON || k == Money || k == Duration || k.Textual()
}

func (c *inspector) literal(t Template, want Type) Checked {
	if t.broken {
		return Checked{Type: want}
	}
	if _, wrong := literalValue(t, want); len(wrong) > 0 {
		c.found = append(c.found, codeResult.At(c.at(0, len(t.source)), wrong[0].String(), ""))
	}
	if want.Kind == 0 {
		want = Type{Kind: String}
	}
	return Checked{Type: want}
}

// literalValue reads a template without expressions as a value of the type.
func literalValue(t Template, want Type) (Value, []Mismatch) {
	if want.Kind == 0 {
		return Of(t.source), nil
	}
	return FromScalar(t.source, want.Kind.Textual(), want)
}

func (c *inspector) single(e *expression, want Type) Checked {
	got := c.expression(e)
	c.taint(e, got)
	if e.tree == nil || got.Kind == 0 {
		return Checked{Type: want, Tainted: got.Tainted()}
	}
	if why, ok := fits(got, want); !ok {
		hint := ""
		if want.Kind == String && got.Kind.Scalar() && !got.Optional {
			hint = "write string(…)"
		}
		code := codeResult
		if got.Optional && !want.Optional {
			code, hint = codeOptional, "give a value for the case that it is missing: … ?? …"
		}
		c.reportSpan(code, e.tree, fmt.Sprintf("%s wants %s: %s", c.field(), want, why), hint)
	}
	got = widen(got)
	return Checked{Type: got, Tainted: got.Tainted()}
}

// fits is Assignable, and lets a literal text stand where its form is right.
func fits(got, want Type) (string, bool) {
	if isLiteral(got) && want.Kind != Enum && want.Kind != 0 && want.Kind != JSON {
		for _, text := range got.Enum {
			if _, wrong := Conform(Of(text), want); len(wrong) > 0 {
				return wrong[0].String(), false
			}
		}
		return "", true
	}
	if got.Kind == List && want.Kind == List && isLiteral(got.elem()) {
		return fits(got.elem(), want.elem())
	}
	return Assignable(got, want)
}

func (c *inspector) inText(e *expression, got Type) {
	switch {
	case got.Kind == 0 || e.tree == nil:
	case got.Optional || got.Kind == Null:
		c.reportSpan(codeOptional, e.tree, fmt.Sprintf("the text needs a value, and this is %s", got), `give one for the case that it is missing: … ?? ""`)
	case !got.Kind.Scalar():
		c.reportSpan(codeInText, e.tree, fmt.Sprintf("this is %s", got), "write toJSON(…), or join(…, \", \") for a list of texts")
	}
}

func (c *inspector) taint(e *expression, got Type) {
	if e.tree == nil || !taints(got, c.scope.Taint) {
		return
	}
	hint := "let the value be an int, bool, enum or slug, which the runner validates, or pass it through env:"
	if c.scope.Taint == CleanPath {
		hint = "declare the value as path or slug, which the runner validates"
	}
	c.reportSpan(codeTaint, e.tree, fmt.Sprintf("%s takes no text that an agent or an outsider wrote, and this is %s from such a source", c.field(), got), hint)
}

// taints reports whether a value of t may not enter a field of the given taint.
func taints(t Type, allowed Taint) bool {
	switch {
	case allowed == Untrusted || !t.Tainted():
		return false
	case allowed == CleanPath && t.Kind == Path:
		return false
	case allowed == CleanPath && t.Kind == List:
		return taints(t.elem(), allowed)
	}
	return true
}

func (c *inspector) field() string {
	if c.scope.Field == "" {
		return "this field"
	}
	return c.scope.Field
}

// expression types one ${{ }}. Kind 0 means that something is wrong with it and
// has been reported.
func (c *inspector) expression(e *expression) Type {
	if e.tree == nil {
		return Type{}
	}
	c.ex = e
	if wrong := offences(e.tree); len(wrong) > 0 {
		for _, o := range wrong {
			c.reportAt(codeForbidden, o.node, o.detail, o.hint)
		}
		return Type{}
	}
	before := len(c.found)
	got := c.visit(e.tree)
	if c.found[before:].HasErrors() {
		return Type{}
	}
	c.types = append(c.types, got)
	return got
}

// reportAt reports at the node's own sign, reportSpan at all that it covers.
func (c *inspector) reportAt(code diag.Code, n ast.Node, detail, hint string) {
	at := n.Location()
	start, end := c.ex.bytes(at.From, max(at.To, at.From+1))
	c.found = append(c.found, code.At(c.at(c.ex.start+start, c.ex.start+end), detail, hint))
}

func (c *inspector) reportSpan(code diag.Code, n ast.Node, detail, hint string) {
	start, end := c.ex.span(n)
	c.found = append(c.found, code.At(c.at(c.ex.start+start, c.ex.start+end), detail, hint))
}

func (c *inspector) visit(n ast.Node) Type {
	t := c.infer(n)
	if t.Kind == 0 {
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

func (c *inspector) rangeOf(n ast.Node) diag.Range {
	start, end := c.ex.span(n)
	return c.at(c.ex.start+start, c.ex.start+end)
}
