package dsl

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// scalar reads a field of one value; the default where it is not written.
func (o object) scalar(name string, sc *scopes) Scalar {
	f, n := field(o.owner, name), o.get(name)
	if n == nil {
		return *f.initial
	}
	return o.d.scalar(n, f, f.typ, sc)
}

// scalars reads a field that is a list of values.
func (o object) scalars(name string, sc *scopes) []Scalar {
	f, n := field(o.owner, name), o.get(name)
	return o.d.scalars(n, f, f.typ, sc, false)
}

// oneOrMore reads a field that is a list of values, or one of them.
func (o object) oneOrMore(name string, sc *scopes) []Scalar {
	f := field(o.owner, name)
	return o.d.scalars(o.get(name), f, f.typ, sc, true)
}

func (d *decoder) scalars(n *syntax.Node, f FieldDoc, t expr.Type, sc *scopes, single bool) []Scalar {
	items := d.items(n, "`"+f.Name+"`", single)
	if len(items) == 0 {
		return nil
	}
	out := make([]Scalar, 0, len(items))
	for _, item := range items {
		out = append(out, d.scalar(item, f, t, sc))
	}
	return out
}

// mustType reads a type of the field table; "" is any type.
func mustType(text string) expr.Type {
	if text == "" {
		return expr.Type{}
	}
	t, err := expr.ParseType(text, nil)
	if err != nil {
		panic("dsl: field table: " + err.Error())
	}
	return t
}

func initialScalar(f FieldDoc) *Scalar {
	s := Scalar{Type: f.typ}
	if f.Default != "" {
		s = constantScalar(f.Default, f.typ)
	}
	return &s
}

// constantScalar is a value that no author wrote.
func constantScalar(text string, t expr.Type) Scalar {
	template, _ := expr.Reparse(text)
	value, _ := expr.FromScalar(text, false, t)
	return Scalar{Template: template, Checked: expr.Checked{Type: t}, Type: t, Value: value, Known: true}
}

// scalar checks a value, literal or with expressions, against its type and scope.
func (d *decoder) scalar(n *syntax.Node, f FieldDoc, t expr.Type, sc *scopes) Scalar {
	s := Scalar{Type: t, Range: n.Range, Set: true, Scope: sc.of(f)}
	if n.Kind == syntax.Null {
		d.add(codeEmpty, n.Range, fmt.Sprintf("`%s` has no value.", f.Name), "Write one, or remove the key.")
		return s
	}
	if n.Kind != syntax.Scalar {
		finding := d.wrongShape(n, "`"+f.Name+"`", "one value"+ofType(t))
		if n.Kind == syntax.Mapping {
			finding.Hint = "Text that begins with `{` stands in quotes; an expression is written `${{ … }}`."
		}
		return s
	}
	if d.literals {
		if _, ok := d.constant(n, "`"+f.Name+"`"); !ok {
			return s
		}
	}
	return d.parsed(n, n.Value, n.RangeAt, f, s)
}

func ofType(t expr.Type) string {
	if t.Kind == 0 {
		return ""
	}
	return " of type " + t.String()
}

// parsed checks text of a node; at maps its bytes to the file.
func (d *decoder) parsed(n *syntax.Node, text string, at func(start, end int) diag.Range, f FieldDoc, s Scalar) Scalar {
	template, found := expr.Parse(text, at)
	s.Template = template
	if len(found) > 0 {
		d.found = append(d.found, found...)
		if found.HasErrors() {
			return s
		}
	}
	if template.IsLiteral() {
		return d.literal(n, text, f, s)
	}
	if d.touchesVague(text) {
		return s
	}
	scope := *s.Scope
	scope.Field = f.Name
	checked, found := template.Check(scope, s.Type)
	d.found = append(d.found, found...)
	s.Checked = checked
	if !found.HasErrors() {
		s.Value, s.Known = checked.Constant()
	}
	return s
}

