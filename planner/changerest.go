package planner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// others compares the fields of a record that no delta of its own speaks of, by
// their names in the document. A field that is added to a plan is thereby never
// missing from the difference; until somebody says which way it loosens, a
// reader is told to look.
func others[T any](kind, where string, a, b *T, spoken ...string) (out []Delta) {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
		if slices.Contains(spoken, name) || same(x.Field(i), y.Field(i)) {
			continue
		}
		out = append(out, Delta{Sign: "~", Kind: kind, Where: where, Name: name, Old: shown(x.Field(i)), New: shown(y.Field(i)), Looser: true})
	}
	return out
}

// same compares two fields; an empty list and none are the same.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Slice:
		if a.Len() == 0 && b.Len() == 0 {
			return true
		}
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// shown gives a field for people: text as it is, all else as JSON.
func shown(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool, reflect.Int, reflect.Int64:
		return fmt.Sprint(v.Interface())
	}
	if list, ok := v.Interface().([]string); ok {
		return strings.Join(list, " ")
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return v.Type().Name() // no such value is in a plan that was written
	}
	return string(text)
}

// types compares two types. Their spelling leaves out the limits of a value, so
// where it is equal the types are shown whole.
func types(kind, where, name string, a, b expr.Type) []Delta {
	old, new := a.String(), b.String()
	if old == new && !reflect.DeepEqual(a, b) {
		old, new = shown(reflect.ValueOf(a)), shown(reflect.ValueOf(b))
	}
	return word(kind, where, name, old, new, false)
}

func restDiff(old, new *Plan) (out []Delta) {
	out = append(out, word("workflow", "", "name", old.Workflow.Name, new.Workflow.Name, false)...)
	out = append(out, word("workflow", "", "path", old.Workflow.Path, new.Workflow.Path, false)...)
	out = append(out, word("workflow", "", "description", old.Workflow.Description, new.Workflow.Description, false)...)
	out = append(out, word("repository", "", "", old.Repository, new.Repository, true)...)
	out = append(out, word("base", "", "", old.Base.Commit, new.Base.Commit, false)...)
	out = append(out, inputsDiff(old, new)...)
	out = append(out, sourcesDiff(old, new)...)
	out = append(out, sets("needs of the host", "", needsOf(old), needsOf(new), false, false)...)
	both(old.Outputs, new.Outputs, func(o Output) string { return o.Name }, func(name string, a, b *Output) {
		switch {
		case a == nil:
			out = append(out, Delta{Sign: "+", Kind: "output", Name: name, New: b.Expr})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: "output", Name: name, Old: a.Expr})
		default:
			out = append(out, others("output", "", a, b)...)
		}
	})
	return append(out, others("plan", "", old, new, "plan", "workflow", "repository", "base", "sources", "inputs", "limits", "roles", "tickets", "groups",
		"edges", "includes", "agents", "effects", "bounds", "conflicts", "protected", "protectedExisting", "outputs", "requirements", "notices", "change", "policy")...)
}

// needsOf names what a plan asks of a host, but for the sandbox, which is a power.
func needsOf(p *Plan) (out []string) {
	for _, r := range p.Requirements {
		if r.Kind != "sandbox" {
			out = append(out, strings.TrimSpace(r.Kind+" "+r.Name+" "+r.Value))
		}
	}
	return out
}

func inputsDiff(old, new *Plan) (out []Delta) {
	both(old.Inputs, new.Inputs, func(i Input) string { return i.Name }, func(name string, a, b *Input) {
		switch {
		case a == nil:
			out = append(out, Delta{Sign: "+", Kind: "input", Name: name, New: b.Value.String()})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: "input", Name: name, Old: a.Value.String()})
		default:
			out = append(out, word("input", "", name, a.Value.String(), b.Value.String(), false)...)
			out = append(out, types("input", name, "type", a.Type, b.Type)...)
			if a.Untrusted != b.Untrusted {
				out = append(out, Delta{Sign: "~", Kind: "input", Where: name, Name: "untrusted", Old: fmt.Sprint(a.Untrusted), New: fmt.Sprint(b.Untrusted), Looser: a.Untrusted})
			}
			out = append(out, others("input", name, a, b, "name", "type", "value", "untrusted", "origin")...)
		}
	})
	return out
}

func sourcesDiff(old, new *Plan) (out []Delta) {
	name := func(s Source) string { return s.Kind + " " + s.Path }
	both(old.Sources, new.Sources, name, func(name string, a, b *Source) {
		kind, path, _ := strings.Cut(name, " ")
		watches := kind == "policy" || kind == "operators"
		switch {
		case a == nil:
			out = append(out, Delta{Sign: "+", Kind: kind, Name: path, Looser: kind == "operators"})
		case b == nil:
			out = append(out, Delta{Sign: "-", Kind: kind, Name: path, Looser: watches})
		case a.Digest != b.Digest:
			out = append(out, Delta{Sign: "~", Kind: kind, Name: path, Old: short(a.Digest), New: short(b.Digest), Looser: watches})
		}
	})
	return out
}

// policyDiff compares what policies do to a run. Plans that no policy has judged
// yet differ in nothing here.
func policyDiff(old, new *Plan) []Delta {
	if len(old.Policy.Layers) == 0 || len(new.Policy.Layers) == 0 {
		return nil
	}
	out := sets("guard rule", "", guardWords(old), guardWords(new), false, true)
	out = append(out, sets("policy layer", "", layerWords(old), layerWords(new), false, true)...)
	return append(out, sets("policy asks", "", asks(old), asks(new), false, true)...)
}

func guardWords(p *Plan) (out []string) {
	for _, g := range p.Policy.Guards {
		out = append(out, g.Rule+" ("+g.Decision+", "+g.Layer+")")
	}
	return out
}

func layerWords(p *Plan) (out []string) {
	for _, l := range p.Policy.Layers {
		out = append(out, fmt.Sprintf("%s, %d rules", l.Name, l.Rules))
	}
	return out
}

func asks(p *Plan) (out []string) {
	for _, r := range p.Policy.Asks {
		out = append(out, strings.TrimSpace(cmp.Or(r.From, "operator")+": "+r.Msg))
	}
	return out
}
