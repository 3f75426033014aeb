package expr

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// Check types the template for a scope and reports everything that is wrong with
// it: names, fields, operands, phase, taint, guards and the result. want.Kind == 0
// means "infer"; want.Limits are left to Eval and Conform.
func (t Template) Check(scope Scope, want Type) (Checked, diag.Findings) {
	if checked, ok := t.fits(want); ok {
		return checked, nil
	}
	c, out := typed(t, scope, want, nil)
	if !t.broken && !c.found.HasErrors() && !c.named {
		c.constant(t, scope, want, &out)
	}
	return out, c.found
}

// fits is Check of a text without expressions that is of the type: nearly all
// scalars of a workflow, and none needs an inspector.
func (t Template) fits(want Type) (Checked, bool) {
	if t.broken || !t.IsLiteral() {
		return Checked{}, false
	}
	v, wrong := literalValue(t, want)
	if len(wrong) > 0 {
		return Checked{}, false
	}
	if want.Kind == 0 {
		want = Type{Kind: String}
	}
	return Checked{Type: want, constant: &v}, true
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

	found         diag.Findings
	refs          []Reference
	refNode       *ast.MemberNode // tickets.NAME of the last of refs
	inputs        map[string]bool
	each          bool
	elementFields []Field // of each, those in use
	matrix        bool
	named         bool // some name was used: not constant

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
			"write one expression, with the operators inside one ${{ }}"))
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
		c.found = append(c.found, codeResult.At(c.at(0, len(t.source)), fmt.Sprintf("%s: %s", c.field(), wrong[0]), ""))
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
	if why, ok := Assignable(got, want); !ok {
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

// mend offers a replacement of the place of the finding just reported; "" is none.
func (c *inspector) mend(text string) {
	if f := &c.found[len(c.found)-1]; text != "" {
		f.Edit = &diag.Edit{Range: f.Range, NewText: text}
	}
}

// mendNear offers the nearest name in the place of one just reported, where that
// place holds the name and nothing else.
func (c *inspector) mendNear(n ast.Node, name string, known []string) {
	at := n.Location()
	if start, end := c.ex.bytes(at.From, max(at.To, at.From+1)); c.ex.source[start:end] == name {
		c.mend(Nearest(name, known))
	}
}

func (c *inspector) reportSpan(code diag.Code, n ast.Node, detail, hint string) {
	start, end := c.ex.span(n)
	c.found = append(c.found, code.At(c.at(c.ex.start+start, c.ex.start+end), detail, hint))
}

func (c *inspector) rangeOf(n ast.Node) diag.Range {
	start, end := c.ex.span(n)
	return c.at(c.ex.start+start, c.ex.start+end)
}
