package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed9cc7a46e/wf/dsl"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// programKey names a compiled scalar: a thousand children of a fan-out share one.
type programKey struct {
	source, wanted string
	scope          *expr.Scope
}

// eval gives the value of a plan-phase scalar, in the normal form of its type.
// A scalar that was left out has the default of its field, which may be null.
func (m *maker) eval(s dsl.Scalar, vars expr.Vars) (expr.Value, bool) {
	if s.Known {
		return s.Value, true
	}
	if s.Scope == nil {
		return expr.Value{}, true // left out, and its field has no default
	}
	v, err := m.run(s, vars)
	if err != nil {
		m.find(codeEval, s.Range, fmt.Sprintf("%s: %v.", s.Template.Source(), err), "")
		return v, false
	}
	if s.Type.Kind == 0 {
		return v, true
	}
	v, wrong := expr.Conform(v, s.Type)
	if len(wrong) > 0 {
		m.find(codeEval, s.Range, fmt.Sprintf("%s: %s.", s.Template.Source(), wrong[0]), "")
		return v, false
	}
	return v, true
}

func (m *maker) run(s dsl.Scalar, vars expr.Vars) (expr.Value, error) {
	key := programKey{s.Template.Source(), s.Type.String(), s.Scope}
	p, ok := m.programs[key]
	if !ok {
		var err error
		if p, err = expr.Compile(key.source, *s.Scope, s.Type); err != nil {
			return expr.Value{}, err
		}
		m.programs[key] = p
	}
	vars.Inputs = m.only(s.Checked.UsesInputs)
	return p.Eval(vars)
}

// only gives the record of the named inputs. An evaluation decodes all it is
// given: a list that a fan-out runs over would cost its square.
func (m *maker) only(names []string) expr.Value {
	key := strings.Join(names, "\x00")
	known, ok := m.inputs[key]
	if !ok {
		entries := make([]expr.Entry, 0, len(names))
		for _, in := range m.plan.Inputs {
			if slices.Contains(names, in.Name) {
				entries = append(entries, expr.Entry{Key: in.Name, Value: in.Value})
			}
		}
		known = expr.OfMap(entries)
		m.inputs[key] = known
	}
	return known
}

func (m *maker) text(s dsl.Scalar, vars expr.Vars) string {
	v, _ := m.eval(s, vars)
	text, _ := v.Text()
	return text
}

func (m *maker) texts(list []dsl.Scalar, vars expr.Vars) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, m.words(s, vars)...)
	}
	return out
}

// words gives the text of a scalar, or the texts of a scalar whose value is a list.
func (m *maker) words(s dsl.Scalar, vars expr.Vars) []string {
	v, ok := m.eval(s, vars)
	if !ok || v.IsNull() {
		return nil
	}
	if items, ok := v.List(); ok {
		var out []string
		for _, item := range items {
			if text, ok := item.Text(); ok {
				out = append(out, text)
			}
		}
		return out
	}
	text, _ := v.Text()
	return []string{text}
}

// whole gives an integer, or fallback where the scalar was left out.
func (m *maker) whole(s dsl.Scalar, vars expr.Vars, fallback int) int {
	v, ok := m.eval(s, vars)
	if n, isInt := v.Int(); ok && isInt {
		return int(n)
	}
	return fallback
}

func (m *maker) money(s dsl.Scalar, vars expr.Vars) (amount Money, set bool) {
	v, ok := m.eval(s, vars)
	if micros, isMoney := v.Money(); ok && isMoney {
		return Money(micros), true
	}
	return 0, false
}

func (m *maker) seconds(s dsl.Scalar, vars expr.Vars, fallback time.Duration) int64 {
	v, ok := m.eval(s, vars)
	if d, isLength := v.Duration(); ok && isLength {
		return int64((d + time.Second - 1) / time.Second)
	}
	return int64(fallback / time.Second)
}
