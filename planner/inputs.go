package planner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// Ref is a name that was resolved in the repository.
type Ref struct {
	Name   string
	Commit string // 40 or 64 hex digits
}

// bindInputs gives every input its value, or says what is missing, unknown or wrong.
func (m *maker) bindInputs() {
	given := m.given()
	var entries []expr.Entry
	m.secretsOf(m.wf, "")
	for _, in := range m.wf.Inputs {
		if _, has := given[in.Name]; in.Secret {
			m.givenSecret(in, has)
			continue
		}
		v, origin, ok := m.bind(in, given)
		if !ok {
			continue
		}
		m.plan.Inputs = append(m.plan.Inputs, Input{Name: in.Name, Type: in.Type, Value: v, Untrusted: in.Untrusted, Origin: origin})
		entries = append(entries, expr.Entry{Key: in.Name, Value: v})
	}
	m.vars = expr.Vars{Inputs: expr.OfMap(entries)}
}

// given sorts out what was given: the last of each name, and the unknown ones.
func (m *maker) given() map[string]InputValue {
	names := make([]string, 0, len(m.wf.Inputs))
	for _, in := range m.wf.Inputs {
		names = append(names, in.Name)
	}
	slices.Sort(names)
	given := map[string]InputValue{}
	for _, v := range m.req.Inputs {
		if _, known := slices.BinarySearch(names, v.Name); !known {
			m.find(codeInputUnknown, diag.Range{File: m.wf.File}, fmt.Sprintf("The %s gives %q, which %s does not declare.", orWord(v.Origin, "request"), v.Name, m.wf.Name), whatInputs(v.Name, names))
			continue
		}
		given[v.Name] = v
	}
	return given
}

func whatInputs(word string, names []string) string {
	if near := expr.Nearest(word, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	if len(names) == 0 {
		return "It has no inputs."
	}
	return "Its inputs are " + strings.Join(names, ", ") + "."
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (m *maker) bind(in dsl.Input, given map[string]InputValue) (expr.Value, string, bool) {
	v, origin := in.Default, "default"
	if g, ok := given[in.Name]; ok {
		origin = orWord(g.Origin, "flag")
		value, wrong := g.value(in.Type)
		if len(wrong) > 0 {
			m.wrongInput(in, wrong)
			return v, origin, false
		}
		v = value
	} else if !in.HasDefault && !in.Type.Optional {
		m.find(codeInputMissing, in.Range, fmt.Sprintf("%s wants %s, of type %s.%s", m.wf.Name, in.Name, in.Type, sentence(in.Description)), fmt.Sprintf("Give it: --input %s=…", in.Name))
		return v, origin, false
	}
	v, unknown := resolve(v, in.Type, m.commitOf)
	if unknown != "" {
		m.find(codeRef, in.Range, fmt.Sprintf("The input %s is %q, and the repository has no such commit.", in.Name, unknown), "Give a branch, a tag or a commit that is here; fetch it first where it is not.")
		return v, origin, false
	}
	return v, origin, true
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func (m *maker) wrongInput(in dsl.Input, wrong []expr.Mismatch) {
	for _, w := range wrong {
		m.find(codeInputValue, in.Range, fmt.Sprintf("The input %s is of type %s: %s.", in.Name, in.Type, w), "")
	}
}

// value reads what was given. Text for a list, map or record is JSON; a list of
// scalars may also be written a,b,c.
func (g InputValue) value(t expr.Type) (expr.Value, []expr.Mismatch) {
	if g.Typed {
		return expr.Conform(g.Value, t)
	}
	switch t.Kind {
	case expr.List, expr.Map, expr.Record, expr.JSON:
		return composite(g.Text, t)
	}
	return expr.FromScalar(g.Text, t.Kind.Textual(), t)
}

func composite(text string, t expr.Type) (expr.Value, []expr.Mismatch) {
	if t.Kind == expr.List && t.Elem != nil && t.Elem.Kind.Scalar() && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return commas(text, t)
	}
	v, err := expr.FromJSON([]byte(text))
	if err != nil {
		return v, []expr.Mismatch{{Message: fmt.Sprintf("expected %s as JSON: %v", t, err)}}
	}
	return expr.Conform(v, t)
}

func commas(text string, t expr.Type) (expr.Value, []expr.Mismatch) {
	var items []expr.Value
	if text != "" {
		for i, part := range strings.Split(text, ",") {
			v, wrong := expr.FromScalar(part, t.Elem.Kind.Textual(), *t.Elem)
			if len(wrong) > 0 {
				wrong[0].Path = fmt.Sprintf("[%d]", i)
				return v, wrong
			}
			items = append(items, v)
		}
	}
	return expr.Conform(expr.OfList(items), t)
}

var commitForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`) })

func (m *maker) commitOf(ref string) (string, bool) {
	for _, r := range m.req.Refs {
		if r.Name == ref {
			return r.Commit, true
		}
	}
	return ref, commitForm().MatchString(ref)
}

// RefsWanted gives the refs among the inputs, and those that tickets name, that must be resolved before Make,
// sorted, each once.
func RefsWanted(req Request) []string {
	m := &maker{req: req, wf: req.Workflow, plan: &Plan{}}
	given := m.given()
	var wanted []string
	for _, in := range m.wf.Inputs {
		v := in.Default
		if g, ok := given[in.Name]; ok {
			v, _ = g.value(in.Type)
		}
		resolve(v, in.Type, func(ref string) (string, bool) {
			wanted = append(wanted, ref)
			return ref, true
		})
	}
	wanted = append(wanted, constantRefs(m.wf)...)
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// resolve replaces every ref inside a value by its commit; unknown is the first that has none.
func resolve(v expr.Value, t expr.Type, commit func(string) (string, bool)) (out expr.Value, unknown string) {
	switch {
	case v.IsNull():
		return v, ""
	case t.Kind == expr.Ref:
		name, _ := v.Str()
		c, ok := commit(name)
		if !ok {
			return v, name
		}
		return expr.Of(c), ""
	case t.Kind == expr.List && t.Elem != nil:
		return resolveList(v, *t.Elem, commit)
	case t.Kind == expr.Map || t.Kind == expr.Record:
		return resolveEntries(v, t, commit)
	}
	return v, ""
}

func resolveList(v expr.Value, elem expr.Type, commit func(string) (string, bool)) (expr.Value, string) {
	if !holdsRef(elem) {
		return v, ""
	}
	items, _ := v.List()
	for i := range items {
		var unknown string
		if items[i], unknown = resolve(items[i], elem, commit); unknown != "" {
			return v, unknown
		}
	}
	return expr.OfList(items), ""
}

func resolveEntries(v expr.Value, t expr.Type, commit func(string) (string, bool)) (expr.Value, string) {
	if !holdsRef(t) {
		return v, ""
	}
	entries, _ := v.Map()
	for i, e := range entries {
		elem, ok := t.Field(e.Key)
		if t.Kind == expr.Map && t.Elem != nil {
			elem, ok = *t.Elem, true
		}
		if !ok {
			continue
		}
		var unknown string
		if entries[i].Value, unknown = resolve(e.Value, elem, commit); unknown != "" {
			return v, unknown
		}
	}
	return expr.OfMap(entries), ""
}

func holdsRef(t expr.Type) bool {
	if t.Kind == expr.Ref || t.Elem != nil && holdsRef(*t.Elem) {
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f expr.Field) bool { return holdsRef(f.Type) })
}
