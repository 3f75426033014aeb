package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/dsl/diag"
	"github.com/seed9cc7a46e/wf/dsl/expr"
)

// ruleTicketDoer: a ticket has a role or a pipeline, and they exist.
func ruleTicketDoer(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		switch {
		case t.Kind != "":
			continue
		case t.Role != "" && t.Pipeline != "":
			out = append(out, related(codeExclusive.At(t.RoleRange, fmt.Sprintf("ticket `%s` has `role` and `pipeline`; the pipeline's stages have their own roles.", t.Name), "Remove one of them."), t.PipelineRange, "the pipeline"))
		case t.Role == "" && t.Pipeline == "" && t.RoleRange == t.Range && t.PipelineRange == t.Range:
			out = append(out, codeNobody.At(t.Range, fmt.Sprintf("ticket `%s` has neither `role` nor `pipeline`.", t.Name), "Add `role:` for one stage, or `pipeline:`."))
		}
		out = append(out, f.unknownRole(t.Role, t.RoleRange)...)
		if _, ok := f.pipelines[t.Pipeline]; !ok && t.Pipeline != "" {
			var known []string
			for _, p := range f.w.Pipelines {
				known = append(known, p.Name)
			}
			out = append(out, unknownWord(codeUnknownPipeline, t.Pipeline, t.PipelineRange, fmt.Sprintf("No pipeline `%s` is declared under `pipelines:`.", t.Pipeline), known))
		}
	}
	return out
}

// ruleNeeds: tickets that are waited for exist and are others, each once.
func ruleNeeds(f *facts) diag.Findings {
	var out diag.Findings
	var known []string
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		known = append(known, t.Name)
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		for i, n := range t.Needs {
			_, ok := f.tickets[n.Ticket]
			first := slices.IndexFunc(t.Needs, func(o Need) bool { return o.Ticket == n.Ticket })
			switch {
			case n.Ticket == t.Name:
				out = append(out, codeNeedsItself.At(n.Range, fmt.Sprintf("ticket `%s` would wait for itself for ever.", t.Name), "Remove it."))
			case !ok:
				out = append(out, unknownWord(codeUnknownTicket, n.Ticket, n.Range, fmt.Sprintf("No ticket `%s` is declared under `tickets:`.", n.Ticket), known))
			case first < i:
				out = append(out, related(codeTwiceNeed.At(n.Range, fmt.Sprintf("ticket `%s` is already waited for.", n.Ticket), "Remove one."), t.Needs[first].Range, "the first"))
			}
		}
		out = append(out, selfReferences(t)...)
	}
	return out
}

func selfReferences(t *Ticket) diag.Findings {
	var out diag.Findings
	t.visit(func(field string, s *Scalar) {
		for _, r := range s.Checked.Refs {
			if r.Ticket == t.Name {
				out = append(out, codeNeedsItself.At(r.Range, fmt.Sprintf("`%s` of ticket `%s` uses what the ticket itself will deliver.", field, t.Name), "Use another ticket."))
			}
		}
	})
	return out
}

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

// ruleMatrix: rows of include and exclude name axes of the matrix.
func ruleMatrix(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Matrix == nil {
			continue
		}
		var axes []string
		for _, a := range t.Matrix.Axes {
			axes = append(axes, a.Name)
		}
		for _, row := range slices.Concat(t.Matrix.Include, t.Matrix.Exclude) {
			for _, c := range row.Cells {
				if !slices.Contains(axes, c.Axis) {
					out = append(out, unknownWord(codeMatrixCell, c.Axis, c.Range, fmt.Sprintf("the matrix has no axis `%s`.", c.Axis), axes))
				}
			}
		}
		out = append(out, halfRows(t, axes)...)
	}
	return out
}

// halfRows: a row that is included gives every axis a value.
func halfRows(t *Ticket, axes []string) diag.Findings {
	var out diag.Findings
	for _, row := range t.Matrix.Include {
		for _, axis := range axes {
			if !slices.ContainsFunc(row.Cells, func(c MatrixCell) bool { return c.Axis == axis }) {
				out = append(out, codeMatrixCell.At(row.Range, fmt.Sprintf("the included row has no value for axis `%s`.", axis), "Give it one."))
			}
		}
	}
	return out
}

