package approval

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/planner"
)

// AtTerminal records the word of the person at the controlling terminal. It
// counts only where the base commit names no operators; the caller sees to it
// that the terminal is one and that no unit could type there.
func AtTerminal(plan *planner.Plan, digest, nonce, user string, ops Operators) (Approval, Refusal) {
	if !ops.Empty() {
		return Approval{}, refuse(TerminalRefused, "policies/operators names who may approve; a signature of one of them is needed (wf approve)")
	}
	if n := mostApprovers(plan); n > 1 {
		return Approval{}, refuse(TooFew, "a policy asks for %d people, and whoever sits at a terminal is one", n)
	}
	return unsigned(TTY, plan, digest, nonce, user, askedGroups(plan)), Refusal{}
}

// Automatic records that --auto-approve covered the plan. ceiling is the
// greatest worst-case cost of model calls that a policy lets pass.
func Automatic(plan *planner.Plan, digest, nonce string, ceiling planner.Money) (Approval, Refusal) {
	if ok, why := AutoApprovable(plan, ceiling); !ok {
		return Approval{}, refuse(AutomaticRefused, "%s", why)
	}
	return unsigned(Auto, plan, digest, nonce, string(Auto), nil), Refusal{}
}

func unsigned(kind Kind, plan *planner.Plan, digest, nonce, who string, groups []string) Approval {
	return Approval{
		Kind: kind, Digest: digest, Repository: plan.Repository, Workflow: plan.Workflow.Name, Nonce: nonce,
		Groups: append([]string{}, groups...), Signer: who,
	}
}

// AskedGroups gives the groups that the plan's asks need, sorted, each once.
func AskedGroups(plan *planner.Plan) []string { return askedGroups(plan) }

func askedGroups(plan *planner.Plan) []string {
	var out []string
	for _, a := range plan.Policy.Asks {
		out = append(out, a.From)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const replay = "replay"

// AutoApprovable reports whether --auto-approve covers the plan, and why not:
// no denial, no open ask, local effects only, and model calls whose worst case
// costs at most ceiling. The replay agent calls no model and costs nothing.
func AutoApprovable(plan *planner.Plan, ceiling planner.Money) (bool, string) {
	if n := len(plan.Policy.Denials); n > 0 {
		return false, fmt.Sprintf("%d rules deny the plan, the first being %s", n, plan.Policy.Denials[0].Rule)
	}
	if len(plan.Policy.Asks) > 0 {
		a := plan.Policy.Asks[0]
		return false, fmt.Sprintf("%s asks for the approval of %s", a.Rule, a.From)
	}
	for _, e := range plan.Effects {
		if e.Tier != "local" && e.Effect != "model.call" {
			return false, fmt.Sprintf("the plan has the %s effect %s", e.Tier, e.Effect)
		}
	}
	if callsModels(plan) && plan.Bounds.Cost.Kept == "declared" {
		return false, "its cost is declared and not kept by the runner"
	}
	if cost := modelCost(plan); cost > ceiling {
		return false, fmt.Sprintf("its model calls may cost %s, and %s is covered", cost, ceiling)
	}
	return true, ""
}

// modelCost is the worst case of all units that call a model: their ceilings
// together, and never more than the run can spend. An agent without a ceiling
// can spend all of it.
func modelCost(plan *planner.Plan) planner.Money {
	most := planner.Money(plan.Bounds.Cost.Value)
	var sum planner.Money
	for _, a := range plan.Agents {
		units := planner.Money(a.Units)
		if a.Adapter == replay || units <= 0 {
			continue
		}
		if a.Budget <= 0 || a.Budget > (most-sum)/units {
			return most
		}
		sum += a.Budget * units
	}
	return sum
}

// callsModels reports whether any agent is a real one.
func callsModels(plan *planner.Plan) bool {
	return slices.ContainsFunc(plan.Agents, func(a planner.Agent) bool { return a.Adapter != replay })
}
