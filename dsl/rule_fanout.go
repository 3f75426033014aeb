package dsl

import (
	"fmt"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// ruleFanOut: key and max stand on fan-outs; a list known only at run time has a max.
func ruleFanOut(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		switch {
		case t.ForEach.Set && t.Matrix != nil:
			out = append(out, codeExclusive.At(t.Matrix.Range, fmt.Sprintf("ticket `%s` has `for_each` and `matrix`.", t.Name), "Keep one of them; an axis of a matrix may be the list."))
			continue
		case !t.ForEach.Set:
			out = append(out, strayFanOut(t)...)
			continue
		}
		if t.Each == nil {
			continue
		}
		if t.Each.AtRun && !t.Max.Set {
			hint := "Add `max:`, the most tickets there may be."
			if most := t.ForEach.Checked.Type.Limits.MaxItems; most != nil {
				hint = fmt.Sprintf("Add `max: %d`, as the list's own `max_items`.", *most)
			}
			out = append(out, codeNoMax.At(t.ForEach.Range, fmt.Sprintf("the entries of `for_each` of ticket `%s` are known only when another ticket has delivered them; the plan needs a bound.", t.Name), hint))
		}
		if !t.Key.Set && t.Each.Key.Kind == expr.String && !t.Each.Value.Kind.Scalar() && t.ForEach.Checked.Type.Kind == expr.List {
			out = append(out, codeNoKey.At(t.ForEach.Range, fmt.Sprintf("the entries of ticket `%s` are of type %s; each needs a name that stays the same when others come or go.", t.Name, t.Each.Value), keyHint(t.Each.Value)))
		}
	}
	return out
}

func keyHint(t expr.Type) string {
	for _, f := range t.Fields {
		if f.Type.Kind == expr.Slug || f.Type.Kind == expr.Path {
			return fmt.Sprintf("Add `key: ${{ each.value.%s }}`.", f.Name)
		}
	}
	return "Add `key: ${{ each.value.NAME }}` with a field of type slug or path."
}

func strayFanOut(t *Ticket) diag.Findings {
	var out diag.Findings
	for _, p := range []struct {
		name string
		s    Scalar
	}{{"key", t.Key}, {"max", t.Max}} {
		if p.s.Set {
			out = append(out, codeStrayFanOut.At(p.s.Range, fmt.Sprintf("ticket `%s` has `%s` and no `for_each`.", t.Name, p.name), "Add `for_each:`, or remove it."))
		}
	}
	return out
}

// ruleKeys: entries that are written out, or constants, have different keys.
func ruleKeys(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		list, ok := t.ForEach.Value.List()
		if !t.ForEach.Known || !ok || t.Each == nil {
			continue
		}
		seen := map[string]int{}
		for i, item := range list {
			key, ok := keyOf(t, item, i)
			if !ok {
				continue
			}
			if first, twice := seen[key]; twice {
				out = append(out, codeTwiceKey.At(t.ForEach.Range, fmt.Sprintf("entries %d and %d of ticket `%s` both have the key `%s`.", first+1, i+1, t.Name, key), "Remove one, or choose a `key` that tells them apart."))
				continue
			}
			seen[key] = i
		}
	}
	return out
}

func keyOf(t *Ticket, item expr.Value, i int) (string, bool) {
	if !t.Key.Set {
		return item.Text()
	}
	v, err := t.Key.Template.Eval(expr.Vars{EachValue: item, EachKey: expr.Of(textOf(item)), EachIndex: i})
	if err != nil {
		return "", false
	}
	return v.Text()
}
