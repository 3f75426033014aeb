package expr

import (
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Use is one use of inputs.NAME or tickets.NAME in a template, with the constant
// parts that are read of it: tickets.survey.outputs.areas has the parts outputs
// and areas.
type Use struct {
	Space string // inputs, tickets
	Name  string
	Parts []string
}

// Replace says what stands for a use: the text of an expression, and how many of
// the use's parts it covers. ok is false where the use stays as it is.
type Replace func(Use) (text string, parts int, ok bool)

// Rewrite gives the template's source with other names: a workflow that is
// included speaks of its own inputs and tickets, and a plan of all of them.
func (t Template) Rewrite(replace Replace) string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expression == nil {
			b.WriteString(p.text)
			continue
		}
		b.WriteString(open + p.expression.rewritten(replace) + "}}")
	}
	return b.String()
}

// Expression gives the template as one expression in brackets, rewritten: of text
// with expressions in it, the joined text.
func (t Template) Expression(replace Replace) string {
	if t.IsExpr() {
		return "(" + strings.TrimSpace(t.parts[0].expression.rewritten(replace)) + ")"
	}
	var terms []string
	for _, p := range t.parts {
		if p.expression == nil {
			terms = append(terms, Of(p.text).String())
			continue
		}
		terms = append(terms, "string("+strings.TrimSpace(p.expression.rewritten(replace))+")")
	}
	if len(terms) == 0 {
		return `("")`
	}
	return "(" + strings.Join(terms, " + ") + ")"
}

// rewritten replaces the uses of one expression, from the left.
func (e *expression) rewritten(replace Replace) string {
	if e.tree == nil {
		return e.source
	}
	var b strings.Builder
	done := 0
	e.eachUse(e.tree, func(nodes []*ast.MemberNode, use Use) {
		text, parts, ok := replace(use)
		if !ok {
			return
		}
		start, end := e.span(nodes[min(parts, len(nodes)-1)])
		if start = e.opened(start, end); start < done {
			return
		}
		b.WriteString(e.source[done:start] + text)
		done = end
	})
	return b.String() + e.source[done:]
}

// opened moves the start of a span to the left over the brackets that close
// inside of it, as in (tickets.sub).outputs: the library does not record them.
func (e *expression) opened(start, end int) int {
	depth, least := 0, 0
	for i := start; i < end; i++ {
		switch c := e.source[i]; c {
		case '"', '\'', '`':
			if q := endOfQuote(e.source, i, c); q >= 0 {
				i = q
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			least = min(least, depth)
		}
	}
	for ; least < 0 && start > 0; start-- {
		if e.source[start-1] == '(' {
			least++
		}
	}
	return start
}

// eachUse visits the uses under n in the order written, each with the members of
// its chain, the innermost first.
func (e *expression) eachUse(n ast.Node, see func(nodes []*ast.MemberNode, use Use)) {
	var chain []*ast.MemberNode
	at := n
	for {
		if c, ok := at.(*ast.ChainNode); ok && len(chain) > 0 {
			at = c.Node
			continue
		}
		m, ok := at.(*ast.MemberNode)
		if !ok {
			break
		}
		chain = append([]*ast.MemberNode{m}, chain...)
		at = m.Node
	}
	id, ok := at.(*ast.IdentifierNode)
	if !ok || len(chain) == 0 || id.Value != "inputs" && id.Value != "tickets" || propertyName(chain[0]) == "" {
		eachChild(n, func(child ast.Node) { e.eachUse(child, see) })
		return
	}
	use, nodes := Use{Space: id.Value, Name: propertyName(chain[0])}, chain[:1]
	for _, m := range chain[1:] {
		name := propertyName(m)
		if name == "" {
			break
		}
		use.Parts, nodes = append(use.Parts, name), chain[:len(nodes)+1]
	}
	see(nodes, use)
	for _, m := range chain[1:] { // tickets.x[tickets.y.outputs.i]
		if propertyName(m) == "" {
			e.eachUse(m.Property, see)
		}
	}
}
