// Package guard defines the guard of a unit: the table of what its tools may
// do, the judgement of one use against it, and the socket behind which the
// runner judges and records every use.
//
// Enter with Compile, which makes a Table at a unit's start, Judge.Decide,
// which gives a Decision on a Use, and Serve, which answers the unit's hooks.
// The client is the package guard/hook.
//
// A guard reduces accidents and makes refusals early and explained. What
// confines a unit is the sandbox; what counts of its work, the contracts.
package guard

// Decision is what the guard says of a use.
type Decision string

// Decisions, strongest first. Layers only tighten: of all rules that match,
// the strongest counts. POL-10, POL-11
const (
	HardDeny Decision = "hard_deny"
	Deny     Decision = "deny"
	Ask      Decision = "ask" // nobody can be asked inside a unit: refused now, and the ticket is blocked
	Allow    Decision = "allow"
)

// rank orders decisions; one that is not known is as strong as the strongest.
func (d Decision) rank() int {
	switch d {
	case Allow:
		return 0
	case Ask:
		return 1
	case Deny:
		return 2
	}
	return 3
}

// Ruling is a decision with the rule it comes from.
type Ruling struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule,omitempty"` // as written; "" where no rule matched
	Layer    string   `json:"layer,omitempty"`
	Reason   string   `json:"reason,omitempty"` // for the agent that is refused
}

func (r Ruling) stronger(than Ruling) bool { return r.Decision.rank() > than.Decision.rank() }

func denied(format string) Ruling { return Ruling{Decision: Deny, Reason: format} }