// literal checks text without expressions, as its author spelled it.
func (d *decoder) literal(n *syntax.Node, text string, f FieldDoc, s Scalar) Scalar {
	t := s.Type
	if t.Kind == 0 {
		t = expr.Type{Kind: expr.JSON}
	}
	if s.Type.Kind == expr.String && strings.TrimSpace(text) == "" && f.Phase == PhaseRun && f.Shape == ShapeScalar {
		d.add(codeEmpty, s.Range, fmt.Sprintf("`%s` is blank.", f.Name), "Write what an agent is to read, or remove the key.")
		return s
	}
	value, wrong := expr.FromScalar(text, n.Style != syntax.Plain, t)
	for _, m := range wrong {
		d.misfit(n, text, f, s, m)
	}
	if len(wrong) == 0 && f.Phase != PhaseConstant && strings.IndexByte(text, '.') > 0 && bareExpression().MatchString(text) {
		finding := d.add(codeBareExpression, s.Range, fmt.Sprintf("`%s` stands there as text; nothing is put in its place.", text), "Write `${{ "+text+" }}`, or put it in quotes if it is meant as text.")
		if n.Style == syntax.Plain {
			finding.Edit = &diag.Edit{Range: s.Range, NewText: "${{ " + text + " }}"}
		} else {
			d.found = d.found[:len(d.found)-1]
		}
	}
	if s.Type.Kind == 0 {
		t = typeOf(value)
	}
	scope := *s.Scope
	checked, _ := s.Template.Check(scope, t) // a literal fits: FromScalar has said so
	checked.Type = t
	s.Checked, s.Value, s.Known = checked, value, len(wrong) == 0
	return s
}

var (
	bareExpression = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(inputs|tickets|each|matrix)\.[A-Za-z_][A-Za-z0-9_.]*$`)
	})
	nameUse    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(inputs|tickets|each|matrix)\.`) })
	bareNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`) })
)

// misfit says why a constant does not fit its field, and what was probably meant.
func (d *decoder) misfit(n *syntax.Node, text string, f FieldDoc, s Scalar, m expr.Mismatch) {
	finding := d.add(codeValue, s.Range, fmt.Sprintf("`%s`: %s", f.Name, sentence(m.String())), "")
	replace := func(hint, with string) {
		finding.Hint = hint
		if n.Style == syntax.Plain {
			finding.Edit = &diag.Edit{Range: s.Range, NewText: with}
		}
	}
	switch {
	case nameUse().MatchString(text):
		replace("An expression is written `${{ "+text+" }}`.", "${{ "+text+" }}")
	case respelt(finding, n, text, s.Type):
	case s.Type.Kind == expr.Money && bareNumber().MatchString(text):
		replace("Write `"+text+" USD`.", text+" USD")
	case s.Type.Kind == expr.Duration && bareNumber().MatchString(text):
		finding.Hint = fmt.Sprintf("Give it a unit: `%ss` or `%sm`.", text, text)
	}
}

// touchesVague reports whether the text names something whose own declaration is broken.
func (d *decoder) touchesVague(text string) bool {
	if d.noEach && eachWord().MatchString(text) {
		return true
	}
	if len(d.vague) == 0 {
		return false
	}
	for _, name := range mentioned(text) {
		if d.vague[name] {
			return true
		}
	}
	return false
}

// typeOf gives the type of a constant.
func typeOf(v expr.Value) expr.Type {
	if list, ok := v.List(); ok {
		elem := expr.Type{Kind: expr.JSON}
		for i, item := range list {
			t := typeOf(item)
			if i == 0 {
				elem = t
			} else if _, ok := expr.Assignable(t, elem); !ok {
				return expr.ListOf(expr.Type{Kind: expr.JSON})
			}
		}
		return expr.ListOf(elem)
	}
	if entries, ok := v.Map(); ok {
		t := expr.Type{Kind: expr.Record}
		for _, e := range entries {
			t.Fields = append(t.Fields, expr.Field{Name: e.Key, Type: typeOf(e.Value)})
		}
		return t
	}
	return scalarType(v)
}

func scalarType(v expr.Value) expr.Type {
	if _, ok := v.Bool(); ok {
		return expr.Type{Kind: expr.Bool}
	}
	if _, ok := v.Int(); ok {
		return expr.Type{Kind: expr.Int}
	}
	if _, ok := v.Number(); ok {
		return expr.Type{Kind: expr.Number}
	}
	if v.IsNull() {
		return expr.Type{Kind: expr.Null}
	}
	return expr.Type{Kind: expr.String}
}
