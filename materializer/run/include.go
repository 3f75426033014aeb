package run

import (
	"fmt"
	"math"

	"github.com/seed9cc7a46e/wf/planner"
)

// include is a workflow that was included, with the tickets that keep its limits.
type include struct {
	plan  *planner.Include
	nodes []*node
}

// include gives every planned ticket the workflows it is included by.
func (s *State) include() {
	for i := range s.plan.Includes {
		in := &include{plan: &s.plan.Includes[i]}
		for _, id := range in.plan.Tickets {
			if n := s.byID[id]; n != nil {
				in.nodes = append(in.nodes, n)
				n.includes = append(n.includes, in)
			}
		}
	}
}

// bounces and retries are the run's, or the least of the included workflows'.
func (s *State) bounces(n *node) int {
	most := s.plan.Limits.Bounces
	for _, in := range n.budgeted().includes {
		most = min(most, in.plan.Bounces)
	}
	return most
}

func (s *State) retries(n *node) int {
	most := s.plan.Limits.Retries
	for _, in := range n.budgeted().includes {
		most = min(most, in.plan.Retries)
	}
	return most
}

// used is what an included workflow's tickets have used. It is counted when it
// is asked for: nothing has to be kept in step, and a resumed run asks the same.
func (s *State) used(in *include) (units, live int, spent, reserved planner.Money) {
	for _, n := range in.nodes {
		units, spent, reserved = units+n.Units, spent+n.Spent, reserved+n.Reserved
		if n.Current != nil {
			live++
		}
		for _, id := range n.Children {
			if child := s.byID[id]; child != nil && child.Current != nil {
				live++
			}
		}
	}
	return units, live, spent, reserved
}

// includedRoom says whether a unit fits the limits of the workflows that its
// ticket is included by.
func (s *State) includedRoom(n *node, reserve planner.Money) refusal {
	for _, in := range n.budgeted().includes {
		l := in.plan
		units, live, spent, reserved := s.used(in)
		switch {
		case units >= orMost(l.Units):
			return refusal{ParkUnits, fmt.Sprintf("all %d units of the included workflow %s are used", l.Units, l.Address), false}
		case spent+reserve > l.Budget:
			return refusal{ParkBudget, fmt.Sprintf("%s more is needed: a unit reserves %s, the budget of the included workflow %s is %s, of it %s is spent",
				spent+reserve-l.Budget, reserve, l.Address, l.Budget, spent), false}
		case live >= orMost(l.Concurrency) || spent+reserved+reserve > l.Budget:
			return refusal{"", "other units of the included workflow " + l.Address + " hold what is left of its limits", true}
		}
	}
	return refusal{}
}

func orMost(n int) int {
	if n == 0 {
		return math.MaxInt
	}
	return n
}
