package policies

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// tracer follows one rule through an evaluation: how often each condition was
// tried and held, and which parts of the plan each answer comes from.
type tracer struct {
	rule   *ast.Rule
	layer  *layer
	input  ast.Value
	groups []compiledCondition
	at     map[*ast.Expr]int // group of an expression
	alias  map[ast.Var]ast.Ref
	tried  []int
	missed [][]Part
	said   []Said
	// through counts the ways through all conditions.
	through int
}

func newTracer(r *ast.Rule, input ast.Value, l *layer) *tracer {
	t := &tracer{rule: r, layer: l, input: input, groups: grouped(r.Body), at: map[*ast.Expr]int{}, alias: map[ast.Var]ast.Ref{}}
	for i, g := range t.groups {
		for _, e := range g.exprs {
			t.at[e] = i
		}
	}
	ast.WalkExprs(r, func(e *ast.Expr) bool {
		if a, b, ok := operands(e, "eq"); ok {
			t.learn(a, b)
			t.learn(b, a)
		}
		return false
	})
	t.tried, t.missed = make([]int, len(t.groups)), make([][]Part, len(t.groups))
	return t
}

// learn notes that a local variable stands for a part of the input or of data.
func (t *tracer) learn(a, b *ast.Term) {
	v, isVar := a.Value.(ast.Var)
	ref, isRef := b.Value.(ast.Ref)
	if isVar && isRef && t.alias[v] == nil {
		t.alias[v] = ref
	}
}

func (t *tracer) Enabled() bool               { return true }
func (t *tracer) Config() topdown.TraceConfig { return topdown.TraceConfig{PlugLocalVars: true} }

func (t *tracer) TraceEvent(e topdown.Event) {
	if e.Op == topdown.ExitOp && e.Node == ast.Node(t.rule) {
		t.through++
		t.say(e.Locals)
		return
	}
	expr, isExpr := e.Node.(*ast.Expr)
	i, ours := t.at[expr]
	switch {
	case !isExpr || !ours:
	case e.Op == topdown.EvalOp && t.groups[i].exprs[0] == expr:
		t.tried[i]++
	case e.Op == topdown.FailOp:
		t.miss(i, e)
	}
}

// held is how often the evaluation went on behind a condition.
func (t *tracer) held(i int) int {
	if i+1 < len(t.tried) {
		return t.tried[i+1]
	}
	return t.through
}

func (t *tracer) miss(i int, e topdown.Event) {
	for _, p := range append(t.parts(t.groups[i], e.Locals), ownNames(t.groups[i], e)...) {
		if p.Value != "" && len(t.missed[i]) < mostMissed && !slices.Contains(t.missed[i], p) {
			t.missed[i] = append(t.missed[i], p)
		}
	}
}

// ownNames are the author's own variables in a condition, with what they are.
func ownNames(g compiledCondition, e topdown.Event) []Part {
	var out []Part
	for _, expr := range g.exprs {
		ast.WalkVars(expr, func(v ast.Var) bool {
			value, name := e.Locals.Get(v), string(e.LocalMetadata[v].Name)
			if value != nil && name != "" && !strings.HasPrefix(name, "__") {
				if _, whole := value.(ast.Object); !whole {
					out = append(out, Part{Line: g.row, Path: name, Value: shorten(value.String())})
				}
			}
			return false
		})
	}
	return out
}

// say notes one answer: what the head is with these variables.
func (t *tracer) say(locals *ast.ValueMap) {
	v := plug(t.rule.Head.Key, locals)
	element, ok := v.Value.(ast.Object)
	if !ok {
		t.said = append(t.said, Said{Msg: shorten(v.String())})
		return
	}
	text := func(key string) string {
		if got := element.Get(ast.StringTerm(key)); got != nil {
			return nameOf(got.Value)
		}
		return ""
	}
	said := Said{Msg: cmp.Or(text("msg"), text("reason")), Code: text("code"), Level: text("level"), Node: text("node"), From: text("from"), Guard: text("rule")}
	if slices.ContainsFunc(t.said, func(s Said) bool {
		return s.Msg == said.Msg && s.Node == said.Node && s.Guard == said.Guard && s.From == said.From && s.Code == said.Code
	}) {
		return // another way to the same element of the set
	}
	for _, g := range t.groups {
		for _, p := range t.parts(g, locals) {
			if !slices.ContainsFunc(said.Parts, func(have Part) bool { return have.Path == p.Path }) {
				said.Parts = append(said.Parts, p)
			}
		}
	}
	t.said = append(t.said, said)
}

