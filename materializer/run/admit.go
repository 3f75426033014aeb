package run

import (
	"fmt"
	"slices"

	"github.com/seed9cc7a46e/wf/planner"
)

// next names the ticket's next unit and the role that is hired for it.
func (n *node) next() (UnitID, string, bool) {
	stage := n.stage()
	if stage == nil || n.Current != nil || n.Step != nil || n.Status.Final() {
		return UnitID{}, "", false
	}
	u, role := UnitID{Ticket: n.ID, Stage: stage.Name, Round: n.Round, Try: n.Tries + 1}, stage.Role
	if n.Diagnose {
		u.Purpose, role = PurposeFirst, stage.First
	}
	return u, role, true
}

// nextCommit is where the next unit's worktree stands: a writer and its
// diagnosing unit go on from carried work, every other unit sees the branch.
func (n *node) nextCommit() string {
	if st := n.stage(); st != nil && st.Writes != writesNone && n.Carry != nil {
		return n.Carry.Commit
	}
	return n.Head
}

// NextUnit names the unit that a ticket starts next, or has under way: what
// `wf preview` shows.
func (s *State) NextUnit(ticket string) (UnitID, bool) {
	n := s.byID[ticket]
	if n == nil {
		return UnitID{}, false
	}
	if n.Current != nil {
		return n.Current.ID, true
	}
	u, _, ok := n.next()
	return u, ok
}

// reserve is the ceiling of one unit: its role's, or the ticket's share where that is less.
func (s *State) reserve(n *node, role string) planner.Money {
	r := s.roles[role]
	if r == nil {
		return 0
	}
	return min(r.Budget, s.share(n))
}

// share is what a ticket may use of the run's budget.
func (s *State) share(n *node) planner.Money {
	b := n.budgeted()
	return min(b.plan.Budget+b.Raised, s.plan.Limits.Budget)
}

// refusal is why a unit may not start. later says that a running unit's end may
// make room; else only a person can.
type refusal struct {
	code, reason string
	later        bool
}

// room says whether a unit with this reserve fits the run's and the ticket's
// limits, when so many units and so much money were just promised to others.
// Limits refuse at >=. BUD-04, BUD-06
func (s *State) room(n *node, reserve planner.Money, units int, promised planner.Money) refusal {
	l := s.plan.Limits
	if s.run.Units+units >= l.Units {
		return refusal{ParkUnits, fmt.Sprintf("all %d units of the run are used", l.Units), false}
	}
	if b := n.budgeted(); b.Spent+reserve > s.share(n) {
		return refusal{ParkBudget, fmt.Sprintf("%s more is needed: a unit reserves %s, the ticket's share is %s, of it %s is spent",
			b.Spent+reserve-s.share(n), reserve, s.share(n), b.Spent), false}
	}
	if s.run.Spent+reserve > l.Budget {
		return refusal{ParkBudget, fmt.Sprintf("%s more is needed: a unit reserves %s, the run's budget is %s, of it %s is spent",
			s.run.Spent+reserve-l.Budget, reserve, l.Budget, s.run.Spent), false}
	}
	if b := n.budgeted(); s.run.Spent+s.run.Reserved+promised+reserve > l.Budget || b.Spent+b.Reserved+reserve > s.share(n) {
		return refusal{"", "other units hold what is left of the budget", true}
	}
	return s.includedRoom(n, reserve)
}

// picks chooses what starts next: the tickets with the longest way left, as many
// as there are free slots. UNIT-02
func (s *State) picks() []Command {
	var out []Command
	var promised planner.Money
	units := 0
	byShare, byInclude := map[*node]bool{}, map[*include]bool{}
	for _, n := range s.ready.first(s.plan.Limits.Concurrency - s.live) {
		if !n.Branched {
			out = append(out, s.branch(n))
			continue
		}
		u, role, ok := n.next()
		if !ok {
			continue
		}
		reserve := s.reserve(n, role)
		why := s.room(n, reserve, units, promised)
		if why.code != "" {
			out = append(out, Record{Parked{Ticket: n.ID, Code: why.code, Reason: why.reason, Stage: n.Stage}})
			continue
		}
		taken := func(in *include) bool { return byInclude[in] }
		if why.later || byShare[n.budgeted()] || slices.ContainsFunc(n.budgeted().includes, taken) {
			continue
		}
		// A second child of one template, or ticket of one included workflow, waits
		// until the first one's reserve stands.
		byShare[n.budgeted()] = n.parent != nil
		for _, in := range n.budgeted().includes {
			byInclude[in] = true
		}
		units++
		promised += reserve
		out = append(out, Record{Reserved{Unit: u, Role: role, Reserve: reserve}})
	}
	return out
}

// branch asks for the ticket's worktree: from the base, or from what upstream tickets made.
func (s *State) branch(n *node) Command {
	c := Branch{Ticket: n.ID, Base: s.plan.Base.Commit, Upstream: s.upstream(n)}
	if n.plan.Writes() || n.plan.Deliver != "" {
		c.Branch = branchName(s.plan.Workflow.Name, s.run.Started.Run, n.ID)
	}
	return c
}

// upstream lists the done tickets that n starts from, each commit once, in ID order.
func (s *State) upstream(n *node) []Upstream {
	seen := map[string]bool{s.plan.Base.Commit: true, "": true}
	var ups []*node
	for _, need := range n.budgeted().needs {
		ups = append(ups, need.from)
		for _, id := range need.from.Children {
			ups = append(ups, s.byID[id])
		}
	}
	sortNodes(ups)
	var out []Upstream
	for _, up := range ups {
		if up.Status == Done && !seen[up.Head] {
			seen[up.Head] = true
			out = append(out, Upstream{Ticket: up.ID, Commit: up.Head})
		}
	}
	return out
}
