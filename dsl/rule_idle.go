package dsl

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/dsl/diag"
)

// ruleUnusedInputs: an input that nothing reads is a leftover, or a misspelt use.
func ruleUnusedInputs(f *facts) diag.Findings {
	used := map[string]bool{}
	f.w.visit(func(_ string, s *Scalar) {
		for _, name := range s.Checked.UsesInputs {
			used[name] = true
		}
	})
	for _, r := range f.w.Roles {
		for _, name := range r.Secrets {
			used[name] = true
		}
	}
	for at := range f.w.Tickets {
		for _, v := range f.w.Tickets[at].variables() {
			used[v.Secret] = true
		}
	}
	var out diag.Findings
	for _, in := range f.w.Inputs {
		if !used[in.Name] {
			out = append(out, codeUnusedInput.At(in.Range, fmt.Sprintf("nothing uses `inputs.%s`.", in.Name), "Use it, or remove it."))
		}
	}
	return out
}

// ruleUnusedRoles: a role that no stage and no ticket hires.
func ruleUnusedRoles(f *facts) diag.Findings {
	used := map[string]bool{}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		for _, name := range f.hires(t) {
			used[name] = true
		}
	}
	for _, p := range f.w.Pipelines {
		for _, s := range p.Stages {
			used[s.First] = true
			for _, name := range s.Workers() {
				used[name] = true
			}
		}
	}
	for _, r := range f.w.Roles {
		used[r.Inspector] = true
	}
	var out diag.Findings
	for _, r := range f.w.Roles {
		if !used[r.Name] {
			out = append(out, codeUnusedRole.At(r.Range, fmt.Sprintf("no stage and no ticket hires `%s`.", r.Name), "Use it, or remove it."))
		}
	}
	return out
}

// hires lists the roles that a ticket names itself.
func (f *facts) hires(t *Ticket) []string {
	out := []string{t.Role, t.Escalate.Name, t.OnConflict.Name, t.Inspector.Name}
	if t.Review != nil {
		for _, r := range t.Review.Reviewers {
			out = append(out, r.Name)
		}
	}
	if t.Within != nil {
		for _, r := range t.Within.Roles {
			out = append(out, r.Name)
		}
	}
	return out
}

// ruleUnusedPipelines: a pipeline that no ticket goes through.
func ruleUnusedPipelines(f *facts) diag.Findings {
	var out diag.Findings
	for _, p := range f.w.Pipelines {
		proposed := slices.ContainsFunc(f.w.Tickets, func(t Ticket) bool {
			return t.Within != nil && slices.ContainsFunc(t.Within.Pipelines, func(u RoleUse) bool { return u.Name == p.Name })
		})
		if f.goThrough[p.Name] == 0 && !proposed {
			out = append(out, codeUnusedPipeline.At(p.Range, fmt.Sprintf("no ticket goes through `%s`.", p.Name), "Use it, or remove it."))
		}
	}
	return out
}

// ruleConstantWhen: a condition that is always the same decides nothing.
func ruleConstantWhen(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		v, ok := f.always(t)
		switch {
		case !ok:
		case v:
			out = append(out, codeConstantWhen.At(t.When.Range, fmt.Sprintf("the `when` of ticket `%s` is always true%s.", t.Name, whyAlways(t)), "Remove it."))
		default:
			out = append(out, codeConstantWhen.At(t.When.Range, fmt.Sprintf("the `when` of ticket `%s` is always false%s; the ticket is always skipped.", t.Name, whyAlways(t)), "Remove the ticket, or mend the condition."+untilHint(t)))
		}
	}
	return out
}

// always gives the value that a ticket's condition has in every run.
func (f *facts) always(t *Ticket) (value, ok bool) {
	if !t.When.Set {
		return false, false
	}
	if v, known := t.When.Value.Bool(); t.When.Known && known {
		return v, true
	}
	refs := f.w.References(t)
	return t.When.Template.Always(func(name string) []string {
		can := []string{"done", "skipped"} // nothing begins before what it refers to has ended
		for _, r := range refs {
			switch {
			case r.Ticket != name:
			case r.Settled:
				return []string{"done", "skipped", "parked", "cancelled"}
			case !r.Optional:
				can = []string{"done"}
			}
		}
		return can
	})
}

// whyAlways explains a condition that is the same although it reads something.
func whyAlways(t *Ticket) string {
	if len(t.When.Checked.Refs) == 0 {
		return ""
	}
	return ", since a ticket begins when those it waits for are done (or, of those it only asks about, skipped)"
}

func untilHint(t *Ticket) string {
	if len(t.When.Checked.Refs) == 0 {
		return ""
	}
	return " `needs: [{ticket: " + t.When.Checked.Refs[0].Ticket + ", until: settled}]` also begins after one that was skipped, parked or cancelled."
}

// ruleIdleGates: gates run after writing stages; a ticket without one runs none.
func ruleIdleGates(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if len(t.Gates) > 0 && !f.writes(t) {
			out = append(out, codeIdleGate.At(t.Gates[0].Range, fmt.Sprintf("gates run after a stage that writes; ticket `%s` has none.", t.Name), "Let a stage write, or remove the gates."))
		}
	}
	return out
}

// ruleUnwatched: work that no gate and no verdict stage looks at.
func ruleUnwatched(f *facts) diag.Findings {
	var out diag.Findings
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		if len(t.Gates) == 0 && f.writes(t) && !slices.ContainsFunc(f.listed(t), Stage.judging) {
			out = append(out, codeUnwatched.At(t.Range, fmt.Sprintf("ticket `%s` writes, and is done because its agent says so.", t.Name), "Add `gates:`, or a stage with `verdict:`."))
		}
	}
	return out
}

// ruleTwice: the same constant twice in one list.
func ruleTwice(f *facts) diag.Findings {
	var lists [][]Scalar
	for _, r := range f.w.Roles {
		lists = append(lists, r.Allow, r.Deny, r.Fallback, r.Network, r.Reads)
	}
	for at := range f.w.Tickets {
		t := &f.w.Tickets[at]
		lists = append(lists, t.Scope, t.Narrow, t.MayChange, t.Protect, t.Context, t.Keep, t.Generated)
		if t.Within != nil {
			lists = append(lists, t.Within.Scope)
		}
	}
	var out diag.Findings
	for _, list := range lists {
		for i, s := range list {
			first := slices.IndexFunc(list, func(o Scalar) bool { return o.Template.Source() == s.Template.Source() })
			if first < i {
				out = append(out, related(codeTwice.At(s.Range, fmt.Sprintf("`%s` stands twice.", s.Template.Source()), "Remove one."), list[first].Range, "the first"))
			}
		}
	}
	return out
}
