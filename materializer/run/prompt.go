package run

import "github.com/seed9cc7a46e/wf/planner"

// Prompt gives the whole prompt of a unit.
func Prompt(plan *planner.Plan, s *State, u UnitID) string { return "" }