// ruleScope: what writes has a scope, and narrow has one to narrow.
func ruleScope(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if len(t.Narrow) > 0 && len(t.Scope) == 0 {
			out = append(out, codeNarrowNoScope.At(t.Narrow[0].Range, fmt.Sprintf("`narrow` of ticket `%s` shrinks a `scope` that is not there.", t.Name), "Add `scope:`, the ceiling that is approved."))
			continue
		}
		i := slices.IndexFunc(f.stages(t), Stage.writing)
		if i >= 0 && len(t.Scope) == 0 {
			s := f.stages(t)[i]
			out = append(out, related(codeNoScope.At(t.Range, fmt.Sprintf("ticket `%s` has no `scope`, and stage `%s` of its pipeline writes.", t.Name, s.Name), "Add `scope:` with globs, as in `scope: [\"src/**\"]`."), s.Range, "the stage that writes"))
		}
	}
	return out
}

// ruleDeliver: a branch is delivered of a ticket that writes, or of what it waits for.
func ruleDeliver(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if t.Deliver == "" || len(f.stages(t)) == 0 || slices.ContainsFunc(f.stages(t), Stage.writing) || len(f.w.References(*t)) > 0 {
			continue
		}
		out = append(out, codeNothingToSend.At(t.Range, fmt.Sprintf("ticket `%s` has `deliver: %s`, writes nothing and waits for nothing.", t.Name, t.Deliver), "Add `needs:` with the tickets whose work it delivers."))
	}
	return out
}

// ruleDelivers: outputs are delivered by a stage that works; one that judges delivers a verdict.
func ruleDelivers(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		works := func(s Stage) bool { return !s.judging() }
		if stages := f.stages(t); len(t.Outputs) > 0 && len(stages) > 0 && !slices.ContainsFunc(stages, works) {
			out = append(out, codeNoOutputsWriter.At(t.Outputs[0].Range, fmt.Sprintf("every stage of ticket `%s` judges; nobody delivers `%s`.", t.Name, t.Outputs[0].Name), "Add a stage without `verdict`."))
		}
	}
	return out
}

// vagueWords are those of criteria that nobody can check (EVID-12).
var vagueWords = []string{"should work", "works", "is good", "looks good", "as expected", "properly", "appropriate", "reasonable", "correctly", "clean code", "high quality", "robust", "nice", "etc.", "and so on"}

// ruleAcceptance: each row says what is checked, and by what.
func ruleAcceptance(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		proofs := f.proofs(t)
		for _, a := range t.Acceptance {
			text := strings.ToLower(a.What.Template.Source())
			if i := slices.IndexFunc(vagueWords, func(v string) bool { return strings.Contains(text, v) }); i >= 0 {
				out = append(out, codeVague.At(a.What.Range, fmt.Sprintf("“%s” leaves open what is checked.", vagueWords[i]), "Say what can be seen: a command that exits 0, a file that exists, a text that is there."))
			}
			switch {
			case a.By == "" && a.ByRange == a.Range:
				out = append(out, codeUnproved.At(a.Range, "The row names nothing that checks it; the ticket could never close.", "Add `by:` with a gate or a verdict stage"+among(proofs)+"."))
			case a.By != "" && len(f.stages(t)) > 0 && !slices.Contains(proofs, a.By):
				out = append(out, unknownWord(codeUnknownProof, a.By, a.ByRange, fmt.Sprintf("`%s` is no gate of ticket `%s` and no verdict stage of its pipeline.", a.By, t.Name), proofs))
			}
		}
	}
	return out
}

func among(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + joined(quoted(names))
}

// proofs are what an acceptance row of the ticket may name.
func (f *facts) proofs(t *Ticket) []string {
	var out []string
	for _, name := range gateNames(t) {
		if name != "" {
			out = append(out, name)
		}
	}
	for _, s := range f.stages(t) {
		if s.judging() && s.Name != "" {
			out = append(out, s.Name)
		}
	}
	return out
}
