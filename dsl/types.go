package dsl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
	"github.com/seed9cc7a46e/wf/dsl/syntax"
)

// namedTypes reads types:, in the order in which they use each other.
func (d *decoder) namedTypes(o object) []NamedType {
	d.types = map[string]expr.Type{}
	r := typeReader{d: d, state: map[string]int{}}
	r.declared = d.names(o.get("types"), "`types`", "type", true)
	for _, n := range r.declared {
		r.resolve(n)
	}
	var out []NamedType
	for _, n := range r.declared {
		if t, ok := d.types[n.name]; ok {
			out = append(out, NamedType{Name: n.name, Type: t, Range: n.at})
		}
	}
	return out
}

// typeReader resolves records that name each other.
type typeReader struct {
	d        *decoder
	declared []namedNode
	state    map[string]int // 0 untouched, 1 under way, 2 done
}

func (r *typeReader) resolve(n namedNode) {
	if r.state[n.name] != 0 {
		return
	}
	r.state[n.name] = 1
	if bareFields(n.node) {
		r.d.add(codeMissing, n.at, fmt.Sprintf("The fields of type `%s` stand under `fields:`.", n.name), fmt.Sprintf("Write `%s: {fields: {…}}`.", n.name))
		r.state[n.name], r.d.vague[n.name], r.d.types[n.name] = 2, true, expr.Type{Kind: expr.JSON}
		return
	}
	o := r.d.object(ownerType, "type `"+n.name+"`", n.at, n.node)
	fields := r.d.names(o.get("fields"), "`fields`", "field", true)
	t := expr.Type{Kind: expr.Record, Name: n.name}
	good := true
	for _, f := range fields {
		good = r.uses(n, typeText(f.node)) && good
		ft, ok := r.d.typed("field `"+f.name+"`", f, ownerOutput)
		good = ok && good
		t.Fields = append(t.Fields, expr.Field{Name: f.name, Type: ft.typ})
	}
	if len(fields) == 0 && o.get("fields") != nil {
		r.d.add(codeEmpty, n.at, fmt.Sprintf("type `%s` has no fields.", n.name), "Name its fields, as in `fields: {name: slug}`.")
	}
	r.state[n.name] = 2
	r.d.types[n.name] = t
	if !good {
		r.d.vague[n.name] = true
	}
}

// bareFields reports whether a record was written without `fields:`.
func bareFields(n *syntax.Node) bool {
	if n == nil || n.Kind != syntax.Mapping || len(n.Entries) == 0 || peek(ownerType, n, "fields") != nil {
		return false
	}
	return n.Get("description") == nil || len(n.Entries) > 1
}

var typeWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`) })

// uses resolves the records that a type's spelling names; false where that leads back to n.
func (r *typeReader) uses(n namedNode, text string) bool {
	for _, w := range typeWord().FindAllString(text, -1) {
		i := slices.IndexFunc(r.declared, func(d namedNode) bool { return d.name == w })
		if i < 0 {
			continue
		}
		if r.state[w] == 1 {
			r.d.add(codeRecursiveType, n.at, fmt.Sprintf("type `%s` contains `%s`, which contains it again; its values would have no end.", n.name, w), "Break the circle, for example with a `json` field.")
			r.d.types[w] = expr.Type{Kind: expr.JSON}
			return false
		}
		r.resolve(r.declared[i])
	}
	return true
}

func typeText(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind == syntax.Mapping {
		n = n.Get("type")
	}
	if n == nil || n.Kind != syntax.Scalar {
		return ""
	}
	return n.Value
}

// typedNode is a type with what stands beside it.
type typedNode struct {
	typ expr.Type
	o   object // the mapping; its node is nil for the short form
}

// typed reads `name: type` or `name: {type: …, constraints}`. Where the type is
// broken the result is json, so that one mistake is told once.
func (d *decoder) typed(label string, n namedNode, owner string) (typedNode, bool) {
	any := expr.Type{Kind: expr.JSON}
	if n.node.Kind == syntax.Scalar {
		t, ok := d.typeOf(n.node)
		return typedNode{typ: t}, ok
	}
	o := d.object(owner, label, n.at, n.node, constraintNames...)
	out := typedNode{typ: any, o: o}
	spelled := o.get("type")
	if spelled == nil {
		return out, false
	}
	if spelled.Kind != syntax.Scalar {
		f := d.wrongShape(spelled, "`type`", "the name of a type")
		f.Hint = "Name records under `types:` and use their name."
		return out, false
	}
	t, ok := d.typeOf(spelled)
	if !ok {
		return out, false
	}
	t, ok = d.constrained(o, t)
	out.typ = t
	return out, ok
}

func (d *decoder) typeOf(n *syntax.Node) (expr.Type, bool) {
	t, err := expr.ParseType(n.Value, d.types)
	if err == nil {
		broken := slices.ContainsFunc(typeWord().FindAllString(n.Value, -1), func(w string) bool { return d.vague[w] })
		return t, !broken
	}
	at, near, message, offset, end := n.Range, "", err.Error(), 0, 0
	var wrong *expr.TypeError
	if errors.As(err, &wrong) {
		near, message, offset, end = wrong.Near, wrong.Message, wrong.Offset, wrong.Offset
		for end < len(n.Value) && (partName().MatchString(n.Value[wrong.Offset:end+1]) || end == wrong.Offset) {
			end++
		}
		at = n.RangeAt(wrong.Offset, end)
	}
	f := d.add(codeType, at, sentence(message), "Types are string, int, number, bool, duration, money, path, glob, slug, url, ref, json, enum<A,B>, list<T>, map<T> and the records under `types:`.")
	word := strings.ToLower(n.Value[min(offset, len(n.Value)):end])
	if meant := meantTypes[word]; meant != "" {
		near = meant
	}
	if hint := typeHints[word]; hint != "" && near == "" {
		f.Hint = hint
	}
	if near != "" {
		f.Hint = fmt.Sprintf("Did you mean `%s`?", near)
		f.Edit = &diag.Edit{Range: at, NewText: near}
	}
	return expr.Type{Kind: expr.JSON}, false
}

// unreadablePattern says what is wrong with a pattern, without the library's preface.
func unreadablePattern(err error) string {
	return sentence(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// constraintKinds says which kinds each constraint narrows.
func constraintFits(name string, t expr.Type) bool {
	switch name {
	case "min", "max":
		return t.Kind == expr.Int || t.Kind == expr.Number || t.Kind == expr.Money || t.Kind == expr.Duration
	case "min_items", "max_items":
		return t.Kind == expr.List || t.Kind == expr.Map
	case "unique":
		return t.Kind == expr.List
	}
	return t.Kind.Textual() && t.Kind != expr.Enum
}

func (d *decoder) constrained(o object, t expr.Type) (expr.Type, bool) {
	good := true
	for _, name := range constraintNames {
		n := o.node.Get(name)
		if n == nil {
			continue
		}
		if !constraintFits(name, t) {
			d.add(codeConstraint, o.keyRange(name), fmt.Sprintf("`%s` says nothing about a value of type %s.", name, t), constraintHint(t))
			continue
		}
		w, ok := d.constant(n, "`"+name+"`")
		good = ok && d.constrain(&t, name, w) && good
	}
	return t, d.orderly(o, t.Limits) && good
}

func constraintHint(t expr.Type) string {
	var fit []string
	for _, name := range constraintNames {
		if constraintFits(name, t) {
			fit = append(fit, "`"+name+"`")
		}
	}
	if len(fit) == 0 {
		return "Remove it."
	}
	return fmt.Sprintf("Constraints of %s: %s.", t, joined(fit))
}

func (d *decoder) constrain(t *expr.Type, name string, w word) bool {
	l := &t.Limits
	switch name {
	case "min":
		l.Min = d.bound(*t, w)
		return l.Min != nil
	case "max":
		l.Max = d.bound(*t, w)
		return l.Max != nil
	case "min_length":
		l.MinLength = d.count(w)
	case "max_length":
		l.MaxLength = d.count(w)
	case "min_items":
		l.MinItems = d.count(w)
	case "max_items":
		l.MaxItems = d.count(w)
	case "unique":
		l.Unique = w.text == "true"
	case "pattern":
		return d.pattern(l, w)
	}
	return true
}

func (d *decoder) pattern(l *expr.Constraints, w word) bool {
	if _, err := regexp.Compile(w.text); err != nil {
		d.add(codePattern, w.at, unreadablePattern(err), "Patterns are RE2, as in Go; `\\` before a sign takes it as it stands.")
		return false
	}
	l.Pattern = w.text
	return true
}

func (d *decoder) count(w word) *int {
	n, err := strconv.Atoi(w.text)
	if err != nil || n < 0 {
		d.add(codeValue, w.at, fmt.Sprintf("`%s` is not a count: a whole number from 0 on.", w.text), "")
		return nil
	}
	return &n
}

// bound reads a min or max in the type's own spelling: money in dollars, a duration in seconds.
func (d *decoder) bound(t expr.Type, w word) *float64 {
	t.Limits = expr.Constraints{}
	v, wrong := expr.FromScalar(w.text, w.node.Style != syntax.Plain, t)
	if len(wrong) > 0 {
		d.add(codeValue, w.at, sentence(wrong[0].String()), "")
		return nil
	}
	var f float64
	if micros, ok := v.Money(); ok {
		f = float64(micros) / 1e6
	} else if length, ok := v.Duration(); ok {
		f = length.Seconds()
	} else {
		f, _ = v.Number()
	}
	return &f
}

// orderly refuses bounds that nothing can meet.
func (d *decoder) orderly(o object, l expr.Constraints) bool {
	cross := func(low, high string) bool {
		d.add(codeConstraint, o.keyRange(low), fmt.Sprintf("`%s` is above `%s`; no value fits.", low, high), "Swap them.")
		return false
	}
	switch {
	case l.Min != nil && l.Max != nil && *l.Min > *l.Max:
		return cross("min", "max")
	case l.MinLength != nil && l.MaxLength != nil && *l.MinLength > *l.MaxLength:
		return cross("min_length", "max_length")
	case l.MinItems != nil && l.MaxItems != nil && *l.MinItems > *l.MaxItems:
		return cross("min_items", "max_items")
	}
	return true
}
