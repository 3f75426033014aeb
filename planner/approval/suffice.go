package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed9cc7a46e/wf/planner"
)

// Suffice holds approvals, each of which counts, against the asks of a plan:
// every ask needs so many different people of its group. One person is one,
// however many keys, names or approvals they have.
func Suffice(asks []planner.Ruling, approvals []Approval) Refusal {
	if len(approvals) == 0 {
		return refuse(MissingGroup, "nobody has approved it")
	}
	for _, ask := range asks {
		var of []Approval
		for _, a := range approvals {
			if ask.From == AnyOperator || slices.Contains(a.Groups, ask.From) {
				of = append(of, a)
			}
		}
		switch have, need := people(of), max(1, ask.Approvers); {
		case have == 0:
			return refuse(MissingGroup, "%s asks for the approval of %s, and %s", ask.Rule, ask.From, spoken(approvals))
		case have < need:
			return refuse(TooFew, "%s asks for the approval of %d people of %s, and %d approved", ask.Rule, need, ask.From, have)
		}
	}
	return Refusal{}
}

// Needed gives, of approvals that each count, the first ones that suffice; all
// of them where they do not.
func Needed(asks []planner.Ruling, approvals []Approval) []Approval {
	var out []Approval
	for _, a := range approvals {
		if met(asks, append(slices.Clone(out), a)) > met(asks, out) || len(out) == 0 {
			out = append(out, a)
		}
		if Suffice(asks, out).OK() {
			return out
		}
	}
	return out
}

// met counts the people that asks wanted and got.
func met(asks []planner.Ruling, approvals []Approval) (n int) {
	for _, ask := range asks {
		of := slices.DeleteFunc(slices.Clone(approvals), func(a Approval) bool {
			return ask.From != AnyOperator && !slices.Contains(a.Groups, ask.From)
		})
		n += min(people(of), max(1, ask.Approvers))
	}
	return n
}

// people counts who approved: approvals that share a key or a name are one person's.
func people(approvals []Approval) int {
	var groups [][]Approval
	for _, a := range approvals {
		joined := []Approval{a}
		groups = slices.DeleteFunc(groups, func(g []Approval) bool {
			same := slices.ContainsFunc(g, func(b Approval) bool { return b.Signer == a.Signer || b.Key == a.Key && a.Key != "" })
			if same {
				joined = append(joined, g...)
			}
			return same
		})
		groups = append(groups, joined)
	}
	return len(groups)
}

func spoken(approvals []Approval) string {
	var out []string
	for _, a := range approvals {
		out = append(out, fmt.Sprintf("%s speaks for %s", a.Signer, orNone(a.Groups)))
	}
	return strings.Join(out, ", ")
}

// mostApprovers is the greatest number of people that one ask of a plan needs.
func mostApprovers(plan *planner.Plan) int {
	most := 1
	for _, a := range plan.Policy.Asks {
		most = max(most, a.Approvers)
	}
	return most
}
