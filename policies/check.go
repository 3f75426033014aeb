package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// comparer finds comparisons that can never hold: a field against a word
// outside its enum, or against a value of another type. Rego orders all types,
// so that "2" > 1 is true; the compiler lets both pass.
type comparer struct {
	layer  *layer
	schema any
	vars   map[ast.Var]any // schema of what a local variable holds, within one rule
}

var comparisons = []string{"eq", "equal", "neq", "lt", "lte", "gt", "gte", "assign"}

func (c *comparer) check() {
	for _, file := range slices.Sorted(maps.Keys(c.layer.modules)) {
		for _, r := range c.layer.modules[file].Rules {
			if strings.HasPrefix(nameOf(r.Head.Ref()[0].Value), "wf_entry_") {
				continue
			}
			c.vars = map[ast.Var]any{}
			c.bind(r)
			ast.WalkExprs(r, func(e *ast.Expr) bool { c.compare(e); return false })
		}
	}
}

// bind follows assignments until nothing new is known: locals are unique
// within a rule once the compiler has renamed them.
func (c *comparer) bind(r *ast.Rule) {
	for before := -1; before != len(c.vars); {
		before = len(c.vars)
		ast.WalkExprs(r, func(e *ast.Expr) bool {
			if every, ok := e.Terms.(*ast.Every); ok {
				c.learn(every.Value, itemsOf(c.resolve(every.Domain)))
			}
			if a, b, ok := operands(e, "eq", "assign"); ok {
				c.learn(a, c.resolve(b))
				c.learn(b, c.resolve(a))
			}
			return false
		})
	}
}

func (c *comparer) learn(t *ast.Term, node any) {
	if v, ok := t.Value.(ast.Var); ok && node != nil && c.vars[v] == nil {
		c.vars[v] = node
	}
}

// resolve gives the schema node a term stands for; nil when it is not known.
func (c *comparer) resolve(t *ast.Term) any {
	switch x := t.Value.(type) {
	case ast.Var:
		return c.vars[x]
	case ast.Ref:
		var node any
		switch {
		case x[0].Equal(ast.InputRootDocument):
			node = c.schema
		default:
			head, _ := x[0].Value.(ast.Var)
			node = c.vars[head]
		}
		for _, part := range x[1:] {
			if name, ok := part.Value.(ast.String); ok {
				node = c.property(node, string(name))
			} else {
				node = itemsOf(c.deref(node))
			}
		}
		return c.deref(node)
	}
	return nil
}

func (c *comparer) property(node any, name string) any {
	return field(field(c.deref(node), "properties"), name)
}

// deref follows a local $ref of a schema given as a file.
func (c *comparer) deref(node any) any {
	for range 10 {
		ref, ok := field(node, "$ref").(string)
		if !ok || !strings.HasPrefix(ref, "#/") {
			return node
		}
		node = c.schema
		for _, part := range strings.Split(ref[2:], "/") {
			node = field(node, part)
		}
	}
	return nil
}

func itemsOf(node any) any { return field(node, "items") }

func field(node any, name string) any {
	m, ok := node.(map[string]any) // JSON as decoded: the edge where schemas come in
	if !ok {
		return nil
	}
	return m[name]
}

func operands(e *ast.Expr, names ...string) (a, b *ast.Term, ok bool) {
	terms, isCall := e.Terms.([]*ast.Term)
	if !isCall || len(terms) != 3 || !slices.Contains(names, terms[0].String()) {
		return nil, nil, false
	}
	return terms[1], terms[2], true
}

func (c *comparer) compare(e *ast.Expr) {
	if a, b, ok := operands(e, "internal.member_2"); ok {
		if node := c.resolve(a); node != nil {
			eachElement(b, func(t *ast.Term) { c.against(e, a, node, t) })
		}
		if node := itemsOf(c.resolve(b)); node != nil {
			c.against(e, b, c.deref(node), a)
		}
		return
	}
	a, b, ok := operands(e, comparisons...)
	if !ok {
		return
	}
	if node := c.resolve(a); node != nil {
		c.against(e, a, node, b)
	}
	if node := c.resolve(b); node != nil {
		c.against(e, b, node, a)
	}
}

func eachElement(t *ast.Term, f func(*ast.Term)) {
	switch x := t.Value.(type) {
	case ast.Set:
		for _, el := range x.Slice() {
			f(el)
		}
	case *ast.Array:
		x.Foreach(f)
	}
}

func (c *comparer) against(e *ast.Expr, fieldTerm *ast.Term, node any, literal *ast.Term) {
	kind, isLiteral := kindOf(literal.Value)
	want, typed := field(node, "type").(string)
	if !isLiteral || !typed {
		return
	}
	if want == "integer" {
		want = "number"
	}
	if kind != want {
		c.never(e, fmt.Sprintf("%s is compared with the %s %s, and the field is a %s.", fieldName(fieldTerm), kind, literal, want), "Compare it with a "+want+".")
		return
	}
	words, closed := field(node, "enum").([]any)
	s, _ := literal.Value.(ast.String)
	if !closed || slices.ContainsFunc(words, func(w any) bool { return w == string(s) }) {
		return
	}
	c.never(e, fmt.Sprintf("%s is compared with %q, which it never is.", fieldName(fieldTerm), string(s)), fmt.Sprintf("Use one of: %s.", joined(words)))
}

func (c *comparer) never(e *ast.Expr, detail, hint string) {
	c.layer.found(codeNeverTrue.At(rangeOf(e.Location), detail, hint))
}

func fieldName(t *ast.Term) string {
	if r, ok := t.Value.(ast.Ref); ok {
		if s, ok := r[len(r)-1].Value.(ast.String); ok {
			return "`" + string(s) + "`"
		}
	}
	return "a field of the plan"
}

func joined(words []any) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprint(w)
	}
	return strings.Join(out, ", ")
}

func kindOf(v ast.Value) (string, bool) {
	switch v.(type) {
	case ast.String:
		return "string", true
	case ast.Number:
		return "number", true
	case ast.Boolean:
		return "boolean", true
	}
	return "", false
}

// checkData refuses data paths that no rule and no data file defines: an
// undefined path makes `not data.x.y` true.
func (l *layer) checkData() {
	for _, file := range slices.Sorted(maps.Keys(l.modules)) {
		ast.WalkRefs(l.modules[file], func(r ast.Ref) bool {
			if r.HasPrefix(ast.DefaultRootRef) && !l.defined(r) {
				at := rangeOf(r[0].Location)
				if at.IsZero() {
					at.File = file
				}
				l.found(codeNoData.At(at, fmt.Sprintf("%s is defined by no rule and no data file of this layer, so it is always undefined.", r), "Mend the path, or add NAME.json beside the rule for data.NAME."))
			}
			return false
		})
	}
}

func (l *layer) defined(r ast.Ref) bool {
	rules, data := l.compiler.RuleTree, any(l.data)
	for i, t := range r {
		if i == 0 {
			rules = rules.Child(t.Value)
			continue
		}
		name, ok := t.Value.(ast.String)
		if !ok {
			return true
		}
		if rules != nil {
			if rules = rules.Child(t.Value); rules != nil && len(rules.Values) > 0 {
				return true
			}
		}
		if data != nil {
			data = field(data, string(name))
		}
		if rules == nil && data == nil {
			return false
		}
	}
	return true
}