// parts are the places of input and data that a condition looks at.
func (t *tracer) parts(g compiledCondition, locals *ast.ValueMap) []Part {
	var out []Part
	add := func(ref ast.Ref) {
		whole, ok := t.ground(ref, locals, 0)
		if !ok {
			return
		}
		out = append(out, Part{Line: g.row, Path: whole.String(), Value: t.valueOf(whole)})
	}
	for _, e := range g.exprs {
		ast.WalkRefs(e, func(r ast.Ref) bool {
			add(r)
			return false
		})
		ast.WalkVars(e, func(v ast.Var) bool {
			if alias := t.alias[v]; alias != nil && !e.Generated {
				add(alias)
			}
			return false
		})
	}
	slices.SortStableFunc(out, func(a, b Part) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b Part) bool { return a.Path == b.Path })
}

// ground writes a reference with what its variables are, from input or data on.
func (t *tracer) ground(ref ast.Ref, locals *ast.ValueMap, depth int) (ast.Ref, bool) {
	head, _ := ref[0].Value.(ast.Var)
	if alias := t.alias[head]; alias != nil && depth < 20 {
		return t.ground(append(slices.Clone(alias), ref[1:]...), locals, depth+1)
	}
	if !ref.HasPrefix(ast.InputRootRef) && !ref.HasPrefix(ast.DefaultRootRef) || ref.HasPrefix(ast.Ref{ast.DefaultRootDocument, ast.StringTerm("wf")}) {
		return nil, false
	}
	out := ast.Ref{ref[0]}
	for _, part := range ref[1:] {
		part = plug(part, locals)
		if !part.IsGround() {
			return nil, false
		}
		out = append(out, part)
	}
	return out, true
}

func (t *tracer) valueOf(ref ast.Ref) string {
	root := t.input
	if ref.HasPrefix(ast.DefaultRootRef) {
		data, err := ast.InterfaceToValue(t.layer.data)
		if err != nil {
			return ""
		}
		root = data
	}
	v, err := root.Find(ref[1:])
	if err != nil {
		return "not there"
	}
	switch x := v.(type) {
	case ast.Object:
		for _, key := range []string{"address", "name", "effect", "path", "id"} {
			if got := x.Get(ast.StringTerm(key)); got != nil {
				return nameOf(got.Value)
			}
		}
		return ""
	case *ast.Array:
		if text := x.String(); len(text) < 80 {
			return text
		}
		return strconv.Itoa(x.Len()) + " entries"
	}
	return shorten(v.String())
}

// plug puts what is known for variables into a term, and what is known for the
// variables in that.
func plug(t *ast.Term, locals *ast.ValueMap) *ast.Term {
	for range 10 {
		if locals == nil || t.IsGround() {
			break
		}
		out, err := ast.TransformVars(t.Copy(), func(v ast.Var) (ast.Value, error) {
			if got := locals.Get(v); got != nil {
				return got, nil
			}
			return v, nil
		})
		next, ok := out.(ast.Value) // of a term, Transform gives the value
		if err != nil || !ok {
			break
		}
		t = ast.NewTerm(next)
	}
	return t
}

// steps tells the conditions in the author's order.
func (t *tracer) steps(list []condition) []Step {
	var out []Step
	for _, c := range list {
		i := slices.IndexFunc(t.groups, func(g compiledCondition) bool { return g.row == c.row && g.col == c.col })
		if i < 0 {
			continue // part of another condition
		}
		out = append(out, Step{Line: c.row, Text: c.text, Tried: t.tried[i], Held: t.held(i), Missed: firstOf(t.missed[i], mostMissed)})
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
